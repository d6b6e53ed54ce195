"""The Vary panel: a number of the program takes several values, and what its loops did is drawn over each other."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout

from engine.csv_text import Column
from engine.language import Plot, Series
from gui.number_texts import reading_text
from gui.panels.panel import Panel
from gui.panels.program.axes_plot import AxesPlot
from gui.session import Change, Session
from gui.session.variation import first_values, values_in
from gui.theme import Colors, set_style_property
from gui.widgets.buttons import push_button, tool_button
from gui.widgets.labels import ElidedLabel, muted_label
from gui.widgets.layouts import add_widgets

TEXTS = {
    "empty": "The program runs with several values of one of its numbers, and the results of its loops are drawn over "
    "each other. Right click a number of the program, or its slider, and choose Vary this number.",
    "first": "Type the values, separated by commas, and press Run.",
    "changed": "The program has changed: choose the number again.",
    "running": "{done} of {all} runs have ended.",
    "no curves": "Nothing to draw: no loop outside of functions changes a number, and no list has its history.",
    "value tip": "Values for {title}, separated by commas",
    "plot tip": "The same variable over the iterations of the loop, one curve for each value of the number.",
}
LIKELY = ("loss", "cost", "error", "err", "mse", "total", "l")
"""Names of what is drawn first."""
WIDE = 1e3
"""Ratio of the numbers from which the axis is logarithmic at first."""


class VaryPanel(Panel):
    """Number, values, the variable that is drawn, its curves."""

    figure_tip = TEXTS["plot tip"]
    depends_on = frozenset({"expression"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._number: object = None
        self._log: bool | None = None
        self.title = ElidedLabel()
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.values = QLineEdit()
        self.values.setMaxLength(200)
        self.values.setAccessibleName("values of the number")
        self.values.returnPressed.connect(self.toggle)
        self.button = push_button(
            "▶ Run", "Run the program with each value", self.toggle, "run the program with each value"
        )
        self.curve = QComboBox()
        self.curve.setAccessibleName("variable that is drawn")
        self.curve.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.curve.setMinimumContentsLength(8)
        self.curve.activated.connect(lambda _index: self._draw())
        self.log = tool_button(
            "log", "Logarithmic axis", self._toggle_log, "logarithmic axis", "1px 8px", checkable=True
        )
        self.axes = AxesPlot("curves of the varied runs")
        self.plot = self.axes.plot
        self.words = muted_label(wrap=True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        top = add_widgets(QHBoxLayout(), self.values, 1, self.button, spacing=4)
        second = add_widgets(QHBoxLayout(), self.curve, 1, self.log, spacing=4)
        parts = self.title, top, second, self.axes, 1, self.words
        add_widgets(QVBoxLayout(self), *parts, margins=(8, 6, 8, 8), spacing=4)
        self.axes.read.connect(lambda read: self.set_caption(read))
        session.variation.changed.connect(self._show)
        session.variation.chosen.connect(self._ask)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.axes.set_colors(colors)

    def refresh(self, change: Change) -> None:
        self._show()

    @property
    def has_figure(self) -> bool:
        return bool(self.curve.count())

    def figure_data(self) -> Sequence[Column]:
        return self.axes.figure_data()

    def toggle(self) -> None:
        """Run the program with the values that are typed, or end the runs under way."""
        variation = self.session.variation
        if variation.is_running:
            variation.stop()
            return
        self.session.commit_requested.emit()
        values, wrong = values_in(self.values.text())
        set_style_property(self.values, "invalid", bool(wrong))
        if wrong:
            self.words.setText(wrong)
            self.words.show()
        elif variation.follow(self.session.document.expression.text):
            self._log = None
            variation.start(values)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._ask)

    def _ask(self) -> None:
        """A number was chosen: its values are typed next."""
        self._show()
        self.activateWindow()
        self.values.setFocus()
        self.values.selectAll()

    def _toggle_log(self) -> None:
        self._log = self.log.isChecked()
        self._draw()

    def _show(self) -> None:
        """Show number, values and curves."""
        variation, number = self.session.variation, self.session.variation.number
        is_there = variation.follow(self.session.document.expression.text)
        for part in (self.title, self.values, self.button):
            part.setVisible(number is not None)
        if number is not None and (number.start, number.name) != self._number:
            self._number = number.start, number.name
            self.values.setText(first_values(number))
            self.values.setToolTip(TEXTS["value tip"].format(title=number.title))
        self.title.setText(
            "" if number is None else f"{number.title}{f' in line {number.line}' if number.name else ''}"
        )
        self.button.setText("■ Stop" if variation.is_running else "▶ Run")
        self.button.setEnabled(is_there or variation.is_running)
        names = dict.fromkeys(name for run in variation.runs for name in run.curves)
        before = self.curve.currentText()
        if list(names) != [self.curve.itemText(index) for index in range(self.curve.count())]:
            self.curve.clear()
            self.curve.addItems(list(names))
            self.curve.setCurrentText(before if before in names else _likeliest(list(names)))
        self._draw()
        self._show_words(is_there)

    def _draw(self) -> None:
        variation, name = self.session.variation, self.curve.currentText()
        drawn = [(run.value, *run.curves[name]) for run in variation.runs if name in run.curves]
        for part in (self.curve, self.log, self.axes):
            part.setVisible(bool(drawn))
        if not drawn:
            return
        numbers = [number for _, _, curve in drawn for number in curve if math.isfinite(number)]
        is_wide = bool(numbers) and min(numbers) > 0 and max(numbers) / min(numbers) > WIDE
        log = is_wide if self._log is None else self._log
        self.log.setChecked(log)
        title = f"{variation.number.name} = " if variation.number is not None and variation.number.name else ""
        series = tuple(Series("line", x, y, f"{title}{value}") for value, x, y in drawn)
        whole = self.axes.plot.whole
        self.axes.show_axes(Plot("", "iteration", name, series, y_log=log, legend=True))
        if self.axes.plot.whole != whole:
            self.axes.plot.fit()

    def _show_words(self, is_there: bool) -> None:
        """Show the progress of the runs, the final value of each, and which failed."""
        variation, lines = self.session.variation, []
        done = [run for run in variation.runs if run.outcome is not None]
        name = self.curve.currentText()
        if variation.number is None:
            lines.append(TEXTS["empty"])
        elif not is_there:
            lines.append(TEXTS["changed"])
        elif variation.is_running:
            lines.append(TEXTS["running"].format(done=len(done), all=len(variation.runs)))
        elif done and not name and not any(run.trouble for run in variation.runs):
            lines.append(TEXTS["no curves"])
        elif not variation.runs:
            lines.append(TEXTS["first"])
        for run in variation.runs:
            ends = f"{name} ends at {reading_text(run.curves[name][1][-1])}" if name in run.curves else ""
            if ends or run.trouble:
                lines.append(f"{run.value}: {', '.join(filter(None, (ends, run.trouble)))}")
        self.words.setText("\n".join(lines))
        self.words.setVisible(bool(lines))


def _likeliest(names: list[str]) -> str:
    """Return the name of what a learner most likely wants to see."""
    for likely in LIKELY:
        for name in names:
            if likely == name.lower() or (len(likely) > 2 and likely in name.lower()):
                return name
    return names[-1] if names else ""
