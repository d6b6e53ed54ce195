"""What stands out in a network that trains, as a line in the window."""

import threading

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QLabel

from engine.document import Document, replace_section
from engine.document.frozen_floats import FrozenFloats
from engine.network.notices import NOTICES
from gui.background import join_stopped
from gui.bars import notice_line
from tests.gui.training import LONG, train


@pytest.fixture(autouse=True)
def looks_at_once(monkeypatch):
    monkeypatch.setattr(notice_line, "REST_MILLISECONDS", 5)


def alike():
    """A network whose weights are all 0, one step into its training."""
    document = replace_section(Document(), "network", layer_sizes=(2, 4, 1), activations=("tanh",))
    return replace_section(document, "trained", step=1, parameters=FrozenFloats([0.0] * 17))


@pytest.fixture
def on(reused_window):
    """Shows the training of a network in the window that others have used."""

    def show(document):
        reused_window.session.reset_document(document)
        reused_window.show_workspace("train")
        return reused_window

    return show


def open_on(make_window, qtbot, document, **options):
    window = make_window(document, **options)
    window.show_workspace("train")
    return window


def test_a_network_of_equal_neurons_is_pointed_at(on, qtbot):
    window = on(alike())
    line = window.notice
    qtbot.waitUntil(line.isVisible, timeout=LONG)
    assert line.words.text().startswith("Neurons 1 and 2 of layer 1 ")
    qtbot.mouseClick(line.why, Qt.MouseButton.LeftButton)
    words = line.page.findChild(QLabel).text()
    window.statusBar().showMessage("Train until paused")  # as with the pointer on Run
    assert line.isVisible() and not window.message.isVisible() and window.message.geometry().right() < line.x()
    window.statusBar().clearMessage()
    assert line.page.isVisible() and "like a single neuron" in words and "New weights" in words
    line.page.hide()
    window.action("roll").trigger()
    qtbot.waitUntil(lambda: not line.isVisible(), timeout=LONG)


def test_where_not_all_samples_were_looked_at_the_page_says_so(on, qtbot, monkeypatch):
    monkeypatch.setattr(notice_line, "MOST_SAMPLES", 3)
    window = on(alike())
    line, n_samples = window.notice, window.session.dataset.n_samples
    qtbot.waitUntil(line.isVisible, timeout=LONG)
    qtbot.mouseClick(line.why, Qt.MouseButton.LeftButton)
    words = line.page.findChild(QLabel).text()
    assert words.endswith(f"3 of {n_samples:,} training samples were looked at.")
    line.page.hide()


def test_nothing_is_said_of_a_network_that_trains_well(make_window, qtbot, monkeypatch):
    found, real = [], notice_line.notices
    monkeypatch.setattr(notice_line, "notices", lambda look: found.append(real(look)) or found[-1])
    window = open_on(make_window, qtbot, None)
    train(window.session, qtbot, "step")
    qtbot.waitUntil(lambda: bool(found), timeout=LONG)
    assert found[-1] == [] and window.notice.found == [] and not window.notice.isVisible()


def linear_on_xor(step):
    """XOR without hidden layers: at the optimum, 0.5 everywhere, or at its first weights."""
    document = replace_section(Document(), "network", layer_sizes=(2, 1), activations=())
    document = replace_section(document, "data", name="xor", noise=0.0, n_samples=4)
    document = replace_section(document, "training", loss="mean_squared_error", learning_rate=0.1)
    return replace_section(document, "trained", step=step, parameters=FrozenFloats([0.0, 0.0, 0.5]))


def test_at_the_optimum_of_a_linear_network_a_hidden_layer_is_advised_and_no_other_rate(on, qtbot):
    window = on(linear_on_xor(500))
    line = window.notice
    qtbot.waitUntil(line.isVisible, timeout=LONG)
    [notice] = line.found
    assert notice.name == "optimum reached" and "0.25" in notice.text
    assert "hidden layer" in notice.advice and "learning rate" not in notice.advice


def test_a_notice_goes_with_its_moment_when_an_earlier_step_is_viewed(on, qtbot):
    """Step 0 of a run with a low rate is no reason for advice; its last step is."""
    document = replace_section(Document(), "training", learning_rate=1e-5)
    window = on(document)
    session, line = window.session, window.notice
    for _ in range(40):
        session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 40, timeout=LONG)
    qtbot.waitUntil(line.isVisible, timeout=LONG)
    assert [notice.name for notice in line.found] == ["low learning rate"]
    session.training.view_step(0)
    qtbot.waitUntil(lambda: session.shown.snapshot.step == 0, timeout=LONG)
    assert line.found == [] and not line.isVisible()
    session.training.view_step(None)
    qtbot.waitUntil(line.isVisible, timeout=LONG)


def test_advice_on_a_run_that_has_ended_is_on_its_last_moment(session, qtbot, monkeypatch):
    """The run goes on while its first moment is looked at; the look after that is at the last one."""
    may_end, seen, real = threading.Event(), [], notice_line.notices

    def slow(look):
        seen.append(look.snapshot.step)
        may_end.wait(60)
        return real(look)

    monkeypatch.setattr(notice_line, "notices", slow)
    line = notice_line.NoticeLine(session)
    qtbot.addWidget(line)
    line.set_wanted(True)
    train(session, qtbot, "step")
    qtbot.waitUntil(lambda: seen == [1], timeout=LONG)
    for _ in range(3):
        train(session, qtbot, "step")
    qtbot.waitUntil(lambda: not line.is_waiting, timeout=LONG)  # it found the first look still under way
    may_end.set()
    qtbot.waitUntil(lambda: seen[-1] == 4, timeout=LONG)
    line.stop()
    join_stopped()


@pytest.mark.long
def test_a_kind_that_is_hidden_stays_so_until_all_are_asked_for(make_window, qtbot, tmp_path):
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    first = open_on(make_window, qtbot, alike(), settings=settings)
    assert not first.action("all notices").isEnabled()
    qtbot.waitUntil(first.notice.isVisible, timeout=LONG)
    qtbot.mouseClick(first.notice.hide_kind, Qt.MouseButton.LeftButton)
    assert not first.notice.isVisible() and first.notice.hidden_kinds == {"equal neurons"}
    first.session.discard_changes()
    first.close()
    second = open_on(make_window, qtbot, alike(), settings=settings)
    assert second.notice.hidden_kinds == {"equal neurons"} <= set(NOTICES)
    second.action_set.refresh()
    second.action("all notices").trigger()
    qtbot.waitUntil(second.notice.isVisible, timeout=LONG)


def test_it_is_quiet_where_no_training_is_to_be_seen(on, qtbot):
    window = on(alike())
    qtbot.waitUntil(window.notice.isVisible, timeout=LONG)
    window.show_workspace("understand")
    assert not window.notice.isVisible()
    window.show_workspace("train")
    qtbot.waitUntil(window.notice.isVisible, timeout=LONG)
