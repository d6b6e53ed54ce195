"""Texts that give way: a label that shortens its text instead of being cut off; numbers and counts in few letters."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QTextLayout, QTextOption
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


class LinesLabel(QLabel):
    """Plain text wrapped on as many lines as it has room for, which it takes whether they are written on or not.

    Nothing around it moves when the text becomes longer. What the lines do not hold ends with an ellipsis.

    Args:
        n_lines: of the room, 1 or more.
    """

    def __init__(self, n_lines: int) -> None:
        super().__init__()
        self._n_lines = n_lines
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_lines(self, n_lines: int) -> None:
        """Makes room for another number of lines."""
        if n_lines != self._n_lines:
            self._n_lines = n_lines
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """As high as its lines are."""
        return QSize(0, self._n_lines * self.fontMetrics().lineSpacing())

    def minimumSizeHint(self) -> QSize:
        """As high as its lines are, and as narrow as it has to be."""
        return self.sizeHint()

    def lines(self) -> list[str]:
        """The text as it is shown, line by line."""
        width, metrics = self.contentsRect().width(), self.fontMetrics()
        layout = QTextLayout(self.text(), self.font())
        wrapped = QTextOption()
        wrapped.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(wrapped)
        layout.beginLayout()
        starts: list[int] = []
        while len(starts) < self._n_lines and (line := layout.createLine()).isValid():
            line.setLineWidth(max(width, 1))
            starts.append(line.textStart())
        layout.endLayout()
        ends = [*starts[1:], len(self.text())]
        shown = [self.text()[start:end].strip() for start, end in zip(starts, ends, strict=True)]
        return [metrics.elidedText(text, Qt.TextElideMode.ElideRight, width) for text in shown]

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws what fits; one line alone stands in the middle."""
        option = QStyleOption()
        option.initFrom(self)
        painter = QPainter(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        painter.setPen(option.palette.color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), Qt.AlignmentFlag.AlignVCenter, "\n".join(self.lines()))
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
