"""Which panels there are, where they stand first, and how they make room on a small screen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QMainWindow

from gui.panels.frame import PanelDock
from gui.panels.panel import Panel
from gui.session import Session
from gui.theme import text_pixels

TITLE_BAR = 30
"""Pixels that a window manager's title bar may take."""

NARROW = 1200
"""Windows of less than this many pixels across get narrower columns and a shorter read-out."""


LEFT, RIGHT, BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)


@dataclass(frozen=True)
class PanelEntry:
    """One panel of the window.

    Attributes:
        name: its class.
        title: of its dock, and in the View menu.
        module: where the class stands; loaded when the panel is first seen.
        side: where its dock stands first, below those before it.
        behind: name of the panel behind which it is a tab first; "" for none.
        at_once: whether it is there when the window opens: plots follow when their library is loaded, and what is
            behind a tab when it is seen.
        plot: what its attribute `plot` is called in the Export menu; "" for a panel without one.
    """

    name: str
    title: str
    module: str
    side: Qt.DockWidgetArea
    behind: str = ""
    at_once: bool = False
    plot: str = ""


PANELS = {
    entry.name: entry
    for entry in (
        PanelEntry("ExpressionPanel", "Expression", "gui.panels.expression", LEFT, at_once=True),
        PanelEntry("NetworkPanel", "Network", "gui.panels.network", LEFT, at_once=True),
        PanelEntry("DataPanel", "Data", "gui.panels.data", LEFT, behind="NetworkPanel"),
        PanelEntry("BoundaryPanel", "Boundary", "gui.panels.boundary", RIGHT, plot="Decision boundary"),
        PanelEntry("TrainingPanel", "Loss", "gui.panels.training", RIGHT, plot="Loss plot"),
        PanelEntry("PredictionsPanel", "Predictions", "gui.panels.predictions", RIGHT, behind="TrainingPanel"),
        PanelEntry("ExplainPanel", "Why?", "gui.panels.explain", BOTTOM, at_once=True),
        PanelEntry("ChecksPanel", "Checks", "gui.panels.checks", BOTTOM, behind="ExplainPanel"),
    )
}
"""All panels in their first order, by name; dock, View menu, arrangement, themes, Export menu and tests read it."""


def _make_panel(entry: PanelEntry, session: Session) -> Panel:
    panel: Panel = getattr(import_module(entry.module), entry.name)(session)
    return panel


def make_docks(window: QMainWindow, session: Session) -> dict[str, PanelDock]:
    """The docks of all panels by class name, in the window; most panels are made when they are first seen."""
    docks = {}
    for entry in PANELS.values():
        docks[entry.name] = dock = PanelDock(entry.title, partial(_make_panel, entry, session), window)
        window.addDockWidget(entry.side, dock)
        if entry.at_once:
            assert dock.panel
    return docks


def arrange(window: QMainWindow, docks: Mapping[str, PanelDock]) -> None:
    """Puts every panel in its first place, the canvas the largest thing."""
    for dock in docks.values():
        dock.setFloating(False)
        dock.show()
    for entry in PANELS.values():
        if entry.behind:
            window.tabifyDockWidget(docks[entry.behind], docks[entry.name])
            docks[entry.behind].raise_()
    wide = window.width() >= NARROW
    columns = [docks["ExpressionPanel"], docks["BoundaryPanel"]]
    widths = [320, 330] if wide else [272, 240]
    window.resizeDocks(columns, [min(text_pixels(w), window.width() // 3) for w in widths], Qt.Orientation.Horizontal)
    window.resizeDocks([docks["ExpressionPanel"], docks["NetworkPanel"]], [360, 440], Qt.Orientation.Vertical)
    window.resizeDocks([columns[1], docks["TrainingPanel"]], [420, 300], Qt.Orientation.Vertical)
    window.resizeDocks([docks["ExplainPanel"]], [text_pixels(210 if wide else 140)], Qt.Orientation.Vertical)
    fit_screen(window, docks)


def fit_screen(window: QMainWindow, docks: Mapping[str, PanelDock]) -> None:
    """On a screen too small for the columns, puts the right one and then the bottom one behind the left as tabs."""
    place = window.screen().availableGeometry()
    room = place.size() - QSize(0, TITLE_BAR)
    front, layout = docks["ExpressionPanel"], window.layout()
    assert layout is not None
    for column in (RIGHT, BOTTOM, LEFT):
        least = window.minimumSizeHint()
        if least.width() <= room.width() and least.height() <= room.height():
            break
        for dock in docks.values():
            if dock is not front and not dock.isFloating() and window.dockWidgetArea(dock) == column:
                window.tabifyDockWidget(front, dock)
        front.raise_()
        layout.activate()  # it still holds the window to the least size of before
    if window.size() != window.size().boundedTo(room):
        window.resize(window.size().boundedTo(room))
        window.move(place.topLeft())
