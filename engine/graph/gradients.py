"""Derivatives on the edges of a graph: local derivatives as texts, and the gradient flowing along each edge.

Both are computed from the values' data, never from their `grad`, and only when requested.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import networkx as nx

from engine.autograd import Constant, Contribution, Value, local_derivatives, topological_order
from engine.autograd.contributions import local_derivative
from engine.autograd.notation import ordinal
from engine.graph.drawn_scale import full_scale

MOST_CONSUMERS = 200
"""Limit of consumers; above it a value has texts on its own inputs only, as others could not be read."""

Pair = tuple[str, str]
BoxOf = Callable[[Value], str | None]


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
        several values has no single derivative and gets no text; nor do the consumers of a value that has more than
        `MOST_CONSUMERS`.
    """
    if graph.nodes.get(key, {}).get("kind") != "value":
        return {}
    texts = _texts_into(graph, key, box_of)
    if graph.out_degree(key) > MOST_CONSUMERS:
        return texts
    for target in _consumers(graph, key):
        found = _texts_into(graph, target, box_of, key)
        texts |= {pair: text for pair, text in found.items() if pair[0] == key}
    return texts


def partial_text(graph: nx.DiGraph, edge: Pair, box_of: BoxOf) -> dict[Pair, str]:
    """Text of one edge, as in `partial_texts`; empty if it has none."""
    source, target = edge
    home = target.removesuffix(":op")
    if graph.nodes.get(home, {}).get("kind") != "value" or graph.nodes.get(source, {}).get("kind") != "value":
        return {}
    return {pair: text for pair, text in _texts_into(graph, home, box_of, source).items() if pair == edge}


def _consumers(graph: nx.DiGraph, key: str) -> Iterator[str]:
    """The boxes that are computed from one, groups without an operation between included."""
    for node in graph.successors(key):
        yield from graph.successors(node) if graph.nodes[node]["kind"] == "op" else (node,)


def _texts_into(graph: nx.DiGraph, key: str, box_of: BoxOf, source: str | None = None) -> dict[Pair, str]:
    """The partials of the operation that computes a value, or of a closed group, by edge.

    Args:
        source: the box whose edges are of interest; None: all of them.
    """
    about = graph.nodes[key]
    if about.get("members"):
        return _texts_into_group(graph, key, box_of, source)
    value: Value = about["value"]
    if value.op is None or any(operand.data.__class__ is not float for operand in value.inputs):
        return {}
    partials: dict[Pair, list[tuple[int, float]]] = {}
    for position, (operand, partial) in enumerate(zip(value.inputs, local_derivatives(value), strict=True), start=1):
        pair = (box_of(operand) or "", f"{key}:op")
        if graph.has_edge(*pair):
            partials.setdefault(pair, []).append((position, partial))
    return {pair: "∂ " + _by_operand(numbers) for pair, numbers in partials.items()}


def _texts_into_group(graph: nx.DiGraph, key: str, box_of: BoxOf, source: str | None) -> dict[Pair, str]:
    """Return those of a closed group with one output; an edge with several values has none."""
    about = graph.nodes[key]
    inside, outputs = about["inside"], about["outputs"]
    if len(outputs) != 1:
        return {}
    if source is None:
        entering = _entering_alone(inside, box_of)
    else:
        behind = graph.nodes[source]
        entering = _one_of(behind.get("outputs") or (behind["value"],), inside)
    partials = group_partials(inside, outputs[0], entering) if entering else {}
    known = {value: partial for value, partial in partials.items() if not _is_undefined(value, partial)}
    pairs = {(box_of(value) or "", key): partial for value, partial in known.items()}
    return {pair: f"∂ {_digits(partial)}" for pair, partial in pairs.items() if graph.has_edge(*pair)}


def _is_undefined(value: Value, partial: float) -> bool:
    """True for the unneeded derivative with respect to the exponent of `(-2)**3`."""
    return isinstance(value, Constant) and partial != partial


def _entering_alone(inside: Collection[Value], box_of: BoxOf) -> set[Value]:
    """Inputs of some inner values that are the only entering value of their box."""
    members, alone = set(inside), dict[str, Value | None]()
    for value in dict.fromkeys(source for computed in inside for source in computed.inputs):
        if value not in members and (box := box_of(value)) is not None:
            alone[box] = None if box in alone else value
    return {value for value in alone.values() if value is not None}


def _one_of(values: Collection[Value], inside: Iterable[Value]) -> set[Value]:
    """The only one of the values that some inside are computed from; nothing where there are several."""
    wanted, found = set(values), set[Value]()
    for value in inside:
        if not wanted.isdisjoint(value.inputs):
            found |= wanted.intersection(value.inputs)
            if len(found) > 1:
                return set()
    return found


def group_partials(
    inside: Collection[Value], output: Value, wanted: Collection[Value] | None = None
) -> dict[Value, float]:
    """The partial derivatives of a group's output with respect to what comes into the group.

    A closed neuron is an operation as good as any in the table, so the edges into it have a local derivative like the
    edges into a circle: the sum over all paths inside, by a backward pass over the values on such paths.

    Args:
        inside: the values of the group.
        output: the value used outside.
        wanted: inputs from outside that are of interest; None: all but constants.

    Returns:
        by wanted value; those the output does not depend on have 0. Nothing when a value on the way is an array: its
        derivative is not a number.
    """
    members = set(inside)
    if wanted is None:
        entering = {source for value in inside for source in value.inputs} - members
        wanted = [source for source in entering if not isinstance(source, Constant)]
    order = topological_order(output, known=lambda value: value not in members)
    concerned, way = set(wanted), []  # what depends on one of them; of the group, in order
    for value in order:
        if not concerned.isdisjoint(value.inputs):
            concerned.add(value)
            way.append(value)
    gradients = {output: 1.0}
    for value in reversed(way):
        if any(each.data.__class__ is not float for each in (value, *value.inputs)):
            return {}
        upstream = gradients.get(value, 0.0)
        for source, partial in _partials_to(value, concerned):
            gradients[source] = gradients.get(source, 0.0) + upstream * partial
    return {source: gradients.get(source, 0.0) for source in wanted}


FEW_OPERANDS = 4
"""Up to so many partials of an operation are computed one by one; for more, all of them together."""


def _partials_to(value: Value, sources: Collection[Value]) -> Iterator[tuple[Value, float]]:
    """Those inputs of an operation that are among the sources, and the partials with respect to them."""
    places = [index for index, source in enumerate(value.inputs) if source in sources]
    partials = local_derivatives(value) if len(places) > FEW_OPERANDS else None
    for index in places:
        yield value.inputs[index], local_derivative(value, index) if partials is None else partials[index]


def _by_operand(partials: list[tuple[int, float]]) -> str:
    """One number, or several with the position of the operand that each belongs to."""
    if len(partials) == 1:
        return _digits(partials[0][1])
    return ", ".join(f"{_digits(partial)} ({ordinal(position)})" for position, partial in partials)


def _digits(partial: float) -> str:
    return f"{partial:.4g}".replace("-", "−")


def gradient_flow(graph: nx.DiGraph, arrived: Iterable[Contribution], box_of: BoxOf) -> dict[Pair, float]:
    """Amount of gradient that flows along each edge, against its direction.

    Args:
        graph: as `build_graph` makes it.
        arrived: contributions of a backward pass, all or the first of them; those of an operation one after the other.
        box_of: the node in which a value is drawn, None for one that is not drawn.

    Returns:
        by edge the sum of its contributions (upstream × partial); on the edge from an operation to its result the
        result's gradient. Arrays count by the sum of their elements.
    """
    flow: dict[Pair, float] = {}
    node = home = target = None
    for one in arrived:
        if one.node is not node:
            node, home = one.node, box_of(one.node)
            circle = f"{home}:op"
            target = circle if circle in graph else home
            if home is not None and target == circle:
                flow[circle, home] = _size(one.upstream)
        source = box_of(one.input)
        if source is not None and target is not None and graph.has_edge(source, target):
            flow[source, target] = flow.get((source, target), 0.0) + _size(one.amount)
    return flow


def _size(amount: Any) -> float:
    return float(amount.sum()) if hasattr(amount, "sum") else float(amount)


def in_proportion(flow: Mapping[Pair, float], largest: float | None = None) -> dict[Pair, float]:
    """The flows from -1 to 1: each divided by the largest, infinite ones at the ends, undefined ones 0.

    Args:
        largest: the size that becomes 1, unless it is below the floor of what is drawn; that of the largest finite
            flow when None.
    """
    if largest is None:
        largest = max((abs(amount) for amount in flow.values() if math.isfinite(amount)), default=0.0)
    scale = full_scale(largest, "gradient")
    return {pair: _share(amount, scale) for pair, amount in flow.items()}


def _share(amount: float, largest: float) -> float:
    if math.isnan(amount) or amount == 0:
        return 0.0
    return max(-1.0, min(1.0, amount / largest))


def nodes_between(graph: nx.DiGraph, source: str, target: str) -> set[str]:
    """The nodes on all paths from one node to another, both ends left out; none where there is no path."""
    after: set[str] = nx.descendants(graph, source)
    return after & nx.ancestors(graph, target) if target in after else set()
