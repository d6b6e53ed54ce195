"""The shape of a network, and its forward pass as plain array arithmetic on flat parameters.

Enough to compute the outputs of a snapshot's network: no Values are made and nothing is traced, so that a figure is
a function of shape, parameters and inputs alone, in any thread. The fast program is faster for many passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.errors import SizeError
from engine.network.layer import ACTIVATIONS

Floats = NDArray[Any]


def count_parameters(layer_sizes: Sequence[int]) -> int:
    """Weights and biases of a network with these layers, the inputs first."""
    return sum((n_in + 1) * n_out for n_in, n_out in pairwise(layer_sizes))


@dataclass(frozen=True)
class NetworkShape:
    """Sizes and functions.

    Attributes:
        layer_sizes: numbers of inputs, then neurons of each layer, the output layer last.
        activations: a name of ACTIVATIONS for each layer, one fewer.
    """

    layer_sizes: tuple[int, ...]
    activations: tuple[str, ...]

    @property
    def n_inputs(self) -> int:
        return self.layer_sizes[0]

    @property
    def n_layers(self) -> int:
        """Layers of neurons, the output layer included."""
        return len(self.layer_sizes) - 1

    @property
    def n_parameters(self) -> int:
        """Weights and biases together."""
        return count_parameters(self.layer_sizes)

    def layer_matrices(self, flat: Floats) -> list[Floats]:
        """Views of a flat array of parameters (or gradients): for each layer (n_out, n_in + 1), the bias last."""
        matrices, start = [], 0
        for n_in, n_out in pairwise(self.layer_sizes):
            stop = start + n_out * (n_in + 1)
            matrices.append(flat[start:stop].reshape(n_out, n_in + 1))
            start = stop
        return matrices

    def parameter_names(self) -> Iterator[str]:
        """Yield the label of each parameter in order: `L1N2.w3`, `L1N2.b`."""
        for layer, (n_in, n_out) in enumerate(pairwise(self.layer_sizes), start=1):
            for neuron in range(1, n_out + 1):
                yield from (f"L{layer}N{neuron}.w{weight}" for weight in range(1, n_in + 1))
                yield f"L{layer}N{neuron}.b"

    @np.errstate(all="ignore")  # of a diverged network
    def layer_outputs(self, parameters: Floats, X: Any, last: int | None = None) -> list[Floats]:
        """Return the outputs of every layer.

        Args:
            parameters: (n_parameters,) in micrograd's order.
            X: (n_samples, n_inputs).
            last: the layer to end with, from 1; None: the last one.

        Returns:
            For each layer (n_samples, n_neurons), in order.

        Raises:
            SizeError: for parameters or inputs of another number.
        """
        X = np.asarray(X)
        if parameters.shape != (self.n_parameters,):
            raise SizeError("parameters", f"of the shape ({self.n_parameters},)", parameters.shape)
        if X.ndim != 2 or X.shape[1] != self.n_inputs:
            raise SizeError("X", f"of the shape (n_samples, {self.n_inputs})", X.shape)
        return [outputs for _sums, outputs in islice(self.forward(parameters, X), last)]

    def forward(self, parameters: Floats, X: Floats) -> Iterator[tuple[Floats, Floats]]:
        """For one layer after the other its weighted sums and its outputs, both (n_samples, n_neurons)."""
        outputs = X
        for matrix, name in zip(self.layer_matrices(parameters), self.activations, strict=True):
            sums, op = outputs @ matrix[:, :-1].T + matrix[:, -1], ACTIVATIONS[name]
            outputs = sums if op is None else np.asarray(op.array(sums))
            yield sums, outputs

    def outputs(self, parameters: Floats, X: Any) -> Floats:
        """Return outputs of the network (n_samples, n_outputs) for X (n_samples, n_inputs)."""
        return self.layer_outputs(parameters, X)[-1]

    def after(self, layer: int, parameters: Floats) -> tuple[NetworkShape, Floats]:
        """Return the layers behind one (from 1; 0: all) as a network of their own, and their parameters, a view."""
        rest = NetworkShape(self.layer_sizes[layer:], self.activations[layer:])
        return rest, parameters[self.n_parameters - rest.n_parameters :]
