"""Panels with curves over the steps of training."""
