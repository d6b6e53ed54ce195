"""The bar above the plot while points are drawn: the classes, Clear, and a hint."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QSlider, QToolButton, QVBoxLayout, QWidget

from datasets import MAX_CLASSES
from gui.actions.action_set import ActionSet
from gui.actions.drawing import BRUSH_STEP
from gui.panels.planes.point_editing import LARGEST_BRUSH, TEXTS, PointEditing
from gui.plots.plot import MARKERS, class_colors
from gui.theme import LIGHT, Colors, text_pixels
from gui.widgets.labels import LinesLabel, muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.marker_icon import marker_icon

BRUSH, BRUSH_TIP = "Brush", "Size of the brush: at the left end a click draws a single point"
BRUSH_WIDTH = 90  # pixels
ICON_ONLY = Qt.ToolButtonStyle.ToolButtonIconOnly
MANY = 5
"""Number of classes above which the buttons show no counts, for want of room in a narrow panel."""


class DrawingBar(QWidget):
    """A button for each class that can be drawn, with its marker; it is made and seen when drawing is on."""

    def __init__(self, editing: PointEditing, actions: ActionSet) -> None:
        super().__init__()
        self._editing, self._actions, self._colors = editing, actions, LIGHT
        self.classes: list[QToolButton] = []
        self.hide()
        editing.switched.connect(self.follow)
        editing.changed.connect(self.follow)

    def _make(self) -> None:
        actions, row = self._actions, QHBoxLayout()
        for kind in range(MAX_CLASSES):
            button = actions.button(f"draw class {kind}")
            row.addWidget(button)
            self.classes.append(button)
        row.addStretch(1)
        self.clear_button = actions.button("clear points")
        row.setSpacing(2)
        self.brush = QSlider(Qt.Orientation.Horizontal)
        self.brush.setRange(0, LARGEST_BRUSH // BRUSH_STEP)
        self.brush.setPageStep(1)
        self.brush.setMaximumWidth(text_pixels(BRUSH_WIDTH))
        self.brush.setAccessibleName(BRUSH)
        self.brush.setToolTip(BRUSH_TIP)
        self.brush.valueChanged.connect(lambda position: self._editing.resize_brush(position * BRUSH_STEP))
        row.addWidget(muted_label(BRUSH))
        row.addWidget(self.brush)
        self.hint = LinesLabel(2)  # its text must not move the plot
        self.hint.setProperty("muted", True)
        self.hint.setToolTip(TEXTS["keys"])
        said = add_widgets(QHBoxLayout(), self.hint, 1, self.clear_button, spacing=6)
        add_widgets(QVBoxLayout(self), row, said, margins=(0, 0, 0, 0), spacing=3)
        self.set_colors(self._colors)

    def set_colors(self, colors: Colors) -> None:
        self._colors = colors
        if not self.classes:
            return
        for kind, (marker, color) in enumerate(zip(MARKERS, class_colors(colors), strict=True)):
            self._actions[f"draw class {kind}"].setIcon(marker_icon(marker, color))
        chosen = f"background: {colors.panel}; color: {colors.text}; border: 2px solid {colors.accent};"
        for button in self.classes:  # a marker would vanish on the colour of a checked button
            button.setStyleSheet(f"QToolButton {{ padding: 2px; }} QToolButton:checked {{ {chosen} }}")

    def follow(self) -> None:
        """Update the choices."""
        self._actions.refresh()
        self.setVisible(self._editing.active)
        if not self._editing.active:
            return
        if not self.classes:
            self._make()
        offered = self._editing.offered
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if len(offered) < MANY else ICON_ONLY
        for kind, button in enumerate(self.classes):
            button.setVisible(kind in offered)
            button.setToolButtonStyle(style)
        with QSignalBlocker(self.brush):
            self.brush.setValue(self._editing.brush // BRUSH_STEP)
        self.hint.setText(self._editing.sentence)
