"""What is said of a program that runs and does something else than it seems to."""
