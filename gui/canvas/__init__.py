"""The graph canvas: drawing of computation graphs, looking around in them, and their export as images."""

from gui.canvas.activity import Activity
from gui.canvas.canvas import GraphCanvas

__all__ = ["Activity", "GraphCanvas"]
