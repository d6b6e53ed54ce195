"""Bars and lines around the panels: training, history, what has happened."""
