"""The position in a walk that matches a position in another walk of the same graph.

Opening or closing an operation rebuilds the graph with other values; the walk continues where it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import takewhile

from engine.teaching.substep import SubStep
from engine.teaching.walk import Walk

Named = tuple[str, str, str, int]


def same_position(
    before: Walk, names_before: Mapping[int, str], position: int, after: Walk, names_after: Mapping[int, str]
) -> int:
    """Return the position in a script that matches a position in another script of the same graph.

    The scripts differ when operations were opened or closed in between. At the returned position nothing is done that
    was not done in the other script, and as much of that as the order allows.

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
