"""Writing a session's file, in whichever thread."""

from __future__ import annotations

from pathlib import Path

from engine.document import Document, to_json
from engine.document.files import FileStamp, check_regular, write_atomically


def write(path: Path, document: Document) -> FileStamp | OSError | ValueError:
    """Writes a document as a session's file; may be called in a thread.

    Returns:
        What the file holds now, or why it could not be written: then it holds what it held.
    """
    try:
        check_regular(path)
        return write_atomically(path, to_json(document).encode("utf-8"))
    except (OSError, ValueError) as error:
        return error.with_traceback(None)
