"""Figures of each layer at one step of training: weights, gradients, outputs, slopes; for histograms and notices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.layer import ACTIVATIONS
from engine.network.shape import NetworkShape

Floats = NDArray[Any]
BINS = 41


@dataclass(frozen=True, eq=False)
class LayerFigures:
    """A layer at given parameters.

    Attributes:
        layer: from 1.
        activation: a name of ACTIVATIONS.
        weights: (n_neurons, n_inputs + 1), the bias last.
        gradients: of the same shape, those that the last update used.
        outputs: (n_samples, n_neurons).
        slopes: (n_samples, n_neurons) the activation's derivative where each sample stands.
    """

    layer: int
    activation: str
    weights: Floats
    gradients: Floats
    outputs: Floats
    slopes: Floats


@np.errstate(all="ignore")
def layer_figures(shape: NetworkShape, parameters: Floats, gradients: Floats, X: Floats) -> list[LayerFigures]:
    """Return every layer at these parameters.

    Args:
        shape: of the network.
        parameters: (n_parameters,).
        gradients: (n_parameters,).
        X: (n_samples, n_inputs).
    """
    layers: list[LayerFigures] = []
    matrices = zip(shape.layer_matrices(parameters), shape.layer_matrices(gradients), strict=True)
    computed = shape.forward(parameters, np.asarray(X, dtype=np.float64))
    for name, (weights, slopes_of_loss), (sums, outputs) in zip(shape.activations, matrices, computed, strict=True):
        op, ones = ACTIVATIONS[name], np.ones_like(sums)
        slopes = ones if op is None else np.asarray(op.array_vjps[0](sums, outputs, ones))
        layers.append(LayerFigures(len(layers) + 1, name, weights, slopes_of_loss, outputs, slopes))
    return layers


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of numbers by interval.

    Attributes:
        edges: (n_bins + 1,) ascending.
        counts: (n_bins,).
        left_out: how many were nan or infinite.
    """

    edges: Floats
    counts: Floats
    left_out: int


def histogram(numbers: Floats, bins: int = BINS) -> Histogram:
    """Count the finite ones among any numbers; there is one bin around a single value."""
    return histograms([numbers], bins)[0]


def histograms(groups: Sequence[Floats], bins: int = BINS) -> list[Histogram]:
    """Count several groups of any numbers, with the same edges for all of them."""
    flat = [np.ravel(numbers).astype(np.float64) for numbers in groups]
    finite = [numbers[np.isfinite(numbers)] for numbers in flat]
    edges = np.linspace(*_range(np.concatenate(finite)), bins + 1)
    counts = [np.histogram(numbers, edges)[0] for numbers in finite]
    return [Histogram(edges, c, len(a) - len(b)) for c, a, b in zip(counts, flat, finite, strict=True)]


def _range(numbers: Floats) -> tuple[float, float]:
    """Return the smallest and the largest number, with some room where they are nearly equal."""
    if not len(numbers):
        return -1.0, 1.0
    low, high = float(numbers.min()), float(numbers.max())
    room = 1e-9 * max(abs(low), abs(high), 1e-290)
    return (low, high) if high - low > room else (low - max(room, 0.5e-9), high + max(room, 0.5e-9))


def same_neurons(weights: Floats, following: Floats) -> Sequence[tuple[int, int]]:
    """Return pairs of neurons of a layer, from 1, that are equal: incoming weights, bias and outgoing weights.

    Args:
        weights: (n_neurons, n_inputs + 1).
        following: (n_next, n_neurons + 1) weights of the next layer.
    """
    rows = np.hstack([weights, following[:, :-1].T])
    order = np.lexsort(rows.T[::-1])
    return [(int(min(a, b)) + 1, int(max(a, b)) + 1) for a, b in pairwise(order) if np.array_equal(rows[a], rows[b])]
