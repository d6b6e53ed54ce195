"""The context menus of the canvas: what can be done with a value, and with the graph as a whole.

A menu is shown with `popup`, never waited for, and deletes itself when it closes.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from gui.actions.action_set import ActionSet, fill_menu
from gui.session import Session


def context_menu(session: Session, key: str | None, sets: Sequence[ActionSet], parent: QWidget) -> QMenu:
    """The menu of the value or group of that key, which is selected; of the background for None.

    Args:
        session: says what can be opened and closed at the value.
        key: of a box that is drawn.
        sets: all actions.
        parent: of the menu.
    """
    menu = QMenu(parent)
    menu.setObjectName("background menu" if key is None else "node menu")
    menu.aboutToHide.connect(menu.deleteLater)  # deferred: the chosen action is still triggered
    for actions in sets:
        actions.refresh()
    if key is None:
        return fill_menu(menu, "background", sets)
    return fill_menu(menu, "node", sets, {("node", 30): _group_actions(session, key, menu)})


def _group_actions(session: Session, key: str, parent: QMenu) -> list[QAction]:
    """Return the actions that expand or collapse the groups at a value."""
    found = []
    for choice in session.presenter.groups.choices(key):
        action = QAction(choice.text, parent)
        action.triggered.connect(lambda _checked, choice=choice: session.presenter.groups.choose(choice))
        found.append(action)
    return found
