"""One forward and one backward pass as a script of single steps, to walk through in both directions.

The script is a tuple of frozen records in the order in which the engine works: every operation forward, the seed, then
every contribution backward. The state after any number of steps is computed from the script, not from where the walk
was before, so Back is exact.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from engine.autograd.contributions import contributions
from engine.autograd.naming import grouped, is_constant, name_of, total_derivative
from engine.autograd.notation import enough_decimals, equality, factor, short, shown
from engine.autograd.value import Value, topological_order
from engine.autograd.wording import in_both, in_names, partial_name, statement

LookUp = Callable[[Value], tuple[Any, Any]]
"""Gives the data and the gradient of a value."""

_NOTHING: Mapping[Value, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One thing the engine does; its texts are made when they are asked for, from the data as they are then.

    Attributes:
        kind: `forward` (an operation is computed), `seed` (root.grad = 1) or `backward` (one contribution).
        node: the value computed, seeded, or whose operation is undone.
        input: the value that receives a contribution; None for the other kinds.
        index: position of `input` among the node's inputs, -1 for the other kinds.
        upstream: gradient of the root with respect to `node`; None when forward.
        partial: local derivative; None when forward, and for operations that mix array elements.
        amount: what is added to `input.grad`; 1 for the seed; None when forward.
        before: gradient of `input` before this step; None when there was none yet, and for the other kinds.
        total: gradient of `input` (of the root, for the seed) after this step; None when forward.
    """

    kind: str
    node: Value
    input: Value | None = None
    index: int = -1
    upstream: Any = None
    partial: Any = None
    amount: Any = None
    before: Any = None
    total: Any = None

    @property
    def names(self) -> str:
        """The step in names: `x1w1.grad += n.grad × ∂n/∂x1w1`."""
        if self.kind == "forward":
            return statement(self.node, in_names(self.node))
        if self.input is None:
            return f"{_grad(self.node)} = {total_derivative(self.node, self.node)}"
        return f"{_grad(self.input)} += {self._product_in_names()}"

    @property
    def numbers(self) -> str:
        """The same with the numbers put in: `x1w1.grad += 0.5 × 1 = 0.5`."""
        if self.kind == "forward":
            return statement(self.node, in_both(self.node))
        return f"{_grad(self.node)} = 1" if self.input is None else f"{_grad(self.input)} += {self._product()}"

    @property
    def both(self) -> str:
        """Names and numbers: `x1w1.grad += n.grad × ∂n/∂x1w1 = 0.5 × 1 = 0.5`."""
        if self.input is None:
            return self.numbers if self.kind == "forward" else f"{self.names} = 1"
        return self.names if self.partial is None else f"{self.names} = {self._product()}"

    @property
    def accumulation(self) -> str:
        """What the gradient was, what came to it, and what it is: `x.grad = 1 + 3 = 4`; "" where there was none yet."""
        if self.input is None or self.before is None:
            return ""
        before, amount, total = self.before, self.amount, self.total
        if total.__class__ is not float:
            return f"{_grad(self.input)} = {short(before)} + {short(amount)} = {short(total)}"
        decimals = enough_decimals(lambda d: shown(before, d) + shown(amount, d), total)
        sum_of_shown = shown(before, decimals) + shown(amount, decimals)
        terms = f"{short(before, decimals)} + {factor(amount, decimals)}"
        return f"{_grad(self.input)} = {terms} {equality(sum_of_shown, total, decimals)}"

    def _product_in_names(self) -> str:
        if self.partial is None:
            assert self.node.op is not None
            return f"{_grad(self.node)} through {self.node.op.text}"
        return f"{_grad(self.node)} × {partial_name(self.node, self.index)}"

    def _product(self) -> str:
        if self.partial is None:
            return short(self.amount)
        return product_in_numbers(self.upstream, self.partial, self.amount)


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
        self._computed = {step.node: cursor for cursor, step in enumerate(forward, start=1)}

    def __len__(self) -> int:
        return len(self.script)

    def state(self, cursor: int) -> StepState:
        """What is known after `cursor` steps, 0 to the length of the script; others are clamped."""
        cursor = max(0, min(cursor, len(self.script)))
        step = self.script[cursor - 1] if cursor else None
        grads = self._grads(cursor) if cursor > self.phases["seed"] else _NOTHING
        return StepState(cursor, step, self._known(cursor), grads, _touched(step), _edge(step))

    def numbers_at(self, cursor: int, numbers: LookUp) -> LookUp:
        """Data and gradient of values after `cursor` steps, None for what is not computed.

        The walk does not come to what the root was not computed from: that keeps the data that `numbers` gives for it.
        """
        state = self.state(cursor)
        waiting = self._everything - state.known
        return lambda value: (None if value in waiting else numbers(value)[0], state.grads.get(value))

    def __contains__(self, value: object) -> bool:
        """Whether a value is part of what the root was computed from."""
        return value in self._everything

    def computed_at(self, value: Value) -> int:
        """The cursor from which on a value of the graph has its data: 0 for a leaf."""
        return self._computed.get(value, 0)

    def arrivals(self, value: Value) -> tuple[int, ...]:
        """The cursors at which the gradient of a value changes, the seed of the root included; () for constants."""
        return tuple(self._history.get(value, ((), ()))[0])

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


def count_steps(root: Value | None) -> tuple[int, int]:
    """The length of a script without writing it: operations forward, and the seed with the contributions backward."""
    if root is None:
        return 0, 0
    computed = [value for value in topological_order(root) if value.op is not None]
    edges = sum(not is_constant(source) for value in computed for source in value.inputs)
    return len(computed), 1 + edges


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
    return Step("forward", value)


def _seed(root: Value) -> Step:
    return Step("seed", root, upstream=1.0, amount=1.0, total=1.0)


def _backward(root: Value) -> list[Step]:
    """A step for every contribution; numbers written in a formula receive none."""
    steps = []
    totals: dict[Value, Any] = {root: 1.0}
    for edge in contributions(root):
        if is_constant(edge.input):
            continue
        before = totals.get(edge.input)
        total = totals[edge.input] = (0.0 if before is None else before) + edge.amount
        record = (edge.node, edge.input, edge.index, edge.upstream, edge.partial, edge.amount, before, total)
        steps.append(Step("backward", *record))
    return steps


def product_in_numbers(upstream: float, partial: float, amount: float) -> str:
    """A contribution with the numbers put in: `0.5 × 1 = 0.5`."""
    decimals = enough_decimals(lambda d: shown(upstream, d) * shown(partial, d), amount)
    result = equality(shown(upstream, decimals) * shown(partial, decimals), amount, decimals)
    return f"{short(upstream, decimals)} × {factor(partial, decimals)} {result}"


def _grad(value: Value) -> str:
    return f"{grouped(name_of(value))}.grad"
