"""The scale under the boundary: which marker is which class, and which colour which output."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.painting import painting
from gui.theme import LIGHT, Colors, mono_font, set_text_sized, text_pixels
from gui.widgets.labels import literal_tip
from gui.widgets.marker_icon import fill_marker

HEIGHT, MARKER, GAP, LEAST_BAR = 18, 9, 6, 24  # pixels


@dataclass(frozen=True)
class Entry:
    """A marker with its colour and meaning; without a marker a text alone."""

    text: str
    color: str = ""
    marker: str = ""


@dataclass(frozen=True)
class Scale:
    """Content of the scale.

    Attributes:
        entries: one for each class; with a bar the two at its ends.
        bar: (n, 3) the bar's colours from left to right, bytes; None for no bar.
        level: text in the middle of the bar; "" for none.
        tip: the same in whole sentences.
    """

    entries: tuple[Entry, ...] = ()
    bar: NDArray[np.uint8] | None = None
    level: str = ""
    tip: str = ""


class ColorScale(QWidget):
    """One line: class, colours, class; or all classes in a row."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = Scale()
        self._colors = LIGHT
        self.setFont(mono_font(11))
        self.setProperty("letters", "11")
        set_text_sized(self, setFixedHeight=HEIGHT)
        self.setAccessibleName("colours of the outputs")

    def sizeHint(self) -> QSize:
        return QSize(100, text_pixels(HEIGHT))

    def show_scale(self, scale: Scale, colors: Colors) -> None:
        """Show another scale in the theme's colours."""
        self.scale, self._colors = scale, colors
        self.setToolTip(literal_tip(scale.tip))
        self.setAccessibleDescription(scale.tip)
        self.setVisible(bool(scale.entries))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if self.scale.bar is None:
                entries, left = self.scale.entries, 0.0
                for done, entry in enumerate(entries):
                    room = (self.width() - left) / (len(entries) - done) - GAP
                    left += self._paint_entry(painter, entry, left, room) + GAP
            else:
                self._paint_bar(painter, self.scale.bar)

    def _paint_bar(self, painter: QPainter, bar: NDArray[np.uint8]) -> None:
        low, high = self.scale.entries
        most = (self.width() - LEAST_BAR) / 2 - GAP
        left = self._paint_entry(painter, low, 0.0, most) + GAP
        width = self.fontMetrics().horizontalAdvance(high.text) + (MARKER + 4 if high.marker else 0)
        right = self.width() - min(width, most)
        self._paint_entry(painter, high, right, most)
        place = QRectF(left, 2, right - GAP - left, HEIGHT - 4)
        pixels = bar.tobytes()  # one row; the image does not copy them
        painter.drawImage(place, QImage(pixels, len(bar), 1, 3 * len(bar), QImage.Format.Format_RGB888).copy())
        painter.setPen(QPen(QColor(self._colors.text), 1.5))
        if self.scale.level:
            middle = place.center().x()
            painter.drawLine(QPointF(middle, place.top()), QPointF(middle, place.bottom()))
            room = place.adjusted(place.width() / 2 + 3, 0, 0, 0)
            if self.fontMetrics().horizontalAdvance(self.scale.level) <= room.width():  # of 0.5 the 0 alone is wrong
                painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, self.scale.level)

    def _paint_entry(self, painter: QPainter, entry: Entry, left: float, room: float) -> float:
        """Draw marker and text; the pixels that they took."""
        begin = left
        if entry.marker:
            fill_marker(painter, entry.marker, entry.color, QPointF(left + MARKER / 2, HEIGHT / 2), MARKER)
            begin += MARKER + 4
        width = max(0.0, min(room - (begin - left), float(self.fontMetrics().horizontalAdvance(entry.text) + 1)))
        text = self.fontMetrics().elidedText(entry.text, Qt.TextElideMode.ElideRight, int(width) + 1)
        painter.setPen(QColor(self._colors.text))
        painter.drawText(QRectF(begin, 0, width, HEIGHT), Qt.AlignmentFlag.AlignVCenter, text)
        return begin + width - left
