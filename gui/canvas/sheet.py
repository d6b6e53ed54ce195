"""What numbers do not change, painted once into tiles of pixels: while a network trains, only its numbers are painted.

Stroking a smooth curve takes about 30 microseconds and the ground of a box as many; a network of two layers of sixteen
has 300 edges under its boxes, and every new number would have them painted again. Tiles are made when they are first
seen at a zoom, scroll with the view, and are forgotten when the zoom, the theme or what they show changes.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from engine.graph.picture import EMPTY_PICTURE, Picture
from gui.canvas.activity import EdgeKey
from gui.canvas.edges import EdgeForm, edge_form
from gui.canvas.index import Area, Index, area_of, node_area
from gui.canvas.items import EDGE_LEVEL, GROUND_LEVEL, Look
from gui.canvas.paint import PLAIN, Marks, paint_circle, paint_edge, paint_ground

TILE = 512
"""Side of a tile, viewport pixels."""
LEAST_STRETCHED, MOST_STRETCHED = 0.6, 3.0
"""While the zoom changes, tiles are shrunk and stretched so far before they are made anew."""
SPARE_TILES = 12
"""Tiles that are kept beside those in view."""
BOUNDS_MARGIN = 40.0

Place = tuple[int, int]


class Sheet(QGraphicsItem):
    """One item for all edges, or for the grounds of all nodes; a subclass says how a part of it is painted."""

    def __init__(self, look: Look, level: float) -> None:
        super().__init__()
        self._look = look
        self._picture = EMPTY_PICTURE
        self._index = Index(EMPTY_PICTURE)
        self._lifted: set[Hashable] = set()
        self._moving = False
        self._hurried = False
        self._bounds = QRectF()
        self._tiles: dict[Place, QPixmap | None] = {}
        self._scale = (0.0, 0.0)
        self.setZValue(level)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    @property
    def tile_count(self) -> int:
        """Number of tiles that are kept now."""
        return len(self._tiles)

    def take(self, picture: Picture, index: Index) -> None:
        """Shows another picture."""
        self.prepareGeometryChange()
        self._picture, self._index, self._moving = picture, index, False
        self._lifted.clear()
        self._bounds = _bounds(picture)
        self.forget()

    def show_moving(self, picture: Picture) -> None:
        """Shows a picture that will be another one in the next frame: no tiles are made of it."""
        self.prepareGeometryChange()
        self._picture, self._moving = picture, True
        self._bounds = self._bounds.united(_bounds(picture))
        self.forget()

    def follow(self, picture: Picture, lifted: Iterable[Hashable]) -> None:
        """Takes a picture that differs in some nodes or edges only, which are left out: somebody else draws them."""
        for key in set(lifted) - self._lifted:
            self._lifted.add(key)
            self._forget_in(self._area_of(key))
        self.prepareGeometryChange()
        self._picture = picture
        self._bounds = self._bounds.united(_bounds(picture))

    def hurry(self, hurried: bool) -> None:
        """While the zoom changes, tiles are stretched and not made anew; they are made sharp when that is over."""
        if hurried != self._hurried:
            self._hurried = hurried
            self.update()

    def forget(self) -> None:
        """Paints everything anew."""
        self._tiles.clear()
        self.update()

    def _forget_in(self, area: QRectF) -> None:
        zoom = self._scale[0]
        if zoom:
            for place in _places(area, zoom):
                self._tiles.pop(place, None)
        self.update(area)

    def _area_of(self, key: Hashable) -> QRectF:
        """Where something is painted."""
        raise NotImplementedError

    def _holds(self, area: Area) -> bool:
        """Whether anything is painted in an area."""
        raise NotImplementedError

    def _paint_area(self, painter: QPainter, area: Area) -> None:
        """Paints what lies in an area, in scene coordinates; all of it while things move."""
        raise NotImplementedError

    # Painting

    def boundingRect(self) -> QRectF:
        """The whole picture."""
        return self._bounds

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Puts the tiles of what is to be painted in their places; makes those that are missing."""
        transform = painter.worldTransform()
        area: QRectF = option.exposedRect  # type: ignore[attr-defined]  # the stub leaves it out
        if self._moving or widget is None or transform.isRotating():
            self._paint_area(painter, area_of(area))
            return
        self._set_scale(transform.m11(), widget.devicePixelRatioF())
        stretched = transform.m11() / self._scale[0]
        painter.setWorldTransform(QTransform(stretched, 0, 0, stretched, transform.dx(), transform.dy()))
        for place in _places(area, self._scale[0]):
            tile = self._tile(place)
            if tile is not None:
                painter.drawPixmap(QPointF(place[0] * TILE, place[1] * TILE), tile)
        painter.setWorldTransform(transform)
        self._drop_spare(widget)

    def _set_scale(self, zoom: float, ratio: float) -> None:
        if (zoom, ratio) == self._scale:
            return
        stretched = zoom / self._scale[0] if self._scale[0] else 0.0
        if self._hurried and self._tiles and LEAST_STRETCHED < stretched < MOST_STRETCHED:
            return
        self._scale = (zoom, ratio)
        self._tiles.clear()

    def _tile(self, place: Place) -> QPixmap | None:
        """The tile of a place; None where there is nothing."""
        if place not in self._tiles:
            side = TILE / self._scale[0]
            left, top = place[0] * side, place[1] * side
            area = (left, top, left + side, top + side)
            self._tiles[place] = self._drawn(area) if self._holds(area) else None
        return self._tiles[place]

    def _drawn(self, area: Area) -> QPixmap:
        zoom, ratio = self._scale
        tile = QPixmap(math.ceil(TILE * ratio), math.ceil(TILE * ratio))
        tile.setDevicePixelRatio(ratio)
        tile.fill(Qt.GlobalColor.transparent)
        painter = QPainter(tile)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.scale(zoom, zoom)
        painter.translate(-area[0], -area[1])
        self._paint_area(painter, area)
        painter.end()
        return tile

    def _drop_spare(self, widget: QWidget) -> None:
        """Lets the oldest tiles go when there are far more than the view shows."""
        across, down = widget.width() // TILE + 2, widget.height() // TILE + 2
        for place in list(self._tiles)[: max(0, len(self._tiles) - 2 * across * down - SPARE_TILES)]:
            del self._tiles[place]


class EdgeSheet(Sheet):
    """All edges, under everything else; those that are set apart are painted again above it."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, EDGE_LEVEL)
        self._forms: dict[EdgeKey, EdgeForm] = {}
        self._flow: Mapping[EdgeKey, float] = {}

    def take(self, picture: Picture, index: Index) -> None:
        """Shows the edges of another picture."""
        self._forms.clear()
        super().take(picture, index)

    def show_moving(self, picture: Picture) -> None:
        """Shows the edges of a picture on its way."""
        self._forms.clear()
        super().show_moving(picture)

    def show_flow(self, flow: Mapping[EdgeKey, float]) -> None:
        """Draws edges as wide as the gradient that runs along them, -1 to 1; those that are not named plainly."""
        if flow != self._flow:
            self._flow = flow
            self.forget()

    def _area_of(self, key: Hashable) -> QRectF:
        return self._form(key).bounds  # type: ignore[arg-type]

    def _form(self, pair: EdgeKey) -> EdgeForm:
        form = self._forms.get(pair)
        if form is None:
            form = self._forms[pair] = edge_form(self._picture.edges[pair])
        return form

    def _holds(self, area: Area) -> bool:
        return self._index.count_edges_in(area) > 0

    def _paint_area(self, painter: QPainter, area: Area) -> None:
        ink, distant = self._look.ink, self._look.distant
        for pair in self._picture.edges if self._moving else self._index.edges_in(area):
            if pair not in self._lifted:
                flow = self._flow.get(pair)
                marks = PLAIN if flow is None else Marks(flow=flow)
                paint_edge(painter, self._form(pair), ink, marks, distant)


class NodeSheet(Sheet):
    """All nodes as nothing sets them apart, boxes without their numbers."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, GROUND_LEVEL)

    def _area_of(self, key: Hashable) -> QRectF:
        picture, name = self._picture, str(key)
        left, top, right, bottom = node_area(picture.boxes.get(name) or picture.circles[name])
        return QRectF(left, top, right - left, bottom - top).adjusted(-12, -12, 12, 12)

    def _holds(self, area: Area) -> bool:
        return self._index.count_nodes_in(area, grown=True) > 0

    def _paint_area(self, painter: QPainter, area: Area) -> None:
        keys = [*self._picture.circles, *self._picture.boxes] if self._moving else self._index.nodes_in(area)
        for key in keys:
            if key not in self._lifted:
                self._paint_node(painter, key)

    def _paint_node(self, painter: QPainter, key: str) -> None:
        forms, ink, distant = self._look.forms, self._look.ink, self._look.distant
        box = self._picture.boxes.get(key)
        node = box or self._picture.circles[key]
        painter.translate(node.x, node.y)
        if box is not None:
            paint_ground(painter, forms.box(box), ink, distant=distant)
        else:
            paint_circle(painter, forms.circle(self._picture.circles[key]), ink, distant=distant)
        painter.translate(-node.x, -node.y)


def _places(area: QRectF, zoom: float) -> list[Place]:
    """The tiles that cover an area of the scene."""
    first_x, last_x = math.floor(area.left() * zoom / TILE), math.floor(area.right() * zoom / TILE)
    first_y, last_y = math.floor(area.top() * zoom / TILE), math.floor(area.bottom() * zoom / TILE)
    return [(x, y) for x in range(first_x, last_x + 1) for y in range(first_y, last_y + 1)]


def _bounds(picture: Picture) -> QRectF:
    bounds = QRectF()
    bounds.setCoords(*picture.bounds)
    return bounds.adjusted(-BOUNDS_MARGIN, -BOUNDS_MARGIN, BOUNDS_MARGIN, BOUNDS_MARGIN)
