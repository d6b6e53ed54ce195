"""The tile layer: one item that draws what nothing sets apart, edges and the grounds of nodes, out of tiles.

A node painted in Python costs ten to twenty microseconds in every frame it is seen in; with 600 nodes and 800 edges in
view that alone is more than a frame may last. This item paints them into tiles (`tile_cache.py`) and then only puts
those in their places. Numbers, and what is set apart (selected, just touched, on the path), are drawn above
(`items.py`). While the view moves, a frame makes tiles for a few milliseconds only; what it lacks is drawn as a draft,
which is the low-detail drawing of that place (`low_detail.py`), until a later frame has the time. A frame of another
picture waits for its tiles (`make_ahead`), so that it is complete and does not hold the window.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPixmap, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gui.canvas.items import TILE_LEVEL, LayerItem
from gui.canvas.level_of_detail import level_of_detail
from gui.canvas.low_detail import faded
from gui.canvas.render_state import RenderState
from gui.canvas.tile_cache import SIDE, Piece, TileCache, TileKey
from gui.canvas.tile_painter import paint_area
from gui.canvas.zoom_view import united
from gui.painting import painting, saved
from gui.unexpected import contained

TILE_SECONDS = 0.002
"""Time for making tiles in a frame while the view moves; at least one is made."""
AHEAD_SECONDS = 0.008
"""Time for making tiles in one turn of the event loop, for a frame that is painted when all are there."""


class TileLayer(LayerItem):
    """All edges, and above them all nodes as nothing sets them apart, boxes without their numbers."""

    def __init__(self, state: RenderState) -> None:
        super().__init__(state, TILE_LEVEL)
        self._tiles = TileCache()
        self._due: set[TileKey] = set()
        self._due_scale = 0.0

    @property
    def tile_count(self) -> int:
        """Number of pixmaps that are kept now."""
        return self._tiles.n_pixmaps

    @property
    def complete(self) -> bool:
        """True when nothing in view is missing."""
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

    def make_due(self, view: QRectF) -> None:
        """Schedule a repaint of what the last frames left out, where it is still in view (scene pixels)."""
        areas = {place: self._tiles.area(place) for place in self._due}
        self._due = {place for place, area in areas.items() if area.intersects(view)}
        for place in self._due:
            self.update(areas[place])

    def make_ahead(self, view: QRectF, zoom: float, ratio: float) -> bool:
        """Makes tiles of a frame before it is painted, for a few milliseconds; whether all of them are there.

        Args:
            view: what the frame will show, scene pixels.
            zoom: viewport pixels for a scene pixel.
            ratio: device pixels for a viewport pixel.
        """
        self._tiles.choose_scale(zoom, ratio, False)
        return not self._make(self._tiles.missing(self._tiles.places(view)), ratio, AHEAD_SECONDS)

    # Painting

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Puts the tiles of what is to be painted in their places; makes those that are missing."""
        with saved(painter):
            try:
                self._paint_tiles(painter, option, widget)
            except Exception:
                self._due = set()  # or a frame that fails would ask for the next one
                raise

    def _paint_tiles(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None) -> None:
        transform = painter.worldTransform()
        zoom = transform.m11()
        areas = self._exposed(option)
        self._state.written = areas
        if self._state.in_transition or widget is None:
            self._state.detail = level_of_detail(zoom)
            paint_area(painter, self._state, united(areas), self._state.detail)
            return
        ratio = widget.devicePixelRatioF()
        self._tiles.choose_scale(zoom, ratio, self._state.scheduler.mode == "moving")
        places = list(dict.fromkeys(place for area in areas for place in self._tiles.places(area)))
        seconds = TILE_SECONDS if self._state.scheduler.is_time_limited else math.inf
        self._settle_due(places, self._make(self._tiles.missing(places), ratio, seconds))
        detail = level_of_detail(zoom)
        if not self.complete:  # until then numbers are drawn as they fit to most tiles
            detail = replace(detail, captions=self._state.detail.captions)
        self._state.detail = detail
        pieces, uncovered = self._tiles.pieces(places)
        if uncovered:
            self._paint_draft(painter, zoom, united(map(self._tiles.area, uncovered)))
            covered = [self._tiles.area(place) for place in places if place not in uncovered]
            self._state.written = [one & area for one in covered for area in areas if one.intersects(area)]
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)  # on whole pixels; takes a third of the time
        painter.setWorldTransform(QTransform())
        for piece in pieces:
            _put(painter, piece, transform, ratio)
        painter.setWorldTransform(transform)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._tiles.drop_spare((widget.width() // SIDE + 2) * (widget.height() // SIDE + 2))

    def _paint_draft(self, painter: QPainter, zoom: float, area: QRectF) -> None:
        style, shapes = self._state.style, self._state.drawing.shapes(zoom, area)
        shapes.paint_lines(painter, faded(style.edge, style, zoom))  # as pale as in the tiles beside it
        shapes.paint_nodes(painter, style, zoom)

    def _settle_due(self, seen: list[TileKey], missing: list[TileKey]) -> None:
        """Keep as due those areas left out earlier that this frame did not show."""
        if self._due_scale != self._tiles.scale:
            self._due_scale, self._due = self._tiles.scale, set()
        self._due.difference_update(seen)
        self._due.update(missing)

    def _make(self, missing: list[TileKey], ratio: float, seconds: float) -> list[TileKey]:
        """Makes tiles as long as one more will be in time, one at least; returns those that are still missing."""
        start, waiting = time.perf_counter(), []
        for place in missing:
            if self._state.index.holds(self._tiles.area(place)):
                waiting.append(place)
            else:  # beside the graph; no update reaches what lies outside the bounds of this item
                self._tiles.put(place, None)
        for number, place in enumerate(waiting):
            if number and (time.perf_counter() - start) * (number + 1) / number > seconds:
                return waiting[number:]
            tile = None
            with contained(self):  # a tile that cannot be painted stays empty until it is forgotten
                tile = self._drawn(self._tiles.area(place), ratio)
            self._tiles.put(place, tile)
        return []

    def _drawn(self, area: QRectF, ratio: float) -> QPixmap:
        scale = self._tiles.scale
        tile = QPixmap(math.ceil(SIDE * ratio), math.ceil(SIDE * ratio))
        tile.setDevicePixelRatio(ratio)
        tile.fill(self._state.style.canvas.color())  # tiles without holes are put in their places twice as fast
        with painting(tile) as painter:
            painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
            painter.scale(scale, scale)
            painter.translate(-area.topLeft())
            detail = level_of_detail(scale, edges=self._state.index.count_edges_in(area))
            paint_area(painter, self._state, area, detail)
        return tile


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
