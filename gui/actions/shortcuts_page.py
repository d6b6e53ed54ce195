"""Help > Shortcuts: every key of the program, as the registry has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from gui.widgets.action_set import Action, keys_text
from gui.widgets.layouts import add_widgets

WIDTH, HEIGHT = 520, 560
KEYS_WIDTH = 130


def shortcuts_html(actions: Mapping[str, Sequence[Action[Any]]]) -> str:
    """A table for each heading: keys, and what they do; actions without keys are left out."""
    parts = []
    for heading, entries in actions.items():
        rows = [
            f"<tr><td width='{KEYS_WIDTH}'><b>{escape(keys)}</b>&nbsp;&nbsp;</td><td>{escape(entry.tip)}</td></tr>"
            for entry in entries
            if (keys := keys_text(entry))
        ]
        parts.append(f"<h3>{escape(heading)}</h3><table cellpadding='3'>{''.join(rows)}</table>")
    return "".join(parts)


class ShortcutsPage(QDialog):
    """Dialog with all keys; it deletes itself when it is closed."""

    def __init__(self, parent: QWidget, actions: Mapping[str, Sequence[Action[Any]]]) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Shortcuts")
        self.page = QTextBrowser()
        self.page.setAccessibleName("keys and what they do")
        self.page.setHtml(shortcuts_html(actions))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setIcon(QIcon())  # no other button has one
        buttons.rejected.connect(self.reject)
        add_widgets(QVBoxLayout(self), self.page, buttons)
        self.resize(WIDTH, HEIGHT)
