"""A text field for a number that is no field of the document."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from gui.number_texts import EntryError, entry_text, parse_number
from gui.theme import mono_font, set_style_property, set_text_sized

LONGEST_NUMBER = 32
"""Characters that can be typed."""
NOT_A_NUMBER = "Type a number, such as 0.01 or 1e-8"


class NumberEntry(QLineEdit):
    """Entry for a number; marked, with a tooltip, while its text is none. Escape restores the last number.

    Attributes:
        number: the last one that was typed or set.

    Signals:
        number_changed(float): the user has entered another number.
        refused(str): problem of a text that was to be committed.
    """

    number_changed = Signal(float)
    refused = Signal(str)

    def __init__(self, name: str, number: float = 0.0, tip: str = "", width: int = 0, committed: bool = False) -> None:
        """Make a field.

        Args:
            name: accessible name.
            number: shown first.
            tip: its purpose.
            width: pixels; 0: as the layout gives.
            committed: Return or leaving the field commits the number, which is shown rounded until it is edited;
                otherwise every valid number counts while it is typed.
        """
        super().__init__()
        self.number, self._tip, self._committed = number, tip, committed
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setFont(mono_font(12))
        self.setMaxLength(LONGEST_NUMBER)
        if width:
            set_text_sized(self, setFixedWidth=width)
        if committed:
            self.setAlignment(Qt.AlignmentFlag.AlignRight)
            self.textEdited.connect(lambda _text: self._mark(True))
            self.returnPressed.connect(self._finish)
        else:
            self.textEdited.connect(lambda _text: self._take())
            self.returnPressed.connect(self.selectAll)  # the next key begins another number
        self._show()

    def set_number(self, number: float) -> None:
        """Show a number, without a signal; a number that is being typed stays until it is committed."""
        self.number = number
        if not (self._committed and self.isModified()):
            self._show()

    def commit(self) -> None:
        """Commit the typed number; an invalid one is replaced by the last number."""
        if self.isModified():
            self._take()
            self._show()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show all digits, selected: the next key begins another number."""
        super().focusInEvent(event)
        if self._committed and not self.isModified():
            self._show()
            QTimer.singleShot(0, self, self.selectAll)  # after the click that may have brought the focus

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self._committed:
            self.commit()
            self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._committed and event.key() == Qt.Key.Key_Escape and self.isModified():
            self._show()
            self.selectAll()
        else:
            super().keyPressEvent(event)

    def _finish(self) -> None:
        """Handle Return: an invalid number stays, to be corrected."""
        if not self.isModified() or self._take():
            self._show()
            self.selectAll()

    def _take(self) -> bool:
        """Take the typed number; return False when it is none."""
        try:
            number = parse_number(self.text())
        except EntryError:
            self._mark(False)
            if self._committed:
                self.refused.emit(problem_of_number(self.text()))
            return False
        self._mark(True)
        if number != self.number:
            self.number = number
            self.number_changed.emit(number)
        return True

    def _show(self) -> None:
        self._mark(True)
        self.setText(f"{self.number:.4g}" if self._committed and not self.hasFocus() else entry_text(self.number))
        self.setModified(False)
        if self._committed:
            self.setCursorPosition(0)

    def _mark(self, is_number: bool) -> None:
        set_style_property(self, "invalid", not is_number)
        self.setToolTip(self._tip if is_number else NOT_A_NUMBER)


def problem_of_number(text: str) -> str:
    """Return the problem of a typed number; "" for none."""
    try:
        parse_number(text)
    except EntryError:
        return f"'{text[:20]}' is not a number: write one such as -2.5."
    return ""
