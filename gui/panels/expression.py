"""The expression panel: the program, what is wrong with it, and a slider for each of its leaves."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from engine.autograd import replace_number
from engine.document.document import LONGEST_PROGRAM
from gui.panels.editor import ProgramEditor
from gui.panels.sliders import MOST_SLIDERS, LeafSlider, default_range
from gui.session import Session
from gui.theme import Colors

PAUSE_BETWEEN_EDITS = 1.0
"""Seconds without typing after which an undo step ends."""


class ExpressionPanel(QWidget):
    """Editor, message line, sliders.

    Signals:
        caption_changed(str): a few words for the panel's title bar.
    """

    caption_changed = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._typing = 0
        self._last_edit = 0.0
        self._sliders: dict[str, LeafSlider] = {}
        self.editor = ProgramEditor()
        self.editor.setMinimumHeight(90)
        self.message = QLabel()
        self.message.setWordWrap(True)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._slider_box = QWidget()
        self._slider_rows = QVBoxLayout(self._slider_box)
        self._slider_rows.setContentsMargins(8, 4, 8, 4)
        self._slider_rows.setSpacing(2)
        self._area = self._make_scroll_area()
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.editor, 3)
        column.addWidget(self.message)
        column.addWidget(self._area, 2)
        self._connect()
        self._show_document()
        self._show_evaluation()

    def _make_scroll_area(self) -> QScrollArea:
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self._slider_box)
        area.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        return area

    def _connect(self) -> None:
        self.editor.program_changed.connect(self._edit_text)
        self.editor.undo_requested.connect(self._session.undo_stack.undo)
        self.editor.redo_requested.connect(self._session.undo_stack.redo)
        self.editor.refused.connect(lambda text: self._session.told.emit(text, "error"))
        self._session.commit_requested.connect(self.editor.flush)
        self._session.expression_evaluated.connect(self._show_evaluation)
        self._session.document_changed.connect(self._follow_document)

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self.editor.set_colors(colors)
        self._slider_box.setStyleSheet(f"background: {colors.panel};")

    def _edit_text(self, text: str) -> None:
        now = monotonic()
        if now - self._last_edit > PAUSE_BETWEEN_EDITS:
            self._typing += 1
        self._last_edit = now
        if text == self._session.document.expression.text:
            self._show_evaluation()  # what was refused is gone
        elif len(text) > LONGEST_PROGRAM:
            self._say(f"The program is too long: {len(text):,} characters, at most {LONGEST_PROGRAM:,}.", error=True)
        else:
            self._session.edit("typing", merge=f"typing {self._typing}", expression={"text": text})

    def _follow_document(self, sections: frozenset[str]) -> None:
        if "expression" in sections:
            self._show_document()
            self._show_sliders()

    def _show_document(self) -> None:
        self.editor.show_text(self._session.document.expression.text)

    def _show_evaluation(self) -> None:
        error, evaluation = self._session.error, self._session.evaluation
        if error is not None:
            self.editor.show_error((error.line, error.column, error.end_column))
            self._say(f"Line {error.line}, column {error.column}: {error.message}", error=True)
            return
        self.editor.show_error(None)
        lines = []
        if evaluation is not None:
            told = [(item.line, item.message) for item in evaluation.problems]
            told += [(item.line, item.message) for item in evaluation.notes]
            lines = [f"Line {line}: {message}" for line, message in told]
        self._say("\n".join(lines[:3]) + (f"\n… and {len(lines) - 3} more" if len(lines) > 3 else ""))
        self._show_sliders()

    def _say(self, text: str, error: bool = False) -> None:
        self.message.setProperty("error", error)
        self.message.style().unpolish(self.message)
        self.message.style().polish(self.message)
        self.message.setText(text)
        self.message.setVisible(bool(text))

    # Sliders

    def _show_sliders(self) -> None:
        evaluation = self._session.evaluation
        leaves = list(evaluation.leaves)[:MOST_SLIDERS] if evaluation is not None else []
        if [leaf.name for leaf in leaves] != list(self._sliders):
            self._make_sliders([leaf.name for leaf in leaves])
        ranges = dict(self._session.document.expression.ranges)
        for leaf in leaves:
            self._sliders[leaf.name].show_number(leaf.number, ranges.get(leaf.name, default_range(leaf.number)))
        self._area.setVisible(bool(leaves))

    def _make_sliders(self, names: list[str]) -> None:
        for slider in self._sliders.values():
            self._slider_rows.removeWidget(slider)
            slider.hide()
            slider.deleteLater()
        self._sliders = {name: LeafSlider(name) for name in dict.fromkeys(names)}
        while self._slider_rows.count():
            self._slider_rows.takeAt(0)
        for slider in self._sliders.values():
            slider.dragged.connect(self._drag)
            slider.range_chosen.connect(self._choose_range)
            self._slider_rows.addWidget(slider)
        self._slider_rows.addStretch(1)

    def _drag(self, name: str, number: float, drag: int) -> None:
        evaluation = self._session.evaluation
        if evaluation is None or self._session.error is not None:
            return
        leaf = next((leaf for leaf in evaluation.leaves if leaf.name == name), None)
        if leaf is None or leaf.number == number:
            return
        section = self._session.document.expression
        ranges = {name: default_range(leaf.number), **dict(section.ranges)}  # the ends stay while the number moves
        changes = {"text": replace_number(section.text, leaf, number), "ranges": ranges}
        self._session.edit(f"change {name}", merge=f"drag {name} {drag}", expression=changes)

    def _choose_range(self, name: str, low: float, high: float) -> None:
        ranges = {**dict(self._session.document.expression.ranges), name: (low, high)}
        self._session.edit(f"range of {name}", expression={"ranges": ranges})
