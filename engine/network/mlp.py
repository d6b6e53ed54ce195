"""The multi-layer perceptron: one set of parameters, two ways to run it.

Called with the Values (or numbers) of one sample an MLP builds the scalar graph a learner looks at: for each neuron a
`weighted_sum` node and its activation. Called with an array (n_samples, n_inputs) it builds the same in matrices. How
one set of parameters is kept in step between Values and the flat arrays that training uses is hidden here.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Value, apply, topological_order
from engine.autograd.ops import WEIGHTED_SUM
from engine.network.errors import SettingError, SizeError, checked_integer, checked_name
from engine.network.initialisers import RandomSource
from engine.network.layer import ACTIVATIONS, MAX_UNITS, Layer, wrong_inputs
from engine.network.shape import NetworkShape, count_parameters

Floats = NDArray[Any]


MAX_LAYERS, MAX_PARAMETERS = 100, 1_000_000


class FlatParameters:
    """The arrays a Trainer works on while it owns a model's parameters.

    Attributes:
        parameters: (n_parameters,) in micrograd's order, changed in place.
        gradients: the same of the loss's gradients.
        dirty: True when the arrays have changed since the model's Values were last brought up to date.
    """

    __slots__ = ("dirty", "gradients", "parameters")

    def __init__(self, parameters: Floats, gradients: Floats) -> None:
        self.parameters, self.gradients, self.dirty = parameters, gradients, False


class MLP:
    """A multi-layer perceptron.

    Attributes:
        n_inputs: numbers in a sample.
        n_neurons: of each layer, the output layer last.
        activations: a name of ACTIVATIONS for each layer.
        initialiser: how the weights were drawn.
        shape: sizes and activations alone.
    """

    def __init__(
        self,
        n_inputs: int,
        n_neurons: Sequence[int],
        activation: str | Sequence[str] = "relu",
        output_activation: str = "linear",
        rng: RandomSource = random,
        initialiser: str = "uniform",
    ) -> None:
        """Draw the weights neuron by neuron (micrograd's order); biases start at 0.

        Args:
            n_inputs: 1 .. 1024.
            n_neurons: of each layer, the output layer last; a single entry means no hidden layer.
            activation: a name of ACTIVATIONS for the hidden layers, or one for each hidden layer, or one for each layer
                (then `output_activation` is not looked at).
            output_activation: a name of ACTIVATIONS for the last layer.
            rng: where the weights are drawn from; the module `random` follows `random.seed`.
            initialiser: a name of INITIALISERS.

        Raises:
            SettingError: a size out of range, an unknown name.
        """
        self.n_inputs = checked_integer("number of inputs", n_inputs, 1, MAX_UNITS)
        self.n_neurons = _checked_sizes(self.n_inputs, n_neurons)
        self.activations = _checked_activations(activation, output_activation, len(self.n_neurons))
        self.initialiser = initialiser
        sizes = enumerate(pairwise((self.n_inputs, *self.n_neurons)), start=1)
        self._layers = [
            Layer(n_in, n_out, activation, rng, initialiser, f"L{layer}")
            for (layer, (n_in, n_out)), activation in zip(sizes, self.activations, strict=True)
        ]
        self.shape = NetworkShape((self.n_inputs, *self.n_neurons), self.activations)
        self._values = [parameter for layer in self._layers for parameter in layer.parameters()]
        self._flat: FlatParameters | None = None
        self._arrays: list[tuple[Value, Value]] = []

    @property
    def layers(self) -> list[Layer]:
        """The layers, their parameters up to date."""
        self._sync()
        return self._layers

    @property
    def n_outputs(self) -> int:
        """Number of outputs for a sample."""
        return self.n_neurons[-1]

    @property
    def n_parameters(self) -> int:
        """Weights and biases together."""
        return len(self._values)

    def __call__(self, inputs: Any) -> Any:
        """Run the network.

        Args:
            inputs: one sample (a sequence of `n_inputs` Values or numbers), or an array (n_samples, n_inputs).

        Returns:
            For one sample its scalar graph: a Value, or a list of Values for several outputs. For an array a Value of
            the shape (n_samples, n_outputs).

        Raises:
            SizeError: when a sample has another number of inputs than the network.
        """
        if _is_batch(inputs):
            return self._array_outputs(inputs if isinstance(inputs, Value) else Value(inputs, "X"))
        sample = [x if isinstance(x, Value) else Value(x, f"x{i}") for i, x in enumerate(inputs, start=1)]
        if len(sample) != self.n_inputs:
            raise wrong_inputs("network", self.n_inputs, len(sample))
        for layer in self.layers:
            sample = layer.respond(sample)
        return sample[0] if len(sample) == 1 else sample

    def _array_outputs(self, X: Value) -> Value:
        """Return the array graph of X (n_samples, n_inputs)."""
        if len(X.shape) != 2 or X.shape[1] != self.n_inputs:
            raise wrong_inputs("network", self.n_inputs, X.shape[-1] if X.shape else 1)
        self._arrays = self.array_parameters()
        out = X
        for (weights, biases), name in zip(self._arrays, self.activations, strict=True):
            out = out @ weights.T + biases
            op = ACTIVATIONS[name]
            out = out if op is None else apply(op, out)
        return out

    def array_parameters(self) -> list[tuple[Value, Value]]:
        """For each layer its weights (n_out, n_in) and biases (n_out,) as fresh array Values."""
        blocks = enumerate(self.shape.layer_matrices(self.weights), start=1)
        return [(Value(block[:, :-1], f"L{i}.w"), Value(block[:, -1], f"L{i}.b")) for i, block in blocks]

    @property
    def last_arrays(self) -> list[tuple[Value, Value]]:
        """Weights and biases of each layer in the graph of the last array call."""
        return self._arrays

    def array_gradients(self, arrays: Sequence[tuple[Value, Value]] | None = None) -> Floats:
        """Return gradients in the order of `weights`, after `backward()` on an array graph.

        Args:
            arrays: the graph's `last_arrays`; None: those of the last array call.
        """
        pairs = [np.column_stack([w.grad, b.grad]) for w, b in (self._arrays if arrays is None else arrays)]
        return np.concatenate([pair.ravel() for pair in pairs])

    def parameters(self) -> list[Value]:
        """Return all parameters: layer by layer, neuron by neuron, weights then bias.

        `L1N2.w3` is the label of layer 1, neuron 2, weight 3, and `L1N2.b` that of its bias.

        While a Trainer works on this model the Values show its newest numbers; change them through `weights` then.
        """
        self._sync()
        return list(self._values)

    def zero_grad(self) -> None:
        """Set every parameter's gradient to 0."""
        self._sync()
        for parameter in self._values:
            parameter.grad = 0.0
        if self._flat is not None:
            self._flat.gradients[:] = 0.0

    @property
    def weights(self) -> Floats:
        """All parameters as one float64 array (n_parameters,), in the order of `parameters()`; a copy.

        Setting it takes any array-like of that length with finite numbers, else SizeError or SettingError.
        """
        if self._flat is not None:
            return np.array(self._flat.parameters, dtype=np.float64)
        return np.array([parameter.data for parameter in self._values])

    @weights.setter
    def weights(self, numbers: Any) -> None:
        array = checked_weights(numbers, self.n_parameters)
        if self._flat is not None:
            self._flat.parameters[:] = array
            self._flat.dirty = True
            return
        for parameter, number in zip(self._values, array.tolist(), strict=True):
            parameter.data = number

    def groups(self, root: Value) -> dict[int, tuple[int, int]]:
        """Nodes of a scalar graph by neuron.

        Args:
            root: a value computed from the network's outputs, such as a loss.

        Returns:
            {id of a Value: (layer, neuron)}, both from 0, for parameters, weighted sums and their activations.
        """
        found = {
            id(parameter): (i, j)
            for i, layer in enumerate(self.layers)
            for j, neuron in enumerate(layer.neurons)
            for parameter in neuron.parameters()
        }
        for value in topological_order(root):
            if value.op is None or (group := found.get(id(value.inputs[-1]))) is None:
                continue
            activation = ACTIVATIONS[self.activations[group[0]]]
            if value.op is {None: WEIGHTED_SUM, WEIGHTED_SUM: activation}.get(value.inputs[-1].op):
                found[id(value)] = group
        return found

    def copy(self) -> MLP:
        """Return a network of the same shape with the same weights that shares nothing with this one."""
        twin = MLP(self.n_inputs, self.n_neurons, self.activations, initialiser="zeros")
        twin.initialiser = self.initialiser
        for parameter, number in zip(twin._values, self.weights.tolist(), strict=True):
            parameter.data = number
        return twin

    def attach(self, flat: FlatParameters) -> None:
        """Hand the parameters to a Trainer: from now on they live in `flat`, and the Values follow when looked at."""
        self._sync()
        self._flat = flat
        flat.dirty = True  # they may be rounded to another precision there

    def _sync(self) -> None:
        """Bring the Values up to date with the arrays of the Trainer at work."""
        flat = self._flat
        if flat is None or not flat.dirty:
            return
        flat.dirty = False
        pairs = zip(self._values, flat.parameters.tolist(), flat.gradients.tolist(), strict=True)
        for value, data, grad in pairs:
            value.data, value.grad = data, grad

    def __repr__(self) -> str:
        return f"MLP of [{', '.join(map(str, self._layers))}]"


def _is_batch(inputs: Any) -> bool:
    """Return True for an array of samples; False for the numbers of one sample."""
    if isinstance(inputs, Value):
        return len(inputs.shape) != 1
    return not any(isinstance(x, Value) for x in inputs) and np.ndim(inputs) == 2


def checked_weights(numbers: Any, n_parameters: int) -> Floats:
    """`numbers` as float64 (n_parameters,), a copy; SizeError or SettingError when they cannot be weights."""
    try:
        array = np.array(numbers, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise SettingError("weights", f"{n_parameters} numbers", numbers) from error
    if array.shape != (n_parameters,):
        raise SizeError("weights", f"of the shape ({n_parameters},)", array.shape)
    if not np.all(np.isfinite(array)):
        index = int(np.argmin(np.isfinite(array)))
        raise SettingError(f"weight {index}", "a finite number", float(array[index]))
    return array


def _checked_sizes(n_inputs: int, n_neurons: Sequence[int]) -> tuple[int, ...]:
    if isinstance(n_neurons, (str, int)) or not 1 <= len(n_neurons) <= MAX_LAYERS:
        raise SizeError("layer sizes", f"a list of 1 to {MAX_LAYERS} numbers, the output layer last", n_neurons)
    sizes = tuple(
        checked_integer(f"number of neurons in layer {i}", size, 1, MAX_UNITS)
        for i, size in enumerate(n_neurons, start=1)
    )
    n_parameters = count_parameters((n_inputs, *sizes))
    if n_parameters > MAX_PARAMETERS:
        raise SizeError("number of parameters", f"at most {MAX_PARAMETERS:,}", n_parameters)
    return sizes


def _checked_activations(activation: str | Sequence[str], output: str, n_layers: int) -> tuple[str, ...]:
    if isinstance(activation, str):
        checked_name("activation", activation, ACTIVATIONS)  # a wrong name is wrong without hidden layers too
        names = [activation] * (n_layers - 1) + [output]
    else:
        names = [*activation, *([output] if len(activation) == n_layers - 1 else [])]
    if len(names) != n_layers:
        raise SizeError("activations", f"one for each of {n_layers} layers (or of the hidden ones)", activation)
    return tuple(checked_name("activation", name, ACTIVATIONS) for name in names)
