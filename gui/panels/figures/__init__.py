"""Figures of one moment of training: tables, matrices, histograms."""
