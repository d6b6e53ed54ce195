"""One forward and one backward pass as a script of single steps, to walk through in both directions.

The script is a tuple of frozen records in the order in which the engine works: every operation forward, the seed, then
every contribution backward. The state after any number of steps is computed from the script, not from where the walk
was before, so Back is exact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from engine.autograd.contributions import contributions
from engine.autograd.naming import derivative, grouped, is_constant, name_of
from engine.autograd.notation import equality, factor, short, shown
from engine.autograd.value import Value, topological_order
from engine.autograd.wording import in_both, in_names, statement

_NOTHING: Mapping[Value, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One thing the engine does.

    Attributes:
        kind: `forward` (an operation is computed), `seed` (root.grad = 1) or `backward` (one contribution).
        node: the value computed, seeded, or whose operation is undone.
        input: the value that receives a contribution; None for the other kinds.
        index: position of `input` among the node's inputs, -1 for the other kinds.
        upstream: gradient of the root with respect to `node`; None when forward.
        partial: local derivative; None when forward, and for operations that mix array elements.
        amount: what is added to `input.grad`; 1 for the seed; None when forward.
        total: gradient of `input` (of the root, for the seed) after this step; None when forward.
        names: the step in names: `x1w1.grad += n.grad × ∂n/∂x1w1`.
        numbers: the same with the numbers put in: `x1w1.grad += 0.5 × 1 = 0.5`.
    """

    kind: str
    node: Value
    input: Value | None = None
    index: int = -1
    upstream: Any = None
    partial: Any = None
    amount: Any = None
    total: Any = None
    names: str = ""
    numbers: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class StepState:
    """What is known after some steps.

    Attributes:
        cursor: number of steps done.
        step: the step done last; None at the start.
        known: values whose data are computed; leaves from the start.
        grads: gradients so far, for the values that have one; a value that is missing has "not computed".
        touched: the values that the last step read or wrote.
        edge: node, input and position of the edge along which the last step went; None for seed and forward.
    """

    cursor: int
    step: Step | None
    known: frozenset[Value]
    grads: Mapping[Value, Any]
    touched: tuple[Value, ...]
    edge: tuple[Value, Value, int] | None


class Steps:
    """The script of one pass over a graph.

    Attributes:
        root: the value differentiated.
        script: every step in order.
        phases: cursor at which each kind of step begins: `forward`, `seed`, `backward`, and `end`.
    """

    def __init__(self, root: Value) -> None:
        """Writes the script; reads the graph's data, never its `grad`.

        Raises:
            ValueDataError: when the root is an array.
        """
        self.root = root
        order = topological_order(root)
        forward = [_forward(value) for value in order if value.op is not None]
        backward = _backward(root)
        self.script: tuple[Step, ...] = (*forward, _seed(root), *backward)
        self.phases = MappingProxyType(
            {"forward": 0, "seed": len(forward), "backward": len(forward) + 1, "end": len(self.script)}
        )
        self._leaves = frozenset(value for value in order if value.op is None)
        self._everything = frozenset(order)
        self._history = _history(self.script)

    def __len__(self) -> int:
        return len(self.script)

    def state(self, cursor: int) -> StepState:
        """What is known after `cursor` steps, 0 to the length of the script; others are clamped."""
        cursor = max(0, min(cursor, len(self.script)))
        step = self.script[cursor - 1] if cursor else None
        grads = self._grads(cursor) if cursor > self.phases["seed"] else _NOTHING
        return StepState(cursor, step, self._known(cursor), grads, _touched(step), _edge(step))

    def _known(self, cursor: int) -> frozenset[Value]:
        if cursor >= self.phases["seed"]:
            return self._everything
        return self._leaves.union(step.node for step in self.script[:cursor])

    def _grads(self, cursor: int) -> dict[Value, Any]:
        grads: dict[Value, Any] = {}
        for value, (cursors, totals) in self._history.items():
            place = bisect_left(cursors, cursor + 1)
            if place:
                grads[value] = totals[place - 1]
        return grads


def _history(script: tuple[Step, ...]) -> dict[Value, tuple[list[int], list[Any]]]:
    """For each value the cursors at which its gradient changes, and what it is from there on."""
    history: dict[Value, tuple[list[int], list[Any]]] = {}
    for cursor, step in enumerate(script, start=1):
        if step.kind != "forward":
            cursors, totals = history.setdefault(step.input or step.node, ([], []))
            cursors.append(cursor)
            totals.append(step.total)
    return history


def _touched(step: Step | None) -> tuple[Value, ...]:
    if step is None:
        return ()
    if step.input is not None:
        return (step.node, step.input)
    return (step.node, *step.node.inputs) if step.kind == "forward" else (step.node,)


def _edge(step: Step | None) -> tuple[Value, Value, int] | None:
    return None if step is None or step.input is None else (step.node, step.input, step.index)


def _forward(value: Value) -> Step:
    return Step("forward", value, names=statement(value, in_names(value)), numbers=statement(value, in_both(value)))


def _seed(root: Value) -> Step:
    name = grouped(name_of(root))
    names, numbers = f"{name}.grad = {derivative(root, root)}", f"{name}.grad = 1"
    return Step("seed", root, upstream=1.0, amount=1.0, total=1.0, names=names, numbers=numbers)


def _backward(root: Value) -> list[Step]:
    """A step for every contribution; numbers written in a formula receive none."""
    steps = []
    totals: dict[Value, Any] = {root: 1.0}
    for edge in contributions(root):
        if is_constant(edge.input):
            continue
        total = totals[edge.input] = totals.get(edge.input, 0.0) + edge.amount
        names, numbers = _contribution_text(edge.node, edge.input, edge.upstream, edge.partial, edge.amount)
        record = (edge.node, edge.input, edge.index, edge.upstream, edge.partial, edge.amount, total)
        steps.append(Step("backward", *record, names, numbers))
    return steps


def _contribution_text(node: Value, source: Value, upstream: Any, partial: Any, amount: Any) -> tuple[str, str]:
    node_name, name = grouped(name_of(node)), grouped(name_of(source))
    if partial is None:
        assert node.op is not None
        return f"{name}.grad += {node_name}.grad through {node.op.text}", f"{name}.grad += {short(amount)}"
    product = shown(upstream) * shown(partial)
    numbers = f"{name}.grad += {short(upstream)} × {factor(partial)} {equality(product, amount)}"
    return f"{name}.grad += {node_name}.grad × {derivative(node, source)}", numbers
