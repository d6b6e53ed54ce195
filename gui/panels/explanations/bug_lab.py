"""The bug lab: two canvases with the same graph, after the right way and after a classic mistake."""

from __future__ import annotations

from collections.abc import Mapping

import networkx as nx
from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from engine.graph import BoxNumbers, read_numbers
from engine.graph.legibility import most_readable, text_heights
from engine.teaching.explanation import ExplanationLine, TextRun, heading, plain
from engine.views.bug_lab import BUGS, EXAMPLE, Bug, Comparison, Numbers, compare, differing_values, example
from engine.views.shown_walk import ALL
from gui.canvas import Activity, GraphCanvas
from gui.panels.panel import Panel
from gui.presenter.placement import Placement
from gui.session import Change, Session
from gui.theme import Colors, text_pixels
from gui.widgets.choices import NarrowCombo
from gui.widgets.formula_view import FormulaView
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.splitter import Splitter

SENTENCES = {
    "empty": "There is no graph yet.",
    "hidden": "Gradients are hidden. Both graphs are shown once all gradients are answered or revealed.",
    "wrong line": "wrong: ",
    "right line": "right: ",
    "large": "This graph is too large for the lab: it works on up to {most:,} values.",
    "failed": "Not possible on this graph: {reason}.",
    "example": "{why} An example is shown instead:",
    "more": "… and {number} more.",
    "one": "1 differs",
    "several": "{number} differ",
}
"""Texts of the panel; those on a mistake come from the engine."""
MOST_VALUES = 400
EXAMPLE_RATE = 0.05
FRAME = QSize(64, 90)
"""Size of everything around a graph in its half: margins of the canvas, and its title."""
LEAST_ROOM = 40.0
"""Pixels, as a canvas has at least."""
MOST_LISTED = 40


class BugLabPanel(Panel):
    """Choice of a mistake, its description, and the right and the wrong graph with differing values marked.

    Attributes:
        canvases: "right" and "wrong".
        placement: where the boxes stand in both: as large as they can be there.
        comparison: what is shown; None where there is nothing to compare.
        graph_view: the graph that is compared: the one that is shown, or an example where that hides the mistake.
    """

    rest_seconds = 0.5
    full_speed_rest_seconds = 0.5
    depends_on = frozenset({"numbers", "training", "selection"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.comparison: Comparison | None = None
        self.graph_view = session.presenter.graph_view
        self._why_example = ""
        self._texts: dict[str, tuple[str, ...]] = {}
        self._numbers: dict[str, Mapping[str, BoxNumbers]] = {}
        self._differing = Activity()
        self.choice = NarrowCombo("mistake", "The mistake in the wrong graph")
        for name, bug in BUGS.items():
            self.choice.addItem(bug.title, name)
        self.choice.currentIndexChanged.connect(lambda _index: self._compare())
        self.page = FormulaView("effect of the mistake")
        self.canvases = {name: GraphCanvas() for name in ("right", "wrong")}
        self.splitter = Splitter("graphs", Qt.Orientation.Horizontal)
        for name, canvas in self.canvases.items():
            frame, title = QWidget(), QLabel(name, textFormat=Qt.TextFormat.PlainText)
            title.setStyleSheet("font-weight: 600;")
            canvas.setAccessibleName(f"graph after the {name} way")
            canvas.notes = lambda key: self._texts.get(key, ())
            canvas.node_selected.connect(self._select)
            canvas.setMinimumSize(text_pixels(120), text_pixels(70))
            add_widgets(
                QVBoxLayout(frame), add_widgets(QHBoxLayout(), title, muted_label("")), canvas, 1, margins=(4, 4, 4, 4)
            )
            self.splitter.addWidget(frame)
        words = QWidget()
        add_widgets(QVBoxLayout(words), self.choice, self.page, 1, margins=(8, 6, 4, 6), spacing=4)
        self.outer = Splitter("words and graphs", Qt.Orientation.Horizontal)
        self.outer.addWidget(words)
        self.outer.addWidget(self.splitter)
        self.outer.setStretchFactor(1, 3)
        self.placement = Placement(self)
        self.placement.layout_replaced.connect(self._show_picture)
        self._fit = QTimer(self, singleShot=True, interval=0)  # when the canvases have their sizes
        self._fit.timeout.connect(self._place)
        add_widgets(QHBoxLayout(self), self.outer, margins=(0, 0, 0, 0))

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.page.colors = colors
        for canvas in self.canvases.values():
            canvas.set_colors(colors)
        self.outdate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_wide = self.width() > 1.6 * self.height()
        self.outer.setOrientation(Qt.Orientation.Horizontal if is_wide else Qt.Orientation.Vertical)
        length = self.width() if is_wide else self.height()
        self.outer.setSizes([length * 3 // 10, length * 7 // 10])
        self._fit.start()

    # Following the session

    def refresh(self, change: Change) -> None:
        if change & {"numbers", "training"}:
            self._compare()
        for canvas in self.canvases.values():
            canvas.select(None if self._why_example else self.session.selection)

    def _select(self, key: str | None) -> None:
        """Select a value in the window, unless it is one of the example."""
        if not self._why_example:
            self.session.select(key)

    @property
    def bug(self) -> Bug:
        """The chosen mistake."""
        return BUGS[self.choice.currentData()]

    def choose(self, name: str) -> None:
        """Choose a mistake by its name in `BUGS`."""
        self.choice.setCurrentIndex(list(BUGS).index(name))

    def _compare(self) -> None:
        presenter, rate = self.session.presenter, self.session.document.training.learning_rate
        view, self.comparison, self._texts, why = presenter.graph_view, None, {}, ""
        if presenter.prediction.hidden:
            self._show_lines(plain(SENTENCES["hidden"]))
        elif presenter.position == ALL or view.root is None:
            if view.root is None:
                why = SENTENCES["empty"]
            elif presenter.graph_view.n_values > MOST_VALUES:
                why = SENTENCES["large"].format(most=MOST_VALUES)
            else:
                try:
                    self.comparison = compare(self.bug, view.root, rate)
                    why = "" if self.comparison.differences else self.bug.none
                except ValueError as error:
                    why = SENTENCES["failed"].format(reason=error)
            self._why_example = why
            self.graph_view = example() if why else view
            if why and self.graph_view.root is not None:
                self.comparison = compare(self.bug, self.graph_view.root, EXAMPLE_RATE)
        self.splitter.setVisible(self.comparison is not None)
        if self.comparison is not None:
            self._show(self.comparison)

    def _show(self, comparison: Comparison) -> None:
        view = self.graph_view
        for each in comparison.differences:
            key = view.box_of(each.value)
            if key is not None:
                self._texts[key] = (*self._texts.get(key, ()), each.text)
        keys = frozenset(filter(None, map(view.box_of, differing_values(comparison.differences))))
        for name, numbers in (("right", comparison.right), ("wrong", comparison.wrong)):
            self._numbers[name] = self._readings(numbers)
        self._differing = Activity(differing=keys)
        self._place()
        bug, differences = self.bug, comparison.differences
        code = [
            ExplanationLine("text", (TextRun("word", SENTENCES[f"{side} line"]), TextRun("code", text)))
            for side, text in (("wrong", bug.wrong_code), ("right", bug.right_code))
        ]
        lines = [plain(each.text) for each in differences[:MOST_LISTED]]
        if comparison.outcome:
            lines.insert(0, plain(comparison.outcome))
        more = len(differences) - MOST_LISTED
        rest = [plain(SENTENCES["more"].format(number=more))] if more > 0 else []
        example = [ExplanationLine("text", (TextRun("code", line),)) for line in EXAMPLE.splitlines()]
        instead = [plain(SENTENCES["example"].format(why=self._why_example)), *example] if self._why_example else []
        self._show_lines(heading(bug.title), *code, plain(bug.why), *instead, *lines, *rest)
        self.set_caption(SENTENCES["one" if len(keys) == 1 else "several"].format(number=len(keys)))

    def _place(self) -> None:
        """Side by side or one above the other, in the form and direction in which the texts are largest there."""
        view, style = self.graph_view, self.session.document.view.style
        if self.comparison is None:
            return
        size = self.splitter.size()
        rooms = {
            Qt.Orientation.Horizontal: _room(size.width() / 2, size.height()),
            Qt.Orientation.Vertical: _room(size.width(), size.height() / 2),
        }
        best = max(rooms, key=lambda orientation: _text_height(view.graph, rooms[orientation]))
        self.splitter.set_orientation(best)
        self.splitter.set_sizes([1000, 1000])
        self.placement.set_room(rooms[best])
        if self.placement.place(view, style, {}, view.structure):
            self._show_picture()

    def _show_picture(self) -> None:
        """Show both graphs completely."""
        for name, canvas in self.canvases.items():
            if canvas.picture != self.placement.prepared.picture:
                canvas.show_picture(self.placement.prepared)
            canvas.show_readings(self._numbers.get(name, {}))
            canvas.show_activity(self._differing)
            canvas.select(None if self._why_example else self.session.selection)
            canvas.fit()

    def stop(self) -> None:
        self.placement.stop()

    def _readings(self, numbers: Numbers) -> Mapping[str, BoxNumbers]:
        view = self.graph_view
        return read_numbers(view.graph, lambda value: numbers.get(id(value), (value.data, None)))

    def _show_lines(self, *lines: ExplanationLine) -> None:
        if self.comparison is None:
            self.set_caption("")
        self.page.show_lines(lines)


def _room(width: float, height: float) -> tuple[float, float]:
    """Width and height for a graph in a canvas of that size, which is not laid out yet: some at least."""
    return max(LEAST_ROOM, width - FRAME.width()), max(LEAST_ROOM, height - FRAME.height())


def _text_height(graph: nx.DiGraph, room: tuple[float, float]) -> float:
    """The height of a digit where the whole graph is shown in the form that is best for a room."""
    if not len(graph):
        return 0.0
    choice = most_readable(graph, room)
    return text_heights(graph, room, [choice])[choice]
