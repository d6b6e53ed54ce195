"""Completion of what is typed: names with what the last run has bound to them, functions, methods after a dot."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QPainter, QStandardItem, QStandardItemModel, QTextCursor
from PySide6.QtWidgets import QCompleter, QListView, QPlainTextEdit, QStyledItemDelegate, QStyleOptionViewItem

from engine.autograd import Value
from engine.language import Completion, KnownNames, completions
from engine.language.source import MAX_CHARACTERS, MAX_NAME
from gui.number_texts import reading_text
from gui.panels.program.editor_marks import characters
from gui.theme import LIGHT, Colors

Index = QModelIndex | QPersistentModelIndex
WIDTH = 320  # pixels
LEAST_LETTERS = 2
"""Letters of a word after which completion opens by itself."""


def kind_of(value: object) -> str:
    """Describe the type of a variable in one or two words."""
    if isinstance(value, Value):
        return "Value"
    if isinstance(value, bool) or value is None:
        return str(type(value).__name__)
    for kind, name in ((int | float, "number"), (str, "text"), (list | tuple, "list"), (dict, "dict")):
        if isinstance(value, kind):
            return name
    return "array" if isinstance(value, np.ndarray) else "object"


def detail_of(value: object) -> str:
    """Return the text next to a variable in the list."""
    if isinstance(value, Value) and np.ndim(value.data) == 0:
        return f"Value {reading_text(float(value.data))}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"number {reading_text(float(value))}"
    if isinstance(value, list | tuple | dict | str):
        return f"{kind_of(value)} of {len(value):,}"
    return kind_of(value)


def offered(text: str, at: int, variables: Mapping[str, object], known: KnownNames) -> list[Completion]:
    """Return what could stand at the caret, the names of the program first.

    Args:
        text: the whole program.
        at: offset of the caret.
        variables: what the names of the program stood for after the last run.
        known: names of that run.
    """
    details = {name: detail_of(value) for name, value in variables.items()}
    return sorted(completions(text, at, details, known), key=lambda item: item.kind not in ("name", "method"))


class _Delegate(QStyledItemDelegate):
    """Draws the detail at the right of the word."""

    colors: Colors = LIGHT

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The word, then what there is room for."""
        super().paint(painter, option, index)
        rect, metrics = option.rect, option.fontMetrics  # type: ignore[attr-defined]
        left = metrics.horizontalAdvance(str(index.data())) + 24
        detail = index.data(Qt.ItemDataRole.ToolTipRole) or ""
        painter.setPen(QColor(self.colors.muted))
        room = rect.adjusted(left, 0, -6, 0)
        shown = metrics.elidedText(detail, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shown)


def _row(item: Completion) -> QStandardItem:
    """The word; what it is as its tip and for screen readers."""
    row = QStandardItem(item.text)
    row.setToolTip(item.detail)
    row.setAccessibleDescription(item.detail)
    return row


class ProgramCompletion(QObject):
    """Offers completions in an editor.

    Attributes:
        completer: Qt's, with the list.
        variables: what the names of the program stood for after the last run.
        known: names of that run.
    """

    def __init__(self, editor: QPlainTextEdit) -> None:
        super().__init__(editor)
        self._editor = editor
        self.variables: Mapping[str, object] = {}
        self.known = KnownNames()
        self._words = QStandardItemModel(self)
        self._popup = QListView()
        self._delegate = _Delegate(self)
        self.completer = QCompleter(self._words, self)
        self.completer.setPopup(self._popup)
        self._popup.setItemDelegate(self._delegate)  # the completer has given it one of its own
        self.completer.setWidget(editor)
        self.completer.activated.connect(self._insert)

    def set_colors(self, colors: Colors) -> None:
        self._delegate.colors = colors

    @property
    def is_open(self) -> bool:
        """True while the list is open."""
        return self._popup.isVisible()

    def hide(self) -> None:
        """Close the list."""
        self._popup.hide()

    def word_before_caret(self) -> str:
        """Return the word to be completed."""
        cursor = self._editor.textCursor()
        start = max(cursor.block().position(), cursor.position() - MAX_NAME - 1)
        cursor.clearSelection()  # what is selected is no part of it
        cursor.setPosition(start, QTextCursor.MoveMode.KeepAnchor)
        found = re.search(r"\w*$", cursor.selectedText())
        return found[0] if found else ""

    def offer(self, asked: bool) -> None:
        """Open the list, if there is something to offer.

        Args:
            asked: the user wants it, however little is typed.
        """
        word, position = self.word_before_caret(), self._editor.textCursor().position()
        text = self._editor.toPlainText() if position <= MAX_CHARACTERS else ""
        before = text[: characters(text, position)]
        items: list[Completion] = []
        if asked or len(word) >= LEAST_LETTERS or before[: len(before) - len(word)].endswith("."):
            items = [each for each in offered(text, len(before), self.variables, self.known) if each.text != word]
        if not items:
            self.hide()
            return
        self._words.clear()
        self._words.appendColumn([_row(item) for item in items])
        self.completer.setCompletionPrefix(word)
        rect = self._editor.cursorRect().translated(self._editor.viewportMargins().left(), 4)
        rect.setWidth(WIDTH)
        self.completer.complete(rect)

    def _insert(self, text: str) -> None:
        cursor = self._editor.textCursor()
        left, keep = QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor
        cursor.movePosition(left, keep, len(self.word_before_caret()))
        cursor.insertText(text)
        self._editor.setTextCursor(cursor)
