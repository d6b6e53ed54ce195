"""Dialog that shows what a fix makes of the whole program, before and after side by side, before it is taken."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QTextCursor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from engine.language.source import lines_of
from gui.panels.program.editor_marks import Highlighter, line_mark
from gui.theme import Colors, mono_font
from gui.widgets.layouts import add_widgets

WIDTH, HEIGHT = 920, 560
SIGNS = {"removed": "−", "added": "+", "same": " "}
"""Signs in front of each line, so that colour is not the only difference."""


class Row(NamedTuple):
    """A line of a program before and after a change; None where there is no such line."""

    before: str | None
    after: str | None


def difference(before: str, after: str) -> list[Row]:
    """Return the lines of two texts side by side, those together that differ in what stands before the code only."""
    old, new = lines_of(before), lines_of(after)
    code = [line.strip() for line in new]
    longest_first = sorted(filter(None, set(code)), key=len, reverse=True)
    had = [_code_of(line.strip(), longest_first) for line in old]
    matcher = SequenceMatcher(None, had, code, autojunk=False)
    rows: list[Row] = []
    for _tag, start, end, new_start, new_end in matcher.get_opcodes():
        for place in range(max(end - start, new_end - new_start)):
            left = old[start + place] if start + place < end else None
            right = new[new_start + place] if new_start + place < new_end else None
            rows.append(Row(left, right))
    return rows


def _code_of(line: str, known: Sequence[str]) -> str:
    """Return the known code that stands at the end of a line, behind a prompt or a number; else the line."""
    for code in known:
        if line.endswith(code) and (len(line) == len(code) or line[-len(code) - 1].isspace()):
            return code
    return line


def summary(rows: list[Row]) -> str:
    """Return how many lines are changed, left out and added."""
    changed = sum(row.before is not None and row.after is not None and row.before != row.after for row in rows)
    counts = {
        "changed": changed,
        "left out": sum(row.after is None and bool((row.before or "").strip()) for row in rows),
        "added": sum(row.before is None and bool((row.after or "").strip()) for row in rows),
    }
    said = [f"{count:,} {'line' if count == 1 else 'lines'} {what}" for what, count in counts.items() if count]
    return f"{', '.join(said) or 'Only blank lines differ'}. Undo brings the present text back."


class DifferenceDialog(QDialog):
    """Shows a text before and after a fix; accepted by Apply or Enter. It deletes itself when it is closed.

    Attributes:
        before, after: the two texts.
    """

    def __init__(self, title: str, before: str, after: str, colors: Colors, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        rows = difference(before, after)
        self.before = _side("The program now", [row.before for row in rows], [row.after for row in rows], "removed")
        self.after = _side(
            "The program with the fix", [row.after for row in rows], [row.before for row in rows], "added"
        )
        for side, color in ((self.before, colors.warning), (self.after, colors.output)):
            Highlighter(side.document()).set_colors(colors)
            marked = [block for block in _blocks(side) if block.block().text()[:1] not in ("", " ")]
            side.setExtraSelections([line_mark(cursor, color) for cursor in marked])
        for one, other in ((self.before, self.after), (self.after, self.before)):
            one.verticalScrollBar().valueChanged.connect(other.verticalScrollBar().setValue)
            one.horizontalScrollBar().valueChanged.connect(other.horizontalScrollBar().setValue)
        buttons = QDialogButtonBox()
        apply = buttons.addButton("Apply", QDialogButtonBox.ButtonRole.AcceptRole)
        apply.setDefault(True)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel).setIcon(QIcon())  # no other button has one
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        grid = QGridLayout()
        for column, (name, side) in enumerate((("Now", self.before), (title, self.after))):
            grid.addWidget(QLabel(name, textFormat=Qt.TextFormat.PlainText), 0, column)
            grid.addWidget(side, 1, column)
        words = QLabel(summary(rows), wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        add_widgets(QVBoxLayout(self), words, grid, 1, buttons)
        window = parent.window().size()
        self.resize(min(WIDTH, window.width() - 40), min(HEIGHT, window.height() - 40))
        first = next((number for number, row in enumerate(rows) if row.before != row.after), 0)
        self.after.verticalScrollBar().setValue(max(0, first - 3))
        self.after.setFocus()
        self.finished.connect(self.deleteLater)


def _side(name: str, lines: list[str | None], others: list[str | None], kind: str) -> QPlainTextEdit:
    """Return a view of one side; lines that are only here, or differ, have its sign."""
    texts = []
    for line, other in zip(lines, others, strict=True):
        texts.append("" if line is None else f"{SIGNS['same' if line == other else kind]} {line}")
    side = QPlainTextEdit("\n".join(texts), readOnly=True, lineWrapMode=QPlainTextEdit.LineWrapMode.NoWrap)
    side.setAccessibleName(name)
    side.setFont(mono_font(12))
    side.setTabChangesFocus(True)
    return side


def _blocks(side: QPlainTextEdit) -> list[QTextCursor]:
    block, found = side.document().begin(), []
    while block.isValid():
        found.append(QTextCursor(block))
        block = block.next()
    return found
