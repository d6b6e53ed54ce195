"""The lens panel draws the output by the selected value, and the operation by its argument."""

import numpy as np
import pytest

from gui.panels.explanations.nudging import LENS_SENTENCES, LensPanel

TEXT = "x = 3.0\nf = 3*x**2 - 4*x + 5"


@pytest.fixture
def panel(shown, session, qtbot):
    session.edit("text", expression={"text": TEXT})
    panel = shown(LensPanel, 420, 420)
    session.select("x")
    qtbot.waitUntil(lambda: panel.caption == "f as a function of x")
    return panel


def slope_of(item):
    x, y = item.getData()
    return (y[-1] - y[0]) / (x[-1] - x[0])


@pytest.mark.slow
def test_the_curve_its_tangent_and_its_secant_are_drawn(panel, qtbot):
    x, y = panel.curve.getData()
    assert y == pytest.approx(3 * x**2 - 4 * x + 5)
    assert slope_of(panel.tangent) == pytest.approx(14) and slope_of(panel.secant) == pytest.approx(17)
    panel.slider.setValue(0)
    qtbot.waitUntil(lambda: slope_of(panel.secant) == pytest.approx(14, abs=1e-5))
    assert panel.h.number == 1e-8 and "tangent: df/dx ≈ 14" in panel.page.plain_text()


@pytest.mark.slow
def test_h_can_be_typed(panel, qtbot):
    panel.h.selectAll()
    qtbot.keyClicks(panel.h, "-2")
    qtbot.waitUntil(lambda: slope_of(panel.secant) == pytest.approx(8))
    assert panel.points.getData()[0] == pytest.approx([3.0, 1.0])


@pytest.mark.slow
@pytest.mark.parametrize("text", ["x = 3.0\nf = 1e10*x", "x = -1.7e308\nf = 0.5*x", "x = 1e200\nf = x*x"])
def test_the_largest_h_can_be_typed(panel, session, qtbot, text):
    session.edit("text", expression={"text": text})
    for typed, shown in (("1e308", "÷ 1e+308"), ("-1.7e308", "-1.7e+308"), ("0.5", "÷ 0.5")):
        panel.h.selectAll()
        qtbot.keyClicks(panel.h, typed)
        told = (shown, "has no number")
        qtbot.waitUntil(lambda told=told: any(words in panel.page.plain_text() for words in told))
        panel.grab()


@pytest.mark.slow
def test_an_operation_of_one_number_is_drawn_with_its_derivative_and_every_value_on_it(panel, session, qtbot):
    session.edit("text", expression={"text": "a = 0.5\nb = tanh(a)\nc = tanh(b)*b"})
    session.select("b")
    qtbot.waitUntil(lambda: panel.caption == "c as a function of b")
    panel.operation.click()
    qtbot.waitUntil(lambda: panel.caption == "tanh and its derivative")
    x, y = panel.slope_curve.getData()
    assert y == pytest.approx(1 - np.tanh(x) ** 2) and len(panel.points.getData()[0]) == 4
    session.select("a")
    qtbot.waitUntil(lambda: panel.caption == "c as a function of a")
    assert not panel.operation.isEnabled()


@pytest.mark.slow
def test_an_operation_of_two_numbers_has_no_curve_also_where_the_panel_has_not_seen_it_yet(panel, session, qtbot):
    session.edit("text", expression={"text": "a = 0.5\nb = tanh(a)\nc = b*a"})
    session.select("b")
    qtbot.waitUntil(lambda: panel.caption == "c as a function of b")
    panel.hide()
    session.select("c")
    panel.operation.click()
    qtbot.waitUntil(lambda: panel.caption == "c as a function of c")


@pytest.mark.slow
def test_a_weight_of_a_network_at_another_moment_is_another_curve(panel, session, qtbot):
    session.set_view(shows="network", expanded=["*"])
    qtbot.waitUntil(lambda: session.presenter.value("L1N1.w1") is not None)
    session.select("L1N1.w1")
    qtbot.waitUntil(lambda: panel.caption == "loss as a function of L1N1.w1")
    before = panel.points.getData()[0][0]
    session.train("step")
    qtbot.waitUntil(lambda: panel.points.getData()[0][0] != before)
    session.select("L1N1")
    qtbot.waitUntil(lambda: panel.caption == "loss as a function of L1N1")
    panel.operation.click()
    qtbot.waitUntil(lambda: panel.caption == "tanh and its derivative")
    before = panel.points.getData()[0][0]
    session.train("step")  # while the operation is drawn
    qtbot.waitUntil(lambda: panel.points.getData()[0][0] != before)
    panel.operation.click()
    qtbot.waitUntil(lambda: panel.caption == "loss as a function of L1N1")
    assert slope_of(panel.tangent) == pytest.approx(session.presenter.value("L1N1").grad)


@pytest.mark.slow
def test_with_nothing_selected_it_says_what_would_fill_it(panel, session):
    session.select(None)
    assert panel.page.plain_text() == LENS_SENTENCES["empty"] and panel.caption == ""
    assert not panel.plot.isVisible()  # it had the axes of the value before


@pytest.mark.slow
@pytest.mark.parametrize("text", ["x = 0.5\ny = log(x - 1)", "x = 1e200\ny = tanh(x*x*x*x - x*x*x*x)"])
def test_an_output_without_a_number_has_no_point(panel, session, qtbot, text):
    session.edit("text", expression={"text": text})
    for name in ("x", "y"):
        session.select(name)
        qtbot.waitUntil(lambda name=name: panel.caption == f"y as a function of {name}")
        panel.grab()
        assert panel.points.getData() == (None, None)
    panel.operation.click()
    qtbot.waitUntil(lambda: panel.caption == f"{session.presenter.value('y').op.name} and its derivative")
    panel.grab()
