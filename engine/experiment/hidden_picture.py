"""A layer's view of the plane at one snapshot, from the raw points to the layer.

When a layer has two neurons, the layers behind it are a network on the plane of these two: its map and its decision
line are drawn as for the raw plane. Behind the last hidden layer that line is straight: this is how a hidden layer
solves a problem that no line in the raw plane solves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.experiment.snapshot_network import SnapshotNetwork
from engine.network.hidden_space import COMPONENTS, PLANE, Axes, HiddenSpace, grid_lines, hidden_space
from engine.network.level_line import class_borders, level_line
from engine.network.predictor import Bounds, grid_points

Floats = NDArray[Any]
MARGIN, MAP_MARGIN = 0.15, 0.3
LEAST_SPREAD = 1e-9
"""Least size of a rectangle, as a share of the largest number in it."""
N_LINES, GRID, MAP = 15, 81, 101
"""Grid lines in each direction; points along each side of the grid that finds the decision line in the raw plane, and
of the map of a layer.
"""


@dataclass(frozen=True, eq=False)
class HiddenPicture:
    """Contents of the picture.

    Attributes:
        step: of the snapshot.
        start: the raw plane; of more than two raw inputs the first two.
        end: the layer.
        outputs: (n_samples, n_outputs) displayed outputs of the network for each sample.
        bounds: of the end, with a margin and the requested aspect.
        map: (MAP, MAP, n_outputs) displayed outputs of the layers behind, over `bounds`; None unless the layer has two
            neurons.
        line: x and y of the ends of the segments of the decision line, (2 * n_segments,) each.
        is_last_hidden: only the output layer is behind, so that the line is straight.
    """

    step: int
    start: HiddenSpace
    end: HiddenSpace
    outputs: Floats
    bounds: Bounds
    map: Floats | None
    line: tuple[Floats, Floats]
    is_last_hidden: bool = False


def hidden_picture(
    network: SnapshotNetwork,
    X: Floats,
    layer: int,
    axes: Axes = COMPONENTS,
    level: float | None = None,
    aspect: float = 1.0,
) -> HiddenPicture | None:
    """Return samples, grid and decision line on their way from the raw plane to a layer; None where not finite.

    Args:
        network: at the snapshot.
        X: (n_samples, n_columns) raw points.
        layer: from 1; 0: the network's inputs; PLANE: the raw points.
        axes: see `hidden_space`.
        level: displayed output above which the second of two classes is decided; None: there is no such number.
        aspect: width over height of the map.
    """
    n_raw, everything = X.shape[1], network.data.raw.X  # X is a sample of large data
    bounds = bounds_around(everything[:, :2] if n_raw > 1 else np.column_stack([everything, np.zeros(len(everything))]))
    lines = grid_lines(bounds, n_raw, N_LINES)
    boundary = np.empty((0, n_raw))
    if n_raw == 2:
        over_plane = network.outputs(grid_points(bounds, GRID)).reshape(GRID, GRID, -1)
        boundary = np.column_stack(decision_line(over_plane, bounds, level))
    names = (*network.data.raw.feature_names, *network.data.train.feature_names)
    start, end = (
        hidden_space(
            network.shape,
            network.parameters,
            X,
            each,
            lines=lines,
            boundary=boundary,
            axes=axes if each == layer else (1, 2),
            inputs=network.data.to_inputs,
            names=names,
        )
        for each in (PLANE, layer)
    )
    if start is None or end is None:
        return None
    outputs = network.outputs(X)
    seen = with_aspect(bounds_around(np.concatenate([end.points, end.lines.reshape(-1, 2)]), MAP_MARGIN), aspect)
    if layer < 0 or end.width != 2 or layer == network.shape.n_layers:
        return HiddenPicture(network.step, start, end, outputs, seen, None, (np.empty(0), np.empty(0)))
    behind, parameters = network.shape.after(layer, network.parameters)
    values = network.readable(behind.outputs(parameters, grid_points(seen, MAP))).reshape(MAP, MAP, -1)
    line, is_last = decision_line(values, seen, level), layer == network.shape.n_layers - 1
    return HiddenPicture(network.step, start, end, outputs, seen, values, line, is_last)


def bounds_around(points: Floats, margin: float = MARGIN) -> Bounds:
    """Return a rectangle around points (n, 2), with a margin as a share of their spread, or of 1 without spread.

    It has a size also where all points are one number so large that 1 more is no other number.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.where(high > low, high - low, max(float((high - low).max()), 1.0))
    size = np.maximum(size, LEAST_SPREAD * np.abs(points).max())
    (left, bottom), (right, top) = (low + high) / 2 - size * (0.5 + margin), (low + high) / 2 + size * (0.5 + margin)
    return float(left), float(right), float(bottom), float(top)


def with_aspect(bounds: Bounds, aspect: float) -> Bounds:
    """Return the rectangle of this aspect and with the same centre that contains another one."""
    left, right, bottom, top = bounds
    half = max(right - left, (top - bottom) * aspect) / 2
    across, up = (left + right) / 2, (bottom + top) / 2
    return across - half, across + half, up - half / aspect, up + half / aspect


def decision_line(values: Floats, bounds: Bounds, level: float | None) -> tuple[Floats, Floats]:
    """Return the ends of the segments along which displayed outputs (n, n, n_outputs) decide between classes.

    Args:
        values: over the rectangle, rows by ascending y.
        bounds: of the rectangle.
        level: see `hidden_picture`; None for one output: no decision.
    """
    if values.shape[-1] > 1:
        return class_borders(values, bounds)
    return (np.empty(0), np.empty(0)) if level is None else level_line(values[..., 0], bounds, level)
