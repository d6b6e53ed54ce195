"""Neurons and layers of them: drawn from one source, usable by themselves or as parts of an MLP.

Made and called as in micrograd, `Neuron(3)`, `Layer(3, 4)`, `nonlin=False`; what they are made of besides (activation,
initialiser, labels) are keywords of the same calls.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from engine.autograd import OPS, Op, Value, apply, neuron_sum, numbers_of
from engine.network.errors import SizeError, checked_integer, checked_name
from engine.network.initialisers import INITIALISERS, RandomSource, draw_neuron


class _Activations(Mapping[str, Op | None]):
    """The table's operations that a layer may use, those put into it later included."""

    def __getitem__(self, name: str) -> Op | None:
        if name == "linear":
            return None
        op = OPS[name]
        if not op.activation:
            raise KeyError(name)
        return op

    def __iter__(self) -> Iterator[str]:
        return iter(["linear", *(op.name for op in OPS.values() if op.activation)])

    def __len__(self) -> int:
        return sum(1 for _ in self)


ACTIVATIONS: Mapping[str, Op | None] = _Activations()
"""Activations by name: the operation, or None for none (linear)."""

MAX_UNITS = 1024


def fitted_activations(activations: Sequence[str], hidden: int) -> tuple[str, ...]:
    """Return activations for so many hidden layers: the given ones, the last of them repeated, or tanh without any."""
    behind = activations[-1] if activations else "tanh"
    return (*activations[:hidden], *[behind] * (hidden - len(activations)))


class Neuron:
    """A weighted sum of the inputs and an activation.

    Attributes:
        weights: one Value for each input; also `w`.
        bias: a Value; also `b`.
        activation: a name of ACTIVATIONS.
        label: its name in labels, such as `L1N2` (layer 1, neuron 2).
    """

    def __init__(
        self,
        n_inputs: int,
        activation: str = "relu",
        rng: RandomSource = random,
        initialiser: str = "uniform",
        label: str = "",
        n_outputs: int = 1,
        *,
        nonlin: bool = True,
    ) -> None:
        """Draw the weights in order and set the bias to 0.

        Args:
            n_inputs: 1 .. 1024.
            activation: a name of ACTIVATIONS.
            rng: where the weights are drawn from.
            initialiser: a name of INITIALISERS.
            label: prefix of the labels of parameters and results.
            n_outputs: neurons in its layer, which some initialisers look at.
            nonlin: False: linear, whatever the activation, as micrograd writes it.

        Raises:
            SettingError: a size out of range, an unknown name.
        """
        checked_integer("number of inputs", n_inputs, 1, MAX_UNITS)
        self.activation = checked_name("activation", activation if nonlin else "linear", ACTIVATIONS)
        self.label = label
        prefix = f"{label}." if label else ""
        checked_name("initialiser", initialiser, INITIALISERS)
        numbers = draw_neuron(initialiser, rng, n_inputs, n_outputs, self.activation)
        self.weights = [Value(number, f"{prefix}w{i}") for i, number in enumerate(numbers, start=1)]
        self.bias = Value(0.0, f"{prefix}b")
        self._parameters = (*self.weights, self.bias)
        self._activate = _activation(ACTIVATIONS[self.activation])
        self._sum_label = f"{prefix}sum"

    @property
    def w(self) -> list[Value]:
        """The weights."""
        return self.weights

    @property
    def b(self) -> Value:
        """The bias."""
        return self.bias

    def __call__(self, inputs: Iterable[Any]) -> Value:
        """Return the neuron's output for Values or numbers, one for each weight; else SizeError."""
        values = _checked_inputs("neuron", len(self.weights), inputs)
        return self.respond(values, numbers_of(values))

    def respond(self, inputs: tuple[Value, ...], numbers: list[float]) -> Value:
        """Return the output for inputs with the data `numbers`; a layer passes the same inputs to all its neurons."""
        total = neuron_sum(self._parameters, inputs, numbers)
        if self._activate is None:
            total.label = self.label
            return total
        total.label = self._sum_label
        out: Value = self._activate(total)
        out.label = self.label
        return out

    def parameters(self) -> list[Value]:
        """Return the weights, then the bias."""
        return [*self.weights, self.bias]

    def zero_grad(self) -> None:
        for parameter in self.parameters():
            parameter.grad = 0.0

    def __repr__(self) -> str:
        return f"{self.activation} Neuron({len(self.weights)})"


class Layer:
    """Neurons that see the same inputs.

    Attributes:
        neurons: one for each output.
    """

    def __init__(
        self,
        n_inputs: int,
        n_outputs: int,
        activation: str = "relu",
        rng: RandomSource = random,
        initialiser: str = "uniform",
        label: str = "",
        *,
        nonlin: bool = True,
    ) -> None:
        """Draw the weights neuron by neuron.

        Args:
            n_inputs: 1 .. 1024.
            n_outputs: how many neurons, 1 .. 1024.
            activation: a name of ACTIVATIONS.
            rng: where the weights are drawn from.
            initialiser: a name of INITIALISERS.
            label: the neurons are called after it, `L1` makes `L1N1`, `L1N2`, ...
            nonlin: False: linear, whatever the activation.

        Raises:
            SettingError: a size out of range, an unknown name.
        """
        checked_integer("number of neurons", n_outputs, 1, MAX_UNITS)
        labels = [f"{label}N{i}" if label else "" for i in range(1, n_outputs + 1)]
        self.neurons = [
            Neuron(n_inputs, activation, rng, initialiser, each, n_outputs, nonlin=nonlin) for each in labels
        ]

    def __call__(self, inputs: Iterable[Any]) -> Any:
        """Return every neuron's output for Values or numbers, one for each weight; else SizeError.

        Returns:
            A list of Values; of a layer with a single neuron its Value.
        """
        outputs = self.respond(_checked_inputs("layer", len(self.neurons[0].weights), inputs))
        return outputs[0] if len(outputs) == 1 else outputs

    def respond(self, inputs: Sequence[Value]) -> list[Value]:
        """Return every neuron's output for so many scalar Values as there are weights."""
        shared, numbers = tuple(inputs), numbers_of(inputs)
        return [neuron.respond(shared, numbers) for neuron in self.neurons]

    def parameters(self) -> list[Value]:
        """Neuron by neuron: weights, then bias."""
        return [parameter for neuron in self.neurons for parameter in neuron.parameters()]

    def zero_grad(self) -> None:
        for neuron in self.neurons:
            neuron.zero_grad()

    def __repr__(self) -> str:
        return f"Layer of [{', '.join(map(str, self.neurons))}]"


def _activation(op: Op | None) -> Callable[[Value], Value] | None:
    """Return the function that applies an operation: the method of Value if there is one, which is faster."""
    if op is None:
        return None
    method: Callable[[Value], Value] = getattr(Value, op.name, partial(apply, op))
    return method


def _checked_inputs(what: str, n_inputs: int, inputs: Iterable[Any]) -> tuple[Value, ...]:
    """Return the inputs as Values; SizeError unless there are `n_inputs` of them."""
    values = tuple(x if isinstance(x, Value) else Value(x) for x in inputs)
    if len(values) != n_inputs:
        raise wrong_inputs(what, n_inputs, len(values))
    return values


def wrong_inputs(what: str, takes: int, has: int) -> SizeError:
    """Return the error for a sample that has another number of inputs than a neuron, layer or network takes."""
    inputs = "1 input" if takes == 1 else f"{takes} inputs"
    return SizeError("inputs", inputs, has, f"this {what} takes {inputs}, the sample has {has}")
