"""Tiles: the edges and the grounds of nodes, kept as pixmaps of parts of the scene.

A node painted in Python costs ten to twenty microseconds in every frame; with 600 nodes and 800 edges in view that is
more than a frame may last. `TileLayer` paints them into tiles and then only puts those in their places. Numbers, and
highlighted nodes and edges (selected, just touched, on the path), are drawn above (`items.py`).

From top to bottom: how much work a frame may do (`FrameBudget`), the tiles that are kept for several scales, as in the
viewers of maps (`TileCache`), what is painted into a tile (`paint_area`), and the item that puts all of it together
(`TileLayer`).

While the zoom changes, the tiles of the nearest scale are shown stretched, and tiles of a scale that fits better are
made a few in a frame. Where a tile is missing, those of the nearest scale that covers its place whole stand in for it;
first those are made that have no stand-in (OpenLayers' pull requests 226 and 509 do it alike). Where nothing stands in,
a draft is drawn: the low-detail drawing of that place (`level_of_detail.py`). Tiles of scales left behind are kept as
long as there is room, for the way back.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from PySide6.QtCore import QObject, QPointF, QRectF, QTimer, Signal
from PySide6.QtGui import QPainter, QPixmap, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from engine.graph.picture import Box
from gui.canvas.decorations import PLAIN, Decoration
from gui.canvas.items import TILE_LEVEL, LayerItem
from gui.canvas.level_of_detail import CAPTIONS_FROM, LevelOfDetail, faded, level_of_detail
from gui.canvas.painters import paint_circle, paint_edge, paint_ground
from gui.canvas.render_state import RenderState
from gui.canvas.zoom_view import united
from gui.painting import painting, saved
from gui.unexpected import contained

MOVING_SECONDS, SETTLING_SECONDS = 0.002, 0.008
"""Time for making tiles in a frame while the view moves, and while it comes to rest."""
REST_MILLISECONDS = 120
"""Delay after the last move before everything is made sharp, a few tiles in a frame."""

SIDE = 256
"""Side of a tile, viewport pixels."""
STEP = 1.25
"""Between the scales at which tiles are made while the zoom changes; so far they are stretched or shrunk at most."""
MAX_SCALES = 4
SPARE_TILES = 16
"""Tiles kept in addition to twice the number in view."""

Mode = Literal["still", "moving", "settling"]
TileKey = tuple[int, int]


class FrameBudget(QObject):
    """Work that the frames of one canvas may do.

    A picture taken of a canvas at rest is complete. While a user zooms or pans, and when a large picture is shown for
    the first time, frames paint a part of the missing tiles and leave the rest to the next frames.

    Attributes:
        mode: "still" frames are complete, however long that takes; "moving" ones use existing tiles; "settling" ones
            paint the missing tiles bit by bit after a move.

    Signals:
        settling_started(): the view has come to rest.
        continued(): a frame left something out, which can be made now.
    """

    settling_started = Signal()
    continued = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.mode: Mode = "still"
        self._rest = QTimer(self, singleShot=True, interval=REST_MILLISECONDS)
        self._rest.timeout.connect(self._come_to_rest)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.continued)

    @property
    def seconds(self) -> float:
        """Time for making tiles in one frame; at least one is made."""
        return {"still": math.inf, "moving": MOVING_SECONDS, "settling": SETTLING_SECONDS}[self.mode]

    @property
    def is_time_limited(self) -> bool:
        """True when a frame may leave work to the next one."""
        return self.mode != "still"

    def start_moving(self) -> None:
        """The view begins to move, or continues to."""
        self.mode = "moving"
        self._rest.start()

    def stand_still(self) -> None:
        """Make the next frame complete."""
        self.mode = "still"
        self._rest.stop()
        self._soon.stop()

    def start_settling(self) -> None:
        """Let the next frames paint the missing tiles bit by bit."""
        self.stand_still()
        self.mode = "settling"

    def _come_to_rest(self) -> None:
        self.mode = "settling"
        self.settling_started.emit()

    def end_frame(self, complete: bool) -> None:
        """A frame has been painted."""
        if not complete:
            self._soon.start()
        elif self.mode == "settling":
            self.mode = "still"


@dataclass(frozen=True, slots=True)
class Piece:
    """The part of a tile to show.

    Attributes:
        tile: None where the scene is empty.
        area: which part of the scene it shows.
        origin: left and top of the whole tile, scene pixels.
        scale: viewport pixels of the tile for a scene pixel.
    """

    tile: QPixmap | None
    area: QRectF
    origin: tuple[float, float]
    scale: float


class TileCache:
    """The tiles of one layer.

    Attributes:
        scale: the chosen scale, viewport pixels for a scene pixel; 0 before the first frame.
    """

    def __init__(self) -> None:
        self.scale = 0.0
        self._ratio = 0.0
        self._scales: dict[float, dict[TileKey, QPixmap | None]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._scales.values()))

    @property
    def scales(self) -> tuple[float, ...]:
        """Scales with cached tiles; the newest is the last."""
        return tuple(self._scales)

    @property
    def n_pixmaps(self) -> int:
        """Number of tiles that are not empty."""
        return sum(tile is not None for tiles in self._scales.values() for tile in tiles.values())

    def choose_scale(self, zoom: float, ratio: float, moving: bool) -> None:
        """Choose the scale of new tiles: with captions only if the zoom shows them.

        Args:
            zoom: of the view.
            ratio: device pixels for a viewport pixel; tiles of another ratio are dropped.
            moving: the zoom keeps changing, so a scale near by is enough; otherwise only this one.
        """
        if ratio != self._ratio:
            self._ratio = ratio
            self._scales.clear()
        is_usable = moving and self.scale in self._scales and _show_alike(self.scale, zoom)
        if is_usable and 1 / STEP <= zoom / self.scale <= STEP:
            return
        self.scale = _level(zoom) if moving else zoom
        self._scales[self.scale] = self._scales.pop(self.scale, {})  # the newest is the last
        for scale in list(self._scales)[:-MAX_SCALES]:
            del self._scales[scale]

    def places(self, area: QRectF) -> list[TileKey]:
        """The places of the chosen scale that cover an area of the scene."""
        return _places(area, self.scale)

    def area(self, place: TileKey) -> QRectF:
        """Return the area that a place of the chosen scale shows, scene pixels."""
        return _area(place, self.scale)

    def missing(self, places: Iterable[TileKey]) -> list[TileKey]:
        """Return the places without a tile, those without any stand-in first."""
        tiles = self._scales[self.scale]
        missing = [place for place in places if place not in tiles]
        return sorted(missing, key=lambda place: self._stand_ins(place) is not None) if len(missing) > 1 else missing

    def put(self, place: TileKey, tile: QPixmap | None) -> None:
        """Keep a tile of the chosen scale; None for an empty place."""
        self._scales[self.scale][place] = tile

    def pieces(self, places: Iterable[TileKey]) -> tuple[list[Piece], list[TileKey]]:
        """Return the pieces to show in some places, and the places that have none."""
        tiles = self._scales[self.scale]
        pieces, uncovered = [], []
        for place in places:
            if place in tiles:
                pieces.append(_piece(place, tiles[place], self.scale, self.area(place)))
                continue
            stand_ins = self._stand_ins(place)
            if stand_ins is None:
                uncovered.append(place)
            else:
                pieces += stand_ins
        return [piece for piece in pieces if piece.tile is not None], uncovered

    def _stand_ins(self, place: TileKey) -> list[Piece] | None:
        area = self.area(place)
        others = [scale for scale in self._scales if scale != self.scale]
        for scale in sorted(others, key=lambda scale: abs(math.log(scale / self.scale))):
            tiles = self._scales[scale]
            covering = _places(area, scale)
            if all(one in tiles for one in covering):
                return [_piece(one, tiles[one], scale, area) for one in covering]
        return None

    def forget(self, area: QRectF | None = None) -> None:
        """Drop the tiles of an area of the scene; all tiles when None."""
        for scale, tiles in self._scales.items():
            if area is None or len(tiles) < _count(area, scale):
                tiles.clear()
                continue
            for place in _places(area, scale):
                tiles.pop(place, None)

    def drop_spare(self, in_view: int) -> None:
        """Drop the oldest tiles when there are far more than the view shows.

        Args:
            in_view: number of tiles in the view.
        """
        spare = len(self) - 2 * in_view - SPARE_TILES
        for tiles in self._scales.values():
            for place in list(tiles)[: max(0, spare)]:
                del tiles[place]
                spare -= 1


def _show_alike(scale: float, zoom: float) -> bool:
    """Return True when captions are written at both zooms, or at neither."""
    return (scale < CAPTIONS_FROM) == (zoom < CAPTIONS_FROM)


def _level(zoom: float) -> float:
    """The scale next to a zoom at which tiles are made, always one of the same few."""
    scale = STEP ** round(math.log(zoom) / math.log(STEP))
    return scale if _show_alike(scale, zoom) else zoom


def _piece(place: TileKey, tile: QPixmap | None, scale: float, area: QRectF) -> Piece:
    whole = _area(place, scale)
    return Piece(tile, whole.intersected(area), (whole.left(), whole.top()), scale)


def _area(place: TileKey, scale: float) -> QRectF:
    side = SIDE / scale
    return QRectF(place[0] * side, place[1] * side, side, side)


def _span(area: QRectF, scale: float) -> tuple[int, int, int, int]:
    """The first and last column and row of tiles; a tile that is touched by less than the tolerance does not count."""
    tolerance = 1e-6
    return (
        math.floor(area.left() * scale / SIDE + tolerance),
        math.ceil(area.right() * scale / SIDE - tolerance) - 1,
        math.floor(area.top() * scale / SIDE + tolerance),
        math.ceil(area.bottom() * scale / SIDE - tolerance) - 1,
    )


def _count(area: QRectF, scale: float) -> int:
    left, right, top, bottom = _span(area, scale)
    return max(0, right - left + 1) * max(0, bottom - top + 1)


def _places(area: QRectF, scale: float) -> list[TileKey]:
    left, right, top, bottom = _span(area, scale)
    return [(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)]


def paint_area(painter: QPainter, state: RenderState, area: QRectF, detail: LevelOfDetail) -> None:
    """Paint an area in scene coordinates, without dragged nodes and edges."""
    edges = [pair for pair in state.edges_in(area) if pair not in state.dragged]
    if detail.curves:
        flows = state.activity.flow
        for pair in edges:
            flow = flows.get(pair)
            decoration = PLAIN if flow is None else Decoration(flow=flow)
            paint_edge(painter, state.edge_geometry(pair), state.style, decoration, detail)
    else:
        hints = painter.renderHints()  # all edges in one call, straight from bend to bend
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(faded(state.style.edge, state.style, painter.worldTransform().m11()))
        painter.drawLines(state.drawing.lines(edges))
        painter.setRenderHints(hints)
    for key in state.nodes_in(area):
        if key in state.dragged:
            continue
        node = state.picture.boxes.get(key) or state.picture.circles[key]
        painter.translate(node.x, node.y)
        if isinstance(node, Box):
            paint_ground(painter, state.geometries.box(node), state.style, detail=detail)
        else:
            paint_circle(painter, state.geometries.circle(node), state.style, detail=detail)
        painter.translate(-node.x, -node.y)


class TileLayer(LayerItem):
    """All edges, and above them all nodes without highlights and numbers."""

    def __init__(self, state: RenderState, budget: FrameBudget) -> None:
        super().__init__(state, TILE_LEVEL)
        self._budget = budget
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
        """Drop all tiles and repaint."""
        self._tiles.forget()
        self._due = set()
        self.update()

    def forget_in(self, areas: Iterable[QRectF]) -> None:
        """Drop the tiles of some areas of the scene and repaint these."""
        for area in areas:
            self._tiles.forget(area)
            self.update(area)

    def make_due(self, view: QRectF) -> None:
        """Schedule a repaint of the places that the last frames left out and that are still in view (scene pixels)."""
        areas = {place: self._tiles.area(place) for place in self._due}
        self._due = {place for place, area in areas.items() if area.intersects(view)}
        for place in self._due:
            self.update(areas[place])

    # Painting

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw the tiles of the exposed areas; paint missing ones first."""
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
        self._tiles.choose_scale(zoom, ratio, self._budget.mode == "moving")
        places = list(dict.fromkeys(place for area in areas for place in self._tiles.places(area)))
        missing = self._make(self._tiles.missing(places), ratio, self._budget.seconds)
        if self._due_scale != self._tiles.scale:
            self._due_scale, self._due = self._tiles.scale, set()
        self._due.difference_update(places)  # what earlier frames left out and this one did not show stays due
        self._due.update(missing)
        detail = level_of_detail(zoom)
        if not self.complete:  # until then numbers are drawn as they fit to most tiles
            detail = replace(detail, captions=self._state.detail.captions)
        self._state.detail = detail
        pieces, uncovered = self._tiles.pieces(places)
        if uncovered:
            shapes = self._state.drawing.shapes(zoom, united(map(self._tiles.area, uncovered)))
            style = self._state.style
            shapes.paint_lines(painter, faded(style.edge, style, zoom))  # as pale as in the neighbouring tiles
            shapes.paint_nodes(painter, style, zoom)
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

    def _make(self, missing: list[TileKey], ratio: float, seconds: float) -> list[TileKey]:
        """Paint tiles while another one fits into the time, at least one; return the places still missing."""
        start, waiting = time.perf_counter(), []
        for place in missing:
            if self._state.index.holds(self._tiles.area(place)):
                waiting.append(place)
            else:  # outside the graph, where no update of this item reaches
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
    """Draw a piece of a tile on whole device pixels, so that there are no gaps and overlaps."""
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
