"""Every writer of Gradstep, as a table: how it writes one of two contents into a folder, and what is read back."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QImage

from engine import file_access
from engine.commands.headless import LossLog
from engine.document import Document, replace_section
from engine.language import machine_code
from engine.lessons.progress import LessonProgress, read_progress, write_progress
from engine.session_file import to_json
from gui.app import make_application
from gui.export.animation import Film, write_animation, write_frames
from gui.export.drawing import SOFTWARE
from gui.export.exports import write_content
from gui.help import rescue
from gui.panels.start import recent_cards
from gui.session import Session
from gui.session.recent import RecentFiles
from gui.session.recovery import SUFFIX, Recovery, find_copies
from gui.session.unsaved import write
from gui.settings import Settings
from gui.settings_file import SettingsFile
from main import main

IGNORED = "ignored"
"""Stands for a file that the program does not use, as if it were not there."""
PROGRAMS = {"old": "a = 2.0\nb = a * a\n", "new": "a = 3.0\nb = a * a * a\nc = b + a\n" * 40}
CONTENTS = {"old": b"old content\n" * 300, "new": b"the new content\n" * 2000}
_TEMPORARY = re.compile(r"\..*\.part|\.frames-.*|.*\.part")


def is_temporary(path: Path) -> bool:
    """Return True for a temporary file, or one in a temporary folder."""
    return any(_TEMPORARY.fullmatch(part) for part in path.parts)


def files_in(folder: Path) -> Mapping[str, object]:
    """Return the content of every file in a folder, without temporary files and locks."""
    paths = (path for path in folder.rglob("*") if path.is_file() and not is_temporary(path) and path.suffix != ".lock")
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@dataclasses.dataclass(frozen=True)
class Writer:
    """A writer.

    Attributes:
        name: in the table.
        write: writes the content of this name ("old" or "new") into a folder; returns a failure in words, or raises.
        read: what the program would read from the folder: by name of the file, anything that can be compared.
        prepare: makes what has to be there before.
        in_place: a log, which is not kept when writing fails.
        is_overwritten: the file cannot be replaced: a killed process may leave it half-written, with the new content
            beside it.
        may_be_silent: a failure costs a cached file and is not reported.
    """

    name: str
    write: Callable[[Path, str], str]
    read: Callable[[Path], Mapping[str, object]] = files_in
    prepare: Callable[[Path], object] = lambda folder: None
    in_place: bool = False
    is_overwritten: bool = False
    may_be_silent: bool = False

    def is_beside(self, folder: Path) -> bool:
        """Return True when a temporary file has the whole new content."""
        return any(path.read_bytes() == CONTENTS["new"] for path in folder.iterdir() if is_temporary(path))


# Writing


def _plain(folder: Path, content: str) -> str:
    file_access.write_atomically(folder / "file", CONTENTS[content])
    return ""


def _private(folder: Path, content: str) -> str:
    file_access.write_atomically(folder / "file", CONTENTS[content], private=True)
    return ""


def _new_file(folder: Path, content: str) -> str:
    file_access.write_atomically(folder / content, CONTENTS[content])
    return ""


def _document(content: str) -> Document:
    return replace_section(Document(), "expression", text=PROGRAMS[content])


def _session_text(content: str) -> str:
    return to_json(_document(content))


def _session(folder: Path, content: str) -> str:
    outcome = write(folder / "mine.gradstep", _document(content))
    return str(outcome) if isinstance(outcome, Exception) else ""


@cache
def _session_of(content: str) -> Session:
    application()
    session = Session()
    session.edit("text", expression={"text": PROGRAMS[content]})
    return session


def _rescue(folder: Path, content: str) -> str:
    shown: list[str] = []
    window = SimpleNamespace(
        session=_session_of(content), show_message=lambda words, kind="": shown.append(words if kind else "")
    )
    rescue._write(window, folder / "my work.gradstep")
    return shown[-1]


def _recovery(folder: Path, content: str) -> str:
    if folder.joinpath("copies").is_dir():
        find_copies(folder / "copies")  # as each start of the program does
    recovery = Recovery(_session_of(content), folder / "copies")
    recovery.file = folder / "copies" / f"1{SUFFIX}"
    failures: list[str] = []
    recovery.failed.connect(failures.append)
    is_kept = recovery.keep_now()
    recovery._session.changed.disconnect(recovery._follow)
    if recovery.lock is not None:
        recovery.lock.unlock()
    return "" if is_kept else (failures or ["not kept"])[-1]


def _copies(folder: Path) -> Mapping[str, object]:
    return {copy.file.name: copy.document.expression.text for copy in find_copies(folder / "copies")}


def _recent(folder: Path, content: str) -> str:
    session = _session_of(content)
    recent = RecentFiles(session)
    recent._job.stop()
    recent.refresh = lambda: None  # type: ignore[method-assign]
    recent.use(folder / "data" / "recent_files.json")
    recent.note(Path("/somewhere", f"{content}.gradstep"))
    failed = recent._file is None
    recent.deleteLater()
    return "not written" if failed else ""


def _recent_paths(folder: Path) -> Mapping[str, object]:
    path = folder / "data" / "recent_files.json"
    return {"list": tuple(json.loads(path.read_text()))} if path.exists() else {}


def _settings(folder: Path, content: str) -> str:
    reasons: list[str] = []
    settings = Settings(SettingsFile(folder / "settings.conf"))
    settings.unsaved.connect(reasons.append)
    settings.set("text size", 100 if content == "old" else 125)
    return "".join(reasons)


def _settings_read(folder: Path) -> Mapping[str, object]:
    path = folder / "settings.conf"
    return {path.name: Settings(SettingsFile(path))["text size"]} if path.exists() else {}


def _progress(folder: Path, content: str) -> str:
    progress = {"first": LessonProgress("digest", len(content))}
    write_progress(folder / "lessons" / "progress.json", progress, [content] * (1 if content == "old" else 100))
    return ""


def _progress_of(folder: Path) -> Mapping[str, object]:
    path = folder / "lessons" / "progress.json"
    return {"progress": path.read_bytes()} if path.exists() and read_progress(path) else {}


def _picture(folder: Path, content: str) -> str:
    source = folder.parent / "source.gradstep"
    source.touch()
    os.utime(source, (1_000_000_000, 1_000_000_000 + len(content) + (content == "new")))
    image = QImage(30, 20, QImage.Format.Format_RGB32)
    image.fill(0xFF0000 if content == "old" else 0x00FF00)
    recent_cards.cached_picture(source, "light", folder / "pictures", lambda path: image)
    recent_cards.drop_pictures(folder / "pictures", [source])
    return ""


def _pictures(folder: Path) -> Mapping[str, object]:
    """A damaged picture has another checksum and is drawn again."""
    found = {}
    for path in (folder / "pictures").glob("*"):
        head, _, content = path.read_bytes().partition(b"\n")
        is_whole = head.rpartition(b" ")[2].decode() == recent_cards._checksum(content)
        if not is_temporary(path):
            found["picture"] = content if is_whole else IGNORED
    return found


def _machine_code(folder: Path, content: str) -> str:
    path = folder / "python" / "python-1.cwasm"
    machine_code._write(path, CONTENTS[content])
    machine_code._remove_others(path)
    return ""


def _machine_code_used(folder: Path) -> Mapping[str, object]:
    path = folder / "python" / "python-1.cwasm"
    return {path.name: path.read_bytes() if machine_code._is_as_written(path) else IGNORED}


def _export(folder: Path, content: str) -> str:
    write_content(CONTENTS[content], folder / "graph.svg")
    return ""


class _Film(Film):
    """Frames of one colour."""

    title = "Backward pass"

    def __init__(self, content: str) -> None:
        self.frame_count = 2 if content == "old" else 3
        self._color = 0x804020 if content == "old" else 0x208040

    @property
    def times(self) -> list[int]:
        return [300] * self.frame_count

    def frame(self, number: int) -> QImage:
        image = QImage(12, 8, QImage.Format.Format_RGB32)
        image.fill(self._color + number)
        image.setText("Software", SOFTWARE)
        image.setText("Title", self.title)
        return image


def _gif(folder: Path, content: str) -> str:
    write_animation(_Film(content), folder / "pass.gif")
    return ""


def _frames(folder: Path, content: str) -> str:
    write_frames(_Film(content), folder / "frames")
    return ""


def _log(folder: Path, content: str) -> str:
    log = LossLog(folder / "log.csv", 0)
    for number in range(3 if content == "old" else 5):
        log.extend([number / 7 + len(content)] * 4)
    log.close()
    return log.problem


def _log_read(folder: Path) -> Mapping[str, object]:
    """A log that breaks off, be it in the middle of a line, counts as whole."""
    path = folder / "log.csv"
    text = path.read_bytes() if path.exists() else b""
    return {"log": "broken off" if LOG.startswith(text) else text}


LOG = b"step,loss\n" + b"".join(
    f"{step},{loss!r}\n".encode() for step, loss in enumerate(n / 7 + 3 for n in range(5) for _ in range(4))
)


def _command(folder: Path, content: str, *words: str) -> str:
    (folder.parent / f"{content}.gradstep").write_text(_session_text(content))
    source = f"{folder.parent}/{content}.gradstep"
    words = tuple(word.replace("{in}", source).replace("{dir}", str(folder)) for word in words)
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors), patch("sys.stdin", io.StringIO()):
        code = main(list(words))
    return errors.getvalue().strip() or f"code {code}" if code else ""


def _code(folder: Path, content: str) -> str:
    return _command(folder, content, "code", "{in}", "--target", "python", "--of", "graph", "-o", "{dir}/neuron.py")


def _train(folder: Path, content: str) -> str:
    steps = "2" if content == "old" else "3"
    return _command(folder, content, "train", "{in}", "--steps", steps, "-o", "{dir}/trained.gradstep")


def _link(folder: Path) -> None:
    (folder / "elsewhere").write_bytes(b"")
    (folder / "file").symlink_to(folder / "elsewhere")


def _hard_link(folder: Path) -> None:
    (folder / "file").write_bytes(b"")
    (folder / "other name").hardlink_to(folder / "file")


@cache
def application() -> QCoreApplication:
    """Return the application, which the writers with Qt in them need."""
    return make_application()


_ALL = (
    Writer("new file", _new_file),
    Writer("old file", _plain),
    Writer("private file", _private),
    Writer("symbolic link", _plain, prepare=_link),
    Writer("hard link", _plain, prepare=_hard_link, is_overwritten=True),
    Writer("session", _session),
    Writer("save my work", _rescue),
    Writer("recovery copy", _recovery, _copies),
    Writer("recent files", _recent, _recent_paths),
    Writer("settings", _settings, _settings_read),
    Writer("lesson progress", _progress, _progress_of),
    Writer("picture of a recent file", _picture, _pictures, may_be_silent=True),
    Writer("machine code", _machine_code, _machine_code_used),
    Writer("export", _export),
    Writer("GIF", _gif),
    Writer("frames", _frames),
    Writer("loss log", _log, _log_read, in_place=True),
    Writer("command code", _code),
    Writer("command train", _train),
)
WRITERS = {writer.name: writer for writer in _ALL}
