"""Files dropped on the window: wherever they fall, one is opened, and an overlay says before what will happen.

Qt offers a drop to the widget under the pointer first and then to those around it, the window last. Text fields would
insert a file's address; so they leave drops alone, and the editor takes text only. (A filter of events on the window
would need none of that, but is still called while Python takes the window apart, and crashed there.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QColor, QDragEnterEvent, QDragLeaveEvent, QDropEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGraphicsView, QLineEdit, QMainWindow, QWidget

from engine.experiment.prepared import is_table_file
from engine.messages import visible
from engine.session_file.files import PROGRAM_SUFFIXES
from gui.background import SOON_SECONDS, answer_within
from gui.painting import painting
from gui.theme import text_font, text_pixels

LESSONS = "Add the folder of lessons {name}"
TABLE = "Import the table {name}"
PROGRAM = "Open the program {name}"
OPEN = "Open {name}"
NO_LESSONS = "{name} is a folder without lessons (*.md): drop a file, or a folder with lessons"
SEVERAL = "One file at a time: {n} were dropped, and only {name} is opened"
MOST_NAME = 60


def dropped_files(data: QMimeData) -> list[Path]:
    """The files of this machine that are dropped or pasted; none for text, pictures and addresses in the web."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()] if data.hasUrls() else []


@dataclass(frozen=True)
class DropPlan:
    """Outcome of letting go of dragged files.

    Attributes:
        words: for the user, a sentence without full stop.
        path: the file or folder that is taken; None for none.
    """

    words: str
    path: Path | None


def drop_plan(paths: Sequence[Path]) -> DropPlan:
    """Return what is done with files that are dropped together: the first that can be taken is."""
    first = _plan_of(paths[0])
    if len(paths) == 1:
        return first
    taken = next((plan for plan in map(_plan_of, paths) if plan.path is not None), first)
    if taken.path is None:
        return taken
    return DropPlan(SEVERAL.format(n=f"{len(paths):,}", name=visible(taken.path.name, MOST_NAME)), taken.path)


def _plan_of(path: Path) -> DropPlan:
    name = visible(path.name or str(path), MOST_NAME)
    is_folder, has_lessons = answer_within(SOON_SECONDS, partial(_look_at, path), (False, False))  # opening says why
    if is_folder:
        words = (LESSONS if has_lessons else NO_LESSONS).format(name=name)
        return DropPlan(words, path if has_lessons else None)
    kind = TABLE if is_table_file(path) else PROGRAM if path.suffix.lower() in PROGRAM_SUFFIXES else OPEN
    return DropPlan(kind.format(name=name), path)


def _look_at(path: Path) -> tuple[bool, bool]:
    is_folder = path.is_dir()
    return is_folder, is_folder and any(path.glob("*.md"))


def leave_drops_to_window(widget: QWidget) -> None:
    """Stop the fields and pictures in a widget from accepting drops."""
    views = widget.findChildren(QGraphicsView)
    for child in (*widget.findChildren(QLineEdit), *views, *(view.viewport() for view in views)):
        child.setAcceptDrops(False)


class DropOverlay(QWidget):
    """Veil over the window while files are dragged over it, with a sentence on what letting go would do.

    Attributes:
        words: the sentence.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.words = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)  # drags, too, go to what is under it
        self.hide()

    def show_words(self, words: str) -> None:
        """Cover the window, with these words."""
        self.words = words
        self.setAccessibleName(words)
        self.setGeometry(self._window.rect())
        self.raise_()
        self.show()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, font = self.palette(), text_font(text_pixels(18), bold=True)
        veil = QColor(palette.window().color())
        veil.setAlphaF(0.82)
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(self.rect(), veil)
            frame = self.rect().adjusted(14, 14, -14, -14)
            painter.setPen(QPen(palette.highlight().color(), 3, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(frame, 12, 12)
            painter.setFont(font)
            painter.setPen(palette.windowText().color())
            middle = frame.adjusted(24, 24, -24, -24)
            painter.drawText(middle, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self.words)


class FileDropWindow(QMainWindow):
    """A main window on which files can be dropped.

    Attributes:
        drop_overlay: what is said while files are over the window.

    Signals:
        file_dropped(object): the Path of the file, or of a folder of lessons; the first that can be opened.
        drop_explained(str, str): a sentence on what was dropped and not opened, and its kind: "note" or "error".
    """

    file_dropped = Signal(object)
    drop_explained = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(True)
        self.drop_overlay = DropOverlay(self)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if paths := dropped_files(event.mimeData()):
            event.acceptProposedAction()
            self.drop_overlay.show_words(drop_plan(paths).words)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.drop_overlay.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self.drop_overlay.hide()
        paths = dropped_files(event.mimeData())
        if not paths:
            return
        event.acceptProposedAction()
        plan = drop_plan(paths)
        if plan.path is not None:
            self.file_dropped.emit(plan.path)
        if plan.path is None or len(paths) > 1:
            self.drop_explained.emit(plan.words, "error" if plan.path is None else "note")
