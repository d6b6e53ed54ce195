"""A session as text for a chat or a mail: its file, compressed, in letters and digits between two marks.

The JSON of a file would not survive that: quotes become typographic, lines are indented or joined. The reader ignores
every character that is no digit of base64, so that line breaks, blanks and the `>` of a quoted mail do no harm,
and zlib's checksum detects a missing letter. The contents are checked like a file.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib

from engine.document.document import Document
from engine.document.errors import DocumentError
from engine.session_file.format import from_json
from engine.session_file.saved_runs import saved_runs, session_text
from engine.session_file.strict_json import LARGEST_TEXT

LINE = 76  # characters
LONGEST_PASTED = 2 * LARGEST_TEXT
"""Limit of characters that are read: base64 takes four for three bytes, and a mail may add some to every line."""
FIRST_LINE = "A session of Gradstep. To open it, copy all of this text and choose File > Open session from clipboard."
BEGIN, END = "[Gradstep session]", "[end of session]"
_BEGIN = re.compile(r"\[\s*gradstep\s+session\s*\]", re.IGNORECASE)
_END = re.compile(r"\[\s*end\s+of\s+session\s*\]", re.IGNORECASE)
_CODE_END = re.compile(r"^# \[end of session\]\s*\Z", re.MULTILINE)
_COMMENTED_END = 200
_NO_DIGIT = re.compile(r"[^A-Za-z0-9+/=]+")


def text_of_session(document: Document) -> str:
    """Return a document as text to be pasted somewhere; any thread may call.

    Raises:
        ValueError: when it is too large for a file.
    """
    digits = base64.b64encode(zlib.compress(session_text(document).encode("utf-8"), 9)).decode("ascii")
    lines = [digits[i : i + LINE] for i in range(0, len(digits), LINE)]  # textwrap needs quadratic time for long words
    return "\n".join([FIRST_LINE, BEGIN, *lines, END, ""])


def is_session(text: str) -> bool:
    """Return True for a text that begins with the mark of a session, or like a session file."""
    beginning = text[:LONGEST_PASTED]
    return _BEGIN.search(beginning) is not None or (beginning.lstrip().startswith("{") and '"gradstep"' in beginning)


def is_exported_code(text: str) -> bool:
    """Return True for a program that ends with its session as a comment."""
    return _CODE_END.search(text[-_COMMENTED_END:]) is not None


def session_of_text(text: str) -> Document:
    """Return the session in a pasted text, which may stand among other words; any thread may call.

    Raises:
        DocumentError: there is none, it is damaged or too large, or it is not a valid session.
    """
    if len(text) > LONGEST_PASTED:
        raise DocumentError("", f"too long: at most {LONGEST_PASTED:,} characters, not {len(text):,}")
    begin = max(_BEGIN.finditer(text), key=re.Match.start, default=None)  # exported code may name the mark before
    if begin is None and not is_session(text):
        raise DocumentError("", "there is no session in it; click into the editor to paste a program")
    document = from_json(text if begin is None else _unpacked(text[begin.end() :]))
    saved_runs(document)
    return document


def _unpacked(text: str) -> str:
    """Return the text of a session's file from the text behind the first mark; at most the size of a file."""
    end = _END.search(text)
    if end is None:
        raise DocumentError("", f"the end of the session is missing: copy the text up to {END}")
    unpacking = zlib.decompressobj()
    try:
        packed = base64.b64decode(_NO_DIGIT.sub("", text[: end.start()]), validate=True)
        content = unpacking.decompress(packed, LARGEST_TEXT + 1)
        if len(content) > LARGEST_TEXT:
            raise DocumentError("", f"too large: at most {LARGEST_TEXT:,} bytes")
        if not unpacking.eof or unpacking.unused_data:
            raise zlib.error
        return content.decode("utf-8")
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        raise DocumentError("", "the session is damaged: some of its text is missing or was changed") from None
