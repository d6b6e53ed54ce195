"""The gradient of a perceptron 2-4-4-1 of tanh neurons, worked out with matrices, independently of the engine."""

import numpy as np


def gradient_by_hand(weights, X, y):
    """Of the summed squared error of X (n, 2) and y (n,), for parameters in micrograd's order (37,)."""
    layers, start = [], 0
    for n_in, n_out in ((2, 4), (4, 4), (4, 1)):
        layers.append(weights[start : start + n_out * (n_in + 1)].reshape(n_out, n_in + 1))
        start += n_out * (n_in + 1)
    inputs = []
    out = X
    for layer in layers:
        inputs.append(np.column_stack([out, np.ones(len(X))]))
        out = np.tanh(inputs[-1] @ layer.T)
    slope = 2 * (out - np.asarray(y, dtype=float)[:, None])
    parts = []
    for layer, given in zip(reversed(layers), reversed(inputs), strict=True):
        slope = slope * (1 - np.tanh(given @ layer.T) ** 2)
        parts.insert(0, (slope.T @ given).ravel())
        slope = slope @ layer[:, :-1]
    return np.concatenate(parts)
