"""Plots painted with a QPainter: for pictures of many moments, in any thread and without a widget.

The plots of the panels are pyqtgraph's, whose items work in the GUI thread only: a scene of them that is rendered in
another thread stays empty. Thumbnails of runs and the frames of a GIF are made in threads, so they are painted here. So
are two runs side by side, which look the same in the panel and in a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen, QPolygonF

from gui.number_texts import tick_text
from gui.painting import saved
from gui.plots.ticks import linear_ticks, log_labels, log_ticks
from gui.theme import Colors, drawn_mono_font

Range = tuple[float, float]
AXIS_LEFT, AXIS_BOTTOM, TOP, RIGHT = 46.0, 30.0, 8.0, 10.0  # pixels
TICK_LETTERS = 10
BETWEEN_TICKS = 56.0  # pixels at least


@dataclass(frozen=True)
class Frame:
    """Rectangle of a plot and the range of numbers it shows.

    Attributes:
        inside: the room between the axes, pixels.
        x, y: its ranges.
        logarithmic: y are exponents of ten.
    """

    inside: QRectF
    x: Range
    y: Range
    logarithmic: bool = False

    @classmethod
    def within(cls, room: QRectF, x: Range, y: Range, logarithmic: bool = False) -> Frame:
        """Return a frame that leaves room for the numbers at its axes."""
        inside = room.adjusted(AXIS_LEFT, TOP, -RIGHT, -AXIS_BOTTOM)
        return cls(inside, x, y, logarithmic)

    def place(self, x: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the pixels of points: x (n,) and y (n,)."""
        across = self.inside.left() + (np.asarray(x) - self.x[0]) / (self.x[1] - self.x[0]) * self.inside.width()
        up = self.inside.bottom() - (np.asarray(y) - self.y[0]) / (self.y[1] - self.y[0]) * self.inside.height()
        return across, up

    def paint_axes(self, painter: QPainter, colors: Colors, across: str, up: str) -> None:
        """Paint the border, the ticks with their numbers, and the names of the axes."""
        font = drawn_mono_font(TICK_LETTERS)
        metrics, line, text_color = QFontMetricsF(font), QPen(QColor(colors.line), 1.0), QColor(colors.muted)
        inside, left, bottom = self.inside, self.inside.left(), self.inside.bottom()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setFont(font)
        painter.setPen(line)
        painter.drawRect(inside)
        most_across, most_up = int(inside.width() / BETWEEN_TICKS), int(inside.height() / (BETWEEN_TICKS / 2))

        numbers = linear_ticks(*self.x, most_across)
        for number, x in zip(numbers, self.place(numbers, [0.0] * len(numbers))[0], strict=True):
            painter.setPen(line)
            painter.drawLine(QPointF(x, bottom), QPointF(x, bottom + 3))
            painter.setPen(text_color)
            text = tick_text(number)
            painter.drawText(QPointF(x - metrics.horizontalAdvance(text) / 2, bottom + 4 + metrics.ascent()), text)
        painter.setPen(text_color)
        middle = inside.center().x() - metrics.horizontalAdvance(across) / 2
        painter.drawText(QPointF(middle, bottom + 4 + 2.1 * metrics.ascent()), across)

        numbers = log_ticks(*self.y, most_up) if self.logarithmic else linear_ticks(*self.y, most_up)
        texts = log_labels(numbers) if self.logarithmic else [tick_text(number) for number in numbers]
        for text, y in zip(texts, self.place([0.0] * len(numbers), numbers)[1], strict=True):
            painter.setPen(line)
            painter.drawLine(QPointF(left - 3, y), QPointF(left, y))
            painter.setPen(text_color)
            painter.drawText(QPointF(left - 5 - metrics.horizontalAdvance(text), y + metrics.capHeight() / 2), text)
        with saved(painter):
            painter.translate(left - AXIS_LEFT + metrics.ascent(), inside.center().y())
            painter.rotate(-90)
            painter.drawText(QPointF(-metrics.horizontalAdvance(up) / 2, 0), up)

    def paint_image(self, painter: QPainter, image: QImage, rect: QRectF) -> None:
        """Paint a picture over a rectangle of the plot's coordinates, its first row at the largest y."""
        across, up = self.place([rect.left(), rect.right()], [rect.bottom(), rect.top()])
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            painter.setClipRect(self.inside)
            painter.drawImage(QRectF(QPointF(across[0], up[0]), QPointF(across[1], up[1])), image)

    def paint_curve(self, painter: QPainter, x: Any, y: Any, pen: QPen) -> None:
        """Paint a line through points (n,), without those that are not finite, clipped to the frame."""
        across, up = self.place(x, y)
        finite = np.isfinite(across) & np.isfinite(up)
        points = [QPointF(a, b) for a, b in zip(across[finite].tolist(), up[finite].tolist(), strict=True)]
        with self._clipped(painter, pen):
            painter.drawPolyline(QPolygonF(points))
            if len(points) == 1:
                painter.drawEllipse(points[0], 2.0, 2.0)

    def paint_pairs(self, painter: QPainter, x: Any, y: Any, pen: QPen) -> None:
        """Paint separate lines: from the first point (n,) to the second, from the third to the fourth."""
        across, up = (row.tolist() for row in self.place(x, y))
        points = [QPointF(a, b) for a, b in zip(across, up, strict=True)]
        with self._clipped(painter, pen):
            painter.drawLines(points)

    @contextmanager
    def _clipped(self, painter: QPainter, pen: QPen) -> Iterator[None]:
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setClipRect(self.inside)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen)
            yield

    def paint_step(self, painter: QPainter, x: float, color: str) -> None:
        """Paint an upright line at a step."""
        across = float(self.place([x], [0.0])[0][0])
        painter.setPen(QPen(QColor(color), 1.2))
        painter.drawLine(QPointF(across, self.inside.top()), QPointF(across, self.inside.bottom()))


def paint_words(painter: QPainter, place: QPointF, words: Sequence[tuple[str, str]], pixels: int = 12) -> None:
    """Paint texts one after the other, each in its colour, on the baseline that begins at a place."""
    font = drawn_mono_font(pixels)
    painter.setFont(font)
    metrics, x = QFontMetricsF(font), place.x()
    for text, color in words:
        painter.setPen(QColor(color))
        painter.drawText(QPointF(x, place.y()), text)
        x += metrics.horizontalAdvance(text)
