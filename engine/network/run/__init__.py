"""One run of training: its pace, history, curves, and end."""
