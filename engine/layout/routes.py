"""Edge routing: columns, boxes and the curves between them.

Within a column an edge runs level; between two columns it is a cubic with level tangents, and all cubics between the
same two columns share their ``x(t)``. Hence two of them cross exactly when their ends change order, and no edge can
touch a box it does not belong to.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from engine.layout.blocks import OP_GAP, Block
from engine.layout.folding import LayerGeometry, Turn, fold
from engine.layout.layering import Layered
from engine.layout.result import Cubic, NodePair, Point

LAYER_GAP = 30.0
_WIDEST_GAP = 100.0
_GAP_PER_PIXEL = 0.1
_STUB = 3.0
_LEVEL = 0.4
_GAP_KEPT = 64.0
_STEEPER = 40.0
_EPS = 1e-6


@dataclass(slots=True)
class ComponentLayout:
    """A part of the picture; x runs along the direction of reading, y across it.

    Attributes:
        positions: the centre of every node.
        curves: the pieces of every edge.
        bounds: ``(x0, y0, x1, y1)`` around boxes and curves.
        crossings: how many pairs of edges cross.
    """

    positions: dict[Hashable, Point] = field(default_factory=dict)
    curves: dict[NodePair, list[Cubic]] = field(default_factory=dict)
    bounds: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    crossings: int = 0

    def moved(self, dx: float, dy: float) -> ComponentLayout:
        """The same drawing elsewhere."""
        positions = {node: (x + dx, y + dy) for node, (x, y) in self.positions.items()}
        curves = {edge: [_shifted(piece, dx, dy) for piece in pieces] for edge, pieces in self.curves.items()}
        x0, y0, x1, y1 = self.bounds
        return ComponentLayout(positions, curves, (x0 + dx, y0 + dy, x1 + dx, y1 + dy), self.crossings)


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
        crossings: how many edges cross.
        old_ends: where blocks ended before; columns keep their distances when these still do.
        old_row: how long the rows were when the drawing before was in several.
        folded: whether a drawing far too long is wrapped into rows.
    """
    geometry = LayerGeometry(_columns(layered, y, old_ends or {}), list(y))
    if folded:
        geometry = fold(layered, geometry, old_row)
    drawing = ComponentLayout(crossings=crossings)
    for vertex, block in enumerate(layered.graph.blocks):
        _add_block(drawing, block, geometry.column(layered, vertex)[1], geometry.y[vertex])
    for chain in layered.chains.values():
        source, target = layered.graph.blocks[chain[0]], layered.graph.blocks[chain[-1]]
        drawing.curves[source.nodes[-1], target.nodes[0]] = _curve(layered, chain, geometry)
    drawing.bounds = _bounds(layered, geometry)
    return drawing


def straight(start: Point, end: Point) -> Cubic:
    """A straight piece."""
    (x0, y0), (x1, y1) = start, end
    return (start, (x0 + (x1 - x0) / 3, y0 + (y1 - y0) / 3), (x1 - (x1 - x0) / 3, y1 - (y1 - y0) / 3), end)


def bent(start: Point, end: Point) -> Cubic:
    """A piece that leaves and arrives level."""
    reach = (end[0] - start[0]) * _LEVEL
    return (start, (start[0] + reach, start[1]), (end[0] - reach, end[1]), end)


def _columns(layered: Layered, y: Sequence[float], old_ends: Mapping[int, float]) -> list[tuple[float, float]]:
    """Left and right of every layer; a gap is as wide as its steepest edge requires, or as it was."""
    widths = [max((block.along for block in _blocks(layered, members)), default=0.0) for members in layered.members]
    gaps = _gaps(layered, y)
    olds = [[old_ends[vertex] for vertex in members if vertex in old_ends] for members in layered.members]
    columns: list[tuple[float, float]] = []
    left = 0.0
    for row, width in enumerate(widths):
        if row and olds[row - 1] and olds[row]:
            was = median(olds[row]) - median(olds[row - 1]) - width
            more = was - gaps[row - 1]
            left += more if was >= LAYER_GAP - _EPS and -_STEEPER <= more <= _GAP_KEPT else 0.0
        columns.append((left, left + width))
        left += width + gaps[row]
    return columns


def _gaps(layered: Layered, y: Sequence[float]) -> list[float]:
    steepest = [0.0] * len(layered.members)
    for here, there in layered.weight:
        row = layered.layer[here]
        steepest[row] = max(steepest[row], abs(y[there] - y[here]))
    return [min(_WIDEST_GAP, max(LAYER_GAP, _GAP_PER_PIXEL * rise)) for rise in steepest]


def _blocks(layered: Layered, members: Sequence[int]) -> list[Block]:
    return [layered.graph.blocks[vertex] for vertex in members if not layered.is_dummy(vertex)]


def _add_block(drawing: ComponentLayout, block: Block, right: float, y: float) -> None:
    """Put a block's nodes side by side so that the last one ends at the right of the column."""
    x = right - block.along
    previous: Point | None = None
    for index, (node, length) in enumerate(zip(block.nodes, block.lengths, strict=True)):
        drawing.positions[node] = (x + length / 2, y)
        if previous is not None:
            drawing.curves[block.nodes[index - 1], node] = [straight(previous, (x, y))]
        previous = (x + length, y)
        x += length + OP_GAP


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


def _shifted(piece: Cubic, dx: float, dy: float) -> Cubic:
    a, b, c, d = piece
    return ((a[0] + dx, a[1] + dy), (b[0] + dx, b[1] + dy), (c[0] + dx, c[1] + dy), (d[0] + dx, d[1] + dy))
