"""Initialisers of weights. To add one, add an entry to the table; biases always start at 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class RandomSource(Protocol):
    """Source of random numbers: a `random.Random`, or the module `random` itself."""

    def uniform(self, a: float, b: float) -> float:
        """Return a number from a to b, all equally likely."""

    def gauss(self, mu: float = ..., sigma: float = ...) -> float:
        """Return a number from the normal distribution."""


@dataclass(frozen=True)
class Initialiser:
    """One way to draw a weight.

    Attributes:
        name: its key in INITIALISERS.
        title: as a menu writes it.
        description: one sentence with the source.
        draw: (rng, n_inputs, n_outputs of the layer, activation) -> one weight.
        is_equal: all weights of a layer begin equal.
    """

    name: str
    title: str
    description: str
    draw: Callable[[RandomSource, int, int, str], float]
    is_equal: bool = False


RELU_FAMILY = frozenset({"relu", "leaky_relu", "elu", "softplus", "swish", "gelu"})
"""Activations that pass about half of their input's variance on, which the weights have to make up for."""


def _xavier(rng: RandomSource, n_inputs: int, n_outputs: int, activation: str) -> float:
    bound = math.sqrt(6.0 / (n_inputs + n_outputs))
    return rng.uniform(-bound, bound)


def _he(rng: RandomSource, n_inputs: int, n_outputs: int, activation: str) -> float:
    return rng.gauss(0.0, math.sqrt(2.0 / n_inputs))


def _by_activation(rng: RandomSource, n_inputs: int, n_outputs: int, activation: str) -> float:
    draw = _he if activation in RELU_FAMILY else _xavier
    return draw(rng, n_inputs, n_outputs, activation)


_TABLE = (
    Initialiser(
        "by_activation",
        "Suits the activation",
        "Glorot for tanh, sigmoid and linear layers, He for ReLU and functions like it.",
        _by_activation,
    ),
    Initialiser(
        "uniform",
        "Uniform",
        "Uniform between −1 and 1, as micrograd draws them.",
        lambda rng, i, o, activation: rng.uniform(-1.0, 1.0),
    ),
    Initialiser(
        "xavier",
        "Glorot (Xavier)",
        "Uniform within ±√(6 / (inputs + outputs)): keeps tanh layers alive (Glorot & Bengio 2010).",
        _xavier,
    ),
    Initialiser(
        "he",
        "He",
        "Normal with deviation √(2 / inputs): keeps ReLU layers alive (He et al. 2015, arXiv:1502.01852).",
        _he,
    ),
    Initialiser(
        "lecun",
        "LeCun",
        "Normal with deviation √(1 / inputs): keeps the spread of a layer's sums at 1 (LeCun et al. 1998).",
        lambda rng, i, o, activation: rng.gauss(0.0, math.sqrt(1.0 / i)),
    ),
    Initialiser("normal", "Normal", "Normal with deviation 1.", lambda rng, i, o, activation: rng.gauss(0.0, 1.0)),
    Initialiser(
        "zeros",
        "Zeros",
        "All zero: every neuron of a layer stays the same as its neighbours.",
        lambda rng, i, o, activation: 0.0,
        is_equal=True,
    ),
    Initialiser(
        "equal",
        "All equal (0.5)",
        "All 0.5: every neuron of a layer stays the same as its neighbours.",
        lambda rng, i, o, activation: 0.5,
        is_equal=True,
    ),
    Initialiser(
        "tiny",
        "Tiny (0.001)",
        "Normal with deviation 0.001: the gradients of a network with several layers are nearly 0.",
        lambda rng, i, o, activation: rng.gauss(0.0, 0.001),
    ),
    Initialiser(
        "huge",
        "Huge (20)",
        "Normal with deviation 20: tanh and sigmoid neurons begin saturated.",
        lambda rng, i, o, activation: rng.gauss(0.0, 20.0),
    ),
)

INITIALISERS = MappingProxyType({entry.name: entry for entry in _TABLE})
"""Every way to draw the first weights by name."""


def draw_neuron(name: str, rng: RandomSource, n_inputs: int, n_outputs: int, activation: str) -> list[float]:
    """Draw the first weights of one neuron, in order.

    Args:
        name: of INITIALISERS.
        rng: where they are drawn from.
        n_inputs: how many.
        n_outputs: neurons in its layer.
        activation: of its layer, a name of ACTIVATIONS.
    """
    draw = INITIALISERS[name].draw
    return [draw(rng, n_inputs, n_outputs, activation) for _ in range(n_inputs)]


def draw_network(name: str, rng: RandomSource, sizes: Sequence[int], activations: Sequence[str]) -> NDArray[np.float64]:
    """Draw the `MLP.weights` of a new network without making its Values: (n_parameters,), every bias 0.

    Args:
        name: of INITIALISERS.
        rng: where they are drawn from.
        sizes: of all layers, the number of inputs first.
        activations: of all layers, one fewer.
    """
    numbers: list[float] = []
    for (n_inputs, n_outputs), activation in zip(pairwise(sizes), activations, strict=True):
        for _ in range(n_outputs):
            numbers += [*draw_neuron(name, rng, n_inputs, n_outputs, activation), 0.0]
    return np.array(numbers)
