"""A small map in a corner of the canvas: the whole graph, and what of it is in view.

The canvas paints it itself, above everything else. A widget of its own over the viewport would keep Qt from scrolling
what is painted already: then every frame of a pan paints the whole view (DESIGN.md has the figures).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize
from PySide6.QtGui import QPainter, QPixmap

from gui.canvas.low_detail import LowDetailDrawing, cosmetic
from gui.canvas.style import CanvasStyle
from gui.painting import painting, saved

TOOL_TIP = "The whole graph: click or drag to look elsewhere"
LARGEST = QSize(190, 120)
LARGEST_SHARE = 0.28
"""Largest share of the canvas's width and height for the map."""
MIN_SIDE = 30
FROM_CORNER = 12
"""Pixels between the map and the borders of the canvas."""
EDGE = 6
"""Pixels between the map's border and the graph."""
MIN_CANVAS = QSize(420, 300)
"""A smaller canvas has no room for a map."""
UPPER_LEFT = 3
"""Index of the upper left corner."""
OVER_NODES_OPACITY = 0.6
"""While nodes are under the map, and the pointer is elsewhere: they can be seen through it."""


class Minimap:
    """The map of one picture.

    It stands in the lower right corner of the canvas, or in another corner when it would cover what the user looks at;
    for another graph in the corner where it covers the fewest nodes, the upper left one last.

    Attributes:
        wanted: the user wants the map.
        rect: where it stands, pixels of the canvas; empty while it is not shown.
        hovered: the pointer is on it.
    """

    def __init__(self, drawing: LowDetailDrawing, style: CanvasStyle) -> None:
        self.wanted = True
        self.rect = QRect()
        self.hovered = False
        self.set_drawing(drawing, style)
        self._seen = QRectF()
        self._corner = 0
        self._over_nodes = False

    def set_drawing(self, drawing: LowDetailDrawing, style: CanvasStyle) -> None:
        """Maps another picture, or the same one in another theme."""
        self._drawing, self._style = drawing, style
        self._pixmap: QPixmap | None = None

    def arrange(
        self,
        seen: QRectF,
        canvas: QSize,
        keep_free: Sequence[QRectF] = (),
        nodes_in: Callable[[QRectF], int] = lambda _rect: 0,
        keep_corner: bool = True,
    ) -> None:
        """Mark the visible part, and choose a place; the map of a graph that is wholly in view is hidden.

        Args:
            seen: scene pixels.
            canvas: size of the canvas, in one of whose corners the map stands.
            keep_free: areas that it must not cover, pixels of the canvas.
            nodes_in: how many nodes there are in a part of the canvas.
            keep_corner: it stays where it is when it covers nothing of that, so that it does not jump about in a pan.
        """
        area = self._drawing.bounds
        roomy = canvas.width() >= MIN_CANVAS.width() and canvas.height() >= MIN_CANVAS.height()
        self._seen = seen
        finite = math.isfinite(area.width()) and math.isfinite(area.height())  # a node can be dragged very far away
        if not (self.wanted and roomy and finite) or area.isEmpty() or seen.contains(area):
            self.rect = QRect()
            return
        size = self._size(area, LARGEST.boundedTo(canvas * LARGEST_SHARE))
        corners = _corners(canvas, size)
        free = [row for row, corner in enumerate(corners) if not any(map(QRectF(corner).intersects, keep_free))] or [0]
        if not keep_corner or self._corner not in free:
            self._corner = min(free, key=lambda row: _cost(row, nodes_in(QRectF(corners[row]))))
        self.rect = corners[self._corner]
        self._over_nodes = nodes_in(QRectF(self.rect)) > 0

    def scene_point(self, position: QPointF) -> QPointF:
        """The place of the scene that stands at one of the canvas; outside of the graph its border."""
        area = self._drawing.bounds
        place = (position - self._origin()) / self._scale() + area.topLeft()
        x = min(max(place.x(), area.left()), area.right())
        return QPointF(x, min(max(place.y(), area.top()), area.bottom()))

    # Where the graph is on it

    def _size(self, area: QRectF, largest: QSize) -> QSize:
        room_x, room_y = largest.width() - 2 * EDGE, largest.height() - 2 * EDGE
        scale = min(room_x / area.width(), room_y / area.height())
        return QSize(*(max(MIN_SIDE, round(side * scale) + 2 * EDGE) for side in (area.width(), area.height())))

    def _scale(self) -> float:
        area = self._drawing.bounds
        return min((self.rect.width() - 2 * EDGE) / area.width(), (self.rect.height() - 2 * EDGE) / area.height())

    def _origin(self) -> QPointF:
        """Return the position of the graph's top left corner on the canvas."""
        return QRectF(self.rect).center() - QPointF(
            self._drawing.bounds.width() * self._scale() / 2, self._drawing.bounds.height() * self._scale() / 2
        )

    # Painting

    def paint(self, painter: QPainter, ratio: float) -> None:
        """Draw the map and the frame of the visible part.

        Args:
            painter: in pixels of the canvas.
            ratio: device pixels for one of them.
        """
        if self.rect.isEmpty():
            return
        if self._pixmap is None or self._pixmap.size() != self.rect.size() * ratio:
            self._pixmap = self._drawn(ratio)
        with saved(painter):
            painter.setOpacity(OVER_NODES_OPACITY if self._over_nodes and not self.hovered else 1.0)
            painter.drawPixmap(self.rect.topLeft(), self._pixmap)
            painter.setPen(self._style.path_border)
            painter.setBrush(self._style.seen_fill)
            painter.drawRoundedRect(self._frame(), 2, 2)

    def _frame(self) -> QRectF:
        """Return the visible area on the map; never outside it, never too small to be seen."""
        corner = self._origin() + (self._seen.topLeft() - self._drawing.bounds.topLeft()) * self._scale()
        inside = QRectF(self.rect).adjusted(1, 1, -1, -1)
        frame = QRectF(corner, self._seen.size() * self._scale()).intersected(inside)
        return frame.adjusted(-1, -1, 1, 1).intersected(inside) if frame.width() > 0 else QRectF()

    def _drawn(self, ratio: float) -> QPixmap:
        pixmap = QPixmap(self.rect.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(self._style.panel.color())
        with painting(pixmap) as painter:
            painter.translate(-self.rect.topLeft())
            painter.setPen(self._style.border)
            painter.drawRect(QRectF(self.rect).adjusted(0.5, 0.5, -0.5, -0.5))
            painter.translate(self._origin())
            painter.scale(self._scale(), self._scale())
            painter.translate(-self._drawing.bounds.topLeft())
            shapes = self._drawing.shapes(self._scale())
            shapes.paint_lines(painter, cosmetic(self._style.edge, 0))
            shapes.paint_nodes(painter, self._style, zoom=0.0)
        return pixmap


def _cost(corner: int, n_nodes: int) -> tuple[bool, int]:
    """Return the cost of a corner: covered nodes, which count most in the upper left one."""
    return corner == UPPER_LEFT and n_nodes > 0, n_nodes


def _corners(canvas: QSize, size: QSize) -> list[QRect]:
    """Return the possible places of a map of that size, the lower right corner first."""
    right, down = canvas.width() - size.width() - FROM_CORNER, canvas.height() - size.height() - FROM_CORNER
    return [QRect(x, y, size.width(), size.height()) for y in (down, FROM_CORNER) for x in (right, FROM_CORNER)]
