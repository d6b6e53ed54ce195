"""Edits of whole lines of a program by a key: indentation, comments, a new line that begins where it should."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QTextBlock, QTextCursor

STEP = 4
"""Spaces of one indentation."""
_BLANK = re.compile(r"[ \t]*")
_ENDS_BLOCK = re.compile(r"(return|pass|break|continue|raise)\b")
_COMMENT = re.compile(r"([ \t]*)# ?")


def new_line(cursor: QTextCursor) -> None:
    """Begin a line with the indentation of the previous one: deeper after a colon, less deep after a `return`."""
    before = cursor.block().text()[: cursor.positionInBlock()]
    indentation = _indentation(before)
    statement = before.split("#")[0].rstrip()
    if statement.endswith(":"):
        indentation += " " * STEP
    elif _ENDS_BLOCK.match(before.strip()):
        indentation = indentation[:-STEP]
    cursor.insertText("\n" + indentation)


def indent(cursor: QTextCursor) -> None:
    """Move the selected lines in by a step; without a selection the caret, to the next step."""
    if not cursor.hasSelection():
        cursor.insertText(" " * (STEP - cursor.positionInBlock() % STEP))
        return
    with one_change(cursor):
        for block in _lines(cursor):
            if block.text().strip():
                QTextCursor(block).insertText(" " * STEP)


def dedent(cursor: QTextCursor) -> None:
    """Move the selected lines, or that of the caret, out by a step."""
    with one_change(cursor):
        for block in _lines(cursor):
            _remove(block, 0, min(len(_indentation(block.text())), STEP))


def toggle_comment(cursor: QTextCursor) -> None:
    """Make comments of the selected lines, or of that of the caret; lines that all are comments code again."""
    blocks = [block for block in _lines(cursor) if block.text().strip()]
    with one_change(cursor):
        if all(_COMMENT.match(block.text()) for block in blocks):
            for block in blocks:
                found = _COMMENT.match(block.text())
                assert found is not None
                _remove(block, found.end(1), found.end() - found.end(1))
        else:
            column = min(len(_indentation(block.text())) for block in blocks)
            for block in blocks:
                _at(block, column).insertText("# ")


def remove_indentation(cursor: QTextCursor) -> bool:
    """Move the caret back by one indentation level if only spaces precede it; return True if it moved."""
    before = cursor.block().text()[: cursor.positionInBlock()]
    if cursor.hasSelection() or not before or before.strip(" "):
        return False
    _remove(cursor.block(), (len(before) - 1) // STEP * STEP, len(before) - (len(before) - 1) // STEP * STEP)
    return True


@contextmanager
def one_change(cursor: QTextCursor) -> Iterator[None]:
    """Group edits of the text into one change."""
    cursor.beginEditBlock()
    try:
        yield
    finally:
        cursor.endEditBlock()


def _lines(cursor: QTextCursor) -> Iterator[QTextBlock]:
    """The lines that are selected, if only in part; one in which the selection just ends is not."""
    document, start, end = cursor.document(), cursor.selectionStart(), cursor.selectionEnd()
    block, last = document.findBlock(start), document.findBlock(max(start, end - 1)).blockNumber()
    while block.isValid() and block.blockNumber() <= last:
        yield block
        block = block.next()


def _indentation(line: str) -> str:
    found = _BLANK.match(line)
    return found[0] if found else ""


def _at(block: QTextBlock, column: int) -> QTextCursor:
    cursor = QTextCursor(block)
    cursor.setPosition(block.position() + column)
    return cursor


def _remove(block: QTextBlock, column: int, count: int) -> None:
    cursor = _at(block, column)
    cursor.setPosition(block.position() + column + count, QTextCursor.MoveMode.KeepAnchor)
    cursor.removeSelectedText()
