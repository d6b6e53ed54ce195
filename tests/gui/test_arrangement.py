"""What every panel of the registry has, from the moment that its entry exists."""

import pytest
from PySide6.QtWidgets import QMenu

from gui import arrangement
from gui.arrangement import LESSON_PLACES, PANELS, WORKSPACES, PanelEntry, Place, lesson_places
from gui.panels.frame import PanelDock
from gui.panels.panel import Panel
from gui.theme import THEMES


@pytest.mark.long
def test_every_panel_has_a_dock_an_entry_of_the_view_menu_and_both_themes(window):
    menu = next(menu for menu in window.findChildren(QMenu) if menu.title() == "&Panels")
    titles = [action.text() for action in menu.actions()]
    assert titles == [entry.title for entry in PANELS.values()]
    for name, entry in PANELS.items():
        panel = window.docks[name].panel
        assert isinstance(panel, Panel) and type(panel).__name__ == name
        assert panel.colors == window.colors, "a panel that is made late has the colours of the window"
        assert window.docks[name].windowTitle() == entry.title
        assert not entry.plot or not panel.plot.grab().isNull()
        if entry.plot and name != "NetworkPanel":  # below the drawn network stands what it means
            assert len(panel.plot.toolTip()) > 40, f"the figure of {name} teaches nothing"
        assert not entry.plot or all(column and len(numbers) >= 0 for column, numbers in panel.figure_data())
    for theme, colors in [*THEMES.items()] * 2:  # from each to each other
        window.apply_theme(theme)
        assert [name for name, dock in window.docks.items() if dock.panel.colors != colors] == [], theme


def test_an_arrangement_takes_only_floating_panels_back(window, monkeypatch):
    taken_back, take_back = [], PanelDock.setFloating

    def set_floating(dock, floating):
        taken_back.append(dock.objectName())
        take_back(dock, floating)

    monkeypatch.setattr(PanelDock, "setFloating", set_floating)
    window.arrange()
    assert taken_back == []
    window.docks["DataPanel"].setFloating(True)
    taken_back.clear()
    window.arrange()
    assert len(taken_back) == 1 and not window.docks["DataPanel"].isFloating()


@pytest.mark.long
def test_every_panel_can_be_brought_to_the_front_on_this_small_screen(window, qtbot):
    for dock in window.docks.values():
        dock.show()
        dock.raise_()
        qtbot.waitUntil(lambda dock=dock: not dock.panel.visibleRegion().isEmpty())


COLUMN_FRONTS = ("DataPanel", "NetworkPanel", "BoundaryPanel")


@pytest.fixture
def large(window, monkeypatch):
    """The window on a screen with room for everything."""
    monkeypatch.setattr(arrangement, "fit_screen", lambda _window, _docks: None)
    window.resize(1440, 870)
    return window


def stands_where_its_entry_says(large, name, workspace):
    dock, place = large.docks[name], PANELS[name].place(workspace)
    if place is None or place.waits:
        return dock.isHidden() and not dock.isFloating()
    side = place.side if WORKSPACES[workspace].has_graph else arrangement.BOTTOM
    is_behind = large.docks.get(place.behind) in large.tabifiedDockWidgets(dock)
    is_there = not dock.isHidden() and not dock.isFloating() and large.dockWidgetArea(dock) == side
    return is_there and is_behind == bool(place.behind)


def test_on_a_large_screen_every_panel_stands_where_its_entry_says_and_the_window_keeps_its_size(large, subtests):
    for workspace, about in WORKSPACES.items():
        with subtests.test(workspace=workspace):
            large.show_workspace(workspace)
            large.arrange()
            assert [name for name in PANELS if not stands_where_its_entry_says(large, name, workspace)] == []
            assert large.graph_panel.isVisible() == about.has_graph
    large.resize(1024, 670)
    for workspace in WORKSPACES:
        with subtests.test(workspace=workspace, width=1024):
            large.show_workspace(workspace)
            large.arrange()
            assert (large.width(), large.height()) == (1024, 670)


def test_the_canvas_is_the_largest_thing_in_the_window(large, subtests):
    assert all(dock.panel for dock in large.docks.values())  # some need more room than their empty docks
    for workspace in (name for name, about in WORKSPACES.items() if about.has_graph):
        for size in ((1440, 870), (1024, 670)):
            with subtests.test(workspace=workspace, size=size):
                large.resize(*size)
                large.show_workspace(workspace)
                large.arrange()
                large.layout().activate()
                area = large.graph_panel.canvas.width() * large.graph_panel.canvas.height()
                assert area > max(dock.width() * dock.height() for dock in large.docks.values() if dock.visibleRegion())


def test_from_workspace_to_workspace_a_window_of_1024x700_keeps_its_size(large):
    large.resize(1024, 670)
    places = {name: [entry.place(workspace) for workspace in WORKSPACES] for name, entry in PANELS.items()}
    fronts = [name for name, found in places.items() if any(place and not place.behind for place in found)]
    assert all(large.docks[name].panel for name in fronts)
    for workspace in ("train", "both", "understand", "train", "understand", "both"):
        large.show_workspace(workspace)
        large.layout().activate()
        assert (large.width(), large.height()) == (1024, 670), workspace
        least = large.minimumSizeHint()
        assert least.width() <= 1024 and least.height() <= 670, workspace


def test_while_training_is_watched_boundary_network_and_loss_are_larger(large, qtbot):
    sizes = {}
    for workspace in ("both", "train"):
        large.show_workspace(workspace)
        large.arrange()
        large.layout().activate()
        names = ("NetworkPanel", "BoundaryPanel", "TrainingPanel")
        sizes[workspace] = [large.docks[name].width() * large.docks[name].height() for name in names]
    assert all(1.2 * before < after for before, after in zip(*sizes.values(), strict=True))


def test_for_training_the_panels_stand_in_three_columns_with_a_large_square_boundary(large):
    """And the columns keep the widths that they have, whatever Qt lays out again."""
    large.show_workspace("train")
    large.arrange()
    large.layout().activate()
    assert all(large.docks[name].panel for name, entry in PANELS.items() if entry.place("train"))
    places = [large.docks[name].geometry() for name in COLUMN_FRONTS]
    data, network, boundary = places
    assert data.right() < network.left() and network.right() < boundary.left()
    assert data.top() == network.top() == boundary.top()
    for upper, lower in (("DataPanel", "LearningPanel"), ("NetworkPanel", "TrainingPanel")):
        above, below = large.docks[upper].geometry(), large.docks[lower].geometry()
        assert above.bottom() < below.top() and above.left() == below.left()
    assert 0.8 < boundary.width() / boundary.height() < 1.25 and network.width() > 500
    for width in (1500, 1440):
        large.resize(width, 870)
        large.layout().activate()
    assert [large.docks[name].width() for name in COLUMN_FRONTS] == [place.width() for place in places]


def test_panels_that_name_another_one_stand_where_it_stands():
    for entry in PANELS.values():
        for workspace in WORKSPACES:
            place = entry.place(workspace)
            assert place is None or not place.behind or PANELS[place.behind].place(workspace).side == place.side


def test_a_panel_behind_another_one_is_shown_wherever_that_one_is(monkeypatch):
    entry = PanelEntry("NewPanel", "New", "gui.panels.new", arrangement.BOTTOM, behind="ExplainPanel")
    assert entry.place("understand") == Place(arrangement.RIGHT, "ExplainPanel")
    assert entry.place("train") is None
    assert entry.place("both") == Place(arrangement.BOTTOM, "ExplainPanel")


@pytest.mark.smoke
def test_a_closed_panel_comes_back_before_the_others_by_the_view_menu_and_by_the_default_arrangement(window, qtbot):
    dock, others = window.docks["ExplainPanel"], window.tabifiedDockWidgets(window.docks["ExplainPanel"])
    dock.close()
    assert dock.isHidden()
    qtbot.waitUntil(lambda: any(bool(other.visibleRegion()) for other in others))
    dock.toggleViewAction().trigger()
    assert not dock.isHidden()
    qtbot.waitUntil(lambda: bool(dock.visibleRegion()) and not any(bool(other.visibleRegion()) for other in others))
    dock.setFloating(True)
    window.action("arrange").trigger()
    assert not dock.isFloating()


NAMES = [f"x{n}" for n in range(12)]
LONG = "\n".join([*(f"{name} = 2.0" for name in NAMES), *[""] * 20, f"y = {' * '.join(NAMES)}", "print(y)"])


def test_in_a_window_of_1024x700_the_editor_has_twelve_lines_or_the_graph_most_of_the_room(large, subtests, qtbot):
    """Beside many sliders, and with output."""
    large.session.edit("program", expression={"text": LONG})
    qtbot.waitUntil(lambda: large.session.program.is_evaluated and not large.session.program.busy)
    for workspace in (name for name in WORKSPACES if PANELS["ExpressionPanel"].place(name)):
        with subtests.test(workspace=workspace):
            large.resize(1024, 670)
            large.show_workspace(workspace)
            large.arrange()
            large.layout().activate()
            panel = large.docks["ExpressionPanel"].panel
            qtbot.waitUntil(lambda panel=panel: not panel.is_held and panel.width() > 250)
            editor = panel.editor
            lines = editor.viewport().height() / editor.cursorRect().height()
            share = large.graph_panel.canvas.height() / large.height()
            assert lines >= 12 or share >= 0.6, (lines, share)
            output = large.docks["OutputPanel"]
            output.show()  # where it waits for output until then
            assert output.isVisible() and not output.visibleRegion().isEmpty()


@pytest.mark.parametrize("workspace", arrangement.LESSON)
def test_a_lesson_that_names_every_control_has_columns_of_three_panels_and_tabs(workspace):
    places = lesson_places({about.control for about in LESSON_PLACES.values()}, workspace)
    assert places.keys() == {"LessonPanel", *LESSON_PLACES}
    fronts = {name: place for name, place in places.items() if not place.behind}
    for side in {place.side for place in places.values()}:
        assert sum(place.side == side for place in fronts.values()) <= 3
    assert all(place.behind in fronts for place in places.values() if place.behind)
