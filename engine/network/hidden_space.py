"""How a layer bends the plane: a grid of lines in the inputs, and the samples, as the layer's outputs show them.

A layer of two neurons is shown as it is. Of a wider one two neurons are chosen, or the two directions in which the
samples spread most (their principal components).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.errors import SettingError, checked_integer
from engine.network.predictor import Predictor

Floats = NDArray[Any]
Bounds = tuple[float, float, float, float]
"""First and last value of the first input, then of the second."""


@dataclass(frozen=True, eq=False)
class HiddenSpace:
    """What a layer makes of lines and samples, in two coordinates.

    Attributes:
        layer: which, from 1; 0 is the inputs themselves.
        points: (n_samples, 2) where the samples lie.
        lines: (n_lines, n_points, 2) where the points of each line of the grid lie, first the lines along which the
            first input changes.
        names: of the axes: `L1N1`, or which share of the samples' spread lies along it.
    """

    layer: int
    points: Floats
    lines: Floats
    names: tuple[str, str]


def hidden_space(
    predictor: Predictor,
    X: Any,
    layer: int,
    bounds: Bounds,
    neurons: tuple[int, int] | None = None,
    n_lines: int = 21,
    n_points: int = 81,
) -> HiddenSpace:
    """The samples and a grid over their plane as a layer sees them.

    Args:
        predictor: of a network with two inputs.
        X: (n_samples, 2).
        layer: from 1; 0 for the inputs.
        bounds: of the grid.
        neurons: two different neurons of the layer, from 1; None: its only two, or the principal components.
        n_lines: in each direction, 2 or more.
        n_points: of each line, 2 or more.

    Raises:
        SettingError: a network without two inputs, a layer or neurons that are not there.
    """
    samples = np.asarray(X, dtype=np.float64)
    if samples.ndim != 2 or samples.shape[1] != 2:
        raise SettingError("the hidden space", "asked of a network with two inputs", samples.shape)
    grid = _grid(bounds, n_lines, n_points)
    bent, warped = (_outputs(predictor, points, layer) for points in (samples, grid.reshape(-1, 2)))
    matrix, origin, names = _projection(bent, layer, neurons)
    lines = ((warped - origin) @ matrix).reshape(2 * n_lines, n_points, 2)
    return HiddenSpace(layer, (bent - origin) @ matrix, lines, names)


def _grid(bounds: Bounds, n_lines: int, n_points: int) -> Floats:
    """(2 * n_lines, n_points, 2) points of the lines."""
    left, right, bottom, top = bounds
    across, up = np.linspace(left, right, n_points), np.linspace(bottom, top, n_points)
    level = [np.column_stack([across, np.full(n_points, y)]) for y in np.linspace(bottom, top, n_lines)]
    upright = [np.column_stack([np.full(n_points, x), up]) for x in np.linspace(left, right, n_lines)]
    return np.array(level + upright)


def _outputs(predictor: Predictor, X: Floats, layer: int) -> Floats:
    if layer == 0:
        return X
    outputs = predictor.layer_outputs(X)
    checked_integer("layer", layer, 0, len(outputs))
    return outputs[layer - 1]


def _projection(bent: Floats, layer: int, neurons: tuple[int, int] | None) -> tuple[Floats, Floats, tuple[str, str]]:
    """What to multiply outputs (n, n_neurons) less an origin by to have two coordinates, and what these are called."""
    width = bent.shape[1]
    if width == 1:
        return np.array([[1.0, 0.0]]), np.zeros(1), (_name(layer, 1), "")
    if neurons is not None or width == 2:
        first, second = neurons or (1, 2)
        for neuron in (first, second):
            checked_integer("neuron", neuron, 1, width)
        return np.eye(width)[:, [first - 1, second - 1]], np.zeros(width), (_name(layer, first), _name(layer, second))
    origin = bent.mean(axis=0)
    _, lengths, directions = np.linalg.svd(bent - origin, full_matrices=False)
    signs = np.sign(directions[:2, np.argmax(np.abs(directions[:2]), axis=1)].diagonal())  # the same each time
    total = np.sum(lengths**2)
    shares = lengths[:2] ** 2 / total if total else np.zeros(2)
    first_name, second_name = (f"component {i} ({share:.0%} of the spread)" for i, share in enumerate(shares, 1))
    return (directions[:2] * signs[:, None]).T, origin, (first_name, second_name)


def _name(layer: int, neuron: int) -> str:
    return f"L{layer}N{neuron}" if layer else f"x{neuron}"
