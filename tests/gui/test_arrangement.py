"""What every panel of the registry has, from the moment that its entry exists."""

import pytest
from PySide6.QtWidgets import QMenu

from gui import arrangement
from gui.arrangement import PANELS
from gui.main_window import MainWindow
from gui.panels.panel import Panel
from gui.session import Session
from gui.theme import THEMES


@pytest.fixture
def window(qtbot):
    window = MainWindow(Session(), theme="light")
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.session.discard_changes()
    window.close()


def test_every_panel_has_a_dock_an_entry_of_the_view_menu_and_both_themes(window):
    menu = next(menu for menu in window.findChildren(QMenu) if menu.title() == "&Panels")
    titles = [action.text() for action in menu.actions()]
    assert titles == [entry.title for entry in PANELS.values()]
    for name, entry in PANELS.items():
        panel = window.docks[name].panel
        assert isinstance(panel, Panel) and type(panel).__name__ == name
        assert window.docks[name].windowTitle() == entry.title
        assert not entry.plot or not panel.plot.grab().isNull()
        for theme, colors in THEMES.items():
            window.apply_theme(theme)
            assert panel.colors == colors


def test_every_panel_can_be_brought_to_the_front_on_this_small_screen(window, qtbot):
    for dock in window.docks.values():
        dock.raise_()
        qtbot.waitUntil(lambda dock=dock: not dock.panel.visibleRegion().isEmpty())


def test_on_a_large_screen_every_panel_stands_at_its_side_or_behind_the_tab_it_names(window, monkeypatch):
    monkeypatch.setattr(arrangement, "fit_screen", lambda _window, _docks: None)
    for name, entry in PANELS.items():  # a smaller screen has put them elsewhere
        window.addDockWidget(entry.side, window.docks[name])
    window.arrange()
    for name, entry in PANELS.items():
        dock = window.docks[name]
        assert window.dockWidgetArea(dock) == entry.side and not dock.isFloating()
        assert (window.docks.get(entry.behind) in window.tabifiedDockWidgets(dock)) == bool(entry.behind)


def test_panels_that_name_another_one_stand_where_it_stands():
    for entry in PANELS.values():
        assert not entry.behind or PANELS[entry.behind].side == entry.side


def test_a_closed_panel_comes_back_by_the_view_menu_and_by_the_default_arrangement(window):
    dock = window.docks["ExplainPanel"]
    dock.close()
    assert dock.isHidden()
    dock.toggleViewAction().trigger()
    assert not dock.isHidden()
    dock.setFloating(True)
    window.action("arrange").trigger()
    assert not dock.isFloating()


def test_a_panel_called_by_the_view_menu_stands_before_those_it_shares_a_place_with(window, qtbot):
    dock, before = window.docks["ExplainPanel"], window.docks["ChecksPanel"]
    dock.close()
    qtbot.waitUntil(lambda: bool(before.visibleRegion()))
    dock.toggleViewAction().trigger()
    qtbot.waitUntil(lambda: bool(dock.visibleRegion()) and not before.visibleRegion())
