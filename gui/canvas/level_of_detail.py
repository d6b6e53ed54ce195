"""Level of detail, and the drawing at low detail.

Parts that are drawn are decided here alone, by the zoom and the number of nodes and edges in view: painters and items
receive a `LevelOfDetail`, and none of them looks at the zoom itself.

At low detail the graph is drawn as rectangles and lines in a few calls, where no text could be read or no tile is there
yet. One Python-painted item for each node would cost about ten times as much with thousands of them in view. All shapes
are made with the picture; painting only picks those in view. The small map draws with it, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen

from engine.graph.forms import FORMS
from engine.graph.moved import node_bounds
from engine.graph.picture import BoxNumbers, Edge, Picture
from gui.canvas.decorations import Activity, EdgeKey, Highlight
from gui.canvas.spatial_index import SpatialIndex
from gui.canvas.style import CanvasStyle, blend

CAPTIONS_FROM = 0.62
"""Zoom from which small words such as "data" can be read."""
DIGITS_FROM = 0.3
"""Zoom from which a digit is five pixels high or more."""
CELLS_FROM = 0.14
"""Zoom from which a cell of a box is more than a pixel or two wide."""
READABLE_FROM = 0.5
"""Zoom from which a box is worth being drawn one by one however many there are."""
MAX_READABLE = 2_000
"""Nodes in view up to which readable ones are drawn one by one."""
MAX_NODES = 640
"""Nodes in view up to which smaller ones are drawn one by one."""
MAX_NODES_AGAIN = 400
"""The same on the way back from low detail: a small pan must not switch back and forth."""
MAX_CURVES = 1_500
"""Edges in one place up to which each is drawn as the curve that it is; more are only a texture."""
MAX_DECORATED_CURVES = 300
"""Limit of highlighted edges in a frame that are drawn as curves."""
BAR_HEIGHT = 8.0
"""Height of a bar that replaces an unreadable number, scene pixels."""


@dataclass(frozen=True, slots=True)
class LevelOfDetail:
    """Parts of nodes and edges that are drawn.

    Attributes:
        one_by_one: each node and edge is drawn by itself; else all are rectangles and lines, drawn in a few calls.
        captions: small words are written; without them everything else is written larger, and edges are wider.
        digits: numbers are written; else a bar in its colour stands for each.
        cells: boxes that are rectangles show their cells.
        curves: edges are curves with heads; else straight from bend to bend.
        decorated_curves: the same for highlighted edges.
    """

    one_by_one: bool = True
    captions: bool = True
    digits: bool = True
    cells: bool = True
    curves: bool = True
    decorated_curves: bool = True


FULL_DETAIL = LevelOfDetail()


def level_of_detail(
    zoom: float, nodes: int = 0, edges: int = 0, decorated_edges: int = 0, previous: LevelOfDetail = FULL_DETAIL
) -> LevelOfDetail:
    """Return the level of detail that there is room for.

    Args:
        zoom: viewport pixels for a scene pixel, > 0.
        nodes: how many are in view.
        edges: number painted together in one place.
        decorated_edges: number of highlighted edges painted together.
        previous: the level until now.
    """
    max_nodes = MAX_NODES if previous.one_by_one else MAX_NODES_AGAIN
    return LevelOfDetail(
        one_by_one=nodes <= (MAX_READABLE if zoom >= READABLE_FROM else max_nodes),
        captions=zoom >= CAPTIONS_FROM,
        digits=zoom >= DIGITS_FROM,
        cells=zoom >= CELLS_FROM,
        curves=edges <= MAX_CURVES,
        decorated_curves=decorated_edges <= MAX_DECORATED_CURVES,
    )


class _NodeShapes(NamedTuple):
    """Shapes of a node: its role ("circle" for an operation), and the parts of a box."""

    role: str
    rect: QRectF
    label: QRectF | None
    bars: list[QRectF]


class LowDetailShapes:
    """Rectangles and lines that are painted together.

    Attributes:
        lines: of the edges, from bend to bend.
        rects: of the nodes, by role.
        labels: the tinted parts of boxes, by role.
        bars: rectangles in place of their numbers.
    """

    def __init__(self, lines: Iterable[QLineF], nodes: Iterable[_NodeShapes]) -> None:
        self.lines = list(lines)
        self.rects: dict[str, list[QRectF]] = defaultdict(list)
        self.labels: dict[str, list[QRectF]] = defaultdict(list)
        self.bars: list[QRectF] = []
        for role, rect, label, bars in nodes:
            self.rects[role].append(rect)
            if label is not None:
                self.labels[role].append(label)
                self.bars += bars

    def paint_lines(self, painter: QPainter, pen: QPen) -> None:
        """Draws the edges in scene coordinates; switches antialiasing off."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(pen)
        painter.drawLines(self.lines)

    def paint_nodes(self, painter: QPainter, style: CanvasStyle, zoom: float) -> None:
        """Draws the nodes in scene coordinates.

        Args:
            zoom: where cells can be seen boxes look as they do at full detail, with bars for numbers.
        """
        if not level_of_detail(zoom).cells:
            painter.setPen(Qt.PenStyle.NoPen)
            for role, rects in self.rects.items():
                painter.setBrush(plain_fill(role, style))
                painter.drawRects(rects)
            return
        painter.setPen(faded(style.border, style, zoom))
        painter.setBrush(style.panel)
        for rects in self.rects.values():
            painter.drawRects(rects)
        for role, rects in self.labels.items():
            painter.setBrush(style.tints[role])
            painter.drawRects(rects)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.bars["faint"])
        painter.drawRects(self.bars)


class LowDetailDrawing:
    """The shapes of a whole picture, in no theme yet.

    Attributes:
        bounds: of the picture, scene pixels.
    """

    def __init__(self, picture: Picture, index: SpatialIndex) -> None:
        """Make the shapes of a picture; `index` knows their places."""
        self._index = index
        self._lines: dict[EdgeKey, list[QLineF]] = {}
        self._nodes: dict[str, _NodeShapes] = {}
        self.bounds = QRectF()
        self.follow(picture, (*picture.circles, *picture.boxes), picture.edges)
        self._everything: LowDetailShapes | None = self.shapes(0.0)

    def follow(self, picture: Picture, nodes: Iterable[str], edges: Iterable[EdgeKey]) -> None:
        """Takes the new places of some nodes and edges, when the index has taken them."""
        self.bounds.setCoords(*picture.bounds)
        self._nodes.update((key, _node_shapes(picture, key)) for key in nodes)
        self._lines.update((pair, straight_lines(picture.edges[pair])) for pair in edges)
        self._everything = None
        self._flow: Mapping[EdgeKey, float] = {}
        self._flow_lines: Mapping[int, list[QLineF]] = {}

    def shapes(self, zoom: float, *areas: QRectF) -> LowDetailShapes:
        """Return the shapes to paint; all of them where selecting by area would take longer than painting."""
        if areas and level_of_detail(zoom).cells:
            keys = self._index.nodes_in(*areas)
            if 2 * len(keys) < len(self._nodes):
                return LowDetailShapes(self.lines(self._index.edges_in(*areas)), map(self._nodes.__getitem__, keys))
        if self._everything is None:
            self._everything = LowDetailShapes(self.lines(self._lines), self._nodes.values())
        return self._everything

    def lines(self, edges: Iterable[EdgeKey]) -> list[QLineF]:
        """Some edges as straight lines from bend to bend; those that are not drawn are left out."""
        return list(chain.from_iterable(self._lines.get(pair, ()) for pair in edges))

    def rects(self, keys: Iterable[str]) -> list[QRectF]:
        """The rectangles of some nodes; those that are not drawn are left out."""
        return [self._nodes[key].rect for key in keys if key in self._nodes]

    def flow_lines(self, flow: Mapping[EdgeKey, float]) -> Mapping[int, list[QLineF]]:
        """Return lines by level, the weakest first, in drawing order; cached for the last flow."""
        if flow is not self._flow:
            lines: dict[int, list[QLineF]] = defaultdict(list)
            for pair, share in flow.items():
                if level := CanvasStyle.flow_level(share):
                    lines[level] += self._lines.get(pair, ())
            self._flow, self._flow_lines = flow, {level: lines[level] for level in sorted(lines, key=abs)}
        return self._flow_lines

    def decorations(
        self, activity: Activity, highlight: Highlight, readings: Mapping[str, BoxNumbers]
    ) -> LowDetailDecorations:
        """The decorations of a moment; made when one of them changes, not while painting."""
        return LowDetailDecorations(
            flow=self.flow_lines(activity.flow),
            path=self.lines(highlight.edges),
            touched=self.lines(activity.edges),
            path_nodes=self.rects(highlight.nodes),
            touched_nodes=self.rects(activity.nodes),
            differing=self.rects(activity.differing),
            bad=self.rects(key for key, reading in readings.items() if is_bad(reading)),
            selected=self.rects([highlight.selected] if highlight.selected else []),
        )


@dataclass(frozen=True)
class LowDetailDecorations:
    """Marks of nodes and edges at low detail.

    Attributes:
        flow: lines by level, as `CanvasStyle.flow_level` gives it.
        path, touched: lines of edges.
        path_nodes, touched_nodes, differing, bad: rectangles of nodes; bad ones have a problem or are not finite.
        selected: colour of the selected node.
    """

    flow: Mapping[int, list[QLineF]] = field(default_factory=dict)
    path: list[QLineF] = field(default_factory=list)
    touched: list[QLineF] = field(default_factory=list)
    path_nodes: list[QRectF] = field(default_factory=list)
    touched_nodes: list[QRectF] = field(default_factory=list)
    differing: list[QRectF] = field(default_factory=list)
    bad: list[QRectF] = field(default_factory=list)
    selected: list[QRectF] = field(default_factory=list)


def is_bad(reading: BoxNumbers) -> bool:
    """Return True when a box with this reading has a problem mark."""
    return bool(reading.problem) or reading.data_state == "bad" or reading.grad_state == "bad"


def faded(pen: QPen, style: CanvasStyle, zoom: float) -> QPen:
    """The thinnest pen, as pale as a line thinner than a pixel is at that zoom."""
    share = min(1.0, max(0.2, pen.widthF() * zoom))
    return cosmetic(QPen(blend(pen.color().name(), style.colors.canvas, share)), 0)


def cosmetic(pen: QPen, width: float) -> QPen:
    """A pen of that colour whose width is in viewport pixels; 0 is the thinnest."""
    same = QPen(pen.color(), width)
    same.setCosmetic(True)
    return same


def plain_fill(role: str, style: CanvasStyle) -> QBrush:
    """The colour of a node at low detail: its tint, made stronger."""
    colors = style.colors
    strong = {"input": colors.positive, "parameter": colors.accent, "output": colors.positive}.get(role)
    tint = {"input": colors.input, "parameter": colors.parameter, "output": colors.output}.get(role, colors.panel)
    return QBrush(blend(strong, tint, 0.45) if strong else blend(colors.muted, colors.panel, 0.32))


# Shapes


def straight_lines(edge: Edge) -> list[QLineF]:
    """An edge as straight lines from bend to bend."""
    return [QLineF(*curve[0], *curve[3]) for curve in edge.curves]


def node_rect(picture: Picture, key: str) -> QRectF:
    """The rectangle of a box or circle."""
    left, top, right, bottom = node_bounds(picture.boxes.get(key) or picture.circles[key])
    return QRectF(left, top, right - left, bottom - top)


def _node_shapes(picture: Picture, key: str) -> _NodeShapes:
    rect, box = node_rect(picture, key), picture.boxes.get(key)
    if box is None:
        return _NodeShapes("circle", rect, None, [])
    if box.role == "constant":
        return _NodeShapes(box.role, rect, rect, [])
    label = QRectF(*FORMS[box.form].name_cell(box.width, box.height)).translated(box.x, box.y)
    cells = FORMS[box.form].number_cells(box.width, box.height, box.role)
    bars = [
        QRectF(box.x + left + 9, box.y + top + (height - BAR_HEIGHT) / 2, width - 18, BAR_HEIGHT)
        for left, top, width, height in cells
    ]
    return _NodeShapes(box.role, rect, label, bars)
