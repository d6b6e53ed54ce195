"""Changes of a session: which of the things that views show differ from before.

An edit, an undo, an opened file or a report of training changes several things at once, each derived from the one
before. Whoever shows them is told once, when all are derived; what happens while they are derived is part of the same
change, and what happens while somebody is being told is the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Change:
    """Differences between a session and its last announced state.

    Attributes:
        sections: names of the document's sections that differ: "expression", "network", "view" and so on.
        evaluation: whether `evaluation` or `error` is new.
        program: whether a program began to run, ended, or has been running and printing for longer than a moment.
        model: whether data set, network or first weights are new; training begins from the document's moment, so
            that `moment` is true as well.
        moment: whether what is viewed is new: progress of training, another step of the history, a phase.
        graph: whether the canvas shows another picture; then `numbers` is true as well.
        numbers: whether the numbers of the picture are new, or where the walk over it stands.
        graph_busy: whether a graph began, or ended, to be made or laid out in the background.
        run_state: whether training began, paused, failed.
        control: whether another speed of training, or another number of steps to run, was chosen.
        selection: whether another node is selected.
        prediction: whether gradients to predict, their answers or what is said of them are new.
        samples: whether other samples are chosen to be looked at together.
        neuron: whether another neuron of the drawn network is pointed at.
        runs: whether the list of runs, or one of them, is new.
        file: whether the path, or the mark of unsaved work, is another one.
    """

    sections: frozenset[str] = frozenset()
    evaluation: bool = False
    program: bool = False
    model: bool = False
    moment: bool = False
    graph: bool = False
    numbers: bool = False
    graph_busy: bool = False
    run_state: bool = False
    control: bool = False
    selection: bool = False
    prediction: bool = False
    samples: bool = False
    neuron: bool = False
    runs: bool = False
    file: bool = False

    def __or__(self, other: Change) -> Change:
        """Return the union of both."""
        return Change(*[getattr(self, name) | getattr(other, name) for name in _NAMES])

    def __bool__(self) -> bool:
        """Return True when anything differs."""
        return self != NOTHING


NOTHING = Change()
_NAMES = tuple(item.name for item in fields(Change))


class Changes:
    """Gathers what differs and announces it once."""

    def __init__(self, announce: Callable[[Change], object]) -> None:
        """Create an empty collection; `announce` is called with each complete change."""
        self._announce = announce
        self._pending = NOTHING
        self._depth = 0

    def add(self, change: Change) -> None:
        """Something differs: announced at once, or with the change that is being gathered."""
        self._pending |= change
        if not self._depth:
            with self.gathered():
                pass

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Collect changes and announce them as one at the end of the outermost `with`."""
        self._depth += 1
        try:
            yield
        finally:
            try:
                if self._depth == 1:
                    self._announce_pending()
            finally:
                self._depth -= 1

    def _announce_pending(self) -> None:
        """Announce the change, then the changes that its receivers have made, one after the other."""
        while self._pending:
            change, self._pending = self._pending, NOTHING
            self._announce(change)
