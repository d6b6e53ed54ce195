"""The confusion panel: how many samples of each class are decided to be which class, at the moment that is viewed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from engine.autograd.notation import counted
from engine.csv_text import Column
from engine.experiment.snapshot_network import SampleFigures
from gui.panels.figures.kind_choice import KINDS, KindChoice
from gui.panels.moment_panel import SampleFiguresPanel
from gui.plots.cell_map import CellMap, Place
from gui.plots.decision import class_titles
from gui.plots.plot import rgb
from gui.session import Change, Session
from gui.session.choices import ConfusionCell
from gui.theme import Colors, mono_font
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets

COUNT_PIXELS, AXIS_WIDTH, CELL_MARGIN = 13, 74, 6
TEXTS = {
    "tip": "Rows: the true class. Columns: the predicted class. Each cell shows the number of samples "
    "and their share of the row. Correct predictions are on the diagonal, marked with ✓.\n"
    "Click a cell to list its samples in Predictions; click it again to list all samples.",
    "regression": "Not available for regression. Residuals shows the errors.",
    "undefined": "Some outputs are not numbers: they count as the first class.",
    "caption": "{percent:.1f} % of {samples} right",
    "step": "after step {step:,}",
    "cell": "{mark}{count:,}\n{share}",
    "low cell": "{mark}{count:,} · {share}",
    "small cell": "{mark}{count:,}",
    "empty cell": "{mark}0",
    "chosen": "Predictions lists the {samples} of {actual} that are predicted to be {decided}.",
}
"""Texts of the panel."""


class ConfusionPanel(SampleFiguresPanel):
    """The matrix of the samples that are trained on, or of those that only test.

    Attributes:
        plot: the matrix.
        kinds: which kind is shown.
        note: a sentence above it.
    """

    depends_on = SampleFiguresPanel.depends_on | {"samples"}

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.plot = CellMap("confusion matrix")
        self.plot.setLabels(bottom="decided class", left="target class")
        self.plot.fix_left_width(AXIS_WIDTH)
        self.plot.setToolTip(TEXTS["tip"])
        self.plot.setMinimumHeight(110)
        self.plot.box.invertY(True)
        self.plot.clicked.connect(self._choose)
        self.plot.box.sigResized.connect(lambda _box: self.show_figures())
        self.kinds = KindChoice()
        self.kinds.clicked.connect(lambda _kind: self.show_figures())
        self.note = muted_label(wrap=True)
        header = add_widgets(QHBoxLayout(), self.kinds, self.note, 1, margins=(0, 0, 0, 0))
        add_widgets(QVBoxLayout(self), header, self.plot, 1, margins=(8, 6, 8, 6), spacing=4)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.plot.set_colors(colors)
        self.show_figures()

    # Following the session

    def refresh(self, change: Change) -> None:
        super().refresh(change)
        if "model" in change or "samples" in change:
            self.show_figures()

    def reset(self) -> None:
        super().reset()
        self.kinds.show_kinds(self.session.data.test is not None)

    @property
    def shown(self) -> SampleFigures | None:
        """Figures of the samples that are shown: training or test."""
        return None if self.figures is None else self.figures[self.kinds.is_test]

    # Drawing

    def show_figures(self) -> None:
        counts = None if self.shown is None else self.shown.confusion
        is_regression = not self.session.dataset.n_classes
        self.plot.setVisible(not is_regression)
        self.note.setText(TEXTS["regression"] if is_regression else self._chosen_text())
        if counts is None or self.shown is None:
            self.set_caption("")
            self._show_cells(np.zeros((0, 0), dtype=np.int64))
            return
        if not np.isfinite(self.shown.outputs).all():
            self.note.setText(TEXTS["undefined"])
        percent = 100.0 * np.trace(counts) / max(counts.sum(), 1)
        samples = counted(int(counts.sum()), "sample")
        self.set_caption(
            TEXTS["caption"].format(percent=percent, samples=samples), TEXTS["step"].format(step=self.shown.step)
        )
        self._show_cells(counts)

    def _chosen_text(self) -> str:
        cell, shown = self.session.samples.cell_of(self.kinds.is_test), self.shown
        if cell is None or shown is None:
            return ""
        names = class_titles(self.session.dataset)
        samples = counted(len(shown.rows_decided(cell.actual, cell.decided)), "sample")
        return TEXTS["chosen"].format(samples=samples, actual=names[cell.actual], decided=names[cell.decided])

    def _show_cells(self, counts: NDArray[np.int64]) -> None:
        n, shares, chosen = len(counts), _shares(counts), self.session.samples.cell_of(self.kinds.is_test)
        names = class_titles(self.session.dataset)[:n]
        self.plot.show_cells(cell_colors(shares, self.colors), (names, names), set(np.ndindex(n, n)))
        font = mono_font(COUNT_PIXELS if n < 6 else COUNT_PIXELS - 3)
        metrics, texts = QFontMetricsF(font), dict[Place, tuple[str, str]]()
        for row, column in np.ndindex(n, n):
            count, mark = int(counts[row, column]), "✓ " if row == column else ""
            forms = ("cell", "low cell", "small cell") if count else ("empty cell",)
            share = share_text(float(shares[row, column]))
            cell = [TEXTS[form].format(mark=mark, count=count, share=share) for form in forms]
            words = self._fitting(cell, metrics)
            texts[column, row] = words, self.colors.text if count else self.colors.muted
        self.plot.write(texts, font)
        self.plot.mark(None if chosen is None or not n else (chosen.decided, chosen.actual))

    def _fitting(self, texts: Sequence[str], metrics: QFontMetricsF) -> str:
        """The first of some texts that fits into a cell; the last one where none does."""
        width, height = self.plot.room()
        for text in texts[:-1]:
            lines = text.split("\n")
            widest = max(map(metrics.horizontalAdvance, lines))
            if len(lines) * metrics.height() <= height and widest + CELL_MARGIN <= width:
                return text
        return texts[-1]

    def _choose(self, place: Place) -> None:
        """Show the samples of a cell in the predictions panel; for the chosen cell, show all samples again."""
        column, row = place
        cell, samples = ConfusionCell(self.kinds.is_test, row, column), self.session.samples
        samples.choose(None if samples.cell == cell else cell)

    def figure_data(self) -> Sequence[Column]:
        names, n = self.session.dataset.class_names, self.session.dataset.n_classes
        if self.figures is None or not n:
            return []
        pairs = [(names[row], names[column]) for row in range(n) for column in range(n)]
        columns: list[Column] = [("target class", [p[0] for p in pairs]), ("decided class", [p[1] for p in pairs])]
        for kind, figures in zip(KINDS, self.figures, strict=True):
            if figures is not None and (counts := figures.confusion) is not None:
                shares = _shares(counts).ravel()
                columns += [(f"{kind} samples", counts.ravel()), (f"{kind} share of the target class", shares)]
        return columns


def _shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return each cell's share of its row in a matrix (n, n)."""
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


def share_text(share: float) -> str:
    """Return a share of a row, 0 to 1, in percent; neither 0 % of some samples nor 100 % of less than all."""
    if 0.0 < share < 0.005:
        return "< 1 %"
    return "> 99 %" if 0.995 <= share < 1.0 else f"{100 * share:.0f} %"


def cell_colors(shares: NDArray[Any], colors: Colors) -> NDArray[np.uint8]:
    """Return colours (n, n, 3) of a matrix of shares (n, n): correct decisions in one tint, wrong ones in another."""
    right, wrong, paper = map(rgb, (colors.positive_tint, colors.negative_tint, colors.canvas))
    tints = np.where(np.eye(len(shares), dtype=bool)[..., None], right, wrong)
    return np.asarray(paper + shares[..., None] * (tints - paper), dtype=np.uint8)
