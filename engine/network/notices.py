"""What a teacher would point at in a network that trains badly: which sign, where, and what to try.

A notice is a function of figures (`Look`) that says nothing when all is well. To add one, write the function and put it
into `NOTICES`; the contract test shows each of them one network where it speaks and one where it is silent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import MappingProxyType

import numpy as np

from engine.network.layer import ACTIVATIONS
from engine.network.layer_figures import LayerFigures, same_neurons
from engine.network.losses import LOSSES
from engine.network.optimizers import OPTIMIZERS
from engine.network.settings import TrainingSettings
from engine.quick_dataclass import dataclass

SMALL_SLOPE, MOST_SAMPLES = 0.02, 0.95
"""A neuron is saturated where its slope is below the one for so large a share of the samples."""
VANISHED = 1e-3
"""Gradient of a weight in the first layer over one in the last."""
LOW_PROGRESS, HIGH_RATIO, STEPS_BEFORE_RATE = 1e-5, 1.0, 100


@dataclass(frozen=True, eq=False)
class Look:
    """A network at one moment.

    Attributes:
        layers: its figures, layer by layer.
        settings: of the run.
        loss: of all training data; None when it is not known.
        learning_rate: of the next step.
        step: updates made.
    """

    layers: Sequence[LayerFigures]
    settings: TrainingSettings
    loss: float | None
    learning_rate: float
    step: int


@dataclass(frozen=True)
class Notice:
    """One sign.

    Attributes:
        name: of NOTICES.
        text: what is seen, a whole sentence with its numbers, short enough for a line.
        why: what that means, a whole sentence.
        advice: what to try, a whole sentence.
        layer: where, from 1; None for the whole network.
    """

    name: str
    text: str
    why: str
    advice: str
    layer: int | None = None


def notices(look: Look) -> list[Notice]:
    """Everything there is to say of a network."""
    return [notice for find in NOTICES.values() for notice in find(look)]


def _dead(look: Look) -> list[Notice]:
    found = []
    for layer in look.layers[:-1]:
        dead = int(np.count_nonzero((layer.slopes == 0.0).all(axis=0)))
        if dead:
            found.append(
                Notice(
                    "dead neurons",
                    f"{_neurons(dead, layer)} dead.",
                    f"The slope of {layer.activation} is 0 for every sample looked at: no gradient reaches "
                    "their weights, which never change again.",
                    "Try a smaller learning rate, other first weights, or an activation with a slope below 0.",
                    layer.layer,
                )
            )
    return found


def _saturated(look: Look) -> list[Notice]:
    found = []
    for layer in look.layers:
        flat = (np.abs(layer.slopes) < SMALL_SLOPE).mean(axis=0) >= MOST_SAMPLES
        alive = ~(layer.slopes == 0.0).all(axis=0)
        count = int(np.count_nonzero(flat & alive))
        if count and layer.activation != "linear":
            found.append(
                Notice(
                    "saturation",
                    f"{_neurons(count, layer)} saturated.",
                    f"For {MOST_SAMPLES:.0%} of the samples or more the slope of {layer.activation} is below "
                    f"{SMALL_SLOPE:g}, so that their weights hardly change.",
                    "Try smaller first weights, a smaller learning rate, or some L2.",
                    layer.layer,
                )
            )
    return found


def _bounded_output(look: Look) -> list[Notice]:
    last, loss = look.layers[-1], LOSSES[look.settings.loss]
    if not loss.probability or last.activation == "linear":
        return []
    low, high = _output_range(last)
    if not (math.isfinite(low) and math.isfinite(high)):
        return []
    others = max(last.outputs.shape[1] - 1, 1)
    surest = 1.0 / (1.0 + others * math.exp(low - high)) if last.outputs.shape[1] > 1 else 1.0 / (1.0 + math.exp(-high))
    return [
        Notice(
            "bounded output",
            f"The output's {last.activation} keeps the loss from coming near 0.",
            f"It keeps the output between {_written(low)} and {_written(high)}, and the loss makes probabilities of "
            f"such numbers that are never above {surest:.0%}.",
            "Take a linear output: the loss brings its own sigmoid or softmax.",
            last.layer,
        )
    ]


def _output_range(layer: LayerFigures) -> tuple[float, float]:
    """What an activation tends to far below and far above 0."""
    op = ACTIVATIONS[layer.activation]
    assert op is not None
    low, high = (float(op.scalar(x)) for x in (-700.0, 700.0))
    bounded = all(abs(float(op.scalar(x)) - end) < 1e-6 for x, end in ((-350.0, low), (350.0, high)))
    return (min(low, high), max(low, high)) if bounded else (-math.inf, math.inf)


def _vanishing(look: Look) -> list[Notice]:
    if len(look.layers) < 3:
        return []
    first, last = (float(np.sqrt(np.mean(layer.gradients**2))) for layer in (look.layers[0], look.layers[-1]))
    if not (math.isfinite(first) and 0.0 < first < VANISHED * last):
        return []
    return [
        Notice(
            "vanishing gradient",
            f"Layer 1 has gradients {last / first:,.0f} times smaller than layer {len(look.layers)}.",
            "Their root mean squares are compared: on its way back every layer multiplies the gradient "
            "by slopes below 1.",
            "Try relu, he or xavier first weights, or fewer layers.",
            1,
        )
    ]


def _exploding(look: Look) -> list[Notice]:
    if OPTIMIZERS[look.settings.optimizer].squares or not look.step:
        return []
    weights = math.sqrt(sum(float(np.sum(layer.weights**2)) for layer in look.layers))
    step = look.learning_rate * math.sqrt(sum(layer.gradient_norm**2 for layer in look.layers))
    if not (weights and step > HIGH_RATIO * weights):
        return []
    return [
        Notice(
            "exploding gradient",
            f"A step is {step / weights:.3g} times as long as all the weights together.",
            "That is the length of the learning rate times the gradient: a step throws away what was learned.",
            "Try a smaller learning rate, or clip the gradient.",
        )
    ]


def _symmetry(look: Look) -> list[Notice]:
    found = []
    for layer, following in zip(look.layers, look.layers[1:], strict=False):
        pairs = same_neurons(layer.weights, following.weights)
        if pairs:
            a, b = pairs[0]
            found.append(
                Notice(
                    "equal neurons",
                    f"Neurons {a} and {b} of layer {layer.layer} have the same weights, coming in and going out.",
                    "They get the same gradients and stay the same, as if there were only one of them.",
                    "Draw new random weights (Train > New weights); an initialiser of zeros gives zeros again.",
                    layer.layer,
                )
            )
    return found


def _low_rate(look: Look) -> list[Notice]:
    plain = not OPTIMIZERS[look.settings.optimizer].squares
    if not plain or look.step < STEPS_BEFORE_RATE or not look.loss or not look.learning_rate > 0.0:
        return []
    slope = sum(layer.gradient_norm**2 for layer in look.layers)
    progress = look.learning_rate * slope / look.loss
    if not (slope > 1e-6 * max(look.loss, 1e-3) and progress < LOW_PROGRESS):
        return []
    return [
        Notice(
            "low learning rate",
            f"A step makes the loss smaller by about {progress:.2g} of itself.",
            f"The gradient is not small, its length is {math.sqrt(slope):.3g}: it is the learning rate that is low.",
            f"Try a learning rate of {10 * look.learning_rate:g}.",
        )
    ]


def _written(number: float) -> str:
    return f"{number:g}".replace("-", "−")


def _neurons(count: int, layer: LayerFigures) -> str:
    verb = "is" if count == 1 else "are"
    return f"{count} of {layer.outputs.shape[1]} neurons of layer {layer.layer} {verb}"


NOTICES: MappingProxyType[str, Callable[[Look], list[Notice]]] = MappingProxyType(
    {
        "dead neurons": _dead,
        "saturation": _saturated,
        "bounded output": _bounded_output,
        "vanishing gradient": _vanishing,
        "exploding gradient": _exploding,
        "equal neurons": _symmetry,
        "low learning rate": _low_rate,
    }
)
"""What is looked for, by name."""
