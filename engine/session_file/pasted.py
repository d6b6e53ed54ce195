"""A session as text for a chat or a mail: first its program and a summary to be read, then its file, compressed.

The compressed file is letters and digits between two marks. The reader ignores every character that is no digit of
base64, so that line breaks, blanks and the `>` of a quoted mail do no harm, and zlib's checksum detects a missing
letter. The JSON of a file is read, too, and what mail and chat do to it is undone as far as it can be: quoting,
typographic quotes, wrapped lines, fences and words around it. The contents are checked like a file.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib

from engine.autograd.notation import counted
from engine.document.document import Document
from engine.document.errors import DocumentError
from engine.messages import visible
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
_NO_DIGIT = re.compile(r"[^A-Za-z0-9+/]+")
MOST_SHOWN_LINES, LONGEST_SHOWN = 60, 100
"""Lines of the program and characters of each that stand before the compressed file to be read."""
_MARGIN = re.compile(r"^[ \t]*(?:[>|][ \t]?)+", re.MULTILINE)
_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb"
_OPENING = re.compile(rf"(?<=[{{\[,:\n])([ \t\n]*)[{_QUOTES}]")
_CLOSING = re.compile(rf"(?:(\\)[{_QUOTES}])|[{_QUOTES}](?=[ \t\n]*[,:}}\]\n])")
_UNSEEN = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
_BLANKS = re.compile("[\u00a0\u2007\u202f\u2009]")
_JSON = re.compile(rf'\{{[\s>|]*["{_QUOTES}]gradstep["{_QUOTES}]\s*:')
_SECTION = re.compile(rf'["{_QUOTES}](?:expression|data|network|training)["{_QUOTES}]\s*:')


def text_of_session(document: Document, readable: bool = True) -> str:
    """Return a document as text to be pasted somewhere; any thread may call.

    Args:
        document: the session.
        readable: its program and a summary stand before the compressed file.

    Raises:
        ValueError: when it is too large for a file.
    """
    digits = base64.b64encode(zlib.compress(session_text(document).encode("utf-8"), 9)).decode("ascii")
    lines = [digits[i : i + LINE] for i in range(0, len(digits), LINE)]  # textwrap needs quadratic time for long words
    before = ["", *_summary(document), ""] if readable else []
    return "\n".join([FIRST_LINE, *before, BEGIN, *lines, END, ""])


def _summary(document: Document) -> list[str]:
    """Return lines for people: what is in the session, and its program."""
    program = document.expression.text.splitlines()
    trained = f", trained for {counted(document.trained.step, 'step')}" if document.trained.step else ""
    sizes = "-".join(map(str, document.network.layer_sizes))
    data = document.data.name if document.data.source == "generator" else document.data.source
    shown = [visible(line.expandtabs(4), LONGEST_SHOWN) for line in program[:MOST_SHOWN_LINES]]
    if len(program) > len(shown):
        shown.append(f"... and {counted(len(program) - len(shown), 'more line')}")
    about = [f"Network {sizes} on the data {data}{trained}.", f"Program, {counted(len(program), 'line')}:"]
    return [*about, *(f"    {line}".replace("[", "(") if _BEGIN.search(line) else f"    {line}" for line in shown)]


def is_session(text: str) -> bool:
    """Return True for a text in which there is the mark of a session, or the beginning of a session file."""
    beginning = text[:LONGEST_PASTED]
    if _BEGIN.search(beginning) is not None or (beginning.lstrip().startswith("{") and '"gradstep"' in beginning):
        return True
    return _JSON.search(beginning) is not None and _SECTION.search(beginning) is not None


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
    document = _document_of_json(text) if begin is None else from_json(_unpacked(text[begin.end() :]))
    saved_runs(document)
    return document


def _document_of_json(text: str) -> Document:
    """Return the session in the text of a file, as it is or with the changes of mail and chat undone."""
    try:
        return from_json(text)
    except DocumentError as error:
        if error.path:  # it is JSON, and a field is wrong
            raise
    found = _JSON.search(text)
    return from_json(repaired(text[found.start() :] if found is not None else text))


def repaired(text: str) -> str:
    """Return the JSON in a text as it was before a mail or a chat had it, as far as that can be known.

    Marks of quoting, invisible characters and what follows the last brace are removed, typographic quotes where quotes
    of JSON are made straight, and lines that were wrapped within a text are joined with a blank.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(_MARGIN.findall(lines)) * 2 > lines.count("\n"):
        lines = _MARGIN.sub("", lines)
    lines = _BLANKS.sub(" ", _UNSEEN.sub("", lines))
    if '"gradstep"' not in lines:  # otherwise typographic quotes are the program's own
        lines = _CLOSING.sub(lambda found: (found[1] or "") + '"', _OPENING.sub(r'\1"', lines))
    pieces = re.split(r'("(?:[^"\\]|\\.)*")', lines[: lines.rfind("}") + 1], flags=re.DOTALL)
    pieces[1::2] = [re.sub(r" *\n *", " ", piece) for piece in pieces[1::2]]
    return "".join(pieces)


def _unpacked(text: str) -> str:
    """Return the text of a session's file from the text behind the first mark; at most the size of a file."""
    end = _END.search(text)
    if end is None:
        raise DocumentError("", f"the end of the session is missing: copy the text up to {END}")
    unpacking = zlib.decompressobj()
    try:
        digits = _NO_DIGIT.sub("", text[: end.start()])
        packed = base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True)
        content = unpacking.decompress(packed, LARGEST_TEXT + 1)
        if len(content) > LARGEST_TEXT:
            raise DocumentError("", f"too large: at most {LARGEST_TEXT:,} bytes")
        if not unpacking.eof or unpacking.unused_data:
            raise zlib.error
        return content.decode("utf-8")
    except (binascii.Error, zlib.error, UnicodeDecodeError):
        raise DocumentError("", "the session is damaged: some of its text is missing or was changed") from None
