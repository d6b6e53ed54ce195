"""What the program is, in a few words: Help > About Gradstep."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

ABOUT = (
    "<b>Gradstep</b><p>See how autograd and neural networks work: type an expression, step through its forward and "
    "backward pass, train a small network with the same engine.</p>"
)


def open_about(parent: QWidget) -> None:
    """Says it in a box that does not stop the window."""
    box = QMessageBox(QMessageBox.Icon.NoIcon, "About Gradstep", ABOUT, parent=parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
