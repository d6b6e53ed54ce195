"""The text editor of the little language: line numbers, colours, underlined errors, completion.

It knows no session: it shows text, says when the user has changed it, and can be told what to mark.
"""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QRect, QSize, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QCompleter, QListView, QPlainTextEdit, QTextEdit, QWidget

from engine.autograd import completions, highlight
from gui.theme import LIGHT, Colors, mono_font

DEBOUNCE_MILLISECONDS = 150
LONGEST_PASTE = 200_000


class _Highlighter(QSyntaxHighlighter):
    """Colours a line by the kinds of its spans."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self._formats = {
            "number": _format(colors.text, bold=True),
            "function": _format(colors.accent),
            "operator": _format(colors.muted),
            "comment": _format(colors.muted, italic=True),
            "string": _format(colors.muted),
            "set-aside": _format(colors.muted, italic=True),
        }
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Called by Qt for each line that changed."""
        if len(text) > 2000:
            return
        for span in highlight(text):
            style = self._formats.get(span.kind)
            if style is not None:
                self.setFormat(span.column - 1, span.length, style)


def _format(color: str, bold: bool = False, italic: bool = False) -> QTextCharFormat:
    style = QTextCharFormat()
    style.setForeground(QColor(color))
    style.setFontItalic(italic)
    if bold:
        style.setFontWeight(600)
    return style


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
        super().__init__(parent)
        self.setAccessibleName("Expression editor")
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(True)
        self.setFont(mono_font(13))
        self._colors = LIGHT
        self._error: tuple[int, int, int] | None = None
        self._numbers = _LineNumbers(self)
        self._highlighter = _Highlighter(self.document())
        self._completer = self._make_completer()
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(DEBOUNCE_MILLISECONDS)
        self._pause.timeout.connect(self.flush)
        self.textChanged.connect(self._pause.start)
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
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseSensitive)
        completer.activated.connect(self._insert_completion)
        return completer

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self._colors = colors
        self._highlighter.set_colors(colors)
        self._mark()
        self._numbers.update()

    def flush(self) -> None:
        """Announces the text at once instead of after the pause."""
        self._pause.stop()
        self.program_changed.emit(self.toPlainText())

    def show_text(self, text: str) -> None:
        """Shows `text` (undo, a slider, a file); the caret stays where it was, nothing is announced."""
        if text == self.toPlainText():
            return
        position = self.textCursor().position()
        scroll = self.verticalScrollBar().value()
        self.setPlainText(text)
        self._pause.stop()
        cursor = self.textCursor()
        cursor.setPosition(min(position, len(text.encode("utf-16-le")) // 2))
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(scroll)

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
        if self._error is not None:
            marks.append(self._error_mark(*self._error))
        self.setExtraSelections(marks)

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

    def _word(self) -> str:
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        word = ""
        for character in reversed(before):
            if not (character.isalnum() or character == "_"):
                break
            word = character + word
        return word

    def _offer_completions(self, asked: bool) -> None:
        word = self._word()
        if not asked and len(word) < 2:
            self._popup.hide()
            return
        position = self.textCursor().position()
        found = [item.text for item in completions(self.toPlainText(), position) if item.text != word]
        if not found:
            self._popup.hide()
            return
        self._words.setStringList(found)
        self._completer.setCompletionPrefix(word)
        rect = self.cursorRect().translated(self.gutter_width(), 4)
        rect.setWidth(180)
        self._completer.complete(rect)

    def _insert_completion(self, text: str) -> None:
        cursor = self.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, len(self._word()))
        cursor.insertText(text)
        self.setTextCursor(cursor)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text only."""
        return source.hasText()

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Pastes plain text of bounded length."""
        text = source.text()
        if len(text) > LONGEST_PASTE:
            self.refused.emit(f"The text has {len(text):,} characters; the editor takes {LONGEST_PASTE:,} at most.")
            return
        clean = text.encode("utf-16", "replace").decode("utf-16").replace("\0", "\N{REPLACEMENT CHARACTER}")
        self.textCursor().insertText(clean)


_COMPLETION_KEYS = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Escape}


def _error_range(block: QTextBlock, column: int, end_column: int) -> tuple[int, int]:
    """Document positions to underline; at the end of a line its last character is taken."""
    length = max(0, block.length() - 1)
    start = min(max(0, column - 1), max(0, length - 1))
    end = max(start + 1, min(end_column - 1, length))
    return block.position() + start, block.position() + min(end, max(length, start))
