"""Find and replace in the program: a bar over the editor, opened by a key, closed by Escape."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtGui import QTextCursor, QTextDocument
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
NOTHING = r"(?!)"
"""Pattern that is found nowhere."""
BUTTONS = {
    "back": ("▲", "Previous match (Shift+Enter)"),
    "next": ("▼", "Next match (Enter)"),
    "close": ("✕", "Close (Esc)"),
    "replace": ("Replace", "Replace this match and go to the next"),
    "replace all": ("All", "Replace all matches"),
}


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

    def _wanted(self) -> re.Pattern[str]:
        """Return the pattern of the places; Qt's own search makes a cursor of each, and takes seconds for thousands."""
        return re.compile(re.escape(self.field.text()) or NOTHING, re.IGNORECASE)

    def _find_from_start(self) -> None:
        cursor = self._editor.textCursor()
        cursor.setPosition(cursor.selectionStart())
        self._editor.setTextCursor(cursor)
        self.go(1)

    def go(self, step: int) -> None:
        """Go to the next match (1) or the previous one (-1), wrapping around."""
        text, document, caret = self.field.text(), self._editor.document(), self._editor.textCursor()
        backward = QTextDocument.FindFlag.FindBackward if step < 0 else QTextDocument.FindFlag(0)
        if text:
            found = document.find(text, caret, backward)
            if found.isNull():
                end = QTextCursor(document)
                if step < 0:
                    end.movePosition(QTextCursor.MoveOperation.End)
                found = document.find(text, end, backward)
            if not found.isNull():
                self._editor.setTextCursor(found)
                self._editor.centerCursor()
        self._show_place()

    def _show_place(self) -> None:
        text = self._editor.toPlainText()
        starts = [match.start() for match in self._wanted().finditer(text)]
        if not self.field.text():
            self.words.setText("")
        elif not starts:
            self.words.setText(TEXTS["none"])
        else:
            caret = characters(text, self._editor.textCursor().selectionStart())
            before = sum(start < caret for start in starts)
            self.words.setText(TEXTS["some"].format(number=min(before + 1, len(starts)), count=len(starts)))
        for name in ("back", "next", "replace", "replace all"):
            self.buttons[name].setEnabled(bool(starts))

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
        """Replace all places as one undo step."""
        text, caret = self._editor.toPlainText(), self._editor.textCursor()
        wanted, new = self._wanted(), self.replacement.text()
        places = [match.span() for match in wanted.finditer(text)]
        if not places:
            return
        self._edited()
        start, end = places[0][0], places[-1][1]
        changed, before = (
            wanted.sub(lambda _match: new, part)
            for part in (text[start:end], text[: characters(text, caret.position())])
        )
        all_places = QTextCursor(self._editor.document())
        all_places.setPosition(units(text, start))
        all_places.setPosition(units(text, end), QTextCursor.MoveMode.KeepAnchor)
        all_places.insertText(changed)  # one by one, each would move the cursors of all others
        caret.setPosition(units(before, len(before)))
        self._editor.setTextCursor(caret)
        self._edited()
        self.words.setText(TEXTS["replaced"].format(count=len(places)))
