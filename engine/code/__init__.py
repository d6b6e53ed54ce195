"""Graphs and networks as runnable Python programs with the exact numbers.

Each program computes what Gradstep showed, compares every value, every gradient and the loss after one more step, and
prints the largest difference. It ends with the session as a comment, so that Gradstep opens the file again.
"""

from engine.code.export import TARGETS, Target
from engine.code.libraries import CodeError

__all__ = ["TARGETS", "CodeError", "Target"]
