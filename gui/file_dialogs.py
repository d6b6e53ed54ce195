"""File dialogs, which begin where the user's files are and not in the folder that the program was started in."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

_LAST_FOLDER = "lastFolder"
"""Property of the application."""


def first_folder() -> str:
    """Return the folder that was used last, or the user's documents, or the home folder where there are none."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    application = QCoreApplication.instance()
    last = None if application is None else application.property(_LAST_FOLDER)
    return next((folder for folder in (last, documents) if folder and Path(folder).is_dir()), str(Path.home()))


class FileDialog(QFileDialog):
    """File dialog that remembers the folder of the chosen file for the next one; it deletes itself when it is closed.

    Args:
        parent: the window.
        title: of the dialog.
        filters: kinds of files, as for QFileDialog.
        folder: where it begins; None: see `first_folder`.
        name: of the file that is suggested; "" for none.
    """

    def __init__(
        self, parent: QWidget, title: str, filters: str = "", folder: Path | None = None, name: str = ""
    ) -> None:
        super().__init__(parent, title, first_folder() if folder is None else str(folder), filters)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if name:
            self.selectFile(name)
        self.fileSelected.connect(_remember_folder)


def _remember_folder(chosen: str) -> None:
    application = QCoreApplication.instance()
    if application is not None:
        application.setProperty(_LAST_FOLDER, str(Path(chosen).parent))
