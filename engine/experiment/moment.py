"""The position of a session, in a form that survives opening and closing groups, which rebuilds the graph.

Training stands after a phase of a step (`TrainingMoment`); the stepper stands after some steps of a script
(`same_position`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from engine.network.run.progress import Progress
from engine.network.snapshot import PhaseName
from engine.teaching import SubStep, Walk

Parameters = NDArray[np.float64]
Named = tuple[str, str, str, int]


@dataclass(frozen=True, eq=False)
class TrainingMoment:
    """Origin of the numbers of a network on a sample; the numbers follow from it.

    Attributes:
        parameters: (n_parameters,) at present.
        seen: parameters of the last forward pass.
        learned: parameters of the last backward pass; None: gradients were set to 0.
        phase: the last completed phase of a training step; None between steps.
    """

    parameters: Parameters
    seen: Parameters
    learned: Parameters | None
    phase: PhaseName | None = None

    @classmethod
    def between_steps(cls, parameters: Parameters) -> TrainingMoment:
        """Return a moment at which everything is computed with the same parameters."""
        return cls(parameters, parameters, parameters)

    @property
    def differentiated(self) -> bool:
        """True when every value has the gradient for its data; False when only parameters have older ones."""
        return self.seen is self.learned

    def after(self, phase: PhaseName, parameters: Parameters) -> TrainingMoment:
        """Return the moment after one more phase.

        `forward` and `loss` leave the gradients of the step before in the parameters, `zero_grad` makes them 0, and
        `update` changes the parameters and nothing else.
        """
        if phase == "update":
            return replace(self, parameters=parameters, phase=phase)
        if phase == "backward":
            return TrainingMoment(parameters, parameters, parameters, phase)
        return TrainingMoment(parameters, parameters, None if phase == "zero_grad" else self.learned, phase)


def moment_of(progress: Progress, before: TrainingMoment | None = None) -> TrainingMoment:
    """Return the moment of a training report.

    Args:
        progress: of a run.
        before: the moment of the previous report of the same run; None for the first one.
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
    """Return the position in a script that matches a position in another script of the same graph.

    The scripts differ when operations were opened or closed in between. At the position returned nothing is done that
    was
    not done in the other script, and as much of that as the order allows.

    Args:
        before, after: the scripts.
        names_before, names_after: names of their values by `id(value)`; parts of the value `o` are called `o:` and
            a suffix.
        position: completed steps of the first script.
    """
    done, left = before.script[:position], before.script[position:]
    finished = _Finished({_named(s, names_before) for s in done}, {_named(s, names_before) for s in left})
    return sum(1 for _ in takewhile(finished, (_named(step, names_after) for step in after.script)))


class _Finished:
    """Test for steps that are done when some steps of another script are done; steps are given by name.

    A step that the other script lacks belongs to an operation that is open in only one of them; it is done when all
    steps of the operation in this direction are done.
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
    """Return the values that contain a part, and the part: `o`, `o:3` and `o:3:1` for `o:3:1`."""
    pieces = name.split(":")
    return [":".join(pieces[:count]) for count in range(1, len(pieces) + 1)]
