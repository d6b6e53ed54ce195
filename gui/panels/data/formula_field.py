"""The field in which a formula of x1 and x2 is typed; what cannot be read is underlined at its place."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPaintEvent, QPen

from engine.language import ProgramError
from engine.language.formula import read_formula
from gui.fields.binding import EntryField, FieldBinding
from gui.painting import painting
from gui.session import Session
from gui.theme import LIGHT, Colors

TEXTS = {
    "label": "formula",
    "tip": "A number for each point: sin(x1) * x2. Or two classes: x1**2 + x2**2 < 4. "
    "With x1 alone the data are a curve. + - * / ** and the functions of the program's language",
}
"""Texts of the field."""


class FormulaField(EntryField):
    """A formula of the document's data.

    Attributes:
        error: problem of the text and its place; None for none.
    """

    def __init__(self, session: Session) -> None:
        self.error: ProgramError | None = None
        self._colors = LIGHT
        super().__init__(FieldBinding(session, "data", "formula", TEXTS["label"]), str, str, TEXTS["tip"])
        self.textChanged.connect(self._find_error)

    def set_colors(self, colors: Colors) -> None:
        self._colors = colors
        self.update()

    def _find_error(self, text: str) -> None:
        try:
            read_formula(text)
        except ProgramError as error:
            self.error = error if text.strip() else None
        else:
            self.error = None
        self.update()

    @property
    def underlined(self) -> str:
        """The part of the text that is underlined."""
        if self.error is None:
            return ""
        return self.text()[self.error.column - 1 : self.error.end_column - 1] or self.text()[-1:]

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.error is None:
            return
        metrics, text = self.fontMetrics(), self.text()
        begin = min(self.error.column, max(len(text), 1)) - 1
        cursor = self.cursorRect()
        zero = cursor.center().x() - metrics.horizontalAdvance(text[: self.cursorPosition()])
        left = zero + metrics.horizontalAdvance(text[:begin])
        right = left + max(metrics.horizontalAdvance(self.underlined), 6)
        with painting(self) as painter:
            painter.setClipRect(self.rect().adjusted(4, 0, -4, 0))
            painter.setPen(QPen(QColor(self._colors.error), 2))
            height = cursor.bottom() - 1
            painter.drawLine(QPointF(left, height), QPointF(right, height))
