"""Drawings far too long for any screen, wrapped into rows like a text.

A chain of 200 operations is one row, 600 times as long as it is high. When a drawing is much longer than high, and
there are places where only a few edges have to be cut, it continues in a new row underneath; the edges between two rows
run back between them. Within a row every edge still points forward. A leaf that stands before the cut and is used after
it goes with its use.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

from engine.layout.layering import Layered

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


@dataclass(frozen=True, slots=True)
class Turn:
    """Route of an edge from the end of a row to the start of the next.

    Attributes:
        corridor: the y at which it runs back.
        reach: how far it swings out at both ends.
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
        old_row: how long the rows were before, when there were several: they stay so.
    """
    rows = _rows(layered, geometry, old_row)
    if len(rows) < 2:
        return geometry
    folded = LayerGeometry(list(geometry.columns), list(geometry.y))
    bottom, cut, carried = -2 * _MARGIN, list[Segment](), set[int]()
    for layers in rows:
        next_cut, next_carried = _cut(layered, geometry, layers[-1]) if layers is not rows[-1] else ([], set())
        members = {vertex for layer in layers for vertex in layered.members[layer]} - next_carried | carried
        entering = {vertex: _carried_column(layered, geometry, vertex) for vertex in carried}
        dx = -min((left for left, _ in entering.values()), default=geometry.columns[layers[0]][0])
        top = bottom + 2 * _MARGIN + _CORRIDOR * max(len(cut) - 1, 0)
        dy = top - min(geometry.y[vertex] - layered.across(vertex) / 2 for vertex in members)
        for layer in layers:
            left, right = geometry.columns[layer]
            folded.columns[layer] = (left + dx, right + dx)
        folded.carried |= {vertex: (left + dx, right + dx) for vertex, (left, right) in entering.items()}
        for vertex in members:
            folded.y[vertex] = geometry.y[vertex] + dy
        _turn(folded, geometry, cut, bottom + _MARGIN)
        bottom = max(folded.y[vertex] + layered.across(vertex) / 2 for vertex in members)
        cut, carried = next_cut, next_carried
    return folded


def folded_size(length: float, breadth: float) -> tuple[float, float]:
    """About how long and broad a drawing of that size becomes where it is wrapped into rows."""
    height = breadth + 2 * _MARGIN
    if length < _LONG or length < _ELONGATED * height:
        return length, breadth
    rows = sqrt(length / (height * _ASPECT))
    return length / rows, height * rows


def _carried_column(layered: Layered, geometry: LayerGeometry, leaf: int) -> Extent:
    right = geometry.columns[layered.layer[leaf]][1]
    return right - layered.graph.blocks[leaf].along, right


def _turn(folded: LayerGeometry, geometry: LayerGeometry, cut: list[Segment], corridor: float) -> None:
    """Nest the edges of one cut: the uppermost swings out most and runs back lowest."""
    from_below = sorted(cut, key=lambda segment: (-geometry.y[segment[0]], -geometry.y[segment[1]]))
    for index, segment in enumerate(from_below):
        folded.turns[segment] = Turn(corridor + index * _CORRIDOR, _MARGIN + index * _CORRIDOR)


def _rows(layered: Layered, geometry: LayerGeometry, old_row: float | None) -> list[range]:
    """The layers of every row."""
    size = len(geometry.columns)
    length = geometry.columns[-1][1] - geometry.columns[0][0]
    height = 2 * _MARGIN + _breadth(layered, geometry)
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


def _breadth(layered: Layered, geometry: LayerGeometry) -> float:
    """Height of the drawing around a typical layer: the extremes of two rows rarely meet."""
    spread: list[float] = [
        max(geometry.y[v] + layered.across(v) / 2 for v in members)
        - min(geometry.y[v] - layered.across(v) / 2 for v in members)
        for members in layered.members
    ]
    return max(spread)


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
