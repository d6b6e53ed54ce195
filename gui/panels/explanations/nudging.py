"""Panels that change a value and compare the result with the gradient: Nudge, Lens and Follow the gradient.

"Why?" is built on their base `QuestionPanel` too, which asks about the selected value in a worker thread.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QListWidget, QListWidgetItem, QSlider, QVBoxLayout

from engine.autograd import Value, name_of
from engine.csv_text import Column
from engine.teaching import Nudger
from engine.teaching.explanation import Lines, plain
from engine.teaching.lens import LensView, OperationView, is_of_one_number, look_at_operation, look_through
from engine.teaching.nudge_lines import ascent_lines, measured_lines, nudge_lines, outdated_lines
from engine.teaching.nudging import ErrorCurve, Nudge
from engine.views.questions import GraphCopy, Question
from engine.views.shown_walk import ALL
from gui.background import Job
from gui.fields.slider import SliderScale
from gui.panels.panel import Panel
from gui.plots.plot import LARGEST, Plot, range_around
from gui.session import Change, Session
from gui.theme import Colors, set_text_sized, text_pixels
from gui.widgets.buttons import push_button, tool_button
from gui.widgets.formula_view import FormulaView
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.number_entry import NumberEntry


class QuestionPanel(Panel):
    """Base of panels that answer a question in a worker thread and show the answer, or the reason why there is none.

    A subclass asks with `ask`, or leaves it with `leave`, and shows the answers with `show_answer`. What was answered
    stays until the next answer is there; questions come one after the other, the newest wins.

    Attributes:
        page: what is said.
        sentences: of the panel: those that `leave` is called with, and "failed", with the reason.
    """

    sentences: Mapping[str, str]
    rest_seconds = 0.2
    depends_on = frozenset({"selection", "numbers"})

    def __init__(self, session: Session, thread: str, page: str) -> None:
        """Create the page."""
        super().__init__(session)
        self.page = FormulaView(page)
        self._job = Job(thread, self)
        self._job.delivered.connect(self.show_answer)
        self._job.failed.connect(lambda _asked, error: self.say(self.sentences["failed"].format(reason=error)))

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.page.colors = colors
        self.outdate()

    def ask(self, answers: Callable[[], Iterable[Any]], asked: object = None) -> None:
        """Start answering a question in a worker thread.

        Args:
            answers: gives the answers, the better ones later; called in a thread. With a LookupError there are none:
                another graph is on its way, which is asked then.
            asked: comes back with each answer.
        """
        self._job.start(asked, lambda _cancelled: _while_there(answers), patient=True)

    def show_answer(self, asked: Any, answer: Any) -> None:
        """Show an answer to what was asked."""
        raise NotImplementedError

    def leave(self, sentence: str) -> None:
        """Ask nothing, and show the reason."""
        self._job.cancel()
        self.say(self.sentences[sentence])

    def say(self, sentence: str) -> None:
        """Show only this sentence."""
        self.set_caption("")
        self.page.show_lines([plain(sentence)])

    def selected_number(self, measures: bool = False) -> Value | None:
        """The selected value, if it is a number that can be nudged and its gradient may be shown; else show why not.

        Args:
            measures: the output is enough, on a walk that has not computed the gradient yet.
        """
        presenter, reason = self.session.presenter, ""
        value = presenter.value(self.session.selection)
        if value is None or presenter.graph_view.root is None:
            reason = "empty"
        elif presenter.graph_view.box_of(value) in presenter.prediction.hidden:
            reason = "hidden"
        else:
            if not self.has_gradient(value) and not (measures and self._has_output):
                reason = "not reached"
            elif value.data.__class__ is not float:
                reason = "array"
        if reason:
            self.leave(reason)
        return None if reason else value

    def has_gradient(self, value: Value) -> bool:
        """Return False on a walk that has not computed the value's gradient yet."""
        presenter = self.session.presenter
        walk = presenter.walk if presenter.position != ALL else None
        return walk is None or presenter.position >= max(walk.arrivals(value), default=0)

    @property
    def _has_output(self) -> bool:
        """False on a walk that has not computed the output yet."""
        presenter = self.session.presenter
        walk = presenter.walk if presenter.position != ALL else None
        return walk is None or presenter.position >= walk.computed_at(walk.root)

    def question_about(self, value: Value) -> Question:
        """A question about a value of the graph that is shown, everything computed."""
        presenter, data = self.session.presenter, self.session.dataset
        question = Question(value, presenter.graph_view)
        if presenter.sample is None:
            return question
        return replace(question, passes=presenter.sample.passes, document=self.session.document, X=data.X, y=data.y)


def _while_there(answers: Callable[[], Iterable[Any]]) -> Iterator[Any]:
    with suppress(LookupError):
        yield from answers()


class NudgedGraph(GraphCopy):
    """Copy of the shown graph with what nudges its values, the same one as long as it can be."""

    _nudger: Nudger | None = None

    def go_to(self, question: Question) -> tuple[bool, bool]:
        """Give the copy the numbers that a question is about; see `GraphCopy`."""
        is_new, has_moved = super().go_to(question)
        if is_new:
            self._nudger = None
        elif has_moved and self._nudger is not None:
            self._nudger.read()
        return is_new, has_moved

    @property
    def nudger(self) -> Nudger:
        """Nudges the values of the graph.

        Raises:
            ValueDataError: when the root is an array.
        """
        self._nudger = self._nudger or Nudger(self.root)
        return self._nudger


NUDGE_SENTENCES = {
    "empty": "Select a box in the graph to nudge it by h: the actual change of the output stands here, beside the one "
    "that its gradient predicts.",
    "hidden": "Its gradient is hidden: predict it first.",
    "not reached": "The walk has not computed the output yet: press Next until it has, or All.",
    "array": "An array cannot be nudged as one number: select a single number.",
    "failed": "This could not be computed: {reason}.",
    "slider": "Drag to nudge the selected value by h",
    "entry": "Size of the nudge, such as 0.01 or 1e-8",
    "truncation": "truncation",
    "round-off": "round-off",
}
"""Texts of the panel; those on a nudge come from the engine."""
NUDGE_TICKS = 100
"""Slider positions to either side; the slider spans the power of ten above h."""
LEAST_ERROR = 1e-17


@dataclass(frozen=True, eq=False)
class Answer:
    """A nudge with its lines and the curve of errors; only lines where there is nothing to predict."""

    lines: Lines
    curve: ErrorCurve | None
    nudge: Nudge | None


LEAST_NAMED = 4.0
"""Least width, in powers of ten, of a side of the plot that has room for its name, "truncation" or "round-off"."""


class NudgePanel(QuestionPanel):
    """A slider for h, the numbers, and the plot of the error."""

    figure_tip = (
        "The error of the nudge's slope for each h: with a large h the curve bends (truncation error), with a "
        "small h floats are rounded (rounding error)."
    )
    sentences = NUDGE_SENTENCES
    depends_on = QuestionPanel.depends_on | {"nudge"}

    def __init__(self, session: Session) -> None:
        super().__init__(session, "nudge", "effect of the nudge")
        self._graph = NudgedGraph()
        self._scale = 0.1
        self._nudges: Sequence[Nudge] = ()
        self.h = NumberEntry("h", session.nudge.h, NUDGE_SENTENCES["entry"], width=84)
        self.slider = slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(-NUDGE_TICKS, NUDGE_TICKS)
        slider.setAccessibleName("h, how far the value is nudged")
        slider.setToolTip(NUDGE_SENTENCES["slider"])
        slider.setValue(round(self.h.number / self._scale * NUDGE_TICKS))
        slider.valueChanged.connect(self._drag)
        self.h.number_changed.connect(self.session.nudge.choose)
        set_text_sized(self.page, setMinimumHeight=48)
        self.plot = Plot("error of the slope by h")
        self.curve = self.plot.plot([], symbol="o", symbolSize=5)
        self.here = self.plot.plot([], symbol="o", symbolSize=10)
        self.names = {
            name: pg.TextItem(NUDGE_SENTENCES[name], anchor=(0.5, 0.0)) for name in ("truncation", "round-off")
        }
        for name, side in (("error", "left"), ("h", "bottom")):
            self.plot.axes[side].set_logarithmic(True)
            self.plot.axes[side].setLabel(name)
        for text in self.names.values():
            self.plot.addItem(text, ignoreBounds=True)
        set_text_sized(self.plot, setMinimumHeight=70)
        row = add_widgets(QHBoxLayout(), muted_label("h"), self.h, self.slider, 1)
        add_widgets(QVBoxLayout(self), row, self.page, 3, self.plot, 2, margins=(8, 6, 8, 6), spacing=4)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.plot.set_colors(colors)
        self.curve.setPen(pg.mkPen(colors.positive, width=2))
        self.curve.setSymbolBrush(colors.positive)
        self.curve.setSymbolPen(colors.positive)
        self.here.setSymbolBrush(colors.negative)
        self.here.setSymbolPen(colors.negative)
        for text in self.names.values():
            text.setColor(colors.muted)

    # Following the session

    def refresh(self, change: Change) -> None:
        if self.session.nudge.h != round((self.slider.value() or 1) / NUDGE_TICKS * self._scale, 15):
            self._show_h(self.session.nudge.h)
        if (value := self.selected_number(measures=True)) is not None:
            question, h = self.question_about(value), self.session.nudge.h or self._scale / NUDGE_TICKS
            has_gradient = self.has_gradient(value)
            self.ask(lambda: [self._answer(question, h, has_gradient)])

    def _answer(self, question: Question, h: float, has_gradient: bool) -> Answer:
        """Compute the answer, without a prediction before there is a gradient; runs in a worker thread."""
        self._graph.go_to(question)
        nudger, value = self._graph.nudger, self._graph.find(question.value, question)
        if (node := nudger.outdated(value)) is not None:
            return Answer(outdated_lines(value, node, h), None, None)
        if not has_gradient:
            return Answer(measured_lines(self._graph.root, value, nudger.nudge(value, h)), None, None)
        curve, nudge = nudger.error_curve(value), nudger.nudge(value, h)
        return Answer(nudge_lines(self._graph.root, value, nudger.gradient(value), nudge, curve), curve, nudge)

    def say(self, sentence: str) -> None:
        """Show only this sentence: there is nothing to draw."""
        super().say(sentence)
        self.plot.hide()
        self._draw(None, None)

    def show_answer(self, _asked: object, answer: Answer) -> None:
        self.page.show_lines(answer.lines[1:])
        self.plot.setVisible(answer.curve is not None)
        self._draw(answer.curve, answer.nudge)
        self.set_caption(answer.lines[0].text if answer.lines else "")

    def figure_data(self) -> Sequence[Column]:
        return [("h", [each.h for each in self._nudges]), ("error", [each.error for each in self._nudges])]

    def _draw(self, curve: ErrorCurve | None, nudge: Nudge | None) -> None:
        """The errors by h; both as exponents of ten. An error of 0 is drawn at the bottom."""
        self._nudges = nudges = curve.nudges if curve is not None else ()
        x = [math.log10(each.h) for each in nudges]
        y = [_exponent(each.error) for each in nudges]
        self.curve.setData(x, y)
        is_drawn = nudge is not None and nudge.h != 0.0 and math.isfinite(nudge.error)
        self.here.setData([math.log10(abs(nudge.h))] if nudge is not None and is_drawn else [],
                          [_exponent(nudge.error)] if nudge is not None and is_drawn else [])  # fmt: skip
        low, high = (min(y), max(y)) if y else (-16.0, 0.0)
        room = max(0.5, 0.1 * (high - low))
        self.plot.show_range((-12.6, -0.4), (low - room, high + 2 * room))
        best = x[curve.best] if curve is not None and nudges else -8.0
        for name, low_end, high_end in (("round-off", -12.6, best), ("truncation", best, -0.4)):
            self.names[name].setVisible(bool(nudges) and high_end - low_end >= LEAST_NAMED)
            self.names[name].setPos((low_end + high_end) / 2, high + 2 * room)

    # User actions

    def _drag(self, tick: int) -> None:
        h = round((tick or 1) / NUDGE_TICKS * self._scale, 15)
        self.h.set_number(h)
        self.session.nudge.choose(h)

    def _show_h(self, h: float) -> None:
        """Show a distance that was typed; the slider is ten times as long, or less."""
        if self.h.number != h:
            self.h.set_number(h)
        exponent = math.floor(math.log10(abs(h) or 0.01)) + 1
        self._scale = 10.0 ** min(exponent, sys.float_info.max_10_exp)
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(h / self._scale * NUDGE_TICKS))


def _exponent(error: float) -> float:
    return math.log10(max(error, LEAST_ERROR))


LENS_SENTENCES = {
    "empty": "Select a value in the graph: the output is drawn as a function of it, with its tangent.",
    "hidden": "Its gradient is hidden: predict it first.",
    "not reached": "The walk has not computed its gradient yet: press Next until it has, or All.",
    "array": "This value has many numbers: select a single number.",
    "failed": "This could not be drawn: {reason}.",
    "slider": "Drag to the left to let h shrink: the secant turns into the tangent",
    "entry": "Distance h to the second point of the secant, such as 1 or 1e-6",
    "operation": "Show the operation and its derivative, with a point for each value it has computed",
    "caption": "{output} as a function of {name}",
    "caption of operation": "{op} and its derivative",
}
"""Texts of the panel; those on slopes come from the engine."""
LENS_H = SliderScale(1e-8, 10**0.5, n_positions=80)


class LensPanel(QuestionPanel):
    """The plot, the slider for h, and both slopes."""

    figure_tip = (
        "The output as a function of the selected value, all other leaves fixed. The slope of the tangent is the "
        "gradient; the secant turns into it as h becomes small."
    )
    sentences = LENS_SENTENCES

    def __init__(self, session: Session) -> None:
        super().__init__(session, "lens", "slopes of secant and tangent")
        self._graph = NudgedGraph()
        self._view: LensView | OperationView | None = None
        self.h = NumberEntry("h of the secant", 1.0, LENS_SENTENCES["entry"], width=84)
        self.h.number_changed.connect(self._type)
        self.slider = slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(0, LENS_H.last)
        slider.setValue(LENS_H.position(1.0))
        slider.setAccessibleName("h of the secant")
        slider.setToolTip(LENS_SENTENCES["slider"])
        slider.valueChanged.connect(self._drag)
        self.operation = tool_button("f and f′", LENS_SENTENCES["operation"])
        self.operation.setCheckable(True)
        self.operation.toggled.connect(lambda _on: self._ask())
        self.plot = Plot("the output as a function of the selected value")
        self.curve, self.slope_curve = self.plot.plot([]), self.plot.plot([])
        self.tangent, self.secant = self.plot.plot([]), self.plot.plot([])
        self.points = self.plot.plot([], pen=None, symbol="o", symbolSize=8)
        set_text_sized(self.page, setMinimumHeight=48)
        row = add_widgets(QHBoxLayout(), muted_label("h"), self.h, self.slider, 1, self.operation)
        add_widgets(QVBoxLayout(self), row, self.plot, 3, self.page, 2, margins=(8, 6, 8, 6), spacing=4)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.plot.set_colors(colors)
        self.curve.setPen(pg.mkPen(colors.positive, width=2))
        self.slope_curve.setPen(pg.mkPen(colors.negative, width=2, style=Qt.PenStyle.DashLine))
        self.tangent.setPen(pg.mkPen(colors.accent, width=1))
        self.secant.setPen(pg.mkPen(colors.negative, width=2, style=Qt.PenStyle.DashLine))
        self.points.setSymbolBrush(colors.accent)
        self.points.setSymbolPen(colors.panel)

    # Following the session

    def refresh(self, change: Change) -> None:
        value = self.session.presenter.value(self.session.selection)
        has_curve = value is not None and is_of_one_number(value.op)
        with QSignalBlocker(self.operation):
            self.operation.setEnabled(has_curve)
            self.operation.setChecked(self.operation.isChecked() and has_curve)
        self._ask()

    def _ask(self) -> None:
        if (value := self.selected_number()) is not None:
            question, h = self.question_about(value), self.h.number or LENS_H.low
            of_operation = self.operation.isChecked()
            self.ask(lambda: [self._answer(question, h, of_operation)])

    def _answer(self, question: Question, h: float, of_operation: bool) -> LensView | OperationView:
        """Compute the answer; runs in a worker thread."""
        self._graph.go_to(question)
        value = self._graph.find(question.value, question)
        if of_operation and value.op is not None and is_of_one_number(value.op):
            return look_at_operation(self._graph.root, value.op)
        return look_through(self._graph.nudger, value, h)

    def say(self, sentence: str) -> None:
        """Show only this sentence: there is nothing to draw."""
        super().say(sentence)
        self._view = None
        self.plot.hide()
        for item in (self.curve, self.slope_curve, self.tangent, self.secant, self.points):
            item.setData([], [])

    def figure_data(self) -> Sequence[Column]:
        view = self._view
        if view is None:
            return []
        if isinstance(view, LensView):
            return [(view.name, view.xs), (view.output, view.ys)]
        return [("x", view.xs), (f"{view.op.name}(x)", view.ys), ("slope", view.slopes)]

    def show_answer(self, _asked: object, view: LensView | OperationView) -> None:
        self._view = view
        self.plot.show()
        self.page.show_lines(view.lines)
        self._show_operation(view) if isinstance(view, OperationView) else self._show_output(view)

    def _show_output(self, view: LensView) -> None:
        self.set_caption(LENS_SENTENCES["caption"].format(output=view.output, name=view.name))
        self.plot.axes["bottom"].setLabel(view.name)
        self.plot.axes["left"].setLabel(view.output)
        self._draw(self.curve, view.xs, view.ys)
        self.slope_curve.setData([], [])
        ends = view.xs[[0, -1]]
        with np.errstate(over="ignore", invalid="ignore"):  # what is too large is not drawn
            tangent, secant = (view.y + slope * (ends - view.x) for slope in (view.gradient, view.secant))
        self._draw(self.tangent, ends, tangent)
        self._draw(self.secant, ends, secant)
        self._draw_points(np.array([view.x, view.x + view.h]), np.array([view.y, view.y + view.secant * view.h]))
        self._fit(view.xs, view.ys)

    def _show_operation(self, view: OperationView) -> None:
        self.set_caption(LENS_SENTENCES["caption of operation"].format(op=view.op.name))
        self.plot.axes["bottom"].setLabel("x")
        self.plot.axes["left"].setLabel(f"{view.op.name}(x) and its slope")
        self._draw(self.curve, view.xs, view.ys)
        self._draw(self.slope_curve, view.xs, view.slopes)
        self.tangent.setData([], [])
        self.secant.setData([], [])
        self._draw_points(np.tile(view.at[:, 0], 2), np.concatenate([view.at[:, 1], view.at[:, 2]]))
        self._fit(view.xs, np.concatenate([view.ys, view.slopes]))

    def _draw(self, item: pg.PlotDataItem, xs: np.ndarray, ys: np.ndarray) -> None:
        item.setData(xs, np.where(np.abs(ys) < LARGEST, ys, np.nan), connect="finite")

    def _draw_points(self, xs: np.ndarray, ys: np.ndarray) -> None:
        """Draw the points with finite coordinates; pyqtgraph warns where all of them are nan."""
        seen = (np.abs(xs) < LARGEST) & (np.abs(ys) < LARGEST)
        self.points.setData(xs[seen], ys[seen])

    def _fit(self, xs: np.ndarray, ys: np.ndarray) -> None:
        seen = ys[np.isfinite(ys) & (np.abs(ys) < LARGEST)]
        self.plot.show_range((float(xs[0]), float(xs[-1])), range_around(seen, least=1e-6))

    # User actions

    def _drag(self, position: int) -> None:
        self.h.set_number(LENS_H.value(position))
        self._ask()

    def _type(self, h: float) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(LENS_H.position(abs(h)))
        self._ask()


ASCENT_SENTENCES = {
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

    sentences = ASCENT_SENTENCES
    depends_on = frozenset({"numbers"})

    def __init__(self, session: Session) -> None:
        super().__init__(session, "ascent", "effect of following the gradient")
        self._graph = GraphCopy()
        self._times, self._leaves = 1, list[Value]()
        self.step = NumberEntry("step", 0.01, ASCENT_SENTENCES["step"], width=64)
        self.step.number_changed.connect(lambda _step: self._start_over())
        self.again = push_button("Step again", ASCENT_SENTENCES["again"], self._go_on)
        self.back = push_button("Start over", ASCENT_SENTENCES["reset"], self._start_over)
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
            self._leaves, self._times = list(leaves), 1
            with QSignalBlocker(self.leaves):
                self.leaves.clear()
                for value in leaves[:MOST_LEAVES]:
                    item = QListWidgetItem(name_of(value), self.leaves)
                    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                    item.setCheckState(Qt.CheckState.Checked)
        self._ask()

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
