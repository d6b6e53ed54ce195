"""New, open, save: the dialogs around a session's file. None of them stops the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from engine.document import Document
from gui.session import Session

OPENED = "Gradstep session (*.gradstep);;Program (*.txt *.py);;All files (*)"
SAVED = "Gradstep session (*.gradstep)"


class SessionFiles(QObject):
    """The file menu's actions.

    Signals:
        saved(str): name of the file that was written.
    """

    saved = Signal(str)

    def __init__(self, window: QWidget, session: Session) -> None:
        super().__init__(window)
        self._window = window
        self._session = session

    def new(self) -> None:
        """A fresh session, after asking about unsaved changes."""
        self.unless_unsaved(lambda: self._session.reset_document(Document()))

    def open(self) -> None:
        """Asks for a file and opens it, after asking about unsaved changes."""
        self.unless_unsaved(self._choose_file)

    def _choose_file(self) -> None:
        dialog = QFileDialog(self._window, "Open", "", OPENED)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda name: self._session.open(Path(name)))
        dialog.open()

    def open_path(self, path: Path) -> None:
        """Opens a file that was named otherwise (dropped, recent), after asking about unsaved changes."""
        self.unless_unsaved(lambda: self._session.open(path))

    def save(self, then: Callable[[], object] | None = None) -> None:
        """Saves under the present name, or asks for one; `then` is called when it was saved."""
        if self._session.path is None:
            self.save_as(then)
        else:
            self._write(self._session.path, then)

    def save_as(self, then: Callable[[], object] | None = None) -> None:
        """Asks for a name and saves; `then` is called when it was saved."""
        dialog = QFileDialog(self._window, "Save as", "", SAVED)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("gradstep")
        dialog.fileSelected.connect(lambda name: self._write(Path(name), then))
        dialog.open()

    def _write(self, path: Path, then: Callable[[], object] | None) -> None:
        if self._session.save(path):
            self.saved.emit(path.name)
            if then is not None:
                then()

    def unless_unsaved(self, action: Callable[[], object]) -> None:
        """Does `action` at once when nothing would be lost; else asks first, without stopping the window."""
        self._session.commit_requested.emit()
        if not self._session.modified:
            action()
            return
        question = "Save the changes to this session?"
        box = QMessageBox(QMessageBox.Icon.Question, "Gradstep", question, parent=self._window)
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        answers: dict[QMessageBox.StandardButton, Callable[[], object]] = {
            buttons.Save: partial(self.save, action),
            buttons.Discard: action,
        }
        box.buttonClicked.connect(lambda button: answers.get(box.standardButton(button), lambda: None)())
        box.open()
