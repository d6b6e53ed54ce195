"""Results of long work, which are not lost when their file cannot be written at the end."""

from __future__ import annotations

import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from engine.file_access import reason_of, write_atomically
from engine.terminal import OutputLost, say_text


def write_result(option: str, path: Path, content: bytes, has_output: bool) -> str:
    """Write a result; where that fails, into the folder for temporary files, or else to standard output.

    Args:
        option: names the output on the command line, such as "-o".
        path: of the output.
        content: a text in UTF-8.
        has_output: standard output may be used: it is no JSON.

    Returns:
        What went wrong and where the result is, for the user; "" when it was written.
    """
    try:
        write_atomically(path, content)
        return ""
    except OSError as error:
        words = f"{option} {path} was not written: {reason_of(error)}"
    elsewhere = Path(tempfile.gettempdir(), f"gradstep-{secrets.token_hex(4)}{path.suffix}")
    with suppress(OSError):
        write_atomically(elsewhere, content, private=True)
        return f"{words}; the result is in {elsewhere}"
    if has_output:
        with suppress(OutputLost):
            say_text(content.decode())
            return f"{words}; the result is on standard output"
    return words
