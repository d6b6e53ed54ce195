"""Predict, then reveal: hidden gradients are nowhere to be seen until they are answered."""

import pytest
from PySide6.QtCore import Qt

from gui.panels.explanations.checks import SENTENCES as CHECKS
from gui.panels.explanations.checks import ChecksPanel
from gui.panels.explanations.explain import SENTENCES as WHY
from gui.panels.explanations.explain import ExplainPanel
from gui.panels.explanations.nudging import ASCENT_SENTENCES as ASCENT
from gui.panels.explanations.nudging import AscentPanel
from gui.panels.explanations.predict import PredictPanel
from gui.presenter.prediction import SENTENCES

TEXT = "a = -2.0\nb = 3.0\nd = a*b\ne = a + b\nf = d*e\n"
RIGHT = {"f": "1", "e": "-6", "d": "1", "b": "-8", "a": "-3"}


@pytest.fixture
def panel(shown, session):
    session.edit("text", expression={"text": TEXT})
    panel = shown(PredictPanel, 420, 420)
    panel.buttons["hide all"].click()
    return panel


def answer(panel, qtbot, name, text):
    row = [asked.key for asked in panel.prediction.questions].index(name)
    panel.answers[row].clear()
    qtbot.keyClicks(panel.answers[row], text)
    qtbot.keyClick(panel.answers[row], Qt.Key.Key_Return)


def test_hidden_gradients_are_question_marks_until_they_are_answered(panel, session, qtbot):
    assert {reading.grad for reading in session.presenter.readings.values()} == {"?"}
    assert panel.answers[0].hasFocus() or panel.focusWidget() is panel.answers[0]
    assert not any("-8" in reading.full for reading in session.presenter.readings.values())
    answer(panel, qtbot, "b", "-8")
    assert session.presenter.readings["b"].grad == "−8.0000" and session.presenter.readings["a"].grad == "?"
    assert panel.caption == "1 of 5 found" and panel.page.plain_text() == "Right: b.grad = -8."


def test_answers_are_checked_and_the_score_is_kept(panel, session, qtbot):
    answer(panel, qtbot, "b", "-6")
    assert "one consumer" in panel.page.plain_text() and session.presenter.readings["b"].grad == "?"
    answer(panel, qtbot, "b", "what")
    assert panel.page.plain_text().startswith("Type a number")
    answer(panel, qtbot, "b", RIGHT["b"])
    panel.answers[[asked.key for asked in panel.prediction.questions].index("a")].setFocus()
    panel.buttons["hint"].click()
    assert panel.page.plain_text().startswith("Hint for a.grad")
    for name in "afed":
        answer(panel, qtbot, name, RIGHT[name])
    assert (panel.prediction.score.first, panel.prediction.score.later, panel.prediction.score.hinted) == (3, 1, 1)
    assert "All are found: 3 at once, 1 later, 1 with a hint." in panel.page.plain_text()
    assert session.presenter.prediction.hidden == frozenset()
    panel.buttons["hide all"].click()
    score = panel.prediction.score
    assert (score.first, score.later, score.hinted) == (3, 1, 1)
    assert len(session.presenter.prediction.hidden) == 5


def test_one_gradient_can_be_hidden_and_revealed(panel, session):
    panel.buttons["reveal"].click()
    session.select(None)
    assert session.presenter.prediction.hidden == frozenset() and panel.page.plain_text() == SENTENCES["start"]
    panel.buttons["hide one"].click()
    assert panel.page.plain_text() == SENTENCES["nothing selected"]
    session.select("d")
    panel.buttons["hide one"].click()
    assert session.presenter.prediction.hidden == {"d"} and len(panel.answers) == 1


def test_why_does_not_tell_what_is_hidden(panel, shown, session, qtbot):
    why = shown(ExplainPanel, 400, 300)
    session.select("b")
    qtbot.waitUntil(lambda: why.page.plain_text() == WHY["hidden"])
    answer(panel, qtbot, "b", "-8")
    assert why.page.plain_text() == WHY["hidden"]  # the next row is selected
    session.select("b")
    qtbot.waitUntil(lambda: "Why is b.grad = -8?" in why.page.plain_text())


def test_neither_checks_nor_following_the_gradient_nor_stepping_tell_it(panel, shown, session, qtbot):
    checks, ascent = shown(ChecksPanel, 400, 300), shown(AscentPanel, 400, 300)
    checks.run()
    qtbot.waitUntil(lambda: checks.caption == "✓ all agree")
    assert not checks.table.isVisible() and checks.hidden_label.text() == CHECKS["hidden"]
    assert ascent.page.plain_text() == ASCENT["hidden"]
    session.presenter.set_position(7)
    assert session.presenter.words().startswith("e.grad += f.grad × ∂f/∂e. A product")
    panel.buttons["reveal"].click()
    assert session.presenter.words().startswith("e.grad = 0 + 1 × (−6) = −6\ne.grad += f.grad × ∂f/∂e. A product")
    assert checks.table.isVisible() and not checks.hidden_label.isVisible()
    qtbot.waitUntil(lambda: "actual change" in ascent.page.plain_text())


def test_a_quiz_goes_on_and_keeps_what_is_typed_when_a_comment_is_written(panel, session, qtbot):
    answer(panel, qtbot, "b", "-6")
    session.edit("text", expression={"text": f"# mine\n{TEXT}"})
    (asked,) = [asked for asked in panel.prediction.questions if asked.key == "b"]
    assert (
        asked.text == "-6"
        and session.presenter.value("b") is asked.value
        and session.presenter.readings["b"].grad == "?"
    )
    answer(panel, qtbot, "b", RIGHT["b"])
    assert panel.prediction.score.later == 1 and len(session.presenter.prediction.hidden) == 4


def test_a_quiz_ends_when_the_program_becomes_another_one(panel, session):
    session.edit("text", expression={"text": TEXT.replace("3.0", "4.0")})
    assert panel.prediction.questions == [] and session.presenter.prediction.hidden == frozenset()
    assert session.presenter.readings["b"].grad != "?"
    session.edit("text", expression={"text": ""})
    assert panel.page.plain_text() == SENTENCES["empty"]
    panel.buttons["hide all"].click()
    assert panel.page.plain_text() == SENTENCES["empty"]


def test_a_graph_too_large_for_a_quiz_says_so(panel, session):
    session.edit("text", expression={"text": "x = 1.0\n" + "x = x*1.5 + 2\n" * 40})
    panel.buttons["hide all"].click()
    assert "hide the gradient of the selected box alone" in panel.page.plain_text()


def test_a_quiz_goes_on_where_a_gradient_is_not_a_number(panel, session):
    session.edit("text", expression={"text": "a = -2.0\nb = log(a)\nc = b * a"})
    panel.buttons["hide all"].click()
    assert any(asked.gradient != asked.gradient for asked in panel.prediction.questions)
    session.presenter.set_position(0)
    session.presenter.next()
    assert panel.prediction.questions and session.presenter.prediction.hidden


@pytest.mark.parametrize("walks", [False, True])
def test_after_an_update_the_gradients_of_that_step_are_asked_for(session, qtbot, walks):
    session.edit("rate", training={"learning_rate": 0.5})
    session.set_view(shows="network")
    for _ in range(5):
        session.train("phase")
        qtbot.waitUntil(lambda: session.newest is not None and not session.training.runner.unanswered)
    qtbot.waitUntil(lambda: session.presenter.sample is not None)
    presenter = session.presenter
    assert presenter.phase.name == "update"
    if walks:
        presenter.next()
    presenter.prediction.ask_all(presenter.graph_view)
    shown = [presenter.look_up()(asked.value)[1] for asked in presenter.prediction.questions]
    assert shown and [asked.gradient for asked in presenter.prediction.questions] == pytest.approx(shown)
