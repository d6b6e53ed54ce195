"""The runs of a session: what each was trained with, how its loss went, and the weights it has reached.

A run begins with the first step from a start, and goes on until training restarts, goes back to a past step, or
takes weights from elsewhere. It goes on when undo, or opening it again, brings its weights back.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.document import Document, Trained
from engine.document.runs_section import MOST_RUNS, Runs
from engine.experiment.assemble import curve_of, trained_at
from engine.experiment.setting_words import run_words
from engine.network import Snapshot
from engine.network.run.curves import Curves
from engine.network.run.progress import Progress
from engine.network.settings import SettingsSince
from engine.session_file.saved_runs import MOST_KEPT_PARAMETERS, SavedRun, run_texts, saved_runs
from gui.runner import SavedHistory
from gui.session.change import Changes

MOST_PASTS = 5
"""Number of newest runs that keep their history, MOST_HISTORY_BYTES each."""

Floats = NDArray[Any]
NetworksSince = tuple[tuple[int, Document], ...]


@dataclass(frozen=True, eq=False)
class RecordedRun:
    """Run as it is now, or as it was when another one replaced it.

    Attributes:
        number: counted from 1 in a session.
        document: data, network and training are those of the run.
        moment: what it has reached; of a run that diverged the moment before its loss took off.
        steps, losses: (n,) the curve of the loss that steps saw.
        test_steps, test_losses: (m,) the same for the test data.
        loss: data loss of all training data at that moment, without penalties; None where it is not known.
        accuracy: of the training data, 0 to 1; None for a regression.
        diverged_at: the step whose loss was not finite; None when it did not diverge.
        name: given by the user; "" when it is said by its settings.
        settings_since: see `Progress`, and of the runs that it went on from; none of a run out of a file.
        networks_since: steps, ascending, and the document whose network the run has from each of them on; the same.
        is_hidden: whether the user took its curve out of the loss plot; None when nothing was chosen, see `is_drawn`.
        curves: its other figures by step and name, as a `Progress` has them.
        saved_history: its past steps, once it was left; None where they are not kept.
    """

    number: int
    document: Document
    moment: Snapshot | Trained
    steps: Floats = field(repr=False)
    losses: Floats = field(repr=False)
    test_steps: Floats = field(repr=False)
    test_losses: Floats = field(repr=False)
    loss: float | None
    accuracy: float | None
    diverged_at: int | None = None
    name: str = ""
    saved_history: SavedHistory | None = None
    curves: Curves = field(default_factory=dict, repr=False)
    is_hidden: bool | None = None
    settings_since: SettingsSince = field(default=(), repr=False)
    networks_since: NetworksSince = field(default=(), repr=False)

    @property
    def step(self) -> int:
        """Updates made."""
        return self.moment.step

    @property
    def parameters(self) -> Floats:
        """(n_parameters,) the weights it has reached."""
        kept = self.moment.parameters
        return kept if isinstance(kept, np.ndarray) else kept.array

    @property
    def trained(self) -> Trained:
        """The moment as a document holds it."""
        if isinstance(self.moment, Trained):
            return self.moment
        return trained_at(self.moment, (self.steps, self.losses), (self.test_steps, self.test_losses), self.curves)

    @property
    def saved(self) -> SavedRun:
        """The run as it is saved in a file."""
        document = dataclasses.replace(self.document, trained=self.trained)
        return SavedRun(self.number, self.name, self.loss, self.accuracy, self.diverged_at, document, self.is_hidden)

    def is_at(self, document: Document) -> bool:
        """Return True when a document's moment is the last one of this run; drawn points do not make another run."""
        both_drawn = document.data.source == self.document.data.source == "points"
        if document.network != self.document.network or not (
            both_drawn or document.data.trains_like(self.document.data)
        ):
            return False
        own, theirs = self.moment, document.trained
        places = (own.step, own.epoch, own.position) == (theirs.step, theirs.epoch, theirs.position)
        return places and np.array_equal(self.parameters, theirs.parameters.array)


class RecordedRuns:
    """The runs of a session, the oldest first; announced as the change "recorded".

    Attributes:
        all: every run that is kept.
        current: the number of the run that training goes on with; None when it has not begun, or is none of them.
        networks_since: of the run that training goes on with, see `RecordedRun`.
    """

    def __init__(self, changes: Changes) -> None:
        """Create an empty list of runs."""
        self.all: tuple[RecordedRun, ...] = ()
        self.current: int | None = None
        self._changes = changes
        self._document = Document()
        self.networks_since: NetworksSince = ()
        self._settings_before: SettingsSince = ()
        self._base = self._last_step = 0
        self._newest_number = 0
        self._taken_out: int | None = None  # the run that was going on when it was taken out
        self._from_file = False  # the next run begins at a file's moment

    def run(self, number: int | None) -> RecordedRun | None:
        """The run of that number; None when it is gone."""
        return next((run for run in self.all if run.number == number), None)

    def words(self, run: RecordedRun) -> str:
        """Return its name, or its settings as far as they differ from other runs, those of the runs beside it first."""
        if run.name:
            return run.name
        place = next((i for i, other in enumerate(self.all) if other.number == run.number), len(self.all))
        beside = [*self.all[max(0, place - 1) : place], *self.all[place + 1 : place + 2]]
        return run_words(run.document, [each.document for each in self.all], [each.document for each in beside])

    # The present run

    def begin(self, document: Document, saved: SavedHistory | None = None) -> None:
        """Note that training starts at a document's snapshot; `saved` is the history of the run before."""
        left = self.run(self.current)
        if left is not None and saved is not None:
            self._put(dataclasses.replace(left, saved_history=saved))
            for run in self.all[:-MOST_PASTS]:
                self._put(dataclasses.replace(run, saved_history=None))
        self._document = document
        step = document.trained.step
        again = next((run for run in reversed(self.all) if step and run.is_at(document)), None)
        self._begin_changes(again, left, step)
        self.current = None if again is None else again.number
        begins_with_a_run = self._from_file and again is None  # a file may hold a trained moment without its run
        self._from_file = False
        self._base, self._last_step = (0 if begins_with_a_run else step), step
        self._changes.add("recorded")

    def _begin_changes(self, again: RecordedRun | None, left: RecordedRun | None, step: int) -> None:
        """Keep the changes made before this step, for a run that is restored or continues with another network."""
        if again is not None:
            self.networks_since, self._settings_before = again.networks_since, again.settings_since
            return
        goes_on = step > 0 and step == self._last_step and not self._from_file
        before = tuple(entry for entry in self.networks_since if entry[0] < step) if goes_on else ()
        self.networks_since = (*before, (step, self._document))
        if not goes_on:
            self._settings_before = ()
        elif left is not None:
            self._settings_before = left.settings_since

    def settings_since(self, progress: Progress) -> SettingsSince:
        """Return the settings of the present run by step, including those of the runs it continues."""
        first = progress.settings_since[0][0] if progress.settings_since else progress.snapshot.step
        return (*(entry for entry in self._settings_before if entry[0] < first), *progress.settings_since)

    def change(self, document: Document) -> None:
        """Other settings from the next step on."""
        self._document = document

    def follow(self, progress: Progress) -> None:
        """Training has come to this moment."""
        step, run = progress.snapshot.step, self.run(self.current)
        went_back = step < self._last_step - (progress.phase is not None)  # an update taken back is no other run
        mended = run is not None and run.diverged_at is not None and progress.diverged_at is None
        if went_back or (mended and step > self._base):
            run = None
        if went_back:
            self.current, self._base = None, step
            self._changes.add("recorded")
        stands, self._last_step = step == self._last_step, step
        if stands and run is not None and run.document != self._document:
            return  # settings changed since its last step belong to the next step
        if run is None and step > self._base:
            self._newest_number += 1
            self.current = self._newest_number
            while len(self.all) >= MOST_RUNS:
                self.all = self.all[1:]
        if step > self._base and self.current is not None:
            now = dataclasses.replace(
                _recorded(self.current, self._document, progress),
                settings_since=self.settings_since(progress),
                networks_since=self.networks_since,
            )
            self._put(now if run is None else dataclasses.replace(now, name=run.name, is_hidden=run.is_hidden))
            self._changes.add("recorded")

    def _put(self, run: RecordedRun) -> None:
        others = [other for other in self.all if other.number != run.number]
        self.all = tuple(sorted([*others, run], key=lambda each: each.number))

    # User actions with them

    def rename(self, number: int, name: str) -> None:
        """Name a run; "" shows its settings instead."""
        run = self.run(number)
        if run is not None:
            self._put(dataclasses.replace(run, name=name))
            self._changes.add("recorded")

    def is_drawn(self, run: RecordedRun) -> bool:
        """Return True when the loss plot has its curve: the present run always, and others as the user chose.

        Where nothing was chosen, a run is drawn whose points are those of the present data: losses on other points
        say nothing about the present ones.
        """
        if run.number == self.current:
            return True
        return not (self._document.data.has_other_points(run.document.data) if run.is_hidden is None else run.is_hidden)

    def set_hidden(self, numbers: Collection[int], is_hidden: bool | None) -> None:
        """Hide or show the curves of these runs in the loss plot; None: as their data are the present ones or not."""
        for run in self.all:
            if run.number in numbers:
                self._put(dataclasses.replace(run, is_hidden=is_hidden))
        self._changes.add("recorded")

    def remove(self, number: int) -> None:
        """Remove a run from the list; if training continues it, a new run begins."""
        self.all = tuple(run for run in self.all if run.number != number)
        if self.current == number:
            self.current, self._base, self._taken_out = None, self._last_step, number
        self._changes.add("recorded")

    def put_back(self, run: RecordedRun) -> None:
        """Put a removed run back in its place."""
        self._put(run)
        if self.current is None and self._taken_out == run.number and self._base == self._last_step:
            self.current = run.number
        self._changes.add("recorded")

    def take_file(self, document: Document) -> None:
        """Replace all runs by those of a file.

        Raises:
            DocumentError: when one of them is not as it must be; nothing is forgotten then.
        """
        self.all, self.current = tuple(map(recorded, saved_runs(document))), None
        self._newest_number = max((run.number for run in self.all), default=0)
        self._from_file = True
        self._changes.add("recorded")


def _recorded(number: int, document: Document, progress: Progress) -> RecordedRun:
    figures = progress.snapshot if progress.diverged_at is None else progress.savable
    return RecordedRun(
        number,
        document,
        progress.savable,
        progress.curve_steps,
        progress.curve_losses,
        progress.test_steps,
        progress.test_losses,
        figures.loss if figures.loss is None or math.isfinite(figures.loss) else None,
        figures.accuracy,
        progress.diverged_at,
        curves=progress.curves,
    )


def as_section(runs: Sequence[RecordedRun], document: Document) -> Runs:
    """Return a document's runs as they are saved in its file; any thread may call this."""
    kept = [run for run in runs if 0 < len(run.parameters) <= MOST_KEPT_PARAMETERS]
    return Runs(run_texts([run.saved for run in kept], document))


def recorded(run: SavedRun) -> RecordedRun:
    """A run out of a file."""
    trained = run.document.trained
    curves = *curve_of(trained.curve), *curve_of(trained.test_curve)
    figures = run.loss, run.accuracy, run.diverged_at
    return RecordedRun(run.number, run.document, trained, *curves, *figures, run.name, is_hidden=run.is_hidden)
