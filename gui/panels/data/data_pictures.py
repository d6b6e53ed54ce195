"""Small pictures of data sets: their points in the colours of the plots, drawn in a fraction of a millisecond."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from datasets import Dataset, sample_rows
from gui.painting import painting
from gui.theme import Colors

MOST_POINTS = 90
MARGIN = 5.0  # pixels
DOT = 3.2
SHADES = 9


def data_picture(dataset: Dataset, colors: Colors, size: QSize, sharpness: float = 1.0) -> QPixmap:
    """A sample of the points of a data set: classes by colour and shape, a height by its shade, a curve as it runs.

    Of points with more than two numbers the first two are shown.

    Args:
        dataset: unscaled.
        colors: of the theme.
        size: in pixels of the widget.
        sharpness: of the screen: its pixels for each of the widget's.
    """
    picture = _empty_picture(size, sharpness)
    with painting(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        groups = dataset.classes if dataset.n_classes else np.zeros(dataset.n_samples, dtype=np.int64)
        rows = sample_rows(groups, MOST_POINTS)
        across, up = _places(dataset, rows, size)
        few = 1.6 if len(rows) <= 12 else 1.0
        for x, y, (color, square) in zip(across, up, _looks(dataset, rows, colors), strict=True):
            painter.setBrush(QColor(color))
            dot = QRectF(x - few * DOT / 2, y - few * DOT / 2, few * DOT, few * DOT)
            painter.drawRect(dot) if square else painter.drawEllipse(dot)
    return picture


def action_picture(lines: bool, colors: Colors, size: QSize, sharpness: float = 1.0) -> QPixmap:
    """Return the picture for data still to be made: lines of a table, or a stroke."""
    picture = _empty_picture(size, sharpness)
    with painting(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colors.muted), 1.4))
        left, right = size.width() * 0.28, size.width() * 0.72
        middle, third = size.height() / 2, size.height() / 5
        if lines:
            for height in (middle - third, middle, middle + third):
                painter.drawLine(QPointF(left, height), QPointF(right, height))
        else:
            painter.drawLine(QPointF(left, middle + third), QPointF(right, middle - third))
    return picture


def _empty_picture(size: QSize, sharpness: float) -> QPixmap:
    picture = QPixmap(size * sharpness)
    picture.setDevicePixelRatio(sharpness)
    picture.fill(Qt.GlobalColor.transparent)
    return picture


def _places(dataset: Dataset, rows: NDArray[np.int64], size: QSize) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the places of the points, pixels; y goes up, and data of two equal units keep their aspect ratio."""
    first = dataset.X[:, 0]
    is_curve = dataset.n_features == 1
    second = np.asarray(dataset.y if is_curve else dataset.X[:, 1], dtype=float)
    room = np.array([size.width() - 2 * MARGIN, size.height() - 2 * MARGIN])
    low = np.array([first.min(), second.min()])
    span = np.array([np.ptp(first), np.ptp(second)])
    scale = np.divide(room, span, out=np.full(2, np.inf), where=span > 0)
    if not is_curve:
        scale[:] = scale.min()
    scale[~np.isfinite(scale)] = 0.0
    offset = (np.array([size.width(), size.height()]) - span * scale) / 2
    across = offset[0] + (first[rows] - low[0]) * scale[0]
    return across, size.height() - offset[1] - (second[rows] - low[1]) * scale[1]


def _looks(dataset: Dataset, rows: NDArray[np.int64], colors: Colors) -> list[tuple[str, bool]]:
    """Return the colour of each point, and True for squares."""
    if dataset.n_classes:
        palette = (colors.negative, colors.positive, colors.third, colors.accent, colors.muted)
        return [(palette[kind % len(palette)], kind == 1) for kind in dataset.classes[rows]]
    if dataset.n_features == 1:
        return [(colors.positive, False)] * len(rows)
    low, span = float(dataset.y.min()), float(np.ptp(dataset.y)) or 1.0
    shades = [_mixed(colors, index / (SHADES - 1)) for index in range(SHADES)]
    return [(shades[int((value - low) / span * (SHADES - 1) + 0.5)], False) for value in dataset.y[rows]]


def _mixed(colors: Colors, share: float) -> str:
    """Return a colour between the negative, the neutral and the positive one."""
    middle, end = QColor(colors.line), QColor(colors.positive if share >= 0.5 else colors.negative)
    weight = abs(2 * share - 1)
    pairs = ((middle.red(), end.red()), (middle.green(), end.green()), (middle.blue(), end.blue()))
    return QColor(*(round(low + weight * (high - low)) for low, high in pairs)).name()
