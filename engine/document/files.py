"""Reading and writing files so that nothing is lost.

A file is written beside the old one, flushed to the disk and then put in its place in one move: at every moment either
the old or the new content is there. Reading looks at the size and kind of a file before it reads.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
from contextlib import suppress
from pathlib import Path

LARGEST_TEXT = 20_000_000
_WINDOWS_BUSY = {5, 32, 33}
_PATIENCE_SECONDS = 2.5


class FileProblem(ValueError):
    """A file that cannot be read as text, with the reason."""


def write_atomically(path: Path | str, content: bytes) -> None:
    """Replaces the content of `path`, or leaves it as it was.

    A symbolic link is kept and its target written.

    Args:
        path: its folder must exist.
        content: all bytes of the new file.

    Raises:
        OSError: when the folder is missing, not writable or full; the old file is untouched.
    """
    target = Path(os.path.realpath(path))
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode_for(target))
        _replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _mode_for(target: Path) -> int:
    """The permissions of the file that is replaced, or those a new file would get."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _replace(temporary: Path, target: Path) -> None:
    """Moves the file, tried again for a while where another program holds the file open (Windows)."""
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            temporary.replace(target)
            return
        except OSError as error:
            if getattr(error, "winerror", None) not in _WINDOWS_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(0.05)


def read_text(path: Path | str) -> str:
    """The text of a regular UTF-8 file of bounded size; a byte-order mark is dropped.

    Raises:
        OSError: when there is no such file or it may not be read.
        FileProblem: when it is no regular file, too large, or not UTF-8.
    """
    path = Path(path)
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise FileProblem("not a regular file")
    if status.st_size > LARGEST_TEXT:
        raise FileProblem(f"too large: at most {LARGEST_TEXT:,} bytes, not {status.st_size:,}")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(f"not UTF-8 text (byte {error.start + 1})") from None
