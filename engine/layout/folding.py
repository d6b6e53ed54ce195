"""Drawings far too long for any screen, wrapped into rows like a text.

A chain of 200 operations is one row, 600 times as long as it is high. When a drawing is much longer than high, and
there are places where only a few edges have to be cut, it continues in a new row underneath; the edges between two rows
run back between them. Within a row every edge still points forward. A leaf that stands before the cut and is used after
it goes with its use.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

from engine.layout.layers import Layered

Column = tuple[float, float]

_LONG = 5000.0
_ELONGATED = 16.0
_ASPECT = 1.8
_WIDTHS = (6, 8, 12, 16, 24, 32, 48, 64, 96, 128)
_CUT = 3
_CORRIDOR = 10.0
_MARGIN = 26.0
_CLEAR = 12.0

Step = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Turn:
    """How an edge gets from the end of a row to the start of the next.

    Attributes:
        corridor: the height at which it runs back.
        reach: how far it swings out at both ends.
    """

    corridor: float
    reach: float


@dataclass(slots=True)
class Sheet:
    """Columns and heights, in one row or in several.

    Attributes:
        columns: left and right of every layer.
        y: the height of every vertex.
        turns: the steps that lead to the next row.
        carried: left and right of the leaves that stand in the row after that of their layer.
    """

    columns: list[Column]
    y: list[float]
    turns: dict[Step, Turn] = field(default_factory=dict)
    carried: dict[int, Column] = field(default_factory=dict)

    def column(self, layered: Layered, vertex: int) -> Column:
        """Left and right of a vertex's column."""
        return self.carried.get(vertex) or self.columns[layered.layer[vertex]]


def fold(layered: Layered, sheet: Sheet, old_row: float | None = None) -> Sheet:
    """The sheet in rows when that is clearly better, otherwise as it is.

    Args:
        layered: the graph in layers.
        sheet: all of it in one row.
        old_row: how long the rows were before, when there were several: they stay so.
    """
    rows = _rows(layered, sheet, old_row)
    if len(rows) < 2:
        return sheet
    folded = Sheet(list(sheet.columns), list(sheet.y))
    bottom, cut, carried = -2 * _MARGIN, list[Step](), set[int]()
    for layers in rows:
        next_cut, next_carried = _cut(layered, sheet, layers[-1]) if layers is not rows[-1] else ([], set())
        members = {vertex for layer in layers for vertex in layered.members[layer]} - next_carried | carried
        entering = {vertex: _carried_column(layered, sheet, vertex) for vertex in carried}
        dx = -min((left for left, _ in entering.values()), default=sheet.columns[layers[0]][0])
        top = bottom + 2 * _MARGIN + _CORRIDOR * max(len(cut) - 1, 0)
        dy = top - min(sheet.y[vertex] - layered.across(vertex) / 2 for vertex in members)
        for layer in layers:
            left, right = sheet.columns[layer]
            folded.columns[layer] = (left + dx, right + dx)
        folded.carried |= {vertex: (left + dx, right + dx) for vertex, (left, right) in entering.items()}
        for vertex in members:
            folded.y[vertex] = sheet.y[vertex] + dy
        _turn(folded, sheet, cut, bottom + _MARGIN)
        bottom = max(folded.y[vertex] + layered.across(vertex) / 2 for vertex in members)
        cut, carried = next_cut, next_carried
    return folded


def _carried_column(layered: Layered, sheet: Sheet, leaf: int) -> Column:
    right = sheet.columns[layered.layer[leaf]][1]
    return right - layered.graph.blocks[leaf].along, right


def _turn(folded: Sheet, sheet: Sheet, cut: list[Step], corridor: float) -> None:
    """Nest the edges of one cut: the uppermost swings out most and runs back lowest."""
    for index, step in enumerate(sorted(cut, key=lambda step: (-sheet.y[step[0]], -sheet.y[step[1]]))):
        folded.turns[step] = Turn(corridor + index * _CORRIDOR, _MARGIN + index * _CORRIDOR)


def _rows(layered: Layered, sheet: Sheet, old_row: float | None) -> list[range]:
    """The layers of every row."""
    size = len(sheet.columns)
    length = sheet.columns[-1][1] - sheet.columns[0][0]
    height = 2 * _MARGIN + _breadth(layered, sheet)
    if length < _LONG or length < _ELONGATED * height / (1 if old_row is None else 2):
        return [range(size)]
    wanted = size / sqrt(length / (height * _ASPECT)) if old_row is None else size * old_row / length
    width = min(_WIDTHS, key=lambda width: abs(width - wanted))
    rows, first = [], 0
    while size - first > width * 1.25:
        window = range(first + width - width // 4, first + width)
        last = min(window, key=lambda layer: (len(_cut(layered, sheet, layer)[0]), -layer))
        if len(_cut(layered, sheet, last)[0]) > _CUT:
            return [range(size)]
        rows.append(range(first, last + 1))
        first = last + 1
    return [*rows, range(first, size)]


def _breadth(layered: Layered, sheet: Sheet) -> float:
    """How high the drawing is around a typical layer: far up and far down do not meet in one row."""
    spread: list[float] = [
        max(sheet.y[v] + layered.across(v) / 2 for v in members)
        - min(sheet.y[v] - layered.across(v) / 2 for v in members)
        for members in layered.members
    ]
    return max(spread)


def _cut(layered: Layered, sheet: Sheet, layer: int) -> tuple[list[Step], set[int]]:
    """The steps that are cut after a layer, and the leaves in it that go with the next row.

    A leaf goes when no edge that comes from the row before runs through it, or crosses what it did not cross, for being
    at its new height from the start of the row on.
    """
    members = layered.members[layer]
    leaves = {vertex for vertex in members if layered.after[vertex] and not layered.before[vertex]}
    through = [(here, there) for here in members if here not in leaves for there in layered.after[here]]
    carried = {leaf for leaf in leaves if all(_passes(layered, sheet, leaf, step) for step in through)}
    stay = [(leaf, there) for leaf in leaves - carried for there in layered.after[leaf]]
    return through + stay, carried


def _passes(layered: Layered, sheet: Sheet, leaf: int, step: Step) -> bool:
    """Whether an edge passes a leaf with room to spare, above it or below it all the way."""
    room = layered.across(leaf) / 2 + _CLEAR
    rises = [sheet.y[vertex] - sheet.y[leaf] for vertex in step]
    return min(rises) >= room or max(rises) <= -room
