"""The marker of a class as a small picture, for buttons and tables beside a plot."""

from __future__ import annotations

from typing import Any

from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

SHARPNESS = 3
"""Pixels of the picture for each one that it takes on an ordinary screen."""


def marker_icon(marker: str, color: str, pixels: int = 12) -> QIcon:
    """A marker of the plots in a colour.

    Args:
        marker: pyqtgraph's name of it, one of MARKERS.
        color: as #RRGGBB.
        pixels: width and height.
    """
    picture = QPixmap(pixels * SHARPNESS, pixels * SHARPNESS)
    picture.setDevicePixelRatio(SHARPNESS)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(pixels / 2, pixels / 2)
    painter.scale(pixels - 2, pixels - 2)
    symbol: Any = Symbols[marker]
    painter.fillPath(symbol, QColor(color))
    painter.end()
    return QIcon(picture)
