"""The text editor of the little language: line numbers, colours, underlined errors, completion.

It knows no session: it shows text, says when the user has changed it, and can be told what to mark. It takes as much
text as a document holds, so that whatever stands in it can be saved and undone.
"""

from __future__ import annotations

import re

from PySide6.QtCore import QMimeData, QRect, QSize, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QCompleter, QListView, QPlainTextEdit, QTextEdit, QWidget

from engine.document.document import LONGEST_PROGRAM, MOST_PROGRAM_LINES
from engine.document.fields import line_count
from engine.language import completions
from engine.language.hidden import hidden_places, is_hidden
from engine.language.parser import MAX_NAME
from gui.file_drops import dropped_files
from gui.panels.highlighting import LONGEST_LINE, Highlighter
from gui.theme import LIGHT, Colors, mono_font

DEBOUNCE_MILLISECONDS = 150
MOST_HIDDEN_MARKS = 100


class _LineNumbers(QWidget):
    """The strip left of the text."""

    def __init__(self, editor: ProgramEditor) -> None:
        super().__init__(editor)
        self._editor = editor

    def sizeHint(self) -> QSize:
        """As wide as the largest number."""
        return QSize(self._editor.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the numbers of the visible lines."""
        self._editor.paint_line_numbers(self, event.rect())


class ProgramEditor(QPlainTextEdit):
    """A plain text editor with line numbers and marks.

    Signals:
        program_changed(str): the user changed the text and has paused for 150 ms.
        undo_requested(), redo_requested(): the session's undo, asked for from inside the editor.
        refused(str): why a paste was refused.
    """

    program_changed = Signal(str)
    undo_requested = Signal()
    redo_requested = Signal()
    refused = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        no_wrap = QPlainTextEdit.LineWrapMode.NoWrap
        super().__init__(parent, undoRedoEnabled=False, lineWrapMode=no_wrap, tabChangesFocus=True)
        self.setAccessibleName("Expression editor")
        self.setFont(mono_font(13))
        self._colors = LIGHT
        self._error: tuple[int, int, int] | None = None
        self._known = self._plain = ""  # the text as it was given, and as Qt gives it back
        self._hidden: list[QTextEdit.ExtraSelection] = []
        self._numbers = _LineNumbers(self)
        self.highlighter = Highlighter(self.document())
        self.completer = self._make_completer()
        self._pause = QTimer(self, singleShot=True, interval=DEBOUNCE_MILLISECONDS)
        self._pause.timeout.connect(self._announce)
        self.textChanged.connect(self._follow_text)
        self.blockCountChanged.connect(lambda _count: self._update_gutter())
        self.updateRequest.connect(self._scroll_gutter)
        self.cursorPositionChanged.connect(self._mark)
        self._update_gutter()

    def _make_completer(self) -> QCompleter:
        self._words = QStringListModel(self)
        self._popup = QListView()
        completer = QCompleter(self._words, self)
        completer.setPopup(self._popup)
        completer.setWidget(self)
        completer.activated.connect(self._insert_completion)
        return completer

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self._colors = colors
        self.highlighter.set_colors(colors)
        self._find_hidden()
        self._numbers.update()

    def flush(self) -> None:
        """Announces at once what was typed, instead of after the pause; nothing when nothing was."""
        if self._pause.isActive():
            self._pause.stop()
            self._announce()

    def _announce(self) -> None:
        text = self.toPlainText()
        if text != self._plain:  # new colours are a change to Qt, too
            self._known = self._plain = text
            self._find_hidden()
            self.program_changed.emit(text)

    def show_text(self, text: str) -> None:
        """Shows `text` (undo, a slider, a file); the caret stays where it was, nothing is announced."""
        if text == self._known:
            return
        self._known = text
        position = self.textCursor().position()
        scroll = self.verticalScrollBar().value()
        self.highlighter.follow_size(len(text))
        self.setPlainText(text)
        self._plain = self.toPlainText()
        self._pause.stop()
        cursor = self.textCursor()
        cursor.setPosition(min(position, self.document().characterCount() - 1))
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(scroll)
        self._find_hidden()

    def _follow_text(self) -> None:
        self.highlighter.follow_size(self.document().characterCount())
        self._pause.start()

    def go_to(self, line: int, column: int) -> None:
        """Puts the caret at a place, both from 1 and counted in characters, and the keyboard into the editor."""
        block = self.document().findBlockByNumber(line - 1)
        cursor = QTextCursor(block if block.isValid() else self.document().lastBlock())
        cursor.setPosition(cursor.position() + min(_units(block.text(), column - 1), max(0, block.length() - 1)))
        self.setTextCursor(cursor)
        self.centerCursor()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_error(self, place: tuple[int, int, int] | None) -> None:
        """Underlines (line, column, end column), all from 1; None for no error."""
        self._error = place
        self._mark()

    def _mark(self) -> None:
        current = QTextEdit.ExtraSelection()
        current.format.setBackground(QColor(self._colors.warning))
        current.format.setProperty(QTextCharFormat.Property.FullWidthSelection, True)
        current.cursor = self.textCursor()
        current.cursor.clearSelection()
        marks = [current] if self.hasFocus() else []
        marks += self._hidden
        if self._error is not None:
            marks.append(self._error_mark(*self._error))
        self.setExtraSelections(marks)

    def _find_hidden(self) -> None:
        """Marks what cannot be seen, on the characters beside it."""
        self._hidden = []
        text = self._known if self.highlighter.active else ""
        if not text.isascii():
            block = self.document().begin()
            while block.isValid() and len(self._hidden) < MOST_HIDDEN_MARKS:
                line = block.text()
                places = hidden_places(line) if len(line) <= LONGEST_LINE and not line.isascii() else ()
                self._hidden += [self._hidden_mark(block, _units(line, place)) for place in places]
                block = block.next()
        self._mark()

    def _hidden_mark(self, block: QTextBlock, at: int) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        mark.format.setBackground(QColor(self._colors.error))
        mark.format.setForeground(QColor(self._colors.panel))
        mark.cursor = QTextCursor(block)
        mark.cursor.setPosition(block.position() + max(0, at - 1))
        mark.cursor.setPosition(block.position() + min(at + 2, block.length() - 1), QTextCursor.MoveMode.KeepAnchor)
        return mark

    def _error_mark(self, line: int, column: int, end_column: int) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        mark.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        mark.format.setUnderlineColor(QColor(self._colors.error))
        block = self.document().findBlockByNumber(line - 1)
        start, end = _error_range(block, column, end_column)
        mark.cursor = QTextCursor(self.document())
        mark.cursor.setPosition(start)
        mark.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return mark

    # Line numbers

    def gutter_width(self) -> int:
        """Width of the strip of line numbers, pixels."""
        return 14 + self.fontMetrics().horizontalAdvance("9") * max(2, len(str(self.blockCount())))

    def _update_gutter(self) -> None:
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)

    def _scroll_gutter(self, rect: QRect, dy: int) -> None:
        if dy:
            self._numbers.scroll(0, dy)
        else:
            self._numbers.update(0, rect.y(), self._numbers.width(), rect.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keeps the strip as high as the text."""
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._numbers.setGeometry(QRect(inside.left(), inside.top(), self.gutter_width(), inside.height()))

    def paint_line_numbers(self, strip: QWidget, rect: QRect) -> None:
        """Draws the numbers of the lines within `rect` on the strip."""
        painter = QPainter(strip)
        painter.fillRect(rect, QColor(self._colors.canvas))
        painter.setFont(self.font())
        painter.setPen(QColor(self._colors.muted))
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= rect.bottom():
            height = self.blockBoundingRect(block).height()
            area = QRect(0, round(top), strip.width() - 8, round(height))
            painter.drawText(area, Qt.AlignmentFlag.AlignRight, str(block.blockNumber() + 1))
            top += height
            block = block.next()
        painter.end()

    # Keys, paste, completion

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Undo and redo are the session's; the rest is Qt's, with completion on top."""
        if event.matches(QKeySequence.StandardKey.Undo):
            self.flush()
            self.undo_requested.emit()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self.flush()
            self.redo_requested.emit()
        elif self._popup.isVisible() and event.key() in _COMPLETION_KEYS:
            event.ignore()
        else:
            asked = event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ControlModifier
            if not asked:
                super().keyPressEvent(event)
            if asked or event.text().isidentifier() or event.key() == Qt.Key.Key_Backspace:
                self._offer_completions(asked)
            else:
                self._popup.hide()

    def _before_caret(self) -> str:
        """The end of what stands before the caret in its line, long enough for a word."""
        cursor = self.textCursor()
        start = max(cursor.block().position(), cursor.position() - MAX_NAME - 1)
        cursor.setPosition(start, QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText()

    def word_before_caret(self) -> str:
        """What would be completed."""
        found = re.search(r"\w*$", self._before_caret())
        return found[0] if found else ""

    def _offer_completions(self, asked: bool) -> None:
        word = self.word_before_caret()
        if not asked and len(word) < 2:
            self._popup.hide()
            return
        offered = completions(self.toPlainText(), self._before_caret())
        found = [item.text for item in offered if item.text != word]
        if not found:
            self._popup.hide()
            return
        self._words.setStringList(found)
        self.completer.setCompletionPrefix(word)
        rect = self.cursorRect().translated(self.gutter_width(), 4)
        rect.setWidth(180)
        self.completer.complete(rect)

    def _insert_completion(self, text: str) -> None:
        cursor = self.textCursor()
        cursor.movePosition(
            QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(self.word_before_caret())
        )
        cursor.insertText(text)
        self.setTextCursor(cursor)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text only; a file that is dropped is the window's to open."""
        return source.hasText() and not dropped_files(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Pastes plain text, as much as a document holds.

        What the clipboard holds is asked for once: each question waits five seconds for a program that does not answer.
        """
        if not source.formats():
            self.refused.emit("Nothing to paste: the clipboard is empty, or the program that holds it does not answer.")
            return
        if dropped_files(source):
            self.refused.emit("The clipboard holds a file, not text: drop it on the window, or use File > Open.")
            return
        text, cursor = source.text(), self.textCursor()
        selected = cursor.selectedText()  # Qt puts U+2029 for the end of a line there
        characters = self.document().characterCount() - 1 - len(selected) + len(text)
        problem = too_long(characters, 0)
        problem = problem or too_long(characters, self.blockCount() - line_count(selected) + line_count(text))
        if problem:
            self.refused.emit(f"{problem} The text was not inserted.")
            return
        self.highlighter.follow_size(characters)
        clean = text.encode("utf-16", "replace").decode("utf-16").replace("\0", "\N{REPLACEMENT CHARACTER}")
        cursor.insertText(clean)
        self.ensureCursorVisible()


_COMPLETION_KEYS = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Escape}


def too_long(characters: int, lines: int) -> str:
    """Why a document cannot hold a text of this size; "" when it can."""
    if characters > LONGEST_PROGRAM:
        return f"The program would have {characters:,} characters; at most {LONGEST_PROGRAM:,} are possible."
    if lines > MOST_PROGRAM_LINES:
        return f"The program would have {lines:,} lines; at most {MOST_PROGRAM_LINES:,} are possible."
    return ""


def _units(text: str, characters: int) -> int:
    """How many of Qt's UTF-16 units the first characters of a text take."""
    start = text[:characters]
    return len(start) if start.isascii() else len(start.encode("utf-16-le", "surrogatepass")) // 2


def _error_range(block: QTextBlock, column: int, end_column: int) -> tuple[int, int]:
    """Document positions to underline; at the end of a line, and for what cannot be seen, a character beside it."""
    line = block.text()
    start = min(max(0, column - 1), max(0, len(line) - 1))
    end = max(start + 1, min(end_column - 1, len(line)))
    while all(map(is_hidden, line[start:end])) and (start > 0 or end < len(line)):
        start, end = max(0, start - 1), min(end + 1, len(line))
    first, behind = _units(line, start), _units(line, min(end, max(len(line), start)))
    return block.position() + first, block.position() + behind
