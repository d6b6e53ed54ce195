"""Data of one's own: a file with a table is chosen or dropped, looked at in a dialog, and becomes the data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from datasets import Dataset, ImportPreview
from engine.autograd.notation import counted
from engine.document import DocumentError
from engine.experiment.prepared import table_fields
from gui.file_dialogs import FileDialog
from gui.session import Session
from gui.session.edits import edited
from gui.theme import Colors

if TYPE_CHECKING:
    from gui.importing.import_dialog import ImportDialog

TEXTS = {
    "undo": "import of {name}",
    "imported": "Imported {name}: {points} with {inputs}",
}
"""Every sentence of an import outside its dialog."""


class TableImports(QObject):
    """Ask for table files, and show them in the dialog.

    Signals:
        imported(): the document's data were replaced by a table.
    """

    imported = Signal()

    def __init__(self, window: QWidget, session: Session, colors: Callable[[], Colors]) -> None:
        super().__init__(window)
        self._window, self._session, self._colors = window, session, colors
        self._dialog: ImportDialog | None = None

    def choose(self) -> None:
        """Ask for a file and show it in the dialog."""
        from gui.importing.import_dialog import OPENED, TITLE

        dialog = FileDialog(self._window, TITLE, OPENED)
        dialog.fileSelected.connect(lambda name: self.open_path(Path(name)))
        dialog.open()

    def open_path(self, path: Path) -> None:
        """Shows a file in the dialog; one that is open already shows it instead of its own."""
        from gui.importing.import_dialog import ImportDialog

        if self._dialog is not None:
            self._dialog.open_path(path)
            return
        self._dialog = ImportDialog(self._window, path, self._colors(), self._use, self._check)
        self._dialog.finished.connect(lambda _result: self._forget())
        self._dialog.open()

    def _forget(self) -> None:
        if self._dialog is not None:
            self._dialog.job.stop()
            self._dialog = None

    def stop(self) -> None:
        """Stop reading for good."""
        if self._dialog is not None:
            self._dialog.reject()

    def _check(self, dataset: Dataset) -> None:
        """Refuse data that the document cannot hold or the network cannot train on; called in a thread."""
        try:
            edited(self._session.document, {"data": table_fields(dataset)})
        except DocumentError as error:
            raise ValueError(error.sentence) from None

    def _use(self, preview: ImportPreview, scaling: bool) -> bool:
        dataset = preview.dataset
        assert dataset is not None
        fields = table_fields(dataset) | {"scaling": scaling}
        if not self._session.edit(TEXTS["undo"].format(name=preview.name), data=fields):
            return False
        points, inputs = counted(dataset.n_samples, "point"), counted(dataset.n_features, "input")
        imported = TEXTS["imported"].format(name=preview.name, points=points, inputs=inputs)
        self.imported.emit()
        self._session.message_posted.emit(imported, "note")
        return True
