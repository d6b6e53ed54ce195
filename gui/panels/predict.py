"""Predict, then reveal: gradients are hidden, the user types them, and they are checked one by one.

While a gradient is hidden its box has a question mark, and "Why?" does not tell it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.autograd import Constant, Replay, Value, gradients_of, topological_order
from engine.autograd.explanation import plain
from engine.autograd.notation import counted, short
from engine.autograd.quiz import Score, Verdict, hint, judge
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.shown_walk import ALL
from gui.theme import Colors, mono_font, set_style_property, text_pixels
from gui.widgets.formula_view import FormulaView
from gui.widgets.layouts import filled

SENTENCES = {
    "empty": "There is no graph yet: the gradients of a program are hidden here, to be predicted.",
    "start": "Hide all gradients, or that of the selected box; type what you think they are, and press Return.",
    "large": "This graph has {values}: hide the gradient of the selected box alone.",
    "nothing selected": "Select a box first: its gradient is hidden then.",
    "no number": "This value has no gradient to predict.",
    "asked": "Which gradients are these? Return checks one, the hint tells the rule.",
    "done": "All are found: {score}.",
    "score": "{first} at once, {later} later, {hinted} with a hint",
    "caption": "{answered} of {asked} found",
    "hide all": "Hide every gradient, to predict them",
    "hide one": "Hide the gradient of the selected box, to predict it",
    "hint": "The local rule of each consumer, without the numbers",
    "reveal": "Show the gradients that are still hidden; they do not count",
}
"""What the panel says of itself; what it says of an answer comes from the engine."""
MOST_ROWS = 60
WIDTHS = 66, 84, 24
"""Of the columns but the first, pixels."""
COLUMNS = ("value", "data", "your grad", "")


@dataclass
class Question:
    """One hidden gradient.

    Attributes:
        key: of its box.
        value: whose it is.
        gradient: the right answer.
        amounts: the contributions that it is the sum of.
        tries: answers that were numbers and wrong.
        hinted: whether the hint was asked for.
        found: whether it was answered.
    """

    key: str
    value: Value
    gradient: float
    amounts: tuple[float, ...]
    tries: int = 0
    hinted: bool = False
    found: bool = False


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
        score: kept for the session.
        questions: those that are asked now.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.score = Score()
        self.questions: list[Question] = []
        self._root: Value | None = None
        self.answers: list[QLineEdit] = []
        self.table = self._make_table()
        self.page = FormulaView("what is said of an answer")
        self.page.setFixedHeight(text_pixels(110))
        self.buttons = {name: QPushButton(text) for name, text in BUTTONS.items()}
        for name, do in (("hide all", self.hide_all), ("hide one", self.hide_selected), ("hint", self.give_hint),
                         ("reveal", self.reveal)):  # fmt: skip
            self.buttons[name].setToolTip(SENTENCES[name])
            self.buttons[name].clicked.connect(do)
        row = filled(QHBoxLayout(), *self.buttons.values(), spacing=4)
        row.addStretch(1)
        filled(QVBoxLayout(self), row, self.table, 1, self.page, margins=(8, 6, 8, 6), spacing=4)
        self._say(SENTENCES["start"])

    def _make_table(self) -> QTableWidget:
        table = QTableWidget(0, len(COLUMNS))
        table.setHorizontalHeaderLabels(COLUMNS)
        table.setAccessibleName("gradients to predict")
        table.verticalHeader().hide()
        table.setShowGrid(False)
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, width in enumerate(WIDTHS, start=1):
            table.setColumnWidth(column, text_pixels(width))
        table.currentCellChanged.connect(lambda row, *_rest: self._select(row))
        return table

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        super().set_colors(colors)
        self.page.colors = colors

    # Following the session

    def follows(self, change: Change) -> bool:
        """Another graph, or other numbers: what was asked is not the question any more."""
        return change.numbers or change.graph

    def refresh(self, change: Change) -> None:
        """Ends a quiz whose graph has gone, or whose numbers have changed."""
        root = self.session.graph.graph_view.root
        if self.questions and (root is not self._root or self._are_numbers_others()):
            self._end()
            self._say(SENTENCES["start" if root is not None else "empty"])
        elif root is None:
            self._say(SENTENCES["empty"])

    def _are_numbers_others(self) -> bool:
        assert self._root is not None
        gradients = gradients_of(self._root)
        now = [gradients.get(asked.value, 0.0) for asked in self.questions]
        return not np.array_equal(now, [asked.gradient for asked in self.questions], equal_nan=True)

    # Asking

    def hide_all(self) -> None:
        """Asks for every gradient but those of numbers in formulas."""
        root = self.session.graph.graph_view.root
        values = [] if root is None else [v for v in reversed(topological_order(root)) if self._can_be_asked(v)]
        if not values or len(values) > MOST_ROWS:
            text = SENTENCES["large"].format(values=counted(len(values), "value"))
            self._say(text if values else SENTENCES["empty"])
            return
        self._ask(values)

    def hide_selected(self) -> None:
        """Asks for the gradient of the selected box besides those that are asked for."""
        value = self.session.graph.value(self.session.selection)
        if value is None:
            self._say(SENTENCES["nothing selected"])
        elif not self._can_be_asked(value):
            self._say(SENTENCES["no number"])
        else:
            self._ask([*(asked.value for asked in self.questions if not asked.found), value])

    def _can_be_asked(self, value: Value) -> bool:
        box = self.session.graph.graph_view.box_of(value)
        return not isinstance(value, Constant) and value.data.__class__ is float and box is not None

    def _ask(self, values: list[Value]) -> None:
        root = self._root = self.session.graph.graph_view.root
        assert root is not None
        self.session.graph.set_position(ALL)
        gradients, replay = gradients_of(root), Replay(root)
        self.questions = []
        for value in dict.fromkeys(values):
            terms = replay.contributions_to(value, replay.downstream([value]))
            amounts = tuple(float(term.amount) for term in terms)
            key = self.session.graph.graph_view.box_of(value) or ""
            self.questions.append(Question(key, value, float(gradients.get(value, 0.0)), amounts))
        self._write_rows()
        self._hide()
        self._say(SENTENCES["asked"])

    def _write_rows(self) -> None:
        boxes = self.session.graph.picture.boxes
        self.table.setRowCount(0)
        self.table.setRowCount(len(self.questions))
        self.answers = []
        for row, asked in enumerate(self.questions):
            name = boxes[asked.key].label if asked.key in boxes else asked.key
            for column, text in enumerate((name, short(asked.value.data))):
                self.table.setItem(row, column, QTableWidgetItem(text))
            self.table.setItem(row, 3, QTableWidgetItem(""))
            field = _Answer()
            field.setFont(mono_font(12))
            field.setMaxLength(24)
            field.setAccessibleName(f"gradient of {name}")
            field.returnPressed.connect(lambda asked=asked, field=field: self._check(asked, field))
            self.table.setCellWidget(row, 2, field)
            self.answers.append(field)

    def _hide(self) -> None:
        self.session.graph.hide_gradients(frozenset(asked.key for asked in self.questions if not asked.found))
        found = sum(asked.found for asked in self.questions)
        self.set_caption(SENTENCES["caption"].format(answered=found, asked=len(self.questions)))

    # Answering

    def _check(self, asked: Question, field: QLineEdit) -> None:
        if asked.found:
            return
        verdict = judge(field.text(), asked.value, asked.gradient, asked.amounts)
        set_style_property(field, "invalid", not verdict.right)
        if verdict.right:
            self._take(asked, field)
        elif verdict.is_number:
            asked.tries += 1
        row = self.questions.index(asked)
        mark = self.table.item(row, 3)
        if mark is not None:
            mark.setText("✓" if verdict.right else "✗" if verdict.is_number else "")
        self._tell(verdict)

    def _take(self, asked: Question, field: QLineEdit) -> None:
        asked.found = True
        field.setReadOnly(True)
        kind = "hinted" if asked.hinted else "later" if asked.tries else "first"
        setattr(self.score, kind, getattr(self.score, kind) + 1)
        self._hide()
        field.focusNextChild()

    def _tell(self, verdict: Verdict) -> None:
        is_done = verdict.right and all(asked.found for asked in self.questions)
        score = SENTENCES["score"].format(**vars(self.score))
        lines = [verdict.text, SENTENCES["done"].format(score=score)] if is_done else [verdict.text]
        self.page.show_lines(list(map(plain, lines)))

    def give_hint(self) -> None:
        """The local rule for the gradient that is asked for in the row of the cursor."""
        asked = self._current()
        if asked is None or self._root is None:
            self._say(SENTENCES["start"])
            return
        asked.hinted = True
        self.page.show_lines(hint(asked.value, self._root, Replay(self._root).uses(asked.value)))

    def _current(self) -> Question | None:
        with_focus = [row for row, field in enumerate(self.answers) if field.hasFocus()]
        row = with_focus[0] if with_focus else self.table.currentRow()
        if 0 <= row < len(self.questions) and not self.questions[row].found:
            return self.questions[row]
        return next((asked for asked in self.questions if not asked.found), None)

    def reveal(self) -> None:
        """Shows what is still hidden."""
        self._end()
        self._say(SENTENCES["start"])

    def _end(self) -> None:
        self.questions, self.answers, self._root = [], [], None
        self.table.setRowCount(0)
        self.session.graph.hide_gradients(frozenset())
        self.set_caption("")

    def _select(self, row: int) -> None:
        if 0 <= row < len(self.questions):
            self.session.select(self.questions[row].key)

    def _say(self, sentence: str) -> None:
        self.page.show_lines([plain(sentence)])


BUTTONS: Mapping[str, str] = {
    "hide all": "Hide all", "hide one": "Hide one", "hint": "Hint", "reveal": "Reveal",
}  # fmt: skip
