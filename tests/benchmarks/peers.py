"""The same training step written for the peers: PyTorch, JAX, and numpy by hand with buffers made once."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from engine.network import MLP
from tests.benchmarks.cases import Case

Step = Callable[[], float]


def installed(name: str) -> bool:
    """Whether a peer can be imported."""
    return importlib.util.find_spec(name) is not None


def batches(case: Case) -> Iterator[slice]:
    """The rows of each step, round and round."""
    size = case.batch_size or len(case.X)
    return itertools.cycle([slice(start, start + size) for start in range(0, len(case.X), size)])


def split_weights(model: MLP) -> list[tuple[Any, Any]]:
    """Weights (n_out, n_in) and biases of each layer."""
    return [(matrix[:, :-1].copy(), matrix[:, -1].copy()) for matrix in model.shape.layer_matrices(model.weights)]


def torch_step(case: Case, model: MLP, dtype: str) -> Step:
    """PyTorch eager on one thread: zero_grad, forward, loss, backward, step."""
    torch = importlib.import_module("torch")
    functional = importlib.import_module("torch.nn.functional")
    torch.set_num_threads(1)
    number = getattr(torch, dtype)
    activation = {"tanh": torch.nn.Tanh, "relu": torch.nn.ReLU}[case.activation]
    modules: list[Any] = []
    for weights, biases in split_weights(model):
        linear = torch.nn.Linear(weights.shape[1], weights.shape[0], dtype=number)
        linear.weight.data.copy_(torch.from_numpy(weights))
        linear.bias.data.copy_(torch.from_numpy(biases))
        modules += [linear, activation()]
    net = torch.nn.Sequential(*modules[:-1])
    losses = {
        "mean_squared_error": functional.mse_loss,
        "hinge": lambda o, t: functional.relu(1 - t * o).mean(),
        "softmax_cross_entropy": lambda o, t: functional.cross_entropy(o, t[:, 0]),
    }
    loss_of, rows = losses[case.loss], batches(case)
    X = torch.from_numpy(case.X.copy()).to(number)
    y = torch.from_numpy(case.labels.copy())
    y = y if case.loss == "softmax_cross_entropy" else y.to(number)
    optimizer = torch.optim.SGD(net.parameters(), lr=case.learning_rate)

    def step() -> float:
        part = next(rows)
        optimizer.zero_grad()
        loss = loss_of(net(X[part]), y[part])
        if case.l2:
            loss = loss + case.l2 * sum((p * p).sum() for p in net.parameters())
        loss.backward()
        optimizer.step()
        return float(loss.item())

    return step


def jax_step(case: Case, model: MLP, dtype: str) -> Step:
    """JAX with the whole step compiled, waited for after each step."""
    jax = importlib.import_module("jax")
    jnp = importlib.import_module("jax.numpy")
    parameters = [(jnp.asarray(w, dtype), jnp.asarray(b, dtype)) for w, b in split_weights(model)]
    X, rows = jnp.asarray(case.X, dtype), batches(case)
    y = jnp.asarray(case.labels if case.loss == "softmax_cross_entropy" else case.labels.astype(dtype))
    activation = {"tanh": jnp.tanh, "relu": lambda z: jnp.maximum(z, 0)}[case.activation]
    losses = {
        "mean_squared_error": lambda o, t: jnp.mean((o - t) ** 2),
        "hinge": lambda o, t: jnp.mean(jnp.maximum(1 - t * o, 0)),
        "softmax_cross_entropy": lambda o, t: jnp.mean(
            jax.nn.logsumexp(o, axis=1) - jnp.take_along_axis(o, t, axis=1)[:, 0]
        ),
    }

    def objective(parameters: Any, X: Any, y: Any) -> Any:
        out = X
        for weights, biases in parameters[:-1]:
            out = activation(out @ weights.T + biases)
        weights, biases = parameters[-1]
        loss = losses[case.loss](out @ weights.T + biases, y)
        return loss + case.l2 * sum((p * p).sum() for pair in parameters for p in pair) if case.l2 else loss

    @jax.jit
    def update(parameters: Any, X: Any, y: Any) -> Any:
        loss, slopes = jax.value_and_grad(objective)(parameters, X, y)
        return jax.tree.map(lambda p, g: p - case.learning_rate * g, parameters, slopes), loss

    parts = {
        part.start: (X[part], y[part]) for part in itertools.islice(rows, -(-len(X) // (case.batch_size or len(X))))
    }
    state = [parameters]

    def step() -> float:
        state[0], loss = update(state[0], *parts[next(rows).start])
        return float(loss)

    return step


def numpy_step(case: Case, model: MLP, dtype: str) -> Step:
    """numpy by hand: rows are samples, every product and function writes into a buffer made once."""
    weights = [np.ascontiguousarray(w.T, dtype) for w, _ in split_weights(model)]
    biases = [b.astype(dtype) for _, b in split_weights(model)]
    X, y, rows = case.X.astype(dtype), _encoded(case).astype(dtype), batches(case)
    n = case.batch_size or len(X)
    hidden = [np.empty((n, w.shape[1]), dtype) for w in weights]
    deltas, works = [np.empty_like(h) for h in hidden], [np.empty_like(h) for h in hidden]
    w_slopes, b_slopes = [np.empty_like(w) for w in weights], [np.empty_like(b) for b in biases]
    rate, last = np.array(case.learning_rate, dtype), len(weights) - 1
    pairs = list(zip((*weights, *biases), (*w_slopes, *b_slopes), strict=True))
    slope = _through_tanh if case.activation == "tanh" else _through_relu

    def forward(x: Any) -> None:
        for i, (w, b) in enumerate(zip(weights, biases, strict=True)):
            np.dot(x, w, hidden[i])
            np.add(hidden[i], b, hidden[i])
            if i < last:
                np.tanh(hidden[i], hidden[i]) if case.activation == "tanh" else np.maximum(hidden[i], 0, hidden[i])
            x = hidden[i]

    def backward(x: Any) -> None:
        for i in range(last, -1, -1):
            below = hidden[i - 1] if i else x
            np.dot(below.T, deltas[i], w_slopes[i])
            np.add.reduce(deltas[i], 0, None, b_slopes[i])
            if i:
                np.dot(deltas[i], weights[i].T, deltas[i - 1])
                slope(below, deltas[i - 1], works[i - 1])

    def step() -> float:
        part = next(rows)
        x, t = X[part], y[part]
        forward(x)
        loss = _numpy_loss(case, hidden[last], t, deltas[last])
        backward(x)
        return loss + _numpy_update(pairs, rate, case.l2)

    return step


def _numpy_update(pairs: Sequence[tuple[Any, Any]], rate: Any, l2: float) -> float:
    """Takes the step that the slopes ask for, and gives the penalty on the parameters before it."""
    penalty = 0.0
    for p, g in pairs:
        if l2:
            penalty += l2 * float((p * p).sum())
            g += 2 * l2 * p
        np.multiply(g, rate, g)
        np.subtract(p, g, p)
    return penalty


def _through_tanh(y: Any, delta: Any, work: Any) -> None:
    np.multiply(y, y, work)
    np.subtract(1, work, work)
    np.multiply(delta, work, delta)


def _through_relu(y: Any, delta: Any, _work: Any) -> None:
    np.multiply(delta, y > 0, delta)


def _encoded(case: Case) -> Any:
    return np.eye(3)[case.labels[:, 0]] if case.loss == "softmax_cross_entropy" else case.labels


def _numpy_loss(case: Case, out: Any, t: Any, delta: Any) -> float:
    """The loss; its slope goes into delta."""
    n = len(out)
    if case.loss == "mean_squared_error":
        np.subtract(out, t, delta)
        flat = delta.ravel()
        loss = float(np.dot(flat, flat)) / n
        np.multiply(delta, 2 / n, delta)
        return loss
    if case.loss == "hinge":
        margin = np.maximum(1 - t * out, 0)
        np.multiply(t, -1 / n, delta)
        np.multiply(delta, margin > 0, delta)
        return float(margin.sum()) / n
    shifted = out - out.max(axis=1, keepdims=True)
    np.exp(shifted, delta)
    total = delta.sum(axis=1, keepdims=True)
    np.divide(delta, total, delta)
    loss = float((np.log(total[:, 0]) - (shifted * t).sum(axis=1)).sum()) / n
    np.subtract(delta, t, delta)
    np.multiply(delta, 1 / n, delta)
    return loss
