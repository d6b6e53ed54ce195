"""Edit > Settings: every entry of the table with its control; changes apply at once, and a search hides the rest."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QIcon, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QMessageBox,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from engine.messages import visible
from gui.file_dialogs import FileDialog
from gui.settings import GROUPS, SETTINGS, Choice, Folders, Setting, Settings, WholeNumber
from gui.theme import text_pixels
from gui.widgets.buttons import push_button, tool_button
from gui.widgets.labels import muted_label, plain_tip
from gui.widgets.layouts import add_widgets

WIDTH, HEIGHT = 640, 640
SCREEN_SHARE = 0.92
"""Largest share of the screen's height for the dialog."""
CONTROL_WIDTH = 190
TEXTS = {
    "title": "Settings",
    "search": "Search settings",
    "nothing": "No settings found",
    "reset": "Reset",
    "reset tip": "Back to the default: {default}",
    "is default": "This is the default",
    "reset all": "Reset all…",
    "reset all tip": "Reset every setting to its default",
    "question": "Reset {settings} to the defaults?",
    "add": "Add…",
    "remove": "Remove",
    "choose": "Choose a folder of lessons",
    "none": "none",
    "off": "off",
    "on": "on",
}


class FolderList(QWidget):
    """List of folders with buttons to add and remove one.

    Signals:
        changed(object): the tuple of folders, after the user has changed it.
    """

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.list = QListWidget()
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFixedHeight(text_pixels(70))
        self.add = push_button(TEXTS["add"], "Choose a folder with lessons", self._choose)
        self.remove = push_button(TEXTS["remove"], "Remove the selected folder from the list", self._remove)
        self.list.currentRowChanged.connect(lambda row: self.remove.setEnabled(row >= 0))
        buttons = add_widgets(QVBoxLayout(), self.add, self.remove, margins=(0, 0, 0, 0), spacing=4)
        buttons.addStretch(1)
        add_widgets(QHBoxLayout(self), self.list, 1, buttons, margins=(0, 0, 0, 0), spacing=6)
        self.setFocusProxy(self.list)
        self._folders: tuple[Path, ...] = ()

    def show_folders(self, folders: tuple[Path, ...]) -> None:
        self._folders = folders
        self.list.clear()
        for folder in folders:
            self.list.addItem(visible(str(folder)))
            self.list.item(self.list.count() - 1).setToolTip(plain_tip(visible(str(folder))))
        self.remove.setEnabled(self.list.currentRow() >= 0)

    def _choose(self) -> None:
        dialog = FileDialog(self.window(), TEXTS["choose"], "")
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(lambda name: self.changed.emit((*self._folders, Path(name).absolute())))
        dialog.open()

    def _remove(self) -> None:
        row = self.list.currentRow()
        self.changed.emit((*self._folders[:row], *self._folders[row + 1 :]))


def _control(setting: Setting, take: Callable[[Any], None]) -> tuple[QWidget, Callable[[Any], None]]:
    """Return a control for a setting, and the function that shows a value in it; `take` gets what the user chooses."""
    if isinstance(setting, Choice):
        box, values = QComboBox(), list(setting.choices)
        box.addItems(list(setting.choices.values()))
        box.activated.connect(lambda row: take(values[row]))
        return box, lambda value: box.setCurrentIndex(values.index(value))
    if isinstance(setting, WholeNumber):
        field = QSpinBox()
        field.setKeyboardTracking(False)
        field.setGroupSeparatorShown(True)
        field.setRange(setting.low, setting.high)
        field.setSingleStep(setting.step)
        field.setSuffix(f" {setting.unit}" if setting.unit else "")
        field.valueChanged.connect(take)
        return field, field.setValue
    if isinstance(setting, Folders):
        folders = FolderList()
        folders.changed.connect(lambda chosen: take(tuple(dict.fromkeys(chosen))))
        return folders, folders.show_folders
    switch = QCheckBox()
    switch.clicked.connect(take)
    return switch, switch.setChecked


def value_text(setting: Setting, value: Any) -> str:
    """Return a value as text for a tooltip."""
    if isinstance(setting, Choice):
        return setting.choices[value]
    if isinstance(setting, WholeNumber):
        return f"{value:,} {setting.unit}".rstrip()
    if isinstance(setting, Folders):
        return ", ".join(visible(str(folder)) for folder in value) or TEXTS["none"]
    return TEXTS["on" if value else "off"]


class SettingRow(QWidget):
    """Title, control and reset button of a setting, and its explanation below them.

    Attributes:
        setting: the entry of the table.
        control: combo box, check box, number or list.
        reset: back to the default; disabled while the setting has it.
    """

    def __init__(self, setting: Setting, settings: Settings) -> None:
        super().__init__()
        self.setting, self._settings = setting, settings
        self.control, self._show = _control(setting, lambda value: settings.set(setting.name, value))
        self.control.setAccessibleName(setting.title)
        self.control.setAccessibleDescription(setting.explanation)
        if isinstance(self.control, FolderList):  # its list has the keyboard
            self.control.list.setAccessibleName(setting.title)
            self.control.list.setAccessibleDescription(setting.explanation)
        self.control.setObjectName(f"setting {setting.name}")
        title = QLabel(setting.title)
        title.setProperty("title", True)
        title.setBuddy(self.control)
        explanation = muted_label(setting.explanation)
        explanation.setWordWrap(True)
        self.reset = tool_button(TEXTS["reset"], "", lambda: settings.reset(setting.name), f"reset {setting.title}")
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 6, 0, 6)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(0, 1)
        grid.addWidget(title, 0, 0)
        wide = isinstance(setting, Folders)
        if wide:
            grid.addWidget(explanation, 1, 0, 1, 3)
            grid.addWidget(self.control, 2, 0, 1, 3)
        else:
            grid.addWidget(self.control, 0, 1, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(explanation, 1, 0, 1, 3)
        grid.addWidget(self.reset, 0, 2)
        self.show_value()

    def show_value(self) -> None:
        """Show the present value."""
        setting, is_default = self.setting, self._settings.is_default(self.setting.name)
        self.control.blockSignals(True)
        self._show(self._settings[setting.name])
        self.control.blockSignals(False)
        if is_default and self.reset.hasFocus():
            self.control.setFocus()
        self.reset.setEnabled(not is_default)
        tip = TEXTS["is default"] if is_default else TEXTS["reset tip"]
        self.reset.setToolTip(tip.format(default=value_text(setting, setting.default)))


class SettingsDialog(QDialog):
    """All settings by groups, beside the window, which shows each change at once; deleted when it is closed.

    Attributes:
        search: only settings that have its words are shown.
        rows: by name of the setting.
        nothing: shown when no setting has the words.
    """

    def __init__(self, parent: QWidget, settings: Settings) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(TEXTS["title"])
        self._settings = settings
        self.search = QLineEdit(placeholderText=TEXTS["search"], clearButtonEnabled=True)
        self.search.setAccessibleName(TEXTS["search"])
        self.search.textChanged.connect(self._filter)
        self.search.returnPressed.connect(self._enter_first)
        self.rows = {name: SettingRow(setting, settings) for name, setting in SETTINGS.items()}
        self.nothing = muted_label(TEXTS["nothing"])
        self.nothing.hide()
        page = QWidget()
        page.setObjectName("startPage")  # the window's ground
        column = add_widgets(QVBoxLayout(page), self.nothing, margins=(2, 2, 10, 2), spacing=4)
        self._cards: list[tuple[QFrame, list[SettingRow]]] = []
        for group in GROUPS:
            card, rows = QFrame(), [row for row in self.rows.values() if row.setting.group == group]
            card.setObjectName("card")
            heading = QLabel(group)
            heading.setObjectName("doorTitle")
            add_widgets(QVBoxLayout(card), heading, *rows, margins=(14, 10, 14, 8), spacing=2)
            column.addWidget(card)
            self._cards.append((card, rows))
        column.addStretch(1)
        self.area = QScrollArea(widgetResizable=True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(page)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for row in self.rows.values():
            for control in (row.control, *row.control.findChildren(QWidget)):
                control.installEventFilter(self)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        close.setIcon(QIcon())  # no other button has one
        self.reset_all = push_button(TEXTS["reset all"], TEXTS["reset all tip"], self._ask_reset_all)
        buttons.addButton(self.reset_all, QDialogButtonBox.ButtonRole.ResetRole)
        for button in (close, self.reset_all):
            button.setAutoDefault(False)  # Return in the search field is no click on a button
        buttons.rejected.connect(self.reject)
        add_widgets(QVBoxLayout(self), self.search, self.area, 1, buttons, margins=(12, 12, 12, 12), spacing=10)
        settings.changed.connect(self._follow)
        self._follow()
        room = parent.screen().availableGeometry()
        self.resize(min(text_pixels(WIDTH), room.width()), min(text_pixels(HEIGHT), int(room.height() * SCREEN_SHARE)))
        self.search.setFocus()

    @classmethod
    def show_in(cls, window: QWidget, settings: Settings, name: str = "") -> SettingsDialog:
        """Show the window's dialog, at a setting where one is named."""
        found = window.findChild(cls)
        dialog = found if isinstance(found, cls) else cls(window, settings)
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()
        if name:
            dialog.show_setting(name)
        return dialog

    def show_setting(self, name: str) -> None:
        """Bring a setting into view, and give its control the keyboard."""
        self.search.clear()
        self.rows[name].control.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.area.ensureWidgetVisible(self.rows[name])

    def _filter(self, words: str) -> None:
        found = False
        for card, rows in self._cards:
            for row in rows:
                row.setVisible(row.setting.matches(words))
            shown = any(not row.isHidden() for row in rows)
            card.setVisible(shown)
            found |= shown
        self.nothing.setVisible(not found)

    def _enter_first(self) -> None:
        row = next((row for row in self.rows.values() if row.isVisible()), None)
        if row is not None:
            row.control.setFocus(Qt.FocusReason.TabFocusReason)

    def _follow(self, name: str = "") -> None:
        for row in [self.rows[name]] if name else self.rows.values():
            row.show_value()
        self.reset_all.setEnabled(not all(map(self._settings.is_default, SETTINGS)))

    def _ask_reset_all(self) -> None:
        changed = [setting.title for name, setting in SETTINGS.items() if not self._settings.is_default(name)]
        question = TEXTS["question"].format(settings=", ".join(changed))
        buttons = QMessageBox.StandardButton
        box = QMessageBox(QMessageBox.Icon.Question, TEXTS["title"], question, buttons.Reset | buttons.Cancel, self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setDefaultButton(buttons.Cancel)
        box.button(buttons.Reset).clicked.connect(lambda: list(map(self._settings.reset, SETTINGS)))
        box.open()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Scroll with the wheel over a control, which would change its value unseen; follow the keyboard."""
        if event.type() == QEvent.Type.Wheel and not isinstance(watched, QListWidget):
            QGuiApplication.sendEvent(self.area.viewport(), event)
            return True
        if event.type() == QEvent.Type.FocusIn and isinstance(watched, QWidget):
            self.area.ensureWidgetVisible(watched, 0, text_pixels(30))
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return  # Return ends the entry of a number; the dialog stays open
        if event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
            return
        super().keyPressEvent(event)
