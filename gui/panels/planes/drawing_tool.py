"""Tool for drawing points: an item over the plot that handles the left and right button.

The wheel and the middle button are left to the plot, so that it is zoomed and moved as before.
"""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsObject, QGraphicsSceneHoverEvent, QGraphicsSceneMouseEvent, QWidget

from gui.panels.planes.point_editing import PointEditing
from gui.plots.plot import Plot
from gui.theme import LIGHT, Colors

RING, CROSS = 8.0, 7.0  # pixels
ABOVE_ALL = 1e6


class DrawingTool(QGraphicsObject):
    """Hands presses and drags to the editing, and marks the point under the pointer and the keyboard's cross."""

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
        """The ring around a point, and the cross."""
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
