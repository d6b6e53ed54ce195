"""The items above the tiles: numbers, highlighted nodes and edges, labels on edges, and everything at low detail.

Each paints the exposed area only, so a frame costs as much as there is in view, however large the graph
is. There is no item for a node: nothing has to be made when nodes come into view, and nothing is left when they go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from engine.graph.picture import EMPTY_PICTURE, Box, BoxNumbers, Picture, State
from gui.canvas.decorations import Decoration, EdgeKey
from gui.canvas.edge_labels import label_bounds, place_labels
from gui.canvas.geometry import BoxGeometry, BoxShape
from gui.canvas.level_of_detail import (
    BAR_HEIGHT,
    FULL_DETAIL,
    LevelOfDetail,
    LowDetailDecorations,
    cosmetic,
    is_bad,
    level_of_detail,
)
from gui.canvas.painters import edge_pen, paint_box, paint_circle, paint_edge, paint_edge_label, paint_numbers
from gui.canvas.render_state import RenderState
from gui.canvas.style import Tone, line
from gui.painting import saved

TILE_LEVEL, DECORATED_EDGE_LEVEL, NUMBER_LEVEL, DECORATED_NODE_LEVEL, LABEL_LEVEL = map(float, range(5))
LOW_DETAIL_LEVEL = TILE_LEVEL
BAR_INSET = 0.06
"""Share of the cell that is left free on both sides of a bar."""
DATA_TONES: Mapping[State, Tone | None] = MappingProxyType(
    {"unknown": None, "zero": "quiet", "positive": "quiet", "negative": "quiet", "size": "quiet", "bad": "bad"}
)
GRAD_TONES: Mapping[State, Tone | None] = MappingProxyType(
    {"unknown": None, "zero": "faint", "positive": "positive", "negative": "negative", "size": "quiet", "bad": "bad"}
)
ON_PATH = Decoration(on_path=True)
MAX_AREAS = 80
"""Changes up to which each has its own place painted again; with more it is the whole view."""
MIN_SIDE = 9.0
"""Viewport pixels: smallest size of a highlighted node at low detail."""
MAX_ENLARGED = 300
"""Limit of highlighted nodes that are enlarged; more would cover one another."""


class LayerItem(QGraphicsItem):
    """Something painted over the whole picture.

    Attributes:
        margin: how far it may stand out of the picture, scene pixels.
    """

    margin = 40.0

    def __init__(self, state: RenderState, level: float) -> None:
        super().__init__()
        self._state = state
        self._bounds = QRectF()
        self.setZValue(level)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def boundingRect(self) -> QRectF:
        return self._bounds

    def update_bounds(self) -> None:
        """Follows the picture to its new bounds, and is painted again."""
        self.prepareGeometryChange()
        self._bounds = self._state.bounds.adjusted(-self.margin, -self.margin, self.margin, self.margin)
        self.update()

    def update_areas(self, areas: list[QRectF]) -> None:
        """Schedule a repaint of some areas."""
        if len(areas) > MAX_AREAS:
            self.update()
            return
        for area in areas:
            self.update(area)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Paint the exposed areas."""
        with saved(painter):
            self._paint(painter, self._exposed(option))

    def _exposed(self, option: QStyleOptionGraphicsItem) -> Sequence[QRectF]:
        """Return the rectangles to paint; Qt only gives their bounding rectangle, which is most of the view in a
        slanted pan.
        """
        if self._state.exposed:
            return self._state.exposed
        return (QRectF(option.exposedRect),)  # type: ignore[attr-defined]  # the stub leaves it out; it goes with option

    def _paint(self, painter: QPainter, areas: Sequence[QRectF]) -> None:
        raise NotImplementedError


class NumberItem(LayerItem):
    """The numbers of all boxes, and the marks of problems."""

    def __init__(self, state: RenderState) -> None:
        super().__init__(state, NUMBER_LEVEL)

    def changed_area(self, key: str, old: BoxNumbers, new: BoxNumbers) -> QRectF:
        """Return the area to repaint for a new reading of a box."""
        box = self._state.picture.boxes[key]
        shape = self._state.geometries.shape(box)
        plain = not (is_bad(old) or is_bad(new) or self._state.is_decorated(key))
        return (shape.numbers if plain else shape.bounds).translated(box.x, box.y)

    def _paint(self, painter: QPainter, areas: Sequence[QRectF]) -> None:
        state = self._state
        boxes = state.picture.boxes
        keys = [key for key in state.nodes_in(*state.written) if key in boxes and key not in state.dragged]
        if not state.detail.digits:
            bars: dict[Tone, list[QRectF]] = {}
            for key in keys:
                box = boxes[key]
                for tone, bar in number_bars(state.geometries.shape(box), state.reading(key)):
                    bars.setdefault(tone, []).append(bar.translated(box.x, box.y))
            painter.setPen(Qt.PenStyle.NoPen)
            for tone, rects in bars.items():
                painter.setBrush(state.style.bars[tone])
                painter.drawRects(rects)
            return
        for key in keys:
            box, reading = boxes[key], state.reading(key)
            painter.translate(box.x, box.y)
            if reading.problem:
                paint_box(painter, state.geometries.box(box), reading, state.style, detail=state.detail)
            else:
                paint_numbers(painter, state.geometries.shape(box), reading, state.style, state.detail)
            painter.translate(-box.x, -box.y)


def number_bars(shape: BoxShape, reading: BoxNumbers) -> list[tuple[Tone, QRectF]]:
    """Return the bars that replace unreadable numbers of a box, around its centre.

    A number that is not computed has no bar, one that is not finite fills its cell.
    """
    states = (reading.data_state, reading.grad_state)
    bars: list[tuple[Tone, QRectF]] = []
    for cell, state, tones in zip(shape.cells, states, (DATA_TONES, GRAD_TONES), strict=False):
        tone = tones[state]
        if tone == "bad":
            bars.append((tone, cell.frame))
        elif tone is not None:
            half, middle = min(BAR_HEIGHT, cell.frame.height()) / 2, cell.middle
            across = cell.frame.width() * BAR_INSET
            width = cell.frame.width() - 2 * across
            bars.append((tone, QRectF(cell.frame.left() + across, middle - half, width, 2 * half)))
    return bars


class DecoratedEdgeItem(LayerItem):
    """Highlighted and dragged edges, above all others."""

    def __init__(self, state: RenderState) -> None:
        super().__init__(state, DECORATED_EDGE_LEVEL)

    def _paint(self, painter: QPainter, areas: Sequence[QRectF]) -> None:
        state = self._state
        edges = state.decorated_edges(*areas)
        if not level_of_detail(painter.worldTransform().m11(), decorated_edges=len(edges)).decorated_curves:
            # straight from bend to bend, one call for each kind: so many look like a surface anyway
            kinds: dict[Decoration, list[QLineF]] = {}
            for pair in edges:
                kinds.setdefault(state.decoration(pair), []).extend(state.drawing.lines([pair]))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            for decoration, lines in kinds.items():
                painter.setPen(cosmetic(edge_pen(state.style, decoration, state.detail), 1))
                painter.drawLines(lines)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            return
        for pair in edges:
            paint_edge(painter, state.edge_geometry(pair), state.style, state.decoration(pair), state.detail)


class DecoratedNodeItem(LayerItem):
    """Highlighted and dragged nodes, above all others."""

    def __init__(self, state: RenderState) -> None:
        super().__init__(state, DECORATED_NODE_LEVEL)

    def _paint(self, painter: QPainter, areas: Sequence[QRectF]) -> None:
        state = self._state
        for key in state.decorated_nodes(*areas):
            node = state.picture.boxes.get(key) or state.picture.circles[key]
            geometry = state.geometries.box(node) if isinstance(node, Box) else state.geometries.circle(node)
            decoration = state.decoration(key)
            painter.translate(node.x, node.y)
            if decoration == ON_PATH and key not in state.dragged and not state.reading(key).problem:
                painter.strokePath(geometry.outline, state.style.path_border)  # the rest is there already
            elif isinstance(geometry, BoxGeometry):
                paint_box(painter, geometry, state.reading(key), state.style, decoration, state.detail)
            else:
                paint_circle(painter, geometry, state.style, decoration, state.detail)
            painter.translate(-node.x, -node.y)


class EdgeLabelItem(LayerItem):
    """Labels of edges, above all nodes."""

    margin = 240.0  # a long text next to a narrow graph

    def __init__(self, state: RenderState) -> None:
        super().__init__(state, LABEL_LEVEL)
        self._asked: tuple[Picture, LevelOfDetail, dict[EdgeKey, str]] = (EMPTY_PICTURE, FULL_DETAIL, {})
        self._placed: dict[EdgeKey, QRectF] = {}

    def update_bounds(self) -> None:
        """Update the bounds, and forget the places of the last picture's labels."""
        super().update_bounds()
        self._asked = (EMPTY_PICTURE, FULL_DETAIL, {})

    def area_of(self, pair: EdgeKey, text: str) -> QRectF:
        """Return the rectangle of a text; empty when its edge is not drawn."""
        return label_bounds(self._state.edge_geometry(pair), text) if pair in self._state.picture.edges else QRectF()

    def _paint(self, painter: QPainter, areas: Sequence[QRectF]) -> None:
        state = self._state
        edges = state.picture.edges
        texts = {pair: text for pair, text in state.activity.edge_labels.items() if text and pair in edges}
        for pair, place in self._place(texts).items():
            if any(map(place.intersects, areas)):
                paint_edge_label(painter, place, texts[pair], state.style, state.detail)

    def _place(self, texts: dict[EdgeKey, str]) -> dict[EdgeKey, QRectF]:
        """Return the places of the texts, cached for each picture."""
        state = self._state
        asked = (state.picture, state.detail, texts)
        if asked[0] is not self._asked[0] or asked[1:] != self._asked[1:]:
            self._asked = asked
            self._placed = place_labels(
                texts, state.edge_geometry, state.index.node_rects_in, state.detail, state.bounds
            )
        return self._placed


class LowDetailItem(LayerItem):
    """The low-detail drawing, in place of all other items while more is in view than could be read."""

    margin = 400.0  # highlighted nodes are enlarged

    def __init__(self, state: RenderState) -> None:
        super().__init__(state, LOW_DETAIL_LEVEL)
        self._decorations = LowDetailDecorations()
        self.setVisible(False)

    def decorate(self) -> None:
        """Repaint with the present highlights."""
        state = self._state
        decorations = state.drawing.decorations(state.activity, state.highlight, state.readings)
        if decorations != self._decorations:
            self._decorations = decorations
            self.update()

    def _paint(self, painter: QPainter, areas: Sequence[QRectF]) -> None:
        zoom, style = painter.worldTransform().m11(), self._state.style
        shapes = self._state.drawing.shapes(zoom, *areas)
        shapes.paint_lines(painter, cosmetic(style.edge, 0))
        decorations = self._decorations
        for level, lines in decorations.flow.items():
            pen = style.level_pen(level)
            painter.setPen(cosmetic(pen, round(pen.widthF())))
            painter.drawLines(lines)
        for apart, width in ((decorations.path, 2), (decorations.touched, 3)):
            painter.setPen(cosmetic(style.path_edge, width))
            painter.drawLines(apart)
        shapes.paint_nodes(painter, style, zoom)
        outline = Qt.BrushStyle.NoBrush
        # marks of nodes in this order, so that the selection is never covered
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.path_fill)
        painter.drawRects(decorations.path_nodes)
        _paint_rects(painter, decorations.bad, style.error_fill, zoom)
        painter.setPen(cosmetic(style.differing_border, 2))
        _paint_rects(painter, decorations.differing, outline, zoom)
        painter.setPen(cosmetic(style.selected_border, 2))
        _paint_rects(painter, decorations.touched_nodes, style.touched_fill, zoom)
        painter.setPen(cosmetic(line(style.canvas.color()), 5))
        _paint_rects(painter, decorations.selected, outline, zoom, grown=3)
        painter.setPen(cosmetic(style.selected_border, 3))
        _paint_rects(painter, decorations.selected, outline, zoom, grown=3)


def _paint_rects(
    painter: QPainter, rects: Sequence[QRectF], fill: QBrush | Qt.BrushStyle, zoom: float, grown: float = 0
) -> None:
    """Draws rectangles not smaller than can be seen.

    Args:
        grown: by how many viewport pixels each is larger on every side.
    """
    painter.setBrush(fill)
    if len(rects) <= MAX_ENLARGED:
        rects = [_enlarged(rect, MIN_SIDE / zoom, grown / zoom) for rect in rects]
    painter.drawRects(rects)


def _enlarged(rect: QRectF, least: float, grown: float) -> QRectF:
    across, down = max(0.0, (least - rect.width()) / 2) + grown, max(0.0, (least - rect.height()) / 2) + grown
    return rect.adjusted(-across, -down, across, down)
