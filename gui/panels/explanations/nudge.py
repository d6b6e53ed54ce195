"""The nudge panel: a value is moved by h, and what the gradient had predicted stands beside what happens.

The plot has the error of the slope for every h from 1e-1 to 1e-12: truncation falls with h, round-off rises.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QSlider, QVBoxLayout

from engine.csv_text import Column
from engine.teaching.explanation import Lines
from engine.teaching.nudge_lines import nudge_lines, outdated_lines
from engine.teaching.nudging import ErrorCurve, Nudge
from engine.views.questions import Question
from gui.panels.explanations.questions import NudgedGraph, QuestionPanel
from gui.panels.plots import Plot
from gui.session import Change, Session
from gui.theme import Colors, set_text_sized
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.number_entry import NumberEntry

SENTENCES = {
    "empty": "Select a leaf or a weight in the graph to nudge it by h and compare the change that its gradient "
    "predicts with the real one.",
    "hidden": "Its gradient is hidden: predict it first.",
    "not reached": "The walk has not computed its gradient yet: press Next until it has, or All.",
    "array": "An array cannot be nudged as one number: select a single number.",
    "failed": "This could not be computed: {reason}.",
    "slider": "Drag to nudge the selected value by h",
    "entry": "Size of the nudge, such as 0.01 or 1e-8",
    "truncation": "truncation",
    "round-off": "round-off",
}
"""Texts of the panel; those on a nudge come from the engine."""
TICKS = 100
"""Slider positions to either side; the slider spans the power of ten above h."""
LEAST_ERROR = 1e-17


@dataclass(frozen=True, eq=False)
class Answer:
    """A nudge with its lines and the curve of errors; only lines where there is nothing to predict."""

    lines: Lines
    curve: ErrorCurve | None
    nudge: Nudge | None


LEAST_NAMED = 4.0
"""Powers of ten on one side of the best h under which there is no room for the name of what the error is there."""


class NudgePanel(QuestionPanel):
    """A slider for h, the numbers, and the plot of the error."""

    figure_tip = (
        "The error of the nudge's slope for each h: with a large h the curve bends (truncation error), with a "
        "small h floats are rounded (rounding error)."
    )
    sentences = SENTENCES

    def __init__(self, session: Session) -> None:
        super().__init__(session, "nudge", "what the nudge does")
        self._graph = NudgedGraph()
        self._scale = 0.1
        self._nudges: Sequence[Nudge] = ()
        self.h = NumberEntry("h", 0.01, SENTENCES["entry"])
        self.slider = self._make_slider()
        set_text_sized(self.page, setMinimumHeight=48)
        self.plot = Plot("error of the slope by h")
        self.curve = self.plot.plot([], symbol="o", symbolSize=5)
        self.here = self.plot.plot([], symbol="o", symbolSize=10)
        self.names = {name: pg.TextItem(SENTENCES[name], anchor=(0.5, 0.0)) for name in ("truncation", "round-off")}
        self._lay_out()

    def _make_slider(self) -> QSlider:
        slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(-TICKS, TICKS)
        slider.setAccessibleName("h, how far the value is nudged")
        slider.setToolTip(SENTENCES["slider"])
        slider.setValue(round(self.h.number / self._scale * TICKS))
        slider.valueChanged.connect(self._drag)
        self.h.number_changed.connect(self._type)
        return slider

    def _lay_out(self) -> None:
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
        self._ask()

    def _ask(self) -> None:
        if (value := self.selected_number()) is not None:
            question, h = self.question_about(value), self.h.number or self._scale / TICKS
            self.ask(lambda: [self._answer(question, h)])

    def _answer(self, question: Question, h: float) -> Answer:
        """Compute the answer; runs in a worker thread."""
        self._graph.go_to(question)
        nudger, value = self._graph.nudger, self._graph.find(question.value, question)
        if (node := nudger.outdated(value)) is not None:
            return Answer(outdated_lines(value, node, h), None, None)
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
        self.h.set_number(round((tick or 1) / TICKS * self._scale, 15))
        self._ask()

    def _type(self, h: float) -> None:
        """The slider is ten times as long as what was typed, or less."""
        exponent = math.floor(math.log10(abs(h) or 0.01)) + 1
        self._scale = 10.0 ** min(exponent, sys.float_info.max_10_exp)
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(h / self._scale * TICKS))
        self._ask()


def _exponent(error: float) -> float:
    return math.log10(max(error, LEAST_ERROR))
