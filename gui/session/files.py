"""New, open, save: the dialogs around a session's file. None of them stops the window.

Files are written in a worker thread, because a disk may be slow. A save writes the session as it is when the save is
requested; saves are written one after the other. Opening another document and closing the window wait until all saves
have ended, and are cancelled when one has failed, so that its message is read. What was edited meanwhile they ask
about.

A network drive may hang for hours. A write is overdue after some seconds: a save elsewhere then no longer waits for it,
and the program can end, with the work in its recovery copy. When the drive answers later, its file stays as it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from engine.document import Document, Trained
from engine.experiment.prepared import is_table_file
from engine.file_access import reason_of
from engine.messages import visible
from engine.session_file.files import PROGRAM_SUFFIXES, DocumentFile, FileStamp, read_document
from engine.session_file.pasted import session_of_text, text_of_session
from engine.session_file.salvage import Salvage, salvage_file
from gui.background import DRIVE_SECONDS, SOON_SECONDS, Job, Work, answer_within, once
from gui.damaged_file import DamagedFileDialog, left_out
from gui.file_dialogs import FileDialog
from gui.session import Session
from gui.session.unsaved import FileReplaced, Saving, write

OPENED = (
    "Sessions, programs and tables (*.gradstep *.txt *.py *.csv *.tsv);;"
    "Gradstep session (*.gradstep);;Program (*.txt *.py);;Table (*.csv *.tsv);;All files (*)"
)
LARGE_FILE = 100_000
"""Size in bytes from which a file is not waited for."""
OVERDUE_SECONDS = 4.0
"""Time after which a write is no longer waited for."""

OVERDUE = "{name} does not answer: the session is not saved yet. File > Save as saves it elsewhere."
WAITING = (
    "{name} does not answer: the session is not saved there yet. "
    "Save it elsewhere, or end Gradstep: it is offered at the next start."
)
CHANGED = "Another program has changed {name} since it was opened or saved here. Replace it?"
WRITING = "The file is still being written …"
NOW_OPEN = "Opened {name}. Its program runs in the sandbox, which reaches neither your files nor the network."
STILL_WRITING = "The file is still being written; the present state is saved after that …"
LACKING = (
    "The training failed, and the weights of its newest steps cannot be read. "
    "The file would hold step {step:,}. Save it all the same?"
)
SAVED = "Gradstep session (*.gradstep)"
FIRST_NAME = "untitled.gradstep"
"""Suggested for a session that has no name yet."""


def session_path(path: Path) -> Path:
    """Return the path a session is saved under; a program's suffix becomes that of a session."""
    return path.with_suffix(".gradstep") if path.suffix.lower() in PROGRAM_SUFFIXES else path


class SessionFiles(QObject):
    """The file menu's actions.

    Attributes:
        reading: reads a large file.
        writing: writes the session's file.
        examining: reads what can be read of a damaged file.
        clipboard: makes a session of a pasted text, or a text of the session.
        overdue: active while a write is waited for.
        asks_unsaved: unsaved changes are asked about before they are dropped.

    Signals:
        saved(str): name of the file that was written.
        table_chosen(object): the Path of a file that holds a table, by its ending: it is imported.
        replacing(): the user's own document is to be replaced, or closed: an open lesson is left first.
    """

    saved = Signal(str)
    table_chosen = Signal(object)
    replacing = Signal()

    def __init__(self, window: QWidget, session: Session) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self.asks_unsaved = True
        self.reading = Job("reading", self)
        self.reading.delivered.connect(self._take_read)
        self.reading.failed.connect(lambda token, error: session.report_unread(token[0], error))
        self.examining = Job("examining", self)
        self.examining.delivered.connect(self._show_damaged)
        self.clipboard = Job("clipboard", self)
        self.clipboard.delivered.connect(lambda take, result: take(result))
        self.clipboard.failed.connect(self._report_clipboard_failure)
        self.writing = Job("writing", self)
        self.writing.delivered.connect(self._end_writing)
        self.writing.failed.connect(self._end_writing)
        self.writing.ended.connect(self._go_on)
        self.overdue = QTimer(self, singleShot=True, interval=round(1000 * OVERDUE_SECONDS))
        self.overdue.timeout.connect(self._pass_overdue)
        self._waiting: dict[str, Callable[[], object]] = {}
        self._writes: list[tuple[Path | None, Saving]] = []
        """Saves that wait for the present one, and their files; None: the session's own file then."""
        self._written: Path | None = None
        self._is_overdue = False

    def stop(self) -> None:
        """Stop for good; a file that is not written by now stays as it was."""
        for part in (self.reading, self.examining, self.writing, self.clipboard, self.overdue):
            part.stop()

    def when_written(self, action: Callable[[], object], kind: str = "") -> None:
        """Call an action when the present write has succeeded or failed; the newest action of each kind."""
        if self.writing.busy:
            self._session.message_posted.emit(WRITING, "note")
            self._waiting[kind] = action
            if self._is_overdue:
                self._pass_overdue()
        else:
            action()

    def finish_writing(self, deadline: float) -> None:
        """Wait for writes under way or queued, until the deadline at most, as the program ends; drop other tasks."""
        self._waiting.clear()
        self.writing.finish(deadline)

    def new(self) -> None:
        """A fresh session, after asking about unsaved changes."""

        def make() -> None:
            self.cancel_reading()
            self._session.reset_document(Document())

        self.unless_unsaved(make)

    def cancel_reading(self) -> None:
        """Cancel reading a file, as something else is wanted now."""
        self.reading.cancel()
        self._waiting.pop("take read", None)

    def open(self) -> None:
        """Ask for a file and open it; unsaved changes are asked about last, as training goes on meanwhile."""
        path = self._session.path
        dialog = FileDialog(self._window, "Open", OPENED, None if path is None else path.parent)
        dialog.fileSelected.connect(lambda name: self.open_path(Path(name)))
        dialog.open()

    def open_path(self, path: Path) -> None:
        """Open a file that was chosen or dropped, after asking about unsaved changes; a table is to be imported."""
        if is_table_file(path):
            self.replacing.emit()
            self.table_chosen.emit(path)
            return
        self.unless_unsaved(lambda: self._read(path))

    def copy_text(self) -> None:
        """Copy the whole session to the clipboard, as text for a chat or a mail."""
        document = self._session.current_document()
        self.clipboard.start(self._put_on_clipboard, once(lambda: text_of_session(document)))

    def _put_on_clipboard(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._session.message_posted.emit(f"The session is on the clipboard: {len(text):,} characters of text.", "note")

    def _report_clipboard_failure(self, take: object, error: Exception) -> None:
        if take == self._put_on_clipboard:
            self._session.message_posted.emit(f"The session was not copied: {reason_of(error)}.", "error")
        else:
            self._report_unpasted(reason_of(error))

    def open_clipboard(self) -> None:
        """Open the session whose text is on the clipboard, after asking about unsaved changes."""
        self.open_text(QGuiApplication.clipboard().text())

    def open_text(self, text: str) -> None:
        """Open the session in a pasted text, after asking about unsaved changes; show an error for other texts."""
        self.clipboard.start(self._take_pasted, once(lambda: _session_or_reason(text)))

    def _take_pasted(self, found: Document | ValueError) -> None:
        if isinstance(found, ValueError):
            self._report_unpasted(found)
        else:
            self.unless_unsaved(partial(self._open_document, found))

    def _open_document(self, document: Document) -> None:
        self.cancel_reading()
        try:
            self._session.reset_document(document, unsaved_copy=True)
        except ValueError as error:
            self._report_unpasted(error)

    def _report_unpasted(self, reason: object) -> None:
        self._session.message_posted.emit(f"No session was opened from the clipboard: {reason}.", "error")

    def open_first(self, path: Path) -> None:
        """Open the file given on the command line; nothing can be unsaved yet."""
        if is_table_file(path):
            QTimer.singleShot(0, self, lambda: self.table_chosen.emit(path))
        else:
            self._start_reading(path, DRIVE_SECONDS)

    def _read(self, path: Path) -> None:
        """Open a file; where that takes longer, the window goes on, and changes made meanwhile are asked about."""
        size = answer_within(SOON_SECONDS, lambda: path.stat().st_size, 0)  # opening it shows an error
        self._start_reading(path, 0.0 if size > LARGE_FILE else SOON_SECONDS)

    def _start_reading(self, path: Path, seconds: float) -> None:
        """Read a file in a worker thread, as it may be large and its drive may hang; wait a moment for the result."""
        self.reading.stop()  # lets go of a thread whose drive does not answer
        token = path, self._session.document, self._session.trained_so_far
        self.reading.start(token, once(lambda: _read_or_reason(path)))
        if seconds:
            self.reading.finish(time.monotonic() + seconds)
        if self.reading.busy:
            self._session.pause()
            self._session.message_posted.emit(f"Reading {visible(path.name)} …", "note")

    def _take_read(self, token: tuple[Path, Document, Trained], file: DocumentFile | OSError | ValueError) -> None:
        if self.writing.busy:
            self.when_written(partial(self._take_read, token, file), "take read")
            return
        path, document, trained = token
        self._session.commit_requested.emit()
        unchanged = (self._session.document, self._session.trained_so_far) == (document, trained)
        if unchanged or isinstance(file, OSError | ValueError):
            self._take(path, file)
        else:
            self.unless_unsaved(lambda: self._take(path, file))

    def _take(self, path: Path, file: DocumentFile | OSError | ValueError) -> None:
        """Open what a file holds; of one that is damaged, show what can be read, while the open session stays."""
        if isinstance(file, OSError | ValueError):
            self._session.report_unread(path, file)
        elif self._session.take_file(path, file):
            self._session.message_posted.emit(NOW_OPEN.format(name=visible(path.name)), "note")
            return
        if isinstance(file, OSError):
            return
        self.examining.start(path, once(lambda: _salvage_or_reason(path)))

    def _show_damaged(self, path: Path, found: Salvage | OSError | ValueError) -> None:
        if isinstance(found, Salvage):
            open_found = partial(self.unless_unsaved, partial(self._open_salvaged, path, found))
            DamagedFileDialog(self._window, path.name, found, open_found).open()

    def _open_salvaged(self, path: Path, found: Salvage) -> None:
        if found.document is not None:
            self.cancel_reading()
            self._session.reset_document(found.document, unsaved_copy=True)
            self._session.message_posted.emit(left_out(visible(path.name), found), "error")  # it waits to be read

    def save(self, then: Callable[[], object] | None = None) -> None:
        """Save under the present name, or ask for one; `then` is called when it was saved."""
        if self._session.path is None and not self.writing.busy:
            self.save_as(then)
        else:
            self._unless_lacking(partial(self._write, None, then))

    def save_as(self, then: Callable[[], object] | None = None) -> None:
        """Ask for a name and save; `then` is called when it was saved."""
        self._unless_lacking(partial(self._save_as, then))

    def _unless_lacking(self, save: Callable[[], object]) -> None:
        """Save, after asking if the newest steps of training cannot be saved."""
        if not self._session.training.lacks_moment:
            save()
            return
        step = self._session.trained_so_far.step
        self.ask(LACKING.format(step=step), {f"Save step {step:,}": save})

    def _save_as(self, then: Callable[[], object] | None) -> None:
        path = self._session.path
        folder, name = (None, FIRST_NAME) if path is None else (path.parent, session_path(path).name)
        dialog = FileDialog(self._window, "Save as", SAVED, folder, name)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)  # asked below, about the name that is written
        dialog.setDefaultSuffix("gradstep")
        dialog.fileSelected.connect(lambda name: self._write_new(Path(name), then))
        dialog.open()

    def _write_new(self, chosen: Path, then: Callable[[], object] | None) -> None:
        """Save under a chosen name, with the suffix of a session in place of a program's."""
        path = session_path(chosen)
        if not answer_within(DRIVE_SECONDS, path.exists, True):
            self._write(path, then)
            return
        question = f"{visible(path.name)} already exists. Replace it?"
        self.ask(question, {"Replace": lambda: self._write(path, then), "Save as…": lambda: self._save_as(then)})

    def _write(self, path: Path | None, then: Callable[[], object] | None) -> None:
        """Queue a save of the present state, replacing a queued one of the same file.

        Args:
            path: where to; None: into the session's own file, unless another program has changed it.
            then: called after the save, when nothing was edited meanwhile; otherwise that is asked about.
        """
        if then is not None:
            self._session.pause()  # newer steps would be asked about
            self._waiting["then"] = partial(self.unless_unsaved, then)
        if self._writes and self._writes[-1][0] == path:
            self._writes.pop()
        self._writes.append((path, self._session.begin_saving()))
        if self._is_overdue:
            self._pass_overdue()
        elif self.writing.busy:
            self._session.message_posted.emit(STILL_WRITING, "note")
        else:
            self._go_on()
        if then is not None:
            self.writing.finish(time.monotonic() + SOON_SECONDS)

    def _go_on(self) -> None:
        """Begin the next write, or do what waits for the end of all of them; called when the present one has ended."""
        self.overdue.stop()
        self._is_overdue = False
        while self._writes and not self.writing.busy:
            path, saving = self._writes.pop(0)
            stamp = self._session.stamp if path is None else None
            self._written = path or self._session.path
            if self._written is not None:  # otherwise the save under a first name failed, and was reported
                self.writing.start((self._written, saving), _writing_of(self._written, saving.document, stamp))
                self.overdue.start()
        if not self.writing.busy:
            waiting, self._waiting = self._waiting, {}
            for action in waiting.values():
                action()

    def _end_writing(self, token: tuple[Path, Saving], outcome: FileStamp | Exception) -> None:
        path, saving = token
        if self._session.end_saving(saving, path, outcome):
            self.saved.emit(path.name)
            return
        then = self._take_waiting()
        if isinstance(outcome, FileReplaced) and self._session.path == path:
            question = CHANGED.format(name=visible(path.name))
            self.ask(question, {"Replace": lambda: self._write(path, then), "Save as…": lambda: self._save_as(then)})

    def _take_waiting(self) -> Callable[[], object] | None:
        """Return a function that does all that waits, as it waits no longer; None for nothing."""
        actions, self._waiting = list(self._waiting.values()), {}
        return (lambda: [action() for action in actions]) if actions else None

    def _pass_overdue(self) -> None:
        """Write queued saves elsewhere without waiting for a drive that does not answer; if there is none, say so.

        Where something waits for the save, ask what to do instead; the question closes itself when the drive answers.
        """
        self._is_overdue = True
        name = "" if self._written is None else visible(self._written.name)
        elsewhere = [each for each in self._writes if each[0] not in (None, self._written)]
        if elsewhere:
            self._writes = elsewhere
            self.writing.stop()
            self._go_on()
        elif self._waiting:
            answers: dict[str, Callable[[], object]] = {
                "Save as…": lambda: self.save_as(self._take_waiting()),
                "End Gradstep": partial(QCoreApplication.exit, 0),
            }
            box = self.ask(WAITING.format(name=name), answers, self._take_waiting)
            self.writing.ended.connect(box.reject)
        else:
            self._session.message_posted.emit(OVERDUE.format(name=name), "error")

    def ask(
        self, question: str, answers: dict[str, Callable[[], object]], cancel: Callable[[], object] = lambda: None
    ) -> QMessageBox:
        """Ask in a window-modal dialog; Cancel does nothing unless that is given."""
        box = QMessageBox(QMessageBox.Icon.Question, "Gradstep", question, parent=self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)  # a file may be called <b>
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        actions = {
            box.addButton(text, QMessageBox.ButtonRole.ActionRole).text(): action for text, action in answers.items()
        }
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.buttonClicked.connect(lambda button: actions.get(button.text(), cancel)())
        box.open()
        return box

    def unless_unsaved(self, action: Callable[[], object]) -> None:
        """Call `action` at once if nothing would be lost; otherwise ask first, without blocking the window."""
        if self.writing.busy:
            self.when_written(partial(self.unless_unsaved, action), "unless unsaved")
            return
        self.replacing.emit()
        self._session.commit_requested.emit()
        path = self._session.path
        if not self.asks_unsaved:
            action()
            return
        if path is not None and self._session.is_file_gone:
            question = f"{visible(path.name)} no longer exists. Save this session?"
        elif self._session.modified:
            question = "Save the changes to this session?"
        else:
            action()
            return
        box = QMessageBox(QMessageBox.Icon.Question, "Gradstep", question, parent=self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        answers: dict[QMessageBox.StandardButton, Callable[[], object]] = {
            buttons.Save: partial(self.save, action),
            buttons.Discard: action,
        }
        box.buttonClicked.connect(lambda button: answers.get(box.standardButton(button), lambda: None)())
        box.open()


def _writing_of(path: Path, document: Document, stamp: FileStamp | None) -> Work:
    return lambda is_dropped: iter([write(path, document, stamp, is_dropped)])


def _session_or_reason(text: str) -> Document | ValueError:
    """Return the session in a text, or the error; an expected error is not logged."""
    try:
        return session_of_text(text)
    except ValueError as error:
        return error.with_traceback(None)


def _read_or_reason(path: Path) -> DocumentFile | OSError | ValueError:
    """Return a file's content, or the error; an expected error is not logged."""
    try:
        return read_document(path)
    except (OSError, ValueError) as error:
        return error.with_traceback(None)


def _salvage_or_reason(path: Path) -> Salvage | OSError | ValueError:
    """Return what can be read of a damaged file, or why that cannot be said; an expected error is not logged."""
    try:
        return salvage_file(path)
    except (OSError, ValueError) as error:
        return error.with_traceback(None)
