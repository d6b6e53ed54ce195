"""The graph canvas: drawing of computation graphs, looking around in them, and their export as images."""

from gui.canvas.decorations import Activity
from gui.canvas.graph_view import GraphCanvas

__all__ = ["Activity", "GraphCanvas"]
