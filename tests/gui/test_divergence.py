"""A run that diverges: the window says so and leads back to weights that were good."""

import numpy as np
import pytest
from PySide6.QtWidgets import QMessageBox

from engine.document import Document, replace_section
from engine.session_file import from_json, to_json
from gui.session.files import LARGE_FILE
from tests.gui.training import LONG, train


@pytest.fixture
def window(reused_window):
    """Tests that close it make one of their own."""
    return reused_window


def diverge(session, qtbot):
    """Trains well for a while, then with a rate that is far too high; the weights before."""
    for _ in range(5):
        train(session, qtbot, "step")
    good = session.newest.snapshot.parameters.copy()
    session.edit("learning rate", training={"learning_rate": 1e9})
    session.run()
    qtbot.waitUntil(lambda: session.newest.state == "failed", timeout=LONG)
    return good


def test_one_click_goes_back_to_the_weights_before(window, qtbot):
    session = window.session
    assert not window.divergence.isVisible()
    good = diverge(session, qtbot)
    assert window.divergence.isVisible()
    assert "diverged at step" in window.divergence.words.text()
    assert window.divergence.go_back.text().startswith("Back to step 5 (loss ")
    window.divergence.go_back.click()
    qtbot.waitUntil(lambda: session.newest.diverged_at is None, timeout=LONG)
    assert not window.divergence.isVisible()
    assert session.newest.snapshot.step == 5
    assert np.array_equal(session.newest.snapshot.parameters, good)
    session.edit("learning rate", training={"learning_rate": 0.01})
    train(session, qtbot, "step")
    assert session.newest.snapshot.step == 6
    assert np.isfinite(session.newest.snapshot.loss)


def test_no_panel_moves_when_a_run_diverges(window, qtbot):
    def places():
        return window.graph_panel.geometry(), window.main_bar.geometry(), window.statusBar().geometry()

    train(window.session, qtbot, "step")
    before = places()
    diverge(window.session, qtbot)
    qtbot.waitUntil(lambda: window.divergence.go_back.isVisible())
    assert places() == before
    assert window.rect().contains(window.divergence.mapTo(window, window.divergence.rect().bottomRight()))


def test_in_train_no_panel_moves_when_a_run_diverges_and_the_advice_gives_its_room(window, qtbot):
    def places():
        return {name: dock.geometry() for name, dock in window.docks.items() if dock.isVisible()}

    window.show_workspace("train")
    qtbot.waitUntil(lambda: all(dock.is_made for dock in window.docks.values() if not dock.visibleRegion().isEmpty()))
    train(window.session, qtbot, "step")
    seen = []

    def are_still():
        seen.append(places())
        return len(seen) > 5 and all(each == seen[-1] for each in seen[-5:])

    qtbot.waitUntil(are_still)  # docks get their last pixel when the panels in them are laid out
    before = places()
    diverge(window.session, qtbot)
    qtbot.waitUntil(lambda: window.divergence.go_back.isVisible())
    after = places()
    assert {name: (before[name], place) for name, place in after.items() if place != before[name]} == {}
    assert not window.notice.isVisible()


def test_what_is_saved_after_a_divergence_is_what_the_click_leads_to(window, qtbot, tmp_path):
    good = diverge(window.session, qtbot)
    assert window.session.save(tmp_path / "a.gradstep")
    trained = from_json((tmp_path / "a.gradstep").read_text()).trained
    assert trained.step == 5
    assert np.array_equal(trained.parameters.array, good)


def test_a_run_that_diverges_before_anybody_looks_keeps_its_last_good_step(session, qtbot, tmp_path):
    session.edit("rate", training={"learning_rate": 1.0})
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.diverged_at is not None, timeout=LONG)
    losses = session.newest.curve_losses
    lowest = np.minimum.accumulate(losses)
    step = int(np.flatnonzero(losses[1:] <= 10.0 * lowest[:-1])[-1]) + 1  # all samples are seen at each step
    assert 0 < step < session.newest.diverged_at - 10
    assert session.newest.savable.step == step and session.newest.savable.loss == pytest.approx(losses[step])
    assert session.save(tmp_path / "a.gradstep")
    assert from_json((tmp_path / "a.gradstep").read_text()).trained.step == step


def test_a_file_saved_after_a_divergence_is_said_to_keep_the_last_good_step(window, qtbot, tmp_path):
    diverge(window.session, qtbot)
    assert "step 5" in window.divergence.words.text()
    window.session.path = tmp_path / "a.gradstep"
    window.files.save()
    qtbot.waitUntil(lambda: "step 5" in window.message.message, timeout=LONG)


def test_the_bar_goes_away_with_the_run_it_is_about(window, qtbot):
    diverge(window.session, qtbot)
    window.session.reset()
    assert not window.divergence.isVisible()


def test_an_error_goes_away_once_something_is_done_after_it(window, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("gui.bars.message_label.monotonic", lambda: now[0])
    window.show_message("it did not work", "error")
    window.session.edit("text", expression={"text": "a = 1"})
    assert window.message.message == "it did not work"
    now[0] += 5.0
    window.session.edit("text", expression={"text": "a = 2"})
    assert window.message.message == ""


def test_new_gives_up_a_file_that_is_still_being_read(window, qtbot, tmp_path):
    path = tmp_path / "large.gradstep"
    document = replace_section(Document(), "expression", text="late = 1")
    path.write_text(to_json(document) + " " * LARGE_FILE)
    window.files.open_path(path)
    window.files.new()
    qtbot.waitUntil(lambda: not window.files.reading.busy, timeout=LONG)
    assert window.session.path is None
    assert window.session.document == Document()
    assert window.findChild(QMessageBox) is None


def test_the_first_number_that_went_bad_is_named_with_what_to_try(window, qtbot):
    session = window.session
    session.edit("loss", training={"loss": "sum_squared_error"})
    diverge(session, qtbot)
    newest, words = session.newest, window.divergence.words.toolTip().splitlines()
    assert str(newest.diverged_at) in words[0] and words[3].startswith(newest.diverged_first)
    node, _of, sample = newest.diverged_first.partition(" of sample ")
    assert node.split(".")[0][:2] in ("L1", "L2", "L3", "lo") and int(sample) in range(1, 101)
    assert "rate below 1e+09" in words[1] and f"step {newest.savable.step}" in words[2]
    assert "mean of the errors" in words[4] and "Clip the gradient" in words[5]
    window.resize(1024, 700)
    assert "rate below 1e+09." in window.divergence.words.shown_text()


def test_one_click_goes_back_and_makes_the_rate_smaller(window, qtbot):
    session = window.session
    good = diverge(session, qtbot)
    assert window.divergence.slower.text() == "Back, with learning rate 100000000"
    window.divergence.slower.click()
    qtbot.waitUntil(lambda: session.newest.diverged_at is None, timeout=LONG)
    assert session.document.training.learning_rate == 1e8
    assert session.newest.snapshot.step == 5 and np.array_equal(session.newest.snapshot.parameters, good)
    session.undo_stack.undo_edit()
    assert session.document.training.learning_rate == 1e9 and session.newest.snapshot.step == 5


def test_in_a_lesson_it_says_that_the_run_diverged_and_gives_no_advice(window, qtbot):
    session = window.session
    window.course.open("12_too_slow_too_fast")
    session.edit("learning rate", training={"learning_rate": 1e9})
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.diverged_at is not None, timeout=LONG)
    assert window.divergence.isVisible() and "iverged at step" in window.divergence.words.text()
    assert not window.divergence.go_back.isVisible() and not window.divergence.slower.isVisible()
    window.leave_lesson()
