"""Workspaces: one button and one key each, and each keeps its own arrangement."""

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QSettings, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFrame, QTabBar, QToolButton

from gui.arrangement import WORKSPACES
from gui.scheduling import idle_tasks


@pytest.fixture
def settings(tmp_path):
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def open_window(make_window, settings):
    """Opens a window with these settings, as a start of the program does."""
    return lambda: make_window(settings=settings)


def close(window):
    window.session.discard_changes()
    window.close()


def bars(window):
    """The titles on each bar of tabs that is seen."""
    found = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return [[bar.tabText(n) for n in range(bar.count())] for bar in found if bar.isVisible()]


def test_each_has_a_button_at_the_left_of_the_bar_and_a_key_and_the_present_one_is_marked(open_window):
    window = open_window()
    buttons = window.findChild(QFrame, "segments").findChildren(QToolButton)
    listed = [name for name, about in WORKSPACES.items() if about.is_listed]
    assert [button.text() for button in buttons] == [WORKSPACES[name].title for name in listed]
    for name, button in zip(listed, buttons, strict=True):
        button.click()
        assert window.workspace == name
        assert [other.isChecked() for other in buttons] == [other is button for other in buttons]
        assert button.defaultAction().shortcut().toString() == WORKSPACES[name].keys
    close(window)


def test_each_is_found_again_as_it_was_left_in_the_window_and_at_the_next_start(open_window):
    window = open_window()
    window.show_workspace("understand")
    window.docks["ExplainPanel"].hide()
    window.show_workspace("train")
    window.docks["PredictionsPanel"].hide()
    assert not window.docks["BoundaryPanel"].isHidden()
    window.show_workspace("understand")
    assert window.docks["ExplainPanel"].isHidden() and window.docks["BoundaryPanel"].isHidden()
    close(window)
    again = open_window()
    assert again.workspace == "understand" and again.docks["ExplainPanel"].isHidden()
    again.show_workspace("train")
    assert again.docks["PredictionsPanel"].isHidden() and not again.docks["BoundaryPanel"].isHidden()
    again.arrange()
    assert not again.docks["PredictionsPanel"].isHidden()
    again.show_workspace("understand")
    assert again.docks["ExplainPanel"].isHidden()  # only the one that was shown was put back
    close(again)


def test_an_arrangement_from_before_there_were_workspaces_is_that_of_both(open_window, settings):
    window = open_window()
    window.docks["ExplainPanel"].hide()
    settings.setValue("state", window.saveState())
    close(window)
    for name in WORKSPACES:
        settings.remove(f"workspaces/{name}")
    settings.remove("workspace")
    again = open_window()
    assert again.workspace == "both" and again.docks["ExplainPanel"].isHidden()
    close(again)


def test_a_panel_that_is_new_since_the_last_time_stands_where_it_stands_first(open_window, settings):
    window = open_window()
    window.removeDockWidget(window.docks["ChecksPanel"])
    close(window)
    settings.setValue("panels", " ".join(name for name in str(settings.value("panels")).split() if name[0] != "C"))
    again = open_window()
    assert not again.docks["ChecksPanel"].isHidden()
    assert again.docks["ExplainPanel"] in again.tabifiedDockWidgets(again.docks["ChecksPanel"])
    close(again)


def test_no_bar_of_tabs_is_left_of_another_workspace(open_window, qtbot):
    window = open_window()
    window.resize(1600, 1000)
    for name in (*WORKSPACES, *WORKSPACES):
        window.show_workspace(name)
        window.arrange()
        shown = {dock.windowTitle() for dock in window.docks.values() if not dock.isHidden()}
        for titles in bars(window):
            assert len(titles) > 1 and set(titles) <= shown
        titles = [title for bar in bars(window) for title in bar]
        assert len(titles) == len(set(titles))
    close(window)


def test_a_phase_of_training_is_shown_in_a_workspace_with_the_graph(open_window):
    window = open_window()
    window.show_workspace("train")
    assert not window.graph_panel.isVisible()
    window.action("phase").trigger()
    assert window.graph_panel.isVisible() and window.session.presenter.shows_network
    close(window)


@pytest.mark.parametrize("name", [name for name, about in WORKSPACES.items() if about.has_graph])
def test_the_graph_has_its_height_again_after_a_workspace_without_it(open_window, qtbot, name):
    """Of the 370 pixels of its canvas there were 48 left."""
    window = open_window()
    window.resize(1440, 870)
    window.show_workspace(name)
    qtbot.waitUntil(lambda: window.graph_panel.canvas.isVisible())
    QApplication.processEvents()
    before = window.graph_panel.canvas.height()
    window.show_workspace("train")
    qtbot.waitUntil(lambda: not idle_tasks().busy)
    sizes = []
    window.graph_panel.canvas.resized.connect(lambda: sizes.append(window.graph_panel.canvas.size()))
    window.show_workspace(name)
    assert window.graph_panel.canvas.height() == before > 200 and window.size() == QSize(1440, 870)
    assert sizes in ([], [window.graph_panel.canvas.size()])
    close(window)


def test_columns_that_were_left_as_one_stack_of_tabs_stand_beside_one_another_again(open_window):
    window = open_window()
    window.show_workspace("train")
    front, *others = [dock for dock in window.docks.values() if not dock.isHidden()]
    for dock in others:
        window.tabifyDockWidget(front, dock)
    window.show_workspace("understand")
    window.show_workspace("train")
    data, boundary = window.docks["DataPanel"], window.docks["BoundaryPanel"]
    assert boundary not in window.tabifiedDockWidgets(data)
    for dock in others:
        window.tabifyDockWidget(front, dock)
    close(window)
    again = open_window()
    assert again.workspace == "train"
    assert again.docks["BoundaryPanel"] not in again.tabifiedDockWidgets(again.docks["DataPanel"])
    close(again)


def on_separators(window):
    """A place on each separator that the pointer finds, along some lines across the window."""
    found = []
    for step in range(4):
        x, y = window.width() * (2 * step + 1) // 8, window.height() * (2 * step + 1) // 8
        line = [QPoint(x, each) for each in range(60, window.height(), 2)]
        line += [QPoint(each, y) for each in range(2, window.width(), 2)]
        places = [place for place in line if window.childAt(place) is None]
        found += [place for before, place in pairwise([QPoint(), *places]) if (place - before).manhattanLength() > 2]
    return found


@pytest.mark.long
def test_the_pointer_may_be_on_a_separator_while_panels_are_arranged_anew(open_window):
    window = open_window()
    changes = [
        lambda: window.show_workspace("understand"),
        lambda: window.show_workspace("welcome"),
        window.arrange,
        lambda: window.workspaces.maximise(window.docks["BoundaryPanel"]),
    ]
    for change in changes:
        window.show_workspace("train")
        QApplication.processEvents()
        places = on_separators(window)
        assert len(places) > 5
        for place in places:
            QTest.mouseMove(window, place)
            change()
            QTest.mouseMove(window, QPoint(5, 5))
            window.workspaces.restore_panels()
            window.show_workspace("train")
            QApplication.processEvents()
    close(window)
