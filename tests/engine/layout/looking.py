"""Measurements of a drawing, from its boxes and polylines alone."""

from itertools import combinations, pairwise
from math import dist

import numpy as np


def boxes(graph, placed):
    """Left, top, right and bottom of every node."""
    found = {}
    for node, (x, y) in placed.positions.items():
        width, height = graph.nodes[node]["width"], graph.nodes[node]["height"]
        found[node] = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    return found


def overlapping(graph, placed):
    """Pairs of nodes whose boxes share more than an edge."""
    found = boxes(graph, placed)
    return [(a, b) for a, b in combinations(found, 2) if _share(found[a], found[b])]


def touching(graph, placed):
    """(edge, node) where the rectangle around a piece of the edge reaches a box that is not at one of its ends."""
    found = boxes(graph, placed)
    if not placed.routes:
        return []
    nodes = list(found)
    left, top, right, bottom = np.array(list(found.values())).T[:, :, None]
    reached = []
    for edge, route in placed.routes.items():
        points = np.array(route)
        low_x, low_y = np.minimum(points[:-1], points[1:]).T
        high_x, high_y = np.maximum(points[:-1], points[1:]).T
        near = (low_x <= right) & (high_x >= left) & (low_y <= bottom) & (high_y >= top)
        reached += [(edge, nodes[at]) for at in np.flatnonzero(near.any(axis=1)) if nodes[at] not in edge]
    return reached


def under_boxes(graph, placed):
    """(edge, node) where a point of the edge lies in a box that is not at one of its ends, half a pixel inside."""
    found, under = boxes(graph, placed), set()
    for edge, route in placed.routes.items():
        for (ax, ay), (bx, by) in pairwise(route):
            steps = max(1, round(dist((ax, ay), (bx, by)) / 4))
            points = [(ax + (bx - ax) * step / steps, ay + (by - ay) * step / steps) for step in range(steps + 1)]
            for node, (left, top, right, bottom) in found.items():
                if node not in edge and max(ax, bx) > left and min(ax, bx) < right:
                    inside = (left + 0.5 < x < right - 0.5 and top + 0.5 < y < bottom - 0.5 for x, y in points)
                    under |= {(edge, node)} if any(inside) else set()
    return sorted(under)


def backward(graph, placed, axis=0):
    """Edges that do not start at the end of their source and finish, further on, at the start of their target."""
    found = boxes(graph, placed)
    return [
        (u, v)
        for (u, v), route in placed.routes.items()
        if abs(route[0][axis] - found[u][axis + 2]) > 1e-6
        or abs(route[-1][axis] - found[v][axis]) > 1e-6
        or any(b[axis] <= a[axis] for a, b in pairwise(route))
    ]


def drawn_crossings(placed):
    """Number of crossings of polylines that share no end."""
    segments = sorted(
        (min(a[0], b[0]), a, b, edge) for edge, route in placed.routes.items() for a, b in pairwise(route)
    )
    active, count = [], 0
    for segment in segments:
        active = [other for other in active if max(other[1][0], other[2][0]) >= segment[0]]
        count += sum(not set(other[3]) & set(segment[3]) and _cross(*segment[1:3], *other[1:3]) for other in active)
        active.append(segment)
    return count


def length(placed):
    """Length of all routes together, in pixels."""
    return sum(dist(a, b) for route in placed.routes.values() for a, b in pairwise(route))


def area(placed):
    """Area of the bounds, in square pixels."""
    x0, y0, x1, y1 = placed.bounds
    return (x1 - x0) * (y1 - y0)


def movement(before, after):
    """Mean distance between the places of a node in two drawings, in pixels."""
    return sum(dist(before.positions[n], after.positions[n]) for n in before.positions) / len(before.positions)


def _share(a, b):
    return a[0] < b[2] - 1e-6 and b[0] < a[2] - 1e-6 and a[1] < b[3] - 1e-6 and b[1] < a[3] - 1e-6


def _cross(a, b, c, d):
    return _side(a, b, c) * _side(a, b, d) < 0 and _side(c, d, a) * _side(c, d, b) < 0


def _side(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
