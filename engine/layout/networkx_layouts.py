"""Drawings from the positions that a layout of networkx gives: boxes get room, edges run from border to border.

networkx places points. Here a point is a block, an operation with its result, so that each circle stands beside its
box. The points are spread in the proportions of the blocks; blocks that still overlap are pushed apart, along the axis
on which less is missing (Misue, Eades, Lai & Sugiyama 1995, "Layout adjustment and the mental map"); what pushing does
not settle, scaling does. Edges are straight, and bend around boxes that they would run under (`visibility.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import networkx as nx
import numpy as np

from engine.layout.blocks import OP_GAP, BlockGraph
from engine.layout.result import CancelCheck, ComponentLayout, Cubic, Point, raise_if_cancelled, straight
from engine.layout.visibility import CLEARANCES, Obstacles, SearchBudget, between, rounded, shortest_way

Positions = Callable[[nx.Graph], Mapping[int, Iterable[float]]]
"""Gives each block of a graph, by its number, two coordinates: along the direction of reading, and across it."""
Size = tuple[float, float]
Spreading = Literal["pushed", "scaled", "gridded"]
GAP = 26.0
_PUSHES = 60
_COUNTED_EDGES = 1_500
_MOST_COMPARISONS = 20_000_000
"""Most comparisons of lines of sight with boxes, for all edges of a drawing; edges left over stay straight."""
_CLEARANCE = 8.0
"""Distance of a way through columns from boxes, scene pixels; less than half of the gap between two boxes."""
_ROUNDING = 10.0
_LOOKED_AHEAD = 8
"""Maximum number of points of a way through columns that a straight line may skip."""
_AT_ONCE = 200
"""Edges that are compared with all boxes in one go."""


class Column(NamedTuple):
    """A column of blocks.

    Attributes:
        left, right: where it begins and ends along the direction of reading.
        spans: what its blocks cover across that direction, clearance included, in ascending order.
    """

    left: float
    right: float
    spans: Sequence[tuple[float, float]]


def component_layout(
    digraph: nx.DiGraph,
    graph: BlockGraph,
    positions: Positions,
    direction: str,
    cancelled: CancelCheck | None = None,
    spreading: Spreading = "pushed",
) -> ComponentLayout:
    """A connected graph where a layout of networkx puts it.

    Args:
        digraph: the nodes, with `width`, `height` and `kind`.
        graph: their blocks.
        positions: the layout.
        direction: "right" or "down".
        cancelled: polled on the way.
        spreading: how the points get room for their blocks: "pushed" where it lacks; "scaled" as a whole, where pushing
            would let edges cross; "gridded", both axes by themselves, for points in columns and rows.
    """
    sizes = np.array([(block.along, block.across) for block in graph.blocks]) + GAP
    points = _points(graph, positions)
    raise_if_cancelled(cancelled)
    if spreading == "gridded":
        points = points * _grid(points, sizes)
        found = _drawn(digraph, graph, points, direction)
        return _around_boxes(digraph, found, direction, cancelled, _columns(graph, points))
    scaled = points * sizes.mean(axis=0) * max(1.0, len(points) ** 0.5)  # room for about all blocks
    pushed = scaled.copy()
    for _ in range(_PUSHES):
        raise_if_cancelled(cancelled)
        if not _push_apart(pushed, sizes):
            break
    found = _drawn(digraph, graph, pushed * _least_scale(pushed, sizes), direction)
    if spreading != "pushed" and found.crossings:
        other = _drawn(digraph, graph, scaled * _least_scale(scaled, sizes), direction)
        found = min(found, other, key=lambda drawing: drawing.crossings)
    return _around_boxes(digraph, found, direction, cancelled)


def _grid(points: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The scale of each axis at which neighbouring columns, and rows in a column, have room."""
    columns = np.unique(np.round(points[:, 0], 9))
    across = [np.diff(np.sort(points[np.isclose(points[:, 0], column), 1])) for column in columns]
    gaps = np.diff(columns), np.concatenate(across)
    return np.array([size / gap.min() if gap.size else 1.0 for size, gap in zip(sizes.max(axis=0), gaps, strict=True)])


def _columns(graph: BlockGraph, points: np.ndarray) -> list[Column]:
    """The columns of blocks, from the first to the last."""
    halves = np.array([(block.along, block.across) for block in graph.blocks]) / 2
    columns: list[Column] = []
    for middle in np.unique(np.round(points[:, 0], 6)):
        inside = np.isclose(points[:, 0], middle)
        reach = float(halves[inside, 0].max())
        rows = zip(points[inside, 1].tolist(), (halves[inside, 1] + _CLEARANCE).tolist(), strict=True)
        spans = sorted((y - half, y + half) for y, half in rows)
        columns.append(Column(float(middle) - reach, float(middle) + reach, spans))
    return columns


def _points(graph: BlockGraph, positions: Positions) -> np.ndarray:
    """Positions of the blocks, shape (n, 2), from -1 to 1; all distinct."""
    plain = nx.Graph()
    plain.add_nodes_from(range(len(graph)))
    plain.add_edges_from((source, target) for target, sources in enumerate(graph.inputs) for source in sources)
    found = positions(plain)
    points = np.array([tuple(found[number]) for number in range(len(graph))], dtype=float).reshape(-1, 2)
    points = np.nan_to_num(points - points.mean(axis=0))
    reach = np.abs(points).max()
    points = points / reach if reach > 0 else points
    if len(np.unique(np.round(points, 6), axis=0)) < len(points):
        ring = 2 * np.pi * np.arange(len(points)) / len(points)
        points = points + 1e-4 * np.stack([np.cos(ring), np.sin(ring)], axis=1)
    return np.asarray(points)


def _overlaps(points: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Differences of all pairs, shape (n, n, 2), what each lacks of being apart on either axis, and which overlap."""
    differences = points[:, None, :] - points[None, :, :]
    missing = (sizes[:, None, :] + sizes[None, :, :]) / 2 - np.abs(differences)
    overlapping = np.asarray((missing > 1e-9).all(axis=2)) & ~np.eye(len(points), dtype=bool)
    return differences, missing, overlapping


def _push_apart(points: np.ndarray, sizes: np.ndarray) -> bool:
    """Move blocks that overlap apart, in place; return True when there were any."""
    differences, missing, overlapping = _overlaps(points, sizes)
    if not overlapping.any():
        return False
    sideways = missing[..., 0] <= missing[..., 1]
    signs = np.where(
        differences == 0, np.where(np.tri(len(points), k=-1, dtype=bool)[..., None], 1.0, -1.0), np.sign(differences)
    )
    pushes = np.where(overlapping[..., None], signs * (missing + 0.1) / 2, 0.0)
    pushes[..., 0][~sideways] = 0.0
    pushes[..., 1][sideways] = 0.0
    points += pushes.sum(axis=1) / np.maximum(1.0, np.sqrt(overlapping.sum(axis=1)))[:, None]
    return True


def _least_scale(points: np.ndarray, sizes: np.ndarray) -> float:
    """The least factor by which the points have to be spread so that no two blocks overlap; 1 when none do."""
    differences, missing, overlapping = _overlaps(points, sizes)
    if not overlapping.any():
        return 1.0
    apart = np.maximum(np.abs(differences[overlapping]), 1e-9)
    return float(((missing[overlapping] + apart) / apart).min(axis=1).max()) * (1 + 1e-9)


def _drawn(digraph: nx.DiGraph, graph: BlockGraph, points: np.ndarray, direction: str) -> ComponentLayout:
    """The drawing with blocks at some points, and straight edges from border to border."""
    drawing = ComponentLayout()
    sizes = {node: _size(digraph, node, direction) for block in graph.blocks for node in block.nodes}
    for block, (x, y) in zip(graph.blocks, points.tolist(), strict=True):
        left = x - block.along / 2
        for node, length in zip(block.nodes, block.lengths, strict=True):
            drawing.positions[node] = (left + length / 2, y)
            left += length + OP_GAP
    for source, target in digraph.subgraph(sizes).edges():
        start, end = drawing.positions[source], drawing.positions[target]
        leaves = _on_border(start, sizes[source], end, _is_circle(digraph, source))
        arrives = _on_border(end, sizes[target], start, _is_circle(digraph, target))
        drawing.curves[source, target] = [straight(leaves, arrives)]
    drawing.bounds = _bounds(drawing, sizes)
    drawing.crossings = _crossings(list(drawing.curves.values()))
    return drawing


def _around_boxes(
    digraph: nx.DiGraph,
    drawing: ComponentLayout,
    direction: str,
    cancelled: CancelCheck | None,
    columns: Sequence[Column] = (),
) -> ComponentLayout:
    """The drawing with edges that bend where they would run under a box; straight where no way around is found."""
    nodes, pairs = list(drawing.positions), list(drawing.curves)
    sizes = {node: _size(digraph, node, direction) for node in nodes}
    centres = np.array([drawing.positions[node] for node in nodes])
    halves = np.array([sizes[node] for node in nodes]) / 2
    boxes, budget = Obstacles(np.hstack([centres - halves, centres + halves])), SearchBudget(_MOST_COMPARISONS)
    rows = {node: row for row, node in enumerate(nodes)}
    ends = np.array([(rows[source], rows[target]) for source, target in pairs], dtype=int).reshape(-1, 2)
    for first in range(0, len(pairs), _AT_ONCE):
        some = ends[first : first + _AT_ONCE]
        entered = boxes.entered(centres[some[:, 0]], centres[some[:, 1]])
        entered[np.arange(len(some))[:, None], some] = False
        for index in np.flatnonzero(entered.any(axis=1)).tolist():
            raise_if_cancelled(cancelled)
            source, target = pair = pairs[first + index]
            start, end = drawing.positions[source], drawing.positions[target]
            others = boxes.without(some[index].tolist())
            if columns:
                line: list[Point] | None = _through_columns(start, end, columns, others)
            else:
                searches = (shortest_way(start, end, others.grown(by), budget, most) for by, most in CLEARANCES)
                line = next((found for found in searches if found is not None), None)
            if line is not None:
                line[0] = _on_border(line[0], sizes[source], line[1], _is_circle(digraph, source))
                line[-1] = _on_border(line[-1], sizes[target], line[-2], _is_circle(digraph, target))
                drawing.curves[pair] = list(rounded(line, [] if columns else [others.grown(1.0)], _ROUNDING))
    drawing.bounds = _bounds(drawing, sizes)
    return drawing


def _through_columns(start: Point, end: Point, columns: Sequence[Column], others: Obstacles) -> list[Point]:
    """A way through the gap of each column that is nearest to the straight line.

    In columns there always are gaps, and a search over the corners of all boxes would take too long. Points are left
    out again where a straight line over several columns enters no box.
    """
    line = [start]
    for left, right, spans in columns:
        if left <= start[0] <= right:
            line.append((right + _CLEARANCE, start[1]))
        elif left <= end[0] <= right:
            line.append((left - _CLEARANCE, end[1]))
        elif start[0] < left and right < end[0]:
            level = between(start, end, ((left + right) / 2 - start[0]) / (end[0] - start[0]))[1]
            top, bottom = next((span for span in spans if span[0] < level < span[1]), (level, level))
            level = top if level - top < bottom - level else bottom
            line += [(left - _CLEARANCE, level), (right + _CLEARANCE, level)]
    line.append(end)
    kept, at = [start], 0
    while at < len(line) - 1:
        ahead = line[at + 1 : at + 1 + _LOOKED_AHEAD]
        entered = others.near([line[at], *ahead]).entered(np.array([line[at]] * len(ahead)), np.array(ahead))
        free = np.flatnonzero(~entered.any(axis=1))
        at += 1 + (int(free[-1]) if free.size else 0)
        kept.append(line[at])
    return kept


def _size(digraph: nx.DiGraph, node: Hashable, direction: str) -> Size:
    size = digraph.nodes[node]["width"], digraph.nodes[node]["height"]
    return size if direction == "right" else size[::-1]


def _is_circle(digraph: nx.DiGraph, node: Hashable) -> bool:
    about = digraph.nodes[node]
    return bool(about.get("kind") == "op" and about["width"] == about["height"])


def _on_border(centre: Point, size: Size, towards: Point, is_round: bool) -> Point:
    """Intersection of a node's border with the line from its centre to a point."""
    dx, dy = towards[0] - centre[0], towards[1] - centre[1]
    length = (dx * dx + dy * dy) ** 0.5
    if is_round:
        share = min(size) / 2 / length
    else:
        share = min(side / 2 / abs(way) for side, way in zip(size, (dx, dy), strict=True) if way)
    return centre[0] + share * dx, centre[1] + share * dy


def _bounds(drawing: ComponentLayout, sizes: Mapping[Hashable, Size]) -> tuple[float, float, float, float]:
    boxes = [(*drawing.positions[node], along / 2, across / 2) for node, (along, across) in sizes.items()]
    boxes += [(*end, 0.0, 0.0) for pieces in drawing.curves.values() for _, *points in pieces for end in points]
    return (
        min(x - half for x, _, half, _ in boxes),
        min(y - half for _, y, _, half in boxes),
        max(x + half for x, _, half, _ in boxes),
        max(y + half for _, y, _, half in boxes),
    )


def _crossings(curves: list[list[Cubic]]) -> int:
    """Number of pairs of straight edges that cross; 0 when there are too many edges to count."""
    if len(curves) > _COUNTED_EDGES or not curves:
        return 0
    starts = np.array([pieces[0][0] for pieces in curves])
    ends = np.array([pieces[-1][3] for pieces in curves])
    ways = ends - starts

    def side(points: np.ndarray) -> np.ndarray:
        offsets = points[None, :, :] - starts[:, None, :]
        return np.asarray(np.sign(np.round(ways[:, None, 0] * offsets[..., 1] - ways[:, None, 1] * offsets[..., 0], 6)))

    apart = side(starts) * side(ends) < 0  # the ends of each edge on the two sides of another
    return int((apart & apart.T).sum()) // 2
