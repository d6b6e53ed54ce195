"""Recent files as cards: picture, name, folder. Pictures are drawn in a thread from the files, and cached.

A cached picture is a file in the user's cache folder for each recent file and theme, made for one size and time of that
file. It goes when the recent file leaves the list or is gone; one that is damaged is drawn again.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QObject, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from engine.file_access import FileProblem, make_private_folder, read_regular, remove_abandoned, write_atomically
from engine.session_file.files import read_document
from gui.background import Job
from gui.panels.start.example_cards import CARD_WIDTH, PICTURE_HEIGHT, PICTURE_SCALE, ExampleGrid, Pictures
from gui.session import Session
from gui.session.recent import recent_labels, recent_of
from gui.theme import LIGHT, Colors
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets

EMPTY = "Sessions and programs that you open or save appear here."
REMOVE = "Remove from the list"
LARGEST_FILE = 2_000_000
"""Bytes from which a file gets no picture: reading it would keep the processor from the window."""
LARGEST_PICTURE = 4_000_000
"""Bytes of a cached picture; a larger file is none."""
SOON_MILLISECONDS = 1500
"""Delay after a file was opened or saved until its picture is drawn."""
SUFFIX = ".picture"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class RecentCard:
    """A recent file as its card shows it.

    Attributes:
        name: its path.
        title: its name without folder.
        summary: its folder, or why it cannot be opened.
    """

    name: str
    title: str
    summary: str


def recent_pictures_of(session: Session) -> RecentPictures:
    """Return the pictures of a session's recent files, made when they are first asked for."""
    found = session.findChild(RecentPictures)
    return found if isinstance(found, RecentPictures) else RecentPictures(session)


class RecentPictures(QObject):
    """Draws the pictures of recent files: of all when they are to be seen, of one soon after it was opened or saved.

    Attributes:
        colors: of the theme.

    Signals:
        drawn(object): pictures by path, some more than before.
    """

    drawn = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._recent = recent_of(session)
        self._folder: Path | None = None
        self.colors: Callable[[], Colors] = lambda: LIGHT
        self._job = Job("recent pictures", self)
        self._job.delivered.connect(lambda _token, pictures: self.drawn.emit(pictures))
        self._job.failed.connect(lambda _token, _error: None)  # cards without pictures; it is in the log
        self._soon = QTimer(self, singleShot=True, interval=SOON_MILLISECONDS)
        self._soon.timeout.connect(self.draw)
        session.stopping.connect(self.stop)

    def use(self, folder: Path) -> None:
        """Cache pictures in a folder from now on, and draw that of each file soon after it was opened or saved."""
        self._folder = folder
        self._recent.changed.connect(self._soon.start)
        self._soon.start()

    def draw(self) -> None:
        """Draw what is missing, one picture after the other."""
        from gui.panels.start.thumbnails import picture_of_document

        paths, colors, folder = self._recent.paths, self.colors(), self._folder
        room = QSize(CARD_WIDTH, PICTURE_HEIGHT) * PICTURE_SCALE

        def draw_one(path: Path) -> QImage:
            return picture_of_document(read_document(path).document, colors, room)

        def work(cancelled: Callable[[], bool]) -> Iterator[Pictures]:
            pictures: Pictures = {}
            for path in paths:
                if cancelled():
                    return
                pictures[str(path)] = cached_picture(path, colors.name, folder, draw_one)
                yield dict(pictures)
            if folder is not None:
                drop_pictures(folder, paths)

        self._job.start(colors.name, work)

    def stop(self) -> None:
        """Stop for good."""
        self._soon.stop()
        self._job.stop()


def cached_picture(path: Path, theme: str, folder: Path | None, draw: Callable[[Path], QImage]) -> QImage:
    """Return the picture of a file, from the cache where it is of the file as it is now; an empty one for none.

    Args:
        path: of the file.
        theme: name of the theme.
        folder: of the cache; None: nothing is cached.
        draw: draws a picture; what it raises is logged, and there is no picture.
    """
    try:
        status = path.stat()
    except OSError:
        return QImage()
    stamp = f"{status.st_size} {status.st_mtime_ns}"
    kept = None if folder is None else folder / f"{_key(path)}-{theme}{SUFFIX}"
    if kept is not None and not (image := _read(kept, stamp)).isNull():
        return image
    if status.st_size > LARGEST_FILE:
        return QImage()
    try:
        image = draw(path)
    except (OSError, ValueError) as error:
        _log.info("no picture of %s: %s", path.name, error)
        return QImage()
    if kept is not None:
        with suppress(OSError):
            make_private_folder(kept.parent)
            write_atomically(kept, _packed(image, stamp), private=True)
    return image


def drop_pictures(folder: Path, paths: Sequence[Path]) -> None:
    """Remove the cached pictures of all files but these, and of those that are gone."""
    kept = {_key(path) for path in paths if path.exists()}
    for file in folder.glob(f"*{SUFFIX}"):
        if file.name.partition("-")[0] not in kept:
            with suppress(OSError):
                file.unlink()
    remove_abandoned(folder)


def _key(path: Path) -> str:
    return hashlib.blake2b(str(path).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _packed(image: QImage, stamp: str) -> bytes:
    """Return a picture as PNG behind a line with the stamp of its file and a checksum."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    content = bytes(buffer.data().data())
    return f"{stamp} {_checksum(content)}\n".encode() + content


def _read(file: Path, stamp: str) -> QImage:
    """Return a cached picture; an empty one where it is missing, damaged, or of another state of its file."""
    try:
        head, _, content = read_regular(file, LARGEST_PICTURE).partition(b"\n")
    except (OSError, FileProblem):
        return QImage()
    if head != f"{stamp} {_checksum(content)}".encode():
        return QImage()
    return QImage.fromData(content)


def _checksum(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


class RecentCards(QWidget):
    """The cards.

    Attributes:
        grid: the cards; Delete, or the context menu, takes one from the list.

    Signals:
        file_chosen(object): the Path of a file that is to be opened.
    """

    file_chosen = Signal(object)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._recent, self._pictures = recent_of(session), recent_pictures_of(session)
        self.grid = ExampleGrid("Recent files", ())
        self.grid.example_chosen.connect(self._choose)
        self.grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.grid.customContextMenuRequested.connect(self._open_menu)
        self._empty = muted_label(EMPTY, wrap=True)
        add_widgets(QVBoxLayout(self), self._empty, self.grid, margins=(0, 0, 0, 0))
        self._recent.changed.connect(self._fill)
        self._pictures.drawn.connect(self._show_pictures)
        self._fill()

    def set_colors(self, colors: Colors) -> None:
        self.grid.colors = colors
        self._pictures.colors = lambda: colors
        self.draw_if_seen()

    def draw_if_seen(self) -> None:
        """Draw missing pictures where the cards are in sight, and look up which files are still there."""
        if self.isVisible():
            self._recent.refresh()
            self._pictures.draw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.draw_if_seen()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.grid.currentIndex()
        if event.key() == Qt.Key.Key_Delete and index.isValid():
            self._recent.remove(Path(self.grid.examples[index.row()].name))
        else:
            super().keyPressEvent(event)

    def _fill(self) -> None:
        paths, reasons = self._recent.paths, self._recent.reasons
        labels = recent_labels(paths, Path.home())
        cards = [
            RecentCard(str(path), name, f"{reasons[path]}: {folder}" if path in reasons else folder)
            for path, (name, folder) in zip(paths, labels, strict=True)
        ]
        self.grid.muted = {str(path) for path in reasons}
        self.grid.show_cards(cards)
        self.grid.setVisible(bool(cards))
        self._empty.setVisible(not cards)
        if self.isVisible():
            self._pictures.draw()

    def _show_pictures(self, pictures: Pictures) -> None:
        self.grid.pictures = {name: image for name, image in pictures.items() if not image.isNull()}
        self.grid.viewport().update()

    def _choose(self, name: str) -> None:
        if Path(name) not in self._recent.reasons:
            self.file_chosen.emit(Path(name))

    def _open_menu(self, place: QPoint) -> None:
        index = self.grid.indexAt(place)
        if index.isValid():
            path = Path(self.grid.examples[index.row()].name)
            menu = QMenu(self)
            menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            menu.addAction(REMOVE, lambda: self._recent.remove(path))
            menu.popup(self.grid.viewport().mapToGlobal(place))
