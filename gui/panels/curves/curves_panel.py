"""The base of panels with curves over the steps of a run: legend, smoothing, the view, the line of the viewed step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.csv_text import Column
from engine.document.document import Document
from engine.experiment.setting_words import network_change_text, settings_change_text
from engine.network import TrainingSettings
from engine.network.run.progress import Progress, RunState
from engine.network.settings import SettingsSince
from gui.panels.panel import Panel
from gui.plots.plot import GESTURES, Range, range_around, steady_range
from gui.plots.step_plot import RUN_LINES, ChangeMark, Curve, StepPlot
from gui.session import Change, Session
from gui.session.recorded_runs import NetworksSince
from gui.theme import Colors, readable_text, text_pixels
from gui.widgets.labels import Legend, LinesLabel, literal_tip, small_letters
from gui.widgets.layouts import add_widgets
from gui.widgets.smoothing_button import SmoothingButton

FEWEST_STEPS = 4.0
"""Least span of the step axis."""
MARKS_APART = 0.02
"""Share of the step axis: changes of settings that are closer together have one mark."""
HEADER_HEIGHT, LOW_HEADER_HEIGHT, NARROW = 32, 24, 360  # pixels
LONGEST = 30
"""Letters of the settings of a run, with the mark before them, in the legend; its tooltip has them all."""
LOW = 150
"""Height of the panel, pixels in the designed size of text, below which the plot has the room of the note, of the names
of the axes and of the legend's second line."""
TEXTS = {
    "smoothed": "Smoothed: an exponential moving average of weight {weight:g}; the recorded curve is faint behind it.",
    "empty": "The curves begin with the first step: press Train.",
    "diverged": "diverged at step {step:,}",
}
"""Texts that all these panels share."""
CHANGE_TEXTS: Mapping[type, Callable[[Any, Any, bool], str]] = {
    Document: network_change_text,
    TrainingSettings: settings_change_text,
}
"""Return the differences between two of these, in words."""
_Change = tuple[int, Any, Any]
"""Step of a change, with the settings before and after it."""


class CurvesPanel(Panel):
    """A subclass defines the curves, the range of the plot, and the caption.

    Attributes:
        curves: of the present run.
        earlier: of the runs before it.
        ranging: the curves that define the ranges of the axes: the present ones, or those of the newest earlier run
            before the first step.
        plot: the plot.
        legend: above it.
        note: sentences below the legend; seen while there are any.
        smoothing: the button.
    """

    rest_seconds = 0.1
    name, ordinate, tip = "", "", ""
    """Accessible name of the plot, name of its vertical axis, and the tooltip that explains the curves."""

    depends_on = frozenset({"model", "moment"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.curves: Sequence[Curve] = ()
        self.earlier: Sequence[Curve] = ()
        self.ranging: Sequence[Curve] = ()
        self.plot = StepPlot(self.name, self.ordinate)
        self.legend = self.figure_key = Legend(shortens=True)
        self.note = small_letters(LinesLabel(2), 10, muted=True)
        self.smoothing = SmoothingButton()
        self.note.hide()
        self._header = header = QWidget()
        buttons = (self.plot.fit_button, self.smoothing, *self.extra_buttons())
        add_widgets(QHBoxLayout(header), self.legend, 1, *buttons, margins=(4, 0, 2, 0), spacing=4)
        add_widgets(QVBoxLayout(self), header, self.note, self.plot, 1, margins=(6, 4, 6, 4), spacing=0)
        self.plot.pointed.connect(self.say)
        self.smoothing.weight_chosen.connect(lambda _weight: self.draw())

    def minimumSizeHint(self) -> QSize:
        """Return a size independent of the texts of legend and note, so that neighbouring docks stay in place."""
        height = text_pixels(LOW_HEADER_HEIGHT) + self.plot.minimumHeight() + 8
        return QSize(super().minimumSizeHint().width(), height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.smoothing.shorten(self.width() < text_pixels(NARROW))
        self._fit_height()

    def _fit_height(self) -> None:
        """Hide the note in a low panel, to leave room for the plot; its tooltip has the note, too."""
        is_low = self.height() < text_pixels(LOW)
        self.note.setVisible(bool(self.note.text()) and not (is_low and self.has_figure))
        self._header.setFixedHeight(text_pixels(LOW_HEADER_HEIGHT if is_low else HEADER_HEIGHT))
        self.plot.show_names(not is_low)

    # For subclasses to override

    def extra_buttons(self) -> Sequence[QWidget]:
        """Buttons at the right end of the legend's row."""
        return ()

    def curves_of(self, progress: Progress) -> Sequence[Curve]:
        """Return the curves of a run."""
        raise NotImplementedError

    def earlier_curves(self) -> Sequence[Curve]:
        """Return the curves of earlier runs."""
        return ()

    def heights_of(self, curves: Sequence[Curve]) -> Range:
        """Return the part of the upright axis that shows these curves of one run, in the units of the plot."""
        raise NotImplementedError

    def say(self) -> None:
        """Show in the caption the numbers of the step under the pointer, the viewed step, or the newest one."""
        raise NotImplementedError

    # Following training

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.plot.set_colors(colors)
        self._fit_height()
        self._show()

    def refresh(self, change: Change) -> None:
        if "model" in change:
            self.reset()
        self._show()

    def reset(self) -> None:
        """Discard the choices made for the previous run."""
        self.plot.forget_pointer()
        self.plot.fit()

    def _show(self) -> None:
        progress = self.session.newest
        self.curves = () if progress is None else self.curves_of(progress)
        self.earlier = self.earlier_curves()
        self.ranging = self.curves if any(len(curve.steps) for curve in self.curves) else self.earlier[-1:]
        self.draw()

    def draw(self) -> None:
        """Draw the curves with legend, marks and note."""
        progress = self.session.newest
        diverged_at = None if progress is None else progress.diverged_at
        self.plot.set_floor(self.ranging)
        self.plot.show_curves(self.curves, self.smoothing.weight)
        self.plot.show_earlier(self.earlier)
        self.plot.show_marks(self.session.training.viewed_step, diverged_at)
        steps = np.concatenate([*(each.steps for each in self.ranging), [] if diverged_at is None else [diverged_at]])
        first = float(steps.min()) if steps.size else 0.0
        last = max(float(steps.max()), first + FEWEST_STEPS) if steps.size else FEWEST_STEPS
        across, heights = range_around(np.array([first, last]), margin=0.03), self.heights_of(self.ranging)
        if self.session.run_state is RunState.RUNNING:
            across, heights = (
                steady_range(across, self.plot.whole[0], (0.0, 1.0)),
                steady_range(heights, self.plot.whole[1]),
            )
        self.plot.show_range(across, heights)
        (left, right), _ = self.plot.whole
        runs, marks = self.session.runs, list[ChangeMark]()
        if progress is not None:
            marks = change_marks(runs.settings_since(progress), right - left, runs.networks_since)
        self.plot.show_changes(marks)
        self._show_legend(diverged_at)
        if not self.curves and not self.earlier:
            self.show_note(TEXTS["empty"])
        self.say()

    def _show_legend(self, diverged_at: int | None) -> None:
        def entry(curve: Curve, mark: str, name: str) -> tuple[str, str]:
            return readable_text(curve.color, self.colors), f"{mark}\u00a0{name}"

        own = [("╌" if curve.dashed else "—", curve) for curve in self.curves if len(curve.steps)]
        entries = [entry(curve, mark, curve.title or curve.name) for mark, curve in own]
        shorter = [entry(curve, mark, curve.name) for mark, curve in own]
        if diverged_at is not None:
            diverged = self.colors.error, f"╎ {TEXTS['diverged'].format(step=diverged_at)}"
            entries, shorter = [*entries, diverged], [*shorter, diverged]
        earlier = [curve for curve in reversed(self.earlier) if self._is_in_range(curve)]
        others = [entry(curve, RUN_LINES[curve.line], curve.title or curve.name) for curve in earlier]
        self.legend.show_entries(_cut(entries), _cut(others), shorter)
        smooth = TEXTS["smoothed"].format(weight=self.smoothing.weight) if self.smoothing.weight else ""
        tip = self.legend_tip()
        runs = [text for _, text in (*entries, *others)] if others else []
        self.legend.setToolTip(literal_tip("\n".join(text for text in (tip, *runs) if text)))
        self.plot.setToolTip(literal_tip("\n".join(filter(None, (tip, smooth, self.note.text(), GESTURES)))))

    def _is_in_range(self, curve: Curve) -> bool:
        """Return True when a line of a curve crosses the ranges that are shown before anybody zooms."""
        (left, right), (low, high) = self.plot.whole
        seen = (curve.steps >= left) & (curve.steps <= right)
        heights = self.plot.heights(curve.numbers)[seen]
        return bool(heights.size and heights.min() <= high and heights.max() >= low)

    def legend_tip(self) -> str:
        """Return the tooltip of the legend: what each curve is."""
        return self.tip

    def show_note(self, text: str, tip: str = "") -> None:
        """Show sentences below the legend; "" for none."""
        self.note.setText(text)
        self.note.setToolTip(tip)
        self._fit_height()

    @property
    def has_figure(self) -> bool:
        newest = self.session.newest
        return newest is not None and len(newest.curve_steps) > 0

    def figure_data(self) -> Sequence[Column]:
        columns: list[Column] = []
        for curve in self.curves:
            columns.append((f"step of {curve.name}", curve.steps.astype(int)))
            columns.append((f"{curve.name}, {self.ordinate}", curve.numbers))
        return columns


def _cut(entries: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Shorten the beginning of long texts, such as the settings before the number of a run."""
    parts = [(color, text.rpartition(" · ")) for color, text in entries]
    return [
        (color, f"{head[:LONGEST]}…{between}{last}" if len(head) > LONGEST else f"{head}{between}{last}")
        for color, (head, between, last) in parts
    ]


def change_marks(settings_since: SettingsSince, span: float, networks_since: NetworksSince = ()) -> list[ChangeMark]:
    """Return the steps of a run at which settings or the network were changed, each with its changes.

    Args:
        settings_since: of a `Progress`.
        span: steps that the axis shows; changes closer together than `MARKS_APART` of it become one, at the last.
        networks_since: see `RecordedRun`.
    """
    both: tuple[tuple[tuple[int, Any], ...], ...] = (networks_since, settings_since)
    changes = [(step, old, new) for since in both for (_, old), (step, new) in pairwise(since)]
    groups: list[list[_Change]] = []
    for change in sorted(changes, key=lambda each: each[0]):
        if not _change_text([change]):
            continue
        if groups and change[0] - groups[-1][-1][0] <= MARKS_APART * span:
            groups[-1].append(change)
        else:
            groups.append([change])
    marks = [ChangeMark(group[-1][0], _change_text(group), _change_text(group, brief=True)) for group in groups]
    return [mark for mark in marks if mark.text]


def _change_text(changes: Sequence[_Change], brief: bool = False) -> str:
    """Return the difference between network and settings before the first and after the last of these changes."""
    texts = []
    for kind, text_of in CHANGE_TEXTS.items():
        own = [(old, new) for _, old, new in changes if isinstance(new, kind)]
        texts.append(text_of(own[0][0], own[-1][1], brief) if own else "")
    return ", ".join(filter(None, texts))
