"""The graph in the middle of the window, with its header, the stepper and what is answered in its boxes."""
