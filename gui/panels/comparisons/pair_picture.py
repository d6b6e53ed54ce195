"""Two runs as one picture: what each gives around the data, and both losses over the steps."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from engine.experiment.hidden_picture import decision_line
from engine.network.run.progress import Progress
from gui.number_texts import reading_text
from gui.panels.planes.output_map import OutputMap
from gui.plots.boundary_figure import BoundaryFigure
from gui.plots.data_points import DataPoints
from gui.plots.loss_scale import PaintedAxis
from gui.plots.plot import Plot, drawable
from gui.plots.step_plot import StepPlot, finite_curve
from gui.presenter.loss_texts import train_points
from gui.theme import LIGHT, Colors, mono_font, text_pixels
from gui.widgets.layouts import add_widgets

Floats = NDArray[Any]
LOW = 260
"""A picture less high than this, in pixels of the designed text size, has the curves beside the boundaries."""
HIGHEST = 10.0
"""Times the first loss that the loss axis reaches: a run that diverges leaves it."""
TEXTS = {
    "loss": "loss {loss}",
    "test loss": "test {loss}",
    "accuracy": "{percent:.3g} %",
    "diverged": "diverged at step {step:,}",
    "none": "Press Train both or Step: both begin at the same weights.",
    "no plane": "Points of more than two inputs: only the losses are drawn.",
}


@dataclass(frozen=True, eq=False)
class Shown:
    """Drawn state of one run.

    Attributes:
        words: its setting.
        figure: what is drawn of its data and network.
        outputs: the network's, over the figure's grid; None where there is no figure.
        progress: the moment.
    """

    words: str
    figure: BoundaryFigure
    outputs: Floats | None
    progress: Progress

    @property
    def curve(self) -> tuple[Floats, Floats]:
        """Its losses up to the moment, as the loss panel draws them."""
        return train_points(self.progress, self.figure.raw.n_samples)


class RunBoundary(QWidget):
    """The figures of one run in words, and below them its outputs around the data.

    Attributes:
        words: what is said of it.
        plot: the outputs and the points.
        has_names: the axes have names.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.words = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.plot = Plot(f"outputs of run {name}")
        self._map, self._points = OutputMap(), DataPoints(self.plot)
        self._border = pg.PlotCurveItem(connect="pairs")
        self._line = pg.PlotCurveItem()
        for item, above in ((self._map, -10), (self._border, -5), (self._line, -5)):
            item.setZValue(above)
            self.plot.addItem(item)
        self._figure: BoundaryFigure | None = None
        self.has_names = True
        add_widgets(QVBoxLayout(self), self.words, self.plot, 1, margins=(0, 0, 0, 0), spacing=2)

    def hasHeightForWidth(self) -> bool:
        """Return False: plots take any height, although words over them are wrapped."""
        return False

    def set_colors(self, colors: Colors) -> None:
        self.plot.set_colors(colors)
        self._map.set_colors(colors)
        self._border.setPen(pg.mkPen(colors.text, width=1.4))
        self._line.setPen(pg.mkPen(colors.accent, width=2))
        self._figure = None  # its points have colours, too

    def show_run(self, figure: BoundaryFigure, outputs: Floats | None, colors: Colors) -> None:
        """Show a moment of a run: `outputs` as `BoundaryFigure.outputs` gives them; None: there is no plane."""
        self.plot.setVisible(outputs is not None)
        if outputs is None:
            return
        if figure is not self._figure:
            self._figure, samples = figure, figure.samples
            self._map.set_samples(samples)
            self._points.show_samples(samples, colors, by_target=figure.n_columns == 2)
            self._points.place(samples.X[:, 0], samples.X[:, 1] if figure.n_columns == 2 else samples.targets.numbers)
            self.plot.setLabels(bottom=figure.names[0], left=figure.names[1])
            self.plot.show_names(self.has_names)
            self.plot.show_range(figure.x, figure.y)
        if figure.n_columns == 2:
            bounds = (*figure.x, *figure.y)
            self._map.show_grid(outputs[..., 0] if outputs.shape[-1] == 1 else outputs, bounds)
            self._border.setData(*decision_line(outputs, bounds, figure.samples.level))
            self._line.setData([], [])
        else:
            self._map.clear()
            self._border.setData([], [])
            self._line.setData(np.linspace(*figure.x, len(outputs)), drawable(outputs[:, -1]))


class PairPicture(QWidget):
    """Both boundaries and the curves of both; it can be exported as any widget.

    Attributes:
        shown: what is drawn of the two runs; empty before they are made.
        boundaries: of the first and the second run.
        curves: their losses; the pointer reads both at one step.
    """

    def __init__(self) -> None:
        super().__init__()
        self.shown: Sequence[Shown] = ()
        self._colors = LIGHT
        self.boundaries = [RunBoundary("A"), RunBoundary("B")]
        self.curves = StepPlot("losses of both runs", "loss")
        self._hint = QLabel(TEXTS["none"], wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._hint.setProperty("muted", True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._rows = QGridLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(4)
        self._rows.addWidget(self._hint, 0, 0, 1, 3)
        for column, boundary in enumerate(self.boundaries):
            self._rows.addWidget(boundary, 0, column)
        self._is_low: bool | None = None
        self._place_curves(False)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("two runs side by side")
        self.show_runs(())

    def sizeHint(self) -> QSize:
        return QSize(480, 420)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, text_pixels(170))

    def hasHeightForWidth(self) -> bool:
        """Return False: plots take any height, although words over them are wrapped."""
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place_curves(self.height() < text_pixels(LOW))
        super().resizeEvent(event)

    def _place_curves(self, is_low: bool) -> None:
        """Put the curves below the boundaries, in a low picture beside them."""
        if is_low != self._is_low:
            self._is_low = is_low
            self._rows.addWidget(self.curves, *((0, 2) if is_low else (1, 0, 1, 2)))
            for row, share in enumerate((64, 0 if is_low else 36)):
                self._rows.setRowStretch(row, share)
            for boundary in self.boundaries:
                boundary.has_names = not is_low
                boundary.plot.show_names(not is_low)
            for column in range(3):
                self._rows.setColumnStretch(column, 1 if is_low or column < 2 else 0)

    def set_colors(self, colors: Colors) -> None:
        self._colors = colors
        self.curves.set_colors(colors)
        for boundary in self.boundaries:
            boundary.set_colors(colors)
        self.show_runs(self.shown)

    def show_runs(self, shown: Sequence[Shown]) -> None:
        """Show other runs, or another moment of them."""
        self.shown = tuple(shown)
        words = [self._words(number) for number in range(len(self.shown))]
        self.setAccessibleDescription("; ".join("   ".join(text for text, _ in each) for each in words))
        self._hint.setVisible(not self.shown)
        self.curves.setVisible(bool(self.shown))
        for boundary in self.boundaries:
            boundary.setVisible(bool(self.shown))
        if not self.shown:
            return
        for boundary, one, said in zip(self.boundaries, self.shown, words, strict=True):
            boundary.words.setFont(mono_font(11))
            first, *others = (f'<span style="color:{color}">{html.escape(text)}</span>' for text, color in said)
            boundary.words.setText("&nbsp; ".join([f"{first} ", *(f"<nobr>{other}</nobr> " for other in others)]))
            boundary.show_run(one.figure, one.outputs, self._colors)
        self._show_curves()

    @staticmethod
    def run_color(colors: Colors, number: int) -> str:
        """Colour of the curve and the words of the first (0) or the second run."""
        return (colors.positive, colors.negative)[number]

    def _words(self, number: int) -> list[tuple[str, str]]:
        one, colors = self.shown[number], self._colors
        words = [(f"{'AB'[number]} {one.words}", self.run_color(colors, number))]
        snapshot = one.progress.snapshot
        if one.progress.diverged_at is not None and snapshot.step >= one.progress.diverged_at:
            return [*words, (TEXTS["diverged"].format(step=one.progress.diverged_at), colors.error)]
        words.append((TEXTS["loss"].format(loss=reading_text(snapshot.loss)), colors.text))
        if snapshot.test_loss is not None:
            words.append((TEXTS["test loss"].format(loss=reading_text(snapshot.test_loss)), colors.text))
        if snapshot.accuracy is not None:
            words.append((TEXTS["accuracy"].format(percent=100 * snapshot.accuracy), colors.muted))
        if one.outputs is None:
            words.append((TEXTS["no plane"], colors.muted))
        return words

    def _show_curves(self) -> None:
        """Draw both losses; the axis is logarithmic where they differ much, and leaves out a divergence."""
        curves = [
            finite_curve(name, *one.curve, self.run_color(self._colors, number), dashed=number > 0)
            for number, (name, one) in enumerate(zip("AB", self.shown, strict=True))
        ]
        losses = np.concatenate([each.numbers for each in curves])
        first = max((float(each.numbers[0]) for each in curves if len(each.numbers)), default=1.0)
        axis = PaintedAxis(losses[losses <= HIGHEST * first] if first > 0.0 else losses)
        self.curves.set_logarithmic(axis.logarithmic)
        self.curves.set_floor(curves)
        self.curves.show_curves(curves)
        last = max([4.0, *(float(each.steps[-1]) for each in curves if len(each.steps))])
        self.curves.show_range((-0.02 * last, 1.02 * last), axis.span)
        newest = max(one.progress.steps[-1] for one in self.shown)
        step = max(one.progress.snapshot.step for one in self.shown)
        self.curves.show_marks(step if step < newest else None, None)
