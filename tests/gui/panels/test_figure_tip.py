"""Tooltips of figures cover no part of the panel under the pointer where the screen has room beside it."""

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from gui.arrangement import PANELS
from gui.panels.figure_tip import VALUE, tip_place

SCREEN = QRect(0, 0, 1440, 900)


@pytest.mark.parametrize(
    "panel",
    [(980, 90, 460, 440), (0, 90, 380, 380), (380, 560, 600, 260), (0, 0, 300, 900), (1000, 0, 440, 900)],
)
def test_a_tip_stands_beside_the_panel_and_on_the_screen(panel):
    size, panel = QSize(530, 96), QRect(*panel)
    place = QRect(tip_place(size, panel, SCREEN), size)
    assert SCREEN.contains(place) and not place.intersects(panel)


@pytest.mark.parametrize("panel", [(0, 30, 1440, 840), (10, 10, 1400, 600), (10, 300, 1400, 600)])
def test_a_tip_for_a_panel_that_fills_the_screen_stays_on_the_screen(panel):
    size = QSize(530, 96)
    assert SCREEN.contains(QRect(tip_place(size, QRect(*panel), SCREEN), size))


def test_the_tip_of_every_figure_stands_beside_its_panel(reused_window, qtbot):
    window = reused_window
    window.resize(560, 420)
    seen = 0
    for panel in (dock.panel for name, dock in window.docks.items() if PANELS[name].plot and name != "OutputPanel"):
        figure = panel.plot
        if figure.toolTip():  # some teach by themselves
            seen += 1
            place = figure.rect().center()
            QApplication.sendEvent(figure, QHelpEvent(QHelpEvent.Type.ToolTip, place, figure.mapToGlobal(place)))
            tips = [tip for tip in QApplication.topLevelWidgets() if tip.metaObject().className() == "QTipLabel"]
            around = QRect(panel.mapToGlobal(QPoint()), panel.size())
            for tip in tips:
                expected = tip_place(tip.size(), around, window.screen().availableGeometry())
                assert not tip.isVisible() or tip.pos() == expected
            assert QToolTip.isVisible()
            QToolTip.hideText()
    assert seen > 5


def test_a_value_for_which_a_panel_has_no_room_is_what_the_tooltip_says(reused_window, qtbot):
    panel = reused_window.docks["BoundaryPanel"].panel
    figure = panel.plot
    at = figure.mapToGlobal(figure.rect().center())
    figure.setProperty(VALUE, "x1 0.5: output 0.25")
    QApplication.sendEvent(figure, QHelpEvent(QHelpEvent.Type.ToolTip, figure.rect().center(), at))
    assert QToolTip.text() == "x1 0.5: output 0.25"
    figure.setProperty(VALUE, "")
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
