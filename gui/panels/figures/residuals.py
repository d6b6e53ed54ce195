"""The residuals panel: by how much each output misses its target, for numbers to predict, at the viewed moment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QVBoxLayout

from datasets import sample_rows
from engine.csv_text import Column
from engine.experiment.snapshot_network import SampleFigures
from gui.number_texts import reading_text
from gui.panels.moment_panel import SampleFiguresPanel
from gui.plots.plot import GESTURES, Plot, drawable, range_around, steady_range
from gui.session import Session
from gui.theme import Colors
from gui.widgets.labels import Legend, muted_label
from gui.widgets.layouts import add_widgets

MOST_POINTS = 2_000
"""Limit of the drawn points of each kind, a random sample of larger data; figures are of all."""
KINDS = ("train", "test")
TEXTS = {
    "tip": "The residual of each sample, target minus output, against its target: points on the line are exact. Of "
    f"more than {MOST_POINTS:,} training or test samples a random sample is drawn; RMS and R² use all of them. A "
    "slope or a bend in them is what the network has not learnt; noise is an even band.",
    "classes": "Not available for classification. Confusion shows the wrong predictions.",
    "undefined": "Some outputs are not numbers.",
    "constant": "All targets are the same: R² is not defined.",
    "train": "● train: RMS {rms}",
    "test": "■ test: RMS {rms}",
    "legend tip": "RMS: the root of the mean of the squared residuals, how far off an output typically is.",
    "caption": "R² {train}",
    "caption with test": "R² {train} · test {test}",
    "caption tip": "{what} After step {step:,}.",
    "r squared": "R² = 1 - the sum of the squared residuals over that of (target - mean target)²: 1 is a perfect fit.",
}
"""Texts of the panel."""


class ResidualsPanel(SampleFiguresPanel):
    """A point for each sample; the caption shows R².

    Attributes:
        plot: the plot.
        points: of both kinds.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.plot = Plot("residuals")
        self.plot.setLabels(bottom="target", left="residual")
        self.plot.setToolTip(f"{TEXTS['tip']}\n{GESTURES}")
        self.plot.setMinimumHeight(90)
        self.line = pg.InfiniteLine(angle=0, movable=False)
        self.points = [pg.ScatterPlotItem(size=6, symbol=symbol) for symbol in ("o", "s")]
        for item in (self.line, *self.points):
            self.plot.addItem(item)
        self.legend = self.figure_key = Legend()
        self.note = muted_label(wrap=True)
        self.legend.setToolTip(TEXTS["legend tip"])
        parts = (self.legend, self.plot.fit_button, self.note, self.plot, 1)
        add_widgets(QVBoxLayout(self), *parts, margins=(8, 6, 8, 6), spacing=2)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.plot.set_colors(colors)
        self.line.setPen(pg.mkPen(colors.muted, style=Qt.PenStyle.DashLine))
        for points, color in zip(self.points, (colors.positive, colors.negative), strict=True):
            points.setBrush(pg.mkBrush(color))
            points.setPen(pg.mkPen(colors.panel, width=0.5))
        self.show_figures()

    def reset(self) -> None:
        super().reset()
        self.plot.fit()
        self.show_figures()

    def _shown(self) -> list[SampleFigures]:
        """Train, then test where there is any; nothing for classes."""
        if self.figures is None or self.session.dataset.n_classes:
            return []
        return [figures for figures in self.figures if figures is not None]

    def show_figures(self) -> None:
        shown, is_regression = self._shown(), not self.session.dataset.n_classes
        self.plot.setVisible(is_regression)
        self.legend.setVisible(is_regression)
        self._say(shown)
        for points, figures in zip(self.points, [*shown, None, None], strict=False):
            if figures is None:
                points.setData([], [])
            else:
                rows = sample_rows(np.zeros(len(figures.outputs), dtype=np.int64), MOST_POINTS)
                points.setData(figures.targets.numbers[rows], drawable(figures.residuals[rows]))
        if shown:
            targets = np.concatenate([figures.targets.numbers for figures in shown])
            residuals = drawable(np.concatenate([[0.0], *(figures.residuals for figures in shown)]))
            reach = float(np.abs(residuals).max())
            heights = range_around(np.array([-reach, reach]))
            self.plot.show_range(range_around(targets), steady_range(heights, self.plot.whole[1]))

    def _say(self, shown: Sequence[SampleFigures]) -> None:
        note = ""
        if self.session.dataset.n_classes:
            note = TEXTS["classes"]
        elif any(not np.isfinite(figures.outputs).all() for figures in shown):
            note = TEXTS["undefined"]
        elif shown and shown[0].r_squared is None:
            note = TEXTS["constant"]
        self.note.setText(note)
        self.note.setVisible(bool(note))
        looks = zip(KINDS, (self.colors.positive, self.colors.negative), shown, strict=False)
        self.legend.show_entries(
            (color, TEXTS[kind].format(rms=reading_text(_rms(figures)))) for kind, color, figures in looks
        )
        if not shown:
            self.set_caption("")
            return
        r_squared = [reading_text(figures.r_squared) for figures in shown]
        name = "caption" if len(shown) == 1 else "caption with test"
        tip = TEXTS["caption tip"].format(what=TEXTS["r squared"], step=shown[0].step)
        self.set_caption(TEXTS[name].format(train=r_squared[0], test=r_squared[-1]), tip)

    def figure_data(self) -> Sequence[Column]:
        columns: list[Column] = []
        for kind, figures in zip(KINDS, self._shown(), strict=False):
            columns.append((f"{kind} target", figures.targets.numbers))
            columns.append((f"{kind} output", figures.outputs[:, 0]))
            columns.append((f"{kind} residual", figures.residuals))
        return columns


@np.errstate(all="ignore")
def _rms(figures: SampleFigures) -> float:
    """The root of the mean of the squared residuals."""
    return float(np.sqrt(np.mean(figures.residuals**2)))
