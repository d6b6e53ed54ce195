"""Edge routing: columns, boxes and the curves between them; drawings far too long are wrapped into rows like a text.

Within a column an edge runs level; between two columns it is a cubic with level tangents, and all cubics between the
same two columns share their ``x(t)``. Hence two of them cross exactly when their ends change order, and no edge can
touch a box it does not belong to.

A chain of 200 operations is one row, 600 times as long as it is high. Where a drawing is much longer than high and only
a few edges have to be cut, it continues in a new row underneath; the edges between two rows run back between them.
Within a row every edge still points forward. A leaf that stands before the cut and is used after it goes with its use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import sqrt
from statistics import median

from engine.layout.blocks import OP_GAP
from engine.layout.layering import Layered
from engine.layout.result import ComponentLayout, Cubic, Point, straight

Extent = tuple[float, float]
"""Left and right of a column, in pixels."""
Segment = tuple[int, int]
"""Two vertices of neighbouring layers with an edge between them."""

_LONG = 5000.0
_ELONGATED = 16.0
_ASPECT = 1.8
_WIDTHS = (6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
_CUT = 3
_CORRIDOR = 10.0
_MARGIN = 26.0
_CLEAR = 12.0

LAYER_GAP = 30.0
_WIDEST_GAP = 100.0
_GAP_PER_PIXEL = 0.1
_STUB = 3.0
_LEVEL = 0.4
_GAP_KEPT = 64.0
_STEEPER = 40.0
_EPS = 1e-6


@dataclass(frozen=True, slots=True)
class Turn:
    """Route of an edge from the end of a row to the start of the next.

    Attributes:
        corridor: the y at which it runs back.
        reach: distance by which it swings out at both ends, pixels.
    """

    corridor: float
    reach: float


@dataclass(slots=True)
class LayerGeometry:
    """Positions of columns and vertices, in one row or in several.

    Attributes:
        columns: left and right of every layer.
        y: the y of every vertex.
        turns: the segments that lead to the next row.
        carried: left and right of the leaves that stand in the row after that of their layer.
    """

    columns: list[Extent]
    y: list[float]
    turns: dict[Segment, Turn] = field(default_factory=dict)
    carried: dict[int, Extent] = field(default_factory=dict)

    def column(self, layered: Layered, vertex: int) -> Extent:
        """Left and right of a vertex's column."""
        return self.carried.get(vertex) or self.columns[layered.layer[vertex]]


def fold(layered: Layered, geometry: LayerGeometry, old_row: float | None = None) -> LayerGeometry:
    """The geometry in rows when that is clearly better, otherwise as it is.

    Args:
        layered: the graph in layers.
        geometry: all of it in one row.
        old_row: length of the rows in the previous drawing, when it had several: they stay so.
    """
    rows = _rows(layered, geometry, old_row)
    if len(rows) < 2:
        return geometry
    folded = LayerGeometry(list(geometry.columns), list(geometry.y))
    bottom, cut, carried = -2 * _MARGIN, list[Segment](), set[int]()
    for layers in rows:
        next_cut, next_carried = _cut(layered, geometry, layers[-1]) if layers is not rows[-1] else ([], set())
        members = {vertex for layer in layers for vertex in layered.members[layer]} - next_carried | carried
        rights = {leaf: geometry.columns[layered.layer[leaf]][1] for leaf in carried}
        entering = {leaf: (right - layered.graph.blocks[leaf].along, right) for leaf, right in rights.items()}
        dx = -min((left for left, _ in entering.values()), default=geometry.columns[layers[0]][0])
        top = bottom + 2 * _MARGIN + _CORRIDOR * max(len(cut) - 1, 0)
        dy = top - min(geometry.y[vertex] - layered.across(vertex) / 2 for vertex in members)
        for layer in layers:
            left, right = geometry.columns[layer]
            folded.columns[layer] = (left + dx, right + dx)
        folded.carried |= {leaf: (left + dx, right + dx) for leaf, (left, right) in entering.items()}
        for vertex in members:
            folded.y[vertex] = geometry.y[vertex] + dy
        # edges between two rows are nested: the uppermost swings out most and runs back lowest
        from_below = sorted(cut, key=lambda segment: (-geometry.y[segment[0]], -geometry.y[segment[1]]))
        for index, segment in enumerate(from_below):
            folded.turns[segment] = Turn(bottom + _MARGIN + index * _CORRIDOR, _MARGIN + index * _CORRIDOR)
        bottom = max(folded.y[vertex] + layered.across(vertex) / 2 for vertex in members)
        cut, carried = next_cut, next_carried
    return folded


def folded_size(length: float, breadth: float) -> tuple[float, float]:
    """Approximate length and breadth of a drawing of that size once it is wrapped into rows."""
    height = breadth + 2 * _MARGIN
    if length < _LONG or length < _ELONGATED * height:
        return length, breadth
    rows = sqrt(length / (height * _ASPECT))
    return length / rows, height * rows


def _rows(layered: Layered, geometry: LayerGeometry, old_row: float | None) -> list[range]:
    """The layers of every row."""
    size = len(geometry.columns)
    length = geometry.columns[-1][1] - geometry.columns[0][0]
    spread: list[float] = [  # around each layer: the extremes of two rows rarely meet
        max(geometry.y[v] + layered.across(v) / 2 for v in members)
        - min(geometry.y[v] - layered.across(v) / 2 for v in members)
        for members in layered.members
    ]
    height = 2 * _MARGIN + max(spread)
    if length < _LONG or length < _ELONGATED * height / (1 if old_row is None else 2):
        return [range(size)]
    wanted = size / sqrt(length / (height * _ASPECT)) if old_row is None else size * old_row / length
    width = min(_WIDTHS, key=lambda width: abs(width - wanted))
    rows, first = [], 0
    while size - first > width * 1.25:
        window = range(first + width - width // 4, first + width)
        last = min(window, key=lambda layer: (len(_cut(layered, geometry, layer)[0]), -layer))
        if len(_cut(layered, geometry, last)[0]) > _CUT:
            return [range(size)]
        rows.append(range(first, last + 1))
        first = last + 1
    return [*rows, range(first, size)]


def _cut(layered: Layered, geometry: LayerGeometry, layer: int) -> tuple[list[Segment], set[int]]:
    """The segments that are cut after a layer, and the leaves in it that go with the next row.

    A leaf goes when no edge that comes from the row before runs through it, or crosses what it did not cross, for being
    at its new height from the start of the row on.
    """
    members = layered.members[layer]
    leaves = {vertex for vertex in members if layered.successors[vertex] and not layered.predecessors[vertex]}
    through = [(here, there) for here in members if here not in leaves for there in layered.successors[here]]
    carried = {leaf for leaf in leaves if all(_is_clear(layered, geometry, leaf, segment) for segment in through)}
    stay = [(leaf, there) for leaf in leaves - carried for there in layered.successors[leaf]]
    return through + stay, carried


def _is_clear(layered: Layered, geometry: LayerGeometry, leaf: int, segment: Segment) -> bool:
    """True when an edge passes a leaf with room to spare, above it or below it all the way."""
    room = layered.across(leaf) / 2 + _CLEAR
    rises = [geometry.y[vertex] - geometry.y[leaf] for vertex in segment]
    return min(rises) >= room or max(rises) <= -room


def draw(
    layered: Layered,
    y: Sequence[float],
    crossings: int,
    old_ends: Mapping[int, float] | None = None,
    old_row: float | None = None,
    folded: bool = False,
) -> ComponentLayout:
    """Give every layer a column, and every edge its curve.

    Args:
        layered: the graph in layers.
        y: the y of every vertex.
        crossings: number of pairs of edges that cross.
        old_ends: where blocks ended before; columns keep their distances when these still do.
        old_row: length of the rows in the previous drawing, when it had several.
        folded: True when a drawing far too long is wrapped into rows.
    """
    geometry = LayerGeometry(_columns(layered, y, old_ends or {}), list(y))
    if folded:
        geometry = fold(layered, geometry, old_row)
    drawing = ComponentLayout(crossings=crossings)
    for vertex, block in enumerate(layered.graph.blocks):
        x, middle = geometry.column(layered, vertex)[1] - block.along, geometry.y[vertex]  # ends at the column's right
        previous: Point | None = None
        for index, (node, length) in enumerate(zip(block.nodes, block.lengths, strict=True)):
            drawing.positions[node] = (x + length / 2, middle)
            if previous is not None:
                drawing.curves[block.nodes[index - 1], node] = [straight(previous, (x, middle))]
            previous = (x + length, middle)
            x += length + OP_GAP
    for chain in layered.chains.values():
        source, target = layered.graph.blocks[chain[0]], layered.graph.blocks[chain[-1]]
        drawing.curves[source.nodes[-1], target.nodes[0]] = _curve(layered, chain, geometry)
    drawing.bounds = _bounds(layered, geometry)
    return drawing


def bent(start: Point, end: Point) -> Cubic:
    """A piece that leaves and arrives level."""
    reach = (end[0] - start[0]) * _LEVEL
    return (start, (start[0] + reach, start[1]), (end[0] - reach, end[1]), end)


def _columns(layered: Layered, y: Sequence[float], old_ends: Mapping[int, float]) -> list[tuple[float, float]]:
    """Left and right of every layer; a gap is as wide as its steepest edge requires, or as it was."""
    steepest = [0.0] * len(layered.members)
    for here, there in layered.weight:
        row = layered.layer[here]
        steepest[row] = max(steepest[row], abs(y[there] - y[here]))
    blocks = layered.graph.blocks
    columns: list[tuple[float, float]] = []
    left = gap = 0.0
    before: list[float] = []
    for members, rise in zip(layered.members, steepest, strict=True):
        width = max((blocks[vertex].along for vertex in members if not layered.is_dummy(vertex)), default=0.0)
        old = [old_ends[vertex] for vertex in members if vertex in old_ends]
        if before and old:
            was = median(old) - median(before) - width
            more = was - gap
            left += more if was >= LAYER_GAP - _EPS and -_STEEPER <= more <= _GAP_KEPT else 0.0
        columns.append((left, left + width))
        gap = min(_WIDEST_GAP, max(LAYER_GAP, _GAP_PER_PIXEL * rise))
        left += width + gap
        before = old
    return columns


def _curve(layered: Layered, chain: Sequence[int], geometry: LayerGeometry) -> list[Cubic]:
    """Level through every column and a little beyond, so that no curve begins at the corner of a neighbour's box."""
    y = geometry.y
    start = (geometry.column(layered, chain[0])[1], y[chain[0]])
    pieces: list[Cubic] = []
    for here, there in pairwise(chain):
        leaves = (geometry.column(layered, here)[1] + _STUB, y[here])
        left, right = geometry.column(layered, there)
        pieces.append(straight(start, leaves))
        start = (left - _STUB, y[there])
        turn = geometry.turns.get((here, there))
        pieces += [bent(leaves, start)] if turn is None else _turned(leaves, start, turn)
        if not layered.is_dummy(there):
            pieces.append(straight(start, (right - layered.graph.blocks[there].along, y[there])))
    return pieces


def _turned(start: Point, end: Point, turn: Turn) -> list[Cubic]:
    """Out at the end of a row, back under it, and in at the start of the next, which is at 0."""
    out, back, enters = (start[0], turn.corridor), (-_STUB, turn.corridor), (-_STUB, end[1])
    reach = turn.reach * 4 / 3
    return [
        (start, (start[0] + reach, start[1]), (out[0] + reach, out[1]), out),
        straight(out, back),
        (back, (back[0] - reach, back[1]), (enters[0] - reach, enters[1]), enters),
        *([straight(enters, end)] if end[0] > enters[0] else []),
    ]


def _bounds(layered: Layered, geometry: LayerGeometry) -> tuple[float, float, float, float]:
    tops = [y - layered.across(vertex) / 2 for vertex, y in enumerate(geometry.y)]
    bottoms = [y + layered.across(vertex) / 2 for vertex, y in enumerate(geometry.y)]
    swing = max((turn.reach + _STUB for turn in geometry.turns.values()), default=0.0)
    left, right = min(left for left, _ in geometry.columns), max(right for _, right in geometry.columns)
    return (left - swing, min(tops), right + swing, max(bottoms))
