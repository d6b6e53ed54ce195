"""The bar for the past of a run."""

from PySide6.QtCore import Qt

from gui.panels.history_bar import HistoryBar
from tests.gui.training import train

LONG = 20_000


def bar_of(session, qtbot, n_steps=4):
    bar = HistoryBar(session)
    qtbot.addWidget(bar)
    bar.resize(280, 60)
    for _ in range(n_steps):
        train(session, qtbot, "step")
    return bar


def test_it_is_hidden_until_there_is_a_past(session, qtbot):
    bar = bar_of(session, qtbot, 0)
    assert bar.isHidden()
    train(session, qtbot, "step")
    assert not bar.isHidden() and (bar.slider.minimum(), bar.slider.maximum()) == (0, 1)
    session.reset()
    assert bar.isHidden()


def test_the_slider_views_a_step_and_newest_goes_back(session, qtbot):
    bar = bar_of(session, qtbot)
    assert not bar.newest.isVisible() and bar.words.text() == "step 4, the newest"
    bar.slider.setValue(1)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 1, timeout=LONG)
    assert bar.words.text() == "step 1 of 4" and bar.newest.isVisible() and bar.go_on.isVisible()
    qtbot.mouseClick(bar.newest, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 4, timeout=LONG)
    assert bar.slider.value() == 4 and not bar.newest.isVisible()


def test_its_last_step_is_the_newest_also_when_it_was_dragged_there(session, qtbot):
    bar = bar_of(session, qtbot)
    bar.slider.setValue(1)
    bar.slider.setValue(4)
    train(session, qtbot, "step")
    assert session.shown.snapshot.step == 5 and bar.slider.value() == 5


def test_going_on_cuts_the_run_there(session, qtbot):
    bar = bar_of(session, qtbot)
    bar.slider.setValue(2)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 2, timeout=LONG)
    qtbot.mouseClick(bar.go_on, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: session.newest.snapshot.step == 2, timeout=LONG)
    assert bar.slider.maximum() == 2 and session.newest.curve_steps.tolist() == [0, 1]


def test_twenty_clicks_beside_the_handle_lead_through_the_whole_run(session, qtbot):
    bar = bar_of(session, qtbot, 1)
    for _ in range(199):
        session.train("step")
    qtbot.waitUntil(lambda: bar.slider.maximum() == 200, timeout=LONG)
    bar.slider.triggerAction(bar.slider.SliderAction.SliderPageStepSub)
    assert bar.slider.value() == 190
