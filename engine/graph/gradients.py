"""What the edges of a graph say about derivatives: local derivatives as texts, and the gradient that flows along each.

Both are computed from the values' data, never from their `grad`, and only when somebody wants to see them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Protocol

import networkx as nx

from engine.autograd import Constant, Value, local_derivatives, topological_order
from engine.autograd.contributions import contributions_within
from engine.autograd.notation import ordinal

Pair = tuple[str, str]
BoxOf = Callable[[Value], str | None]


class Pushed(Protocol):
    """One contribution of a backward pass: a `Contribution`, or a backward `SubStep`."""

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
        key: a node; an operation or a key without a node has none.
        box_of: the node in which a value is drawn, None for one that is not drawn.

    Returns:
        by (source, operation) a text such as `∂ 0.5`: the derivatives of the value's own operation with respect to its
        inputs, and those of every consumer with respect to the value. Several operands on one edge: `∂ 3 (1st), 3
        (2nd)`. A closed group with one output is like an operation: the text stands on its own edges. A bundle of
        several values has no single derivative and gets no text.
    """
    if graph.nodes.get(key, {}).get("kind") != "value":
        return {}
    texts = _texts_into(graph, key, box_of)
    for target in _consumers(graph, key):
        texts |= {pair: text for pair, text in _texts_into(graph, target, box_of).items() if pair[0] == key}
    return texts


def _consumers(graph: nx.DiGraph, key: str) -> Iterator[str]:
    """The boxes that are computed from one, groups without an operation between included."""
    for node in graph.successors(key):
        yield from graph.successors(node) if graph.nodes[node]["kind"] == "op" else (node,)


def _texts_into(graph: nx.DiGraph, key: str, box_of: BoxOf) -> dict[Pair, str]:
    """The partials of the operation that computes a value, or of a closed group, by edge."""
    about = graph.nodes[key]
    if about.get("members"):
        return _texts_into_group(graph, key, box_of)
    value: Value = about["value"]
    if value.op is None or any(source.data.__class__ is not float for source in value.inputs):
        return {}
    partials: dict[Pair, list[tuple[int, float]]] = {}
    for position, (source, partial) in enumerate(zip(value.inputs, local_derivatives(value), strict=True), start=1):
        pair = (box_of(source) or "", f"{key}:op")
        if graph.has_edge(*pair):
            partials.setdefault(pair, []).append((position, partial))
    return {pair: "∂ " + _by_operand(numbers) for pair, numbers in partials.items()}


def _texts_into_group(graph: nx.DiGraph, key: str, box_of: BoxOf) -> dict[Pair, str]:
    """Those of a closed group with one output; an edge along which several values come has none."""
    outputs = graph.nodes[key]["outputs"]
    if len(outputs) != 1:
        return {}
    entering: dict[Pair, list[float]] = {}
    for source, partial in group_partials(graph.nodes[key]["inside"], outputs[0]).items():
        pair = (box_of(source) or "", key)
        if graph.has_edge(*pair):
            entering.setdefault(pair, []).append(partial)
    return {pair: f"∂ {numbers[0]:.4g}" for pair, numbers in entering.items() if len(numbers) == 1}


def group_partials(inside: Collection[Value], output: Value) -> dict[Value, float]:
    """The partial derivatives of a group's output with respect to what comes into the group.

    A closed neuron is an operation as good as any in the table, so the edges into it have a local derivative like the
    edges into a circle: the sum over all paths inside, by a backward pass over the group alone.

    Args:
        inside: the values of the group.
        output: the one that is used outside.

    Returns:
        by value outside the group that one inside is computed from; those the output does not depend on have 0. Nothing
        when a value is an array: its derivative is not a number.
    """
    members = set(inside)
    entering = {source for value in inside for source in value.inputs} - members
    if any(value.data.__class__ is not float for value in members | entering):
        return {}
    order = topological_order(output, known=lambda value: value not in members)
    partials = {source: 0.0 for source in entering if not isinstance(source, Constant)}
    partials.update((term.input, term.total) for term in contributions_within(order) if term.input in entering)
    return partials


def _by_operand(partials: list[tuple[int, float]]) -> str:
    """One number, or several with the position of the operand that each belongs to."""
    if len(partials) == 1:
        return f"{partials[0][1]:.4g}"
    return ", ".join(f"{partial:.4g} ({ordinal(position)})" for position, partial in partials)


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
    """The flows from -1 to 1: each divided by the largest, infinite ones at the ends, undefined ones 0.

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


def nodes_between(graph: nx.DiGraph, source: str, target: str) -> set[str]:
    """The nodes on all paths from one node to another, both ends left out; none where there is no path."""
    after: set[str] = nx.descendants(graph, source)
    return after & nx.ancestors(graph, target) if target in after else set()
