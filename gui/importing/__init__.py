"""A file with a table becomes the data: the dialog and what it lists."""
