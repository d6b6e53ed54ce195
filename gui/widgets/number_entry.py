"""A text field for a number that is no part of the document; accepts valid numbers while typing."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit

from gui.number_texts import EntryError, entry_text, parse_number
from gui.theme import mono_font, set_style_property, set_text_sized

SENTENCES = {"not a number": "Type a number, such as 0.01 or 1e-8"}


class NumberEntry(QLineEdit):
    """Field for a number; marked while its text is none.

    Attributes:
        number: the last one that was typed or set.

    Signals:
        number_changed(float): the user has typed another number.
    """

    number_changed = Signal(float)

    def __init__(self, name: str, number: float, tip: str = "", width: int = 84) -> None:
        """Make a field.

        Args:
            name: what screen readers call it.
            number: first.
            tip: its purpose.
            width: pixels.
        """
        super().__init__()
        self.number, self._tip = number, tip
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setFont(mono_font(12))
        set_text_sized(self, setFixedWidth=width)
        self.setMaxLength(24)
        self.setText(entry_text(number))
        self.textEdited.connect(self._take)

    def set_number(self, number: float) -> None:
        """Show a number; silent."""
        self.number = number
        self._mark(True)
        self.setText(entry_text(number))

    def _take(self, text: str) -> None:
        try:
            number = parse_number(text)
        except EntryError:
            self._mark(False)
            return
        self._mark(True)
        if number != self.number:
            self.number = number
            self.number_changed.emit(number)

    def _mark(self, is_number: bool) -> None:
        set_style_property(self, "invalid", not is_number)
        self.setToolTip(self._tip if is_number else SENTENCES["not a number"])
