"""The text editor of the program: line numbers, colours, underlined errors, completion of names.

It knows no session: it shows a text, emits a signal when the user has changed it, and marks the places it is given. It
accepts as much text as a document may have, so that every entry can be saved and undone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np
from PySide6.QtCore import (
    QElapsedTimer,
    QEvent,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QStandardItem,
    QStandardItemModel,
    QTextBlock,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QCompleter,
    QListView,
    QPlainTextEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTextEdit,
    QWidget,
)

from engine.autograd import Value
from engine.document.document import LONGEST_PROGRAM, MOST_PROGRAM_LINES
from engine.document.fields import line_count
from engine.language import Completion, KnownNames, completions
from engine.language.pasted_text import begins_cell
from engine.language.source import MAX_CHARACTERS, MAX_NAME
from engine.session_file.pasted import is_session
from gui.actions import text_edits
from gui.file_drops import dropped_files
from gui.number_texts import reading_text
from gui.painting import painting
from gui.panels.program.editor_marks import (
    LONGEST_LINE,
    Highlighter,
    Place,
    characters,
    cursor_at,
    hidden_marks,
    line_mark,
    muted_mark,
    part_mark,
    wavy_line_mark,
    wavy_mark,
)
from gui.theme import LIGHT, Colors, mono_font
from gui.widgets.labels import literal_tip

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
        detail = index.data(Qt.ItemDataRole.AccessibleDescriptionRole) or ""
        painter.setPen(QColor(self.colors.muted))
        room = rect.adjusted(left, 0, -6, 0)
        shown = metrics.elidedText(detail, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shown)


def _row(item: Completion) -> QStandardItem:
    """The word; what it is as its tip and for screen readers."""
    row = QStandardItem(item.text)
    row.setToolTip(literal_tip(item.detail))
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


DEBOUNCE_MILLISECONDS = 150
LONGEST_MILLISECONDS = 2000
"""Time after which what is typed without a pause is announced all the same: a recovery copy must have it."""
NOTHING_TO_PASTE = "Nothing to paste: the clipboard is empty, or the program that owns it does not respond."
NEXT_SIGN = "▸"
"""Beside the number of the line that a walk runs next."""
CELL_SIGN = "▶"
WAY_OUT = "Tab indents; Escape, then Tab moves to the next field, Ctrl+F6 to the next panel"
"""Beside the number of a line that begins a cell: runs the program to the end of that cell."""
CELL_TIP = "Run the program to the end of this cell{keys}"
SIGN_LEFT = 2  # pixels
GUTTER_MARGIN = 20
"""Pixels of the gutter beside the digits: a sign and the space around the digits."""
NOTE_GAP, NOTE_MARGIN, LEAST_NOTE = 24, 8, 40  # pixels


class _LineNumbers(QWidget):
    """The strip left of the text."""

    def __init__(self, editor: ProgramEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self.hovered_cell: int | None = None
        self.setMouseTracking(True)

    def sizeHint(self) -> QSize:
        return QSize(self._editor.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._editor.paint_line_numbers(self, event.rect())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._editor.cell_at(event.position().y()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)
        super().leaveEvent(event)

    def _hover(self, line: int | None) -> None:
        if line != self.hovered_cell:
            self.hovered_cell = line
            is_button = line is not None
            self.setCursor(Qt.CursorShape.PointingHandCursor if is_button else Qt.CursorShape.ArrowCursor)
            self.setToolTip(self._editor.cell_tip if is_button else "")
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        line = self._editor.cell_at(event.position().y())
        if (
            line is not None
            and event.button() == Qt.MouseButton.LeftButton
            and self.rect().contains(event.position().toPoint())
        ):
            self._editor.cell_chosen.emit(line)


class ProgramEditor(QPlainTextEdit):
    """A plain text editor with line numbers and marks.

    Attributes:
        is_new_program: whether since the last signal a text was put in the place of all there was.
        gutter: the strip of line numbers, with a button on each line that begins a cell.
        cell_tip: tooltip of these buttons.

    Signals:
        program_changed(str): the user changed the text and has paused for 150 ms.
        undo_requested(), redo_requested(): the session's undo, asked for from inside the editor.
        refused(str): why a paste was refused.
        session_pasted(str): a text that is no program but a session.
        find_requested(): the key for finding was pressed.
        cell_chosen(int): the button of a cell was clicked; the line that begins the cell, from 1.
        caret_placed(int, int): line and column where the user has put the caret, by the mouse or a key.
        menu_filled(QMenu): the context menu, to which more can be added before it is shown.
    """

    program_changed = Signal(str)
    undo_requested = Signal()
    redo_requested = Signal()
    refused = Signal(str)
    session_pasted = Signal(str)
    cell_chosen = Signal(int)
    caret_placed = Signal(int, int)
    find_requested = Signal()
    menu_filled = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        no_wrap = QPlainTextEdit.LineWrapMode.NoWrap
        super().__init__(parent, undoRedoEnabled=False, lineWrapMode=no_wrap)
        self.setAccessibleName("Expression editor")
        self.setAccessibleDescription(WAY_OUT)
        self.setToolTip(WAY_OUT)
        self._tab_leaves = self.is_new_program = False
        self.setFont(mono_font(13))
        self._colors = LIGHT
        self._error: tuple[int, int, int] | None = None
        self._selected: tuple[Place, Place] | None = None
        self._wrong: tuple[int, ...] = ()
        self._last_run: int | None = None
        self._walked: tuple[int | None, int | None] = (None, None)
        self._notes: Mapping[int, str] = {}
        self._known = self._plain = ""  # the text as it was given, and as Qt gives it back
        self._hidden: list[QTextEdit.ExtraSelection] = []
        self.gutter = _LineNumbers(self)
        self.cell_tip = CELL_TIP.format(keys="")
        self.highlighter = Highlighter(self.document())
        self.completion = ProgramCompletion(self)
        self._pause = QTimer(self, singleShot=True, interval=DEBOUNCE_MILLISECONDS)
        self._pause.timeout.connect(self._announce)
        self._since = QElapsedTimer()  # from the first key that was not announced
        self.textChanged.connect(self._follow_text)
        self.blockCountChanged.connect(lambda _count: self._update_gutter())
        self.updateRequest.connect(self._scroll_gutter)
        self.cursorPositionChanged.connect(self._mark)
        self._update_gutter()

    def set_colors(self, colors: Colors) -> None:
        self._colors = colors
        self.highlighter.set_colors(colors)
        self.completion.set_colors(colors)
        self._find_hidden()
        self.gutter.update()

    def flush(self) -> None:
        """Announce at once what was typed, instead of after the pause; nothing when nothing was."""
        if self._pause.isActive():
            self._pause.stop()
            self._announce()

    def _announce(self) -> None:
        text = self.toPlainText()
        if text != self._plain or self.is_new_program:  # new colours are a change to Qt, too
            self._known = self._plain = text
            self._find_hidden()
            self.program_changed.emit(text)
            self.is_new_program = False

    def show_text(self, text: str) -> None:
        """Show `text` (undo, a slider, a file); the caret stays where it was, nothing is announced."""
        if text == self._known:
            return
        self._known = text
        position = self.textCursor().position()
        scroll = self.verticalScrollBar().value()
        self.highlighter.follow_size(len(text))
        self.setPlainText(text)
        self._plain = self.toPlainText()
        self._pause.stop()
        self.is_new_program = False
        cursor = self.textCursor()
        cursor.setPosition(min(position, self.document().characterCount() - 1))
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(scroll)
        self._find_hidden()

    def _follow_text(self) -> None:
        self.is_new_program |= bool(self._plain) and self.document().isEmpty()
        self.highlighter.follow_size(self.document().characterCount())
        if not self._pause.isActive():
            self._since.start()
        elif self._since.hasExpired(LONGEST_MILLISECONDS):
            return  # soon: typed without a pause, it would be in no recovery copy
        self._pause.start()

    def go_to(self, line: int, column: int) -> None:
        """Move the caret to a place, both from 1 and counted in characters, and give the editor the keyboard."""
        self.setTextCursor(cursor_at(self.document(), (line, column)))
        self.centerCursor()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_error(self, place: tuple[int, int, int] | None) -> None:
        """Underline (line, column, end column), all from 1; None for no error."""
        self._error = place
        self._mark()

    def show_selected(self, place: tuple[Place, Place] | None) -> None:
        """Mark the text between two places, that of the value that is selected; None for none."""
        if place != self._selected:
            self._selected = place
            self._mark()

    def show_wrong_lines(self, lines: tuple[int, ...]) -> None:
        """Underline whole lines, counted from 1: rules that are not right."""
        if lines != self._wrong:
            self._wrong = lines
            self._mark()

    def show_not_run(self, last_run: int | None) -> None:
        """Grey the lines behind a line, from 1: they are not run; None for no such lines."""
        if last_run != self._last_run:
            self._last_run = last_run
            self._mark()

    def show_walk(self, done: int | None, coming: int | None) -> None:
        """Mark the line that a walk has run last, and beside its number the one that comes next; None for none."""
        if (done, coming) != self._walked:
            self._walked = done, coming
            self._mark()
            self.gutter.update()
            line = done or coming
            if line is not None:
                seen = [block.blockNumber() + 1 for block, _, _ in self._visible_blocks(self.viewport().height())]
                if line not in seen[1:-1]:  # the caret stays where it is
                    self.verticalScrollBar().setValue(max(0, line - 1 - max(len(seen), 2) // 2))

    def show_notes(self, notes: Mapping[int, str]) -> None:
        """Write something beside lines, counted from 1, where there is room: what they have printed."""
        if notes != self._notes:
            self._notes = dict(notes)
            self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._notes:
            with painting(self.viewport()) as painter:
                painter.setFont(self.font())
                painter.setPen(QColor(self._colors.muted))
                metrics, right = self.fontMetrics(), self.viewport().width() - NOTE_MARGIN
                for block, top, height in self._visible_blocks(event.rect().bottom()):
                    note = self._notes.get(block.blockNumber() + 1)
                    if note:
                        shift = self.contentOffset().x() + self.document().documentMargin()
                        left = round(shift) + metrics.horizontalAdvance(block.text()[:LONGEST_LINE]) + NOTE_GAP
                        text = metrics.elidedText(note, Qt.TextElideMode.ElideRight, right - left)
                        area = QRect(left, round(top), right - left, round(height))
                        if right - left > LEAST_NOTE:
                            painter.drawText(area, Qt.AlignmentFlag.AlignRight, text)

    def _visible_blocks(self, bottom: int) -> Iterator[tuple[QTextBlock, float, float]]:
        """The lines that are seen above a height of the viewport, each with its upper end and its height, pixels."""
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= bottom:
            height = self.blockBoundingRect(block).height()
            yield block, top, height
            top += height
            block = block.next()

    def _mark(self) -> None:
        document, colors = self.document(), self._colors
        marks = [line_mark(self.textCursor(), colors.warning)] if self.hasFocus() else []
        if self._walked[0] is not None:
            marks.append(line_mark(cursor_at(document, (self._walked[0], 1)), colors.output))
        if self._last_run is not None:
            marks.append(muted_mark(document, self._last_run + 1, colors.muted))
        marks += self._hidden
        if self._selected is not None:
            marks.append(part_mark(document, *self._selected, colors.input))
        marks += [wavy_line_mark(document, line, colors.negative) for line in self._wrong]
        if self._error is not None:
            marks.append(wavy_mark(document, self._error, colors.error))
        self.setExtraSelections(marks)

    def _find_hidden(self) -> None:
        """Mark what cannot be seen, on the characters beside it."""
        text = self._known if self.highlighter.active else ""
        self._hidden = (
            hidden_marks(self.document(), self._colors.error, self._colors.panel) if not text.isascii() else []
        )
        self._mark()

    # Line numbers

    def gutter_width(self) -> int:
        """Width of the strip of line numbers, pixels."""
        return GUTTER_MARGIN + self.fontMetrics().horizontalAdvance("9") * max(2, len(str(self.blockCount())))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._update_gutter()

    def _update_gutter(self) -> None:
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)

    def _scroll_gutter(self, rect: QRect, dy: int) -> None:
        if dy:
            self.gutter.scroll(0, dy)
        else:
            self.gutter.update(0, rect.y(), self.gutter.width(), rect.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        self.gutter.setGeometry(QRect(inside.left(), inside.top(), self.gutter_width(), inside.height()))

    def paint_line_numbers(self, strip: QWidget, rect: QRect) -> None:
        """Draw the numbers of the lines within `rect` on the strip."""
        with painting(strip) as painter:
            painter.fillRect(rect, QColor(self._colors.canvas))
            painter.setFont(self.font())
            painter.setPen(QColor(self._colors.muted))
            for block, top, height in self._visible_blocks(rect.bottom()):
                area = QRect(0, round(top), strip.width() - 8, round(height))
                number = block.blockNumber() + 1
                painter.drawText(area, Qt.AlignmentFlag.AlignRight, str(number))
                is_cell = begins_cell(block.text())
                if is_cell or number == self._walked[1]:
                    is_quiet = is_cell and number != self.gutter.hovered_cell
                    painter.setPen(QColor(self._colors.muted if is_quiet else self._colors.accent))
                    sign = QRect(SIGN_LEFT, area.top(), area.width(), area.height())
                    painter.drawText(sign, Qt.AlignmentFlag.AlignLeft, CELL_SIGN if is_cell else NEXT_SIGN)
                    painter.setPen(QColor(self._colors.muted))

    def cell_at(self, y: float) -> int | None:
        """Return the line, from 1, that begins a cell at a height of the viewport in pixels; None for no such line."""
        for block, top, height in self._visible_blocks(round(y)):
            if top <= y < top + height:
                return block.blockNumber() + 1 if begins_cell(block.text()) else None
        return None

    # Keys, paste, completion

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Undo):
            self.flush()
            self.undo_requested.emit()
        elif event.matches(QKeySequence.StandardKey.Redo):
            self.flush()
            self.redo_requested.emit()
        elif self.completion.is_open and event.key() in _COMPLETION_KEYS:
            event.ignore()
        elif not self._edit_lines(event):
            self._type(event)
        if event.key() != Qt.Key.Key_Shift:  # pressed before the Tab that goes back
            self._tab_leaves = event.key() == Qt.Key.Key_Escape
        if event.key() in _MOVING_KEYS:
            self._announce_caret()

    def _type(self, event: QKeyEvent) -> None:
        asked = event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if not asked:
            super().keyPressEvent(event)
        if asked or event.text().isidentifier() or event.text() == "." or event.key() == Qt.Key.Key_Backspace:
            self.completion.offer(asked)
        else:
            self.completion.hide()

    def _edit_lines(self, event: QKeyEvent) -> bool:
        """Handle a key that changes whole lines; return True if it did."""
        key, cursor = event.key(), self.textCursor()
        if event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier):
            return False
        if key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab) and self._tab_leaves:
            self.setTabChangesFocus(True)
            self.focusNextPrevChild(key == Qt.Key.Key_Tab)
            self.setTabChangesFocus(False)
        elif key == Qt.Key.Key_Tab:
            text_edits.indent(cursor)
        elif key == Qt.Key.Key_Backtab:
            text_edits.dedent(cursor)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            text_edits.new_line(cursor)
        elif key != Qt.Key.Key_Backspace or not text_edits.remove_indentation(cursor):
            return False
        self.completion.hide()
        self.ensureCursorVisible()
        return True

    def event(self, event: QEvent) -> bool:
        """The key for finding finds in the program while the editor has the keyboard."""
        if isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Find):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
            elif event.type() == QEvent.Type.KeyPress:
                self.find_requested.emit()
            return True
        return super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse and not self.textCursor().hasSelection():
            self.setTextCursor(self.cursorForPosition(event.pos()))
        menu = self.createStandardContextMenu(event.pos())
        for name, asked in (("edit-undo", self.undo_requested), ("edit-redo", self.redo_requested)):
            action = menu.findChild(QAction, name)
            if action is not None:  # Qt's own undo is off: it is the session's
                action.setEnabled(True)
                action.triggered.connect(self.flush)
                action.triggered.connect(asked)
        menu.addSeparator()
        self.menu_filled.emit(menu)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self._announce_caret()

    def _announce_caret(self) -> None:
        cursor = self.textCursor()
        if not cursor.hasSelection():
            column = characters(cursor.block().text(), cursor.positionInBlock()) + 1
            self.caret_placed.emit(cursor.blockNumber() + 1, column)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text only; a file that is dropped is the window's to open."""
        return source.hasText() and not dropped_files(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste plain text, as much as a document may have.

        The clipboard is asked once: each question waits five seconds for a program that does not answer."""
        if not source.formats():
            return self.refused.emit(NOTHING_TO_PASTE)
        if dropped_files(source):
            return self.refused.emit(
                "The clipboard contains a file, not text: drop it on the window, or use File > Open."
            )
        text, cursor = source.text(), self.textCursor()
        if is_session(text):
            return self.session_pasted.emit(text)
        selected = cursor.selectedText()  # Qt puts U+2029 for the end of a line there
        characters = self.document().characterCount() - 1 - len(selected) + len(text)
        problem = too_long(characters, 0)
        problem = problem or too_long(characters, self.blockCount() - line_count(selected) + line_count(text))
        if problem:
            return self.refused.emit(f"{problem} The text was not inserted.")
        self.highlighter.follow_size(characters)
        self.is_new_program |= len(selected.strip()) == len(self.toPlainText().strip())
        clean = text.encode("utf-16", "replace").decode("utf-16")
        cursor.insertText(clean.replace("\0", "\N{REPLACEMENT CHARACTER}"))
        self.ensureCursorVisible()


_MOVING_KEYS = {
    Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End,
    Qt.Key.Key_PageUp, Qt.Key.Key_PageDown,
}  # fmt: skip
_COMPLETION_KEYS = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Escape}


def too_long(characters: int, lines: int) -> str:
    """Return the reason why a document refuses a text of this size; "" for an allowed size."""
    if characters > LONGEST_PROGRAM:
        return f"The program would have {characters:,} characters; at most {LONGEST_PROGRAM:,} are possible."
    if lines > MOST_PROGRAM_LINES:
        return f"The program would have {lines:,} lines; at most {MOST_PROGRAM_LINES:,} are possible."
    return ""
