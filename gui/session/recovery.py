"""Crash recovery: a copy of the unsaved session, at most ten seconds old, offered at the next start.

A copy lies in a folder of the user's application data and belongs to the process whose lock lies beside it; when that
process has ended without taking its copy away, the copy can be recovered. Copies are written by a thread of their own,
because a disk may take its time. A kill in the middle of writing leaves the copy before. Nobody but the user may look
into the folder or read a file in it.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QStandardPaths, QTimer, Signal
from shiboken6 import isValid

from engine.document import Document
from engine.file_access import make_private, make_private_folder, reason_of, remove_abandoned, write_atomically
from engine.messages import visible
from engine.session_file import from_json
from engine.session_file.files import FileStamp, read_text
from engine.session_file.saved_runs import session_text
from gui.background import inbox, join_stopped, note_stopped, start_thread
from gui.session.change import Change
from gui.session.recorded_runs import RecordedRun, as_section
from gui.session.session import Session

KEEP_MILLISECONDS = 2500
SUFFIX = ".recovery"
MOST_COPIES = 20
"""Copies of ended processes that are kept until the user answers; older ones are removed."""
LONGEST_ABOUT = 100_000
"""Limit in bytes of a copy's first line, which names its file; the session follows."""
_log = logging.getLogger(__name__)


def data_folder() -> Path:
    """Return the application's data folder."""
    return Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppDataLocation))


def recovery_folder() -> Path:
    """Return the folder for copies, in the application's data folder."""
    return data_folder() / "recovery"


@dataclass(frozen=True)
class Copy:
    """A session that was not saved.

    Attributes:
        file: the copy.
        document: its content.
        path: the session file it was opened from or last saved to; None for one that has no file yet.
        stamp: of that file then.
        written: when the copy was made, seconds since 1970.
    """

    file: Path
    document: Document
    path: Path | None
    stamp: FileStamp | None
    written: float

    @property
    def name(self) -> str:
        """Name of the session, for the user."""
        return visible(self.path.name) if self.path is not None else "untitled"

    def discard(self) -> None:
        """Delete the copy."""
        for file in (self.file, self.file.with_suffix(".lock")):
            with suppress(OSError):
                file.unlink()


class Recovery(QObject):
    """Recovery copy of the unsaved work of one session.

    Attributes:
        file: the copy, while there is one.
        lock: says to other processes that this one lives; None before the first copy.
        timer: active from a change on until a copy is made of it.
        kept: the document in the copy, without the runs; None for no copy.

    Signals:
        failed(str): copies cannot be written, and why; once, until they can be again.
    """

    failed = Signal(str)

    def __init__(self, session: Session, folder: Path, parent: QObject | None = None) -> None:
        """Start keeping copies, every 2.5 seconds when there is something new.

        Args:
            session: whose work is kept.
            folder: is made when it is not there.
            parent: in Qt's tree.
        """
        super().__init__(parent)
        self._session = session
        self._folder = folder
        self.file = folder / f"{os.getpid()}-{time.time_ns()}{SUFFIX}"
        self.lock: QLockFile | None = None
        self.kept: Document | None = None
        self._kept_runs: tuple[RecordedRun, ...] = ()
        self._unwanted = threading.Event()
        self._writing: Future[None] | None = None
        self._outcome: Future[str] | None = None
        self._failure = ""
        self.timer = QTimer(self, singleShot=True, interval=KEEP_MILLISECONDS)
        self.timer.timeout.connect(self.keep)
        session.changed.connect(self._follow)

    def _follow(self, change: Change) -> None:
        if "file" in change and not self._session.own_work.is_modified:  # saved: a program killed now leaves no copy
            self._unwanted.set()  # before the file goes: a copy being written removes itself
            self._remove()
        if not self.timer.isActive():
            self.timer.start()

    def keep(self) -> None:
        """Write a copy of new unsaved work in a worker thread; delete the copy if everything is saved."""
        self._take_outcome()
        if self.writing:
            self.timer.start()
            return
        work = self._session.own_work
        if not work.is_modified:
            self._remove()
            return
        document, runs = work.document, work.runs
        is_new = (document, runs) != (self.kept, self._kept_runs) or not self.file.exists()
        if is_new and self._make_folder():
            self.kept, self._kept_runs = document, runs
            outcome: Future[str] = Future()
            unwanted = threading.Event()
            self._outcome, self._unwanted = outcome, unwanted
            own, waiting = weakref.ref(self), inbox()
            write = partial(_write, self.file, lambda: _with_runs(document, runs), work.path, work.stamp, unwanted)

            def write_copy() -> None:
                outcome.set_result(write())
                waiting.call(lambda: _take_outcome_of(own))

            self._writing = start_thread("recovery", write_copy)

    def _take_outcome(self) -> None:
        """Take the outcome of the last write, if it has ended; retry later after a failure."""
        if self._outcome is not None and self._outcome.done():
            failure, self._outcome = self._outcome.result(), None
            if failure:
                self.kept = None
                self.timer.start()
            self._note_failure(failure)

    def _note_failure(self, failure: str) -> None:
        is_new, self._failure = failure and failure != self._failure, failure
        if is_new:
            _log.warning("no recovery copy: %s", failure)
            self.failed.emit(f"Unsaved work would be lost in a crash: {failure}.")

    def keep_now(self, deadline: float | None = None) -> bool:
        """Write a copy before returning; return True if there was something to keep and it is written.

        Args:
            deadline: when a copy being written is waited for no longer, see `wait`.
        """
        self.wait(deadline)
        self._session.commit_requested.emit()
        work = self._session.own_work
        if not self._would_be_lost or not self._make_folder():
            return False
        make = partial(_with_runs, work.document, work.runs)
        failure = _write(self.file, make, work.path, work.stamp, threading.Event())
        if failure:
            self.kept = None
        self._note_failure(failure)
        return not failure

    @property
    def _would_be_lost(self) -> bool:
        """True when the user's work is in no file: it has changed, or its file is gone."""
        return self._session.own_work.is_modified or self._session.is_file_gone

    def _make_folder(self) -> bool:
        """Make folder and lock if they are missing; return True when they exist."""
        lock_file = self.file.with_suffix(".lock")
        if self.lock is not None and lock_file.exists():
            return True
        try:
            make_private_folder(self._folder)
            if self.lock is not None:
                lock_file.touch()  # which Qt warns of when it is not there
                self.lock.unlock()
                self.lock = None
        except OSError as error:
            self._note_failure(reason_of(error))
            return False
        lock = _lock_of(self.file)
        if not lock.tryLock(0):
            self._note_failure(f"the folder {self._folder.name} is not writable")
            return False
        make_private(lock_file)
        self.lock = lock
        return True

    @property
    def writing(self) -> bool:
        """True while a copy is being written in a worker thread."""
        return self._writing is not None and not self._writing.done()

    def wait(self, deadline: float | None = None) -> None:
        """Wait for a copy being written, until the deadline (see `closing_deadline`), or for two seconds."""
        note_stopped(self._writing)
        join_stopped(deadline)
        self._take_outcome()

    def _remove(self) -> None:
        self.kept = None
        with suppress(OSError):
            self.file.unlink()

    def close(self, keep: bool = False, deadline: float | None = None) -> bool:
        """End the recovery.

        Args:
            keep: leave a fresh copy of what is unsaved, for the next start; else what is left is taken away.
            deadline: when what is being written is waited for no longer (see `closing_deadline`).

        Returns:
            True when a copy was left.
        """
        self._session.changed.disconnect(self._follow)
        self.timer.stop()
        if keep:
            self.keep_now(deadline)
        self.wait(deadline)
        if not (keep and self._would_be_lost):  # if no fresh one can be written, the one before is worth keeping
            self._remove()
        if self.lock is not None:
            self.lock.unlock()
            self.lock = None
        return self.file.exists()


def _take_outcome_of(recovery: weakref.ref[Recovery]) -> None:
    """Note the outcome of a write; a weak reference, since the thread must not be the last owner of a QObject."""
    found = recovery()
    if found is not None and isValid(found):
        found._take_outcome()


def _write(
    file: Path, make: Callable[[], Document], path: Path | None, stamp: FileStamp | None, unwanted: threading.Event
) -> str:
    """Write a copy; any thread may call.

    Args:
        file: the copy.
        make: returns the document.
        path: the session's file; None for one that has none.
        stamp: of that file.
        unwanted: when set, the copy is removed after writing.

    Returns:
        Reason of a failure; "" for none.
    """
    content = {
        "path": None if path is None else str(path.absolute()),
        "stamp": None if stamp is None else [stamp.size, stamp.digest],
        "written": time.time(),
    }
    failure = ""
    try:
        write_atomically(file, f"{json.dumps(content)}\n{session_text(make())}".encode(), private=True)
    except Exception as error:  # a thread that ends with an exception would stop keeping copies
        failure = reason_of(error)
        if not isinstance(error, OSError):
            _log.exception("a recovery copy cannot be made")
    if unwanted.is_set():
        with suppress(OSError):
            file.unlink()
        return ""  # it may have been removed while it was written
    return failure


def _with_runs(document: Document, runs: Sequence[RecordedRun]) -> Document:
    return dataclasses.replace(document, runs=as_section(runs, document))


def find_copies(folder: Path) -> list[Copy]:
    """Return the copies that ended processes have left in the folder, newest first; damaged copies are left alone.

    The folder and its files become private; earlier versions of the program made them readable by everyone. What killed
    processes have left besides copies is removed, and so are the oldest of too many copies.
    """
    for path in [folder, *folder.glob("*")]:
        make_private(path)
    remove_abandoned(folder)
    for lock_file in folder.glob("*.lock"):
        if not lock_file.with_suffix(SUFFIX).exists():
            QLockFile(str(lock_file)).removeStaleLockFile()  # only that of an ended process
    left = sorted(filter(_is_left, folder.glob(f"*{SUFFIX}")), key=_time_of, reverse=True)
    for file in left[MOST_COPIES:]:
        _log.warning("more than %d recovery copies: %s is removed", MOST_COPIES, file.name)
        with suppress(OSError):
            file.unlink()
    copies = []
    for file in left[:MOST_COPIES]:
        try:
            copies.append(_read(file))
        except Exception:  # whatever is wrong with a copy, the window starts without it
            _log.warning("%s is not a recovery copy", file.name)
    return sorted(copies, key=lambda copy: -copy.written)


def _is_left(file: Path) -> bool:
    """Return True when the process that wrote a copy has ended; its lock is removed then.

    The system itself knows: a process holds its lock file open. The number in the file would not do, since it may
    belong to another process by now, in a container always to this one. It decides where locks are not supported.
    """
    lock = _lock_of(file)
    if not lock.removeStaleLockFile() and not lock.tryLock(0):
        return False
    lock.unlock()
    return True


def _time_of(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def _lock_of(file: Path) -> QLockFile:
    """The lock beside a copy; it is stale when its process is gone, never by its age."""
    lock = QLockFile(str(file.with_suffix(".lock")))
    lock.setStaleLockTime(0)
    return lock


def _read(file: Path) -> Copy:
    about, _, session = read_text(file, LONGEST_ABOUT).partition("\n")
    content = json.loads(about)
    path, stamp, written = content["path"], content["stamp"], float(content["written"])
    if "\0" in (path or ""):
        raise ValueError("no system has such a name")
    datetime.fromtimestamp(written)  # raises where no calendar can show it
    return Copy(
        file,
        from_json(content.get("session", session)),
        None if path is None else Path(path),
        None if stamp is None else FileStamp(int(stamp[0]), str(stamp[1])),
        written,
    )
