"""A slider for each number that is given a name."""

from itertools import pairwise

import pytest
from PySide6.QtCore import Qt

from tests.gui.panels.program.program_text import program, put

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def panel(program_panel):
    return program_panel


def move(panel, key, position):
    panel.sliders.by_key[key].slider.setValue(position)


@pytest.mark.slow
@pytest.mark.parametrize("number", ["1e308", "-1e308", "1.7e308", "1e-320", "-3e300", "5e8", "0", "0x" + "f" * 200])
def test_a_slider_of_any_number_moves_over_all_its_range(panel, session, number):
    put(panel, f"a = {number}\nb = a*2")
    for position in (0, 1, 500, 999, 1000, 250):
        move(panel, "a", position)
        low, high = dict(session.document.expression.ranges)["a"]
        assert session.error is None
        assert low <= session.evaluation.leaves[0].number <= high


@pytest.mark.parametrize("number", ["1e400", "-1e400", "0x" + "f" * 300])
def test_a_number_that_is_too_large_has_no_slider_and_edits_go_on(panel, session, number):
    put(panel, f"a = {number}\nb = 2.0\nc = 3*b")
    assert list(panel.sliders.by_key) == ["b"]
    move(panel, "b", 1000)
    assert "b = 4.0" in program(session)


def test_each_binding_of_a_name_has_the_slider_that_moves_it(panel, session):
    put(panel, "a = 1.0\nb = a*2\na = 3.0\ny = a*b")
    assert [slider.name for slider in panel.sliders.by_key.values()] == ["a (line 1)", "a (line 3)"]
    move(panel, "a#2", 1000)
    assert program(session) == "a = 1.0\nb = a*2\na = 6.0\ny = a*b"
    move(panel, "a", 0)
    assert program(session) == "a = -4.0\nb = a*2\na = 6.0\ny = a*b"
    put(panel, "a, b = 2.0, 3.0\ny = a*b")
    move(panel, "b", 1000)
    move(panel, "a", 1000)
    assert program(session) == "a, b = 4.0, 6.0\ny = a*b" and session.presenter.readings["y"].data.strip() == "24.0000"


def test_sliders_of_a_program_with_an_error_are_disabled_and_say_why(panel, session):
    put(panel, "a = 1.0\nb = a*2")
    slider = panel.sliders.by_key["a"]
    assert slider.isEnabled()
    put(panel, "a = 1.0\nb = a*")
    assert not slider.isEnabled()
    assert "error in line 2" in slider.slider.toolTip()
    put(panel, "a = 1.0\nb = a*3")
    assert slider.isEnabled()


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        ("abc", "4", "'abc' is not a number"),
        ("-4", "", "'' is not a number"),
        ("nan", "4", "'nan' is not a number"),
        ("-4", "1e999", "'1e999' is not a number"),
        ("-4", "1_0", "'1_0' is not a number"),
        ("-4", "١", "is not a number"),
        ("4", "-4", "'from' must be less than 'to'"),
        ("1", "1", "'from' must be less than 'to'"),
    ],
)
def test_ends_of_a_slider_that_cannot_be_are_refused_in_words(panel, session, told, low, high, words):
    put(panel, "a = 1.0\nb = a*2")
    slider = panel.sliders.by_key["a"]
    for field, text in zip(slider.ends, (low, high), strict=True):
        field.setText(text)
    slider.ends[1].editingFinished.emit()
    assert words in slider.problem.text()
    assert words in told[-1] and "slider of a" in told[-1]
    assert slider.ends[0].property("invalid")
    assert session.document.expression.ranges == ()
    slider.ends_button.menu().aboutToShow.emit()
    assert [field.text() for field in slider.ends] == ["-4", "4"]
    assert not slider.problem.text()


def test_the_number_beside_a_slider_is_typed_over(panel, session, told, qtbot):
    put(panel, "a = 2\nb = a*3.0\nc = 6.8813735870195432*b")
    number = panel.sliders.by_key["a"].number
    steps = len(session.undo_stack.steps)

    def type_over(text, key=Qt.Key.Key_Return):
        number.selectAll()
        qtbot.keyClicks(number, text)
        qtbot.keyClick(number, key)

    type_over("-7.5")
    assert program(session).startswith("a = -7.5\nb = a*3.0")
    assert len(session.undo_stack.steps) == steps + 1
    type_over("12", Qt.Key.Key_Escape)
    assert (number.text(), program(session)[:8]) == ("-7.5", "a = -7.5")
    type_over("seven")
    assert told[-1] == "a keeps its number. 'seven' is not a number: write one such as -2.5."
    assert (number.text(), number.property("invalid")) == ("seven", True)
    panel.sliders.commit()
    assert (number.text(), number.property("invalid")) == ("-7.5", False)
    number.selectAll()
    number.insert("−1e-3")
    session.commit_requested.emit()
    assert program(session).startswith("a = -0.001\n")
    assert len(session.undo_stack.steps) == steps + 2


@pytest.mark.slow
def test_forty_numbers_have_a_slider_those_that_are_seen_at_once_and_the_others_are_counted(panel, qtbot):
    put(panel, "\n".join(f"b{i} = {i}.0" for i in range(30)))
    put(panel, "\n".join(f"a{i} = {i}.0" for i in range(45)))  # before the sliders of all 30 were made
    assert list(panel.sliders.by_key) == [f"a{i}" for i in range(8)]
    qtbot.waitUntil(lambda: len(panel.sliders.by_key) == 40)
    sliders = panel.sliders.by_key.values()
    assert [(slider.key, float(slider.number.text())) for slider in sliders] == [(f"a{i}", i) for i in range(40)]
    qtbot.waitUntil(lambda: all(upper.y() < lower.y() for upper, lower in pairwise(sliders)))
    assert panel.sliders.rest.text().startswith("5 more numbers have no slider")


def test_a_whole_number_is_dragged_to_whole_numbers_and_typed_to_any(panel, session):
    put(panel, "n = 3\nx = 2.0\nfor i in range(n):\n    x = x * 1.5\n")
    move(panel, "n", 870)
    assert session.error is None and program(session).startswith("n = 4\n")
    put(panel, "a = 2\nb = a * 3\n")
    slider = panel.sliders.by_key["a"]
    slider.number.setFocus()
    slider.number.setText("2.5")
    slider.number.setModified(True)
    slider.commit()
    assert program(session) == "a = 2.5\nb = a * 3\n"
