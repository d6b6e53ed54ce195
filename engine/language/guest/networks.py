"""`Neuron`, `Layer` and `MLP` that every program finds at hand: as in the tutorials, tanh everywhere unless said.

They differ from `micrograd.nn` in their activation, which can be chosen, and in that values have labels.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

from engine.autograd.ops import OPS
from engine.autograd.value import Value, apply


class Module:
    """Something with parameters."""

    def parameters(self) -> list[Value]:
        """Return the parameters, layer by layer, neuron by neuron, weights then bias."""
        raise NotImplementedError

    def zero_grad(self) -> None:
        """Set the gradients of all parameters to 0."""
        for parameter in self.parameters():
            parameter.grad = 0.0


class Neuron(Module):
    """A weighted sum and an activation: a name of an operation, or "linear"; `nonlin=False` is "linear"."""

    def __init__(self, nin: int, activation: str = "tanh", nonlin: bool = True, label: str = "") -> None:
        self.activation = activation if nonlin else "linear"
        if self.activation != "linear" and not getattr(OPS.get(self.activation), "activation", False):
            known = ", ".join(["linear", *(op.name for op in OPS.values() if op.activation)])
            raise ValueError(f"no activation {activation!r}; there are {known}")
        prefix = f"{label}." if label else ""
        self.w = [Value(random.uniform(-1, 1), label=f"{prefix}w{i}" if label else "") for i in range(1, nin + 1)]
        self.b = Value(0.0, label=f"{prefix}b" if label else "")

    def __call__(self, x: Iterable[Any]) -> Value:
        """Return the output for the numbers of one sample."""
        x = list(x)
        if len(x) != len(self.w):
            raise ValueError(f"this neuron takes {len(self.w)} inputs, {len(x)} given")
        total = self.b
        for w, each in zip(self.w, x, strict=True):
            total = total + w * each
        return total if self.activation == "linear" else apply(OPS[self.activation], total)

    def parameters(self) -> list[Value]:
        """Return weights, then bias."""
        return [*self.w, self.b]

    def __repr__(self) -> str:
        title = "Linear" if self.activation == "linear" else OPS[self.activation].title
        name = title.replace(" ", "") or self.activation
        return f"{name[:1].upper()}{name[1:]}Neuron({len(self.w)})"


class Layer(Module):
    """Neurons that see the same inputs."""

    def __init__(self, nin: int, nout: int, activation: str = "tanh", nonlin: bool = True, label: str = "") -> None:
        names = [f"{label}N{i}" if label else "" for i in range(1, nout + 1)]
        self.neurons = [Neuron(nin, activation, nonlin, name) for name in names]

    def __call__(self, x: Any) -> Any:
        """Return the outputs of all neurons; of a single one without a list."""
        x = list(x)
        if any(isinstance(each, (list, tuple)) for each in x):
            raise TypeError("each input is a number: for several rows write [n(x) for x in rows]")
        x = [each if isinstance(each, Value) else Value(each) for each in x]
        outputs = [neuron(x) for neuron in self.neurons]
        return outputs[0] if len(outputs) == 1 else outputs

    def parameters(self) -> list[Value]:
        """Return the parameters neuron by neuron."""
        return [parameter for neuron in self.neurons for parameter in neuron.parameters()]

    def __repr__(self) -> str:
        return f"Layer of [{', '.join(map(repr, self.neurons))}]"


class MLP(Module):
    """A multi-layer perceptron.

    Args:
        nin: number of inputs.
        nouts: neurons of each layer, the output layer last.
        activation: of the hidden layers.
        output_activation: of the last layer; None: the same.
    """

    def __init__(
        self, nin: int, nouts: Sequence[int], activation: str = "tanh", output_activation: str | None = None
    ) -> None:
        if not isinstance(nouts, Iterable):
            raise TypeError(f"the sizes of the layers are a list: MLP({nin}, [{nouts}, ...])")
        sizes = [nin, *nouts]
        last = len(sizes) - 2
        kinds = [activation if i < last or output_activation is None else output_activation for i in range(last + 1)]
        self.layers = [Layer(sizes[i], sizes[i + 1], kinds[i], label=f"L{i + 1}") for i in range(last + 1)]

    def __call__(self, x: Any) -> Any:
        """Return the output of the last layer."""
        for layer in self.layers:
            x = layer(x if hasattr(x, "__iter__") and not isinstance(x, Value) else [x])
        return x

    def parameters(self) -> list[Value]:
        """Return the parameters layer by layer."""
        return [parameter for layer in self.layers for parameter in layer.parameters()]

    def __repr__(self) -> str:
        return f"MLP of [{', '.join(map(repr, self.layers))}]"


for _kind in (Module, Neuron, Layer, MLP):
    _kind.__module__ = "__main__"
