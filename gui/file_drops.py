"""Files dropped on the window: wherever they fall, one is opened.

Qt offers a drop to the widget under the pointer first and then to those around it, the window last. Text fields would
insert a file's address; so they leave drops alone, and the editor takes text only. (A filter of events on the window
would need none of that, but is still called while Python takes the window apart, and crashed there.)
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QGraphicsView, QLineEdit, QMainWindow, QWidget


def dropped_files(data: QMimeData) -> list[Path]:
    """The files of this machine that are dropped or pasted; none for text, pictures and addresses in the web."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()] if data.hasUrls() else []


def leave_drops_to_window(widget: QWidget) -> None:
    """Stop the fields and pictures in a widget from accepting drops."""
    views = widget.findChildren(QGraphicsView)
    for child in (*widget.findChildren(QLineEdit), *views, *(view.viewport() for view in views)):
        child.setAcceptDrops(False)


class FileDropWindow(QMainWindow):
    """A main window on which files can be dropped.

    Signals:
        file_dropped(object): the Path of the file; the first where there are several.
    """

    file_dropped = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = dropped_files(event.mimeData())
        if files:
            event.acceptProposedAction()
            self.file_dropped.emit(files[0])
