"""New, open, save: the dialogs around a session's file. None of them stops the window.

Files are written in a worker thread, because a disk may be slow. A save writes the session as it is when the save is
requested; saves are written one after the other. Opening another document and closing the window wait until all saves
have ended, and are cancelled when one has failed, so that its message is read. A save before one of them is written
synchronously, so that nothing can be edited in between and lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from engine.document import Document, Trained
from engine.experiment.prepared import is_table_file
from engine.file_access import reason_of
from engine.messages import visible
from engine.session_file.files import PROGRAM_SUFFIXES, DocumentFile, FileStamp, is_gone, read_document
from engine.session_file.pasted import session_of_text, text_of_session
from engine.session_file.salvage import Salvage, salvage_file
from gui.background import Job, answer_within, once
from gui.damaged_file import DamagedFileDialog, left_out
from gui.file_dialogs import FileDialog
from gui.session import Session
from gui.session.unsaved import Saving, write

OPENED = (
    "Sessions, programs and tables (*.gradstep *.txt *.py *.csv *.tsv);;"
    "Gradstep session (*.gradstep);;Program (*.txt *.py);;Table (*.csv *.tsv);;All files (*)"
)
LARGE_FILE = 100_000
"""Size in bytes from which a file is not waited for."""
SOON_SECONDS, DRIVE_SECONDS = 0.1, 1.0
"""Longest wait of the window for a file that is read, and for one before the window is shown."""

WRITING = "The file is still being written …"
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
        self.writing.ended.connect(self._do_what_waited)
        self._waiting: dict[str, Callable[[], object]] = {}
        self._writes: list[tuple[str, Callable[[], object]]] = []

    def stop(self) -> None:
        """Stop for good; a file that is being written is written."""
        for job in (self.reading, self.examining, self.writing, self.clipboard):
            job.stop()

    def when_written(self, action: Callable[[], object], kind: str = "") -> None:
        """Call an action when the present write has succeeded or failed; the newest action of each kind."""
        if self.writing.busy:
            self._session.message_posted.emit(WRITING, "note")
            self._waiting[kind] = action
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
        if isinstance(file, OSError) or (isinstance(file, DocumentFile) and self._session.take_file(path, file)):
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
        self._unless_lacking(partial(self._save, then))

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

    def _save(self, then: Callable[[], object] | None) -> None:
        if self.writing.busy and then is not None:
            self.when_written(partial(self._save, then), "save")
        elif self.writing.busy:
            self._put_off("save", partial(self._save_at_last, self._session.begin_saving()))
        elif self._session.path is None:
            self._save_as(then)
        else:
            self._unless_changed(self._session.path, partial(self._write, self._session.path, then), then)

    def _save_at_last(self, saving: Saving) -> None:
        """Write a save that waited for another one, under the session's present name."""
        path = self._session.path
        if path is not None:  # otherwise the first save failed, and was reported
            self._unless_changed(path, partial(self._start, path, saving))

    def _put_off(self, kind: str, write: Callable[[], object]) -> None:
        """Queue a write; it replaces the last queued one of the same kind."""
        self._session.message_posted.emit(STILL_WRITING, "note")
        if self._writes and self._writes[-1][0] == kind:
            self._writes.pop()
        self._writes.append((kind, write))

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
        if not path.exists():
            self._write(path, then)
            return
        question = f"{visible(path.name)} already exists. Replace it?"
        self.ask(question, {"Replace": lambda: self._write(path, then), "Save as…": lambda: self._save_as(then)})

    def _unless_changed(
        self, path: Path, write: Callable[[], object], then: Callable[[], object] | None = None
    ) -> None:
        """Write, after asking if another program has changed the file."""
        own, stamp = self._session.path, self._session.stamp
        if own is None or stamp is None or not stamp.is_replaced(own):
            write()
            return
        question = f"Another program has changed {visible(path.name)} since it was opened or saved here. Replace it?"
        self.ask(question, {"Replace": write, "Save as…": lambda: self._save_as(then)})

    def _write(self, path: Path, then: Callable[[], object] | None) -> None:
        """Write the file in a worker thread; synchronously before `then`, so that nothing is edited in between."""
        if then is None:
            self._start(path, self._session.begin_saving())
        elif self.writing.busy:
            self.when_written(partial(self._write, path, then), f"write {path}")
        elif self._session.save(path):
            self.saved.emit(path.name)
            then()

    def _start(self, path: Path, saving: Saving) -> None:
        if self.writing.busy:
            self._put_off(f"write {path}", partial(self._start, path, saving))
        else:
            self.writing.start((path, saving), once(lambda: write(path, saving.document)))

    def _end_writing(self, token: tuple[Path, Saving], outcome: FileStamp | Exception) -> None:
        path, saving = token
        if self._session.end_saving(saving, path, outcome):
            self.saved.emit(path.name)
        else:
            self._waiting.clear()

    def _do_what_waited(self) -> None:
        """Run queued saves, then other queued actions; called when the writing thread has ended."""
        while self._writes and not self.writing.busy:
            _kind, write_next = self._writes.pop(0)
            write_next()
        if self.writing.busy:
            return
        waiting, self._waiting = self._waiting, {}
        for action in waiting.values():
            action()

    def ask(self, question: str, answers: dict[str, Callable[[], object]]) -> None:
        """Ask in a window-modal dialog; Cancel does nothing."""
        box = QMessageBox(QMessageBox.Icon.Question, "Gradstep", question, parent=self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)  # a file may be called <b>
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        actions = {
            box.addButton(text, QMessageBox.ButtonRole.ActionRole).text(): action for text, action in answers.items()
        }
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.buttonClicked.connect(lambda button: actions.get(button.text(), lambda: None)())
        box.open()

    @property
    def is_file_gone(self) -> bool:
        """True when the session's file was deleted or moved."""
        return bool(answer_within(SOON_SECONDS, partial(is_gone, self._session.path), False))

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
        if self.is_file_gone and path is not None:
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
