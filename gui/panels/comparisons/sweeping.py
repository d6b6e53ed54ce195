"""A sweep beside the window: its rows as they come in, how far it is, and its end at once when it is not wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from engine.document import Document
from engine.sweeps.sweep import Row, sweep
from engine.sweeps.workers import SweepWorkers
from gui.background import Job

Vary = Mapping[str, Sequence[Any]]


class Sweeping(QObject):
    """Run one sweep at a time in separate processes, while the window and its training go on.

    Attributes:
        rows: those of the sweep that was started last, in the order in which they came.

    Signals:
        changed(): there are more rows, or the sweep has ended.
        failed(str): why it could not be done.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: tuple[Row, ...] = ()
        self._workers: SweepWorkers | None = None
        self._wanted_steps = 1
        self._job = Job("sweep", self)
        self._job.delivered.connect(self._take)
        self._job.failed.connect(lambda _token, error: self.failed.emit(str(error)))
        self._job.ended.connect(self.changed)

    @property
    def busy(self) -> bool:
        """True while rows are still to come."""
        return self._job.busy

    @property
    def share(self) -> float:
        """Fraction of the training done, 0 to 1."""
        return 0.0 if self._workers is None else min(1.0, self._workers.steps / self._wanted_steps)

    def start(self, document: Document, vary: Vary, seeds: int, steps: int, n_runs: int) -> None:
        """Start a sweep, see `engine.sweeps.sweep`; a running one is cancelled."""
        self.cancel()
        self.rows, self._wanted_steps = (), max(1, n_runs * steps)
        self._workers = workers = SweepWorkers()

        def work(cancelled: Callable[[], bool]) -> Iterator[tuple[Row, ...]]:
            rows: list[Row] = []
            try:
                for row in sweep(document, vary, seeds, steps, workers.executor, cancelled, 2 * workers.count):
                    rows.append(row)
                    yield tuple(rows)
            finally:
                workers.close()

        self._job.start(None, work)
        self.changed.emit()

    def _take(self, _token: object, rows: tuple[Row, ...]) -> None:
        self.rows = rows
        self.changed.emit()

    def cancel(self) -> None:
        """Cancel the running sweep; the rows that have arrived stay."""
        if self._workers is not None:
            self._job.cancel()
            self._workers.stop()
            self._workers = None

    def stop(self) -> None:
        """Cancel for good."""
        self.cancel()
        self._job.stop()
