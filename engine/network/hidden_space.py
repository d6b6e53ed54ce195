"""Deformation of the plane by a layer: a grid of lines in the raw inputs, and the samples, in the layer's outputs.

A layer of two neurons is shown as it is. Of a wider one two neurons are chosen, or the directions in which the samples
spread most (their principal components). Such pictures: Olah 2014, "Neural Networks, Manifolds, and Topology".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.errors import SettingError, checked_integer
from engine.network.predictor import Bounds
from engine.network.shape import NetworkShape

Floats = NDArray[Any]
Axes = tuple[int | None, int | None]
"""For each of two coordinates a neuron, from 1, or None: the next principal component."""
COMPONENTS: Axes = None, None
PLANE = -1
"""The raw inputs, before features and scaling; layer 0 has the network's inputs."""
_STEADY = 0.618
"""A component's sign follows x1 plus so much of x2, x3 and so on; no symmetry of the data sets is even in both."""


@dataclass(frozen=True, eq=False)
class HiddenSpace:
    """Lines and samples after a layer, in two coordinates.

    Attributes:
        layer: which, from 1; 0 is the network's inputs, PLANE the raw ones.
        width: its neurons; two of them are the coordinates where there are just two.
        points: (n_samples, 2) where the samples lie.
        lines: (n_lines, n_points, 2) where the points of each line of the grid lie; none for three raw inputs or more.
        boundary: (n, 2) where the other points of the plane lie that were asked for.
        names: of the coordinates: `L1N1`, or `PC1 (83 %)` with its share of the samples' variance; "" for the second
            one of a layer with a single neuron, which is 0.
    """

    layer: int
    width: int
    points: Floats
    lines: Floats
    boundary: Floats
    names: tuple[str, str]


def as_they_are(X: Floats) -> Floats:
    """Return the raw inputs as the network's inputs."""
    return X


@dataclass(frozen=True, eq=False)
class LayerPlane:
    """Two coordinates of a layer's outputs.

    Attributes:
        matrix: (width, 2) factor of the outputs.
        origin: (2,) subtracted from the product.
        names: see `HiddenSpace`.
    """

    matrix: Floats
    origin: Floats
    names: tuple[str, str]

    def coordinates(self, outputs: Floats) -> Floats:
        """Return coordinates of outputs (..., width), (..., 2)."""
        return np.asarray(outputs @ self.matrix - self.origin)


def hidden_space(
    shape: NetworkShape,
    parameters: Floats,
    X: Any,
    layer: int,
    *,
    lines: Floats | None = None,
    boundary: Floats | None = None,
    axes: Axes = COMPONENTS,
    inputs: Callable[[Floats], Floats] = as_they_are,
    names: tuple[str, ...] = (),
) -> HiddenSpace | None:
    """Return the samples, and lines over their plane, as a layer sees them; None where its outputs are not finite.

    Args:
        shape: of the network.
        parameters: (n_parameters,).
        X: (n_samples, n_raw) raw inputs.
        layer: from 1; 0 for the network's inputs, PLANE for the raw ones.
        lines: (n_lines, n_points, n_raw) points in the raw inputs, see `grid_lines`.
        boundary: (n, n_raw) other points.
        axes: which coordinates of a layer with three neurons or more; two different neurons.
        inputs: maps raw inputs (n, n_raw) to the network's (n, n_inputs).
        names: of the raw inputs, then of the network's; x1, x2 and so on where there are none.

    Raises:
        SettingError: a layer or neurons that are not there.
    """
    samples = np.asarray(X, dtype=np.float64)
    n_raw = samples.shape[1]
    grid = np.empty((0, 1, n_raw)) if lines is None else lines
    others = np.empty((0, n_raw)) if boundary is None else boundary
    checked_integer("layer", layer, PLANE, shape.n_layers)
    together = np.concatenate([samples, grid.reshape(-1, n_raw), others])
    outputs = together if layer == PLANE else inputs(together)
    if layer > 0:
        outputs = shape.layer_outputs(parameters, outputs, layer)[-1]
    if not np.isfinite(outputs).all():
        return None
    width = outputs.shape[1]
    labels = _labels(layer, width, n_raw, names)
    plane = layer_plane(outputs[: len(samples)], axes, labels, samples)
    placed = plane.coordinates(outputs)
    ends = np.cumsum([len(samples), grid.shape[0] * grid.shape[1]])
    points, warped, bent = np.split(placed, ends)
    return HiddenSpace(layer, width, points, warped.reshape(*grid.shape[:2], 2), bent, plane.names)


def grid_lines(bounds: Bounds, n_raw: int = 2, n_lines: int = 21, n_points: int = 81) -> Floats:
    """Return lines over raw inputs, (n_lines, n_points, n_raw).

    Args:
        bounds: of the grid.
        n_raw: 2: as many lines along each input, first those along which the first one changes; 1: a single line; more:
            none, for there is no plane.
        n_lines: along each of two inputs, 2 or more.
        n_points: of each line, 2 or more.
    """
    left, right, bottom, top = bounds
    across, up = np.linspace(left, right, n_points), np.linspace(bottom, top, n_points)
    if n_raw != 2:
        return across[None, :, None] if n_raw == 1 else np.empty((0, n_points, n_raw))
    level = [np.column_stack([across, np.full(n_points, y)]) for y in np.linspace(bottom, top, n_lines)]
    upright = [np.column_stack([np.full(n_points, x), up]) for x in np.linspace(left, right, n_lines)]
    return np.array(level + upright)


def layer_plane(outputs: Floats, axes: Axes, labels: tuple[str, ...], X: Floats) -> LayerPlane:
    """Choose two coordinates that show a layer.

    Args:
        outputs: (n_samples, width), finite.
        axes: chosen neurons or components; a layer with one or two neurons is shown as it is.
        labels: of the neurons.
        X: (n_samples, n_raw) raw inputs of the samples: they say which way a component points.

    Raises:
        SettingError: neurons that are not there, or one of them twice.
    """
    width = outputs.shape[1]
    if width == 1:
        return LayerPlane(np.array([[1.0, 0.0]]), np.zeros(2), (labels[0], ""))
    chosen = (1, 2) if width == 2 else axes
    for neuron in chosen:
        if neuron is not None:
            checked_integer("neuron", neuron, 1, width)
    if chosen[0] is not None and chosen[0] == chosen[1]:
        raise SettingError("neurons", "two different ones", f"L{labels[chosen[0] - 1]} twice")
    neurons = np.eye(width)
    components = iter(_components(outputs, X) if None in chosen else ())
    axes_found = [
        next(components) if neuron is None else (neurons[neuron - 1], 0.0, labels[neuron - 1]) for neuron in chosen
    ]
    (first, at_first, first_name), (second, at_second, second_name) = axes_found
    return LayerPlane(np.column_stack([first, second]), np.array([at_first, at_second]), (first_name, second_name))


def _components(outputs: Floats, X: Floats) -> list[tuple[Floats, float, str]]:
    """Return the two directions (width,) of the largest variance, where the mean lies along each, and their names."""
    mean = outputs.mean(axis=0)
    spread = outputs - mean
    values, vectors = np.linalg.eigh(spread.T @ spread)
    directions = vectors[:, :-3:-1].T
    total = np.trace(spread.T @ spread)
    shares = np.clip(values[:-3:-1], 0.0, None) / total if total > 0.0 else np.zeros(2)
    weights = np.append(1.0, np.full(X.shape[1] - 1, _STEADY))
    along = (spread @ directions.T).T @ ((X - X.mean(axis=0)) @ weights)
    directions = directions * np.where(along < 0.0, -1.0, 1.0)[:, None]
    names = [f"PC{number} ({100 * share:.0f} %)" for number, share in enumerate(shares, 1)]
    return [(direction, float(direction @ mean), name) for direction, name in zip(directions, names, strict=True)]


def _labels(layer: int, width: int, n_raw: int, names: tuple[str, ...]) -> tuple[str, ...]:
    if layer > 0:
        return tuple(f"L{layer}N{neuron}" for neuron in range(1, width + 1))
    given = names[:n_raw] if layer == PLANE else names[n_raw:]
    return given if len(given) == width else tuple(f"x{column}" for column in range(1, width + 1))
