"""The run of training in a window: what it is told, what it has reported, and what of it is shown."""

from __future__ import annotations

from threading import Thread

from PySide6.QtCore import QObject, QTimer, Signal

from datasets import Dataset
from engine.document import Document
from engine.document.assemble import changed_settings, make_model, make_trainer
from engine.document.moment import Moment, moment_of
from engine.document.saved_run import curve_of
from gui.runner import Progress, Runner
from gui.session.change import Change, Changes

POLL_MILLISECONDS = 33


class Run(QObject):
    """Drives the runner, and takes its newest report 30 times a second.

    Attributes:
        newest: where the run stands, as it was reported last; None before the first report.

    Signals:
        reported(): `newest` is new, or the run could not be made; emitted while the change that says so is gathered.
        message_posted(str, str): a line for the user and its kind, "note" or "error".
    """

    reported = Signal()
    message_posted = Signal(str, str)

    def __init__(self, changes: Changes, parent: QObject) -> None:
        """Takes what announces changes; nothing is loaded yet."""
        super().__init__(parent)
        self.newest: Progress | None = None
        self._moment: Moment | None = None
        self._changes = changes
        self._runner = Runner()
        self._announced_state = self.state
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MILLISECONDS)
        self._poll.timeout.connect(self._take_report)

    @property
    def state(self) -> str:
        """See `Runner`."""
        return self._runner.state

    @property
    def moment(self) -> Moment | None:
        """What the numbers of a network on a sample stand for at the moment shown; None before the first report."""
        return self._moment

    def load(self, document: Document, dataset: Dataset) -> None:
        """Begins anew where the document's moment stands; network and trainer are made in the runner's thread."""
        self.newest = self._moment = None
        trained = document.trained
        self._runner.load(
            lambda: make_trainer(document, make_model(document), dataset.X, dataset.y),
            curve_of(trained.curve),
            curve_of(trained.test_curve),
        )
        self._poll.start()
        self._changes.add(Change(model=True, moment=True))
        self._announce_state()
        if trained.step:
            self._runner.report()

    def change(self, before: Document, after: Document) -> None:
        """Other settings from the next step on, the weights kept."""
        self._runner.change(**changed_settings(before.training, after.training))

    def run(self) -> None:
        """Trains until paused."""
        self._runner.run()
        self._announce_state()

    def pause(self) -> None:
        """Stops after the step that is under way (within 200 ms)."""
        self._runner.pause()
        self._announce_state()

    def train(self, amount: str) -> None:
        """Trains for one "step", one "phase" of it, or one "epoch", which counts as running; pauses a run first."""
        if self.state == "running":  # steps that still wait are made
            self._runner.pause()
        {"step": self._runner.step, "epoch": self._runner.epoch, "phase": self._runner.phase}[amount]()
        self._announce_state()

    def go_back(self) -> None:
        """After a run diverged: the weights from before its loss took off."""
        self._runner.go_back()
        self._announce_state()

    def set_grid(self, bounds: tuple[float, float, float, float] | None, resolution: int) -> None:
        """Asks for the network's output over a grid with each progress; None: not wanted (panel hidden)."""
        self._runner.set_grid(bounds, resolution)

    def _take_report(self) -> None:
        with self._changes.gathered():
            failure, progress = self._runner.take_failure(), self._runner.take()
            if failure:
                self.message_posted.emit(failure, "error")
            if progress is not None:
                self._take(progress)
            if failure or progress is not None:
                self.reported.emit()
            self._announce_state()

    def _take(self, progress: Progress) -> None:
        self.newest, self._moment = progress, moment_of(progress, self._moment)
        if progress.message:
            self.message_posted.emit(progress.message, "error" if progress.state == "failed" else "note")
        self._changes.add(Change(moment=True))

    def _announce_state(self) -> None:
        if self.state != self._announced_state:
            self._announced_state = self.state
            self._changes.add(Change(run_state=True))

    @property
    def unanswered(self) -> bool:
        """Whether training was asked for whose last progress was not taken yet; always while it runs."""
        return self._runner.unanswered

    def forget_requests(self) -> None:
        """Counts what was asked for as answered."""
        self._runner.forget_requests()

    def stop(self) -> list[Thread]:
        """Stops training for good; the thread that is still to be waited for, if there is one."""
        self._poll.stop()
        return self._runner.stop()
