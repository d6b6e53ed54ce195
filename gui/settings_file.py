"""The file of the settings: Qt's format, written by `engine.file_access`; a damaged one is set aside."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QLockFile, QSettings, QStandardPaths, QTimer

from engine.file_access import make_private_folder, read_regular, reason_of, write_atomically
from engine.messages import visible

LARGEST_FILE = 4_000_000
"""Bytes; a larger file is not a settings file."""
_RETRY_MILLISECONDS, _MOST_RETRIES = 500, 10
"""Time between two tries while another window writes, and tries after which that is a failure."""


class SettingsFile(QSettings):
    """Settings that are read by Qt, and replaced as a whole file or not at all.

    When the disk has room for a part only, Qt may replace the file by that part (6.11: with values of over 16 KB, and
    without an error). So Qt never writes this file: it puts the values that have changed into a copy, which is read
    again and then replaces the file. Values that another window has written meanwhile are kept.

    Attributes:
        problem: why the file could not be written last time; "" when it was.
        patience: milliseconds that `sync` may wait while another window writes; then it is tried again later.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), QSettings.Format.IniFormat)
        self.problem = ""
        self.patience = 100
        self._path = path
        self._own: dict[str, Any] = {}
        """Values set here; None for a removed one."""
        self._unwritten: set[str] = set()
        self._is_writing_due = False
        self._retries = 0

    def value(self, key: str, defaultValue: Any = None, type: Any = None) -> Any:
        if key in self._own:
            return defaultValue if self._own[key] is None else self._own[key]
        return super().value(key, defaultValue)

    def contains(self, key: str) -> bool:
        return self._own[key] is not None if key in self._own else super().contains(key)

    def setValue(self, key: str, value: Any) -> None:
        self._own[key] = value
        if not self._is_writing_due:
            self._is_writing_due = True
            QCoreApplication.postEvent(self, QEvent(QEvent.Type.UpdateRequest))
        self._unwritten.add(key)

    def remove(self, key: str) -> None:
        self.setValue(key, None)

    def status(self) -> QSettings.Status:
        return QSettings.Status.AccessError if self.problem else super().status()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.UpdateRequest:
            self._is_writing_due = False
            self.sync()
            return True
        return super().event(event)

    def sync(self) -> None:
        """Write the changed values now; `problem` and `status` tell whether that succeeded."""
        if not self._unwritten:
            return
        lock = QLockFile(f"{self._path}.lock")
        try:
            if not self._path.parent.exists():
                make_private_folder(self._path.parent)
            if not lock.tryLock(self.patience):
                is_used = lock.error() is QLockFile.LockError.LockFailedError
                if is_used and self._retries < _MOST_RETRIES:
                    self._retries += 1
                    QTimer.singleShot(_RETRY_MILLISECONDS, self, self.sync)
                    return
                raise OSError("another window is writing it" if is_used else "its lock file cannot be written")
            write_atomically(self._path, self._merged(), private=True)
        except (OSError, ValueError) as error:
            self.problem = reason_of(error)
        else:
            self.problem = ""
            self._unwritten.clear()
            self._retries = 0
        finally:
            lock.unlock()

    def _merged(self) -> bytes:
        """Return the content of the file with the changed values in it."""
        content = read_regular(self._path, LARGEST_FILE) if self._path.exists() else b""
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder, self._path.name)
            copy.write_bytes(content)
            settings = QSettings(str(copy), QSettings.Format.IniFormat)
            for key in self._unwritten:
                if self._own[key] is None:
                    settings.remove(key)
                else:
                    settings.setValue(key, self._own[key])
            settings.sync()
            written = copy.rename(copy.with_name("written"))  # under its old name Qt would not read it again
            again = QSettings(str(written), QSettings.Format.IniFormat)
            keys = settings.allKeys()
            if set(keys) != set(again.allKeys()) or any(str(settings.value(k)) != str(again.value(k)) for k in keys):
                raise OSError(f"no room for a copy in {folder}, or the file is damaged")
            return read_regular(written, LARGEST_FILE)


class NoSettings(SettingsFile):
    """Settings that begin empty and are forgotten at the end."""

    def __init__(self) -> None:
        super().__init__(Path(os.devnull, "settings"))  # no file can be there; Qt would replace the device itself

    def sync(self) -> None:
        pass


def open_settings() -> tuple[QSettings, str]:
    """Return the user's settings, and a sentence for the user when their file was damaged; "" otherwise.

    A damaged file is renamed, and the settings begin with their defaults. Damaged is also a file with values that
    Gradstep does not write: Qt would restore objects of any kind from them.
    """
    _set_aside_what_waits()
    path = Path(QSettings().fileName())
    if path.suffix not in (".conf", ".ini"):  # the system's own store
        return QSettings(), ""
    if not (reason := _damage(path)):
        return SettingsFile(path), ""
    aside = next(free for n in range(1, 10_000) if not (free := path.with_name(f"{path.name}.damaged{n}")).exists())
    try:
        path.rename(aside)
    except OSError as error:
        words = f"The settings file is damaged ({reason}), and could not be renamed ({error.strerror})"
        return NoSettings(), f"{words}; settings are not remembered this time."
    kept = f"It is kept as {visible(str(aside))}; all settings have their defaults."
    return SettingsFile(path), f"The settings file was damaged ({reason}). {kept}"


def _set_aside_what_waits() -> None:
    """Rename a pipe or a device in place of the settings file: Qt would wait for it for ever."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation)
    path = Path(folder, QCoreApplication.organizationName(), f"{QCoreApplication.applicationName()}.conf")
    with suppress(OSError):
        if path.exists() and not path.is_file() and not path.is_dir():
            path.replace(path.with_name(f"{path.name}.damaged"))


def _damage(path: Path) -> str:
    """Return why a file is no settings file that Gradstep has written; "" for a good one, or none."""
    try:
        if not path.exists():
            return ""
        if not path.is_file() or path.stat().st_size > LARGEST_FILE:
            return "no file of settings"
        text = path.read_bytes().decode("utf-8")
    except PermissionError:
        return "it cannot be read"
    except (OSError, ValueError):
        return "no text"
    if any(character < " " and character not in "\t\r\n" for character in text):
        return "no text"
    if "@Variant(" in text or "@DateTime(" in text:
        return "values of an unknown kind"
    for number, line in enumerate(text.split("\n"), 1):  # a folder's name may have other line separators
        is_heading = line.startswith("[") and line.rstrip().endswith("]")
        if line.strip() and not is_heading and "=" not in line and not line.startswith((";", "#")):
            return f"line {number}"
    return ""
