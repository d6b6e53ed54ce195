"""Writing a session's file, in whichever thread."""

from __future__ import annotations

from pathlib import Path

from engine.document import Document
from engine.document.files import FileStamp, check_regular, write_atomically
from engine.document.saved_runs import session_text


def write(path: Path, document: Document) -> FileStamp | OSError | ValueError:
    """Writes a document as a session's file; may be called in a thread.

    Returns:
        What the file holds now, or why it could not be written: then it holds what it held.
    """
    try:
        check_regular(path)
        return write_atomically(path, session_text(document).encode("utf-8"))
    except (OSError, ValueError) as error:
        return error.with_traceback(None)
