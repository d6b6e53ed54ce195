"""Drawing points on a plot: the pointer's tool, the bar above the plot, and both put together with their keys.

The edits themselves are in `point_editing`.
"""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QObject, QPointF, QRectF, QSignalBlocker, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QGraphicsObject,
    QGraphicsSceneHoverEvent,
    QGraphicsSceneMouseEvent,
    QHBoxLayout,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from datasets import MAX_CLASSES
from gui.actions.drawing import BRUSH_STEP, DRAWING_ACTIONS
from gui.panels.planes.point_editing import LARGEST_BRUSH, TEXTS, PointEditing
from gui.plots.plot import MARKERS, Plot, class_colors
from gui.session import Session
from gui.theme import LIGHT, Colors, text_pixels
from gui.widgets.action_set import ActionSet
from gui.widgets.buttons import tool_button
from gui.widgets.labels import LinesLabel, muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.marker_icon import marker_icon

DRAW, DRAW_TIP = "Draw", "Draw points on the plot: click adds one, drag moves it, right click deletes it"
BRUSH, BRUSH_TIP = "Brush", "Size of the brush: at the left end a click draws a single point"
BRUSH_WIDTH = 90  # pixels
MANY = 5
"""Number of classes above which the buttons show no counts, for want of room in a narrow panel."""
RING, CROSS = 8.0, 7.0  # pixels
ABOVE_ALL = 1e6


class DrawingTool(QGraphicsObject):
    """Item over the plot: passes the left and right button to the editing, and marks the point under the pointer.

    The wheel and the middle button are left to the plot, so that it is zoomed and moved as before.
    """

    def __init__(self, plot: Plot, editing: PointEditing) -> None:
        super().__init__(plot.box)
        self._box, self._editing, self._colors = plot.box, editing, LIGHT
        self._pointer: QPointF | None = None
        self._erased = False
        self._rect = QRectF()
        self.setZValue(ABOVE_ALL)
        self.setAcceptHoverEvents(True)
        self.setAcceptedMouseButtons(Qt.MouseButton.LeftButton | Qt.MouseButton.RightButton)
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setFlag(QGraphicsObject.GraphicsItemFlag.ItemClipsToShape)
        editing.switched.connect(self._follow)
        editing.changed.connect(self.update)
        self._box.sigResized.connect(lambda _box: self._measure())
        self._box.sigRangeChanged.connect(lambda *_: self._measure())
        self._follow()

    def set_colors(self, colors: Colors) -> None:
        self._colors = colors
        self.update()

    def _follow(self) -> None:
        self._pointer = None
        self.setVisible(self._editing.active)
        self._measure()

    def _measure(self) -> None:
        """Pass the visible range and the size of a pixel to the editing."""
        rect = QRectF(self._box.rect())
        if rect != self._rect:
            self.prepareGeometryChange()
            self._rect = rect
        (left, right), (bottom, top) = self._box.viewRange()
        self._editing.view = left, right, bottom, top
        self._editing.pixel = max((right - left) / max(rect.width(), 1.0), 1e-300)
        self.update()

    def boundingRect(self) -> QRectF:
        return self._rect

    # The pointer

    def mousePressEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        x, y = self._place(event.pos())
        self._erased = False
        if event.button() == Qt.MouseButton.RightButton:
            self._erase(x, y)
        else:
            self._editing.press(x, y)
        event.accept()

    def mouseDoubleClickEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        self.mousePressEvent(event)

    def mouseMoveEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        buttons = event.buttons() & (Qt.MouseButton.LeftButton | Qt.MouseButton.RightButton)
        if buttons:
            inside = QPointF(
                min(max(event.pos().x(), 0.0), self._rect.width()), min(max(event.pos().y(), 0.0), self._rect.height())
            )
            self._pointer = inside
            if buttons & Qt.MouseButton.LeftButton:
                self._editing.drag(*self._place(inside))
            elif self._editing.brush:
                self._erase(*self._place(inside))
            self.update()

    def mouseReleaseEvent(self, event: QGraphicsSceneMouseEvent) -> None:
        self._editing.release()
        event.accept()

    def hoverMoveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        self._pointer = event.pos()
        self.update()

    def hoverLeaveEvent(self, event: QGraphicsSceneHoverEvent) -> None:
        self._pointer = None
        self.update()

    def _erase(self, x: float, y: float) -> None:
        self._editing.delete(x, y, goes_on=self._erased)
        self._erased = True

    def _place(self, pos: QPointF) -> tuple[float, float]:
        place = self._box.mapToView(pos)
        return float(place.x()), float(place.y())

    # Painting

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """Draw the ring around a point, and the keyboard's cross."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ringed = self._ringed()
        if ringed is not None:
            painter.setPen(pg.mkPen(self._colors.text, width=1.5))
            painter.drawEllipse(ringed, RING, RING)
        if self._editing.brush and self._pointer is not None:
            painter.setPen(pg.mkPen(self._colors.muted, width=1.2))
            painter.drawEllipse(self._pointer, self._editing.brush / 2, self._editing.brush / 2)
        if self._editing.cursor is not None:
            painter.setPen(pg.mkPen(self._colors.text, width=1.5))
            at = self._box.mapFromView(QPointF(*self._editing.cursor))
            painter.drawLine(at - QPointF(CROSS, 0), at + QPointF(CROSS, 0))
            painter.drawLine(at - QPointF(0, CROSS), at + QPointF(0, CROSS))

    def _ringed(self) -> QPointF | None:
        """Return the position of the point that is dragged, or of that under the pointer."""
        editing = self._editing
        if editing.held is not None and self._pointer is not None:
            return self._pointer
        index = editing.held
        if index is None and self._pointer is not None and not editing.brush:
            index = editing.point_at(*self._place(self._pointer))
        if index is None or index >= len(editing.points):
            return None
        x, y, _kind = editing.points[index]
        return QPointF(self._box.mapFromView(QPointF(x, y)))


class DrawingBar(QWidget):
    """Bar above the plot while points are drawn: a button for each class, the brush, Clear and a hint."""

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
        hints = add_widgets(QHBoxLayout(), self.hint, 1, self.clear_button, spacing=6)
        add_widgets(QVBoxLayout(self), row, hints, margins=(0, 0, 0, 0), spacing=3)
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
        style = (
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon
            if len(offered) < MANY
            else Qt.ToolButtonStyle.ToolButtonIconOnly
        )
        for kind, button in enumerate(self.classes):
            button.setVisible(kind in offered)
            button.setToolButtonStyle(style)
        with QSignalBlocker(self.brush):
            self.brush.setValue(self._editing.brush // BRUSH_STEP)
        self.hint.setText(self._editing.sentence)


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
        self.button = tool_button(DRAW, DRAW_TIP, padding="1px 8px", checkable=True)
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
