"""Small widgets that know nothing of the document beyond a field."""
