"""The marker of a class as a small picture, for buttons and tables beside a plot."""

from __future__ import annotations

from typing import Any

from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

PIXELS = 12
"""Width and height."""
SHARPNESS = 3
"""Pixels of the picture for each one that it takes on an ordinary screen."""


def marker_icon(marker: str, color: str) -> QIcon:
    """A marker of the plots in a colour.

    Args:
        marker: pyqtgraph's name of it, one of MARKERS.
        color: as #RRGGBB.
    """
    picture = QPixmap(PIXELS * SHARPNESS, PIXELS * SHARPNESS)
    picture.setDevicePixelRatio(SHARPNESS)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(PIXELS / 2, PIXELS / 2)
    painter.scale(PIXELS - 2, PIXELS - 2)
    symbol: Any = Symbols[marker]
    painter.fillPath(symbol, QColor(color))
    painter.end()
    return QIcon(picture)
