"""Graph panel: canvas, header, stepper, and the answer field over a box."""
