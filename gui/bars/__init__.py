"""Bars and lines around the panels: training, history, messages."""
