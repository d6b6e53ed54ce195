"""One forward and one backward pass as a script of sub-steps, to walk through in both directions.

The script is what the engine does, in its order: every operation forward, the seed, then every contribution backward.
With a rule for the update it is a whole step of training: gradients are set to 0 before the seed, and at the end one
parameter after the other is moved. Of a program with gradients of its own the script begins with those that were there
before the pass, and ends in those that the program has. The state after any number of sub-steps is computed from the
script, not from where the walk was before, so Back is exact. Contributions are computed as far as somebody has looked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import islice, takewhile
from types import MappingProxyType
from typing import Any, overload

from engine.autograd.backward import topological_order
from engine.autograd.contributions import Contribution, contributions
from engine.autograd.substep import ParameterUpdate, SubStep, UpdateRule
from engine.autograd.value import Constant, Value
from engine.quick_dataclass import dataclass

LookUp = Callable[[Value], tuple[Any, Any]]
"""Gives the data and the gradient of a value as they stand at one moment; None for what is not computed."""


@dataclass(frozen=True, slots=True, eq=False)
class WalkState:
    """What is known after some sub-steps.

    Attributes:
        known: values whose data are computed; leaves from the start.
        grads: gradients so far, for the values that have one; a value that is missing has "not computed".
        updated: data of the parameters that were updated.
    """

    known: frozenset[Value]
    grads: Mapping[Value, Any]
    updated: Mapping[Value, float]


@dataclass(frozen=True, eq=False)
class ProgramGradients:
    """Gradients of a program, beside those that one backward pass from 0 gives.

    Attributes:
        is_pass: the program called `backward()` on the root; False: its gradients were set by hand, or are those of
            another pass.
        held: gradients that were there before the pass, which adds to them.
        given: gradients that the program has after the pass in place of those that the pass gives.
        later: gradients that it set after it had moved the parameters.
        reason: why there are others in `given`: "hand" (set by the program), "rules" (of an engine of its own),
            "passes" (of earlier passes, handed on once more), or "" where that is not known.
    """

    is_pass: bool = True
    held: Mapping[Value, Any] = field(default_factory=dict)
    given: Mapping[Value, Any] = field(default_factory=dict)
    later: Mapping[Value, Any] = field(default_factory=dict)
    reason: str = ""

    @property
    def note(self) -> str:
        """A sentence on every gradient of `given`."""
        return GIVEN_BY[self.reason]


GIVEN_BY = {
    "hand": "The program has set this gradient itself.",
    "rules": "This is the gradient that the program's own engine gives.",
    "passes": "Gradients were not zeroed between passes, and those of earlier passes were handed on once more.",
    "": "This is the gradient that the program has.",
}
SET_LATER = "The program set this gradient after the pass."


class Walk:
    """The script of one pass over a graph, with the data that the graph has while it is looked at: make another walk
    when they change.

    Attributes:
        root: the value differentiated.
        rule: of the update; None: the script ends with backward.
        script: every sub-step in order.
        phases: position at which each kind begins, in order: `forward`, `loss` (the first of the values of the loss,
            where the rule tells them apart), `zero_grad`, `seed`, `backward`, `given`, `update`, `later` and `end`;
            those that there are. A program that has gradients has no `zero_grad`.
        program: gradients that the program has; None where it has none.
    """

    def __init__(self, root: Value, rule: UpdateRule | None = None, program: ProgramGradients | None = None) -> None:
        """Looks at the structure only.

        Raises:
            ValueDataError: when the root is an array.
        """
        self.root, self.rule, self.program = root, rule, program
        order = topological_order(root)
        self._zeroes = rule is not None and program is None
        given = program or ProgramGradients()
        self._held = given.held
        self._set = [*given.given.items()], [*given.later.items()]
        self._forward = [value for value in order if value.op is not None]
        self._leaves = frozenset(value for value in order if value.op is None)
        self._everything = frozenset(order)
        self._parameters = [value for value in rule.parameters if value in self._leaves] if rule is not None else []
        self._places = {value: place for place, value in enumerate(self._parameters)}
        self.phases: Mapping[str, int] = MappingProxyType(self._counted())
        self.script: Sequence[SubStep] = _Script(self)
        self._computed = {value: position for position, value in enumerate(self._forward, start=1)}
        coming = contributions(root, order, self._held) if given.is_pass else iter(())
        self._coming = (term for term in coming if not isinstance(term.input, Constant))
        self._arrived: list[Contribution] = []
        self._arrivals: defaultdict[Value, list[int]] = defaultdict(list)
        if given.is_pass:
            self._arrivals[root].append(self.phases["seed"] + 1)
        begins = self._end_of_pass, self.phases["end"] - len(given.later)
        self._set_at: defaultdict[Value, list[tuple[int, Any]]] = defaultdict(list)
        for begin, pairs in zip(begins, self._set, strict=True):
            for at, (value, number) in enumerate(pairs, start=begin + 1):
                self._set_at[value].append((at, number))

    def _counted(self) -> dict[str, int]:
        """Where each phase begins."""
        n_forward, phases = len(self._forward), {"forward": 0}
        if self.rule is not None:
            n_loss = len(list(takewhile(self.rule.loss_part.__contains__, reversed(self._forward))))
            phases |= {"loss": n_forward - n_loss} if n_loss else {}
        if self._zeroes:
            phases["zero_grad"] = n_forward
        begin = n_forward + self._zeroes
        n_seeds, end = 0, begin
        if self.program is None or self.program.is_pass:
            n_seeds, end = 1, begin + 1 + _count_contributions(self._forward)
        phases |= {"seed": begin, "backward": begin + n_seeds}
        given, later = map(len, self._set)
        self._end_of_pass, computed = end, end + given
        phases |= {"given": end} if given else {}
        if self.rule is not None:
            phases["update"] = computed
        moved = computed + len(self._parameters)
        phases |= {"later": moved} if later else {}
        return {**phases, "end": moved + later}

    @property
    def all_computed(self) -> int:
        """The position after backward, before any update."""
        return self._end_of_pass + len(self._set[0])

    def position_in_passes(self, position: int) -> int:
        """The position in the two passes alone, as a walk without a rule counts them: of forward and backward."""
        if not self._zeroes or position <= len(self._forward):
            return min(position, self.all_computed)
        return min(position, self.all_computed) - 1

    def phase_at(self, position: int) -> str:
        """The phase that the sub-step before a position belongs to; the first one at the start."""
        begun = [name for name, begins in self.phases.items() if begins < max(position, 1)]
        return begun[-1]

    def __len__(self) -> int:
        return self.phases["end"]

    def step(self, place: int) -> SubStep:
        """The sub-step at a place of the script, from 0."""
        backward, update = self.phases["backward"], self.all_computed
        if place < len(self._forward):
            return SubStep("forward", self._forward[place])
        if place < backward:
            return SubStep("seed" if place == self.phases["seed"] else "zero_grad", self.root)
        if place < self._end_of_pass:
            term = self.arrived(place + 1)[place - backward]
            return SubStep("backward", term.node, term)
        if place < update:
            assert self.program is not None
            value, number = self._set[0][place - self._end_of_pass]
            return SubStep("set", value, gradient=number, note=self.program.note)
        if place < update + len(self._parameters):
            parameter = self._parameters[place - update]
            return SubStep("update", parameter, update=self._update(parameter))
        value, number = self._set[1][place - update - len(self._parameters)]
        return SubStep("set", value, gradient=number, note=SET_LATER)

    def _update(self, parameter: Value) -> ParameterUpdate:
        assert self.rule is not None
        return self.rule.update_of(parameter, float(self.gradient(parameter, self.all_computed)))

    def state(self, position: int) -> WalkState:
        """What is known after `position` sub-steps, 0 to the length of the script; others are clamped."""
        position = max(0, min(position, len(self)))
        self._compute(position)
        known = *self._parameters, *self._held, *self._arrivals, *self._set_at
        grads = {value: self.gradient(value, position) for value in known}
        updated = {value: self.updated(value, position) for value in self._parameters}
        return WalkState(self._known(position), _told(grads), _told(updated))

    def gradient(self, value: Value, position: int) -> Any:
        """The gradient of a value after `position` sub-steps; None for "not computed"."""
        self._compute(position)
        if value in self._set_at:
            numbers = [number for at, number in self._set_at[value] if at <= position]
            if numbers:
                return numbers[-1]
        arrivals = self._arrivals.get(value, ())
        count = bisect_right(arrivals, position)
        if not count:
            is_zeroed = self._zeroes and value in self._places and position > len(self._forward)
            return 0.0 if is_zeroed else self._held.get(value)
        term = arrivals[count - 1] - self.phases["backward"]
        return self._arrived[term - 1].total if term else 1.0

    def updated(self, value: Value, position: int) -> float | None:
        """The data of a parameter that was updated in the first `position` sub-steps; None for any other value."""
        place = self._places.get(value)
        return None if place is None or position <= self.all_computed + place else self._update(value).after

    def numbers_at(self, position: int, numbers: LookUp) -> LookUp:
        """Data and gradient of values after `position` sub-steps, None for what is not computed.

        The walk does not come to what the root was not computed from: that keeps the data that `numbers` gives for it.
        """
        position = max(0, position)

        def look_up(value: Value) -> tuple[Any, Any]:
            data = None
            if self.computed_at(value) <= position:
                updated = self.updated(value, position)
                data = numbers(value)[0] if updated is None else updated
            return data, self.gradient(value, position)

        return look_up

    def __contains__(self, value: object) -> bool:
        """Whether a value is part of what the root was computed from."""
        return value in self._everything

    def computed_at(self, value: Value) -> int:
        """The position from which on a value of the graph has its data: 0 for a leaf."""
        return self._computed.get(value, 0)

    def arrivals(self, value: Value) -> Sequence[int]:
        """The positions at which the gradient of a value changes, the seed of the root included; () for constants."""
        self._compute(self._end_of_pass)
        return tuple(self._arrivals.get(value, ()))

    def settled_at(self, value: Value) -> int:
        """The position from which on a value has its data and its last gradient."""
        places = [at for at, _number in self._set_at.get(value, ())]
        return max((self.computed_at(value), *self.arrivals(value), *places))

    def arrived(self, position: int) -> Sequence[Contribution]:
        """The contributions that arrive in the first `position` sub-steps, in their order."""
        self._compute(position)
        return self._arrived[: max(0, position - self.phases["backward"])]

    def _compute(self, position: int) -> None:
        """Computes the contributions that arrive in the first `position` sub-steps."""
        begin = self.phases["backward"]
        if position > begin + len(self._arrived):
            missing = min(position, self._end_of_pass) - begin - len(self._arrived)
            coming = list(islice(self._coming, missing))
            for at, term in enumerate(coming, start=begin + len(self._arrived) + 1):
                self._arrivals[term.input].append(at)
            self._arrived += coming

    def _known(self, position: int) -> frozenset[Value]:
        if position >= len(self._forward):
            return self._everything
        return self._leaves.union(self._forward[:position])


def _told(numbers: Mapping[Value, Any]) -> dict[Value, Any]:
    return {value: number for value, number in numbers.items() if number is not None}


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
    return sum(not isinstance(source, Constant) for value in forward for source in value.inputs)
