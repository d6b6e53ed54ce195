"""Buttons with words on them, each made in one call."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QAbstractButton, QPushButton, QToolButton

from gui.widgets.labels import literal_tip

Button = TypeVar("Button", bound=QAbstractButton)
SIGNS = re.compile(r"\s*[▶◀❚✓|▾▸◂■]+\s*")
"""Signs in texts of buttons that a screen reader would spell, such as "black right-pointing triangle"."""


def spoken(text: str) -> str:
    """Return the text of a button as a screen reader should say it: without signs."""
    return SIGNS.sub(" ", text).replace("&&", "&").strip()


def set_words(button: QAbstractButton, text: str) -> None:
    """Set the text of a button, and name it without the signs in it."""
    button.setText(text)
    button.setAccessibleName(spoken(text))


def tool_button(
    text: str,
    tip: str,
    do: Callable[[], object] | None = None,
    name: str = "",
    padding: str = "",
    checkable: bool = False,
) -> QToolButton:
    """A small button.

    Args:
        text: on it.
        tip: its effect, a sentence without full stop.
        do: called with a click.
        name: what screen readers call it; "": its text, without signs (`set_words` where it changes).
        padding: around the text, as in a style sheet, such as "1px 6px"; "": the default of buttons.
        checkable: it is a toggle.
    """
    button = _with_words(QToolButton(), text, tip, do, name)
    button.setCheckable(checkable)
    if padding:
        button.setStyleSheet(f"padding: {padding};")
    return button


def push_button(text: str, tip: str = "", do: Callable[[], object] | None = None, name: str = "") -> QPushButton:
    """A button of a form; see `tool_button`."""
    return _with_words(QPushButton(), text, tip, do, name)


def menu_button(text: str, tip: str, name: str = "", padding: str = "") -> QToolButton:
    """A small button that opens the menu that it is given; see `tool_button`."""
    button = tool_button(text, tip, None, name, padding)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    return button


def _with_words(button: Button, text: str, tip: str, do: Callable[[], object] | None, name: str) -> Button:
    button.setText(text)
    button.setToolTip(literal_tip(tip))
    button.setAccessibleName(name or (spoken(text) if SIGNS.search(text) else ""))
    if do is not None:
        button.clicked.connect(lambda: do())
    return button
