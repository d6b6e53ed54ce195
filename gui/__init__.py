"""The window of Gradstep: the only package that imports Qt."""
