"""Changes of a session: a set of names that says what differs from before.

An edit, an undo, an opened file or a report of training changes several things at once, each derived from the one
before. They are announced as one change when all are derived; changes made by a receiver are announced next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.document.document import SECTIONS

Change = frozenset[str]
"""Names of what differs: sections of the document ("expression", "network", "view", ...) and keys of `DERIVED`."""

DERIVED = {
    "program": "a run of the program began, printed or ended, or another of its moments is viewed",
    "model": "data set, network or first weights; training begins from the document's moment, so `moment` changed too",
    "moment": "the viewed moment of training: progress, another step of the history, a phase",
    "graph": "the picture on the canvas; then `numbers` changed too",
    "layout": "a graph began, or ended, to be made or laid out in the background",
    "numbers": "numbers of the picture, the position of the walk, or predicted gradients",
    "selection": "the selected node, or the one compared with it",
    "samples": "the samples chosen to be looked at together",
    "neuron": "the neuron of the drawn network under the pointer",
    "nudge": "the distance by which the selected value is nudged was chosen",
    "lesson": "the open lesson, its step, an answer or what was found of its goal",
    "run": "training began, paused or failed, or its speed or number of steps was set",
    "recorded": "the list of recorded runs, or one of them",
    "file": "the path, or the mark of unsaved work",
}
"""What is derived from the document or chosen in the window, with what a change of it means."""

EVERYTHING: Change = frozenset({*SECTIONS, *DERIVED})
NUMBERS: Change = frozenset({"moment", "numbers", "recorded", "samples", "neuron"})
"""What can differ by a report of running training: numbers, and nothing that an edit changes."""
assert SECTIONS.keys().isdisjoint(DERIVED)


class Changes:
    """Gathers what differs and announces it once."""

    def __init__(self, announce: Callable[[Change], object]) -> None:
        """Create an empty collection; `announce` is called with each complete change."""
        self._announce = announce
        self._pending: Change = frozenset()
        self._depth = 0

    def add(self, *names: str) -> None:
        """Announce that something differs: at once, or with the change that is being gathered."""
        assert EVERYTHING.issuperset(names), names
        self._pending |= frozenset(names)
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
                while self._depth == 1 and self._pending:  # receivers may add further changes
                    change, self._pending = self._pending, frozenset()
                    self._announce(change)
            finally:
                self._depth -= 1
