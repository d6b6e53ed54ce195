"""`micrograd.nn`: neurons, layers and perceptrons with micrograd's interface, weights and texts.

Weights are drawn as micrograd draws them (uniform between -1 and 1, neuron by neuron, from Python's `random`), so that
a seed gives the same network. Hidden layers have ReLU, the last layer is linear.
"""

import random

from engine.autograd.value import Value


class Module:
    """Something with parameters."""

    def zero_grad(self):
        """Set the gradients of all parameters to 0."""
        for parameter in self.parameters():
            parameter.grad = 0

    def parameters(self):
        """Return the parameters, in micrograd's order."""
        return []


class Neuron(Module):
    """A weighted sum of its inputs, with ReLU when `nonlin`."""

    def __init__(self, nin, nonlin=True):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(0)
        self.nonlin = nonlin

    def __call__(self, x):
        """Return the output for the numbers of one sample."""
        if any(isinstance(each, (list, tuple)) for each in x):  # here it would be an array
            raise TypeError("unsupported operand type(s) for *: 'Value' and 'list'")
        total = sum((w * each for w, each in zip(self.w, x, strict=False)), self.b)
        return total.relu() if self.nonlin else total

    def parameters(self):
        """Return weights, then bias."""
        return [*self.w, self.b]

    def __repr__(self):
        return f"{'ReLU' if self.nonlin else 'Linear'}Neuron({len(self.w)})"


class Layer(Module):
    """Neurons that see the same inputs; keywords go to each of them."""

    def __init__(self, nin, nout, **kwargs):
        self.neurons = [Neuron(nin, **kwargs) for _ in range(nout)]

    def __call__(self, x):
        """Return the outputs of all neurons; of a single one without a list."""
        outputs = [neuron(x) for neuron in self.neurons]
        return outputs[0] if len(outputs) == 1 else outputs

    def parameters(self):
        """Return the parameters neuron by neuron."""
        return [parameter for neuron in self.neurons for parameter in neuron.parameters()]

    def __repr__(self):
        return f"Layer of [{', '.join(map(str, self.neurons))}]"


class MLP(Module):
    """A multi-layer perceptron: `nouts` neurons in each layer, the last one linear."""

    def __init__(self, nin, nouts):
        sizes = [nin, *nouts]
        last = len(nouts) - 1
        self.layers = [Layer(sizes[i], sizes[i + 1], nonlin=i != last) for i in range(len(nouts))]

    def __call__(self, x):
        """Return the output of the last layer."""
        for layer in self.layers:
            x = layer(x)
        return x

    def parameters(self):
        """Return the parameters layer by layer."""
        return [parameter for layer in self.layers for parameter in layer.parameters()]

    def __repr__(self):
        return f"MLP of [{', '.join(map(str, self.layers))}]"
