"""Reading regular files without waiting, and writing files without losing data: the one way for every file.

A file is written next to the old one, flushed to the disk and then moved into its place: at every moment either
the old or the new content is there. Where a move would lose something (hard links, the owner) the file
is overwritten instead, and devices and pipes (`/dev/null`) are written to. Reading looks at kind and size first.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, BinaryIO

if sys.platform != "win32":  # pragma: no branch - on Windows alone
    import fcntl

LONGEST_STEM = 150
YOUNG_SECONDS, OLD_SECONDS = 10, 600
"""Seconds after which a temporary file counts as left over from a killed save, unless a process has locked it."""
_WINDOWS_BUSY = {5, 32, 33}
_PATIENCE_SECONDS = 2.5


class FileProblem(ValueError):
    """A file that cannot be read as text, with the reason."""


def read_regular(path: Path, most: int) -> bytes:
    """Return the content of a regular file; never waits for a pipe or a device.

    Args:
        path: of the file, or of a link to it.
        most: bytes that it may have.

    Raises:
        OSError: when there is no such file or it may not be read.
        FileProblem: when it is not a regular file, too large, or gives nothing at present, as some files in /proc.
    """
    _refuse_other_kinds(path.stat())  # before opening: that alone can rewind a tape or wake a writer
    with open(path, "rb", opener=_open_without_waiting) as file:
        status = os.fstat(file.fileno())
        _refuse_other_kinds(status)
        content: bytes | None = file.read(most + 1) if status.st_size <= most else b""
    if content is None:
        raise FileProblem("it has nothing to read at present")
    if max(status.st_size, len(content)) > most:
        raise FileProblem(f"too large: at most {most:,} bytes, not {max(status.st_size, most + 1):,}")
    return content


def _refuse_other_kinds(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise FileProblem(f"{_kind(status.st_mode)}, not a regular file")


def _open_without_waiting(name: str, flags: int) -> int:
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))


def _kind(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


def reason_of(error: Exception) -> str:
    """Return why a file could not be read or written, without error numbers and without its name."""
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


def check_writable(path: Path | str) -> None:
    """Check before any work that `path` can be written: a new file, an old one, or a device.

    Raises:
        OSError: with the reason in words (`reason_of`) and the name of `path`; nothing has changed.
    """
    path = Path(path)
    status = _status(path)
    if status is not None and not stat.S_ISREG(status.st_mode):
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
        return
    _refuse_read_only(path, status)
    target = _target(path)
    if not target.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {str(path.parent)!r}", str(path))
    try:
        with tempfile.TemporaryFile(dir=target.parent, prefix=f".{_stem(target)}.", suffix=".part"):
            pass
    except OSError as error:
        raise _about(path, error) from None


def _refuse_read_only(path: Path, status: os.stat_result | None) -> None:
    """Refuse a file without write permission: it is protected on purpose, also from root."""
    if status is not None and not (status.st_mode & 0o222 and os.access(path, os.W_OK)):
        reason = "it is read-only: choose another name, or allow writing to it"
        if hasattr(os, "statvfs") and os.statvfs(path).f_flag & os.ST_RDONLY:
            reason = "its disk is read-only: choose another folder"
        raise PermissionError(errno.EACCES, reason, str(path))


def write_atomically(
    path: Path | str, content: bytes, private: bool = False, is_dropped: Callable[[], bool] = lambda: False
) -> None:
    """Replace the content of `path` completely, or leave it unchanged.

    A symbolic link is kept and its target written. Permissions (special ones too), owner, group and extended attributes
    are kept. A file that has several names (hard links), or whose owner cannot be given to a new file, is overwritten
    where it is once the new content is safe on the disk, as Vim does: all its names go on naming one file. Devices and
    pipes are written to.

    Args:
        path: its folder must exist.
        content: all bytes of the new file.
        private: nobody but its owner may read or write the file, at any moment, whatever its permissions were.
        is_dropped: called before the old file is replaced, which may be long after the call; True: it stays.

    Raises:
        OSError: when it was dropped, or the folder is missing, not writable or full, or the file is read-only; it names
            `path`, and the old file is untouched. Where a file that had to be overwritten could not be restored, the
            message names the file beside it that has the new content.
    """
    path = Path(path)
    try:
        status = _status(path)
        if status is not None and not stat.S_ISREG(status.st_mode):
            with open_stream(path) as stream:
                stream.write(content)
        else:
            _refuse_read_only(path, status)
            if status is None and not _target(path).parent.is_dir():
                raise FileNotFoundError(errno.ENOENT, f"there is no folder {str(path.parent)!r}", str(path))
            _replace_content(_target(path), status, content, private, is_dropped)
    except OSError as error:
        raise _about(path, error) from None


def open_stream(path: Path | str) -> BinaryIO:
    """Open a file for writing piece by piece: a device, a pipe, or a log that can be read while it grows.

    The terminal's own output (`/dev/stdout`) continues at its position. A pipe without a reader is not waited for.

    Raises:
        OSError: when it cannot be opened, or is read-only.
    """
    path = Path(path)
    status = _status(path)
    if status is None or stat.S_ISREG(status.st_mode):
        _refuse_read_only(path, status)
    for descriptor in (1, 2):
        with suppress(OSError):
            if status is not None and os.path.samestat(os.fstat(descriptor), status):
                return os.fdopen(os.dup(descriptor), "wb")
    return open(path, "wb", opener=_open_unless_it_waits)


def _open_unless_it_waits(name: str, flags: int) -> int:
    try:
        descriptor = os.open(name, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(errno.ENXIO, "nothing reads from this pipe", name) from None
        raise
    if hasattr(os, "O_NONBLOCK"):  # pragma: no branch - on Windows alone
        os.set_blocking(descriptor, True)
    return descriptor


def check_regular(path: Path) -> None:
    """Refuse a folder, a pipe or a device, which would not keep a session.

    Raises:
        FileProblem: when `path` leads to something that is not a regular file.
        OSError: when the system cannot say.
    """
    status = _status(path)
    if status is not None and not stat.S_ISREG(status.st_mode):
        raise FileProblem(f"it is {_kind(status.st_mode)}, not a regular file")


def _status(path: Path) -> os.stat_result | None:
    """Return the status of the file that `path` leads to; None when there is none."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _target(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _stem(target: Path) -> str:
    """Return the prefix of temporary files of `target`; short enough for any system."""
    name = os.fsencode(target.name)
    return target.name if len(name) <= LONGEST_STEM else hashlib.blake2b(name, digest_size=16).hexdigest()


def _replace_content(
    target: Path, status: os.stat_result | None, content: bytes, private: bool, is_dropped: Callable[[], bool]
) -> None:
    temporary = target.parent / f".{_stem(target)}.{secrets.token_hex(4)}.part"
    if private and status is not None:
        target.chmod(0o600)
    mode = 0o666 if status is None and not private else 0o600  # reduced by the user's umask
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            with suppress(OSError):  # of a file system without permissions
                temporary.chmod(0o600)
            _lock(file)
            _write_through(file, content)
        if is_dropped():
            raise OSError(errno.ECANCELED, "the write was dropped")
        if status is None:
            with suppress(OSError):
                temporary.chmod(mode)
            _replace(temporary, target)
        elif _made_alike(temporary, target, status):
            _replace(temporary, target)
        else:
            _overwrite(target, content, temporary)
    except _NotRestoredError as error:
        raise OSError(error.errno, f"{error.strerror}; the new content is in {temporary.name} beside it") from None
    except BaseException:
        _remove(temporary)
        raise
    _remove(temporary)
    remove_abandoned(target.parent, _stem(target))


def _remove(temporary: Path) -> None:
    with suppress(OSError):
        temporary.unlink()


def _write_through(file: IO[bytes], content: bytes) -> None:
    """Replace the content of an open file, and sync it."""
    file.write(content)
    file.truncate()
    file.flush()
    os.fsync(file.fileno())


def _made_alike(temporary: Path, target: Path, status: os.stat_result) -> bool:
    """Give a new file the owner, permissions and attributes of the old one; return True when it can replace it."""
    if status.st_nlink > 1:
        return False
    try:
        mine = temporary.stat()
        if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
            os.chown(temporary, status.st_uid, status.st_gid)
        shutil.copystat(target, temporary)  # after the owner: changing the owner clears the special permissions
        os.utime(temporary)
    except OSError:
        return False
    return True


class _NotRestoredError(OSError):
    """A file was overwritten in part, and its old content could not be written back."""


def _overwrite(target: Path, content: bytes, temporary: Path) -> None:
    """Overwrite the file in place; restore the old content when that fails.

    Until the end `temporary` holds the new content: a process that is killed here leaves it.
    """
    old = target.read_bytes()
    try:
        _write_into(target, content)
    except BaseException as error:
        try:
            _write_into(target, old)
        except OSError as failure:
            first = error if isinstance(error, OSError) else failure
            raise _NotRestoredError(first.errno, first.strerror) from error
        raise


def _write_into(target: Path, content: bytes) -> None:
    with target.open("r+b") as file:
        _write_through(file, content)


def _replace(temporary: Path, target: Path) -> None:
    """Move the file, for good; retry for a while when another program holds the target open (Windows)."""
    give_up = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            temporary.replace(target)
            break
        except OSError as error:
            if getattr(error, "winerror", None) not in _WINDOWS_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(0.05)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Write the names of the files in a folder to the disk, so that a power cut leaves the new ones."""
    if sys.platform != "win32":  # pragma: no branch - on Windows a folder cannot be opened
        with suppress(OSError):  # some file systems cannot; the new file is there in any case
            opened = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


def _lock(file: IO[bytes]) -> bool | None:
    """Lock a file until it is closed; return True when it is locked now, None when the system cannot tell."""
    if sys.platform == "win32":  # pragma: no cover - on Windows alone
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if isinstance(error, BlockingIOError) else None
    return True


def remove_abandoned(folder: Path, stem: str | None = None) -> None:
    """Remove temporary files of killed saves in a folder, but not those another program is writing.

    Args:
        folder: is looked through.
        stem: of the file that was saved; any when None.
    """
    name = ".+" if stem is None else re.escape(stem)
    pattern = re.compile(rf"\.{name}\.[a-z0-9_]{{8}}\.part")
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if pattern.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    if _is_abandoned(Path(entry.path)):
                        Path(entry.path).unlink()


def _is_abandoned(temporary: Path) -> bool:
    """Return True when no process is writing this file any more."""
    with temporary.open("rb") as file:
        age, is_ours = abs(time.time() - os.fstat(file.fileno()).st_mtime), _lock(file)
    return age > (OLD_SECONDS if is_ours is None else YOUNG_SECONDS) and is_ours is not False


def _about(path: Path, error: OSError) -> OSError:
    """Return the same error with the file name that the user gave."""
    return error if error.errno is None else OSError(error.errno, error.strerror, str(path))


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, so that nobody but the user may look into them.

    Raises:
        OSError: when it cannot be made.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(0o700, exist_ok=True)
    make_private(folder)


def make_private(path: Path) -> None:
    """Remove other users' permissions from a file or folder, if the file system has permissions."""
    with suppress(OSError):
        path.chmod(stat.S_IMODE(path.stat().st_mode) & 0o700)
