"""The sheet: one item that draws what nothing sets apart, edges and the grounds of nodes, out of tiles.

A node painted in Python costs ten to twenty microseconds in every frame it is seen in; with 600 nodes and 800 edges in
view that alone is more than a frame may last. The sheet paints them into tiles (`tiles.py`) and then only puts those in
their places. Numbers, and what is set apart (selected, just touched, on the path), are drawn above (`layers.py`).
While the view moves, a frame makes tiles for a few milliseconds only; what it lacks is drawn as a draft, without
texts and bends, until a later frame has the time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPixmap, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gui.canvas.far import faded, far_lines, label_rect, node_rect
from gui.canvas.index import Area, area_of
from gui.canvas.layers import SHEET_LEVEL, Layer
from gui.canvas.paint import DISTANT_BELOW, PLAIN, Marks, paint_circle, paint_edge, paint_ground
from gui.canvas.stage import Stage
from gui.canvas.tiles import SIDE, Piece, Place, Tiles
from gui.canvas.view import united

PATIENCE_SECONDS = 0.002
"""So long a frame makes tiles while the view moves; it makes one at least."""
MOST_CURVES = 1_500
"""Edges that touch one tile up to which each is drawn as the curve that it is; more are only a texture."""


class Sheet(Layer):
    """All edges, and above them all nodes as nothing sets them apart, boxes without their numbers."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage, SHEET_LEVEL)
        self._tiles = Tiles()
        self._due: set[Place] = set()
        self._due_scale = 0.0

    @property
    def tile_count(self) -> int:
        """Number of pixmaps that are kept now."""
        return self._tiles.n_pixmaps

    @property
    def complete(self) -> bool:
        """Whether nothing in view is left to be made."""
        return not self._due

    def forget(self) -> None:
        """Paints everything anew."""
        self._tiles.forget()
        self._due = set()
        self.update()

    def forget_in(self, areas: Iterable[QRectF]) -> None:
        """Paints some areas of the scene anew."""
        for area in areas:
            self._tiles.forget(area)
            self.update(area)

    def finish(self, view: QRectF) -> None:
        """Has what the last frames left out painted, where it is still in view (scene pixels)."""
        areas = {place: self._tiles.area(place) for place in self._due}
        self._due = {place for place, area in areas.items() if area.intersects(view)}
        for place in self._due:
            self.update(areas[place])

    # Painting

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Puts the tiles of what is to be painted in their places; makes those that are missing."""
        transform = painter.worldTransform()
        zoom = transform.m11()
        area: QRectF = option.exposedRect  # type: ignore[attr-defined]  # the stub leaves it out
        if self._stage.in_motion or widget is None or transform.isRotating():
            self._stage.distant = zoom < DISTANT_BELOW
            self._paint_area(painter, area_of(area), self._stage.distant)
            return
        ratio = widget.devicePixelRatioF()
        self._tiles.aim(zoom, ratio, self._stage.pace.mode == "moving", DISTANT_BELOW)
        places = self._tiles.places(area)
        self._settle_due(places, self._make(self._tiles.missing(places), ratio))
        if self.complete:  # until then numbers are drawn as they fit to most tiles
            self._stage.distant = zoom < DISTANT_BELOW
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # on whole pixels; takes a third of the time
        pieces, bare = self._tiles.pieces(places)
        if bare:
            self._put_draft(painter, united(self._tiles.area(place) for place in bare), zoom)
        painter.setWorldTransform(QTransform())
        for piece in pieces:
            _put(painter, piece, transform, ratio)
        painter.setWorldTransform(transform)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._tiles.drop_spare((widget.width() // SIDE + 2) * (widget.height() // SIDE + 2))

    def _settle_due(self, seen: list[Place], missing: list[Place]) -> None:
        """Of what was left out before, what this frame did not show stays due."""
        if self._due_scale != self._tiles.scale:
            self._due_scale, self._due = self._tiles.scale, set()
        self._due.difference_update(seen)
        self._due.update(missing)

    def _make(self, missing: list[Place], ratio: float) -> list[Place]:
        """Makes tiles: all of them at rest, else until the time is up; returns those that are still missing."""
        end = time.perf_counter() + (PATIENCE_SECONDS if self._stage.pace.in_haste else math.inf)
        for number, place in enumerate(missing):
            if number and time.perf_counter() > end:
                return missing[number:]
            area = area_of(self._tiles.area(place))
            self._tiles.put(place, self._drawn(area, ratio) if self._stage.index.holds(area) else None)
        return []

    def _drawn(self, area: Area, ratio: float) -> QPixmap:
        scale = self._tiles.scale
        tile = QPixmap(math.ceil(SIDE * ratio), math.ceil(SIDE * ratio))
        tile.setDevicePixelRatio(ratio)
        tile.fill(self._stage.ink.canvas.color())  # tiles without holes are put in their places twice as fast
        painter = QPainter(tile)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.scale(scale, scale)
        painter.translate(-area[0], -area[1])
        self._paint_area(painter, area, scale < DISTANT_BELOW, most_curves=MOST_CURVES)
        painter.end()
        return tile

    # What a tile shows

    def _paint_area(self, painter: QPainter, area: Area, distant: bool, most_curves: float = math.inf) -> None:
        """Paints what lies in an area, in scene coordinates; all of it while nodes move to new places.

        Args:
            most_curves: more edges than that are straight from bend to bend and drawn in one call.
        """
        stage, flows = self._stage, self._stage.activity.flow
        edges = [pair for pair in stage.edges_in(area) if pair not in stage.lifted]
        if len(edges) > most_curves:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(faded(stage.ink.edge, stage.ink, painter.worldTransform().m11()))
            painter.drawLines([one for pair in edges for one in far_lines(stage.picture.edges[pair])])
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        else:
            for pair in edges:
                flow = flows.get(pair)
                marks = PLAIN if flow is None else Marks(flow=flow)
                paint_edge(painter, stage.edge_form(pair), stage.ink, marks, distant)
        for key in stage.nodes_in(area):
            if key not in stage.lifted:
                self._paint_node(painter, key, distant)

    def _paint_node(self, painter: QPainter, key: str, distant: bool) -> None:
        picture, forms, ink = self._stage.picture, self._stage.forms, self._stage.ink
        box = picture.boxes.get(key)
        node = box or picture.circles[key]
        painter.translate(node.x, node.y)
        if box is not None:
            paint_ground(painter, forms.box(box), ink, distant=distant)
        else:
            paint_circle(painter, forms.circle(picture.circles[key]), ink, distant=distant)
        painter.translate(-node.x, -node.y)

    def _put_draft(self, painter: QPainter, area: QRectF, zoom: float) -> None:
        """Paints what lies in an area in a few calls, of very many edges a part; tiles may cover parts of it."""
        stage, picture, ink = self._stage, self._stage.picture, self._stage.ink
        edges = [picture.edges[pair] for pair in stage.edges_in(area_of(area)) if pair not in stage.lifted]
        edges = edges[:: 1 + len(edges) // MOST_CURVES]
        painter.setPen(faded(ink.edge, ink, zoom))
        painter.drawLines([one for edge in edges for one in far_lines(edge)])
        keys = [key for key in stage.nodes_in(area_of(area)) if key not in stage.lifted]
        cells: dict[str, list[QRectF]] = {}
        for box in (picture.boxes[key] for key in keys if key in picture.boxes):
            cells.setdefault(box.role, []).append(label_rect(box))
        painter.setPen(faded(ink.border, ink, zoom))
        painter.setBrush(ink.panel)
        painter.drawRects([node_rect(picture, key) for key in keys])
        for role, rects in cells.items():
            painter.setBrush(ink.tints[role])
            painter.drawRects(rects)


def _put(painter: QPainter, piece: Piece, transform: QTransform, ratio: float) -> None:
    """Draws a piece of a tile on whole pixels of the device, so that neither gaps nor overlaps can be seen."""
    assert piece.tile is not None
    shown = transform.mapRect(piece.area)
    left, top, right, bottom = round(shown.left()), round(shown.top()), round(shown.right()), round(shown.bottom())
    if right - left == SIDE == bottom - top and piece.scale == transform.m11():
        painter.drawPixmap(QPointF(left, top), piece.tile)
        return
    scale = piece.scale * ratio
    x, y = (piece.area.left() - piece.origin[0]) * scale, (piece.area.top() - piece.origin[1]) * scale
    source = QRectF(x, y, piece.area.width() * scale, piece.area.height() * scale)
    painter.drawPixmap(QRectF(left, top, right - left, bottom - top), piece.tile, source)
