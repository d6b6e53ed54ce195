"""Which panels there are, where they stand first, and how they make room on a small screen."""

from __future__ import annotations

from collections.abc import Mapping
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

PANELS = {
    "ExpressionPanel": ("Expression", "gui.panels.expression", LEFT),
    "NetworkPanel": ("Network", "gui.panels.network", LEFT),
    "DataPanel": ("Data", "gui.panels.data", LEFT),
    "BoundaryPanel": ("Boundary", "gui.panels.boundary", RIGHT),
    "TrainingPanel": ("Loss", "gui.panels.training", RIGHT),
    "PredictionsPanel": ("Predictions", "gui.panels.predictions", RIGHT),
    "ExplainPanel": ("Why?", "gui.panels.explain", BOTTOM),
    "ChecksPanel": ("Checks", "gui.panels.checks", BOTTOM),
}
"""The docks in their first order: class of the panel, title, module (loaded when it is first seen), side."""

AT_ONCE = ("ExpressionPanel", "NetworkPanel", "ExplainPanel")
"""What the window opens with; plots follow when their library is loaded, and what is behind a tab when it is seen."""


def _make_panel(module: str, name: str, session: Session) -> Panel:
    panel: Panel = getattr(import_module(module), name)(session)
    return panel


def make_docks(window: QMainWindow, session: Session) -> dict[str, PanelDock]:
    """The docks of all panels by class name, in the window; most panels are made when they are first seen."""
    docks = {}
    for name, (title, module, area) in PANELS.items():
        docks[name] = dock = PanelDock(title, partial(_make_panel, module, name, session), window)
        window.addDockWidget(area, dock)
        if name in AT_ONCE:
            assert dock.panel
    return docks


def arrange(window: QMainWindow, docks: Mapping[str, PanelDock]) -> None:
    """Puts every panel in its first place, the canvas the largest thing."""
    for dock in docks.values():
        dock.setFloating(False)
        dock.show()
    network, data = docks["NetworkPanel"], docks["DataPanel"]
    window.tabifyDockWidget(network, data)
    network.raise_()
    for front, behind in (("ExplainPanel", "ChecksPanel"), ("TrainingPanel", "PredictionsPanel")):
        window.tabifyDockWidget(docks[front], docks[behind])
        docks[front].raise_()
    wide = window.width() >= NARROW
    columns = [docks["ExpressionPanel"], docks["BoundaryPanel"]]
    widths = [320, 330] if wide else [272, 240]
    window.resizeDocks(columns, [min(text_pixels(w), window.width() // 3) for w in widths], Qt.Orientation.Horizontal)
    window.resizeDocks([docks["ExpressionPanel"], network], [360, 440], Qt.Orientation.Vertical)
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
