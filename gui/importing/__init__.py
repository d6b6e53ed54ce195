"""Import of a table file as the data: the dialog and its tables."""
