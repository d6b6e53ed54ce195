"""Reading and writing files so that nothing is lost.

A file is written beside the old one, flushed to the disk and then put in its place in one move: at every moment either
the old or the new content is there. Where a move would take something from the file (other names of it, its owner) it
is overwritten instead, and what is not a regular file (`/dev/null`, a pipe) is written to. Reading looks at the size
and kind of a file before it reads. What kind of document a file holds is decided here, for window and command line.
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
from contextlib import suppress
from pathlib import Path
from typing import IO, BinaryIO

from engine.document.document import Document, from_json, replace_section
from engine.document.saved_runs import saved_runs
from engine.document.strict_json import LARGEST_TEXT
from engine.quick_dataclass import dataclass

if sys.platform != "win32":
    import fcntl

PROGRAM_SUFFIXES = (".txt", ".py")
"""Of files that hold a program; capitals are the same. A session is known by its content, whatever it is called."""
LONGEST_STEM = 150
YOUNG_SECONDS, OLD_SECONDS = 10, 600
"""A temporary file that is older belongs to a save that was killed: if nobody has it locked, or nobody can say."""
_WINDOWS_BUSY = {5, 32, 33}
_PATIENCE_SECONDS = 2.5


class FileProblem(ValueError):
    """A file that cannot be read as text, with the reason."""


@dataclass(frozen=True)
class FileStamp:
    """What a file held at some moment, to be compared later: two stamps are equal when the contents were.

    Neither time nor identity are in it: a file that was touched, or replaced by the same content, has not changed, and
    one that was changed within a clock's tick has.

    Attributes:
        size: in bytes.
        digest: of all of them.
    """

    size: int
    digest: str

    @classmethod
    def of(cls, content: bytes) -> FileStamp:
        """The stamp of a file with this content."""
        return cls(len(content), hashlib.blake2b(content, digest_size=16).hexdigest())

    def matches(self, path: Path | str) -> bool:
        """Whether the file still holds this; not when it is gone, unreadable or no regular file any more."""
        return self == stamp_of(path)

    def is_replaced(self, path: Path) -> bool:
        """Whether something else is there now; not when it is gone or cannot be reached, which writing it tells of."""
        try:
            there = path.exists()
        except OSError:
            return False
        return there and not self.matches(path)


def stamp_of(path: Path | str) -> FileStamp | None:
    """What the file holds now; None when there is no such file, it cannot be read, or it is more than a session."""
    try:
        return FileStamp.of(_read_bytes(Path(path)))
    except (OSError, FileProblem):
        return None


def is_gone(path: Path | None) -> bool:
    """Whether a file was deleted or moved since; not when there never was one, or nobody can say."""
    try:
        return path is not None and not path.exists()
    except OSError:
        return False


@dataclass(frozen=True)
class DocumentFile:
    """What was read from a file.

    Attributes:
        document: the session; or a default one around the program's text.
        is_program: it was a program, so the document has no session file yet.
        stamp: of exactly what was read.
    """

    document: Document
    is_program: bool
    stamp: FileStamp


def read_document(path: Path | str) -> DocumentFile:
    """Reads a session file or a program.

    A file whose text is a session's is a session, whatever its name; else `PROGRAM_SUFFIXES` are programs.

    Raises:
        OSError: when there is no such file or it may not be read.
        FileProblem: when it is not a regular file, too large, or not UTF-8.
        DocumentError: a ValueError, too: not a session, or a damaged one, with the place.
    """
    content = _read_bytes(Path(path))
    text, stamp = _decoded(content), FileStamp.of(content)
    del content  # reading takes enough without it
    if Path(path).suffix.lower() in PROGRAM_SUFFIXES and not _looks_like_session(text):
        return DocumentFile(replace_section(Document(), "expression", text=text), True, stamp)
    document = from_json(text)
    saved_runs(document)
    return DocumentFile(document, False, stamp)


def _looks_like_session(text: str) -> bool:
    """Whether it begins as a session does; a damaged one does, too, and is then refused with the place."""
    return text.lstrip().startswith("{") and '"gradstep"' in text


def read_text(path: Path | str, room: int = 0) -> str:
    """The text of a regular UTF-8 file, of at most `room` bytes more than a session; a byte-order mark is dropped.

    Raises:
        OSError: when there is no such file or it may not be read.
        FileProblem: when it is not a regular file, too large, or not UTF-8.
    """
    return _decoded(_read_bytes(Path(path), room))


def _read_bytes(path: Path, room: int = 0) -> bytes:
    """All of a regular file; never waits for a pipe, never reads more than LARGEST_TEXT and `room` bytes."""
    most = LARGEST_TEXT + room
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise FileProblem(f"{_kind(status.st_mode)}, not a regular file")
    if status.st_size <= most:
        with path.open("rb") as file:
            content = file.read(most + 1)
        if len(content) <= most:
            return content
    raise FileProblem(f"too large: at most {most:,} bytes, not {max(status.st_size, most + 1):,}")


def _kind(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(f"not UTF-8 text (byte {error.start + 1})") from None


def reason_of(error: Exception) -> str:
    """Why a file could not be read or written, in words without numbers of errors and without its name."""
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


def check_writable(path: Path | str) -> None:
    """Finds out before any work whether `path` can be written: a new file, an old one, or a device.

    Raises:
        OSError: with what is wrong in words (`reason_of`) and with the name of `path`; nothing has changed.
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
    """A file without any right to write is protected on purpose, also from those who may do everything."""
    if status is not None and not (status.st_mode & 0o222 and os.access(path, os.W_OK)):
        reason = "it is read-only: choose another name, or allow writing to it"
        raise PermissionError(errno.EACCES, reason, str(path))


def write_atomically(path: Path | str, content: bytes, private: bool = False) -> FileStamp:
    """Replaces the content of `path`, or leaves it as it was.

    A symbolic link is kept and its target written. Permissions (special ones too), owner, group and extended attributes
    are kept. A file that has several names (hard links), or whose owner cannot be given to a new file, is overwritten
    where it is once the new content is safe on the disk, as Vim does: all its names go on naming one file. Devices and
    pipes are written to.

    Args:
        path: its folder must exist.
        content: all bytes of the new file.
        private: nobody but its owner may read or write the file, at any moment, whatever its permissions were.

    Returns:
        The stamp of what was written.

    Raises:
        OSError: when the folder is missing, not writable or full, or the file is read-only; it names `path`, and the
            old file is untouched.
    """
    path = Path(path)
    try:
        status = _status(path)
        if status is not None and not stat.S_ISREG(status.st_mode):
            with open_stream(path) as stream:
                stream.write(content)
        else:
            _refuse_read_only(path, status)
            _replace_content(_target(path), status, content, private)
    except OSError as error:
        raise _about(path, error) from None
    return FileStamp.of(content)


def open_stream(path: Path | str) -> BinaryIO:
    """Opens a file that is written bit by bit: a device, a pipe, or a log that can be read while it grows.

    The terminal's own output (`/dev/stdout`) goes on where it is. A pipe that nobody reads is not waited for.

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
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(descriptor, True)
    return descriptor


def check_regular(path: Path) -> None:
    """Refuses what would swallow a session instead of keeping it: a folder, a pipe, a device.

    Raises:
        FileProblem: when `path` leads to something that is not a regular file.
        OSError: when the system cannot say.
    """
    status = _status(path)
    if status is not None and not stat.S_ISREG(status.st_mode):
        raise FileProblem(f"it is {_kind(status.st_mode)}, not a regular file")


def _status(path: Path) -> os.stat_result | None:
    """What the system knows of the file that `path` leads to; None when there is none."""
    try:
        return path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _target(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _stem(target: Path) -> str:
    """How the names of the temporary files of `target` begin; short enough for any system."""
    name = os.fsencode(target.name)
    return target.name if len(name) <= LONGEST_STEM else hashlib.blake2b(name, digest_size=16).hexdigest()


def _replace_content(target: Path, status: os.stat_result | None, content: bytes, private: bool) -> None:
    temporary = target.parent / f".{_stem(target)}.{secrets.token_hex(4)}.part"
    mode = 0o666 if status is None and not private else 0o600  # a new file gets what the user's mask leaves of it
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            _lock(file)
            _write_through(file, content)
        if _made_alike(temporary, target, status):
            if private:
                temporary.chmod(0o600)
            _replace(temporary, target)
        else:
            if private:
                target.chmod(0o600)
            _overwrite(target, content)
    finally:
        with suppress(OSError):
            temporary.unlink()
    _remove_leftovers(target)


def _write_through(file: IO[bytes], content: bytes) -> None:
    file.write(content)
    file.flush()
    os.fsync(file.fileno())


def _made_alike(temporary: Path, target: Path, status: os.stat_result | None) -> bool:
    """Gives a new file all that the old one has besides its content; whether it can take its place."""
    if status is None:
        return True
    if status.st_nlink > 1:
        return False
    try:
        mine = temporary.stat()
        if (mine.st_uid, mine.st_gid) != (status.st_uid, status.st_gid):
            os.chown(temporary, status.st_uid, status.st_gid)
        shutil.copystat(target, temporary)  # after the owner: giving a file away takes its special permissions
        os.utime(temporary)
    except OSError:
        return False
    return True


def _overwrite(target: Path, content: bytes) -> None:
    """Writes into the file that is there; puts the old content back when that fails."""
    old = target.read_bytes()
    try:
        _write_into(target, content)
    except BaseException:
        with suppress(OSError):
            _write_into(target, old)
        raise


def _write_into(target: Path, content: bytes) -> None:
    with target.open("r+b") as file:
        _write_through(file, content)
        file.truncate()


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


def _lock(file: IO[bytes]) -> bool | None:
    """Locks a file until it is closed; whether it is ours now, None when the system cannot say."""
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return False if isinstance(error, BlockingIOError) else None
    return True


def _remove_leftovers(target: Path) -> None:
    """Removes what saving this file left behind when it was killed; what another program is writing stays."""
    pattern = re.compile(rf"\.{re.escape(_stem(target))}\.[a-z0-9_]{{8}}\.part")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            ours = pattern.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)
            if ours and _is_abandoned(Path(entry.path)):
                Path(entry.path).unlink()


def _is_abandoned(temporary: Path) -> bool:
    """Whether nobody writes this file any more."""
    with temporary.open("rb") as file:
        age, is_ours = abs(time.time() - os.fstat(file.fileno()).st_mtime), _lock(file)
    return age > (OLD_SECONDS if is_ours is None else YOUNG_SECONDS) and is_ours is not False


def _about(path: Path, error: OSError) -> OSError:
    """The same error, naming the file that the user named."""
    return error if error.errno is None else OSError(error.errno, error.strerror, str(path))
