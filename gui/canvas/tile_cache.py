"""Tiles: pixmaps of parts of the scene, kept for several scales, as in the viewers of maps.

While the zoom changes, the tiles of the nearest scale are shown stretched, and tiles of a scale that fits better are
made a few in a frame. Where a tile is missing, those of the nearest scale that covers its place whole stand in for it;
first those are made that have no stand-in (OpenLayers' pull requests 226 and 509 do it alike). Tiles of scales left
behind are kept as long as there is room, for the way back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPixmap

from gui.canvas.level_of_detail import CAPTIONS_FROM

SIDE = 256
"""Side of a tile, viewport pixels."""
STEP = 1.25
"""Between the scales at which tiles are made while the zoom changes; so far they are stretched or shrunk at most."""
MAX_SCALES = 4
SPARE_TILES = 16
"""Tiles that are kept beside twice as many as are in view."""

TileKey = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a tile that is to be shown.

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
        scale: the one that is chosen, viewport pixels for a scene pixel; 0 before the first frame.
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
        """Chooses the scale of the tiles to make: with captions only where the zoom has them, too.

        Args:
            zoom: of the view.
            ratio: device pixels for a viewport pixel; others are forgotten.
            moving: whether the zoom goes on changing: then a scale near by does, otherwise only this one.
        """
        if ratio != self._ratio:
            self._ratio = ratio
            self._scales.clear()
        if moving and self._is_near(zoom):
            return
        self.scale = _level(zoom) if moving else zoom
        self._scales[self.scale] = self._scales.pop(self.scale, {})  # the newest is the last
        for scale in list(self._scales)[:-MAX_SCALES]:
            del self._scales[scale]

    def _is_near(self, zoom: float) -> bool:
        if self.scale not in self._scales or not _show_alike(self.scale, zoom):
            return False
        return 1 / STEP <= zoom / self.scale <= STEP

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
        """Keeps a tile of the chosen scale; None for a place where nothing is."""
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
        """Lets go of the tiles that show an area of the scene; of all when None."""
        for scale, tiles in self._scales.items():
            if area is None or len(tiles) < _count(area, scale):
                tiles.clear()
                continue
            for place in _places(area, scale):
                tiles.pop(place, None)

    def drop_spare(self, in_view: int) -> None:
        """Lets the oldest tiles go when there are far more than the view shows.

        Args:
            in_view: how many tiles the view shows.
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
