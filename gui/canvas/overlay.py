"""What is written over the canvas: a hint where there is no graph, a veil where the graph is not the one meant."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from gui.canvas.style import CanvasStyle

MARGIN = 24.0


@dataclass
class Overlay:
    """A line or two in the middle of the canvas.

    Attributes:
        hint: what to do where nothing is drawn.
        veil: why what is drawn is not what is meant any more; it is paled then.
        note: what is not drawn although it was asked for, written above what is.
    """

    hint: str = ""
    veil: str = ""
    note: str = ""

    def paint(self, painter: QPainter, viewport: QRectF, style: CanvasStyle, empty: bool) -> None:
        """Writes what there is to say.

        Args:
            viewport: pixels of the view.
            empty: nothing is drawn.
        """
        text = self.veil or (self.hint if empty else "")
        painter.resetTransform()
        if self.note and not empty:
            self._paint_note(painter, viewport, style)
        if not text:
            return
        if self.veil:
            painter.fillRect(viewport, style.veil)
        painter.setPen(style.muted)
        painter.setFont(style.hint_font)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(viewport.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN), flags, text)

    def _paint_note(self, painter: QPainter, viewport: QRectF, style: CanvasStyle) -> None:
        painter.setPen(style.muted)
        painter.setFont(style.hint_font)
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
        painter.drawText(viewport.adjusted(MARGIN, MARGIN / 2, -MARGIN, -MARGIN), flags, self.note)
