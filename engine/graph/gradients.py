"""What the edges of a graph say about derivatives: local derivatives as texts, and the gradient that flows along each.

Both are computed from the values' data, never from their `grad`, and only when somebody wants to see them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import networkx as nx

from engine.autograd import Value, local_derivatives

Pair = tuple[str, str]
BoxOf = Callable[[Value], str | None]


class Pushed(Protocol):
    """One contribution of a backward pass: a `Contribution`, or a backward `Step`."""

    @property
    def node(self) -> Value:
        """The value whose operation is undone."""

    @property
    def input(self) -> Value | None:
        """The value that receives."""

    @property
    def upstream(self) -> Any:
        """Gradient of the root with respect to the node."""

    @property
    def amount(self) -> Any:
        """What is added to the gradient of the input."""


def partial_texts(graph: nx.DiGraph, key: str, box_of: BoxOf) -> dict[Pair, str]:
    """The local derivatives around one value, for the edges they belong to.

    Args:
        graph: as `build_graph` makes it.
        key: a node; a group, an operation or a key without a node has none.
        box_of: the node in which a value is drawn, None for one that is not drawn.

    Returns:
        by (source, operation) a text such as `∂ 0.5`: the derivatives of the value's own operation with respect to its
        inputs, and those of every consumer with respect to the value. Several operands on one edge: `∂ 3 + 3`.
    """
    about = graph.nodes.get(key, {})
    if about.get("kind") != "value" or about.get("members"):
        return {}
    value: Value = about["value"]
    texts = _texts_into(graph, value, key, box_of)
    for circle in graph.successors(key):
        for target in graph.successors(circle) if graph.nodes[circle]["kind"] == "op" else ():
            consumer = _texts_into(graph, graph.nodes[target]["value"], target, box_of)
            texts |= {pair: text for pair, text in consumer.items() if pair[0] == key}
    return texts


def _texts_into(graph: nx.DiGraph, value: Value, key: str, box_of: BoxOf) -> dict[Pair, str]:
    """The partials of one operation, by edge."""
    if value.op is None or any(source.data.__class__ is not float for source in value.inputs):
        return {}
    partials: dict[Pair, list[float]] = {}
    for source, partial in zip(value.inputs, local_derivatives(value), strict=True):
        pair = (box_of(source) or "", f"{key}:op")
        if graph.has_edge(*pair):
            partials.setdefault(pair, []).append(partial)
    return {pair: "∂ " + _sum(numbers) for pair, numbers in partials.items()}


def _sum(numbers: list[float]) -> str:
    first, *others = numbers
    return f"{first:.4g}" + "".join(f" {'-' if number < 0 else '+'} {abs(number):.4g}" for number in others)


def gradient_flow(graph: nx.DiGraph, pushed: Iterable[Pushed], box_of: BoxOf) -> dict[Pair, float]:
    """How much gradient runs along each edge against its direction.

    Args:
        graph: as `build_graph` makes it.
        pushed: contributions of a backward pass, all or the first of them.
        box_of: the node in which a value is drawn, None for one that is not drawn.

    Returns:
        by edge the sum of its contributions (upstream × partial); on the edge from an operation to its result the
        result's gradient. Arrays count by the sum of their elements.
    """
    flow: dict[Pair, float] = {}
    for one in pushed:
        home, source = box_of(one.node), None if one.input is None else box_of(one.input)
        if home is None:
            continue
        circle = f"{home}:op"
        target = circle if circle in graph else home
        if source is not None and graph.has_edge(source, target):
            flow[source, target] = flow.get((source, target), 0.0) + _size(one.amount)
        if target == circle:
            flow[circle, home] = _size(one.upstream)
    return flow


def _size(amount: Any) -> float:
    return float(amount.sum()) if hasattr(amount, "sum") else float(amount)


def in_proportion(flow: Mapping[Pair, float], largest: float | None = None) -> dict[Pair, float]:
    """The flows from -1 to 1: each divided by the largest, infinite ones at the ends, those that are no number 0.

    Args:
        largest: the size that becomes 1; that of the largest finite flow when None.
    """
    if largest is None:
        largest = max((abs(amount) for amount in flow.values() if math.isfinite(amount)), default=0.0)
    return {pair: _share(amount, largest) for pair, amount in flow.items()}


def _share(amount: float, largest: float) -> float:
    if math.isnan(amount) or amount == 0:
        return 0.0
    return max(-1.0, min(1.0, amount / largest)) if largest > 0 else math.copysign(1.0, amount)
