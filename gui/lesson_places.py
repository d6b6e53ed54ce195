"""The widget of each control that a lesson can name, and the mark that points at one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtWidgets import QFrame, QWidget

from gui.arrangement import LESSON_PLACES

POINTING_MILLISECONDS = 2000
PANEL_OF = {place.control: name for name, place in LESSON_PLACES.items()}
"""Panel of each control that is one."""

PARTS: Mapping[str, Callable[[Any], QWidget]] = {
    "program.sliders": lambda window: window.docks["ExpressionPanel"].panel.sliders,
    "graph": lambda window: window.graph_panel.canvas,
    "stepper": lambda window: window.graph_panel.stepper,
    "stepper.start": lambda window: window.graph_panel.stepper.buttons["start"],
    "stepper.back": lambda window: window.main_bar.item("back"),
    "stepper.next": lambda window: window.main_bar.item("next"),
    "stepper.marks": lambda window: window.graph_panel.stepper.marks,
    "stepper.lines": lambda window: window.main_bar.item("walk by"),
    "nudge.h": lambda window: window.docks["NudgePanel"].panel.h,
    "training": lambda window: window.main_bar.item("run"),
    "training.start": lambda window: window.main_bar.item("run"),
    "training.step": lambda window: window.main_bar.item("step"),
    "training.steps": lambda window: window.main_bar.item("steps"),
    "training.reset": lambda window: window.main_bar.item("reset"),
    "training.speed": lambda window: window.main_bar.item("training speed"),
    "history": lambda window: window.history,
}
"""The other controls, each of the main window."""


class Pointer(QFrame):
    """Outline around a control for two seconds; it takes no clicks."""

    def __init__(self, window: Any) -> None:
        super().__init__(window)
        self._window = window
        self.setObjectName("pointer")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._end = QTimer(self, singleShot=True, interval=POINTING_MILLISECONDS)
        self._end.timeout.connect(self.hide)
        self.hide()

    def point_at(self, control: str) -> None:
        """Bring a control into view, and outline it once its panel has its place."""
        window = self._window
        if control not in PARTS and control not in PANEL_OF:
            return
        panel = control if control in PANEL_OF else control.partition(".")[0]
        if panel in PANEL_OF:
            window.show_panel(PANEL_OF[panel])
        self.hide()
        QTimer.singleShot(0, self, lambda: self._outline(control))

    def _outline(self, control: str) -> None:
        window = self._window
        target = PARTS[control](window) if control in PARTS else window.docks[PANEL_OF[control]]
        if not target.isVisible():
            window.show_message("This control is not shown here: choose Show all", "note")
            return
        corner = target.mapTo(window, QPoint(0, 0))
        self.setGeometry(QRect(corner, target.size()).adjusted(-3, -3, 3, 3))
        self.raise_()
        self.show()
        self._end.start()
