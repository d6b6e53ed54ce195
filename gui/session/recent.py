"""The files that were opened or saved last, the newest first: kept in a small file that all windows share.

The list is read again before each change and written under a lock, so that two windows lose none of each other's
entries. A list that is damaged or cannot be written costs the list and nothing else. Whether a file is still there is
looked up in a thread, since a network folder may take its time.
"""

from __future__ import annotations

import json
import logging
import os
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal

from engine.file_access import make_private_folder, reason_of, write_atomically
from engine.messages import visible
from engine.session_file.files import read_text
from gui.background import Job, once
from gui.session.session import Session

MOST_REMEMBERED = 30
"""Entries in the file; a window lists as many of them as the user has chosen."""
FIRST_LIMIT = 10
LONGEST_FOLDER = 48
"""Characters of a folder from which its middle is left out."""
LOCK_MILLISECONDS = 500
_log = logging.getLogger(__name__)


def recent_of(session: Session) -> RecentFiles:
    """Return the recent files of a session's window, made when they are first asked for."""
    found = session.findChild(RecentFiles)
    return found if isinstance(found, RecentFiles) else RecentFiles(session)


class RecentFiles(QObject):
    """Recent files of all windows.

    Attributes:
        paths: absolute, the newest first.
        reasons: why a file cannot be opened, in words, for those that cannot.
        limit: number of files listed; with 0 nothing is remembered.

    Signals:
        changed(): another list, or other reasons.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.paths: tuple[Path, ...] = ()
        self.reasons: dict[Path, str] = {}
        self.limit = FIRST_LIMIT
        self._file: Path | None = None
        self._job = Job("recent files", self)
        self._job.delivered.connect(self._take_reasons)
        session.file_used.connect(self.note)
        session.stopping.connect(self._job.stop)

    def use(self, file: Path) -> None:
        """Keep the list in a file from now on, and show what is in it."""
        self._file = file
        self.refresh()

    def set_limit(self, limit: int) -> None:
        """Set the number of files that are listed; 0 forgets all of them."""
        self.limit = limit
        if limit == 0:
            self.clear()
        self.refresh()

    def note(self, path: Path) -> None:
        """Put a file that was opened or saved at the head of the list."""
        if self.limit:
            path = path.absolute()
            self._change(lambda paths: [path, *(each for each in paths if each != path)])

    def remove(self, path: Path) -> None:
        """Take a file from the list; the file itself stays."""
        self._change(lambda paths: [each for each in paths if each != path])

    def clear(self) -> None:
        """Empty the list."""
        self._change(lambda _paths: [])

    def refresh(self) -> None:
        """Show what other windows have done to the list, and look up in a thread which files are still there."""
        if self._file is not None:
            self._show(_read(self._file))
        paths = self.paths
        self._job.start(None, once(lambda: {path: reason for path in paths if (reason := why_missing(path))}))

    def _change(self, change: Callable[[list[Path]], list[Path]]) -> None:
        if self._file is None:
            self._show(change(list(self.paths)))
            self.refresh()
            return
        lock = QLockFile(f"{self._file}.lock")
        try:
            make_private_folder(self._file.parent)
            lock.tryLock(LOCK_MILLISECONDS)  # without it the newest list still is a good one
            paths = change(_read(self._file))[:MOST_REMEMBERED]
            content = json.dumps([str(path) for path in paths], ensure_ascii=True, indent=1)
            write_atomically(self._file, content.encode(), private=True)
        except OSError as error:
            _log.warning("the list of recent files cannot be written: %s", reason_of(error))
            self._file = None  # from now on it lasts as long as the window
            paths = change(list(self.paths))
        finally:
            lock.unlock()
        self._show(paths)
        self.refresh()

    def _show(self, paths: Sequence[Path]) -> None:
        shown = tuple(paths[: self.limit])
        if shown != self.paths:
            self.paths = shown
            self.changed.emit()

    def _take_reasons(self, _token: object, reasons: dict[Path, str]) -> None:
        if reasons != self.reasons:
            self.reasons = reasons
            self.changed.emit()


def _read(file: Path) -> list[Path]:
    """Return the paths in the file; none where it is missing or damaged."""
    try:
        content = json.loads(read_text(file))
    except (OSError, ValueError, RecursionError):
        return []
    texts = content if isinstance(content, list) else []
    good = (text for text in texts[:MOST_REMEMBERED] if isinstance(text, str) and text and "\0" not in text)
    return [path for path in dict.fromkeys(map(Path, good)) if path.is_absolute()]


def why_missing(path: Path) -> str:
    """Return why a file cannot be opened, such as "no longer exists"; "" for one that can."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "no longer exists" if path.parent.is_dir() else "its folder is gone"
    except OSError as error:
        return reason_of(error)
    if not stat.S_ISREG(mode):
        return "is no longer a file"
    return "" if os.access(path, os.R_OK) else "you have no permission to read it"


def recent_labels(paths: Sequence[Path], home: Path) -> list[tuple[str, str]]:
    """Return name and folder of each file, the folder shortened where the files can still be told apart.

    Args:
        paths: absolute.
        home: folder that is written "~".
    """
    folders = [_parts(path.parent, home) for path in paths]
    kept = [_fitting(parts) for parts in folders]
    while True:
        labels = [
            (visible(path.name), visible(_joined(parts, n)))
            for path, parts, n in zip(paths, folders, kept, strict=True)
        ]
        counts = Counter(labels)
        same = [i for i, label in enumerate(labels) if counts[label] > 1 and kept[i] < len(folders[i])]
        if not same:
            return labels
        for i in same:
            kept[i] += 1


def _parts(folder: Path, home: Path) -> tuple[str, ...]:
    return ("~", *folder.relative_to(home).parts) if folder.is_relative_to(home) else folder.parts


def _joined(parts: Sequence[str], kept: int) -> str:
    """Return a folder with its last `kept` parts; the first one stays, and "…" takes the place of others."""
    shown = parts if kept >= len(parts) - 1 else (parts[0], "…", *parts[len(parts) - kept :])
    return str(Path(*shown)) if shown else ""


def _fitting(parts: Sequence[str]) -> int:
    """Return how many of the last parts there is room for; 1 at least."""
    fitting = (kept for kept in range(len(parts), 0, -1) if len(_joined(parts, kept)) <= LONGEST_FOLDER)
    return next(fitting, 1)
