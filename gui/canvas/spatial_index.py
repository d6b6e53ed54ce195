"""Spatial index of nodes and edges as arrays: finds those in a rectangle or under a point without touching an item."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import numpy as np
from PySide6.QtCore import QRectF

from engine.graph.moved import node_bounds
from engine.graph.picture import Edge, Picture

Key = TypeVar("Key", bound=str | tuple[str, str])
Bounds = tuple[float, float, float, float]
"""left, top, right, bottom, scene pixels"""
ROOM = 12.0
"""Largest distance that a node's halo or an edge's line extends from its bounds."""


class SpatialIndex:
    """The rectangles of all nodes and edges of one picture.

    Attributes:
        n_shapes: how many nodes and pieces of edges there are.
    """

    def __init__(self, picture: Picture) -> None:
        self._nodes = (*picture.circles, *picture.boxes)
        self._edges = tuple(picture.edges)
        self._rows: dict[str | tuple[str, str], int] = {}
        areas = [node_bounds(circle) for circle in picture.circles.values()]
        areas += [node_bounds(box) for box in picture.boxes.values()]
        self._node_bounds = np.array(areas, dtype=float).reshape(-1, 4)
        self._edge_bounds = np.array([edge_bounds(edge) for edge in picture.edges.values()], dtype=float).reshape(-1, 4)

        self.n_shapes = len(self._nodes) + sum(len(edge.curves) for edge in picture.edges.values())

    def follow(self, picture: Picture, nodes: Iterable[str], edges: Iterable[tuple[str, str]]) -> None:
        """Takes the new places of some nodes and edges; the picture has the same keys as the one before."""
        self._number_rows()
        for key in nodes:
            self._node_bounds[self._rows[key]] = node_bounds(picture.boxes.get(key) or picture.circles[key])
        for pair in edges:
            self._edge_bounds[self._rows[pair]] = edge_bounds(picture.edges[pair])

    def node_at(self, x: float, y: float) -> str | None:
        """The node that covers the point; the one drawn last where several do."""
        hits = _overlapping(self._node_bounds, [QRectF(x, y, 0, 0)])
        return self._nodes[hits[-1]] if len(hits) else None

    def nodes_in(self, *areas: QRectF) -> list[str]:
        """Nodes that may be seen in one of the areas."""
        return [self._nodes[row] for row in _overlapping(self._node_bounds, areas, ROOM)]

    def edges_in(self, *areas: QRectF) -> list[tuple[str, str]]:
        """Edges that may be seen in one of the areas."""
        return [self._edges[row] for row in _overlapping(self._edge_bounds, areas, ROOM)]

    def node_rects_in(self, area: QRectF) -> list[QRectF]:
        """The rectangles of the nodes that reach into an area."""
        rows = _overlapping(self._node_bounds, [area])
        return [QRectF(x0, y0, x1 - x0, y1 - y0) for x0, y0, x1, y1 in self._node_bounds[rows].tolist()]

    def within(self, keys: Iterable[Key], area: QRectF) -> list[Key]:
        """Return the nodes and edges that may be seen in the area; keys that are not drawn are left out."""
        self._number_rows()
        nodes: list[Key] = []
        edges: list[Key] = []
        for key in keys:
            if key in self._rows:
                (edges if isinstance(key, tuple) else nodes).append(key)
        found = [nodes[place] for place in self._seen(self._node_bounds, nodes, area)]
        return found + [edges[place] for place in self._seen(self._edge_bounds, edges, area)]

    def _seen(self, bounds: np.ndarray, keys: list[Key], area: QRectF) -> np.ndarray:
        rows = np.fromiter((self._rows[key] for key in keys), dtype=np.intp, count=len(keys))
        return _overlapping(bounds[rows], [area], ROOM)

    def _number_rows(self) -> None:
        if not self._rows:
            self._rows.update({key: row for row, key in enumerate(self._nodes)})
            self._rows.update({pair: row for row, pair in enumerate(self._edges)})

    def count_nodes_in(self, area: QRectF) -> int:
        """Return the number of nodes in the area."""
        return len(_overlapping(self._node_bounds, [area]))

    def count_edges_in(self, area: QRectF) -> int:
        """Return the number of edges that may be seen in the area."""
        return len(_overlapping(self._edge_bounds, [area], ROOM))

    def holds(self, area: QRectF) -> bool:
        """Return True when a node, its halo included, or an edge may be seen in the area."""
        return any(len(_overlapping(bounds, [area], ROOM)) for bounds in (self._node_bounds, self._edge_bounds))


def edge_bounds(edge: Edge) -> Bounds:
    """The rectangle around an edge's control points."""
    xs = [point[0] for curve in edge.curves for point in curve]
    ys = [point[1] for curve in edge.curves for point in curve]
    return min(xs), min(ys), max(xs), max(ys)


def _overlapping(bounds: np.ndarray, areas: Iterable[QRectF], room: float = 0.0) -> np.ndarray:
    """The rows of the rectangles that reach into one of the areas, or as near as `room`."""
    seen = np.zeros(len(bounds), dtype=bool)
    for area in areas:
        left, top, right, bottom = area.left() - room, area.top() - room, area.right() + room, area.bottom() + room
        seen |= (bounds[:, 0] <= right) & (bounds[:, 2] >= left) & (bounds[:, 1] <= bottom) & (bounds[:, 3] >= top)
    return np.flatnonzero(seen)
