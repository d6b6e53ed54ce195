"""Histograms of each layer at one moment: its weights, their gradients, or its outputs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from engine.experiment.moment_network import MomentNetwork
from engine.network.layer_figures import Histogram, LayerFigures, histograms, layer_figures
from engine.network.notices import SMALL_SLOPE

Kind = Literal["weights", "gradients", "activations"]
MOST_SAMPLES = 2000
"""Limit of training samples whose outputs are counted, from the first one."""


@dataclass(frozen=True, eq=False)
class LayerHistogram:
    """One layer.

    Attributes:
        layer: from 1.
        activation: a name of ACTIVATIONS.
        numbers: the counted numbers, finite or not.
        histogram: of them; all layers share the edges.
        mean, deviation: mean and standard deviation of the finite ones; nan where there are none.
        flat: the share of the outputs at which the slope of the activation is below `SMALL_SLOPE`, 0 to 1.
    """

    layer: int
    activation: str
    numbers: NDArray[Any] = field(repr=False)
    histogram: Histogram
    mean: float
    deviation: float
    flat: float


@np.errstate(all="ignore")  # of a diverged network
def layer_histograms(network: MomentNetwork, gradients: NDArray[Any], kind: Kind) -> tuple[int, list[LayerHistogram]]:
    """Return the step of the moment, and a histogram for every layer.

    Args:
        network: at the moment.
        gradients: (n_parameters,) of the last update.
        kind: the numbers to count; biases count as weights.
    """
    X = network.data.train.X[:MOST_SAMPLES]
    layers = layer_figures(network.shape, network.parameters, gradients, X)
    groups = [_numbers(layer, kind) for layer in layers]
    pairs = zip(layers, groups, histograms(groups), strict=True)
    return network.step, [_described(layer, numbers, counts) for layer, numbers, counts in pairs]


def _numbers(layer: LayerFigures, kind: Kind) -> NDArray[Any]:
    chosen = {"weights": layer.weights, "gradients": layer.gradients, "activations": layer.outputs}[kind]
    return np.ravel(chosen)


def _described(layer: LayerFigures, numbers: NDArray[Any], counts: Histogram) -> LayerHistogram:
    finite = numbers[np.isfinite(numbers)]
    mean, deviation = (float(finite.mean()), float(finite.std())) if len(finite) else (float("nan"), float("nan"))
    flat = float(np.mean(np.abs(layer.slopes) < SMALL_SLOPE))
    return LayerHistogram(layer.layer, layer.activation, numbers, counts, mean, deviation, flat)
