"""Displays of one moment of training, computed from a document outside of the window's thread."""
