"""Predict, then reveal: gradients are hidden, the user types them, and they are checked one by one.

While a gradient is hidden its box has a question mark, and "Why?" does not tell it. It can be typed over its box, too
(`gui/panels/graph/box_answer.py`); what is asked and answered is one and the same (`gui/presenter/prediction.py`).
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
)

from engine.autograd.notation import short
from engine.teaching.explanation import plain
from gui.number_texts import with_minus
from gui.panels.graph.box_answer import LONGEST_ANSWER
from gui.panels.panel import Panel
from gui.presenter.prediction import SENTENCES, Question
from gui.session import Change, Session
from gui.theme import Colors, mono_font, set_style_property, text_pixels
from gui.widgets.buttons import push_button
from gui.widgets.formula_view import FormulaView
from gui.widgets.layouts import add_widgets
from gui.widgets.tables import set_read_only

BUTTONS = {
    "hide all": ("Hide all", "Hide every gradient, to predict them"),
    "hide one": ("Hide one", "Hide the gradient of the selected box, to predict it"),
    "hint": ("Hint", "The local rule of each consumer, without the numbers"),
    "reveal": ("Reveal", "Show the gradients that are still hidden; they do not count as found"),
}
"""Words and tip of each."""
CAPTION = "{answered} of {asked} found"
MARK_PIXELS, NAME_MARGIN = 20, 12
MOST_OF_NAMES = 0.24
"""Largest share of the table's width for the names of the values."""
COLUMNS = ("value", "data", "yours", "")
MARKS = {None: "", True: "✓", False: "✗"}


class _Answer(QLineEdit):
    """A field for one gradient; the arrow keys go to the one above or below."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.focusNextChild()
        elif event.key() == Qt.Key.Key_Up:
            self.focusPreviousChild()
        else:
            super().keyPressEvent(event)


class PredictPanel(Panel):
    """A row for each hidden gradient, the hint, and the score of the session.

    Attributes:
        answers: the fields, one for each question.
    """

    depends_on = frozenset({"graph", "numbers"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.prediction = session.presenter.prediction
        self.answers: list[QLineEdit] = []
        self._asked: list[Question] = []
        self.table = table = QTableWidget(0, len(COLUMNS))
        table.setHorizontalHeaderLabels(COLUMNS)
        set_read_only(table, "gradients to predict")
        header = table.horizontalHeader()
        header.setMinimumSectionSize(text_pixels(MARK_PIXELS))
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)  # what is typed has the room that is left
        table.setColumnWidth(3, text_pixels(MARK_PIXELS))
        table.currentCellChanged.connect(lambda row, *_rest: self._select(row))
        self.page = FormulaView("feedback on an answer")
        actions = self.hide_all, self.hide_selected, self.give_hint, self.prediction.end
        self.buttons = {name: push_button(*BUTTONS[name], do) for name, do in zip(BUTTONS, actions, strict=True)}
        self._bar = QGridLayout()
        self._bar.setSpacing(4)
        self._place_buttons()
        add_widgets(QVBoxLayout(self), self._bar, self.table, 1, self.page, margins=(8, 6, 8, 6), spacing=4)

    def _place_buttons(self) -> None:
        """Place the buttons in a row, or in two rows in a narrow panel."""
        wanted = sum(button.sizeHint().width() + 4 for button in self.buttons.values())
        across = len(self.buttons) if wanted <= max(self.width() - 12, 0) else 2
        for place, button in enumerate(self.buttons.values()):
            self._bar.addWidget(button, place // across, place % across)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_buttons()
        self._fit_page()

    def _fit_page(self) -> None:
        """Let the explanation fill the panel while no question is open."""
        height = min(text_pixels(110), self.height() // 4) if self._asked else self.height()
        self.page.setMaximumHeight(height)
        self.page.setMinimumHeight(height if self._asked else 0)
        names = self.table.sizeHintForColumn(0) + NAME_MARGIN
        self.table.setColumnWidth(0, min(names, round(self.table.viewport().width() * MOST_OF_NAMES)))

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.page.colors = colors

    # Following the session

    def refresh(self, change: Change) -> None:
        if self._asked != self.prediction.questions:
            self._asked = list(self.prediction.questions)
            self._write_rows()
        self.table.setVisible(bool(self._asked))
        self._fit_page()
        for row, asked in enumerate(self._asked):
            field, mark, verdict = self.answers[row], self.table.item(row, 3), asked.verdict
            if field.text() != asked.text:
                field.setText(asked.text)
            field.setReadOnly(asked.found)
            set_style_property(field, "invalid", verdict is not None and not verdict.right)
            if mark is not None:
                mark.setText(MARKS[verdict.right if verdict is not None and verdict.is_number else None])
        found = sum(asked.found for asked in self._asked)
        self.set_caption(CAPTION.format(answered=found, asked=len(self._asked)) if self._asked else "")
        first = SENTENCES["start" if self.session.presenter.graph_view.root is not None else "empty"]
        is_stale = "graph" in change and not self._asked
        self.page.show_lines([plain(first)] if is_stale else self.prediction.feedback or [plain(first)])

    def _write_rows(self) -> None:
        boxes = self.session.presenter.picture.boxes
        self.table.setRowCount(0)
        self.table.setRowCount(len(self._asked))
        self.answers = []
        for row, asked in enumerate(self._asked):
            name = boxes[asked.key].label if asked.key in boxes else asked.key
            for column, text in ((0, name), (1, with_minus(short(asked.value.data))), (3, "")):
                self.table.setItem(row, column, QTableWidgetItem(text))
            field = _Answer()
            field.setFont(mono_font(12))
            field.setMaxLength(LONGEST_ANSWER)
            field.setAccessibleName(f"gradient of {name}")
            field.textEdited.connect(lambda text, asked=asked: self.prediction.type(asked, text))
            field.returnPressed.connect(lambda asked=asked: self._check(asked))
            self.table.setCellWidget(row, 2, field)
            self.answers.append(field)

    # User actions

    def hide_all(self) -> None:
        """Hide every gradient except those of constants."""
        self.prediction.ask_all(self.session.presenter.graph_view)
        self._focus_first()

    def hide_selected(self) -> None:
        """Hide the gradient of the selected box, too."""
        presenter = self.session.presenter
        value = presenter.value(self.session.selection)
        self.prediction.ask_one(value, presenter.graph_view)
        self._focus_first()

    def _focus_first(self) -> None:
        """Give the keyboard to the first open question."""
        awaited = [field for field, asked in zip(self.answers, self._asked, strict=False) if not asked.found]
        if awaited:
            awaited[0].setFocus()

    def _check(self, asked: Question) -> None:
        self.prediction.check(asked)
        if asked.found:
            self.answers[self._asked.index(asked)].focusNextChild()

    def give_hint(self) -> None:
        """The local rule for the gradient that is asked for in the row of the cursor."""
        asked = self._current()
        if asked is None:
            self.page.show_lines([plain(SENTENCES["start"])])
        else:
            self.prediction.give_hint(asked)

    def _current(self) -> Question | None:
        with_focus = [row for row, field in enumerate(self.answers) if field.hasFocus()]
        row = with_focus[0] if with_focus else self.table.currentRow()
        if 0 <= row < len(self._asked) and not self._asked[row].found:
            return self._asked[row]
        selected = self.prediction.question(self.session.selection)
        return selected or next((asked for asked in self._asked if not asked.found), None)

    def _select(self, row: int) -> None:
        if 0 <= row < len(self._asked):
            self.session.select(self._asked[row].key)
