"""The bar for finding a node by its name: opened by Ctrl+F, Enter and F3 go on, Escape closes."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from gui.canvas import GraphCanvas
from gui.session import Session
from gui.widgets.action_set import ActionSet
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets


class FindField(QLineEdit):
    """Search field for a node's name or a text.

    Signals:
        stepped(int): 1 for the next one, -1 for the one before.
        left(): the user is done.
    """

    stepped = Signal(int)
    left = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.stepped.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class FindBar(QWidget):
    """Bar that finds nodes whose name contains a text, one after the other; hidden until requested.

    Attributes:
        field: where the name is typed.
        found: label "2 of 5".
    """

    def __init__(self, session: Session, canvas: GraphCanvas) -> None:
        super().__init__()
        self._session = session
        self._canvas = canvas
        self._keys: list[str] = []
        self._at = -1
        self.field = FindField()
        self.field.setPlaceholderText("name of a value, or an operation")
        self.field.setAccessibleName("find a node by name")
        self.field.textChanged.connect(lambda _text: self._search())
        self.field.stepped.connect(self.go)
        self.found = muted_label()
        self._row = add_widgets(QHBoxLayout(self), self.field, 1, self.found, margins=(10, 0, 8, 6), spacing=6)
        self._actions: ActionSet | None = None
        self.hide()

    def set_actions(self, actions: ActionSet) -> None:
        """Set the actions of the bar's buttons."""
        self._actions = actions
        for name in ("find previous", "find next", "end finding"):
            button = actions.button(name)
            button.setAccessibleName(actions[name].text().lower())
            self._row.addWidget(button)
        self.field.left.connect(actions["end finding"].trigger)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._actions is not None:
            self._actions.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self._actions is not None:
            self._actions.refresh()

    def start(self) -> None:
        """Open the bar and wait for a name."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def leave(self) -> None:
        """Close the bar; the canvas has the keyboard again."""
        self.hide()
        self._canvas.setFocus()

    def refresh(self) -> None:
        """Search again, as the graph has changed."""
        if self.isVisible():
            self._keys = self._canvas.search(self.field.text())
            self._at = self._keys.index(self._canvas.selected) if self._canvas.selected in self._keys else -1
            self._show_count()

    def _search(self) -> None:
        self._keys, self._at = self._canvas.search(self.field.text()), -1
        if self._keys:
            self.go(1)
        self._show_count()

    def go(self, step: int) -> None:
        """Go to the next match (1) or the previous one (-1), wrapping around.

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
        if not self.field.text().strip():
            self.found.setText("")
        elif not self._keys:
            self.found.setText("nothing found")
        else:
            self.found.setText(f"{self._at + 1} of {len(self._keys)}" if self._at >= 0 else f"{len(self._keys)} found")
