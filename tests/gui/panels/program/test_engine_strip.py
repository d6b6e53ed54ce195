"""What is wrong with the learner's own engine: said under the program, underlined in it, one after the other."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt

from engine.examples.examples import examples
from engine.language import Evaluation
from engine.language.engine_rows import EngineCheckRow
from gui.panels.program.expression import ExpressionPanel
from gui.panels.program.message_line import STRIP_TEXTS
from gui.session import Session
from gui.session.programs import Programs
from gui.theme import LIGHT

MUL = EngineCheckRow("mul", 2, 5.0, 2.0, False, "__mul__, line 2, gives p the gradient 2.0.", "p")
TANH = EngineCheckRow("tanh", 4, 0.1, 0.3, False, "tanh, line 4, takes its input for its output.", "n")
RIGHT = EngineCheckRow("add", 1, 1.0, 1.0, True)
PROGRAM = "class Value:\n    grad = 1  # a rule\n\n    tanh = 2\n"
WRONG = """class Value:
    def __init__(self, data, _children=(), _op='', label=''):
        self.data, self.grad = data, 0.0
        self._prev, self._op, self.label = set(_children), _op, label
        self._backward = lambda: None
    def __add__(self, other):
        out = Value(self.data + other.data, (self, other), '+')
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out
    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other), '*')
        def _backward():
            self.grad += self.data * out.grad
            other.grad += other.data * out.grad
        out._backward = _backward
        return out
    def backward(self):
        topo, visited = [], set()
        def build(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build(child)
                topo.append(v)
        build(self)
        self.grad = 1.0
        for v in reversed(topo):
            v._backward()

p, q, r = Value(2.0, label='p'), Value(5.0, label='q'), Value(1.5, label='r')
s = p * q
t = s + r
t.backward()
"""
RIGHT_RULE = WRONG.replace("+= self.data * out", "+= other.data * out", 1).replace(
    "other.grad += other.data", "other.grad += self.data"
)


@pytest.fixture
def checked(qtbot):
    """The panel on a program whose check has some rows."""
    sessions = []

    def show(rows):
        session = Session(programs=Programs(lambda _text, **_settings: with_check(rows)))
        sessions.append(session)
        session.edit("text", expression={"text": PROGRAM})
        panel = ExpressionPanel(session)
        qtbot.addWidget(panel)
        panel.set_colors(LIGHT)
        panel.resize(400, 500)
        panel.show()
        qtbot.waitExposed(panel)
        return panel

    yield show
    for session in sessions:
        session.close()


def with_check(rows):
    evaluation = Evaluation()
    object.__setattr__(evaluation, "engine_check", rows)
    return evaluation


def underlined(panel):
    return [mark.cursor.selectedText() for mark in panel.editor.extraSelections() if mark.cursor.hasSelection()]


def test_wrong_rules_are_told_one_after_the_other_and_their_lines_are_underlined(checked, qtbot):
    panel = checked((RIGHT, MUL, MUL, TANH, RIGHT))
    strip = panel.engine_strip
    assert strip.words.text() == "✗ __mul__, line 2, gives p the gradient 2.0."
    assert strip.count.text() == "2 of 5 rules agree with Gradstep's engine."
    assert underlined(panel) == ["grad = 1", "tanh = 2"]
    strip.show_rows((RIGHT, RIGHT, replace(MUL, of_pass=True)))
    assert strip.count.text() == "All 2 rules agree; the backward pass does not."
    strip.show_rows((RIGHT, MUL, MUL, TANH, RIGHT))
    strip.next.click()
    assert strip.words.text().startswith("✗ tanh, line 4") and panel.editor.textCursor().blockNumber() == 3
    strip.next.click()
    qtbot.mouseClick(strip.words, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert strip.words.text().startswith("✗ __mul__") and panel.editor.textCursor().blockNumber() == 1


def test_an_engine_without_a_mistake_is_told_so(checked):
    strip = checked((RIGHT, RIGHT)).engine_strip
    assert strip.isVisible() and strip.words.text() == STRIP_TEXTS["right"]
    assert not strip.next.isVisible() and not strip.words.property("error")
    strip.show_rows((RIGHT, replace(RIGHT, message="__mul__, line 2, keeps its inputs in a set")))
    assert strip.words.text().endswith("Gradstep's. __mul__, line 2, keeps its inputs in a set.")


@pytest.mark.slow
def test_there_is_no_tick_where_the_loss_rises_over_the_programs_loop(shown, session, qtbot):
    text = example("1_build_your_own_engine/09_training").replace("p.data += -0.05 * p.grad", "p.data += 0.05 * p.grad")
    panel = shown(ExpressionPanel)
    session.edit("text", expression={"text": text})
    qtbot.waitUntil(lambda: session.program.is_evaluated and panel.engine_strip.isVisible())
    assert panel.engine_strip.words.text() == STRIP_TEXTS["right but loss rises"]
    line = next(number for number, code in enumerate(text.splitlines(), 1) if "p.data += 0.05" in code)
    assert f"Line {line}:" in panel.message.text()


def example(name):
    return next(each.text for each in examples() if each.name == name)


@pytest.mark.parametrize("rows", [None, ()])
def test_without_an_engine_of_ones_own_nothing_is_said(checked, rows):
    panel = checked(rows)
    assert not panel.engine_strip.isVisible() and underlined(panel) == []


@pytest.mark.slow
def test_on_the_canvas_wrong_gradients_are_those_of_the_program_and_marked_also_on_a_walk(session, panel):
    session.edit("text", expression={"text": WRONG})
    presenter, notes = session.presenter, session.presenter.notes
    assert marked(panel) == ["p", "q"] and panel.canvas.decorations["p", "s:op"].text == "yours 2 right 5"
    assert [presenter.readings[key].grad for key in "pqs"] == ["+2.0000", "+5.0000", "+1.0000"]
    assert notes("q") == ("Your program has the gradient 5 here; 2 is right.",) and notes("s") == ()
    assert presenter.words().startswith("2 gradients of your program are wrong")
    session.edit("text", expression={"text": WRONG + "p.data -= 0.1 * p.grad\n"})
    presenter.set_position(1)
    assert marked(panel) == [] and panel.canvas.decorations["p", "s:op"].text == "", "there are no gradients yet"
    presenter.set_position(len(presenter.walk.script))
    assert marked(panel) == ["p", "q"] and panel.canvas.decorations["p", "s:op"].text == "yours 2 right 5"
    presenter.set_position(-1)
    session.edit("text", expression={"text": RIGHT_RULE.replace("self.grad = 1.0", "pass")})
    assert marked(panel) == ["p", "q", "r", "s", "t"] and presenter.readings["t"].grad == "+0.0000"
    session.edit("text", expression={"text": RIGHT_RULE})
    assert not marked(panel) and presenter.words() == "All data and gradients are computed."


@pytest.mark.slow
def test_a_rule_that_gives_the_right_number_by_chance_is_named_and_no_number_is_marked_for_it(session, panel):
    forgets = RIGHT_RULE.replace("self.grad += other.data * out.grad", "self.grad += other.data")
    session.edit("text", expression={"text": forgets})
    assert marked(panel) == [] and panel.canvas.decorations["p", "s:op"].text == "wrong rule"


def marked(panel):
    return sorted(key for key, each in panel.canvas.decorations.items() if each.differing)


@pytest.mark.slow
def test_of_a_program_with_an_error_only_the_wrong_rules_are_told(session, panel, qtbot):
    program = shown_with(qtbot, session)
    session.edit("text", expression={"text": WRONG + "missing\n"})
    assert session.error is not None and program.engine_strip.words.text().startswith("✗ __mul__, line 16")
    session.edit("text", expression={"text": WRONG.replace("self.data * out", "other.data * out").replace(
        "other.grad += other.data", "other.grad += self.data") + "missing\n"})  # fmt: skip
    assert session.error is not None and not program.engine_strip.isVisible()


def shown_with(qtbot, session):
    panel = ExpressionPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    return panel
