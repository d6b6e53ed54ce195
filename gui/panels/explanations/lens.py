"""The derivative lens: the output as a function of the selected value, with the secant that turns into the tangent.

For a value computed by an operation of one number, such as an activation, f and f' of that operation can be shown
instead, with a point for every value of the graph that it has computed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import QHBoxLayout, QSlider, QVBoxLayout

from engine.csv_text import Column
from engine.teaching.lens import LensView, OperationView, is_of_one_number, look_at_operation, look_through
from engine.views.questions import Question
from gui.panels.explanations.questions import NudgedGraph, QuestionPanel
from gui.panels.plots import LARGEST, Plot, range_around
from gui.session import Change, Session
from gui.theme import Colors, set_text_sized
from gui.widgets.buttons import tool_button
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.number_entry import NumberEntry

SENTENCES = {
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
TICKS = 80
LARGEST_H, SMALLEST_H = 0.5, -8.0
"""Exponents of ten at both ends of the slider."""


class LensPanel(QuestionPanel):
    """The plot, the slider for h, and both slopes."""

    figure_tip = (
        "The output as a function of the selected value, all other leaves fixed. The slope of the tangent is the "
        "gradient; the secant turns into it as h becomes small."
    )
    sentences = SENTENCES

    def __init__(self, session: Session) -> None:
        super().__init__(session, "lens", "slopes of secant and tangent")
        self._graph = NudgedGraph()
        self._view: LensView | OperationView | None = None
        self.h = NumberEntry("h of the secant", 1.0, SENTENCES["entry"])
        self.h.number_changed.connect(self._type)
        self.slider = self._make_slider()
        self.operation = tool_button("f and f′", SENTENCES["operation"])
        self.operation.setCheckable(True)
        self.operation.toggled.connect(lambda _on: self._ask())
        self.plot = Plot("the output as a function of the selected value")
        self.curve, self.slope_curve = self.plot.plot([]), self.plot.plot([])
        self.tangent, self.secant = self.plot.plot([]), self.plot.plot([])
        self.points = self.plot.plot([], pen=None, symbol="o", symbolSize=8)
        set_text_sized(self.page, setMinimumHeight=48)
        row = add_widgets(QHBoxLayout(), muted_label("h"), self.h, self.slider, 1, self.operation)
        add_widgets(QVBoxLayout(self), row, self.plot, 3, self.page, 2, margins=(8, 6, 8, 6), spacing=4)

    def _make_slider(self) -> QSlider:
        slider = QSlider(Qt.Orientation.Horizontal)
        slider.setRange(0, TICKS)
        slider.setValue(self._tick(1.0))
        slider.setAccessibleName("h of the secant")
        slider.setToolTip(SENTENCES["slider"])
        slider.valueChanged.connect(self._drag)
        return slider

    @staticmethod
    def _tick(h: float) -> int:
        exponent = math.log10(abs(h)) if h else SMALLEST_H
        return round((exponent - SMALLEST_H) / (LARGEST_H - SMALLEST_H) * TICKS)

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
            question, h = self.question_about(value), self.h.number or 10.0**SMALLEST_H
            of_operation = self.operation.isChecked()
            self.ask(lambda: [self._answer(question, h, of_operation)])

    def _answer(self, question: Question, h: float, of_operation: bool) -> LensView | OperationView:
        """Compute the answer; runs in a worker thread."""
        self._graph.go_to(question)
        value = self._graph.find(question.value, question)
        if of_operation and value.op is not None:
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
        self.set_caption(SENTENCES["caption"].format(output=view.output, name=view.name))
        self.plot.axes["bottom"].setLabel(view.name)
        self.plot.axes["left"].setLabel(view.output)
        self._draw(self.curve, view.xs, view.ys)
        self.slope_curve.setData([], [])
        ends = view.xs[[0, -1]]
        self._draw(self.tangent, ends, view.y + view.gradient * (ends - view.x))
        self._draw(self.secant, ends, view.y + view.secant * (ends - view.x))
        second = view.x + view.h, view.y + view.secant * view.h
        self.points.setData(*np.array([(view.x, view.y), second] if math.isfinite(second[1]) else [(view.x, view.y)]).T)
        self._fit(view.xs, view.ys)

    def _show_operation(self, view: OperationView) -> None:
        self.set_caption(SENTENCES["caption of operation"].format(op=view.op.name))
        self.plot.axes["bottom"].setLabel("x")
        self.plot.axes["left"].setLabel(f"{view.op.name}(x) and its slope")
        self._draw(self.curve, view.xs, view.ys)
        self._draw(self.slope_curve, view.xs, view.slopes)
        self.tangent.setData([], [])
        self.secant.setData([], [])
        self.points.setData(np.tile(view.at[:, 0], 2), np.concatenate([view.at[:, 1], view.at[:, 2]]))
        self._fit(view.xs, np.concatenate([view.ys, view.slopes]))

    def _draw(self, item: pg.PlotDataItem, xs: np.ndarray, ys: np.ndarray) -> None:
        item.setData(xs, np.where(np.abs(ys) < LARGEST, ys, np.nan), connect="finite")

    def _fit(self, xs: np.ndarray, ys: np.ndarray) -> None:
        seen = ys[np.isfinite(ys) & (np.abs(ys) < LARGEST)]
        self.plot.show_range((float(xs[0]), float(xs[-1])), range_around(seen, least=1e-6))

    # User actions

    def _drag(self, tick: int) -> None:
        exponent = SMALLEST_H + tick / TICKS * (LARGEST_H - SMALLEST_H)
        self.h.set_number(float(f"{10.0**exponent:.2g}"))
        self._ask()

    def _type(self, h: float) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._tick(h))
        self._ask()
