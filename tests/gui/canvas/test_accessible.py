"""The canvas as a screen reader meets it: a list with an item for every node, asked as Qt asks."""

import gc

import pytest
import shiboken6
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit

from gui.canvas import GraphCanvas
from gui.canvas.descriptions import consumers, operation

NAME, DESCRIPTION = QAccessible.Text.Name, QAccessible.Text.Description


@pytest.fixture
def show(canvas, draw):
    """Shows a program, and returns what a screen reader asks."""

    def shown(text: str):
        picture, readings = draw(text)
        canvas.show_picture(picture)
        canvas.show_readings(readings)
        return QAccessible.queryAccessibleInterface(canvas)

    return shown


def names(asked) -> list[str]:
    return [asked.child(index).text(NAME) for index in range(asked.childCount())]


def test_the_canvas_is_a_list_of_its_nodes(show):
    asked = show("a = 2.0\nb = -3.0\nc = a*b\nd = c + a")
    assert asked.role() == QAccessible.Role.List and asked.text(NAME) == "computation graph"
    assert names(asked) == [
        "a, input, data 2.0000, gradient −2.0000, used by c and d",
        "b, input, data −3.0000, gradient 2.0000, used by c",
        "c, computed value, data −6.0000, gradient 1.0000, product of a and b, used by d",
        "d, output, data −4.0000, gradient 1.0000, sum of c and a",
    ]
    assert [asked.indexOfChild(asked.child(index)) for index in range(4)] == [0, 1, 2, 3]
    assert all(asked.child(index).parent() is asked for index in range(4))
    assert asked.child(4) is None and asked.child(-1) is None


@pytest.mark.parametrize(
    ("program", "label", "words"),
    [
        ("x = -1\ny = log(x)", "y", "log is defined for positive numbers only"),
        ("x = -1\ny = log(x) + x", "y", "gradient not computed"),
        ("x = 1e308\ny = x * 10", "y", "data infinite"),
        ("x = 3\ny = x * x", "y", "product of x and x"),
    ],
)
def test_a_node_says_what_is_wrong_with_it(show, canvas, key_of, program, label, words):
    asked = show(program)
    place = list(canvas.picture.boxes).index(key_of(canvas.picture, label))
    assert words in asked.child(place).text(NAME)


def test_numbers_are_those_of_the_moment_of_asking(show, canvas, draw):
    asked = show("a = 2.0\nb = a * a")
    node = asked.child(0)
    canvas.show_readings(draw("a = 5.0\nb = a * a")[1])
    assert "data 5.0000" in node.text(NAME) and "data 5.0" in node.text(DESCRIPTION)


def test_items_of_nodes_that_went_are_deleted(show, canvas):
    asked = show("a = 2.0\nb = a * a\nc = b + a")
    nodes = [asked.child(index) for index in range(3)]
    again = show("a = 7.0\nd = a * a")
    assert again is asked and len(names(asked)) == asked.childCount() == 2
    assert asked.child(0) is nodes[0]  # the same value with another number
    assert [shiboken6.isValid(node) for node in nodes] == [True, False, False]


def test_every_item_goes_with_its_canvas(qtbot, draw):
    canvas = GraphCanvas()
    canvas.show_picture(draw("a = 2.0\nb = a * a")[0])
    asked = QAccessible.queryAccessibleInterface(canvas)
    nodes = [asked.child(0), asked.child(1)]
    shiboken6.delete(canvas)
    gc.collect()
    assert not any(map(shiboken6.isValid, (asked, *nodes)))


def test_a_node_is_selected_and_focused_where_the_keyboard_is(show, canvas, qtbot):
    asked = show("a = 2.0\nb = a * a")
    assert asked.focusChild() is None
    canvas.setFocus()
    qtbot.waitUntil(canvas.hasFocus)
    QTest.keyClick(canvas, Qt.Key.Key_Left)  # the output first, then along the edge
    assert "b, output" in asked.focusChild().text(NAME)
    QTest.keyClick(canvas, Qt.Key.Key_Left)
    assert "a, input" in asked.focusChild().text(NAME)
    states = [asked.child(index).state() for index in range(2)]
    assert [(state.selected, state.focused, state.focusable) for state in states] == [(1, 1, 1), (0, 0, 1)]


def test_a_node_is_where_it_is_drawn(show, canvas, key_of):
    asked = show("a = 2.0\nb = a * a")
    for index, key in enumerate(canvas.picture.boxes):
        area = asked.child(index).rect()
        middle = area.center()
        assert area.size() == canvas.node_area(key).toAlignedRect().size()
        assert asked.childAt(middle.x(), middle.y()) is asked.child(index)
    corner = canvas.viewport().mapToGlobal(QPoint(1, 1))
    assert asked.childAt(corner.x(), corner.y()) is None


def test_a_field_that_lies_on_the_canvas_follows_its_nodes(show, canvas):
    asked = show("a = 2.0\nb = a * a")
    field = QLineEdit(canvas.viewport())
    field.setAccessibleName("gradient of a")
    assert asked.childCount() == 2
    field.show()
    assert asked.childCount() == 3 and asked.child(2).text(NAME) == "gradient of a"
    assert asked.indexOfChild(asked.child(2)) == 2


def test_an_empty_canvas_says_so(canvas):
    asked = QAccessible.queryAccessibleInterface(canvas)
    assert asked.childCount() == 0 and asked.text(DESCRIPTION) == "no graph yet"


def test_operands_and_consumers_of_a_node(canvas, draw, key_of):
    picture, _readings = draw("x = 3\ny = x * x\nz = y - x")
    canvas.show_picture(picture)
    x, y, z = (key_of(picture, label) for label in "xyz")
    assert operation(picture, canvas.links, y) == ("product", [x, x])
    assert operation(picture, canvas.links, x) == ("", [])
    assert consumers(picture, canvas.links, x) == [y, z]
    assert consumers(picture, canvas.links, z) == []
