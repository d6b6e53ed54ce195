"""An engine that the program defines itself, compared with the table of operations."""
