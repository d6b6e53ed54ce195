"""The dialog for a file that cannot be opened as it is: what is in it, what is broken and where, and ways on.

It shows a `Salvage` (see engine/session_file/salvage.py) and changes nothing by itself: the session that is open stays
until the user chooses to open what can be read.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QIcon, QTextCursor
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.autograd.notation import counted
from engine.messages import visible
from engine.session_file.format import VERSION
from engine.session_file.salvage import Part, Problem, Salvage
from gui.theme import mono_font, text_pixels
from gui.widgets.labels import muted_label, plain_tip
from gui.widgets.layouts import add_widgets

TITLE = "What is in this file"
NEWER = "It was made by a newer version of Gradstep: its format is {version}, and this version reads up to {known}."
FOREIGN = "It is not a Gradstep session: {reason}."
DAMAGED = "It is damaged. Your open session stays as it is until you open what can be read."
WHOLE, PARTLY, MISSING, LOST = "✓ read", "◐ partly read", "not in the file", "✗ not readable"
LEFT_OUT = "{name}: opened what can be read, as a new session that is not saved. {what}."
WIDTH, HEIGHT = 700, 540
"""Pixels at 100 %."""
MOST_PROBLEMS, MOST_TOLD = 200, 3
MOST_TEXT = 200_000
"""Characters of the file that are shown as text."""
_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"}
_CONTROLS |= {0x7F: 0x2421, 0x2028: 0x2424, 0x2029: 0x2424}
"""Symbols for control characters and for line separators other than line feed, which Qt would break lines at."""


class DamagedFileDialog(QDialog):
    """Dialog on a file that cannot be opened as it is; it deletes itself when it is closed.

    Attributes:
        parts, problems: lists of what was read, and of what was left out.
        text: the file as text.
        open_button, copy_button, text_button: disabled and hidden where there is nothing to open, copy or show.
    """

    def __init__(self, parent: QWidget, name: str, found: Salvage, open_found: Callable[[], object]) -> None:
        """Args: the window, the file's name, what was found in it, and the function that opens that."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(TITLE)
        self._found = found
        heading = QLabel(f"{visible(name, 80)} cannot be opened as it is")
        heading.setTextFormat(Qt.TextFormat.PlainText)
        heading.setWordWrap(True)
        heading.setProperty("title", True)
        reason = muted_label(explanation(found), wrap=True)
        self.parts = _list("Parts of the session", ["Part", "State", "Content"])
        self.parts.addTopLevelItems([_part_item(part) for part in found.parts])
        self.problems = _list("What is broken", ["Where", "What"])
        shown = found.problems[:MOST_PROBLEMS]
        self.problems.addTopLevelItems([_problem_item(problem) for problem in shown])
        if more := len(found.problems) - len(shown):
            self.problems.addTopLevelItem(QTreeWidgetItem(["", f"and {counted(more, 'further problem')}"]))
        if not found.parts:
            self.parts.hide()
        self.parts.setSizeAdjustPolicy(QTreeWidget.SizeAdjustPolicy.AdjustToContents)
        self.parts.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setAccessibleName("The file as text")
        self.text.setFont(mono_font(12))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        lists = QWidget()
        add_widgets(QVBoxLayout(lists), self.parts, self.problems, 1, margins=(0, 0, 0, 0))
        self._pages = QStackedWidget()
        self._pages.addWidget(lists)
        self._pages.addWidget(self.text)
        add_widgets(QVBoxLayout(self), heading, reason, self._pages, 1, self._make_buttons(open_found))
        for one, following in pairwise((self.text, *[each for each in self._buttons if each.isEnabled()])):
            QWidget.setTabOrder(one, following)
        room = self.screen().availableGeometry().size()
        self.resize(min(text_pixels(WIDTH), room.width() - 40), min(text_pixels(HEIGHT), room.height() - 60))

    def _make_buttons(self, open_found: Callable[[], object]) -> QDialogButtonBox:
        roles = QDialogButtonBox.ButtonRole
        box = QDialogButtonBox()
        self.open_button: QPushButton = box.addButton("&Open what can be read", roles.AcceptRole)
        self.copy_button: QPushButton = box.addButton("Copy the &program", roles.ActionRole)
        self.text_button: QPushButton = box.addButton("Show as &text", roles.ActionRole)
        cancel = box.addButton(QDialogButtonBox.StandardButton.Cancel)
        cancel.setIcon(QIcon())
        self.text_button.setCheckable(True)
        self.open_button.setEnabled(self._found.document is not None)
        self.open_button.setToolTip("As a new session that is not saved; the file stays as it is")
        self.copy_button.setEnabled(bool(self._found.program))
        self.copy_button.setToolTip("The lines of the program that can be read, onto the clipboard")
        self.text_button.setEnabled(bool(self._found.text))
        self.text_button.toggled.connect(self._show_text)
        self.copy_button.clicked.connect(self._copy_program)
        for button in (self.open_button, self.copy_button, self.text_button):
            button.setVisible(button.isEnabled())  # Tab would go past the buttons behind a disabled one
        box.rejected.connect(self.reject)
        box.accepted.connect(self.accept)
        self.accepted.connect(open_found)
        self._buttons = (self.open_button, self.copy_button, self.text_button, cancel)
        (self.open_button if self._found.document is not None else cancel).setDefault(True)
        (self.open_button if self._found.document is not None else cancel).setFocus()
        return box

    def _copy_program(self) -> None:
        QGuiApplication.clipboard().setText(self._found.program)
        self.copy_button.setText("Program copied ✓")

    def _show_text(self, shows_text: bool) -> None:
        """Show the file as text, with the line of the first problem selected, or the lists again."""
        if shows_text and not self.text.toPlainText():
            line = next((problem.line for problem in self._found.problems if problem.line), 1)
            lines = [each.removesuffix("\r") for each in self._found.text.split("\n")]
            before, room = line - 1, MOST_TEXT // 2
            while before and (room := room - len(lines[before - 1]) - 1) > 0:
                before -= 1
            shown = "\n".join(lines[before:])[:MOST_TEXT]
            self.text.setPlainText(shown.translate(_CONTROLS))
            cursor = QTextCursor(self.text.document().findBlockByNumber(line - 1 - before))
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
            self.text.setTextCursor(cursor)
        self._pages.setCurrentIndex(int(shows_text))
        self.text_button.setText("Show as &list" if shows_text else "Show as &text")
        if shows_text:
            self.text.centerCursor()


def explanation(found: Salvage) -> str:
    """Return what is wrong with a file, in a sentence or two."""
    if found.document is None:
        reasons = [problem.reason for problem in found.problems if problem.reason]
        return FOREIGN.format(reason="; ".join(reasons[:2]) or "nothing of one was found")
    if found.version is not None and found.version > VERSION:
        return NEWER.format(version=found.version, known=VERSION)
    return DAMAGED


def left_out(name: str, found: Salvage) -> str:
    """Return the note on a session that was opened in part: what was left out, and which defaults were taken."""
    told = [f"{problem.place}: {problem.reason}" if problem.place else problem.reason for problem in found.problems]
    more = len(told) - MOST_TOLD
    what = "; ".join(told[:MOST_TOLD]) + (f"; and {counted(more, 'more problem')}" if more > 0 else "")
    return LEFT_OUT.format(name=name, what=f"Left out or changed: {what}" if what else "Nothing was left out")


def _list(name: str, columns: list[str]) -> QTreeWidget:
    tree = QTreeWidget()
    tree.setAccessibleName(name)
    tree.setHeaderLabels(columns)
    tree.setRootIsDecorated(False)
    tree.setUniformRowHeights(True)
    tree.setAlternatingRowColors(True)
    tree.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    tree.header().setSectionResizeMode(len(columns) - 1, QHeaderView.ResizeMode.Stretch)
    return tree


def _part_item(part: Part) -> QTreeWidgetItem:
    read, other = (WHOLE, PARTLY) if part.summary else (MISSING, LOST)
    state = read if part.is_whole else other
    item = QTreeWidgetItem([part.title, state, visible(part.summary, 120)])
    item.setToolTip(2, plain_tip(visible(part.summary)))
    return item


def _problem_item(problem: Problem) -> QTreeWidgetItem:
    item = QTreeWidgetItem([visible(problem.place, 70), visible(problem.reason)])
    item.setToolTip(0, plain_tip(visible(problem.place)))
    item.setToolTip(1, plain_tip(visible(problem.reason)))
    return item
