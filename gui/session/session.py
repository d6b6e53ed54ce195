"""The session: the one thing that panels share.

It owns the document with its undo stack, everything derived from it, the training run and the selection. A widget asks
for an edit; the session sets the document and announces one `Change` with the names of what differs; panels that depend
on one of them refresh. Panels never talk to each other.
"""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from datasets import Dataset, DatasetError
from engine.document import Document, DocumentError, Trained, replace_section
from engine.document.document import SECTIONS
from engine.document.errors import sentence_of
from engine.experiment.consistency import check_consistent
from engine.experiment.prepared import PreparedData
from engine.file_access import reason_of
from engine.language import Evaluation, ProgramError
from engine.network.run.progress import Progress, RunState
from engine.session_file.files import DocumentFile, FileStamp, is_gone, read_document
from gui.background import SOON_SECONDS, answer_within, join_stopped
from gui.presenter.graph_presenter import GraphPresenter
from gui.runner import SavedHistory
from gui.session.change import Changes
from gui.session.choices import NeuronChoice, NudgeChoice, SampleChoice
from gui.session.compared_graphs import ComparedGraphs
from gui.session.edits import Edit, EditStack, changed_sections, edited, restarts_training
from gui.session.program_run import OwnModel, ProgramRun
from gui.session.programs import Programs
from gui.session.recorded_runs import RecordedRun, as_section
from gui.session.run import Run
from gui.session.unsaved import Saving, UnsavedWork, write
from gui.session.variation import Variation
from gui.unexpected import contained

_log = logging.getLogger(__name__)


class OwnWork(NamedTuple):
    """The user's own document as a recovery copy holds it.

    Attributes:
        document: without its runs.
        runs: of it.
        path, stamp: of its file; None for one without a file.
        is_modified: closing would lose something.
    """

    document: Document
    runs: tuple[RecordedRun, ...]
    path: Path | None
    stamp: FileStamp | None
    is_modified: bool


@dataclass(frozen=True, eq=False)
class SetAside:
    """Everything of the user's own work while another document, that of a lesson, has the session."""

    work: OwnWork
    document: Document
    history: SavedHistory
    undo_stack: EditStack
    unsaved: UnsavedWork
    lacks_moment: bool


class Session(QObject):
    """Document, undo stack, derived state and run state.

    Attributes:
        program: the run of the program and what came of it.
        own_model: outputs of the program's own model around its data.
        variation: runs of the program in which one of its numbers has several values.
        comparison: two graphs that are compared, such as the program and how it was before.
        runs: the recorded runs of training.
        training: the run of training.
        samples: the chosen cell of the confusion matrix.
        neurons: the neuron of the drawn network under the pointer.
        nudge: the distance by which the selected value is nudged.
        lessons_folder: where progress in lessons is kept; None: nowhere.
        lesson_folders: folders of lessons besides our own.

    Signals:
        changed(Change): what differs, once for every edit and every report of training, when all that follows from it
            is derived.
        message_posted(str, str): a line for the user and its kind: "note" or "error".
        action_requested(str): an action of the window, by its id: a panel has a button for it.
        session_pasted(str): the text of a session was pasted where it is no program.
        file_used(object): the Path of a file that was opened or saved.
        file_requested(object): the Path of a file that is to be opened: a panel lists it.
        left(): another document replaces the present one; messages on the old one are out of date.
        stopping(): the session ends; what works on it stops, too.
        lesson_opened(): a lesson was opened or left, or other controls of it are to be shown.
        control_pointed(str): the text of a lesson points at a control, by its name.
        runs_compared(str): two runs that differ in this setting have been trained side by side.
        compare_requested(str): two runs that differ in this setting are to be trained side by side.
        commit_requested(): fields with typed text that is not in the document yet commit it now.
    """

    changed = Signal(object)
    message_posted = Signal(str, str)
    action_requested = Signal(str)
    session_pasted = Signal(str)
    file_used = Signal(object)
    file_requested = Signal(object)
    left = Signal()
    stopping = Signal()
    lesson_opened = Signal()
    control_pointed = Signal(str)
    compare_requested = Signal(str)
    runs_compared = Signal(str)
    commit_requested = Signal()

    def __init__(self, document: Document | None = None, programs: Programs | None = None) -> None:
        """Open a document, a fresh one when None; `programs` run what is typed, at once when None."""
        super().__init__()
        self.document = document or Document()
        self._changes = Changes(self.changed.emit)
        self.undo_stack = self._make_undo_stack()
        self._aside: SetAside | None = None
        self.lessons_folder: Path | None = None
        self.lesson_folders: list[Path] = []
        self.path: Path | None = None
        self.data: PreparedData
        self.selection: str | None = None
        self.compared: str | None = None
        self._unsaved = UnsavedWork(self.document.trained)
        self.stamp: FileStamp | None = None
        self._announced_modified = False
        self.training = Run(self._changes, self)
        self.runs, self.samples = self.training.recorded, SampleChoice(self._changes)
        self.neurons, self.nudge = NeuronChoice(self._changes), NudgeChoice(self._changes)
        self.training.reported.connect(self._follow_run)
        self.training.message_posted.connect(self.message_posted)
        self.presenter = presenter = GraphPresenter(self)
        presenter.picture_changed.connect(lambda _same: self._follow_picture())
        presenter.readings_changed.connect(lambda: self._changes.add("numbers"))
        presenter.prediction.changed.connect(lambda: self._changes.add("numbers"))
        presenter.busy_changed.connect(lambda _busy: self._changes.add("layout"))
        presenter.view_requested.connect(lambda fields: self.edit("expand or collapse", view=fields))
        presenter.message_posted.connect(self.message_posted)
        programs = programs or Programs()
        self.program = ProgramRun(programs, self._changes, self)
        self.variation = Variation(programs, self)
        self.comparison = ComparedGraphs(programs, self.program, presenter, self)
        self.own_model = OwnModel(self.program, self)
        self.program.renewed.connect(lambda: self._show_graph(restart=False))
        self.program.start(self.document.expression.text)
        self._load(check_consistent(self.document))
        self._show_graph(restart=True)

    def _make_undo_stack(self) -> EditStack:
        stack = EditStack(self, self._changes)
        stack.moved.connect(self._announce_modified)
        return stack

    # Editing

    def edit(self, label: str, merge: str = "", **sections: dict[str, Any]) -> bool:
        """Change fields of the document as one undoable step; return True when that was allowed and has worked.

        Otherwise nothing has changed, and the user has been shown the reason.

        Args:
            label: what the undo menu calls it.
            merge: edits in a row with the same non-empty key become one step (a slider being dragged).
            sections: `training={"learning_rate": 0.1}`.
        """
        try:
            after = edited(self.document, sections, self.trained_so_far, self.message_posted.emit)
        except (DocumentError, DatasetError, ValueError) as error:
            self.message_posted.emit(sentence_of(error), "error")
            return False
        if (moved := "trained" in sections and after.trained != self.trained_so_far) or after != self.document:
            restarts = moved or restarts_training(self.document, after)
            edit = Edit(self, label, after, merge, restarts)
            has_other_points = after.data.has_other_points(self.document.data)
            with self._changes.gathered():
                run = self.runs.current
                if not self.undo_stack.make(edit):
                    return False
                if edit.is_merged and has_other_points and run is not None and run != self.runs.current:
                    self.runs.remove(run)  # it began between two positions of a slider
        return True

    def set_document(self, document: Document, restart: bool = False, saved: SavedHistory | None = None) -> None:
        """Set the current document and update everything derived from the sections that differ.

        Args:
            document: known to be allowed and to fit together.
            restart: load the training's moment from it even if none of its sections differs.
            saved: of the run before that moment, as `save_history` gave it.
        """
        with self._changes.gathered():
            before = self.document
            other_loss = before.training.loss != document.training.loss
            sections = changed_sections(before, document)
            restart = restart or restarts_training(before, document)
            was_running = self.run_state is RunState.RUNNING
            if other_loss and not restart:  # weights and history go on
                document, saved = dataclasses.replace(document, trained=self.trained_so_far), self.save_history()
            self.document = document
            if before.view.shows != document.view.shows:
                self.select(None)  # a node of the same name is another node there
            if before.expression.text != document.expression.text:
                self.program.start(document.expression.text)
            if restart or other_loss:
                self._load(check_consistent(document), saved)
            elif "training" in sections:
                self.training.change(before, document)
            self._show_graph(restart=restart or other_loss)
            self._changes.add(*sections)
            if was_running and ((restart and sections & {"data", "network"}) or (other_loss and not restart)):
                self.run()

    def restore_document(self, document: Document, restart: bool, saved: SavedHistory | None) -> None:
        """Restore the document from before a failed edit; log state that cannot be derived from it again."""
        try:
            self.set_document(document, restart, saved)
        except BaseException:
            _log.exception("the state before an edit that failed cannot be derived completely")
            self.document = document

    def set_view(self, **changes: Any) -> None:
        """Change what the canvas shows; part of the document, but no step of the undo history.

        Raises:
            DocumentError: when a value is not allowed.
        """
        self.set_document(replace_section(self.document, "view", **changes))

    def announce(self, *names: str) -> None:
        """Announce a change of what belongs to the session and is no part of it, such as the open lesson."""
        self._changes.add(*names)

    @contextmanager
    def one_change(self) -> Iterator[None]:
        """Announce all changes within the block as one."""
        with self._changes.gathered():
            yield

    # Derived state

    @property
    def evaluation(self) -> Evaluation | None:
        """Evaluation of the last program that worked; None if none has since the document was opened."""
        return self.program.evaluation

    @property
    def error(self) -> ProgramError | None:
        """Error of the newest program that has ended; None if it worked."""
        return self.program.error

    @property
    def dataset(self) -> Dataset:
        """Training data as the network gets them; `data` has the points themselves and the test data."""
        return self.data.train

    def _load(self, data: PreparedData, saved: SavedHistory | None = None) -> None:
        """Set the training to the document's moment."""
        self.data = data
        self.samples.choose(None)
        self.training.load(self.document, data, saved)

    def _show_graph(self, restart: bool) -> None:
        self.presenter.show(self.document, self.program.view.shown, self.dataset, restart)

    def _follow_picture(self) -> None:
        """Keep the selection, or select the node that replaces the selected one in the new picture."""
        self._choose(*(key and self.presenter.placement.successor(key) for key in (self.selection, self.compared)))
        self._changes.add("graph", "numbers")

    # Training

    @property
    def trained_so_far(self) -> Trained:
        """The moment that training has reached, as a file holds it; the last good one of a run that diverged."""
        return self.training.trained(self.document.trained)

    @property
    def run_state(self) -> RunState:
        """State of the training run."""
        return self.training.state

    @property
    def newest(self) -> Progress | None:
        """Last report of the training; None before the first."""
        return self.training.newest

    @property
    def shown(self) -> Progress | None:
        """Report of the viewed step: `newest` or one of a past step; None before the first report."""
        return self.training.shown

    def save_history(self) -> SavedHistory:
        """Save the history of the run, to be restored with `set_document`."""
        return self.training.runner.save_history()

    def continue_here(self) -> None:
        """Set the run to the viewed step; undo restores the later ones."""
        step = self.training.viewed_step
        if step is not None:
            label = f"continue from step {step:,}"
            self.undo_stack.make(Edit(self, label, self.document, restarts=True, make=self.training.continue_here))

    def run(self) -> None:
        """Train until paused."""
        self.training.run()

    def pause(self) -> None:
        """Stop after the step that is under way (within 200 ms)."""
        self.training.pause()

    def train(self, amount: str) -> None:
        """Train for one "step", "phase", "epoch", or for several "steps"; see `Run.train`."""
        self.training.train(amount)

    def toggle_run(self) -> None:
        """Run or pause."""
        self.pause() if self.run_state is RunState.RUNNING else self.run()

    def reset(self) -> None:
        """Reset to the first weights; undo restores the trained ones."""
        first = dataclasses.replace(self.document, trained=Trained())
        if self.trained_so_far == Trained():
            self.set_document(first, restart=True)
        else:
            self.undo_stack.make(Edit(self, "reset", first, restarts=True))

    def _follow_run(self) -> None:
        shown, passes = self.training.shown, self.training.shown_passes
        if shown is not None and passes is not None:
            with contained(self):
                self.presenter.show_moment(shown, passes, self.run_state is RunState.RUNNING)
        self._announce_modified()

    # Selection

    def select(self, key: str | None) -> None:
        """Select a node of the graph that is shown."""
        self._choose(key, self.compared if key is not None else None)

    def compare(self, key: str | None) -> None:
        """Choose a second node to compare with the selected one, or None."""
        self._choose(self.selection, key)

    def _choose(self, selection: str | None, compared: str | None) -> None:
        if (selection, compared) != (self.selection, self.compared):
            self.selection, self.compared = selection, compared
            self._changes.add("selection")

    # Files

    @property
    def modified(self) -> bool:
        """True when closing would lose something: an edit, typed text, a trained or requested step."""
        run = self.training
        is_edited = run.runner.unanswered or run.lacks_moment or self.undo_stack.is_edited
        return is_edited or self._unsaved.is_there(self.document.trained, run.savable)

    def note_typing(self, field: str, is_entry: bool) -> None:
        """Note that a named field has a valid entry not yet in the document, or no longer has one."""
        if self._unsaved.note_typing(field, is_entry):  # a new field also reports that nothing is typed
            self._announce_modified()

    def discard_changes(self) -> None:
        """Mark everything as saved, requested training steps included: the user discards it."""
        self.pause()
        self.training.runner.forget_requests()
        self.training.lacks_moment = False
        self._unsaved.forget_typing()
        self._count_as_saved(self.trained_so_far)

    def _count_as_saved(self, trained: Trained, is_copy: bool = False) -> None:
        self._unsaved.count_as_saved(trained, is_copy)
        self.undo_stack.set_clean()
        self._announce_file()

    def _announce_modified(self) -> None:
        if self.modified != self._announced_modified:
            self._announce_file()

    def _announce_file(self) -> None:
        self._announced_modified = self.modified
        self._changes.add("file")

    def current_document(self) -> Document:
        """Return the document with uncommitted entries and the newest trained snapshot."""
        self.commit_requested.emit()
        return dataclasses.replace(
            self.document, trained=self.trained_so_far, runs=as_section(self.runs.all, self.document)
        )

    def open(self, path: Path) -> bool:
        """Read a session file, or a program text (`.txt`, `.py`); on any error the current document stays."""
        try:
            return self.take_file(path, read_document(path))
        except (OSError, ValueError) as error:
            return self.report_unread(path, error)

    def take_file(self, path: Path, file: DocumentFile) -> bool:
        """Replace everything by a file's content, or report inconsistent data and replace nothing."""
        try:
            self.reset_document(file.document, *(() if file.is_program or file.is_code else (path, file.stamp)))
            self.file_used.emit(path)
            return True
        except ValueError as error:
            return self.report_unread(path, error)

    def report_unread(self, path: Path, error: Exception) -> bool:
        """Show why a file could not be opened, and that it was not."""
        self.message_posted.emit(f"{path.name}: {reason_of(error)}", "error")
        return False

    def reset_document(
        self,
        document: Document,
        path: Path | None = None,
        stamp: FileStamp | None = None,
        unsaved_copy: bool = False,
        saved: SavedHistory | None = None,
    ) -> None:
        """Replace everything by a document: nothing of the old one, its training or its undo history is left.

        Args:
            document: is loaded with the moment of its training.
            path: the file that it is in.
            stamp: what that file held when it was read.
            unsaved_copy: it was recovered after a crash, so it is in no file as it is.
            saved: of the run before its moment; None: the run begins there.

        Raises:
            ValueError: when parts of the document do not fit together; nothing is replaced then.
        """
        data = check_consistent(document)
        self.left.emit()
        with self._changes.gathered():
            self.runs.take_file(document)
            self.presenter.forget_places()
            self.select(None)
            self.program.forget()
            self.variation.forget()
            self.document, self.path, self.stamp = document, path, stamp
            self.program.start(document.expression.text)
            self._load(data, saved)
            self.undo_stack.clear()
            self._show_graph(restart=True)
            self._changes.add(*SECTIONS)
            self._count_as_saved(document.trained, unsaved_copy)

    # The user's own work while a lesson is open

    @property
    def is_aside(self) -> bool:
        """True while the user's own work is set aside for the document of a lesson."""
        return self._aside is not None

    @property
    def own_work(self) -> OwnWork:
        """The user's own document, also while it is set aside."""
        if self._aside is not None:
            return self._aside.work
        document = dataclasses.replace(self.document, trained=self.trained_so_far)
        return OwnWork(document, self.runs.all, self.path, self.stamp, self.modified)

    @property
    def is_file_gone(self) -> bool:
        """True when the file of the user's own work was deleted or moved; False when its drive does not answer."""
        path = self.path if self._aside is None else self._aside.work.path
        return bool(answer_within(SOON_SECONDS, partial(is_gone, path), False))

    def set_aside(self) -> None:
        """Set the user's own work aside, its undo history and training included, until `take_back`."""
        assert self._aside is None
        self.pause()
        document = self.current_document()
        self._aside = SetAside(
            self.own_work, document, self.save_history(), self.undo_stack, self._unsaved, self.training.lacks_moment
        )
        self.undo_stack, self._unsaved = self._make_undo_stack(), UnsavedWork(Trained())

    def take_back(self) -> None:
        """Restore the user's own work as it was set aside."""
        aside, self._aside = self._aside, None
        assert aside is not None
        other_stack = self.undo_stack
        with self._changes.gathered():
            self.reset_document(aside.document, aside.work.path, aside.work.stamp, saved=aside.history)
            self.undo_stack, self._unsaved = aside.undo_stack, aside.unsaved
            self.training.lacks_moment = aside.lacks_moment
            self._announce_file()
        other_stack.end()
        other_stack.deleteLater()

    def save(self, path: Path) -> bool:
        """Write the session, the trained parameters of one moment included, while one waits."""
        return self.end_saving(saving := self.begin_saving(), path, write(path, saving.document))

    def begin_saving(self) -> Saving:
        """Start saving: return the document to write. Later edits count as unsaved, the rest until `end_saving`."""
        saving = self._unsaved.begin_saving(self.current_document(), self.modified)
        self.undo_stack.set_clean()
        return saving

    def end_saving(self, saving: Saving, path: Path, outcome: FileStamp | Exception) -> bool:
        """Handle the outcome of a save: show a failure; return True if the file was written."""
        if isinstance(outcome, Exception):
            self.message_posted.emit(f"{path.name} was not saved: {reason_of(outcome)}", "error")
        if self._unsaved.is_of_this_document(saving):
            is_newest = self._unsaved.end_saving(saving, isinstance(outcome, FileStamp))
            if isinstance(outcome, FileStamp):
                self.path, self.stamp = path, outcome
            elif is_newest and saving.was_modified:
                self.undo_stack.set_clean(False)
            self._announce_file()
        if isinstance(outcome, FileStamp):
            self.file_used.emit(path)
        return isinstance(outcome, FileStamp)

    def stop(self) -> None:
        """Stop training and all other work for good."""
        self.stopping.emit()
        self.undo_stack.end()
        if self._aside is not None:
            self._aside.undo_stack.end()
        for part in (self.program, self.variation, self.comparison, self.own_model):
            part.close()
        self.training.stop()
        self.presenter.stop()

    def close(self) -> None:
        """Stop training and its thread, within two seconds; the session is not used afterwards."""
        self.stop()
        join_stopped()
