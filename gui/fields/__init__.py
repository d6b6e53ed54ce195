"""Widgets bound to a field of the document: entries go to the session, changes of the document are shown."""
