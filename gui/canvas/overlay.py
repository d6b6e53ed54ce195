"""Overlay of the canvas: a hint where there is no graph, a veil where the graph is out of date."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from gui.canvas.style import CanvasStyle

MARGIN = 24.0
NOTE_FLAGS = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


@dataclass
class Overlay:
    """A line or two in the middle of the canvas.

    Attributes:
        hint: what to do where nothing is drawn.
        veil: why what is drawn is not what is meant any more; it is paled then.
        note: what is not drawn although it was asked for, written above what is.
        is_pale: what is drawn is paled without words: somebody else says why.
    """

    hint: str = ""
    veil: str = ""
    note: str = ""
    is_pale: bool = False

    def paint(self, painter: QPainter, viewport: QRectF, style: CanvasStyle, empty: bool) -> None:
        """Writes what there is to say.

        Args:
            painter: in pixels of the view.
            viewport: pixels of the view.
            empty: nothing is drawn.
        """
        text = self.veil or (self.hint if empty else "")
        if self.note and not empty:
            self._paint_note(painter, viewport, style)
        if self.veil or (self.is_pale and not empty):
            painter.fillRect(viewport, style.veil)
        if not text:
            return
        painter.setPen(style.muted)
        painter.setFont(style.hint_font)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(viewport.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN), flags, text)

    def _paint_note(self, painter: QPainter, viewport: QRectF, style: CanvasStyle) -> None:
        painter.fillRect(self.note_rect(viewport, style).adjusted(-6, -3, 6, 3), style.veil)
        painter.setPen(style.muted)
        painter.setFont(style.hint_font)
        painter.drawText(viewport.adjusted(MARGIN, MARGIN / 2, -MARGIN, -MARGIN), NOTE_FLAGS, self.note)

    def note_rect(self, viewport: QRectF, style: CanvasStyle) -> QRectF:
        """Return the rectangle of the note; empty without one."""
        if not self.note:
            return QRectF()
        area = viewport.adjusted(MARGIN, MARGIN / 2, -MARGIN, -MARGIN)
        return QFontMetricsF(style.hint_font).boundingRect(area, NOTE_FLAGS, self.note)
