"""The names of the phases under a slider over all steps of a walk, each where it begins; a click goes there."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.painting import painting
from gui.theme import text_font, text_pixels

PIXELS, GAP, TICK = 10, 6.0, 3.0
HANDLE = 14
"""Width of the slider's handle, whose middle stands over a mark."""


class PhaseMarks(QWidget):
    """Names at their places; one that would overlap the one before it is a tick alone.

    Signals:
        chosen(int): the position at which the phase that was clicked begins.
    """

    chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._phases: Mapping[str, int] = {}
        self._total = 0
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setToolTip("The beginning of forward, backward and update: click one to go there")

    @property
    def _font(self) -> QFont:
        """The face of the names: the style sheet gives the widget itself a larger one."""
        return text_font(text_pixels(PIXELS))

    def show_phases(self, phases: Mapping[str, int], total: int) -> None:
        """Show where phases begin, of `total` steps."""
        if (phases, total) != (self._phases, self._total):
            self._phases, self._total = phases, total
            self.update()

    def places(self) -> dict[str, QRectF]:
        """Return the rectangle of each name; names without room are left out."""
        metrics, taken = QFontMetricsF(self._font), -GAP
        placed = {}
        for name, begins in self._phases.items():
            width = metrics.horizontalAdvance(name)
            left = min(max(0.0, self._across(begins) - TICK), self.width() - width)
            if left >= taken + GAP:
                placed[name] = QRectF(left, TICK, width, metrics.height())
                taken = left + width
        return placed

    def _across(self, position: int) -> float:
        """Return the x coordinate of the handle's centre at a position."""
        return HANDLE / 2 + max(1.0, self.width() - HANDLE) * position / max(self._total, 1)

    def sizeHint(self) -> QSize:
        return QSize(0, round(QFontMetricsF(self._font).height() + TICK))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        for name, place in self.places().items():
            if place.adjusted(-2, -TICK, 2, 2).contains(event.position()):
                self.chosen.emit(self._phases[name])

    def paintEvent(self, _event: QPaintEvent) -> None:
        with painting(self) as painter:
            painter.setFont(self._font)
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            for begins in self._phases.values():
                x = self._across(begins)
                painter.drawLine(QPointF(x, 0.0), QPointF(x, TICK))
            for name, place in self.places().items():
                painter.drawText(place, Qt.AlignmentFlag.AlignLeft, name)
