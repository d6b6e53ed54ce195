"""The panel that follows the gradient: the output rises as predicted, step by step."""

import pytest
from PySide6.QtCore import Qt

from gui.panels.explanations.nudging import ASCENT_SENTENCES, AscentPanel

TEXT = "a = 2.0\nb = -3.0\nc = 10.0\nf = -2.0\ne = a*b\nd = e + c\nL = d*f"


@pytest.fixture
def panel(shown, session, qtbot):
    session.edit("text", expression={"text": TEXT})
    panel = shown(AscentPanel, 460, 300)
    qtbot.waitUntil(lambda: "L: -8 → " in panel.page.plain_text())
    return panel


def test_ticked_leaves_follow_their_gradients_step_by_step(panel, qtbot):
    assert [panel.leaves.item(row).text() for row in range(4)] == ["a", "b", "c", "f"]
    assert "L: -8 → -7.286496" in panel.page.plain_text()
    qtbot.mouseClick(panel.again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "L: -7.286496 → " in panel.page.plain_text())
    qtbot.mouseClick(panel.back, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "L: -8 → -7.286496" in panel.page.plain_text())
    for row in range(1, 4):
        panel.leaves.item(row).setCheckState(Qt.CheckState.Unchecked)
    qtbot.waitUntil(lambda: "L: -8 → -7.64" in panel.page.plain_text())
    panel.leaves.item(0).setCheckState(Qt.CheckState.Unchecked)
    qtbot.waitUntil(lambda: "Tick at least one leaf" in panel.page.plain_text())


def test_a_step_below_0_makes_the_output_smaller(panel, qtbot):
    panel.step.selectAll()
    qtbot.keyClicks(panel.step, "-0.01")
    qtbot.waitUntil(lambda: "predicted = -0.01 × 72 = -0.72" in panel.page.plain_text())
    assert "L: -8 → -8.7" in panel.page.plain_text()


def test_the_parameters_of_a_network_follow_the_gradient_of_its_loss(panel, session, qtbot):
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: "loss: " in panel.page.plain_text())
    assert panel.leaves.item(0).text() == "L1N1.w1"


def test_without_a_graph_it_says_what_would_fill_it(panel, session):
    session.edit("text", expression={"text": ""})
    assert panel.page.plain_text() == ASCENT_SENTENCES["empty"]
