"""The bug lab: two canvases with the same graph, after the right way and after a classic mistake."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSplitter, QVBoxLayout, QWidget

from engine.autograd.explanation import ExplanationLine, Lines, TextRun, heading, plain
from engine.document.bug_lab import BUGS, Bug, Comparison, Numbers, compare, differing_values
from engine.graph import BoxNumbers, read_numbers
from gui.canvas import Activity, GraphCanvas
from gui.panels.panel import Panel
from gui.session import Change, Session
from gui.shown_walk import ALL
from gui.theme import Colors, text_pixels
from gui.widgets.formula_view import FormulaView
from gui.widgets.labels import muted_label
from gui.widgets.layouts import filled

SENTENCES = {
    "empty": "There is no graph yet: a mistake is shown here beside the right way once a program has one.",
    "wrong line": "wrong: ",
    "right line": "right: ",
    "large": "This graph is too large for the lab: it works on up to {most:,} values.",
    "failed": "Not on this graph: {reason}.",
    "more": "… and {number} more.",
    "caption": "{number} differ",
}
"""What the panel says of itself; what it says of a mistake comes from the engine."""
MOST_VALUES = 400
MOST_LISTED = 40


class BugLabPanel(Panel):
    """A mistake to choose, what it is, and both graphs with the values marked that differ.

    Attributes:
        canvases: "right" and "wrong".
        comparison: what is shown; None where there is nothing to compare.
    """

    rest_seconds = 0.5
    full_speed_rest_seconds = 0.5

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.comparison: Comparison | None = None
        self._texts: dict[str, tuple[str, ...]] = {}
        self.choice = QComboBox()
        self.choice.setAccessibleName("mistake")
        for name, bug in BUGS.items():
            self.choice.addItem(bug.title, name)
        self.choice.currentIndexChanged.connect(lambda _index: self._compare())
        self.page = FormulaView("what the mistake does")
        self.canvases = {name: GraphCanvas() for name in ("right", "wrong")}
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        for name, canvas in self.canvases.items():
            self.splitter.addWidget(self._framed(name, canvas))
        words = QWidget()
        filled(QVBoxLayout(words), self.choice, self.page, 1, margins=(8, 6, 4, 6), spacing=4)
        self.outer = QSplitter(Qt.Orientation.Horizontal)
        self.outer.addWidget(words)
        self.outer.addWidget(self.splitter)
        self.outer.setStretchFactor(1, 3)
        self._fit = QTimer(self, singleShot=True, interval=0)  # when the canvases have their sizes
        self._fit.timeout.connect(self._fit_canvases)
        filled(QHBoxLayout(self), self.outer, margins=(0, 0, 0, 0))

    def _framed(self, name: str, canvas: GraphCanvas) -> QWidget:
        frame, title = QWidget(), QLabel(name)
        title.setStyleSheet("font-weight: 600;")
        canvas.setAccessibleName(f"graph after the {name} way")
        canvas.notes = lambda key: self._texts.get(key, ())
        canvas.node_selected.connect(self.session.select)
        canvas.setMinimumSize(text_pixels(120), text_pixels(70))
        filled(QVBoxLayout(frame), filled(QHBoxLayout(), title, muted_label("")), canvas, 1, margins=(4, 4, 4, 4))
        return frame

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        super().set_colors(colors)
        self.page.colors = colors
        for canvas in self.canvases.values():
            canvas.set_colors(colors)
        self.outdate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stands the words beside the canvases, or above them in a narrow column."""
        super().resizeEvent(event)
        is_wide = self.width() > 1.2 * self.height()
        self.outer.setOrientation(Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical)
        length = self.width() if is_wide else self.height()
        self.outer.setSizes([length * 3 // 10, length * 7 // 10])
        self._fit.start()

    # Following the session

    def follows(self, change: Change) -> bool:
        """Another graph, other numbers, another learning rate, another selection."""
        return change.numbers or change.graph or change.selection or "training" in change.sections

    def refresh(self, change: Change) -> None:
        """Compares anew, and selects what is selected."""
        if change.numbers or change.graph or change.sections:
            self._compare()
        for canvas in self.canvases.values():
            canvas.select(self.session.selection)

    @property
    def bug(self) -> Bug:
        """The mistake that is chosen."""
        return BUGS[self.choice.currentData()]

    def choose(self, name: str) -> None:
        """Chooses a mistake by its name in `BUGS`."""
        self.choice.setCurrentIndex(list(BUGS).index(name))

    def _compare(self) -> None:
        graph = self.session.graph
        root, self.comparison, self._texts = graph.graph_view.root, None, {}
        if root is None:
            self._say(plain(SENTENCES["empty"]))
        elif graph.graph_view.n_values > MOST_VALUES:
            self._say(plain(SENTENCES["large"].format(most=MOST_VALUES)))
        elif graph.position == ALL:
            try:
                self.comparison = compare(self.bug, root, self.session.document.training.learning_rate)
            except ValueError as error:
                self._say(plain(SENTENCES["failed"].format(reason=error)))
        if self.comparison is not None:
            self._show(self.comparison)

    def _show(self, comparison: Comparison) -> None:
        graph, view = self.session.graph, self.session.graph.graph_view
        for each in comparison.differences:
            key = view.box_of(each.value)
            if key is not None:
                self._texts[key] = (*self._texts.get(key, ()), each.text)
        keys = frozenset(filter(None, map(view.box_of, differing_values(comparison.differences))))
        for name, numbers in (("right", comparison.right), ("wrong", comparison.wrong)):
            canvas = self.canvases[name]
            if canvas.picture != graph.picture:
                canvas.show_picture(graph.prepared)
                self._fit.start()
            canvas.show_readings(self._readings(numbers))
            canvas.show_activity(Activity(differing=keys))
        self._say(*self._lines(comparison))
        self.set_caption(SENTENCES["caption"].format(number=len(keys)))

    def _fit_canvases(self) -> None:
        """Side by side or one above the other, whichever shows the graph larger; then each shows the whole."""
        left, top, right, bottom = self.session.graph.picture.bounds
        width, height = max(1.0, right - left), max(1.0, bottom - top)
        room = self.splitter.size()
        beside = min(room.width() / 2 / width, room.height() / height)
        above = min(room.width() / width, room.height() / 2 / height)
        self.splitter.setOrientation(Qt.Orientation.Horizontal if beside >= above else Qt.Orientation.Vertical)
        self.splitter.setSizes([1000, 1000])
        for canvas in self.canvases.values():
            canvas.fit()

    def _readings(self, numbers: Numbers) -> Mapping[str, BoxNumbers]:
        view = self.session.graph.graph_view
        return read_numbers(view.graph, lambda value: numbers.get(id(value), (value.data, None)))

    def _lines(self, comparison: Comparison) -> Lines:
        bug, differences = self.bug, comparison.differences
        code = [
            ExplanationLine("text", (TextRun("word", SENTENCES[f"{side} line"]), TextRun("code", text)))
            for side, text in (("wrong", bug.wrong_code), ("right", bug.right_code))
        ]
        told = [plain(each.text) for each in differences[:MOST_LISTED]] or [plain(bug.none)]
        more = len(differences) - MOST_LISTED
        rest = [plain(SENTENCES["more"].format(number=more))] if more > 0 else []
        return (heading(bug.title), *code, plain(bug.why), *told, *rest)

    def _say(self, *lines: ExplanationLine) -> None:
        if self.comparison is None:
            self.set_caption("")
        self.page.show_lines(lines)
