"""The graph canvas: draws a picture of a graph with its numbers, and says what the user does with it."""

from gui.canvas.decorations import Activity
from gui.canvas.graph_canvas import GraphCanvas

__all__ = ["Activity", "GraphCanvas"]
