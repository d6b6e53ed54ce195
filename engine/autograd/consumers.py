"""Who uses a value: the graph seen from a value towards the root, and the gradient along that way only."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.autograd.contributions import Contribution, edges_of
from engine.autograd.value import Constant, Value

Use = tuple[Value, int]
Edge = tuple[Value, Any, Any]


class Consumers:
    """The consumers of every value of a graph; structure only, so it stays true while the data change."""

    def __init__(self, order: Sequence[Value]) -> None:
        """Looks at a graph.

        Args:
            order: inputs before what they feed; the root last, which everything feeds.
        """
        self._places = {value: place for place, value in enumerate(order)}
        self._uses: dict[Value, list[Use]] = {}
        for node in reversed(order):
            for index, source in enumerate(node.inputs):
                self._uses.setdefault(source, []).append((node, index))

    def of(self, value: Value) -> Sequence[Use]:
        """The nodes that use a value, each with the operand's position, in the order of the backward pass."""
        return self._uses.get(value, ())

    def downstream(self, value: Value) -> list[Value]:
        """Everything that is computed from a value, itself left out, inputs before what they feed."""
        found: set[Value] = set()
        stack = [value]
        while stack:
            for node, _index in self.of(stack.pop()):
                if node not in found:
                    found.add(node)
                    stack.append(node)
        return sorted(found, key=self._places.__getitem__)

    def contributions(self, value: Value, downstream: Sequence[Value]) -> tuple[Contribution, ...]:
        """What arrives at one value in the backward pass, in its order; only what lies on the way is computed.

        Args:
            value: of the graph.
            downstream: what is computed from it.
        """
        if not downstream:
            return ()
        *between, root = downstream
        grads: dict[Value, Any] = {root: 1.0}
        edges = {root: list(edges_of(root, 1.0))}
        for source in reversed(between):
            grads[source] = sum((edges[node][index][2] for node, index in self._received(source, edges)), 0.0)
            edges[source] = list(edges_of(source, grads[source]))
        received = ((node, index, edges[node][index]) for node, index in self._received(value, edges))
        return tuple(Contribution(node, index, value, grads[node], *edge[1:]) for node, index, edge in received)

    def _received(self, source: Value, edges: Mapping[Value, Sequence[Edge]]) -> Iterator[Use]:
        """The uses of a value along which something arrives: all but undefined ones to a number in a formula."""
        for node, index in self.of(source):
            amount = edges[node][index][2]
            if not (isinstance(source, Constant) and amount.__class__ is float and amount != amount):
                yield node, index

    def shortest_path(self, value: Value, root: Value) -> tuple[Use, ...]:
        """The way to the root over the fewest operations, as the uses along it; () where there is none."""
        came: dict[Value, tuple[Value, Use]] = {}
        queue = deque([value])
        while queue and root not in came:
            source = queue.popleft()
            for use in self.of(source):
                if use[0] not in came:
                    came[use[0]] = (source, use)
                    queue.append(use[0])
        path = []
        while root in came:
            root, use = came.pop(root)
            path.append(use)
        return tuple(reversed(path))

    def number_of_paths(self, value: Value, downstream: Sequence[Value]) -> int:
        """How many ways lead from a value to the root, which is the last of what lies downstream."""
        counts = dict.fromkeys(downstream[-1:], 1)
        for source in (*reversed(downstream[:-1]), value):
            counts[source] = sum(counts[node] for node, _index in self.of(source))
        return counts[value]
