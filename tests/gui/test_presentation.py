"""For a projector: text and figures of another size, the whole screen, one panel alone, and the arrangement Stage."""

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QLabel, QToolButton

from gui.arrangement import PANELS, WORKSPACES, is_low
from gui.canvas.style import CanvasStyle
from gui.scheduling import idle_tasks
from gui.theme import LIGHT, TEXT_SIZES, set_text_size, text_pixels, text_size
from gui.widgets.labels import ElidedLabel


@pytest.fixture
def window(make_window):
    window = make_window(size=(780, 740))
    yield window
    set_text_size(100)


def press(window, qtbot, *keys):
    window.activateWindow()
    window.setFocus()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window, *keys)


def letters(widget):
    return QFontInfo(widget.font()).pixelSize()


def test_a_title_bar_shows_the_longest_of_its_captions_that_fits(window, qtbot):
    window.show_workspace("train")
    dock = window.docks["TrainingPanel"]
    qtbot.waitUntil(lambda: dock.panel is not None and dock.isVisible())
    texts = ["all that can be said " * 40, "0.1234 and more " * 40, "0.1234"]
    dock.panel.set_caption(texts[0], shorter=texts[1:])
    label = next(label for label in dock.findChildren(ElidedLabel) if label.text() == texts[0])
    assert label.shown_text() == "0.1234"
    dock.panel.set_caption("all", shorter=("a",))
    assert label.shown_text() == "all"


def test_sentences_over_the_graph_are_as_large_as_the_text_of_the_window(qapp):
    style = CanvasStyle(LIGHT)
    before = style.hint_font.pixelSize()
    try:
        set_text_size(150)
        assert style.hint_font.pixelSize() == round(1.5 * before)
    finally:
        set_text_size(100)


def test_keys_change_the_size_of_all_text_from_80_to_200_percent(window, qtbot):
    control = Qt.KeyboardModifier.ControlModifier
    sizes = [text_size()]
    for _ in range(9):
        press(window, qtbot, Qt.Key.Key_Plus, control)
        sizes.append(text_size())
    assert sizes[0] == 100 and max(sizes) == 200 and sizes == sorted(sizes)
    press(window, qtbot, Qt.Key.Key_0, control)
    assert text_size() == 100
    for _ in range(9):
        press(window, qtbot, Qt.Key.Key_Minus, control)
    assert text_size() == 80 == min(TEXT_SIZES)


@pytest.mark.parametrize("percent", [80, 200])
def test_labels_numbers_ticks_and_figures_follow(window, qtbot, percent):
    panels = {name: window.docks[name].panel for name in ("ExpressionPanel", "TrainingPanel", "BoundaryPanel")}
    names = "ExpressionPanel", "TrainingPanel"
    before = {name: letters(window.docks[name].titleBarWidget().findChild(QLabel)) for name in names}
    editor, legend = letters(panels["ExpressionPanel"].editor), letters(panels["TrainingPanel"].legend)
    ticks = panels["BoundaryPanel"].plot.axes["bottom"].style["tickFont"].pixelSize()
    names_in_drawing = window.docks["NetworkPanel"].panel.drawing.picture.font.pixelSize()
    window.set_text_size(percent)
    scale = percent / 100
    for name, pixels in before.items():
        assert letters(window.docks[name].titleBarWidget().findChild(QLabel)) == pytest.approx(scale * pixels, abs=1)
    assert letters(panels["ExpressionPanel"].editor) == pytest.approx(scale * editor, abs=1)
    assert letters(panels["TrainingPanel"].legend) == pytest.approx(scale * legend, abs=1)
    after = panels["BoundaryPanel"].plot.axes["bottom"].style["tickFont"].pixelSize()
    assert after == pytest.approx(scale * ticks, abs=1)
    drawing = window.docks["NetworkPanel"].panel.drawing
    assert drawing.picture.font.pixelSize() == pytest.approx(scale * names_in_drawing, abs=1)


def test_a_small_graph_is_drawn_larger_with_larger_text(window, qtbot):
    window.session.edit("text", expression={"text": "a = 2.0\n"})
    qtbot.waitUntil(lambda: not window.session.presenter.busy and "a" in window.session.presenter.picture.boxes)
    window.workspaces.maximise(None)
    window.graph_panel.canvas.open_view()
    before = window.graph_panel.canvas.zoom
    window.set_text_size(150)
    assert window.graph_panel.canvas.zoom == pytest.approx(1.5 * before)


def test_the_size_of_text_is_written_when_it_is_chosen(make_window, tmp_path):
    """A signal may end the program before its window is closed."""
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    make_window(settings=settings).set_text_size(125)
    assert int(settings.value("text size")) == 125


def test_the_size_of_text_is_remembered(make_window, tmp_path):
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    first = make_window(settings=settings)
    first.set_text_size(125)
    first.close()
    make_window(settings=settings)
    assert text_size() == 125 and text_pixels(100) == 125
    settings.setValue("text size", "huge")
    make_window(settings=settings)
    assert text_size() == 100


@pytest.mark.long
@pytest.mark.parametrize("percent", [100, 125, 150, 200])
@pytest.mark.parametrize("workspace", ["train", "stage"])
def test_with_larger_text_the_columns_stay_and_the_window_is_no_larger_than_its_screen(
    window, qtbot, workspace, percent
):
    window.set_text_size(percent)
    window.show_workspace(workspace)
    window.arrange()
    places = {name: entry.place(workspace, is_low(window)) for name, entry in PANELS.items()}
    fronts = [name for name, place in places.items() if place and not place.behind]
    assert all(window.docks[name].panel for name in fronts)
    qtbot.waitUntil(lambda: not idle_tasks().busy)
    room = window.screen().availableGeometry()
    assert window.width() <= room.width() and window.height() <= room.height()
    boundary, network = window.docks["BoundaryPanel"], window.docks["NetworkPanel"]
    assert not boundary.visibleRegion().isEmpty() and not network.visibleRegion().isEmpty()
    assert network.geometry().right() < boundary.geometry().left()


def test_columns_of_a_low_window_grow_with_the_text(window, qtbot):
    window.resize(1280, 690)
    window.set_text_size(125)
    window.show_workspace("train")
    data = window.docks["DataPanel"]
    qtbot.waitUntil(lambda: not data.visibleRegion().isEmpty())
    before = data.width()
    window.set_text_size(150)
    qtbot.waitUntil(lambda: data.width() > 1.05 * before or 3 * data.width() > window.width() - 20)


def test_with_larger_text_settings_are_tabs_and_network_boundary_and_loss_have_the_room(window, qtbot):
    window.resize(1280, 690)
    window.set_text_size(150)
    window.show_workspace("train")
    panels = {name: window.docks[name] for name in ("NetworkPanel", "BoundaryPanel", "TrainingPanel", "DataPanel")}
    assert all(dock.panel for dock in panels.values())
    qtbot.waitUntil(lambda: all(not dock.visibleRegion().isEmpty() for dock in panels.values()))
    behind = {dock.windowTitle() for dock in window.tabifiedDockWidgets(panels["DataPanel"])}
    assert behind == {"Learning", "Runs"}
    network, boundary, loss = (panels[name].panel for name in ("NetworkPanel", "BoundaryPanel", "TrainingPanel"))
    qtbot.waitUntil(lambda: network.drawing.visibleRegion().boundingRect().height() > 150)
    qtbot.waitUntil(lambda: boundary.plot.box.height() > 200 and loss.plot.box.height() > 70)


def test_a_low_window_has_an_arrangement_of_its_own_which_is_kept(make_window, tmp_path):
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    window = make_window(size=(780, 740), settings=settings, workspace="train")

    def are_tabs(window):
        return window.docks["LearningPanel"] in window.tabifiedDockWidgets(window.docks["DataPanel"])

    assert not are_tabs(window)
    window.set_text_size(150)
    assert are_tabs(window)
    window.docks["SweepPanel"].hide()
    window.set_text_size(100)
    assert not are_tabs(window) and not window.docks["SweepPanel"].isHidden()
    window.set_text_size(150)
    assert are_tabs(window) and window.docks["SweepPanel"].isHidden()
    window.close()
    again = make_window(size=(780, 740), settings=settings)
    assert again.workspace == "train" and are_tabs(again) and again.docks["SweepPanel"].isHidden()
    again.set_text_size(100)
    assert not are_tabs(again) and not again.docks["SweepPanel"].isHidden()


def test_a_maximised_panel_stays_large_when_the_text_grows(window):
    window.show_workspace("train")
    window.workspaces.maximise(window.docks["BoundaryPanel"])
    window.set_text_size(150)
    assert shown_panels(window) == ({"BoundaryPanel"}, False)
    window.workspaces.maximise(window.docks["BoundaryPanel"])
    assert window.docks["LearningPanel"] in window.tabifiedDockWidgets(window.docks["DataPanel"])


def test_buttons_of_the_bar_are_whole_with_larger_text(window, qtbot):
    window.set_text_size(200)
    window.resize(1024, 700)
    for workspace in (name for name, about in WORKSPACES.items() if about.main in about.bar):
        window.show_workspace(workspace)
        main = window.action(WORKSPACES[workspace].main)
        button = next(b for b in window.main_bar.findChildren(QToolButton) if b.defaultAction() is main)
        qtbot.waitUntil(lambda button=button: button.visibleRegion().boundingRect() == button.rect())


def test_stage_shows_network_boundary_and_loss_and_nothing_else(window):
    window.show_workspace("stage")
    shown = {name for name, dock in window.docks.items() if not dock.isHidden()}
    assert shown == {"NetworkPanel", "BoundaryPanel", "TrainingPanel"} and not window.graph_panel.isVisible()


def double_click(widget, qtbot):
    qtbot.mouseDClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(widget.width() // 2, 4))


def shown_panels(window):
    return {name for name, dock in window.docks.items() if not dock.isHidden()}, window.graph_panel.isVisible()


@pytest.mark.parametrize("name", ["NetworkPanel", "GraphPanel"])
def test_a_double_click_on_a_title_maximises_a_panel_and_another_one_or_escape_brings_the_others_back(
    window, qtbot, name
):
    title = window.graph_panel.header if name == "GraphPanel" else window.docks[name].titleBarWidget()
    before = shown_panels(window)
    for bring_back in (lambda: double_click(title, qtbot), lambda: press(window, qtbot, Qt.Key.Key_Escape)):
        double_click(title, qtbot)
        alone = (set(), True) if name == "GraphPanel" else ({name}, False)
        assert shown_panels(window) == alone
        bring_back()
        assert shown_panels(window) == before


def test_escape_from_a_maximised_panel_gives_the_keyboard_back(window, qtbot):
    window.show_workspace("train")
    window.activateWindow()
    field = window.docks["DataPanel"].panel.noise
    qtbot.waitUntil(lambda: window.isActiveWindow() and field.isVisible())
    field.setFocus()
    double_click(window.docks["BoundaryPanel"].titleBarWidget(), qtbot)
    assert window.workspaces.is_maximised and not field.isVisible()
    qtbot.keyClick(window.focusWidget() or window, Qt.Key.Key_Escape)
    assert not window.workspaces.is_maximised and window.focusWidget() is field


@pytest.mark.parametrize(("name", "way"), [("ChecksPanel", "command"), ("OperationsPanel", "View menu")])
def test_a_panel_asked_for_while_another_is_maximised_is_seen_with_the_others_and_stays(window, qtbot, name, way):
    before, dock = shown_panels(window), window.docks[name]
    window.workspaces.maximise(None)
    window.show_panel(name) if way == "command" else dock.toggleViewAction().trigger()
    assert not window.workspaces.is_maximised
    press(window, qtbot, Qt.Key.Key_Escape)
    assert shown_panels(window) == (before[0] | {name}, before[1])
    qtbot.waitUntil(lambda: not dock.visibleRegion().isEmpty())


def test_a_maximised_panel_stays_large_when_it_is_asked_for(window):
    window.workspaces.maximise(window.docks["BoundaryPanel"])
    window.show_panel("BoundaryPanel")
    assert shown_panels(window) == ({"BoundaryPanel"}, False)


def test_a_maximised_panel_is_not_the_arrangement_that_is_remembered(make_window, tmp_path):
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    first = make_window(settings=settings)
    before = shown_panels(first)
    first.workspaces.maximise(first.docks["BoundaryPanel"])
    first.show_workspace("train")
    first.workspaces.maximise(first.docks["BoundaryPanel"])
    first.show_workspace("both")
    assert shown_panels(first) == before
    first.workspaces.maximise(first.docks["BoundaryPanel"])
    first.close()
    assert shown_panels(make_window(settings=settings)) == before


def test_f11_shows_the_window_on_the_whole_screen_and_escape_leaves_it(window, qtbot):
    press(window, qtbot, Qt.Key.Key_F11)
    assert window.isFullScreen() and window.action("full screen").isChecked()
    press(window, qtbot, Qt.Key.Key_Escape)
    assert not window.isFullScreen() and not window.action("full screen").isChecked()
    press(window, qtbot, Qt.Key.Key_F11)
    press(window, qtbot, Qt.Key.Key_F11)
    assert not window.isFullScreen()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_a_second_escape_leaves_the_full_screen_although_a_neuron_is_pointed_at(window, qtbot):
    window.show_workspace("train")
    network = window.docks["NetworkPanel"]
    drawing = network.panel.drawing
    window.toggle_full_screen()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.session.run()
    window.workspaces.maximise(network)
    drawing.setFocus()
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert not window.workspaces.is_maximised and window.isFullScreen()
    qtbot.keyClick(drawing, Qt.Key.Key_Right)  # points at a neuron, as the pointer does
    assert drawing.reading is not None
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    window.session.pause()
    assert not window.isFullScreen()


def test_a_maximised_window_is_maximised_again_after_the_full_screen(window):
    window.showMaximized()
    for _ in range(3):
        window.toggle_full_screen()
        assert window.isFullScreen()
        window.setWindowState(Qt.WindowState.WindowFullScreen)  # as window managers that forget the rest
        window.toggle_full_screen()
        assert window.isMaximized() and not window.isFullScreen()
    window.showNormal()
    window.toggle_full_screen()
    window.toggle_full_screen()
    assert not window.isMaximized() and not window.isFullScreen()


def test_the_sweep_needs_no_more_width_at_150_percent_than_a_small_screen_has(window):
    window.show_workspace("train")
    window.set_text_size(150)
    window.docks["SweepPanel"].raise_()
    assert window.docks["SweepPanel"].panel.minimumSizeHint().width() <= 400
