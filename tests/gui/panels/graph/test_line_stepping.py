"""The stepper by lines: the buttons go through the program, and editor, variables, output and canvas follow."""

import random

import pytest

from engine.views.walk_texts import LINE_SENTENCES
from gui.panels.graph.graph import GraphPanel
from gui.panels.graph.outdated import outdated
from gui.panels.graph.stepper import StepperBar
from gui.panels.program.expression import ExpressionPanel
from gui.panels.program.output import OutputPanel
from gui.theme import LIGHT

TEXT = """w = Value(3.0)
for k in range(2):
    loss = w * w
    loss.backward()
    w.data -= 0.5 * w.grad
    w.grad = 0.0
    print(k, loss.data)
"""


@pytest.fixture
def bar(shown, session):
    session.edit("text", expression={"text": TEXT})
    bar = shown(StepperBar, width=700)
    bar.action_set["by lines"].trigger()
    return bar


def press(bar, qtbot, name):
    bar.action_set[name].trigger()


def data(session, name):
    return session.presenter.readings[name].data, session.presenter.readings[name].grad


@pytest.mark.slow
def test_next_and_back_go_through_the_statements_with_the_graph_of_each(bar, session, qtbot):
    assert bar.words.text() == "Nothing has been run yet: Next runs line 1." and session.presenter.readings == {}
    assert bar.place.toolTip() == "statement 0 of 13" and not bar.action_set["back"].isEnabled()
    seen = []
    for _ in range(7):
        press(bar, qtbot, "next")
        seen.append((bar.words.text(), data(session, "w")))
    assert seen == [
        ("Line 1: w = 3.0000.", ("3.0000", "–")),
        ("Line 2: k = 0.", ("3.0000", "–")),
        ("Line 3: loss = 9.0000.", ("3.0000", "–")),
        ("Line 4 changed the gradient of 2 values.", ("3.0000", "+6.0000")),
        ("Line 5: w now has the data 0.0000 and the gradient +6.0000.", ("0.0000", "+6.0000")),
        ("Line 6: w now has the data 0.0000 and the gradient +0.0000.", ("0.0000", "+0.0000")),
        ("Line 7 was run.", ("0.0000", "+0.0000")),
    ]
    for words, numbers in reversed(seen[:-1]):
        press(bar, qtbot, "back")
        assert (bar.words.text(), data(session, "w")) == (words, numbers)
    press(bar, qtbot, "all")
    assert bar.place.toolTip() == "statement 13 of 13" and not bar.action_set["next"].isEnabled()
    press(bar, qtbot, "start")
    assert session.presenter.readings == {} and bar.slider.value() == 0


@pytest.mark.slow
def test_any_way_to_a_statement_shows_the_same(bar, session):
    generator, seen = random.Random(3), {}
    for _ in range(60):
        {0: bar.next, 1: bar.back, 2: lambda: bar.slider.setValue(generator.randrange(14))}[generator.randrange(3)]()
        position = session.program.walk.position
        now = {key: (each.data, each.grad) for key, each in session.presenter.readings.items()}, bar.words.text()
        assert seen.setdefault(position, now) == now
    assert len(seen) > 10


def test_output_and_variables_are_those_of_the_line(bar, shown, session):
    output = shown(OutputPanel, 420, 320)
    session.program.go_to_statement(7)
    assert output.printed.model().rowCount() == 1
    output.buttons["Variables"].click()
    rows = [[output.variables.model().index(row, column).data() for column in range(3)] for row in range(3)]
    assert rows == [["w", "0.0000", "+0.0000"], ["k", "0", ""], ["loss", "9.0000", "+1.0000"]]
    session.program.go_to_statement(1)
    assert output.variables.model().rowCount() == 1


def test_the_editor_marks_the_line_and_the_one_that_comes(bar, shown, session):
    panel = shown(ExpressionPanel, 420, 420)
    panel.set_colors(LIGHT)
    session.program.go_to_statement(3)
    [mark] = [each for each in panel.editor.extraSelections() if each.format.background().color() == LIGHT.output]
    assert mark.cursor.blockNumber() == 2 and session.program.walk.next_line == 4
    bar.action_set["by lines"].trigger()
    assert not [each for each in panel.editor.extraSelections() if each.format.background().color() == LIGHT.output]


def test_a_number_that_is_changed_keeps_the_place_and_another_program_is_shown_whole(bar, session):
    session.program.go_to_statement(5)
    session.edit("text", expression={"text": TEXT.replace("3.0", "4.0")})
    assert session.program.walk.position == 5 and data(session, "w") == ("0.0000", "+8.0000")
    session.edit("text", expression={"text": "a = Value(1.0)\nb = a + a\n"})
    assert session.program.walk.position == 2 and "b" in session.presenter.readings


def test_a_program_with_an_error_is_walked_up_to_it(bar, session):
    text = "a = Value(2.0)\nb = a * a\nb.backward()\nc = [1][5]\nd = 5\n"
    session.edit("text", expression={"text": text})
    assert (
        bar.words.text() == "Line 4 could not be run: IndexError: list index out of range" and outdated(session) == ""
    )
    assert data(session, "a") == ("2.0000", "+4.0000") and session.program.walk.line == 4
    bar.back()
    assert bar.words.text().startswith("Line 3") and session.program.walk.next_line == 4


def test_by_operations_again_the_end_is_shown_with_all_gradients(bar, session):
    session.program.go_to_statement(3)
    bar.step_by_lines(False)
    assert session.program.view.position is None and data(session, "w")[1] != "–"
    assert bar.place.toolTip().startswith("backward")


def test_a_network_is_stepped_by_operations_all_the_same(bar, session, qtbot):
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: session.presenter.n_steps > 0 and session.presenter.shows_network)
    assert not bar.steps_by_lines and not bar.action_set["by lines"].isEnabled()
    bar.go(1)
    assert session.presenter.position == 1


def test_run_to_this_line_walks_there_and_on_and_says_where_it_was_not_run(shown, session):
    session.edit("text", expression={"text": TEXT + "if False:\n    x = 1\n"})
    panel, told = shown(ExpressionPanel, 420, 420), []
    session.message_posted.connect(lambda text, _kind: told.append(text))
    panel.editor.go_to(5, 1)
    for position in (5, 11, 5):
        panel.run_to_line()
        assert session.program.walk.position == position
    panel.editor.go_to(9, 1)
    panel.run_to_line()
    assert told == [LINE_SENTENCES["never"].format(line=9)]


def test_run_to_the_line_that_fails_walks_to_the_error(shown, session):
    session.edit("text", expression={"text": "x = 2.0\ny = x * 3.0\nz = y + nothing\n"})
    panel = shown(ExpressionPanel, 420, 420)
    session.program.walk_lines(True)
    session.program.go_to_statement(1)
    panel.editor.go_to(3, 1)
    panel.run_to_line()
    assert session.program.walk.is_at_end and session.program.walk.line == 3


def test_of_a_long_program_it_says_how_much_is_kept_and_shows_the_end_after_that(shown, session, qtbot):
    session.edit("text", expression={"text": "w = Value(1.0)\nfor k in range(3000):\n    w.data += 1.0\n"})
    bar = shown(StepperBar, width=700)
    bar.step_by_lines(True)
    bar.go(2000)
    qtbot.waitUntil(lambda: session.presenter.value("w").data == 1000.0)
    bar.next()
    assert bar.words.text() == LINE_SENTENCES["end"].format(all=6001, kept=2000)
    assert session.presenter.value("w").data == 3001.0


@pytest.mark.slow
def test_where_no_value_is_made_yet_the_canvas_says_so(session, qtbot):
    panel = GraphPanel(session)
    qtbot.addWidget(panel)
    session.edit("text", expression={"text": TEXT})
    panel.stepper.step_by_lines(True)
    assert panel.canvas.overlay.hint == LINE_SENTENCES["none yet"].format(line=1)
    assert not panel.backward_calls.isVisibleTo(panel)


def test_what_is_said_of_statements_in_functions_and_of_values_without_a_gradient(shown, session):
    lines = "class Box:", "    def fill(self, v):", "        v.data = 5.0", "        return v"
    text = "\n".join([*lines, "w = Value(1.0)", "b = Box()", "c = b.fill(w)"])
    session.edit("text", expression={"text": text})
    bar = shown(StepperBar, width=700)
    bar.step_by_lines(True)
    told = {}
    for position in range(session.program.walk.total + 1):
        bar.go(position)
        told[session.program.walk.line] = bar.words.text()
    assert told[2].startswith("Line 2, in Box.fill: self = <Box>, v = 1.0000.")
    assert told[3] == "Line 3, in Box.fill: w now has the data 5.0000; its gradient is not computed yet."
    assert told[4] == "Line 4, in Box.fill, was run." and told[7] == "Line 7: c = 5.0000."
