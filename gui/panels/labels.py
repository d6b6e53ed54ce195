"""Texts that give way: a label that shortens its text instead of being cut off; numbers and counts in few letters."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption

from engine.graph.picture import cell_text


class ElidedLabel(QLabel):
    """One line of plain text, ended with an ellipsis where it does not fit.

    Args:
        text: the line.
        whole: shows nothing rather than a part.
    """

    def __init__(self, text: str = "", whole: bool = False) -> None:
        super().__init__(text)
        self._whole = whole
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        """As narrow as it has to be."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws what fits."""
        inside = self.contentsRect()
        fits = self.fontMetrics().horizontalAdvance(self.text()) <= inside.width()
        if self._whole and not fits:
            return
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, inside.width())
        option = QStyleOption()
        option.initFrom(self)
        painter = QPainter(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        painter.setPen(option.palette.color(self.foregroundRole()))
        painter.drawText(inside, self.alignment() | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()


def short_count(count: int) -> str:
    """A count in at most seven letters: 99,999, then 123k and 2.35M."""
    if count < 100_000:
        return f"{count:,}"
    return f"{count // 1000}k" if count < 1_000_000 else f"{count / 1e6:.2f}M"


def number_text(number: Any, signed: bool = False) -> str:
    """A number in at most ten characters, for captions, tables, the read-out and the crosshair, as the canvas has it.

    Four decimals; powers of ten where these would show fewer than two digits or more than eight: 0.6931, 3.40e-04,
    2.35e+141.

    Args:
        number: a number; None, not known, is a dash.
        signed: writes + before positive numbers.
    """
    if number is not None and 0.0 < abs(number) < 1e-3:
        return f"{number:{'+' if signed else ''}.2e}"
    return cell_text(None if number is None else float(number), signed)
