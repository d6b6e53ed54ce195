"""The context menus of the canvas: what can be done with a value, and with the graph as a whole.

A menu is shown with `popup`, never waited for, and deletes itself when it closes.
"""

from __future__ import annotations

from functools import partial
from typing import Protocol

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from gui.canvas import GraphCanvas
from gui.panels.find_bar import FindBar
from gui.panels.graph_header import GraphHeader
from gui.session import Session
from gui.theme import Colors


class MenuOwner(Protocol):
    """What the menus need of the panel that they belong to."""

    session: Session
    canvas: GraphCanvas
    find_bar: FindBar
    header: GraphHeader
    colors: Colors

    def window(self) -> QWidget:
        """What dialogs stand before."""

    def explain(self, key: str) -> None:
        """Shows the explanation of a value."""


def node_menu(panel: MenuOwner, key: str) -> QMenu:
    """The menu of a value or a group.

    Args:
        key: of a box that is drawn.
    """
    menu, session = _menu(panel, "node menu"), panel.session
    label = panel.canvas.picture.boxes[key].label or "value"
    menu.addAction(f"Explain {label}", partial(panel.explain, key))
    for name, title in (("data", "Copy data"), ("grad", "Copy gradient")):
        text = digits(session.graph.readings[key].full, name) if key in session.graph.readings else ""
        menu.addAction(title, partial(_copy, panel, text)).setEnabled(bool(text))
    menu.addSeparator()
    for choice in session.graph.group_choices(key):
        menu.addAction(choice.text, partial(session.graph.choose, choice))
    menu.addSeparator()
    menu.addAction("Fit selection", partial(_fit_on, panel, key))
    _add_switches(panel, menu)
    return menu


def background_menu(panel: MenuOwner) -> QMenu:
    """The menu of the graph as a whole."""
    menu = _menu(panel, "background menu")
    menu.addAction("Fit", panel.canvas.fit)
    menu.addAction("Find…", panel.find_bar.start)
    menu.addSeparator()
    _add_switches(panel, menu)
    reset = menu.addAction("Reset positions", panel.header.reset_positions)
    reset.setEnabled(bool(panel.session.document.view.moved_here))
    menu.addSeparator()
    menu.addMenu(export_menu(panel, menu))
    return menu


def export_menu(panel: MenuOwner, parent: QMenu) -> QMenu:
    """Everything the graph can be exported as; loaded when somebody asks."""
    from gui.export.exporter import ENTRIES, exporter_of

    menu = QMenu("Export", parent)
    menu.setEnabled(bool(panel.canvas.picture.boxes))
    for title, export in ENTRIES:
        menu.addAction(title, partial(export, exporter_of(panel)))
    return menu


def _menu(panel: MenuOwner, name: str) -> QMenu:
    menu = QMenu(panel.canvas)
    menu.setObjectName(name)
    menu.aboutToHide.connect(menu.deleteLater)  # deferred: what was chosen is still told
    return menu


def _add_switches(panel: MenuOwner, menu: QMenu) -> None:
    view = panel.session.document.view
    hide = menu.addAction("Hide constants")
    hide.setCheckable(True)
    hide.setChecked(view.hide_constants)
    hide.triggered.connect(lambda checked: panel.session.set_view(hide_constants=checked))
    menu.addAction(panel.header.flow)


def _fit_on(panel: MenuOwner, key: str) -> None:
    panel.session.select(key)
    panel.canvas.fit_selection()


def _copy(panel: MenuOwner, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    panel.session.message_posted.emit(f"copied {text}", "note")


def digits(full: str, name: str) -> str:
    """The number that stands after a name in the full text of a reading; "" where none is computed."""
    for line in full.splitlines():
        word, _space, number = line.partition(" ")
        if word in (name, "constant" if name == "data" else name):
            return number if _is_number(number) else ""
    return ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
