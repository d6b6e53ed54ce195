"""Sweeps: the same network trained many times with varying settings."""
