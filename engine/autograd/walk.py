"""One forward and one backward pass as a script of sub-steps, to walk through in both directions.

The script is what the engine does, in its order: every operation forward, the seed, then every contribution backward.
The state after any number of sub-steps is computed from the script, not from where the walk was before, so Back is
exact. Contributions are computed as far as somebody has looked.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, overload

from engine.autograd.backward import topological_order
from engine.autograd.contributions import Contribution, contributions
from engine.autograd.naming import grouped_name, is_constant, total_derivative
from engine.autograd.notation import enough_decimals, equality, factor, product_text, short, shown
from engine.autograd.value import Value
from engine.autograd.wording import in_both, in_names, partial_name, statement

LookUp = Callable[[Value], tuple[Any, Any]]
"""Gives the data and the gradient of a value as they stand at one moment; None for what is not computed."""

_NOTHING: Mapping[Value, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class SubStep:
    """One thing the engine does; its texts are made when they are asked for, from the data as they are then.

    Attributes:
        kind: `forward` (an operation is computed), `seed` (root.grad = 1) or `backward` (one contribution).
        node: the value computed, seeded, or whose operation is undone.
        contribution: what arrives where; None for the other kinds.
    """

    kind: str
    node: Value
    contribution: Contribution | None = None

    @property
    def input(self) -> Value | None:
        """The value that receives a contribution; None for the other kinds."""
        return None if self.contribution is None else self.contribution.input

    @property
    def index(self) -> int:
        """Index of `input` among the node's inputs, -1 for the other kinds."""
        return -1 if self.contribution is None else self.contribution.index

    @property
    def upstream(self) -> Any:
        """Gradient of the root with respect to `node`; None when forward."""
        if self.contribution is None:
            return 1.0 if self.kind == "seed" else None
        return self.contribution.upstream

    @property
    def amount(self) -> Any:
        """What is added to `input.grad`; 1 for the seed; None when forward."""
        return self.upstream if self.contribution is None else self.contribution.amount

    @property
    def total(self) -> Any:
        """Gradient of `input` (of the root, for the seed) afterwards; None when forward."""
        return self.upstream if self.contribution is None else self.contribution.total

    @property
    def names(self) -> str:
        """In names: `x1w1.grad += n.grad × ∂n/∂x1w1`."""
        if self.kind == "forward":
            return statement(self.node, in_names(self.node))
        if self.contribution is None:
            return f"{_grad(self.node)} = {total_derivative(self.node, self.node)}"
        return f"{_grad(self.contribution.input)} += {_product_in_names(self.contribution)}"

    @property
    def numbers(self) -> str:
        """The same with the numbers put in: `x1w1.grad += 0.5 × 1 = 0.5`."""
        if self.kind == "forward":
            return statement(self.node, in_both(self.node))
        if self.contribution is None:
            return f"{_grad(self.node)} = 1"
        return f"{_grad(self.contribution.input)} += {_product(self.contribution)}"

    @property
    def both(self) -> str:
        """Names and numbers: `x1w1.grad += n.grad × ∂n/∂x1w1 = 0.5 × 1 = 0.5`."""
        if self.contribution is None:
            return self.numbers if self.kind == "forward" else f"{self.names} = 1"
        mixed = self.contribution.partial is None
        return self.names if mixed else f"{self.names} = {_product(self.contribution)}"

    @property
    def accumulation(self) -> str:
        """What the gradient was, what came to it, and what it is: `x.grad = 1 + 3 = 4`; "" where there was none yet."""
        term = self.contribution
        if term is None or term.before is None:
            return ""
        before, amount, total = term.before, term.amount, term.total
        if total.__class__ is not float:
            return f"{_grad(term.input)} = {short(before)} + {short(amount)} = {short(total)}"
        decimals = enough_decimals(lambda d: shown(before, d) + shown(amount, d), total)
        sum_of_shown = shown(before, decimals) + shown(amount, decimals)
        terms = f"{short(before, decimals)} + {factor(amount, decimals)}"
        return f"{_grad(term.input)} = {terms} {equality(sum_of_shown, total, decimals)}"


@dataclass(frozen=True, slots=True, eq=False)
class WalkState:
    """What is known after some sub-steps.

    Attributes:
        position: number of sub-steps done.
        step: the one done last; None at the start.
        known: values whose data are computed; leaves from the start.
        grads: gradients so far, for the values that have one; a value that is missing has "not computed".
        touched: the values that the last sub-step read or wrote.
        edge: node, input and index of the edge along which the last one went; None for seed and forward.
    """

    position: int
    step: SubStep | None
    known: frozenset[Value]
    grads: Mapping[Value, Any]
    touched: tuple[Value, ...]
    edge: tuple[Value, Value, int] | None


class Walk:
    """The script of one pass over a graph, with the data that the graph has while it is looked at: make another walk
    when they change.

    Attributes:
        root: the value differentiated.
        script: every sub-step in order.
        phases: position at which each kind begins: `forward`, `seed`, `backward`, and `end`.
    """

    def __init__(self, root: Value) -> None:
        """Looks at the structure only.

        Raises:
            ValueDataError: when the root is an array.
        """
        self.root = root
        order = topological_order(root)
        self._forward = [value for value in order if value.op is not None]
        seed, n_backward = len(self._forward), _count_contributions(self._forward)
        self.phases = MappingProxyType({"forward": 0, "seed": seed, "backward": seed + 1, "end": seed + 1 + n_backward})
        self.script: Sequence[SubStep] = _Script(self)
        self._leaves = frozenset(value for value in order if value.op is None)
        self._everything = frozenset(order)
        self._computed = {value: position for position, value in enumerate(self._forward, start=1)}
        self._coming = (term for term in contributions(root) if not is_constant(term.input))
        self._arrived: list[Contribution] = []
        self._history: dict[Value, tuple[list[int], list[Any]]] = {root: ([seed + 1], [1.0])}

    def __len__(self) -> int:
        return self.phases["end"]

    def step(self, place: int) -> SubStep:
        """The sub-step at a place of the script, from 0."""
        seed = self.phases["seed"]
        if place < seed:
            return SubStep("forward", self._forward[place])
        if place == seed:
            return SubStep("seed", self.root)
        self._compute(place + 1)
        term = self._arrived[place - seed - 1]
        return SubStep("backward", term.node, term)

    def state(self, position: int) -> WalkState:
        """What is known after `position` sub-steps, 0 to the length of the script; others are clamped."""
        position = max(0, min(position, len(self)))
        step = self.step(position - 1) if position else None
        grads = self._grads(position) if position > self.phases["seed"] else _NOTHING
        return WalkState(position, step, self._known(position), grads, _touched(step), _edge(step))

    def numbers_at(self, position: int, numbers: LookUp) -> LookUp:
        """Data and gradient of values after `position` sub-steps, None for what is not computed.

        The walk does not come to what the root was not computed from: that keeps the data that `numbers` gives for it.
        """
        state = self.state(position)
        waiting = self._everything - state.known
        return lambda value: (None if value in waiting else numbers(value)[0], state.grads.get(value))

    def __contains__(self, value: object) -> bool:
        """Whether a value is part of what the root was computed from."""
        return value in self._everything

    def computed_at(self, value: Value) -> int:
        """The position from which on a value of the graph has its data: 0 for a leaf."""
        return self._computed.get(value, 0)

    def arrivals(self, value: Value) -> tuple[int, ...]:
        """The positions at which the gradient of a value changes, the seed of the root included; () for constants."""
        self._compute(len(self))
        return tuple(self._history.get(value, ((), ()))[0])

    def _compute(self, position: int) -> None:
        """Computes the contributions that arrive in the first `position` sub-steps."""
        wanted = position - self.phases["backward"]
        while len(self._arrived) < wanted:
            term = next(self._coming)
            self._arrived.append(term)
            positions, totals = self._history.setdefault(term.input, ([], []))
            positions.append(self.phases["backward"] + len(self._arrived))
            totals.append(term.total)

    def _known(self, position: int) -> frozenset[Value]:
        if position >= self.phases["seed"]:
            return self._everything
        return self._leaves.union(self._forward[:position])

    def _grads(self, position: int) -> dict[Value, Any]:
        self._compute(position)
        grads: dict[Value, Any] = {}
        for value, (positions, totals) in self._history.items():
            place = bisect_left(positions, position + 1)
            if place:
                grads[value] = totals[place - 1]
        return grads


class _Script(Sequence[SubStep]):
    """The sub-steps of a walk, each made when it is looked at."""

    def __init__(self, walk: Walk) -> None:
        self._length, self._step = len(walk), walk.step

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> SubStep: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[SubStep]: ...

    def __getitem__(self, place: int | slice) -> SubStep | Sequence[SubStep]:
        if isinstance(place, slice):
            return [self._step(each) for each in range(self._length)[place]]
        return self._step(range(self._length)[place])

    def __iter__(self) -> Iterator[SubStep]:
        return map(self._step, range(self._length))


def count_sub_steps(root: Value | None) -> tuple[int, int]:
    """The length of a script without writing it: operations forward, and the seed with the contributions backward."""
    if root is None:
        return 0, 0
    forward = [value for value in topological_order(root) if value.op is not None]
    return len(forward), 1 + _count_contributions(forward)


def _count_contributions(forward: Sequence[Value]) -> int:
    """The edges into these values, but for those from numbers written in a formula."""
    return sum(not is_constant(source) for value in forward for source in value.inputs)


def _touched(step: SubStep | None) -> tuple[Value, ...]:
    if step is None:
        return ()
    if step.input is not None:
        return (step.node, step.input)
    return (step.node, *step.node.inputs) if step.kind == "forward" else (step.node,)


def _edge(step: SubStep | None) -> tuple[Value, Value, int] | None:
    return None if step is None or step.input is None else (step.node, step.input, step.index)


def _product_in_names(term: Contribution) -> str:
    if term.partial is None:
        assert term.node.op is not None
        return f"{_grad(term.node)} through {term.node.op.text}"
    return f"{_grad(term.node)} × {partial_name(term.node, term.index)}"


def _product(term: Contribution) -> str:
    """A contribution with the numbers put in: `0.5 × 1 = 0.5`."""
    return short(term.amount) if term.partial is None else " ".join(product_in_numbers(term))


def product_in_numbers(term: Contribution) -> tuple[str, str]:
    """A contribution of single numbers as a product and what it gives: `0.5 × (-1)` and `= -0.5`."""
    return product_text((term.upstream, term.partial), term.amount)


def _grad(value: Value) -> str:
    return f"{grouped_name(value)}.grad"
