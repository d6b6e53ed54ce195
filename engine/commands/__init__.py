"""Commands without a window; the table of all commands is in `main.py`."""
