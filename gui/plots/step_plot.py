"""A plot of curves over the steps of a run: smoothing, a logarithmic axis, marks at steps, values under the pointer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from pyqtgraph import Point
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QLabel

from gui.number_texts import reading_text
from gui.plots.loss_scale import logarithms
from gui.plots.plot import Plot, Pointer, drawable
from gui.theme import Colors, distinct, mono_font
from gui.widgets.labels import small_letters

FEW_POINTS = 40
"""A curve of so many points or fewer has a mark at each."""
FAINT, EARLIER = 70, 190
"""Opacity, of 255, of a curve behind its smoothed one, and of earlier runs."""
COVERED_WIDTH, LAST_POINTS = 5, 16
"""Pixels across of an earlier curve that the present one covers, and how many last points they are compared at."""
MOST_MARKS = 12
"""Changes of settings that are marked, the newest ones."""
MARK_SHARE, MARK_PIXELS = 0.9, 8.0
"""Share of the plot's height for the text at a mark, and the pointer's largest distance to a mark, pixels."""
MARK_LETTERS, LEAST_LETTERS = 16, 4
"""Letters of the text at a mark that stands along its line at least, unless it is shorter, and of one that is shown."""
TEXTS = {
    "step": "step {step:,.0f}",
    "smooth": "smoothed {number}",
    "earlier": "last known at {step:,.0f}",
    "changed": "Before step {step:,} was made: {text}",
}
"""Texts with the numbers under the pointer, and the tooltip of a change of settings."""
READOUT_MARGIN = 24
"""Pixels left and right of the values under the pointer, their frame included."""
READOUT_STYLE = "padding: 2px 6px; border: 1px solid {line}; border-radius: 4px; background: {panel}; color: {text};"

RUN_COLORS = ("#009E73", "#CC79A7", "#B58900", "#56B4E9", "#8A94A6", "#D55E00")
"""Colours of earlier runs, from the palette of Okabe and Ito, which colour-blind people can tell apart."""

RUN_LINES = {
    Qt.PenStyle.SolidLine: "—",
    Qt.PenStyle.DashLine: "╌",
    Qt.PenStyle.DotLine: "⋯",
    Qt.PenStyle.DashDotLine: "-·",
}
"""Lines of the runs that have the same colour, each with how a legend writes it."""

Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve over the steps of a run.

    Attributes:
        name: as the legend and the values under the pointer have it.
        steps: (n,) ascending.
        numbers: (n,) finite.
        color: #RRGGBB.
        dashed: drawn with dashes.
        title: as the legend has it; "": by its name.
        line: of an earlier run.
    """

    name: str
    steps: Floats = field(repr=False)
    numbers: Floats = field(repr=False)
    color: str
    dashed: bool = False
    title: str = ""
    line: Qt.PenStyle = Qt.PenStyle.SolidLine


@dataclass(frozen=True, eq=False)
class _Drawn:
    """A curve with its numbers as they are drawn: smoothed, and where these stand."""

    curve: Curve
    line: Floats
    heights: Floats


def finite_curve(name: str, steps: Floats, numbers: Floats, color: str, dashed: bool = False) -> Curve:
    """The points of a curve whose number is finite."""
    kept = np.isfinite(numbers)
    return Curve(name, steps[kept], numbers[kept], color, dashed)


def smoothed(numbers: Floats, weight: float) -> Floats:
    """The exponential moving average of numbers (n,).

    Each point is the mean of all up to it, in which a point counts `weight` times as much as the one after it; divided
    by the sum of these weights, so that the beginning is not drawn to 0 (as TensorBoard does it).

    Args:
        numbers: finite.
        weight: 0, nothing is smoothed, up to but not 1.
    """
    sums = accumulate(numbers.tolist(), lambda total, number: weight * total + (1.0 - weight) * number, initial=0.0)
    means = np.fromiter(sums, np.float64)[1:]
    return np.asarray(means / (1.0 - weight ** np.arange(1, len(numbers) + 1)))


def run_line(number: int) -> Qt.PenStyle:
    """Return the line style of a run; runs of the same colour differ in it."""
    return list(RUN_LINES)[(number - 1) // len(RUN_COLORS) % len(RUN_LINES)]


def run_color(colors: Colors, number: int, current: int | None) -> str:
    """Return the colour of a run; the current one has the colour of the present curve."""
    if number == current:
        return colors.positive
    color = RUN_COLORS[(number - 1) % len(RUN_COLORS)]
    return distinct(color, colors.panel) if colors.has_high_contrast else color


class ChangeMark(NamedTuple):
    """A step at which something was changed, the change, and a shorter text ("" for none)."""

    step: int
    text: str
    brief: str = ""


class StepPlot(Plot):
    """Curves over steps; a line marks the step that is viewed, another one where the run diverged.

    Attributes:
        logarithmic: heights are logarithms.
        viewed, divergence: the two lines.
        changes: the lines at steps where a setting was changed, those in use first.
        readout: the values under the pointer, in a corner.
        pointer: reports where the pointer is.

    Signals:
        pointed(): the pointer is at another step, or nowhere.
    """

    pointed = Signal()

    def __init__(self, name: str, ordinate: str) -> None:
        """Make an empty plot.

        Args:
            name: what screen readers call it.
            ordinate: the name of the upright axis, with its unit.
        """
        self.logarithmic = False
        self._drawn: Sequence[_Drawn] = ()
        self._raw: list[pg.PlotDataItem] = []
        self._smooth: list[pg.PlotDataItem] = []
        self._earlier: list[pg.PlotCurveItem] = []
        self.changes: list[pg.InfiniteLine] = []
        self._marks: Sequence[ChangeMark] = ()
        self._weight = 0.0
        self._positive: Floats | None = None
        self._pointer: QPointF | None = None
        super().__init__(name)
        self.setLabels(bottom="step", left=ordinate)
        self.axes["bottom"].whole_numbers = True
        self.setMinimumHeight(76)
        self.divergence = pg.InfiniteLine(angle=90, movable=False)
        self.viewed = pg.InfiniteLine(angle=90, movable=False)
        self._cross = [pg.InfiniteLine(angle=angle, movable=False) for angle in (90, 0)]
        self._spots = pg.ScatterPlotItem(size=7)
        for item in (self.divergence, self.viewed, *self._cross, self._spots):
            item.setZValue(10)
            self.addItem(item)
        self.readout = QLabel(self, textFormat=Qt.TextFormat.PlainText)
        self.readout.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        small_letters(self.readout, 11)
        self.readout.hide()
        self.pointer = Pointer(self)
        self.pointer.moved.connect(lambda place: self._point_at(self.box.mapViewToScene(place)))
        self.pointer.left.connect(self.forget_pointer)
        self.box.sigRangeChanged.connect(lambda *_: self._point())
        self.box.sigRangeChanged.connect(lambda *_: self._fit_labels())
        self.box.sigResized.connect(lambda *_: self._fit_labels())
        self.show_marks(None, None)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        if hasattr(self, "readout"):  # the base class sets colours before these items exist
            self.viewed.setPen(pg.mkPen(colors.accent, width=1.5))
            self.divergence.setPen(pg.mkPen(colors.error, width=1.5, style=Qt.PenStyle.DashLine))
            for line in self._cross:
                line.setPen(pg.mkPen(colors.muted, style=Qt.PenStyle.DotLine))
            for line in self.changes:
                self._style_change(line)
            self._fit_labels()
            self._spots.setBrush(pg.mkBrush(colors.accent))
            self._spots.setPen(pg.mkPen(colors.panel))
            self.readout.setStyleSheet(READOUT_STYLE.format(**vars(colors)))

    # Curves

    def item(self, index: int) -> pg.PlotDataItem:
        """Return the plot item of the recorded curve at this index; it exists as long as the plot."""
        while len(self._raw) <= index:
            self._raw.append(pg.PlotDataItem(antialias=False))
            self._smooth.append(pg.PlotDataItem(antialias=False))
            self.addItem(self._raw[-1])
            self.addItem(self._smooth[-1])
        return self._raw[index]

    def smooth_item(self, index: int) -> pg.PlotDataItem:
        """Return the plot item of the smoothed curve at this index."""
        self.item(index)
        return self._smooth[index]

    def set_logarithmic(self, logarithmic: bool) -> None:
        """Draw logarithms from the next `show_curves` on, or the numbers."""
        self.logarithmic = logarithmic
        if self.axes["left"].logarithmic != logarithmic:
            self.axes["left"].set_logarithmic(logarithmic)

    def heights(self, numbers: Floats) -> Floats:
        """Return the heights at which numbers (n,) are drawn."""
        return logarithms(numbers, self._positive) if self.logarithmic else drawable(numbers)

    def set_floor(self, curves: Sequence[Curve]) -> None:
        """On a logarithmic axis, draw zeros a decade below the smallest positive number of all these curves."""
        smallest = [curve.numbers[curve.numbers > 0.0].min(initial=np.inf) for curve in curves if self.logarithmic]
        self._positive = np.array([number for number in smallest if np.isfinite(number)])

    def show_curves(self, curves: Sequence[Curve], weight: float = 0.0) -> None:
        """Draw these curves instead of those before; `weight`: see `smoothed`, 0 draws them as they are."""
        self._weight = weight
        lines = [smoothed(curve.numbers, weight) if weight else curve.numbers for curve in curves]
        self._drawn = [_Drawn(curve, line, self.heights(line)) for curve, line in zip(curves, lines, strict=True)]
        for index, drawn in enumerate(self._drawn):
            raw, smooth, curve, heights = self.item(index), self.smooth_item(index), drawn.curve, drawn.heights
            few = len(curve.steps) <= FEW_POINTS
            raw.setData(
                curve.steps,
                self.heights(curve.numbers) if weight else heights,
                pen=_pen(curve, bool(weight)),
                symbol="o" if few else None,
                symbolSize=5,
                symbolBrush=pg.mkBrush(curve.color),
                symbolPen=pg.mkPen(curve.color),
            )
            smooth.setData(*((curve.steps, heights) if weight else ([], [])), pen=_pen(curve, False))
        for item in (*self._raw[len(curves) :], *self._smooth[len(curves) :]):
            item.setData([], [])
        self._point()

    def show_earlier(self, curves: Sequence[Curve]) -> None:
        """Draw the curves of earlier runs behind the present ones: thin, as they were recorded, without values."""
        while len(self._earlier) < len(curves):
            self._earlier.append(pg.PlotCurveItem())
            self._earlier[-1].setZValue(-10)
            self.addItem(self._earlier[-1])
        for item, curve in zip(self._earlier, curves, strict=False):
            color = pg.mkColor(curve.color)
            color.setAlpha(EARLIER)
            width = COVERED_WIDTH if self._is_covered(curve) else 1
            item.setData(curve.steps, self.heights(curve.numbers), pen=pg.mkPen(color, width=width, style=curve.line))
        for item in self._earlier[len(curves) :]:
            item.setData([], [])

    def _is_covered(self, curve: Curve) -> bool:
        """Return True for a curve whose last points the first present curve has, too: it continues that run."""
        if not self._drawn or not len(curve.steps):
            return False
        present = self._drawn[0].curve
        if not len(present.steps):
            return False
        places = np.searchsorted(present.steps, curve.steps[-LAST_POINTS:]).clip(max=len(present.steps) - 1)
        same_steps = present.steps[places] == curve.steps[-LAST_POINTS:]
        return bool((same_steps & (present.numbers[places] == curve.numbers[-LAST_POINTS:])).any())

    def show_marks(self, viewed: int | None, diverged_at: int | None) -> None:
        """Mark the past step that is viewed, and the one at which the run diverged; None: there is none."""
        for line, step in ((self.viewed, viewed), (self.divergence, diverged_at)):
            line.setVisible(step is not None)
            if step is not None:
                line.setValue(step)

    def show_changes(self, marks: Sequence[ChangeMark]) -> None:
        """Mark steps with their changes by thin vertical lines; at most `MOST_MARKS` of them."""
        marks = marks[-MOST_MARKS:]
        while len(self.changes) < len(marks):
            line = pg.InfiniteLine(angle=90, movable=False, label="", labelOpts={"position": 0.97})
            line.setZValue(-5)
            self.addItem(line)
            self._style_change(line)
            self.changes.append(line)
        for line, (step, text, _) in zip(self.changes, marks, strict=False):
            line.setValue(step)
            line.setToolTip(TEXTS["changed"].format(step=step, text=text))
        for number, line in enumerate(self.changes):
            line.setVisible(number < len(marks))
        self._marks = marks
        self._fit_labels()

    def _fit_labels(self) -> None:
        """Write the texts at marks along their lines; across, in a low plot, up to the next mark or the edge.

        Where the text does not fit, the brief one stands there, and of that as much as fits: the values under the
        pointer have the text. The last mark's text stands on the left of its line where there is more room.
        """
        letter, area = QFontMetricsF(mono_font(10)).horizontalAdvance("x"), self.box.sceneBoundingRect()
        high = MARK_SHARE * area.height() / letter
        is_upright = high >= min(MARK_LETTERS, max((len(mark.text) for mark in self._marks), default=0))
        places = [self.box.mapViewToScene(QPointF(mark.step, 0.0)).x() for mark in self._marks]
        edge, marks = area.right(), list(zip(self.changes, self._marks, places, [area.left(), *places], strict=False))
        for line, (_, text, brief), place, before in reversed(marks):
            room = high if is_upright else (edge - place) / letter - 2
            left = (place - before) / letter - LEAST_LETTERS - 4 if edge == area.right() and not is_upright else 0.0
            shown = next((each for each in (text, brief) if each and len(each) <= max(room, left)), brief or text)
            is_left = len(shown) > room and left > room
            room = left if is_left else room
            shown = shown if len(shown) <= room else f"{shown[: max(0, int(room) - 1)]}…"
            edge = place - (len(shown) + 2) * letter if is_left else place
            line.label.setVisible(len(shown) >= min(LEAST_LETTERS, len(text)))
            line.label.rotateAxis = Point(1, 0) if is_upright else None
            line.label.anchors = [(1.0 if is_upright or is_left else 0.0, 0.0)] * 2
            line.label.setFormat(shown.replace("{", "{{").replace("}", "}}"))
            line.label.updatePosition()
            line.label.updateTransform(force=True)

    def _style_change(self, line: pg.InfiniteLine) -> None:
        line.setPen(pg.mkPen(self._colors.muted, width=1))
        line.label.setColor(self._colors.muted)
        line.label.setFont(mono_font(10))

    # Under the pointer

    def _point_at(self, position: QPointF | None) -> None:
        self._pointer = position
        self._point()

    def forget_pointer(self) -> None:
        """Show no values until the pointer moves again."""
        self._point_at(None)

    def pointed_values(self) -> list[tuple[Curve, float, float]]:
        """Return each curve with its last step up to the one at the pointer, and its number there.

        The step at the pointer is the nearest one of the first curve. Empty while the pointer is not over the
        plot.
        """
        found = ((drawn.curve, i) for drawn, i in self._nearest())
        return [(curve, float(curve.steps[i]), float(curve.numbers[i])) for curve, i in found]

    def _nearest(self) -> list[tuple[_Drawn, int]]:
        """The curves that have points up to the step at the pointer, each with the index of the last of these."""
        if self._pointer is None or not self.box.sceneBoundingRect().contains(self._pointer):
            return []
        x = self.box.mapSceneToView(self._pointer).x()
        drawn = [each for each in self._drawn if len(each.curve.steps)]
        if not drawn:
            return []
        steps = drawn[0].curve.steps
        step = steps[np.abs(steps - x).argmin()]
        found = [(each, int(np.searchsorted(each.curve.steps, step, side="right")) - 1) for each in drawn]
        return [(each, index) for each, index in found if index >= 0]

    def _point(self) -> None:
        """Mark the nearest step of each curve, and show its number."""
        nearest = self._nearest()
        is_new = bool(nearest) or self._cross[0].isVisible()
        for item in (*self._cross, self._spots, self.readout):
            item.setVisible(bool(nearest))
        if nearest:
            steps = [float(drawn.curve.steps[index]) for drawn, index in nearest]
            heights = [float(drawn.heights[index]) for drawn, index in nearest]
            self._cross[0].setValue(steps[0])
            self._cross[1].setValue(heights[0])
            self._spots.setData(steps, heights)
            self._show_readout(nearest)
        if is_new:
            self.pointed.emit()

    def _show_readout(self, nearest: Sequence[tuple[_Drawn, int]]) -> None:
        width = max(len(drawn.curve.name) for drawn, _ in nearest)
        first = float(nearest[0][0].curve.steps[nearest[0][1]])
        parts, area = [TEXTS["step"].format(step=first)], self.box.sceneBoundingRect()
        for drawn, index in nearest:
            curve, step = drawn.curve, float(drawn.curve.steps[index])
            texts = [f"{curve.name:<{width}} {reading_text(curve.numbers[index])}"]
            if self._weight:
                texts.append(TEXTS["smooth"].format(number=reading_text(drawn.line[index])))
            if step != first:
                texts.append(TEXTS["earlier"].format(step=step))
            fits = self._readout_width([" ".join(texts)]) <= area.width()
            parts += [" ".join(texts)] if fits else texts
        parts += [mark.text for mark in self._marks if self._is_pointed_at(mark.step)]
        for in_a_line in (1, 2, 3, len(parts)):  # fewer lines in a low plot
            lines = ["  ".join(parts[i : i + in_a_line]) for i in range(0, len(parts), in_a_line)]
            if in_a_line > 1 and self._readout_width(lines) > area.width():
                break
            self.readout.setText("\n".join(lines))
            self.readout.adjustSize()
            if self.readout.height() <= area.height():
                break
        at_right = self._pointer is not None and self._pointer.x() < area.center().x()
        x = area.right() - self.readout.width() - 4 if at_right else area.left() + 4
        self.readout.move(int(x), int(area.top()) + 4)

    def _readout_width(self, lines: Sequence[str]) -> float:
        letter = self.readout.fontMetrics().horizontalAdvance("x")
        return float(letter * max(map(len, lines)) + READOUT_MARGIN)

    def _is_pointed_at(self, step: float) -> bool:
        if self._pointer is None:
            return False
        return bool(abs(self.box.mapViewToScene(QPointF(step, 0.0)).x() - self._pointer.x()) <= MARK_PIXELS)


def _pen(curve: Curve, faint: bool) -> Any:
    color = pg.mkColor(curve.color)
    if faint:
        color.setAlpha(FAINT)
    style = Qt.PenStyle.DashLine if curve.dashed else Qt.PenStyle.SolidLine
    return pg.mkPen(color, width=1 if faint else 1.5, style=style)
