"""The graph from far away: where no text could be read, all nodes are drawn by one item in a few calls.

Boxes are rectangles grouped by colour, edges straight lines. One Python-painted item for each node would cost about ten
times as much with thousands of them in view.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from engine.graph.picture import Picture
from gui.canvas.ink import Ink, blend

BORDERS_FROM = 0.15
"""Zoom under which the borders of nodes would hide their colours."""


class FarDrawing:
    """Rectangles and lines of a whole picture, ready to be painted."""

    def __init__(self, picture: Picture, ink: Ink) -> None:
        self._ink = ink
        self._lines = [
            QLineF(*edge.curves[0][0], *edge.curves[-1][3]) for edge in picture.edges.values() if edge.curves
        ]
        self._rects: dict[str, list[QRectF]] = {}
        for box in picture.boxes.values():
            rect = QRectF(box.x - box.width / 2, box.y - box.height / 2, box.width, box.height)
            self._rects.setdefault(box.role, []).append(rect)
        self._rects["circle"] = [
            QRectF(circle.x - circle.radius, circle.y - circle.radius, 2 * circle.radius, 2 * circle.radius)
            for circle in picture.circles.values()
        ]
        self.bounds = QRectF(*picture.bounds[:2], 0, 0)
        self.bounds.setCoords(*picture.bounds)

    def paint(self, painter: QPainter, borders: bool = True) -> None:
        """Draws everything in scene coordinates; lines are one pixel wide at every zoom.

        Args:
            borders: whether nodes have one; on a small map it would cover them.
        """
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(_hairline(self._ink.edge))
        painter.drawLines(self._lines)
        painter.setPen(_hairline(self._ink.border) if borders else QPen(Qt.PenStyle.NoPen))
        for role, rects in self._rects.items():
            painter.setBrush(far_fill(role, self._ink))
            painter.drawRects(rects)


def far_fill(role: str, ink: Ink) -> QBrush:
    """The colour of a node from far away: its tint, made stronger."""
    colors = ink.colors
    strong = {"input": colors.positive, "parameter": colors.accent, "output": colors.positive}.get(role)
    tint = {"input": colors.input, "parameter": colors.parameter, "output": colors.output}.get(role, colors.panel)
    return QBrush(blend(strong, tint, 0.45) if strong else blend(colors.muted, colors.panel, 0.32))


def _hairline(pen: QPen) -> QPen:
    thin = QPen(pen.color(), 0)
    thin.setCosmetic(True)
    return thin


class FarItem(QGraphicsItem):
    """The far-away drawing in the scene; hidden while items are near."""

    def __init__(self) -> None:
        super().__init__()
        self._drawing: FarDrawing | None = None
        self._bounds = QRectF()
        self._marked: list[QRectF] = []
        self._marked_pen = QPen(Qt.PenStyle.NoPen)

    def take(self, drawing: FarDrawing | None) -> None:
        """Shows another drawing; None for none."""
        self.prepareGeometryChange()
        self._drawing = drawing
        self._bounds = drawing.bounds.adjusted(-20, -20, 20, 20) if drawing else QRectF()
        self.update()

    def mark(self, picture: Picture, keys: Iterable[str], pen: QPen) -> None:
        """Draws a frame around some nodes."""
        self._marked = [node_rect(picture, key) for key in keys]
        self._marked_pen = QPen(pen.color(), 3)
        self._marked_pen.setCosmetic(True)
        self.update()

    def boundingRect(self) -> QRectF:
        """The whole picture."""
        return self._bounds

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draws the whole picture."""
        if self._drawing is None:
            return
        self._drawing.paint(painter, borders=painter.worldTransform().m11() > BORDERS_FROM)
        painter.setPen(self._marked_pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRects(self._marked)


def node_rect(picture: Picture, key: str) -> QRectF:
    """The rectangle of a box or circle."""
    box = picture.boxes.get(key)
    if box is not None:
        return QRectF(box.x - box.width / 2, box.y - box.height / 2, box.width, box.height)
    circle = picture.circles[key]
    return QRectF(circle.x - circle.radius, circle.y - circle.radius, 2 * circle.radius, 2 * circle.radius)
