"""Widgets bound to a field of the document: what the user enters goes to the session, what it holds is shown."""
