"""A number of the program takes several values: runs side by side, curves over each other, errors as such."""

import threading

import pytest
from PySide6.QtCore import Qt

from gui.panels.program.expression import ExpressionPanel
from gui.panels.program.vary import VaryPanel
from gui.session.variation import first_values, values_in
from gui.theme import LIGHT
from tests.conftest import PATIENCE_MILLISECONDS

DESCENT = """lr = 0.1
x = 3.0
for k in range(10):
    loss = x * x
    x = x - lr * 2 * x
print(x)
"""


@pytest.fixture
def panel(session, qtbot):
    panel = VaryPanel(session)
    qtbot.addWidget(panel)
    panel.set_colors(LIGHT)
    panel.resize(420, 400)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def run(panel, qtbot, text, at, values):
    panel.session.edit("text", expression={"text": text})
    assert panel.session.variation.choose(text, text.index(at))
    panel.values.setText(values)
    qtbot.keyClick(panel.values, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not panel.session.variation.is_running, timeout=PATIENCE_MILLISECONDS)


def curves(panel):
    item = panel.plot.getPlotItem()
    return {label.text: sample.item.getData()[1].tolist() for sample, label in item.legend.items}


def descent(lr):
    x, losses = 3.0, []
    for _ in range(10):
        losses.append(x * x)
        x = x - lr * 2 * x
    return losses


@pytest.mark.slow
def test_the_losses_of_three_learning_rates_are_drawn_over_each_other(panel, qtbot):
    run(panel, qtbot, DESCENT, "0.1", "0.001, 0.1, 0.4")
    assert panel.curve.currentText() == "loss"
    assert panel.log.isChecked(), "0.001 and 0.4 are far apart after ten steps"
    panel.log.click()
    assert curves(panel) == {f"lr = {rate}": pytest.approx(descent(rate)) for rate in (0.001, 0.1, 0.4)}
    assert panel.has_figure and dict(panel.figure_data())["lr = 0.1"] == pytest.approx(descent(0.1))
    assert "0.1: loss ends at 0.1621" in panel.words.text()
    assert panel.session.document.expression.text == DESCENT, "the program itself stays as it is"


def test_another_variable_of_the_loop_can_be_drawn(panel, qtbot):
    run(panel, qtbot, DESCENT, "3.0", "1.0, 2.0")
    panel.curve.setCurrentText("x")
    panel.curve.activated.emit(panel.curve.currentIndex())
    assert set(curves(panel)) == {"x = 1.0", "x = 2.0"}


def test_a_run_with_an_error_is_told_with_its_line_and_the_others_are_drawn(panel, qtbot):
    text = "n = 4\nfor k in range(5):\n    loss = 1 / (n - k)\n"
    run(panel, qtbot, text, "4", "3, 9")
    assert "n = 9" in curves(panel) and "3: " in panel.words.text() and "line 3" in panel.words.text()


def test_the_history_in_a_list_is_drawn_where_the_loop_is_in_a_function(panel, qtbot):
    text = (
        "def train(lr):\n    x, losses = 3.0, []\n    for k in range(10):\n        losses.append(x * x)\n"
        "        x = x - lr * 2 * x\n    return losses\nhistory = train(0.1)\n"
    )
    run(panel, qtbot, text, "0.1", "0.1, 0.4")
    assert panel.curve.currentText() == "history (list)"
    panel.log.click()
    assert curves(panel) == {"0.1": pytest.approx(descent(0.1)), "0.4": pytest.approx(descent(0.4))}


def test_a_program_without_a_loop_says_why_nothing_is_drawn(panel, qtbot):
    run(panel, qtbot, "a = 2.0\nb = a * 3\n", "2.0", "1, 2")
    assert not panel.axes.isVisible() and not panel.has_figure and "loop" in panel.words.text().lower()


def test_stop_ends_every_run(panel, qtbot):
    text = "n = 1\nwhile n:\n    loss = n\n"
    panel.session.edit("text", expression={"text": "n = 1\n"})
    panel.session.variation.choose("n = 1\n", 4)
    panel.session.variation.text = text
    panel.session.variation.start(("1", "2", "3"))
    panel.session.variation.changed.emit()
    assert panel.session.variation.is_running and panel.button.text() == "■ Stop"
    qtbot.mouseClick(panel.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not panel.session.variation.is_running, timeout=PATIENCE_MILLISECONDS)
    assert [run.trouble for run in panel.session.variation.runs] == ["stopped"] * 3
    assert panel.button.text() == "▶ Run"
    qtbot.waitUntil(lambda: all(thread.name != "program" for thread in threading.enumerate()))


def test_a_number_is_found_again_after_edits_of_numbers_and_asked_for_after_others(panel, qtbot):
    panel.session.edit("text", expression={"text": DESCENT})
    panel.session.variation.choose(DESCENT, DESCENT.index("3.0"))
    panel.session.edit("text", expression={"text": DESCENT.replace("0.1", "0.12345")})
    assert panel.button.isEnabled() and panel.session.variation.number.text == "3.0"
    panel.session.edit("text", expression={"text": "b = 1\n" + DESCENT})
    assert not panel.button.isEnabled() and "changed" in panel.words.text()


@pytest.mark.parametrize(
    ("typed", "values"),
    [
        ("0.001, 0.05, 1.0", ("0.001", "0.05", "1.0")),
        ("1 2 1", ("1", "2")),
        ("−1; 2e-3", ("-1", "2e-3")),
        ("", ()),
        ("a, 2", ()),
        ("1,2,3,4,5,6,7,8,9", ()),
    ],
)
def test_values_are_read_as_they_are_typed(typed, values):
    found, wrong = values_in(typed)
    assert found == values and bool(wrong) == (not values)


def test_values_to_begin_with_are_smaller_and_larger_ones_of_the_same_kind(session):
    session.variation.choose("lr = 0.05", 6)
    assert first_values(session.variation.number) == "0.005, 0.05, 0.5"
    session.variation.choose("n = 20", 4)
    assert first_values(session.variation.number) == "10, 20, 40"


def test_vary_is_reached_from_the_caret_and_from_a_slider(session, qtbot):
    session.edit("text", expression={"text": DESCENT})
    editor = ExpressionPanel(session)
    qtbot.addWidget(editor)
    editor.show()
    editor.editor.go_to(1, 6)
    editor.vary_number()
    assert session.variation.number.name == "lr"
    editor.editor.go_to(3, 1)
    told = []
    session.message_posted.connect(lambda text, kind: told.append(kind))
    editor.vary_number()
    assert told == ["note"] and session.variation.number.name == "lr"
    slider = editor.sliders.by_key["x"]
    next(action for action in slider.actions() if action.text().startswith("Vary")).trigger()
    assert session.variation.number.name == "x"
