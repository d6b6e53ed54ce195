"""Where a session stands, said so that it survives opening and closing: the graph is another one then, made anew.

Training stands after a phase of a step (`TrainingMoment`); the stepper stands after some steps of a script
(`same_position`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from engine.autograd import SubStep, Walk
from engine.network.run.progress import Progress
from engine.network.snapshot import PhaseName
from engine.quick_dataclass import dataclass

Parameters = NDArray[np.float64]
Named = tuple[str, str, str, int]


@dataclass(frozen=True, eq=False)
class TrainingMoment:
    """What the numbers of a network on a sample stand for; the numbers themselves follow from it.

    Attributes:
        parameters: (n_parameters,) as they are now.
        seen: those that all data were computed with.
        learned: those that the parameters' gradients were computed with; None: these were set to 0.
        phase: of a training step that was done last; None between steps.
    """

    parameters: Parameters
    seen: Parameters
    learned: Parameters | None
    phase: PhaseName | None = None

    @classmethod
    def between_steps(cls, parameters: Parameters) -> TrainingMoment:
        """Everything computed with the same parameters."""
        return cls(parameters, parameters, parameters)

    @property
    def differentiated(self) -> bool:
        """Whether every value has the gradient that belongs to its data, not only the parameters an older one."""
        return self.seen is self.learned

    def after(self, phase: PhaseName, parameters: Parameters) -> TrainingMoment:
        """The moment after one more phase.

        `forward` and `loss` leave the gradients of the step before in the parameters, `zero_grad` makes them 0, and
        `update` changes the parameters and nothing else.
        """
        if phase == "update":
            return replace(self, parameters=parameters, phase=phase)
        if phase == "backward":
            return TrainingMoment(parameters, parameters, parameters, phase)
        return TrainingMoment(parameters, parameters, None if phase == "zero_grad" else self.learned, phase)


def moment_of(progress: Progress, before: TrainingMoment | None = None) -> TrainingMoment:
    """The moment that a report of training tells of.

    Args:
        progress: of a run.
        before: the moment of the report before it, of the same run; None when there was none.
    """
    phase = progress.phase
    if phase is None:
        return TrainingMoment.between_steps(np.array(progress.snapshot.parameters, dtype=float))
    parameters = np.array(phase.parameters, dtype=float)
    if before is None:
        update = progress.update if phase.name == "update" else None
        before = TrainingMoment.between_steps(parameters if update is None else update.before)
    return before.after(phase.name, parameters)


def same_position(
    before: Walk, names_before: Mapping[int, str], position: int, after: Walk, names_after: Mapping[int, str]
) -> int:
    """The position at which a script stands where another one of the same graph does, when operations were opened or
    closed between: it has done nothing that was not done there, and as much of that as its order allows.

    Args:
        before, after: the scripts.
        names_before, names_after: names of their values by `id(value)`; parts of the value `o` are called `o:` and
            something.
        position: steps done of the first.
    """
    done, left = before.script[:position], before.script[position:]
    finished = _Finished({_named(s, names_before) for s in done}, {_named(s, names_before) for s in left})
    return sum(1 for _ in takewhile(finished, (_named(step, names_after) for step in after.script)))


class _Finished:
    """Whether a step is done when some steps of another script are done and others left; steps are given by name.

    A step that the other script has not belongs to an operation that is open in only one of them; it is done when all
    that the operation has to do in this direction is done.
    """

    def __init__(self, done: Set[Named], left: Set[Named]) -> None:
        self._done, self._left = done, left
        self._over = _operations(done) - _operations(left)

    def __call__(self, step: Named) -> bool:
        if step in self._done or step in self._left:
            return step in self._done
        return not self._over.isdisjoint((step[0], owner) for owner in _owners(step[1]))


def _operations(steps: Iterable[Named]) -> frozenset[tuple[str, str]]:
    return frozenset((step[0], owner) for step in steps for owner in _owners(step[1]))


def _named(step: SubStep, names: Mapping[int, str]) -> Named:
    source = "" if step.input is None else names.get(id(step.input), "")
    return step.kind, names.get(id(step.node), ""), source, step.index


def _owners(name: str) -> list[str]:
    """The values that a part was made of: `o` and `o:3` for `o:3:1`, and itself."""
    pieces = name.split(":")
    return [":".join(pieces[:count]) for count in range(1, len(pieces) + 1)]
