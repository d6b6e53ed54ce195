import numpy as np
import pytest
from PySide6.QtCore import QPointF

from gui.panels.plots import log_ticks, short_number
from gui.panels.training import TrainingPanel, logarithms


def drawn(panel):
    steps, losses = panel.train_curve.getOriginalDataset()
    return (0, []) if steps is None else (len(steps), losses)


def test_the_curve_grows_with_training_and_the_caption_says_the_loss(qtbot, session, shown):
    panel = shown(TrainingPanel)
    assert panel.caption == "no step yet"
    session.train("step")
    qtbot.waitUntil(lambda: drawn(panel)[0] == 1)
    assert panel.caption == f"{session.progress.curve_losses[-1]:.4f}"


def test_running_and_pausing(qtbot, session, shown):
    panel = shown(TrainingPanel)
    session.run()
    qtbot.waitUntil(lambda: drawn(panel)[0] > 10)
    session.pause()
    qtbot.waitUntil(lambda: session.progress.state == "paused")
    assert session.run_state == "paused"


def test_reset_empties_the_curve(qtbot, session, shown):
    panel = shown(TrainingPanel)
    session.train("step")
    qtbot.waitUntil(lambda: drawn(panel)[0] == 1)
    session.reset()
    assert drawn(panel)[0] == 0
    assert panel.caption == "no step yet"


def test_a_loss_of_0_can_be_drawn_with_logarithms():
    assert logarithms(np.array([1.0, 0.01, 0.0])).tolist() == [0.0, -2.0, -3.0]
    assert np.all(np.isfinite(logarithms(np.zeros(3))))
    assert logarithms(np.empty(0)).size == 0


def test_the_axis_switches_between_losses_and_logarithms(qtbot, session, shown):
    panel = shown(TrainingPanel)
    session.train("epoch")
    qtbot.waitUntil(lambda: drawn(panel)[0] == 1)
    loss = session.progress.curve_losses[0]
    panel.logarithmic.click()
    assert drawn(panel)[1][0] == pytest.approx(np.log10(loss))
    panel.logarithmic.click()
    assert drawn(panel)[1][0] == pytest.approx(loss)


@pytest.mark.parametrize(("low", "high"), [(-8, 1), (-0.2, 0.3), (-3.02, -2.98), (-3.0, -2.5), (-300, 5), (0, 0.5)])
def test_logarithmic_ticks_are_a_few_and_inside(low, high):
    ticks = log_ticks(low, high, 5)
    assert 1 <= len(ticks) <= 8
    assert ticks == sorted(ticks)
    assert all(low <= tick <= high for tick in ticks)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0"), (0.05, "0.05"), (250.0, "250"), (2500.0, "2.5k"), (20_000.0, "20k"), (1.5e6, "1.5M"), (1e-5, "1e-5")],
)
def test_ticks_are_short(number, text):
    assert short_number(number) == text


def test_the_value_under_the_pointer_is_said(qtbot, session, shown):
    panel = shown(TrainingPanel)
    session.train("step")
    qtbot.waitUntil(lambda: drawn(panel)[0] == 1)
    box = panel.plot.getPlotItem().getViewBox()
    panel.plot.scene().sigMouseMoved.emit(box.sceneBoundingRect().center())
    assert panel.caption.startswith("step 0: ")
    panel.plot.scene().sigMouseMoved.emit(QPointF(-50, -50))
    assert not panel.caption.startswith("step")


def test_a_hidden_panel_catches_up_when_it_is_shown(qtbot, session, shown):
    panel = shown(TrainingPanel)
    panel.hide()
    session.train("step")
    qtbot.waitUntil(lambda: session.progress is not None and session.progress.snapshot.step == 1)
    assert drawn(panel)[0] == 0
    panel.show()
    assert drawn(panel)[0] == 1
