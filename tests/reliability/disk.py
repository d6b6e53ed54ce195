"""Stand-ins for the calls by which Python writes, moves and removes files: they count, and one of them can fail.

Only calls on one folder are counted, and those on descriptors. The stand-ins take the place of the functions of `os`
and of `open`, which pathlib, tempfile and shutil call too. What Qt writes by itself they cannot see: that is the copy
of the settings, which is read again, and lock files.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EINTR, errno.EDQUOT)
BY_PATH = ("replace", "rename", "chmod", "utime", "unlink", "remove", "mkdir", "rmdir", "truncate", "link")
"""Functions of `os` whose first argument is a path."""
_real_open, _real_os_open = builtins.open, os.open


class Disk:
    """A folder on a disk where something happens at the n-th call.

    Attributes:
        names: the calls that were made, by their names.
    """

    def __init__(self, folder: Path, at: int = 0, happen: Callable[[], None] = lambda: None, partly: bool = True):
        """Args: the folder, the number of the call (from 1), what happens at it, and whether a write takes a part."""
        self.names: list[str] = []
        self._folder = str(folder)
        self._at, self._happen, self._partly = at, happen, partly

    def _is_here(self, path: Any) -> bool:
        return isinstance(path, int) or os.fsdecode(path).startswith(self._folder)

    def call(self, name: str, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """Count a call, and make it; at the n-th one something happens instead."""
        self.names.append(name)
        if len(self.names) == self._at:
            self._happen()
        return function(*arguments, **options)

    def write(self, function: Callable[[Any], int | None], data: Any) -> int | None:
        """Count a write; at the n-th call a full disk takes a part, and the call after it fails."""
        if len(self.names) + 1 == self._at and self._partly and len(data) > 1:
            self._at += 1
            data = data[: len(data) // 2]
        return cast("int | None", self.call("write", function, data))

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Context in which the stand-ins are in place."""
        with ExitStack() as stack:
            for owner, name, function in self._stand_ins():
                stack.enter_context(patch.object(owner, name, function))
            yield

    def _stand_ins(self) -> Iterator[tuple[Any, str, Callable[..., Any]]]:
        disk = self

        def opened(path: Any, mode: str = "r", *others: Any, opener: Any = None, **options: Any) -> Any:
            if not set(mode) & set("wxa+") or not disk._is_here(path):
                return _real_open(path, mode, *others, opener=opener, **options)
            plain = mode.replace("b", "").replace("t", "")
            if isinstance(path, int):
                raw = File(disk, path, plain)
            else:
                raw = disk.call("open", File, disk, path, plain, opener=opener or _open_really)
            buffer = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            if "b" in mode:
                return buffer
            return io.TextIOWrapper(buffer, encoding=options.get("encoding"), newline=options.get("newline"))

        def os_opened(path: Any, flags: int, *others: Any, **options: Any) -> int:
            writes = flags & (os.O_WRONLY | os.O_RDWR)
            if not writes or not disk._is_here(path):
                return _real_os_open(path, flags, *others, **options)
            return int(disk.call("os.open", _real_os_open, path, flags, *others, **options))

        def by_path(name: str) -> Callable[..., Any]:
            function = getattr(os, name)

            def do(path: Any, *others: Any, **options: Any) -> Any:
                if not disk._is_here(path) and options.get("dir_fd") is None:
                    return function(path, *others, **options)
                return disk.call(name, function, path, *others, **options)

            return do

        real_fsync, real_copystat = os.fsync, shutil.copystat
        yield builtins, "open", opened
        yield io, "open", opened
        yield os, "open", os_opened
        yield os, "fdopen", lambda number, mode="r", *others, **options: opened(number, mode, *others, **options)
        yield os, "fsync", lambda number: disk.call("fsync", real_fsync, number)
        yield shutil, "copystat", lambda *paths, **options: disk.call("copystat", real_copystat, *paths, **options)
        for name in BY_PATH:
            yield os, name, by_path(name)


class File(io.FileIO):
    """File on such a disk."""

    def __init__(self, disk: Disk, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._disk = disk

    def write(self, data: Any) -> int:
        return int(self._disk.write(super().write, data))

    def truncate(self, size: int | None = None) -> int:
        return int(self._disk.call("truncate", super().truncate, size))

    def close(self) -> None:
        if self.closed:
            return
        try:
            self._disk.call("close", lambda: None)
        finally:
            super().close()


def _open_really(name: str, flags: int) -> int:
    return _real_os_open(name, flags, 0o666)


def failing_with(code: int) -> Callable[[], None]:
    """Return a function that raises the system's error of this number."""

    def fail() -> None:
        raise OSError(code, os.strerror(code))

    return fail
