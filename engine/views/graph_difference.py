"""The difference of two graphs: which node of one is which node of the other, and what differs between them.

The matching follows GumTree (Falleri et al. 2014, "Fine-grained and accurate source code differencing"), made for
graphs in which a value may be used several times, and with names as its first evidence:

1. *Names.* Values whose name stands once in either graph are the same value, whatever they are computed from.
2. *Equal parts, from the output down.* Values have equal classes when operation and classes of the inputs are equal.
   Among several of one class the one is taken that the counterpart of a consumer uses in the same place; what is left
   is paired in order. A second round takes no notice of the numbers of leaves, or of the order of operands of + and ×.
3. *Neighbours.* Of what is left, values of one operation are the same that matched values use in the same place, and
   those that have mostly the same inputs; the outputs are the same, whatever computes them.

Every value is looked at a few times and every edge with it, so the time grows with the size of the graphs. The result
does not depend on which graph comes first.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from engine.autograd import Constant, Value, gradients_of, name_of
from engine.autograd.naming import is_plain
from engine.autograd.notation import short
from engine.graph.build import circle_text, has_constant_exponent
from engine.views.graph_view import GraphView

RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""Numbers that differ by no more than this are the same: rounding, in another order of the same sums."""
MOST_CONSUMERS = 40
"""Consumers of one input that are looked at for a counterpart."""
SHARED_INPUTS = 0.5
"""Least share of inputs that counterparts found by their neighbours have in common."""

_COMMUTATIVE = ("add", "mul")
_NUMBERED = re.compile("[₀-₉]$")


@dataclass(frozen=True)
class Kind:
    """One way in which a node differs.

    Attributes:
        words: in a table.
        badge: on the drawn box.
        title: in a count, such as `2 with different data`.
    """

    words: str
    badge: str
    title: str


KINDS: Mapping[str, Kind] = MappingProxyType({
    "only A": Kind("only in A", "A", "only in A"),
    "only B": Kind("only in B", "B", "only in B"),
    "operation": Kind("operation", "op", "with a different operation"),
    "inputs": Kind("inputs", "op", "with different inputs"),
    "data": Kind("data", "≠", "with different data"),
    "grad": Kind("gradient", "≠", "with a different gradient"),
})  # fmt: skip
"""Ways in which nodes differ by name, the gravest first, which is drawn on its box."""


@dataclass(frozen=True, eq=False)
class ComparedGraph:
    """One of two graphs.

    Attributes:
        view: its values and names.
        numbers: function that returns data and gradient of a value, None for what is not computed.
    """

    view: GraphView
    numbers: Callable[[Value], tuple[Any, Any]]


@dataclass(frozen=True, eq=False)
class NodeDifference:
    """A node of both graphs, or of one.

    Attributes:
        a, b: the value in each graph; None where it has no counterpart.
        kinds: names of `KINDS`; empty for a node that is the same.
        data, grad: of A and of B; None for what is not computed or not there.
        starts_here: the difference does not follow from that of another node: of an input for its data, of a consumer
            for its gradient.
    """

    a: Value | None
    b: Value | None
    kinds: tuple[str, ...]
    data: tuple[Any, Any]
    grad: tuple[Any, Any]
    starts_here: bool = False

    @property
    def name(self) -> str:
        """The name in A, with that in B where it is another one."""
        names = [_name(value) for value in (self.a, self.b) if value is not None]
        return " / ".join(dict.fromkeys(names))

    @property
    def words(self) -> str:
        """The differences in words: `data, gradient`, `operation × in A, + in B`."""
        words = []
        for kind in self.kinds:
            text = KINDS[kind].words
            if kind == "operation" and self.a is not None and self.b is not None:
                text = f"operation {_operation(self.a)} in A, {_operation(self.b)} in B"
            words.append(text)
        return ", ".join(words)


@dataclass(frozen=True, eq=False)
class GraphDifference:
    """Two graphs, node by node.

    Attributes:
        nodes: of both graphs, inputs before their consumers; a node of both graphs stands once. Exponents that are
            written into the circle of their operation are left out.
    """

    nodes: tuple[NodeDifference, ...]

    @cached_property
    def differences(self) -> tuple[NodeDifference, ...]:
        """The nodes that differ."""
        return tuple(node for node in self.nodes if node.kinds)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Number of differing nodes for each of `KINDS`, in its order; a node counts under each of its own."""
        counted = Counter(kind for node in self.nodes for kind in node.kinds)
        return {kind: counted[kind] for kind in KINDS if counted[kind]}

    def summary(self, short: bool = False) -> str:
        """The counts in words: `1 only in B, 3 with different data; 5 the same`, in short `1 only in B, 3 data; …`."""
        n_same = len(self.nodes) - len(self.differences)
        kinds = [(count, KINDS[kind]) for kind, count in self.counts.items()]
        parts = [f"{count:,} {kind.words if short else kind.title}" for count, kind in kinds]
        return f"{', '.join(parts)}; {n_same:,} the same" if parts else f"All {n_same:,} nodes are the same"


def right_numbers(view: GraphView) -> Callable[[Value], tuple[Any, Any]]:
    """Return the numbers that a program's graph would have with the right gradients of one backward pass."""
    root = view.root
    is_number = root is not None and root.data.__class__ is float and math.isfinite(root.data)
    right = gradients_of(root) if root is not None and is_number else {}

    def numbers(value: Value) -> tuple[Any, Any]:
        data, grad = view.numbers(value)
        return data, right.get(value, grad)

    return numbers


def compare_graphs(a: ComparedGraph, b: ComparedGraph) -> GraphDifference:
    """Match the nodes of two graphs, and compare the numbers of those that are in both."""
    first, second = _Nodes(a), _Nodes(b)
    ranks = first.rank(), second.rank()
    if ranks[0] == ranks[1]:
        matched = dict(enumerate(range(len(first.values))))
    elif ranks[0] < ranks[1]:
        matched = _Matching(first, second).to
    else:
        matched = {one: other for other, one in _Matching(second, first).to.items()}
    return GraphDifference(tuple(_differences(first, second, matched)))


class _Nodes:
    """The values of a graph by their places, inputs before their consumers."""

    def __init__(self, graph: ComparedGraph) -> None:
        self.values = graph.view.values
        self.root = graph.view.root
        self.numbers = [graph.numbers(value) for value in self.values]
        place = {id(value): number for number, value in enumerate(self.values)}
        self.place = place
        self.inputs = [tuple(place[id(source)] for source in value.inputs) for value in self.values]
        self.consumers: list[list[int]] = [[] for _ in self.values]
        for number, sources in enumerate(self.inputs):
            for source in dict.fromkeys(sources):
                self.consumers[source].append(number)
        self.ops = ["" if value.op is None else value.op.name for value in self.values]
        self.names = ["" if isinstance(value, Constant) else value.label for value in self.values]
        self.hidden: set[int] = set()
        """Exponents that are written into the circles of all their consumers."""
        for value, sources in zip(self.values, self.inputs, strict=True):
            if has_constant_exponent(value):
                self.hidden.add(sources[1])
        for value, sources in zip(self.values, self.inputs, strict=True):
            self.hidden.difference_update(sources[:1] if has_constant_exponent(value) else sources)

    def rank(self) -> tuple[Any, ...]:
        """A key that is equal for equal graphs, and that tells which of two others is matched to which."""
        texts = [_plain(data) for data, _grad in self.numbers]
        return len(self.values), tuple(zip(self.ops, self.names, self.inputs, texts, strict=True))

    def own_names(self) -> dict[str, int]:
        """Names that one value alone has. Numbered ones are left out: `a₂` is another value after a line is added."""
        counted = Counter(self.names)
        found = {name: place for place, name in enumerate(self.names) if counted[name] == 1}
        return {name: place for name, place in found.items() if is_plain(name) and not _NUMBERED.search(name)}


class _Matching:
    """Counterparts of the nodes of a first graph in a second one.

    Attributes:
        to: place in the second graph by place in the first.
    """

    def __init__(self, first: _Nodes, second: _Nodes) -> None:
        self.first, self.second = first, second
        self.to: dict[int, int] = {}
        self.back: dict[int, int] = {}
        names = second.own_names()
        for name, place in first.own_names().items():
            if name in names:
                self._pair(place, names[name])
        self._match_equal_parts(with_data=True)
        self._match_roots(same_operation=True)
        self._match_equal_parts(with_data=False)
        n_before = -1
        while n_before < len(self.to):
            n_before = len(self.to)
            self._match_by_consumers(same_operation=True)
            self._match_by_inputs()
        self._match_alike_names()
        self._match_roots(same_operation=False)
        self._match_by_consumers(same_operation=False)

    def _pair(self, one: int, other: int) -> None:
        self.to[one], self.back[other] = other, one

    # Equal parts

    def _match_equal_parts(self, with_data: bool) -> None:
        table: dict[Any, int] = {}
        pairs = {place: number for number, place in enumerate(self.to)}
        classes = self._classes(self.first, pairs, table, with_data)
        others = self._classes(self.second, {other: pairs[one] for one, other in self.to.items()}, table, with_data)
        waiting: dict[int, list[int]] = defaultdict(list)
        n_first = Counter(of for place, of in enumerate(classes) if place not in self.to)
        for place, of in enumerate(others):
            if place not in self.back and of in n_first:
                waiting[of].append(place)
        n_second = {of: len(places) for of, places in waiting.items()}
        for by_order in (False, True):  # a consumer may tell them apart, as long as nothing is paired by order
            for place in reversed(range(len(classes))):
                of = classes[place]
                if place in self.to or of not in waiting:
                    continue
                other = self._used_in_its_place(place, of, others)
                if other is None and (by_order or n_first[of] == n_second[of] == 1):
                    candidates = waiting[of]
                    while candidates and candidates[-1] in self.back:
                        candidates.pop()
                    other = candidates.pop() if candidates else None
                if other is not None:
                    self._pair(place, other)

    @staticmethod
    def _classes(nodes: _Nodes, pairs: Mapping[int, int], table: dict[Any, int], with_data: bool) -> list[int]:
        """Number the nodes so that equal parts of both graphs have equal numbers; matched nodes count as leaves."""
        classes: list[int] = []
        for place, value in enumerate(nodes.values):
            key: tuple[Any, ...]
            if place in pairs:
                key = "matched", pairs[place]
            elif value.op is None:
                kind = "constant" if isinstance(value, Constant) else "leaf"
                key = (kind, _plain(nodes.numbers[place][0])) if with_data else (kind,)
            else:
                inputs = [classes[source] for source in nodes.inputs[place]]
                in_order = with_data or value.op.name not in _COMMUTATIVE
                key = nodes.ops[place], *(inputs if in_order else sorted(inputs))
            classes.append(table.setdefault(key, len(table)))
        return classes

    def _used_in_its_place(self, place: int, feature: object, features: Sequence[object]) -> int | None:
        """Return the input of a consumer's counterpart, in the same place or else in any; None when there is none.

        Args:
            place: of a node of the first graph.
            feature: class or operation that the counterpart must have.
            features: that of each node of the second graph.
        """
        for consumer in self.first.consumers[place][:MOST_CONSUMERS]:
            if consumer in self.to:
                inputs, others = self.first.inputs[consumer], self.second.inputs[self.to[consumer]]
                position = inputs.index(place)
                for other in (*others[position : position + 1], *others):
                    if other not in self.back and features[other] == feature:
                        return other
        return None

    # What is left

    def _match_alike_names(self) -> None:
        """Match the remaining values with the same operation and the same name, such as `a₂`."""
        free: dict[tuple[str, str], list[int]] = defaultdict(list)
        for other in reversed(range(len(self.second.values))):
            if other not in self.back and self.second.names[other]:
                free[self.second.names[other], self.second.ops[other]].append(other)
        for place, key in enumerate(zip(self.first.names, self.first.ops, strict=True)):
            if place not in self.to and free.get(key):
                self._pair(place, free[key].pop())

    def _match_by_inputs(self) -> None:
        """Match values of one operation that have most of their inputs in common."""
        first, second = self.first, self.second
        for place, inputs in enumerate(first.inputs):
            if place in self.to or not inputs:
                continue
            shared: Counter[int] = Counter()
            for source in inputs:
                for other in second.consumers[self.to[source]][:MOST_CONSUMERS] if source in self.to else ():
                    if other not in self.back and second.ops[other] == first.ops[place]:
                        shared[other] += 1
            best = max(shared, key=lambda other: (shared[other], -other), default=None)
            if best is not None and shared[best] >= SHARED_INPUTS * max(len(inputs), len(second.inputs[best])):
                self._pair(place, best)

    def _match_by_consumers(self, same_operation: bool) -> None:
        """Match what matched values use in the same place: of one operation, or at least both leaves or computed."""
        ops, other_ops = self.first.ops, self.second.ops
        features = other_ops if same_operation else [bool(op) for op in other_ops]
        for place in reversed(range(len(ops))):
            if place not in self.to:
                feature = ops[place] if same_operation else bool(ops[place])
                other = self._used_in_its_place(place, feature, features)
                if other is not None:
                    self._pair(place, other)

    def _match_roots(self, same_operation: bool) -> None:
        """Match the outputs of both graphs, unless another value is the counterpart of one."""
        if self.first.root is not None and self.second.root is not None:
            one, other = self.first.place[id(self.first.root)], self.second.place[id(self.second.root)]
            is_wanted = not same_operation or self.first.ops[one] == self.second.ops[other]
            if is_wanted and one not in self.to and other not in self.back:
                self._pair(one, other)


# Differences


def _differences(a: _Nodes, b: _Nodes, to: Mapping[int, int]) -> Iterator[NodeDifference]:
    """Yield the nodes of both graphs in the order of A; one that is only in B follows its predecessor in B."""
    back = {other: one for one, other in to.items()}
    kinds = {place: _kinds(a, b, to, place) for place in to}
    behind: dict[int, list[int]] = defaultdict(list)
    last = -1
    for other in range(len(b.values)):
        if other in back:
            last = max(last, back[other])
        else:
            behind[last].append(other)
    for place in range(-1, len(a.values)):
        if place >= 0 and place in to:
            if not (place in a.hidden and to[place] in b.hidden):
                starts = _starts(a, b, to, back, kinds, place)
                data, grad = zip(a.numbers[place], b.numbers[to[place]], strict=True)
                yield NodeDifference(a.values[place], b.values[to[place]], kinds[place], data, grad, starts)
        elif place >= 0 and place not in a.hidden:
            data, grad = a.numbers[place]
            yield NodeDifference(a.values[place], None, ("only A",), (data, None), (grad, None), True)
        for other in behind[place]:
            if other not in b.hidden:
                data, grad = b.numbers[other]
                yield NodeDifference(None, b.values[other], ("only B",), (None, data), (None, grad), True)


def _kinds(a: _Nodes, b: _Nodes, to: Mapping[int, int], place: int) -> tuple[str, ...]:
    other = to[place]
    one_value, other_value = a.values[place], b.values[other]
    found = []
    if _operation(one_value) != _operation(other_value):
        found.append("operation")
    elif one_value.op is not None:
        inputs, others = [to.get(source, -1) for source in a.inputs[place]], list(b.inputs[other])
        is_same = sorted(inputs) == sorted(others) if one_value.op.name in _COMMUTATIVE else inputs == others
        if not is_same:
            found.append("inputs")
    (data, grad), (other_data, other_grad) = a.numbers[place], b.numbers[other]
    if not _is_same(data, other_data):
        found.append("data")
    if not (isinstance(one_value, Constant) or isinstance(other_value, Constant) or _is_same(grad, other_grad)):
        found.append("grad")
    return tuple(found)


def _starts(
    a: _Nodes,
    b: _Nodes,
    to: Mapping[int, int],
    back: Mapping[int, int],
    kinds: Mapping[int, Sequence[str]],
    place: int,
) -> bool:
    """Return True when the difference of a matched node does not follow from that of a neighbour."""
    found = kinds[place]
    if not found:
        return False
    if "operation" in found or "inputs" in found:
        return True
    if "data" in found:
        return not any("data" in kinds.get(source, ("data",)) for source in a.inputs[place])
    if any(kinds.get(back.get(consumer, -1), ("only B",)) for consumer in b.consumers[to[place]]):
        return False
    for consumer in a.consumers[place]:
        if kinds.get(consumer, ("only A",)) or any("data" in kinds.get(each, ("data",)) for each in a.inputs[consumer]):
            return False
    return True


def _is_same(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    if np.ndim(one) == np.ndim(other) == 0:
        one, other = float(one), float(other)
        return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE) or (one != one and other != other)
    if np.shape(one) != np.shape(other):
        return False
    return bool(np.allclose(one, other, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True))


def _operation(value: Value) -> str:
    """Return the operation of a value in the words of its circle: `+`, `^2`; `leaf` for one that is not."""
    return "leaf" if value.op is None else circle_text(value).replace("-", "−")


def _name(value: Value) -> str:
    return short(value.data) if isinstance(value, Constant) else name_of(value)


def _plain(data: Any) -> str:
    return repr(data.tolist() if isinstance(data, np.ndarray) else data)
