"""What changes over the steps of training, as curves."""
