"""Edit > History: all edits of the session by name, the present and the saved state marked; a click goes to one.

It shows the session's undo stack, from the state that was opened on the top to the newest edit; edits below the present
state are undone, and are muted. Fifty edits that are undone at once are one change, and everything is refreshed once.
The window stays usable meanwhile.
"""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont, QIcon
from PySide6.QtWidgets import QAbstractItemView, QDialog, QDialogButtonBox, QListView, QVBoxLayout, QWidget

from engine.messages import visible
from gui.session import Change, Session
from gui.theme import text_pixels
from gui.widgets.labels import muted_label
from gui.widgets.layouts import add_widgets

TITLE, FIRST = "History", "Start"
HELP = "Click an edit, or press Enter on it, to go there. Edits after it are kept until you make another one."
LESSON_HELP = "These are the edits of the open lesson. Your own ones come back when you leave it."
PRESENT, SAVED = "▸", "saved"
WIDTH, HEIGHT = 360, 440
"""Pixels at 100 %."""


class EditsModel(QAbstractListModel):
    """The states of a session: row 0 is before the first edit, row n after the n-th."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._shown: tuple[tuple[str, ...], int, int | None] = ((), -1, -1)
        self.follow()

    @property
    def present(self) -> int:
        """Row of the present state."""
        return self._shown[1]

    def follow(self) -> bool:
        """Show the undo stack as it is now; return True when it differs from before."""
        stack = self._session.undo_stack
        names = tuple(visible(step.label) for step in stack.steps)
        shown = (names, stack.index, stack.clean_index)
        if shown == self._shown:
            return False
        if names == self._shown[0]:
            self._shown = shown
            self.dataChanged.emit(self.index(0), self.index(len(names)))
        else:
            self.beginResetModel()
            self._shown = shown
            self.endResetModel()
        return True

    def follow_colors(self) -> None:
        """Have the rows drawn in the colours of the theme as it is now."""
        self.dataChanged.emit(self.index(0), self.index(self.rowCount() - 1), [Qt.ItemDataRole.ForegroundRole])

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._shown[0]) + 1

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        names, present, saved = self._shown
        row = index.row()
        if not 0 <= row <= len(names):
            return None
        name = names[row - 1][:1].upper() + names[row - 1][1:] if row else FIRST
        if role == Qt.ItemDataRole.DisplayRole:
            mark = PRESENT if row == present else "  "
            return f"{mark} {name}" + (f"  ({SAVED})" if row == saved else "")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            states = ("present state" * (row == present), SAVED * (row == saved), "undone" * (row > present))
            return ", ".join(filter(None, (name, *states)))
        if role == Qt.ItemDataRole.FontRole and row == present:
            font = QFont()
            font.setBold(True)
            return font
        if role == Qt.ItemDataRole.ForegroundRole and row > present:
            colors = self._session.parent()
            return colors.palette().placeholderText() if isinstance(colors, QWidget) else None
        return None


class EditHistory(QDialog):
    """List of the edits; it deletes itself when it is closed.

    Attributes:
        list: the states, the oldest first.
        model: its rows.
    """

    def __init__(self, parent: QWidget, session: Session) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(TITLE)
        self._session = session
        self.model = EditsModel(session)
        self.model.setParent(self)
        self.list = QListView()
        self.list.setAccessibleName("Edits, the oldest first")
        self.list.setUniformItemSizes(True)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setModel(self.model)
        self.list.clicked.connect(lambda index: self.go_to(index.row()))
        self.list.activated.connect(lambda index: self.go_to(index.row()))
        self._help = muted_label("", wrap=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setIcon(QIcon())
        close.setAutoDefault(False)  # Enter goes to the edit
        buttons.rejected.connect(self.reject)
        add_widgets(QVBoxLayout(self), self.list, self._help, buttons)
        self.resize(text_pixels(WIDTH), text_pixels(HEIGHT))
        session.changed.connect(self._follow)
        session.stopping.connect(self.reject)
        self._show_present()

    def go_to(self, row: int) -> None:
        """Undo or redo until the state of a row is the present one."""
        self._session.commit_requested.emit()
        self._session.undo_stack.go_to(row)
        self._follow(frozenset())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.model.follow_colors()

    def _follow(self, _change: Change) -> None:
        if self.model.follow():
            self._show_present()

    def _show_present(self) -> None:
        self._help.setText(LESSON_HELP if self._session.is_aside else HELP)
        index = self.model.index(self.model.present)
        self.list.setCurrentIndex(index)
        self.list.scrollTo(index)


def open_history(window: QWidget, session: Session) -> None:
    """Open the list beside the window's work, or bring the one that is open to the front."""
    history = window.findChild(EditHistory) or EditHistory(window, session)
    history.show()
    history.raise_()
    history.activateWindow()
    history.list.setFocus()
