"""File dialogs, which begin where the user's files are and not in the folder that the program was started in."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from gui.background import SOON_SECONDS, answer_within

_LAST_FOLDER = "lastFolder"
"""Property of the application."""


def first_folder(wanted: Path | None = None) -> str:
    """Return the first folder that is there: wanted, the one that was used last, the user's documents, or home.

    A folder on a drive that does not answer is not there: Qt's dialog would wait for it.
    """
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    application = QCoreApplication.instance()
    last = None if application is None else application.property(_LAST_FOLDER)
    folders = (str(folder) for folder in (wanted, last, documents) if folder)
    there = (folder for folder in folders if answer_within(SOON_SECONDS, Path(folder).is_dir, False))
    return next(there, str(Path.home()))


class FileDialog(QFileDialog):
    """File dialog that remembers the folder of the chosen file for the next one; it deletes itself when it is closed.

    Args:
        parent: the window.
        title: of the dialog.
        filters: kinds of files, as for QFileDialog.
        folder: where it begins if it is there; otherwise see `first_folder`.
        name: of the file that is suggested; "" for none.
    """

    def __init__(
        self, parent: QWidget, title: str, filters: str = "", folder: Path | None = None, name: str = ""
    ) -> None:
        super().__init__(parent, title, first_folder(folder), filters)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if name:
            self.selectFile(name)
        self.fileSelected.connect(_remember_folder)


def _remember_folder(chosen: str) -> None:
    application = QCoreApplication.instance()
    if application is not None:
        application.setProperty(_LAST_FOLDER, str(Path(chosen).parent))
