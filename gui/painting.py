"""The one way to open a QPainter: it ends with its block, also when an exception leaves the block.

A painter that is still open when its device is shown or deleted ends the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QPaintDevice, QPainter


@contextmanager
def painting(device: QPaintDevice, painter: QPainter | None = None) -> Iterator[QPainter]:
    """Open a painter on a device, and end it with the block.

    Args:
        device: widget, viewport, image, pixmap or file writer; any thread may paint on an image.
        painter: one that is not active, to be used again on another device; None makes one.
    """
    painter = QPainter() if painter is None else painter
    painter.begin(device)
    try:
        yield painter
    finally:
        painter.end()


@contextmanager
def saved(painter: QPainter) -> Iterator[None]:
    """Restore the painter's pen, transform, clip and other settings at the end of the block."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()
