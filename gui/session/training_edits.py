"""Undoable edits of recorded runs (open, rename, hide, remove, clear) and of single weights."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.document import Document
from engine.document.frozen_floats import FrozenFloats
from engine.experiment.assemble import trained_at, weights_of
from engine.experiment.carried import trained_until
from engine.experiment.consistency import check_consistent
from engine.experiment.setting_words import SETTING_SECTIONS
from engine.network.run.progress import RunState
from engine.session_file.saved_runs import LONGEST_NAME
from gui.runner import SavedHistory
from gui.session.edits import Edit, UndoStep, all_fields
from gui.session.recorded_runs import RecordedRun
from gui.session.session import Session


class RunsEdit(UndoStep):
    """A change of the list of runs."""

    def __init__(self, label: str, make: Callable[[], object], take_back: Callable[[], object]) -> None:
        """Args: label in the undo menu, function that applies the edit, function that reverts it."""
        super().__init__(label)
        self._make, self._take_back = make, take_back

    def make(self) -> None:
        self._make()

    def take_back(self) -> None:
        self._take_back()


def open_run(session: Session, run: RecordedRun) -> bool:
    """Restore settings, weights and past steps of a run; undo restores the present ones.

    Returns:
        True when it was opened; otherwise `message_posted` says why and nothing has changed.
    """
    document = dataclasses.replace(run.document, trained=run.trained)
    return open_moment(session, document, f"open run {run.number}", run.saved_history)


def open_moment(session: Session, document: Document, label: str, saved: SavedHistory | None = None) -> bool:
    """Load data, network, training and weights of a document; undo restores the present ones.

    Args:
        session: whose program and view stay.
        document: such as a run of a sweep, with what was trained.
        label: as the undo menu calls it.
        saved: the past steps of the run.

    Returns:
        As `open_run`.
    """
    sections = {name: getattr(document, name) for name in (*SETTING_SECTIONS, "trained")}
    after = dataclasses.replace(session.document, **sections)
    try:
        check_consistent(after)
    except ValueError as error:
        session.message_posted.emit(str(error), "error")
        return False
    session.pause()
    edit = Edit(session, label, after, restarts=True)
    edit.saved_history = saved
    return session.undo_stack.make(edit)


def rename_run(session: Session, run: RecordedRun, name: str) -> None:
    """Name a run, with at most 60 characters; "" shows its settings instead."""
    name, before = " ".join(name.replace("\0", " ").split())[:LONGEST_NAME], run.name
    if name != before:
        runs, number = session.runs, run.number
        edit = RunsEdit(f"name of run {number}", lambda: runs.rename(number, name), lambda: runs.rename(number, before))
        session.undo_stack.make(edit)


def set_run_hidden(session: Session, run: RecordedRun, is_hidden: bool) -> None:
    """Hide or show the curve of a run in the loss plot."""
    runs, number, before = session.runs, run.number, run.is_hidden
    if before != is_hidden:
        label = f"{'hide' if is_hidden else 'show'} the curve of run {number}"
        session.undo_stack.make(
            RunsEdit(label, lambda: runs.set_hidden({number}, is_hidden), lambda: runs.set_hidden({number}, before))
        )


def remove_run(session: Session, run: RecordedRun) -> None:
    """Remove a run from the list."""
    _remove(session, f"remove run {run.number}", [run])


def clear_runs(session: Session) -> None:
    """Remove every run except the current one, as one undo step."""
    runs = session.runs
    if earlier := [run for run in runs.all if run.number != runs.current]:
        _remove(session, "clear earlier runs", earlier)


def _remove(session: Session, label: str, removed: Sequence[RecordedRun]) -> None:
    runs = session.runs
    kept: list[RecordedRun] = []

    def remove() -> None:
        kept[:] = [runs.run(run.number) or run for run in removed]
        for run in removed:
            runs.remove(run.number)

    def put_back() -> None:
        for run in kept:
            runs.put_back(run)

    session.undo_stack.make(RunsEdit(label, remove, put_back))


def shown_parameters(session: Session) -> NDArray[Any]:
    """Weights and biases of the viewed snapshot, (n_parameters,); read-only."""
    progress = session.shown
    return weights_of(session.document) if progress is None else progress.snapshot.parameters


def set_parameter(session: Session, index: int, number: float, label: str) -> bool:
    """Set one weight or bias as one undo step; return True if the number was allowed.

    It is done to the moment that is viewed: what came after a past one is left, and undo brings it back. The optimizer
    keeps its memory. A run goes on from there.
    """
    parameters = np.array(shown_parameters(session))
    if index >= len(parameters):  # its neuron has gone while it was typed
        return False
    parameters[index] = number
    trained = session.trained_so_far
    if session.training.viewed_step is not None and session.shown is not None:
        trained = trained_until(trained, trained_at(session.shown.snapshot))
    moment = dataclasses.replace(trained, parameters=FrozenFloats(parameters))
    was_running = session.run_state is RunState.RUNNING
    done = session.edit(label, "", trained=all_fields(moment))
    if done and was_running:
        session.run()
    return done
