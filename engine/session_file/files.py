"""Reading sessions and programs: which kind of document a file holds, for window and command line."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from engine.document.document import Document, replace_section
from engine.file_access import FileProblem, read_regular
from engine.session_file.format import from_json
from engine.session_file.pasted import is_exported_code, session_of_text
from engine.session_file.saved_runs import saved_runs
from engine.session_file.strict_json import LARGEST_TEXT

PROGRAM_SUFFIXES = (".txt", ".py")
"""Suffixes of program files, in any case. A session is recognised by its content, not by its name."""


@dataclass(frozen=True)
class FileStamp:
    """Fingerprint of a file's content: two stamps are equal when the contents were.

    Time and identity are not part of it: a file that was touched, or replaced by the same content, has not changed,
    and one that was changed within a clock's tick has.

    Attributes:
        size: in bytes.
        digest: hash of the content.
    """

    size: int
    digest: str

    @classmethod
    def of(cls, content: bytes) -> FileStamp:
        return cls(len(content), hashlib.blake2b(content, digest_size=16).hexdigest())

    def matches(self, path: Path | str) -> bool:
        """Return True when the file still has this content; False when it is gone, unreadable or no regular file."""
        return self == stamp_of(path)

    def is_replaced(self, path: Path) -> bool:
        """Return True when the file has other content now; False when it is gone or unreachable."""
        try:
            path.stat()
        except OSError:
            return False
        return not self.matches(path)


def stamp_of(path: Path | str) -> FileStamp | None:
    """Return the stamp of the file now; None when it does not exist, cannot be read, or is too large for a session."""
    try:
        return FileStamp.of(read_bytes(Path(path)))
    except (OSError, FileProblem):
        return None


def is_gone(path: Path | None) -> bool:
    """Return True when a file was deleted or moved since; False when it never existed, or the system cannot tell."""
    try:
        if path is not None:
            path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:  # `exists` would call it gone in some versions of Python
        return False
    return False


@dataclass(frozen=True)
class DocumentFile:
    """Result of reading a file.

    Attributes:
        document: the session; or a default one around the program's text.
        is_program: the file was a program, so the document has no session file yet.
        stamp: of the content that was read.
        is_code: the session stood in exported code, which saving must not replace; it has no session file either.
    """

    document: Document
    is_program: bool
    stamp: FileStamp
    is_code: bool = False


def read_document(path: Path | str) -> DocumentFile:
    """Read a session file or a program.

    A file whose text is a session's is a session, whatever its name; else `PROGRAM_SUFFIXES` are programs, or exported
    code with its session at the end.

    Raises:
        OSError: when there is no such file or it may not be read.
        FileProblem: when it is not a regular file, too large, or not UTF-8.
        DocumentError: a ValueError, too: not a session, or a damaged one, with the place.
    """
    content = read_bytes(Path(path))
    text, stamp = _decoded(content), FileStamp.of(content)
    del content  # reading takes enough memory without it
    if Path(path).suffix.lower() in PROGRAM_SUFFIXES and not _looks_like_session(text):
        if is_exported_code(text):
            return DocumentFile(session_of_text(text), False, stamp, is_code=True)
        return DocumentFile(replace_section(Document(), "expression", text=text), True, stamp)
    document = from_json(text)
    saved_runs(document)
    return DocumentFile(document, False, stamp)


def _looks_like_session(text: str) -> bool:
    """Return True for a text that begins like a session; a damaged session counts, and is refused later."""
    return text.lstrip().startswith("{") and '"gradstep"' in text


def read_text(path: Path | str, room: int = 0) -> str:
    """Return the text of a regular UTF-8 file, at most `room` bytes larger than a session, without a byte-order mark.

    Raises:
        OSError: when there is no such file or it may not be read.
        FileProblem: when it is not a regular file, too large, or not UTF-8.
    """
    return _decoded(read_bytes(Path(path), room))


def read_bytes(path: Path, room: int = 0) -> bytes:
    """Return the content of a regular file; never waits for a pipe, never reads more than LARGEST_TEXT + `room`."""
    return read_regular(path, LARGEST_TEXT + room)


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(f"not UTF-8 text (byte {error.start + 1})") from None
