"""The command palette: everything that can be done or shown, found by a few letters of its name."""
