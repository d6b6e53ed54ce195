"""The line along which a grid of numbers has one value: marching squares, for all cells at once.

Lorensen & Cline 1987 in two dimensions (Wikipedia, "Marching squares"): every cell whose corners lie on both sides gets
a segment between the crossings of its edges, found by linear interpolation; where all four edges are crossed, the mean
of the corners tells which two segments it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.predictor import Bounds

Floats = NDArray[Any]

# corners of a cell as (row, column), and its edges as pairs of corners: bottom, right, top, left
CORNERS = ((0, 0), (0, 1), (1, 1), (1, 0))
EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))


def level_line(grid: Floats, bounds: Bounds, level: float) -> tuple[Floats, Floats]:
    """Return the segments of the line where the numbers of a grid pass a level.

    Args:
        grid: (n_rows, n_columns) numbers, rows by ascending y, 2 or more each way; numbers that are not finite count as
            0.
        bounds: x of the first and last column, y of the first and last row.
        level: the value.

    Returns:
        x and y of the segments' ends, (2 * n_segments,) each: two in a row make a segment.
    """
    heights = np.clip(np.nan_to_num(np.asarray(grid, dtype=np.float64)), -1e100, 1e100) - level
    above = heights > 0.0
    low_left, others = above[:-1, :-1], (above[:-1, 1:], above[1:, :-1], above[1:, 1:])
    rows, columns = np.nonzero(np.any([low_left != other for other in others], axis=0))  # corners on both sides
    if not len(rows):
        return np.empty(0), np.empty(0)
    corners = np.stack([heights[rows + up, columns + across] for up, across in CORNERS], axis=1)

    # crossed edges of each cell, and the crossing points in widths and heights of the cell
    crossed, places = np.empty(corners.shape, dtype=bool), np.zeros((*corners.shape, 2))
    for edge, (start, end) in enumerate(EDGES):
        below, beyond = corners[:, start], corners[:, end]
        crossed[:, edge] = (below > 0.0) != (beyond > 0.0)
        share = np.divide(below, below - beyond, out=np.zeros_like(below), where=crossed[:, edge])
        for axis in (0, 1):
            from_, to = CORNERS[start][1 - axis], CORNERS[end][1 - axis]
            places[:, edge, axis] = from_ + share * (to - from_)

    # the cell of each segment, and the two edges that it joins; a saddle has two segments
    saddle = crossed.all(axis=1)
    plain, saddles = np.nonzero(~saddle)[0], np.nonzero(saddle)[0]
    edges = np.nonzero(crossed[plain])[1].reshape(-1, 2)
    same = (corners[saddles, 0] > 0.0) == (corners[saddles].mean(axis=1) > 0.0)  # the first corner and the middle
    around = np.where(same[:, None], [[0, 1, 2, 3]], [[3, 0, 1, 2]]).reshape(-1, 2)
    cells = np.concatenate([plain, np.repeat(saddles, 2)])
    first, last = np.concatenate([edges[:, 0], around[:, 0]]), np.concatenate([edges[:, 1], around[:, 1]])

    ends = np.stack([places[cells, first], places[cells, last]], axis=1)  # (n_segments, 2 ends, x and y)
    left, right, bottom, top = bounds
    x = left + (columns[cells, None] + ends[..., 0]) * (right - left) / (heights.shape[1] - 1)
    y = bottom + (rows[cells, None] + ends[..., 1]) * (top - bottom) / (heights.shape[0] - 1)
    return x.reshape(-1), y.reshape(-1)


def class_borders(grid: Floats, bounds: Bounds) -> tuple[Floats, Floats]:
    """Return the segments of the lines between the areas in which one of several outputs is the largest.

    Args:
        grid: (n_rows, n_columns, n_outputs), as for `level_line`.
        bounds: as for `level_line`.

    Returns:
        x and y of the segments' ends, as `level_line` returns them.
    """
    leads = (grid[..., each] - np.delete(grid, each, axis=-1).max(axis=-1) for each in range(grid.shape[-1] - 1))
    lines = [level_line(lead, bounds, 0.0) for lead in leads]  # each border has a side that is not the last output's
    return np.concatenate([x for x, _ in lines]), np.concatenate([y for _, y in lines])
