"""Finding a value by its name: from one to the next, in view, and closed by Escape."""

import pytest
from PySide6.QtCore import Qt


@pytest.fixture
def find(panel, qtbot):
    """The open find bar."""
    panel.find_bar.start()
    return panel.find_bar


@pytest.mark.slow
def test_finding_goes_from_node_to_node_and_back(panel, session, find, qtbot):
    qtbot.keyClicks(find.field, "w")
    first = session.selection
    assert find.found.text() == "1 of 5"
    qtbot.keyClick(find.field, Qt.Key.Key_Return)
    assert session.selection != first and find.found.text() == "2 of 5"
    qtbot.keyClick(find.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert session.selection == first
    find.go(-1)
    assert find.found.text() == "5 of 5"
    qtbot.keyClick(find.field, Qt.Key.Key_Escape)
    assert not find.isVisible()


def test_escape_on_the_canvas_lets_go_of_the_value_and_then_closes_the_bar(panel, session, find, qtbot):
    qtbot.keyClicks(find.field, "w")
    qtbot.keyClick(panel.canvas, Qt.Key.Key_Escape)
    assert session.selection is None and find.isVisible()
    qtbot.keyClick(panel.canvas, Qt.Key.Key_Escape)
    assert not find.isVisible()


def test_a_name_that_nobody_has_is_said_in_the_bar(find, session, qtbot):
    qtbot.keyClicks(find.field, "nobody")
    assert find.found.text() == "nothing found"
    find.go(1)
    find.field.clear()
    assert find.found.text() == ""


@pytest.mark.slow
def test_what_is_found_is_in_view(panel, session, find, qtbot):
    panel.canvas.set_zoom(4.0)
    panel.canvas.center_on("o")
    qtbot.keyClicks(find.field, "w2")
    assert panel.canvas.visible_region.contains(panel.canvas.centre_of("w2"))


@pytest.mark.slow
def test_finding_knows_the_new_graph(panel, session, find, qtbot):
    qtbot.keyClicks(find.field, "w")
    session.edit("text", expression={"text": "wa = 2\nwb = wa * 3\nwc = wb + wa\n"})
    assert find.found.text() == "3 found"


# Menus
