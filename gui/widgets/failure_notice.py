"""A line over a part of the window that failed, with a button that tries again."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from gui.widgets.buttons import push_button
from gui.widgets.labels import ElidedLabel
from gui.widgets.layouts import add_widgets

TEXT = "This could not be shown."
TIP = "An unexpected error happened here. The rest of the window goes on, and nothing is lost."


class FailureNotice(QFrame):
    """Lies over the upper edge of a widget, as wide as it; hidden until something fails.

    Attributes:
        button: tries again.
    """

    def __init__(self, failed: QWidget, try_again: Callable[[], object]) -> None:
        """Create the line.

        Args:
            failed: the widget that it lies over.
            try_again: called by the button, when the line is hidden already.
        """
        super().__init__(failed)
        self.setObjectName("card")
        self.setToolTip(TIP)
        self._failed, self._try_again = failed, try_again
        label = ElidedLabel()
        label.setText(TEXT)
        self.button = push_button("Try again", "Show this part of the window again", self._press)
        add_widgets(QHBoxLayout(self), label, 1, self.button, margins=(8, 4, 8, 4))
        failed.installEventFilter(self)
        self.hide()

    def appear(self) -> None:
        """Show the line, above everything else in the widget."""
        self._place()
        self.show()
        self.raise_()

    def _press(self) -> None:
        self.hide()
        self._try_again()

    def _place(self) -> None:
        self.setGeometry(0, 0, self._failed.width(), self.sizeHint().height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as wide as the widget."""
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return False


def update_all(widget: QWidget) -> None:
    """Paint a widget again, with everything that is in it."""
    for each in (widget, *widget.findChildren(QWidget)):
        each.update()
