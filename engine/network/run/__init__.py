"""One run of training: its pace, its past, its curves, and when it ends."""
