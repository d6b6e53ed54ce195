"""The scalar engine beside micrograd: expressions, a whole loss as scalars, long chains, memory."""

from __future__ import annotations

import importlib
import importlib.util
import random
import sys
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

from datasets import make_dataset
from engine.autograd import Value, collector_paused
from engine.network import LOSSES, MLP, Penalty, encode, scalar_objective
from tests.benchmarks.measure import Row, compared, interleaved

README_REACH, COMPOSITE_REACH, EXPANDED_REACH, CHAIN_REACH, MEMORY_REACH = 2.7, 60.0, 12.0, 8.0, 5.5


def rows() -> list[Row]:
    """All engine cases; micrograd's columns where it is installed."""
    peer = importlib.import_module("micrograd.engine").Value if importlib.util.find_spec("micrograd") else None
    return [*_readme(peer), *_moons(peer), *_chain(peer), *_million(), *_memory(peer)]


def readme_expression(new: Callable[[float], Any]) -> Any:
    """The expression of micrograd's README, built and differentiated."""
    a = new(-4.0)
    b = new(2.0)
    c = a + b
    d = a * b + b**3
    c += c + 1
    c += 1 + c + (-a)
    d += d * 2 + (b + a).relu()
    d += 3 * d + (b - a).relu()
    e = c - d
    f = e**2
    g = f / 2.0
    g += 10.0 / f
    g.backward()
    return g


def _readme(peer: Any) -> list[Row]:
    works: dict[str, Callable[[], Any]] = {"Gradstep": lambda: readme_expression(Value)}
    if peer:
        works["micrograd"] = lambda: readme_expression(peer)
    return compared("README expression", interleaved(works, 15), {"micrograd": README_REACH})


def _moons(peer: Any) -> list[Row]:
    """One hinge loss with penalty of MLP(2, [16, 16, 1]) over 100 points, forward and backward."""
    data = make_dataset("moons", n_samples=100, noise=0.1, seed=1)
    model = MLP(2, [16, 16, 1], rng=random.Random(1337))
    targets = encode(LOSSES["hinge"], data.y, 1).values
    points, labels = data.X.tolist(), targets[:, 0].tolist()

    def composite() -> float:
        root = scalar_objective(model, LOSSES["hinge"], points, targets, Penalty(l2=1e-4))
        root.backward()
        return float(root.data)

    def expanded() -> float:
        with collector_paused():
            return float(_plain_loss(_plain_network(model), model.parameters(), points, labels, Value).data)

    works: dict[str, Callable[[], float]] = {"neurons composite": composite, "all nodes expanded": expanded}
    if peer:
        works["micrograd"] = _micrograd_loss(peer, model, points, labels)
    seconds = interleaved(works, 3, least=4)
    result = []
    for own, reach in (("neurons composite", COMPOSITE_REACH), ("all nodes expanded", EXPANDED_REACH)):
        pair = {name: seconds[name] for name in (own, "micrograd") if name in seconds}
        result += compared(f"moons as scalars, {own}", pair, {"micrograd": reach}, own, "ms")
    return result


def _plain_network(model: MLP) -> list[list[tuple[list[Value], Value, bool]]]:
    """The parameters as nested lists, as a tutorial's network holds them."""
    return [[(n.weights, n.bias, n.activation == "relu") for n in layer.neurons] for layer in model.layers]


def _plain_loss(network: Any, parameters: Any, points: Any, labels: Any, new: Any) -> Any:
    """The same loss with one node for every product and sum, written as micrograd's demo does."""
    losses = []
    for point, label in zip(points, labels, strict=True):
        x = [new(number) for number in point]
        for layer in network:
            x = [_plain_neuron(*neuron, x) for neuron in layer]
        losses.append((1 + -label * x[0]).relu())
    total = sum(losses) * (1.0 / len(losses)) + 1e-4 * sum(p * p for p in parameters)
    total.backward()
    return total


def _plain_neuron(weights: Any, bias: Any, nonlinear: bool, x: Any) -> Any:
    act = sum((wi * xi for wi, xi in zip(weights, x, strict=True)), bias)
    return act.relu() if nonlinear else act


def _micrograd_loss(peer: Any, model: MLP, points: Any, labels: Any) -> Callable[[], float]:
    theirs = [
        [([peer(w.data) for w in weights], peer(bias.data), relu) for weights, bias, relu in layer]
        for layer in _plain_network(model)
    ]
    parameters = [p for layer in theirs for weights, bias, _ in layer for p in (*weights, bias)]

    def loss() -> float:
        with_recursion = []
        _in_deep_thread(lambda: with_recursion.append(_plain_loss(theirs, parameters, points, labels, peer).data))
        return float(with_recursion[0])

    return loss


def add_many(new: Callable[[float], Any], n: int) -> Any:
    """A chain of n additions, differentiated."""
    x = new(1.0)
    total = x
    for _ in range(n):
        total = total + x
    total.backward()
    return total


def _chain(peer: Any) -> list[Row]:
    def own() -> None:
        with collector_paused():
            add_many(Value, 100_000)

    works: dict[str, Callable[[], Any]] = {"Gradstep": own}
    if peer:
        works["micrograd, limit lifted"] = lambda: _in_deep_thread(lambda: add_many(peer, 100_000))
    return compared("100,000 additions", interleaved(works, 3), {"micrograd, limit lifted": CHAIN_REACH}, unit="ms")


def _million() -> list[Row]:
    def own() -> None:
        with collector_paused():
            add_many(Value, 1_000_000)

    return [Row("1,000,000 additions", "Gradstep", interleaved({"Gradstep": own}, 1)["Gradstep"] * 1e3, "ms")]


def _memory(peer: Any) -> list[Row]:
    """Bytes of a node in a chain, after backward."""
    own = _bytes_per_node(lambda: add_many(Value, 1_000_000), 1_000_000)
    result = [Row("memory a node, 1,000,000", "Gradstep", own, "bytes")]
    if peer:
        theirs: list[float] = []
        _in_deep_thread(lambda: theirs.append(_bytes_per_node(lambda: add_many(peer, 100_000), 100_000)))
        result.append(Row(result[0].case, "micrograd", theirs[0], "bytes", theirs[0] / own, MEMORY_REACH))
    return result


def _bytes_per_node(build: Callable[[], Any], n: int) -> float:
    tracemalloc.start()
    root = build()
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    del root
    return used / n


def _in_deep_thread(work: Callable[[], object]) -> None:
    """Runs work where micrograd's recursion has room."""
    limit, size = sys.getrecursionlimit(), threading.stack_size(512 * 1024 * 1024)
    sys.setrecursionlimit(10**6)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
