"""The graph canvas: draws a picture of a graph with its numbers, and emits a signal for each action of the user."""

from gui.canvas.decorations import Activity
from gui.canvas.graph_canvas import GraphCanvas

__all__ = ["Activity", "GraphCanvas"]
