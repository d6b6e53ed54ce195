"""The registry: all actions there are, by what they act upon.

A new action is one entry in window.py, program.py, graph.py or drawing.py, in gui/canvas/graph_canvas.py or in
gui/plots/plot_actions.py. Its places say where it stands: "File", "Edit", "Graph", "Train", "View" and "Help" of the
menu bar, "header" (the menu of the graph's view), "node" and "background" (the context menus of the canvas), "editor"
(that of the program), and submenus by their ids.
The tool bar's items are listed by workspace, in `WORKSPACES` of gui/arrangement.py.
"""

from __future__ import annotations

from typing import Any

from gui.actions.drawing import DRAWING_ACTIONS
from gui.actions.graph import GRAPH_ACTIONS, STEPPER_ACTIONS
from gui.actions.program import PROGRAM_ACTIONS
from gui.actions.window import WINDOW_ACTIONS
from gui.canvas.graph_canvas import CANVAS_ACTIONS
from gui.plots.plot_actions import PLOT_ACTIONS
from gui.widgets.action_set import Action

MENUS = ("File", "Edit", "Graph", "Train", "View", "Help")
"""Menus of the menu bar."""

ACTIONS: dict[str, tuple[Action[Any], ...]] = {
    "The whole window": WINDOW_ACTIONS,
    "The program": PROGRAM_ACTIONS,
    "The stepper": STEPPER_ACTIONS,
    "The graph": GRAPH_ACTIONS,
    "The canvas, when it has the keyboard": CANVAS_ACTIONS,
    "A plot, when it has the keyboard": PLOT_ACTIONS,
    "Drawing points, when the plot has the keyboard": DRAWING_ACTIONS,
}
"""All entries; the keys are headings of the page of shortcuts."""
