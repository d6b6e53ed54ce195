"""A small map in the corner of the canvas: the whole graph, and what of it is in view."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QWidget

from engine.graph.picture import EMPTY_PICTURE
from gui.canvas.low_detail import LowDetailDrawing
from gui.canvas.style import CanvasStyle

LARGEST = QSize(190, 120)
LARGEST_SHARE = 0.28
"""Of the canvas's width and height that the map takes at most."""
MIN_SIDE = 30
FROM_CORNER = 12
"""Pixels between the map and the borders of the canvas."""
EDGE = 6
"""Pixels between the map's border and the graph."""
MIN_CANVAS = QSize(420, 300)
"""A smaller canvas has no room for a map."""


class Minimap(QWidget):
    """The map of one picture.

    It stands in the lower right corner of the canvas, and in another one when it would cover what the user looks at.

    Attributes:
        wanted: whether it is shown at all.

    Signals:
        place_chosen(QPointF): the place of the scene the user wants to see.
    """

    place_chosen = Signal(QPointF)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("overview of the graph")
        self.setToolTip("The whole graph: click or drag to look elsewhere")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._drawing = LowDetailDrawing(EMPTY_PICTURE)
        self._style: CanvasStyle | None = None
        self._map: QPixmap | None = None
        self._seen = QRectF()
        self._largest = LARGEST
        self._corner = 0
        self.wanted = True
        self.hide()

    def take(self, drawing: LowDetailDrawing, style: CanvasStyle) -> None:
        """Maps another picture, or the same one in another theme."""
        self._drawing, self._style, self._map = drawing, style, None
        self.update()

    def show_seen(self, seen: QRectF, canvas: QSize, looked_at: Iterable[QRectF] = ()) -> None:
        """Marks what is in view; a map of a graph that is all in view is not shown.

        Args:
            seen: scene pixels.
            canvas: size of the canvas, in one of whose corners the map stands.
            looked_at: what it must not cover, pixels of the canvas.
        """
        area = self._area()
        roomy = canvas.width() >= MIN_CANVAS.width() and canvas.height() >= MIN_CANVAS.height()
        self.setVisible(self.wanted and roomy and not area.isEmpty() and not seen.contains(area))
        if self.isHidden():
            return
        self._largest = LARGEST.boundedTo(canvas * LARGEST_SHARE)
        size = self._size(area)
        if size != self.size():
            self._map = None
            self.resize(size)
        self.move(self._place(canvas, list(looked_at)))
        if seen != self._seen:
            self._seen = seen
            self.update()

    def _place(self, canvas: QSize, looked_at: list[QRectF]) -> QPoint:
        """A corner in which nothing is covered; where it is, or else the first of them all."""
        right, down = (canvas - self.size() - QSize(FROM_CORNER, FROM_CORNER)).toTuple()
        corners = [QPoint(x, y) for y in (down, FROM_CORNER) for x in (right, FROM_CORNER)]
        free = [
            number
            for number, corner in enumerate(corners)
            if not any(QRectF(QRect(corner, self.size())).intersects(area) for area in looked_at)
        ]
        if self._corner not in free:
            self._corner = free[0] if free else 0
        return corners[self._corner]

    def _area(self) -> QRectF:
        return self._drawing.bounds

    def _size(self, area: QRectF) -> QSize:
        room_x, room_y = self._largest.width() - 2 * EDGE, self._largest.height() - 2 * EDGE
        scale = min(room_x / area.width(), room_y / area.height())
        sides = (max(MIN_SIDE, round(side * scale) + 2 * EDGE) for side in (area.width(), area.height()))
        return QSize(*sides)

    def _scale(self) -> float:
        area = self._area()
        return min((self.width() - 2 * EDGE) / area.width(), (self.height() - 2 * EDGE) / area.height())

    def _origin(self) -> QPointF:
        """Where the top left corner of the graph is on the map."""
        area, scale = self._area(), self._scale()
        return QPointF((self.width() - area.width() * scale) / 2, (self.height() - area.height() * scale) / 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the map and the frame of what is in view."""
        if self._style is None or self._area().isEmpty():
            return
        if self._map is None or self._map.size() != self.size() * self.devicePixelRatioF():
            self._map = self._drawn(self._style)
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._map)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._style.path_border)
        painter.setBrush(self._style.seen_fill)
        painter.drawRoundedRect(self._frame(), 2, 2)
        painter.end()

    def _frame(self) -> QRectF:
        """What is in view, on the map; never outside and never too small to be seen."""
        scale, origin, area = self._scale(), self._origin(), self._area()
        corner = origin + (self._seen.topLeft() - area.topLeft()) * scale
        inside = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        frame = QRectF(corner, self._seen.size() * scale).intersected(inside)
        return frame.adjusted(-1, -1, 1, 1).intersected(inside) if frame.width() > 0 else QRectF()

    def _drawn(self, style: CanvasStyle) -> QPixmap:
        ratio = self.devicePixelRatioF()
        pixmap = QPixmap(self.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(style.panel.color())
        painter = QPainter(pixmap)
        painter.setPen(style.border)
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.translate(self._origin())
        painter.scale(self._scale(), self._scale())
        painter.translate(-self._area().topLeft())
        self._drawing.paint_lines(painter, style)
        self._drawing.paint_nodes(painter, style, zoom=0.0)
        painter.end()
        return pixmap

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Looks at what is under the pointer."""
        self._choose(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follows the pointer while a button is down."""
        self._choose(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The place is chosen already; the canvas below shall not hear of it."""
        event.accept()

    def _choose(self, event: QMouseEvent) -> None:
        if not self._area().isEmpty():
            area = self._area()
            place = (event.position() - self._origin()) / self._scale() + area.topLeft()
            x = min(max(place.x(), area.left()), area.right())
            y = min(max(place.y(), area.top()), area.bottom())
            self.place_chosen.emit(QPointF(x, y))
