"""Labels that give way: they shorten their text instead of being cut off."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeVar

from PySide6 import QtGui
from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QHelpEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QStyle, QStyleOption, QToolTip, QWidget

from gui.painting import painting
from gui.theme import mono_font

Label = TypeVar("Label", bound=QWidget)
LINE_SEPARATOR = "\u2028"
"""Line break in texts that Qt lays out."""


def plain_tip(text: str) -> str:
    """Return a tooltip with a plain text, in lines that Qt breaks where they are long."""
    return f"<qt>{escape(text)}</qt>".replace("\n", "<br>")


def literal_tip(text: str) -> str:
    """Return a tooltip that shows a text as it is written, such as the name of a column that holds `<b>`.

    Qt takes a text with a tag for HTML, and loads the pictures that it names from the disk.
    """
    return plain_tip(text) if QtGui.Qt.mightBeRichText(text) else text


class PaintedLabel(QFrame):
    """Label with plain text whose size does not depend on the text.

    A QLabel changes its size hint with each text, which lays out the whole window with each report of training.
    """

    def __init__(self) -> None:
        super().__init__()
        self._text = ""
        self._alignment = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter

    def setAlignment(self, alignment: Qt.AlignmentFlag) -> None:
        """Set where the text stands in the label."""
        self._alignment = alignment
        self.update()

    def alignment(self) -> Qt.AlignmentFlag:
        """Return where the text stands in the label."""
        return self._alignment

    def sizeHint(self) -> QSize:
        margins, letter = self.contentsMargins(), QFontMetricsF(self.font())
        height = math.ceil(letter.height()) + margins.top() + margins.bottom()  # as a QLabel of one line
        return QSize(margins.left() + margins.right() + math.ceil(letter.averageCharWidth()), height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def text(self) -> str:
        """Return the whole text."""
        return self._text

    def setText(self, text: str) -> None:
        """Show another text."""
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.update()

    def clear(self) -> None:
        """Clear the text."""
        self.setText("")

    def written(self) -> str:
        """Return the visible text, shortened where there is no room for all of it."""
        return self._text

    @property
    def is_cut(self) -> bool:
        """True when there is no room for all of the text."""
        return "".join(self.written().split()) != "".join(self._text.split())

    def show_whole(self, place: QPoint) -> None:
        """Show the whole text of a shortened label as a tooltip near a place on the screen."""
        QToolTip.showText(place, plain_tip(self._text) if self.is_cut else "", self)

    def event(self, event: QEvent) -> bool:
        """Show the tool tip as it is written, or where there is none a text that is cut off."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            if self.toolTip():
                QToolTip.showText(event.globalPos(), literal_tip(self.toolTip()), self)
            else:
                self.show_whole(event.globalPos())
            return True
        return super().event(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if self.is_cut:
            self.show_whole(event.globalPosition().toPoint())


class ElidedLabel(PaintedLabel):
    """A line of plain text that ends with an ellipsis where it does not fit.

    Args:
        text: the line.
        whole: shows nothing rather than a part.
    """

    def __init__(self, text: str = "", whole: bool = False) -> None:
        super().__init__()
        self._whole = whole
        self._shorter: tuple[str, ...] = ()
        self.setText(text)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_texts(self, text: str, *shorter: str) -> None:
        """Show the first of these texts that fits, and as much of the last one as fits where none does."""
        self.setText(text)
        self._shorter = shorter
        self.update()

    def setText(self, text: str) -> None:
        """Show another text, without shorter forms."""
        self._shorter = ()
        super().setText(text)

    def shown_text(self) -> str:
        """The visible text."""
        width, metrics = self.contentsRect().width(), self.fontMetrics()
        texts = (self.text(), *self._shorter)
        fitting = [text for text in texts if metrics.horizontalAdvance(text) <= width]
        if fitting or self._whole:
            return fitting[0] if fitting else ""
        return metrics.elidedText(texts[-1], Qt.TextElideMode.ElideRight, width)

    def written(self) -> str:
        return self.shown_text()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        _draw(self, self.alignment() | Qt.AlignmentFlag.AlignVCenter, self.shown_text())


def _draw(label: PaintedLabel, alignment: Qt.AlignmentFlag, text: str) -> None:
    """Draw a label as its style sheet wants it, with another text."""
    option = QStyleOption()
    option.initFrom(label)
    with painting(label) as painter:
        label.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, label)
        painter.setPen(option.palette.color(label.foregroundRole()))
        painter.drawText(label.contentsRect(), alignment, text)


def small_letters(label: Label, pixels: int, muted: bool = False) -> Label:
    """A label in the fixed-width face.

    Args:
        label: is changed, and given back.
        pixels: height of the letters, one of `SMALL_LETTERS`.
        muted: it is less important than its neighbours.
    """
    label.setFont(mono_font(pixels))
    label.setProperty("letters", str(pixels))
    label.setProperty("muted", muted)
    return label


def muted_label(text: str = "", wrap: bool = False) -> QLabel:
    """Return a label with plain, less important text."""
    label = QLabel(text, wordWrap=wrap, textFormat=Qt.TextFormat.PlainText)
    label.setProperty("muted", True)
    return label


def wrapped_lines(text: str, font: QFont, width: int, n_lines: int) -> list[str]:
    """Return a plain text in lines of a width in pixels, at most `n_lines`; what does not fit ends with an ellipsis."""
    layout = QTextLayout(text.replace("\n", LINE_SEPARATOR), font)
    wrapped = QTextOption()
    wrapped.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(wrapped)
    layout.beginLayout()
    starts: list[int] = []
    while len(starts) < n_lines and (line := layout.createLine()).isValid():
        line.setLineWidth(max(width, 1))
        starts.append(line.textStart())
    layout.endLayout()
    ends = [*starts[1:], len(text)]
    shown = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    metrics = QFontMetrics(font)
    return [metrics.elidedText(each, Qt.TextElideMode.ElideRight, width) for each in shown]


class LinesLabel(PaintedLabel):
    """Plain text wrapped on a fixed number of lines, which it occupies even when empty.

    Nothing around it moves when the text becomes longer. A text that does not fit ends with an ellipsis.

    Args:
        n_lines: of the room, 1 or more.
    """

    def __init__(self, n_lines: int) -> None:
        super().__init__()
        self._n_lines = n_lines
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(0, self._n_lines * (self.fontMetrics().lineSpacing() + 1))  # as far apart as they are drawn

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def lines(self) -> list[str]:
        """Return the visible lines."""
        return wrapped_lines(self.text(), self.font(), self.contentsRect().width(), self._n_lines)

    def written(self) -> str:
        return "\n".join(self.lines())

    def paintEvent(self, event: QPaintEvent) -> None:
        _draw(self, Qt.AlignmentFlag.AlignVCenter, self.written())


class Legend(QLabel):
    """Legend of a plot: texts in the colours of its curves, side by side.

    Args:
        shortens: omit entries that do not fit, and show their number.
    """

    def __init__(self, shortens: bool = False) -> None:
        super().__init__(textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self._shortens = shortens
        self._entries: Sequence[tuple[str, str]] = ()
        self._others: Sequence[tuple[str, str]] = ()
        self._shorter: Sequence[tuple[str, str]] = ()
        small_letters(self, 11)
        self.setMinimumWidth(1)

    def show_entries(
        self,
        entries: Iterable[tuple[str, str]],
        others: Iterable[tuple[str, str]] = (),
        shorter: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Show entries, each by its colour and its text.

        Args:
            entries: all of them are shown.
            others: the first ones are shown, as many as fit.
            shorter: shown instead of `entries` when these and the first of the others do not fit; none:
                `entries` always.
        """
        self._entries, self._others, self._shorter = list(entries), list(others), list(shorter)
        self._write()

    def whole(self, width: int) -> Legend:
        """Return a legend of that width, in pixels, with all entries, as high as they need: for an export."""
        legend = Legend()
        legend.setFont(self.font())
        legend.show_entries([*self._entries, *self._others])
        legend.resize(width, legend.heightForWidth(width))
        return legend

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._write()

    def _write(self) -> None:
        own, n_others = self._entries, len(self._others)
        if self._shortens:
            first = [*own, *self._others[:1]]
            if self._shorter and self._n_fitting(first) < len(first):
                own = self._shorter
            n_others = max(0, self._n_fitting([*own, *self._others]) - len(own))
        shown = [*own, *self._others[:n_others]]
        parts = [f'<span style="color:{color}">{escape(text)}</span>' for color, text in shown]
        if left_out := len(self._others) - n_others:
            parts.append(f"… {left_out} more")
        self.setText("&nbsp; ".join(parts))

    def _n_fitting(self, entries: Sequence[tuple[str, str]]) -> int:
        """Return how many entries there is room for; a line may end before a long word."""
        metrics = self.fontMetrics()
        lines = max(1, self.height() // metrics.lineSpacing())
        room = lines * self.width() - (lines - 1) * metrics.horizontalAdvance("x" * 9)
        room -= metrics.horizontalAdvance("… 10 more") if self._others else 0
        width = 0
        for number, (_, text) in enumerate(entries):
            width += metrics.horizontalAdvance(f"{text}  ")
            if width > room:
                return number
        return len(entries)
