"""`IPython.display`: what a notebook would show is printed."""
