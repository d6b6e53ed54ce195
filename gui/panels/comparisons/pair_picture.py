"""Two runs as one picture: what each gives around the data, and both losses over the steps."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from engine.network.run.progress import Progress
from gui.number_texts import reading_text
from gui.painting import painting, saved
from gui.plots.boundary_figure import BoundaryFigure
from gui.plots.loss_scale import PaintedAxis
from gui.plots.painted_plot import Frame, paint_words
from gui.presenter.loss_texts import train_points
from gui.theme import LIGHT, Colors, drawn_mono_font, text_pixels, text_scale

Floats = NDArray[Any]
LINE = 16.0
"""Pixels of a line of words above each boundary."""
BETWEEN = "   "
CURVES_SHARE, LEAST_CURVES = 0.36, 96.0
LOW, NARROW = 260, 420
"""A picture less high than this has the curves beside the boundaries, not below them. One less wide than this, where
text is larger than designed, has the letters for which there is room."""
HEADINGS = ((12, 1), (10, 1), (12, 2), (10, 9))
"""Height of the letters over a run, and how many lines they may take; the first that fits."""
HIGHEST = 10.0
"""Times the first loss that the loss axis reaches: a run that diverges leaves it."""
TEXTS = {
    "loss": "loss {loss}",
    "test loss": "test {loss}",
    "accuracy": "{percent:.3g} %",
    "diverged": "diverged at step {step:,}",
    "none": "Press Train both or Step: both begin at the same weights.",
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


def wrapped(words: Sequence[tuple[str, str]], letters: float) -> list[list[tuple[str, str]]]:
    """Break coloured texts into lines of so many letters, a text that is longer alone at its blanks."""
    lines: list[list[tuple[str, str]]] = []
    room = 0.0
    for text, color in words:
        needed = len(BETWEEN) + len(text)
        if lines and needed <= room:
            lines[-1].append((BETWEEN + text, color))
            room -= needed
        else:
            parts = textwrap.wrap(text, max(int(letters), 1), break_long_words=False)
            cut = [part if len(part) <= letters else part[: max(int(letters) - 1, 0)] + "…" for part in parts]
            lines += [[(part, color)] for part in cut]
            room = letters - len(cut[-1])
    return lines


class PairPicture(QWidget):
    """Paints the runs; it can be exported as any widget."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: Sequence[Shown] = ()
        self._colors = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(180, text_pixels(170))
        self.setAccessibleName("two runs side by side")

    def sizeHint(self) -> QSize:
        return QSize(480, 420)

    def set_colors(self, colors: Colors) -> None:
        self._colors = colors
        self.update()

    def show_runs(self, shown: Sequence[Shown]) -> None:
        """Show other runs, or another moment of them."""
        self.shown = tuple(shown)
        words = (BETWEEN.join(text for text, _ in self._words(number)) for number in range(len(shown)))
        self.setAccessibleDescription("; ".join(words))
        self.update()

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
        return words

    @property
    def scale(self) -> float:
        """Scale factor of everything painted: that of the text, or less where room is short."""
        return min(text_scale(), max(1.0, self.width() / NARROW))

    def rooms(self) -> list[QRectF]:
        """Return where each run stands, and last the curves of both, in pixels of the designed size."""
        count, width, height = len(self.shown), self.width() / self.scale, self.height() / self.scale
        if height < LOW:
            third = width / (count + 1)
            return [QRectF(number * third, 0, third, height) for number in range(count + 1)]
        curves = max(LEAST_CURVES, CURVES_SHARE * height)
        runs = [QRectF(number * width / count, 0, width / count, height - curves) for number in range(count)]
        return [*runs, QRectF(0, height - curves, width, curves)]

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
            painter.fillRect(self.rect(), QColor(self._colors.panel))
            if self.shown:
                painter.scale(self.scale, self.scale)
                *runs, curves = self.rooms()
                for number, room in enumerate(runs):
                    self._paint_run(painter, number, room)
                self._paint_curves(painter, curves)
            else:
                painter.setPen(QColor(self._colors.muted))
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, TEXTS["none"])

    def _headings(self, width: float) -> tuple[list[list[list[tuple[str, str]]]], int]:
        """The words over each run in as few lines as there is room for, and the height of all letters."""
        texts = [self._words(number) for number in range(len(self.shown))]
        for pixels, most in HEADINGS:
            letters = width / QFontMetricsF(drawn_mono_font(pixels)).horizontalAdvance("x")
            headings = [wrapped(words, letters) for words in texts]
            if all(len(lines) <= most for lines in headings):
                break
        return headings, pixels

    def _paint_run(self, painter: QPainter, number: int, room: QRectF) -> None:
        one = self.shown[number]
        headings, pixels = self._headings(room.width() - 4)
        with saved(painter):
            painter.setClipRect(room)
            for line, words in enumerate(headings[number]):
                paint_words(painter, QPointF(room.left() + 2, (line + 1) * LINE - 4), words, pixels)
            inside = room.adjusted(0, max(map(len, headings)) * LINE + 4, 0, 0)
            frame = Frame.within(inside, one.figure.x, one.figure.y)
            if one.outputs is not None:
                one.figure.paint(painter, frame, one.outputs, self._colors)
            frame.paint_axes(painter, self._colors, *one.figure.names)

    def _paint_curves(self, painter: QPainter, room: QRectF) -> None:
        curves = [one.curve for one in self.shown]
        known = [losses[np.isfinite(losses)] for _, losses in curves]
        first = max((float(each[0]) for each in known if len(each)), default=1.0)
        losses = np.concatenate(known)
        axis = PaintedAxis(losses[losses <= HIGHEST * first] if first > 0.0 else losses)
        last = max([4.0, *(float(steps[-1]) for steps, _ in curves if len(steps))])
        frame = Frame.within(room, (0.0, last), axis.span, axis.logarithmic)
        frame.paint_axes(painter, self._colors, "step", "loss")
        for number, (steps, own) in enumerate(curves):
            style = Qt.PenStyle.DashLine if number else Qt.PenStyle.SolidLine
            pen = QPen(QColor(self.run_color(self._colors, number)), 1.7, style)
            finite = np.isfinite(own)
            frame.paint_curve(painter, steps[finite], axis.heights(own[finite]), pen)
        newest = max(one.progress.steps[-1] for one in self.shown)
        step = max(one.progress.snapshot.step for one in self.shown)
        if step < newest:
            frame.paint_step(painter, float(step), self._colors.accent)
