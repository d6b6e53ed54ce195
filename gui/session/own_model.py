"""Outputs of the program's own model around its data, computed in a worker thread while a panel shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, Signal

from engine.language import Plot
from engine.language.own_model import own_model_plots
from gui.background import Job
from gui.session.program_run import ProgramRun


class OwnModel(QObject):
    """The plots of the model at the moment that is viewed.

    Attributes:
        plots: of the moment that was viewed when they were last computed; empty for a program without a model.

    Signals:
        changed(): there are other plots.
    """

    changed = Signal()

    def __init__(self, program: ProgramRun, parent: QObject) -> None:
        super().__init__(parent)
        self.plots: tuple[Plot, ...] = ()
        self._program = program
        self._wanted: tuple[str, int] | None = None
        self._job = Job("model of the program", self)
        self._job.delivered.connect(self._take)

    def want(self) -> None:
        """Request the plots of the viewed moment, unless they are known or under way."""
        wanted = self._program.own_model
        if wanted is None and not self._program.busy:
            self._wanted, had = None, bool(self.plots)
            self.plots = ()
            self._job.cancel()
            if had:
                self.changed.emit()
        elif wanted is not None and wanted != self._wanted:
            self._wanted = wanted

            def work(cancelled: Callable[[], bool]) -> Iterator[tuple[Plot, ...]]:
                yield own_model_plots(*wanted, cancelled=cancelled)

            self._job.start(wanted, work)

    @property
    def busy(self) -> bool:
        """True while plots are being computed."""
        return self._job.busy

    def _take(self, token: tuple[str, int], plots: tuple[Plot, ...]) -> None:
        if token == self._wanted:
            self.plots = plots
            self.changed.emit()

    def close(self) -> None:
        """Stop for good."""
        self._job.stop()
