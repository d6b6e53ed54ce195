"""Drawing points on a plot, put together: the editing, the pointer's tool, the bar, the keys and a button."""

from __future__ import annotations

from PySide6.QtCore import QObject

from gui.actions.action_set import ActionSet
from gui.actions.drawing import DRAWING_ACTIONS
from gui.panels.planes.drawing_bar import DrawingBar
from gui.panels.planes.drawing_tool import DrawingTool
from gui.panels.planes.point_editing import PointEditing
from gui.plots.plot import Plot
from gui.session import Session
from gui.theme import Colors
from gui.widgets.buttons import tool_button

TEXTS = {
    "button": "Draw",
    "tip": "Draw points on the plot: click adds one, drag moves it, right click deletes it",
}
"""Captions of the button."""


class Drawing(QObject):
    """Actions, bar and tool for drawing points on a plot.

    Attributes:
        editing: the drawn points; active while drawing is on.
        actions: its actions.
        bar: to be placed above the plot.
        button: to be placed in a corner.
    """

    def __init__(self, plot: Plot, session: Session) -> None:
        super().__init__(plot)
        self._plot = plot
        self.editing = PointEditing(session, self)
        self._tool = DrawingTool(plot, self.editing)
        self.actions = ActionSet(self.editing, DRAWING_ACTIONS)
        self.bar = DrawingBar(self.editing, self.actions)
        plot.key_sets.insert(0, self.actions)
        self.button = tool_button(TEXTS["button"], TEXTS["tip"], padding="1px 8px", checkable=True)
        self.button.clicked.connect(self.editing.set_active)
        self.editing.switched.connect(self._follow)

    @property
    def on(self) -> bool:
        """True while points are being drawn."""
        return self.editing.active

    def _follow(self) -> None:
        self.button.setChecked(self.on)
        self._plot.drawn_on = self.on
        if self.on:
            self._plot.setFocus()

    def set_colors(self, colors: Colors) -> None:
        self._tool.set_colors(colors)
        self.bar.set_colors(colors)
