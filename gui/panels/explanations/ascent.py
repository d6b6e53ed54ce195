"""The panel that follows the gradient: ticked leaves are moved along it, and the output rises as it had predicted."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout

from engine.autograd import Value, name_of
from engine.teaching import Nudger
from engine.teaching.explanation import Lines
from engine.teaching.nudge_lines import ascent_lines
from engine.views.questions import GraphCopy, Question
from gui.panels.explanations.questions import QuestionPanel
from gui.session import Change, Session
from gui.theme import text_pixels
from gui.widgets.buttons import push_button
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.number_entry import NumberEntry

SENTENCES = {
    "empty": "There is no graph yet. The leaves of a program are listed here, to be moved along their gradients.",
    "nothing chosen": "Tick at least one leaf to move it along its gradient.",
    "hidden": "A gradient of these leaves is hidden: predict it first, or tick others.",
    "failed": "This could not be computed: {reason}.",
    "step": "How much of its gradient is added to each ticked leaf; below 0 the output falls",
    "again": "Add step × grad to the ticked leaves once more, from where they are now",
    "reset": "Reset the leaves to the numbers of the program",
}
"""Texts of the panel; those on a step of the ascent come from the engine."""
MOST_LEAVES, MOST_NAMES = 200, 6
NARROW = 310
"""Pixels across in which the step and the buttons have no room beside each other."""


class AscentPanel(QuestionPanel):
    """The leaves with a tick each, the step, and what the output does."""

    sentences = SENTENCES
    depends_on = frozenset({"numbers"})

    def __init__(self, session: Session) -> None:
        super().__init__(session, "ascent", "what following the gradient does")
        self._graph = GraphCopy()
        self._times, self._leaves = 1, list[Value]()
        self.step = NumberEntry("step", 0.01, SENTENCES["step"], width=64)
        self.step.number_changed.connect(lambda _step: self._start_over())
        self.again = push_button("Step again", SENTENCES["again"], self._go_on)
        self.back = push_button("Start over", SENTENCES["reset"], self._start_over)
        self.leaves = QListWidget()
        self.leaves.setAccessibleName("leaves that follow their gradients")
        self.leaves.itemChanged.connect(lambda _item: self._start_over())
        self._row = add_widgets(QHBoxLayout(), add_widgets(QHBoxLayout(), muted_label("step"), self.step),
                           add_widgets(QHBoxLayout(), self.again, self.back), spacing=4)  # fmt: skip
        self._row.addStretch(1)
        below = add_widgets(QHBoxLayout(), self.leaves, 1, self.page, 3)
        add_widgets(QVBoxLayout(self), self._row, below, 1, margins=(8, 6, 8, 6), spacing=4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < text_pixels(NARROW)
        down, across = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._row.setDirection(down if is_narrow else across)
        self.leaves.setMaximumWidth(min(text_pixels(110), self.width() // 3))

    def refresh(self, change: Change) -> None:
        presenter = self.session.presenter
        leaves = presenter.sample.parameters if presenter.sample is not None else presenter.graph_view.leaves
        if list(leaves) != self._leaves:
            self._list(leaves)
        self._ask()

    def _list(self, leaves: Sequence[Value]) -> None:
        self._leaves, self._times = list(leaves), 1
        with QSignalBlocker(self.leaves):
            self.leaves.clear()
            for value in leaves[:MOST_LEAVES]:
                item = QListWidgetItem(name_of(value), self.leaves)
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(Qt.CheckState.Checked)

    def ticked(self) -> list[Value]:
        """The leaves that are ticked; those that are too many for the list count as ticked."""
        items = [self.leaves.item(row) for row in range(self.leaves.count())]
        ticked = [item.checkState() == Qt.CheckState.Checked for item in items]
        return [value for row, value in enumerate(self._leaves) if row >= len(ticked) or ticked[row]]

    def _go_on(self) -> None:
        self._times += 1
        self._ask()

    def _start_over(self) -> None:
        self._times = 1
        self._ask()

    def _ask(self) -> None:
        leaves, view, hidden = (
            self.ticked(),
            self.session.presenter.graph_view,
            self.session.presenter.prediction.hidden,
        )
        if not leaves or view.root is None:
            self.leave("nothing chosen" if self._leaves else "empty")
        elif any(view.box_of(leaf) in hidden for leaf in leaves):
            self.leave("hidden")
        else:
            question, step, times = self.question_about(leaves[0]), self.step.number, self._times
            self.ask(lambda: [self._answer(question, leaves, step, times)])

    def _answer(self, question: Question, leaves: Sequence[Value], step: float, times: int) -> Lines:
        """Compute the answer; runs in a worker thread."""
        self._graph.go_to(question)
        found = [self._graph.find(leaf, question) for leaf in leaves]
        names = ", ".join(name_of(leaf) for leaf in found[:MOST_NAMES])
        root = self._graph.root
        ascent = Nudger(root).ascend(found, step, times)
        return ascent_lines(root, f"{names}, …" if len(found) > MOST_NAMES else names, ascent)

    def show_answer(self, _asked: object, lines: Lines) -> None:
        self.page.show_lines(lines)
