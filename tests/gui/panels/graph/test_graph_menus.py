"""The context menus of the canvas, and asking for an explanation."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QMenu

from gui.panels.graph.graph import context_menu
from tests.gui.dragging import drag, off
from tests.gui.menus import entry


@pytest.fixture
def open_menu(panel, qtbot):
    """Opens the menu of a value, or of the background for None."""
    sets = [panel.stepper.action_set, panel.action_set, panel.canvas.action_set]
    panel.menu_requested.connect(lambda key, place: context_menu(panel.session, key, sets, panel.canvas).popup(place))

    def opening(key):
        panel.canvas.context_requested.emit(key, panel.mapToGlobal(QPoint(50, 50)))
        name = "background menu" if key is None else "node menu"
        return panel.findChildren(QMenu, name)[-1]

    return opening


@pytest.mark.slow
def test_the_menu_of_a_value_copies_its_numbers_with_all_digits(panel, session, open_menu):
    entry(open_menu("o"), "Copy data").trigger()
    assert QApplication.clipboard().text() == repr(session.presenter.value("o").data)
    entry(open_menu("w1"), "Copy gradient").trigger()
    assert float(QApplication.clipboard().text()) == session.presenter.value("w1").grad
    session.presenter.set_position(0)
    assert not entry(open_menu("o"), "Copy data").isEnabled()


@pytest.mark.slow
def test_the_menu_of_a_value_selects_it_and_explains_it(panel, session, open_menu, qtbot):
    menu = open_menu("n")
    assert session.selection == "n"
    with qtbot.waitSignal(panel.explain_requested) as caught:
        entry(menu, "Explain n").trigger()
    assert caught.args == ["n"]


@pytest.mark.slow
def test_enter_and_double_click_ask_for_the_explanation(panel, session, qtbot):
    session.select("b")
    with qtbot.waitSignal(panel.explain_requested) as caught:
        qtbot.keyClick(panel.canvas, Qt.Key.Key_Return)
    assert caught.args == ["b"]


@pytest.mark.slow
def test_groups_are_opened_from_the_menu(panel, session, open_menu, qtbot):
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: not session.presenter.busy)
    key = next(key for key, box in panel.canvas.picture.boxes.items() if box.members)
    before = set(panel.canvas.picture.boxes)
    choice = session.presenter.groups.choices(key)[0]
    entry(open_menu(key), choice.text).trigger()
    qtbot.waitUntil(lambda: not session.presenter.busy)
    assert set(panel.canvas.picture.boxes) != before


@pytest.mark.slow
def test_the_menu_of_the_background_fits_and_resets(panel, session, open_menu):
    panel.canvas.set_zoom(3.0)
    entry(open_menu(None), "Fit graph").trigger()
    assert panel.canvas.zoom < 3.0
    drag(panel, "n", 0.0, 90.0)
    entry(open_menu(None), "Reset positions").trigger()
    assert off(panel, session, "n") == (0.0, 0.0)


@pytest.mark.slow
def test_closed_menus_are_deleted(panel, open_menu, qtbot):
    for key in ("n", None):
        open_menu(key).close()
    qtbot.waitUntil(lambda: not [m for m in panel.findChildren(QMenu) if m.objectName().endswith("menu")])
