"""Outputs of every neuron over the plane of the raw inputs: the small maps in the network drawing.

A map depends on shape, parameters, bounds and the map from raw inputs alone, so that it can be
computed for any snapshot, in any thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.predictor import Bounds
from engine.network.shape import NetworkShape

Floats = NDArray[Any]
MARGIN = 0.15
"""Margin of a map around the data, as a share of the data's width."""


@dataclass(frozen=True, eq=False)
class NeuronMaps:
    """The maps of a network, or of a layer of it.

    Attributes:
        layers: for each layer, the network's inputs first, (n_neurons, height, width) outputs; row 0 is at the largest
            x2, as a picture has it. For a single raw input (n_neurons, 1, width): the values of a curve.
        scales: for each layer (n_neurons,) the largest absolute output on each map that is a number; 0.0 where all
            are 0 or none is.
    """

    layers: tuple[Floats, ...]
    scales: tuple[Floats, ...]


def plane_bounds(X: Any) -> Bounds:
    """Return a square around the data's first two columns, or the range of its only one; margin 1 around a point.

    Those of x2 are 0 and 0 for a single raw input.
    """
    raw = np.asarray(X, dtype=np.float64)[:, :2]
    low, high = raw.min(axis=0), raw.max(axis=0)
    half = float((high - low).max()) * (0.5 + MARGIN) or 1.0
    ends = [(float(middle) - half, float(middle) + half) for middle in (low + high) / 2]
    return (*ends[0], *(ends[1] if len(ends) > 1 else (0.0, 0.0)))


def plane_points(bounds: Bounds, width: int, n_raw: int, at: Floats | None = None) -> Floats:
    """Return the raw inputs of a map's points, row by row from the largest x2 down, (width * width, n_raw).

    Args:
        bounds: of the plane.
        width: points along a side, 2 or more; for a single raw input, number of points.
        n_raw: raw inputs.
        at: (n_raw,) constants for the third and later inputs; None without such inputs.
    """
    left, right, bottom, top = bounds
    across = np.linspace(left, right, width)
    if n_raw == 1:
        return across[:, None]
    x1, x2 = np.meshgrid(across, np.linspace(top, bottom, width))
    points = np.empty((width * width, n_raw))
    points[:, 2:] = 0.0 if at is None else at[2:]
    points[:, 0], points[:, 1] = x1.ravel(), x2.ravel()
    return points


@np.errstate(all="ignore")  # of a diverged network
def neuron_maps(
    shape: NetworkShape,
    parameters: Floats,
    bounds: Bounds,
    width: int,
    n_raw: int,
    inputs: Callable[[Floats], Floats] | None = None,
    at: Floats | None = None,
) -> NeuronMaps:
    """Return the maps of all neurons, in float32 where its range is enough: more digits than a picture has colours.

    Args:
        shape: of the network.
        parameters: (n_parameters,).
        bounds: of the plane, see `plane_bounds`.
        width: points along a side, 2 or more.
        n_raw: raw inputs of a sample, 1 or more.
        inputs: maps raw inputs (n, n_raw) to the network's (n, n_inputs); None: they are its inputs.
        at: (n_raw,) constants for the third and later raw inputs, such as their means.

    Raises:
        SizeError: parameters or inputs of another number.
    """
    outputs = _layer_outputs(shape, parameters, _fed(plane_points(bounds, width, n_raw, at), inputs), None)
    height = 1 if n_raw == 1 else width
    layers = tuple(np.ascontiguousarray(layer.T).reshape(-1, height, width) for layer in outputs)
    return NeuronMaps(layers, tuple(map(_largest, layers)))


def neuron_map(
    shape: NetworkShape,
    parameters: Floats,
    bounds: Bounds,
    width: int,
    n_raw: int,
    neuron: tuple[int, int],
    inputs: Callable[[Floats], Floats] | None = None,
    at: Floats | None = None,
) -> Floats:
    """Return the map of one neuron for a larger picture: (1, width, width), or (1, 1, width) for a single raw input.

    Args:
        neuron: its layer, 0 being the inputs, and its number in it, from 0.

    The others as of `neuron_maps`.
    """
    layer, number = neuron
    outputs = _layer_outputs(shape, parameters, _fed(plane_points(bounds, width, n_raw, at), inputs), layer)[-1]
    return np.asarray(outputs[:, number]).reshape(1, 1 if n_raw == 1 else width, width)


def _fed(raw: Floats, inputs: Callable[[Floats], Floats] | None) -> Floats:
    return np.asarray(raw if inputs is None else inputs(raw))


@np.errstate(over="ignore")  # numbers that float32 cannot hold are computed again in float64
def _layer_outputs(shape: NetworkShape, parameters: Floats, fed: Floats, last: int | None) -> list[Floats]:
    """Return the inputs and the outputs of the layers up to `last`: float32, or float64 where its range is exceeded."""
    for dtype in (np.float32, np.float64):
        inputs = np.asarray(fed, dtype=dtype)
        outputs = [] if last == 0 else shape.layer_outputs(np.asarray(parameters, dtype=dtype), inputs, last)
        if all(np.isfinite(each).all() for each in outputs):
            break
    return [inputs, *outputs]


def _largest(layer: Floats) -> Floats:
    sizes = np.abs(layer)
    largest = sizes.max(axis=(1, 2))
    if not np.isfinite(largest).all():
        largest = np.where(np.isfinite(sizes), sizes, 0.0).max(axis=(1, 2))
    return np.asarray(largest)
