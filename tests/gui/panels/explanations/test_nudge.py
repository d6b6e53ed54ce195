"""The nudge panel: predicted beside actual, the error by h, and leaves that follow their gradients."""

import pytest
from PySide6.QtCore import Qt

from gui.panels.explanations.nudging import NUDGE_SENTENCES, NudgePanel

TEXT = "a = 2.0\nb = -3.0\nc = 10.0\nf = -2.0\ne = a*b\nd = e + c\nL = d*f"


@pytest.fixture
def panel(shown, session, qtbot):
    session.edit("text", expression={"text": TEXT})
    panel = shown(NudgePanel, 460, 560)
    session.select("a")
    qtbot.waitUntil(lambda: panel.caption == "Nudging a by h = 0.01")
    return panel


def says(panel, words):
    return lambda: words in panel.page.plain_text()


@pytest.mark.slow
def test_the_predicted_change_stands_beside_the_actual_one(panel, qtbot):
    assert "predicted = dL/da × h = 6 × 0.01 = 0.06" in panel.page.plain_text()
    assert "actual = -7.94 - (-8) = 0.06" in panel.page.plain_text()
    panel.h.selectAll()
    qtbot.keyClicks(panel.h, "-0.5")
    qtbot.waitUntil(says(panel, "predicted = dL/da × h = 6 × (-0.5) = -3"))
    assert panel.slider.value() == -50


def test_after_return_the_next_key_begins_another_number(panel, session, qtbot):
    panel.h.selectAll()
    qtbot.keyClicks(panel.h, "0.1")
    qtbot.keyClick(panel.h, Qt.Key.Key_Return)
    qtbot.keyClicks(panel.h, "2")
    assert session.nudge.h == 2.0


@pytest.mark.slow
def test_after_an_update_the_data_that_the_gradient_comes_from_are_nudged(panel, session, qtbot):
    program = "w = Value(3.0)\ny = (w*2 - 1)**2\ny.backward()\nw.data -= 0.1 * w.grad\n"
    session.edit("text", expression={"text": program})
    session.select("w")
    qtbot.waitUntil(says(panel, "predicted = dy/dw × h = 20 × 0.01 = 0.2"))
    qtbot.waitUntil(says(panel, "0.2004"))


@pytest.mark.slow
def test_dragging_nudges_and_what_is_not_a_number_is_marked(panel, qtbot):
    panel.slider.setValue(70)
    qtbot.waitUntil(lambda: panel.caption == "Nudging a by h = 0.07")
    panel.h.selectAll()
    qtbot.keyClicks(panel.h, "1e")
    assert panel.h.property("invalid") and panel.h.number == 1.0
    panel.slider.setValue(-20)
    qtbot.waitUntil(lambda: panel.caption == "Nudging a by h = -2")
    assert not panel.h.property("invalid")


@pytest.mark.slow
def test_the_plot_has_the_errors_and_names_what_they_are(panel, session, qtbot):
    session.edit("text", expression={"text": "x = 0.7\ny = tanh(x)**3"})
    session.select("x")
    qtbot.waitUntil(lambda: panel.caption.startswith("Nudging x"))
    x, _y = panel.curve.getData()
    assert list(x.round(6)) == [-float(k) for k in range(1, 13)]
    assert panel.names["truncation"].pos().x() > panel.names["round-off"].pos().x()
    assert panel.here.getData()[0][0] == pytest.approx(-2)


@pytest.mark.slow
def test_a_weight_of_a_network_is_nudged_at_the_moment_that_is_shown(panel, session, qtbot):
    session.set_view(shows="network", expanded=["*"])
    qtbot.waitUntil(lambda: session.presenter.value("L1N1.w1") is not None)
    session.select("L1N1.w1")
    qtbot.waitUntil(says(panel, "dloss/dL1N1.w1"))
    before = panel.page.plain_text()
    session.train("step")
    qtbot.waitUntil(lambda: panel.page.plain_text() != before and "dloss/dL1N1.w1" in panel.page.plain_text())


def test_a_gradient_that_is_hidden_or_that_the_walk_has_not_reached_is_not_told(panel, session, qtbot):
    walk = session.presenter.walk
    session.presenter.set_position(0)
    assert panel.page.plain_text() == NUDGE_SENTENCES["not reached"] and panel.caption == ""
    session.presenter.set_position(max(walk.arrivals(session.presenter.value("a"))) - 1)
    qtbot.waitUntil(says(panel, "slope"))
    assert "predicted" not in panel.page.plain_text() and panel.plot.isHidden()
    session.presenter.next()
    qtbot.waitUntil(says(panel, "predicted"))
    assert panel.caption == "Nudging a by h = 0.01"
    session.presenter.prediction.ask_one(session.presenter.value("a"), session.presenter.graph_view)
    assert panel.page.plain_text() == NUDGE_SENTENCES["hidden"]


def test_with_nothing_selected_it_says_what_would_fill_it(panel, session):
    session.select(None)
    assert panel.page.plain_text() == NUDGE_SENTENCES["empty"]


@pytest.mark.slow
def test_the_largest_number_there_is_can_be_typed(panel, qtbot):
    panel.h.selectAll()
    qtbot.keyClicks(panel.h, "1e308")
    qtbot.waitUntil(lambda: panel.caption == "Nudging a by h = 1e+308")
    assert panel.slider.value() == panel.slider.maximum()


@pytest.mark.slow
def test_an_answer_about_a_number_does_not_come_after_an_array_was_selected(panel, session, qtbot):
    session.edit(
        "text",
        expression={"text": "x = Value(0.7)\nv = torch.tensor([1.0, 2.0], requires_grad=True)\ny = (x * v).sum()"},
    )
    session.select("x")
    session.select("v")
    assert panel.page.plain_text() == NUDGE_SENTENCES["array"]
    session.select("x")
    qtbot.waitUntil(lambda: panel.caption.startswith("Nudging x"))
