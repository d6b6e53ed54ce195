"""The bases of panels with figures of the moment that is viewed, worked out in a thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtWidgets import QLabel

from engine.experiment.snapshot_network import SampleFigures, SnapshotNetwork, sample_figures, snapshot_network
from gui.background import Job, once
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.unexpected import contained
from gui.widgets.labels import PaintedLabel

FAILED = "This could not be worked out: {reason}."


class MomentPanel(Panel):
    """A subclass implements `question` (the work for a thread) and `show_answer` (showing the result).

    The question is asked with every shown report: for an untrained network, while it runs, for a past step. Until
    the answer is there the one before stays. An answer of other data or another network is dropped.

    Attributes:
        note: a label of the subclass, for the reason of a missing result.
    """

    note: QLabel | PaintedLabel
    rest_seconds = 0.12
    depends_on = frozenset({"model", "moment"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._job = Job(f"figure of {type(self).__name__}", self)
        self._job.delivered.connect(self._take)
        self._job.failed.connect(lambda _model, error: self._show_failure(error))
        self._model = 0

    def question(self) -> Callable[[], Any]:
        """Return the computation for a thread; it reads no mutable state."""
        raise NotImplementedError

    def show_answer(self, answer: Any) -> None:
        """Show what came of it."""
        raise NotImplementedError

    def reset(self) -> None:
        """Discard results of other data or another network."""

    def refresh(self, change: Change) -> None:
        if "model" in change:
            self.drop_answers()
            self.reset()
        if "model" in change or "moment" in change:
            self.ask()

    def drop_answers(self) -> None:
        """Ignore the answers to earlier questions."""
        self._model += 1

    def ask(self) -> None:
        """Ask again, after a choice of the user has changed the question."""
        self.catch_up()  # the question is about the present data, also when the panel was behind another one
        self._job.start(self._model, once(self.question()), patient=True)

    @property
    def snapshot_network(self) -> SnapshotNetwork:
        """Return the network at the viewed moment; before training the one it starts from."""
        session = self.session
        snapshot = None if session.shown is None else session.shown.snapshot
        return snapshot_network(session.document, session.data, snapshot)

    def _take(self, model: int, answer: Any) -> None:
        if model == self._model:
            with contained(self):
                self.show_answer(answer)

    def _show_failure(self, error: Exception) -> None:
        self.note.setText(FAILED.format(reason=error))
        self.note.show()


class SampleFiguresPanel(MomentPanel):
    """The base of panels that show the network's outputs for every sample: a subclass implements `show_figures`.

    Attributes:
        figures: of the samples that train and, where there are any, of those that only test; None before the first.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.figures: tuple[SampleFigures, SampleFigures | None] | None = None

    def show_figures(self) -> None:
        raise NotImplementedError

    def reset(self) -> None:
        self.figures = None

    def question(self) -> Callable[[], Any]:
        return partial(sample_figures, self.snapshot_network)

    def show_answer(self, answer: Any) -> None:
        self.figures = answer
        self.show_figures()
