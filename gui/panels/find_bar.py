"""The bar for finding a node by its name: opened by Ctrl+F, Enter and F3 go on, Escape closes."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from gui.canvas import GraphCanvas
from gui.session import Session


class FindField(QLineEdit):
    """Where the name is typed.

    Signals:
        stepped(int): 1 for the next node, -1 for the one before.
        left(): the user is done.
    """

    stepped = Signal(int)
    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter, Shift+Enter, Escape."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.stepped.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class FindBar(QWidget):
    """Finds the nodes whose name contains a text, one after the other; hidden until it is asked for."""

    def __init__(self, session: Session, canvas: GraphCanvas) -> None:
        super().__init__()
        self._session = session
        self._canvas = canvas
        self._keys: list[str] = []
        self._at = -1
        self._field = FindField()
        self._field.setPlaceholderText("name of a value, or an operation")
        self._field.setAccessibleName("find a node by name")
        self._field.textChanged.connect(lambda _text: self._search())
        self._field.stepped.connect(self.go)
        self._field.left.connect(self.leave)
        self._found = QLabel()
        self._found.setProperty("muted", True)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 0, 8, 6)
        row.setSpacing(6)
        row.addWidget(self._field, 1)
        row.addWidget(self._found)
        row.addWidget(self._button("▲", "Previous (Shift+Enter, Shift+F3)", lambda: self.go(-1)))
        row.addWidget(self._button("▼", "Next (Enter, F3)", lambda: self.go(1)))
        row.addWidget(self._button("✕", "Close (Escape)", self.leave))
        for keys, step in (("F3", 1), ("Shift+F3", -1)):
            QShortcut(QKeySequence(keys), self).activated.connect(lambda step=step: self.go(step))
        self.hide()

    def _button(self, text: str, tip: str, action: object) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition(" (")[0].lower())
        button.clicked.connect(lambda: action())  # type: ignore[operator]
        return button

    def start(self) -> None:
        """Opens the bar and waits for a name."""
        self.show()
        self._field.setFocus()
        self._field.selectAll()

    def leave(self) -> None:
        """Closes the bar; the canvas has the keyboard again."""
        self.hide()
        self._canvas.setFocus()

    def refresh(self) -> None:
        """Looks again: the graph is another one."""
        if self.isVisible():
            self._keys = self._canvas.find(self._field.text())
            self._at = self._keys.index(self._canvas.selected) if self._canvas.selected in self._keys else -1
            self._show_count()

    def _search(self) -> None:
        self._keys, self._at = self._canvas.find(self._field.text()), -1
        if self._keys:
            self.go(1)
        self._show_count()

    def go(self, step: int) -> None:
        """To the next node (1) or the one before (-1), around the ends.

        A node that was found is selected and brought into view.
        """
        if not self._keys:
            return
        self._at = (self._at + step) % len(self._keys) if self._at >= 0 or step > 0 else len(self._keys) - 1
        key = self._keys[self._at]
        self._session.select(key)
        self._canvas.reveal(key)
        self._show_count()

    def _show_count(self) -> None:
        if not self._field.text().strip():
            self._found.setText("")
        elif not self._keys:
            self._found.setText("nothing found")
        else:
            self._found.setText(f"{self._at + 1} of {len(self._keys)}" if self._at >= 0 else f"{len(self._keys)} found")
