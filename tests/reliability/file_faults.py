"""Faults of a disk while a file is written: the n-th call fails, or the process is killed at it, for every n.

    python -m tests.reliability.file_faults

Every writer of Gradstep that replaces a file uses `write_atomically`. It is run with stand-ins for the system calls
that it makes. After each fault the file has to be wholly the old or wholly the new one, and the next writer has to
succeed; a fault that is reported must have left the old one.
"""

from __future__ import annotations

import errno
import io
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

from engine.session_file import files

OLD, NEW = b"old content\n" * 300, b"the new content\n" * 2000
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EINTR, errno.EDQUOT)
MOST_CALLS = 40
SITUATIONS = ("new file", "old file", "private", "symbolic link")


class Faults:
    """Stand-ins that count calls, and do something at one of them."""

    def __init__(self, at: int, happen: Callable[[], None], interrupts: bool = False) -> None:
        self.count, self.names = 0, []
        self.interrupts = interrupts
        self._at, self._happen = at, happen

    def call(self, name: str, function: Callable[..., Any], *arguments: Any, first: Any = (), **keywords: Any) -> Any:
        self.count += 1
        self.names.append(name)
        if self.count == self._at:
            for part in first:
                part()
            self._happen()
        return function(*arguments, **keywords)

    def installed(self) -> list[Any]:
        """Return patches of everything that writes, moves or removes."""
        faults = self

        class File(io.FileIO):
            def write(self, data: Any) -> int:
                write = super().write
                # A full disk takes a part first; an interrupted call has written nothing and is repeated by Python.
                part = [] if faults.interrupts else [lambda: write(data[: len(data) // 2])]
                return int(faults.call("write", write, data, first=part))

            def truncate(self, size: int | None = None) -> int:
                return int(faults.call("truncate", super().truncate, size))

            def close(self) -> None:
                if self.closed:
                    return
                try:
                    faults.call("close", lambda: None)
                finally:
                    super().close()

        def opened(path: Any, mode: str = "r", *others: Any, opener: Any = None, **keywords: Any) -> Any:
            if not set(mode) & set("wxa+"):
                return open(path, mode, *others, opener=opener, **keywords)
            return io.BufferedWriter(faults.call("open", File, path, mode.replace("b", ""), opener=opener))

        def patched(owner: Any, name: str) -> Any:
            function = getattr(owner, name)
            return patch.object(owner, name, lambda *a, **k: faults.call(name, function, *a, **k))

        return [
            patch.object(files, "open", opened, create=True),
            patched(os, "fsync"),
            patched(os, "replace"),
            patched(os, "chmod"),
            patched(os, "utime"),
            patched(files.shutil, "copystat"),
            patched(os, "unlink"),
        ]


def write_with(path: Path, private: bool, faults: Faults) -> OSError | None:
    """Write the new content; return the error that was reported."""
    patches = faults.installed()
    for each in patches:
        each.start()
    try:
        files.write_atomically(path, NEW, private=private)
    except OSError as error:
        return error
    finally:
        for each in reversed(patches):
            each.stop()
    return None


def prepared(folder: Path, situation: str) -> Path:
    """Return the path to write to."""
    path = folder / "session.gradstep"
    if situation != "new file":
        target = folder / "elsewhere.gradstep" if situation == "symbolic link" else path
        target.write_bytes(OLD)
        if target != path:
            path.symlink_to(target)
    return path


def state_of(path: Path) -> str:
    """Return "old", "new", "none", or "damaged"."""
    if not path.exists():
        return "none"
    return {OLD: "old", NEW: "new"}.get(path.read_bytes(), "damaged")


def failing(situation: str, at: int, code: int) -> tuple[str, bool]:
    """Return the state after the n-th call failed with an error, and whether that many calls were made."""

    def happen() -> None:
        raise OSError(code, os.strerror(code))

    with tempfile.TemporaryDirectory() as name:
        path = prepared(Path(name), situation)
        faults = Faults(at, happen, code == errno.EINTR)
        error = write_with(path, situation == "private", faults)
        state, before = state_of(path), "none" if situation == "new file" else "old"
        if faults.count < at:
            return "", False
        fine = state == before if error is not None else state == "new"
        files.write_atomically(path, NEW)
        again = state_of(path) == "new"
        leftovers = [entry.name for entry in Path(name).iterdir() if entry.name.endswith(".part")]
        report = f"{faults.names[at - 1]} failed: {state}, error {error}, leftovers {leftovers}"
        return ("" if fine and again and len(leftovers) <= 1 else report), True


def killed(situation: str, at: int) -> tuple[str, bool]:
    """Return the state after the process was killed at the n-th call, and whether it was."""
    with tempfile.TemporaryDirectory() as name:
        path = prepared(Path(name), situation)
        child = os.fork()
        if child == 0:
            with suppress(BaseException):
                write_with(path, situation == "private", Faults(at, lambda: os.kill(os.getpid(), signal.SIGKILL)))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            return "", False
        state, before = state_of(path), "none" if situation == "new file" else "old"
        files.write_atomically(path, NEW)
        fine = state in (before, "new") and state_of(path) == "new"
        return ("" if fine else f"killed at call {at}: {state}"), True


def main() -> int:
    """Run every fault; print a JSON object with what was tried and what was found."""
    tried, found = 0, []
    for situation in SITUATIONS:
        for at in range(1, MOST_CALLS):
            outcomes = [failing(situation, at, code) for code in ERRORS] + [killed(situation, at)]
            reached = [words for words, was_reached in outcomes if was_reached]
            tried += len(reached)
            found += [f"{situation}: {words}" for words in reached if words]
            if not reached:
                break
        else:
            found.append(f"{situation}: more than {MOST_CALLS} calls")
    print(json.dumps({"tried": tried, "found": found}, indent=1))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
