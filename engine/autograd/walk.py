"""One forward and one backward pass as a script of sub-steps, to walk through in both directions.

The script is what the engine does, in its order: every operation forward, the seed, then every contribution backward.
With a rule for the update it is a whole step of training: gradients are set to 0 before the seed, and at the end one
parameter after the other is moved. The state after any number of sub-steps is computed from the script, not from where
the walk was before, so Back is exact. Contributions are computed as far as somebody has looked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
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


class Walk:
    """The script of one pass over a graph, with the data that the graph has while it is looked at: make another walk
    when they change.

    Attributes:
        root: the value differentiated.
        rule: of the update; None: the script ends with backward.
        script: every sub-step in order.
        phases: position at which each kind begins, in order: `forward`, `loss` (the first of the values of the loss,
            where the rule tells them apart), `zero_grad`, `seed`, `backward`, `update`, and `end`; without a rule no
            `zero_grad` and no `update`.
    """

    def __init__(self, root: Value, rule: UpdateRule | None = None) -> None:
        """Looks at the structure only.

        Raises:
            ValueDataError: when the root is an array.
        """
        self.root, self.rule = root, rule
        order = topological_order(root)
        self._forward = [value for value in order if value.op is not None]
        self._leaves = frozenset(value for value in order if value.op is None)
        self._everything = frozenset(order)
        self._parameters = [value for value in rule.parameters if value in self._leaves] if rule is not None else []
        self._places = {value: place for place, value in enumerate(self._parameters)}
        self.phases: Mapping[str, int] = MappingProxyType(self._counted())
        self.script: Sequence[SubStep] = _Script(self)
        self._computed = {value: position for position, value in enumerate(self._forward, start=1)}
        self._coming = (term for term in contributions(root, order) if not isinstance(term.input, Constant))
        self._arrived: list[Contribution] = []
        self._arrivals: defaultdict[Value, list[int]] = defaultdict(list, {root: [self.phases["seed"] + 1]})

    def _counted(self) -> dict[str, int]:
        """Where each phase begins."""
        n_forward, phases = len(self._forward), {"forward": 0}
        if self.rule is not None:
            n_loss = len(list(takewhile(self.rule.loss_part.__contains__, reversed(self._forward))))
            phases |= {"loss": n_forward - n_loss} if n_loss else {}
            phases["zero_grad"] = n_forward
        seed = n_forward + (self.rule is not None)
        end = seed + 1 + _count_contributions(self._forward)
        phases |= {"seed": seed, "backward": seed + 1}
        if self.rule is not None:
            phases["update"] = end
        return {**phases, "end": end + len(self._parameters)}

    @property
    def all_computed(self) -> int:
        """The position after backward, before any update."""
        return self.phases.get("update", self.phases["end"])

    def position_in_passes(self, position: int) -> int:
        """The position in the two passes alone, as a walk without a rule counts them: of forward and backward."""
        if self.rule is None or position <= len(self._forward):
            return position
        return min(position, self.all_computed) - 1

    def phase_at(self, position: int) -> str:
        """The phase that the sub-step before a position belongs to; the first one at the start."""
        begun = [name for name, begins in self.phases.items() if begins < max(position, 1)]
        return begun[-1]

    def __len__(self) -> int:
        return self.phases["end"]

    def step(self, place: int) -> SubStep:
        """The sub-step at a place of the script, from 0."""
        seed, update = self.phases["seed"], self.all_computed
        if place < len(self._forward):
            return SubStep("forward", self._forward[place])
        if place <= seed:
            return SubStep("seed" if place == seed else "zero_grad", self.root)
        if place >= update:
            parameter = self._parameters[place - update]
            return SubStep("update", parameter, update=self._update(parameter))
        term = self.arrived(place + 1)[place - seed - 1]
        return SubStep("backward", term.node, term)

    def _update(self, parameter: Value) -> ParameterUpdate:
        assert self.rule is not None
        return self.rule.update_of(parameter, float(self.gradient(parameter, self.all_computed)))

    def state(self, position: int) -> WalkState:
        """What is known after `position` sub-steps, 0 to the length of the script; others are clamped."""
        position = max(0, min(position, len(self)))
        self._compute(position)
        grads = {value: self.gradient(value, position) for value in (*self._parameters, *self._arrivals)}
        updated = {value: self.updated(value, position) for value in self._parameters}
        return WalkState(self._known(position), _told(grads), _told(updated))

    def gradient(self, value: Value, position: int) -> Any:
        """The gradient of a value after `position` sub-steps; None for "not computed"."""
        self._compute(position)
        arrivals = self._arrivals.get(value, ())
        count = bisect_right(arrivals, position)
        if not count:
            return 0.0 if value in self._places and position > len(self._forward) else None
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
        self._compute(self.all_computed)
        return tuple(self._arrivals.get(value, ()))

    def arrived(self, position: int) -> Sequence[Contribution]:
        """The contributions that arrive in the first `position` sub-steps, in their order."""
        self._compute(position)
        return self._arrived[: max(0, position - self.phases["backward"])]

    def _compute(self, position: int) -> None:
        """Computes the contributions that arrive in the first `position` sub-steps."""
        begin = self.phases["backward"]
        if position > begin + len(self._arrived):
            missing = min(position, self.all_computed) - begin - len(self._arrived)
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
