"""Find and replace in the program: a bar over the editor, opened by a key, closed by Escape."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QGridLayout, QWidget

from gui.panels.find_bar import FindField
from gui.panels.program.editor import ProgramEditor
from gui.panels.program.editor_marks import characters, units
from gui.widgets.buttons import tool_button
from gui.widgets.labels import ElidedLabel

TEXTS = {
    "find": "find in the program",
    "replace": "replace by",
    "none": "not found",
    "some": "{number:,} of {count:,}",
    "replaced": "{count:,} replaced",
}
"""Texts of the bar."""
BUTTONS = {
    "back": ("▲", "Previous match (Shift+Enter)"),
    "next": ("▼", "Next match (Enter)"),
    "close": ("✕", "Close (Esc)"),
    "replace": ("Replace", "Replace this match and go to the next"),
    "replace all": ("All", "Replace all matches"),
}


def matches_of(wanted: str, text: str) -> list[tuple[int, int]]:
    """Return start and end of each match in a text, in characters; case is ignored, and no match goes over lines.

    Qt's own search makes a cursor for each match, which is slow for thousands.
    """
    if not wanted or "\n" in wanted:
        return []
    found = re.finditer(re.escape(wanted), text, re.IGNORECASE)
    return [match.span() for match in found if match[0].casefold() == wanted.casefold()]  # re takes ı and İ for i


class ReplaceBar(QWidget):
    """Bar that finds a text in the program, ignoring case, and replaces it.

    Attributes:
        field, replacement: where both texts are typed.
        words: which place of how many is selected.
    """

    def __init__(self, editor: ProgramEditor, edited: Callable[[], object]) -> None:
        """Create the bar; `edited` is called before and after an undo step of its own."""
        super().__init__()
        self._editor, self._edited = editor, edited
        self.field, self.replacement = FindField(), FindField()
        for field, name in ((self.field, "find"), (self.replacement, "replace")):
            field.setPlaceholderText(TEXTS[name])
            field.setAccessibleName(TEXTS[name])
            field.left.connect(self.leave)
        self.words = ElidedLabel()
        self.words.setProperty("muted", True)
        actions = {
            "back": lambda: self.go(-1),
            "next": lambda: self.go(1),
            "close": self.leave,
            "replace": self.replace,
            "replace all": self.replace_all,
        }
        self.buttons = {name: tool_button(*BUTTONS[name], do, name, "1px 6px") for name, do in actions.items()}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(4)
        grid.addWidget(self.field, 0, 0)
        grid.addWidget(self.replacement, 1, 0)
        for row, names in enumerate((("back", "next", "close"), ("replace", "replace all"))):
            for column, name in enumerate(names, start=1):
                grid.addWidget(self.buttons[name], row, column)
        grid.addWidget(self.words, 2, 0, 1, 4)
        grid.setColumnStretch(0, 1)
        self.field.textChanged.connect(lambda _text: self._find_from_start())
        self.field.stepped.connect(self.go)
        self.replacement.stepped.connect(lambda _step: self.replace())
        self.hide()

    def start(self) -> None:
        """Open the bar; what is selected in the editor is looked for."""
        selected = self._editor.textCursor().selectedText()
        self.show()
        if selected and "\u2029" not in selected:
            self.field.setText(selected)
        self.field.setFocus()
        self.field.selectAll()
        self._show_place()

    def leave(self) -> None:
        """Close the bar; the editor has the keyboard again."""
        self.hide()
        self._editor.setFocus()

    # Finding

    def _find_from_start(self) -> None:
        cursor = self._editor.textCursor()
        cursor.setPosition(cursor.selectionStart())
        self._editor.setTextCursor(cursor)
        self.go(1)

    def go(self, step: int) -> None:
        """Go to the next match (1) or the previous one (-1), wrapping around."""
        text, caret = self._editor.toPlainText(), self._editor.textCursor()
        found = matches_of(self.field.text(), text)
        if found:
            start, end = (characters(text, place) for place in (caret.selectionStart(), caret.selectionEnd()))
            if step > 0:
                chosen = next((match for match in found if match[0] >= end), found[0])
            else:
                chosen = next((match for match in reversed(found) if match[1] <= start), found[-1])
            self._editor.setTextCursor(self._selection(text, *chosen))
            self._editor.centerCursor()
        self._show_place()

    def _selection(self, text: str, start: int, end: int) -> QTextCursor:
        """Return a cursor that selects these characters."""
        cursor = QTextCursor(self._editor.document())
        cursor.setPosition(units(text, start))
        cursor.setPosition(units(text, end), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _show_place(self) -> None:
        text = self._editor.toPlainText()
        found = matches_of(self.field.text(), text)
        if not self.field.text():
            self.words.setText("")
        elif not found:
            self.words.setText(TEXTS["none"])
        else:
            caret = characters(text, self._editor.textCursor().selectionStart())
            before = sum(start < caret for start, _end in found)
            self.words.setText(TEXTS["some"].format(number=min(before + 1, len(found)), count=len(found)))
        for name in ("back", "next", "replace", "replace all"):
            self.buttons[name].setEnabled(bool(found))

    # Replacing

    def replace(self) -> None:
        """Replace the selected match and go to the next one."""
        caret = self._editor.textCursor()
        if self.field.text() and caret.selectedText().casefold() == self.field.text().casefold():
            self._edited()
            caret.insertText(self.replacement.text())
            self._edited()
        self.go(1)

    def replace_all(self) -> None:
        """Replace all matches as one undo step; the caret stays where it is in the text."""
        self._edited()
        text, caret = self._editor.toPlainText(), self._editor.textCursor()
        found = matches_of(self.field.text(), text)
        if not found:
            self._show_place()
            return
        new = self.replacement.text().replace("\r\n", "\n")
        between = [text[end:start] for (_start, end), (start, _end) in pairwise(found)]
        place = characters(text, caret.position())
        place = next((start for start, end in found if start < place < end), place)
        place += sum(len(new) - (end - start) for start, end in found if end <= place)
        # one insertion: thousands would take minutes
        self._selection(text, found[0][0], found[-1][1]).insertText(new + "".join(part + new for part in between))
        changed = self._editor.toPlainText()
        caret.setPosition(units(changed, place))
        self._editor.setTextCursor(caret)
        self._edited()
        if self._editor.toPlainText() == changed:  # a program that is too long is taken back
            self.words.setText(TEXTS["replaced"].format(count=len(found)))
