"""One forward and one backward pass as a script of sub-steps, to walk through in both directions.

The script lists the engine's actions in order: every operation forward, the seed, then every contribution backward.
With an update rule it is a whole training step: gradients are set to 0 before the seed, and at the end the parameters
are updated one by one. For a program with its own gradients the script begins with the gradients before the pass, and
ends in those of the program. The state after any number of sub-steps is computed from the script, not from the previous
position, so Back is exact. Contributions are computed lazily.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, takewhile
from types import MappingProxyType
from typing import Any, overload

from engine.autograd.backward import topological_order
from engine.autograd.contributions import Contribution, contributions
from engine.autograd.value import Constant, Value
from engine.teaching.substep import ParameterUpdate, SubStep, UpdateRule

LookUp = Callable[[Value], tuple[Any, Any]]
"""Returns the data and the gradient of a value at one moment; None for numbers not computed yet."""


@dataclass(frozen=True, slots=True, eq=False)
class WalkState:
    """State after a number of sub-steps.

    Attributes:
        known: values whose data are computed; leaves from the start.
        grads: gradients so far; a missing value has "not computed".
        updated: data of the parameters that were updated.
    """

    known: frozenset[Value]
    grads: Mapping[Value, Any]
    updated: Mapping[Value, float]


@dataclass(frozen=True, eq=False)
class ProgramGradients:
    """Gradients of a program that differ from those of one backward pass from 0.

    Attributes:
        is_pass: the program called `backward()` on the root; False: it set its gradients by hand, or they belong to
            another pass.
        initial: gradients before the pass, which adds to them.
        overrides: gradients of the program after the pass that replace those of the pass.
        later: gradients set after the parameters were updated.
        reason: cause of `overrides`: "hand" (set by the program), "rules" (of the program's own engine), "passes" (of
            earlier passes, propagated again), "line" (of a program between two of its lines), "changed" (data were
            changed without a new forward pass), "not kept" (of a pass that is not kept), or "" if unknown.
    """

    is_pass: bool = True
    initial: Mapping[Value, Any] = field(default_factory=dict)
    overrides: Mapping[Value, Any] = field(default_factory=dict)
    later: Mapping[Value, Any] = field(default_factory=dict)
    reason: str = ""

    @property
    def note(self) -> str:
        """A sentence on every gradient of `overrides`."""
        return OVERRIDE_NOTES[self.reason]


OVERRIDE_NOTES = {
    "hand": "The program has set this gradient itself.",
    "rules": "The program's own engine computed this gradient.",
    "passes": "Gradients were not zeroed between passes, and backward propagated those of earlier passes again.",
    "changed": "Data were changed, and what was computed from them was not computed again.",
    "not kept": "The backward() that gave it is not kept, as there were many. This is the last one that is.",
    "line": "This is what the program has at this line.",
    "": "This is the program's own gradient.",
}
SET_LATER = "The program set this gradient after the pass."


class Walk:
    """The script of one pass over a graph, with the graph's current data: make another walk when they change.

    Attributes:
        root: the value differentiated.
        rule: of the update; None: the script ends with backward.
        script: every sub-step in order.
        phases: start position of each phase, in order: `forward`, `loss` (the first value of the loss, if the rule
            distinguishes it), `zero_grad`, `seed`, `backward`, `set`, `update`, `later` and `end`; absent phases are
            missing. A program with its own gradients has no `zero_grad`.
        program: gradients that the program has; None if it has none.
    """

    def __init__(self, root: Value, rule: UpdateRule | None = None, program: ProgramGradients | None = None) -> None:
        """Analyse the structure only.

        Raises:
            ValueDataError: when the root is an array.
        """
        self.root, self.rule, self.program = root, rule, program
        order = topological_order(root)
        self._zeroes = rule is not None and program is None
        gradients = program or ProgramGradients()
        self._initial = gradients.initial
        self._set = [*gradients.overrides.items()], [*gradients.later.items()]
        self._forward = [value for value in order if value.op is not None]
        self._leaves = frozenset(value for value in order if value.op is None)
        self._everything = frozenset(order)
        self._parameters = [value for value in rule.parameters if value in self._leaves] if rule is not None else []
        self._places = {value: place for place, value in enumerate(self._parameters)}
        self.phases: Mapping[str, int] = MappingProxyType(self._phase_starts())
        self.script: Sequence[SubStep] = _Script(self)
        self._computed = {value: position for position, value in enumerate(self._forward, start=1)}
        coming = contributions(root, order, self._initial) if gradients.is_pass else iter(())
        self._pending = (term for term in coming if not isinstance(term.input, Constant))
        self._arrived: list[Contribution] = []
        self._arrivals: defaultdict[Value, list[int]] = defaultdict(list)
        if gradients.is_pass:
            self._arrivals[root].append(self.phases["seed"] + 1)
        begins = self._end_of_pass, self.phases["end"] - len(gradients.later)
        self._set_at: defaultdict[Value, list[tuple[int, Any]]] = defaultdict(list)
        for begin, pairs in zip(begins, self._set, strict=True):
            for at, (value, number) in enumerate(pairs, start=begin + 1):
                self._set_at[value].append((at, number))

    def _phase_starts(self) -> dict[str, int]:
        """Start position of each phase."""
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
        overrides, later = map(len, self._set)
        self._end_of_pass, computed = end, end + overrides
        phases |= {"set": end} if overrides else {}
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
        """The position without zero_grad and the update, as a walk without an update rule counts."""
        n_later = max(0, position - self.phases.get("later", position))
        is_zeroed = self._zeroes and position > len(self._forward)
        return min(position, self.all_computed) - is_zeroed + n_later

    def phase_at(self, position: int) -> str:
        """The phase that the sub-step before a position belongs to; the first one at the start."""
        begun = [name for name, begins in self.phases.items() if begins < max(position, 1)]
        return begun[-1]

    def __len__(self) -> int:
        return self.phases["end"]

    def step(self, place: int) -> SubStep:
        """The sub-step at an index of the script, from 0."""
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
        return self.rule.update_of(parameter, self.gradient(parameter, self.all_computed))

    def state(self, position: int) -> WalkState:
        """State after `position` sub-steps, clamped to the length of the script."""
        position = max(0, min(position, len(self)))
        self._compute(position)
        known = *self._parameters, *self._initial, *self._arrivals, *self._set_at
        grads = {value: self.gradient(value, position) for value in known}
        updated = {value: self.updated(value, position) for value in self._parameters}
        return WalkState(self._known(position), _without_none(grads), _without_none(updated))

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
            return 0.0 if is_zeroed else self._initial.get(value)
        term = arrivals[count - 1] - self.phases["backward"]
        return self._arrived[term - 1].total if term else 1.0

    def updated(self, value: Value, position: int) -> float | None:
        """The data of a parameter that was updated in the first `position` sub-steps; None for any other value."""
        place = self._places.get(value)
        return None if place is None or position <= self.all_computed + place else self._update(value).after

    def numbers_at(self, position: int, numbers: LookUp) -> LookUp:
        """Return a function for data and gradient of values after `position` sub-steps, None for numbers not computed.

        Values that the root does not depend on have the data and gradient of `numbers` at every step.
        """
        position = max(0, position)

        def look_up(value: Value) -> tuple[Any, Any]:
            if value not in self:
                return numbers(value)
            data = None
            if self.computed_at(value) <= position:
                updated = self.updated(value, position)
                data = numbers(value)[0] if updated is None else updated
            return data, self.gradient(value, position)

        return look_up

    def __contains__(self, value: object) -> bool:
        """True for an ancestor of the root, or the root."""
        return value in self._everything

    def computed_at(self, value: Value) -> int:
        """The position at which a value of the graph gets its data: 0 for a leaf."""
        return self._computed.get(value, 0)

    def arrivals(self, value: Value) -> Sequence[int]:
        """The positions at which the gradient of a value changes, the seed of the root included; () for constants."""
        self._compute(self._end_of_pass)
        return tuple(self._arrivals.get(value, ()))

    def settled_at(self, value: Value) -> int:
        """The position after which a value has its data and its last gradient."""
        places = [at for at, _number in self._set_at.get(value, ())]
        return max((self.computed_at(value), *self.arrivals(value), *places))

    def arrived(self, position: int) -> Sequence[Contribution]:
        """The contributions that arrive in the first `position` sub-steps, in their order."""
        self._compute(position)
        return self._arrived[: max(0, position - self.phases["backward"])]

    def _compute(self, position: int) -> None:
        """Compute the contributions that arrive in the first `position` sub-steps."""
        begin = self.phases["backward"]
        if position > begin + len(self._arrived):
            missing = min(position, self._end_of_pass) - begin - len(self._arrived)
            coming = list(islice(self._pending, missing))
            for at, term in enumerate(coming, start=begin + len(self._arrived) + 1):
                self._arrivals[term.input].append(at)
            self._arrived += coming

    def _known(self, position: int) -> frozenset[Value]:
        if position >= len(self._forward):
            return self._everything
        return self._leaves.union(self._forward[:position])


def _without_none(numbers: Mapping[Value, Any]) -> dict[Value, Any]:
    return {value: number for value, number in numbers.items() if number is not None}


class _Script(Sequence[SubStep]):
    """The sub-steps of a walk, created on access."""

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
    """Length of a script without building it: forward operations, and the seed plus the contributions backward."""
    if root is None:
        return 0, 0
    forward = [value for value in topological_order(root) if value.op is not None]
    return len(forward), 1 + _count_contributions(forward)


def _count_contributions(forward: Sequence[Value]) -> int:
    """Number of edges into these values, without those from numbers written in a formula."""
    return sum(not isinstance(source, Constant) for value in forward for source in value.inputs)
