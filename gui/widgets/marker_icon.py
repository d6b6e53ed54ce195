"""The marker of a class outside of a plot: painted, or as an icon for buttons and tables."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

from gui.painting import painting, saved

PIXELS = 12
"""Width and height."""
SHARPNESS = 3
"""Pixels of the picture for each one that it takes on an ordinary screen."""


def fill_marker(painter: QPainter, marker: str, color: str, middle: QPointF, pixels: float) -> None:
    """Paint a marker of the plots.

    Args:
        painter: of a picture or a widget.
        marker: pyqtgraph's name of it, one of MARKERS.
        color: as #RRGGBB.
        middle: where it stands.
        pixels: its width and height.
    """
    with saved(painter):
        painter.translate(middle)
        painter.scale(pixels, pixels)
        symbol: Any = pg.graphicsItems.ScatterPlotItem.Symbols[marker]
        painter.fillPath(symbol, QColor(color))


def marker_icon(marker: str, color: str) -> QIcon:
    """A marker of the plots in a colour, see `fill_marker`."""
    picture = QPixmap(PIXELS * SHARPNESS, PIXELS * SHARPNESS)
    picture.setDevicePixelRatio(SHARPNESS)
    picture.fill(Qt.GlobalColor.transparent)
    with painting(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        fill_marker(painter, marker, color, QPointF(PIXELS / 2, PIXELS / 2), PIXELS - 2)
    return QIcon(picture)
