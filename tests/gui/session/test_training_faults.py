"""After a fault in what trains, or in what shows it, the trained weights can be saved and training goes on."""

import logging

import numpy as np
import pytest

from engine.network.run.progress import RunState
from engine.network.run.training_run import TrainingRun
from engine.session_file import from_json
from tests.gui.faults import fail
from tests.gui.session.saved_files import answer, save


def trained(path):
    return from_json(path.read_text()).trained


def train(session, qtbot):
    """One step, until it was reported, or a failure was."""
    session.train("step")
    qtbot.waitUntil(lambda: not session.training.runner.unanswered)


@pytest.mark.parametrize(
    "shown",
    [
        "gui.session.run.pass_parameters",
        "gui.session.recorded_runs.RecordedRuns.follow",
        "gui.session.run.DisplayPace.begin",
        "gui.presenter.graph_presenter.GraphPresenter.show_moment",
    ],
)
def test_what_was_trained_is_saved_although_it_cannot_be_shown(
    session, qtbot, tmp_path, monkeypatch, unexpected, shown
):
    monkeypatch.setattr(shown, fail)
    train(session, qtbot)
    assert session.modified
    assert session.save(tmp_path / "a.gradstep")
    assert trained(tmp_path / "a.gradstep").step == 1
    assert not session.modified
    assert unexpected and {str(error) for error in unexpected} == {"planted"}


def test_what_was_trained_is_saved_although_the_run_cannot_be_described(session, qtbot, tmp_path, monkeypatch, caplog):
    said = []
    session.message_posted.connect(lambda text, kind: said.append((text, kind)))
    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(TrainingRun, "describe", fail)
        train(session, qtbot)
        assert session.run_state is RunState.FAILED
        assert [kind for text, kind in said if "planted" in text] == ["error"]
        session.pause()
        assert session.run_state is RunState.FAILED
        assert session.modified
        assert session.save(tmp_path / "a.gradstep")
    saved = trained(tmp_path / "a.gradstep")
    assert saved.step == 1 and len(saved.parameters)
    train(session, qtbot)
    assert session.newest.snapshot.step == 2
    assert session.open(tmp_path / "a.gradstep")
    assert session.trained_so_far.step == 1
    assert np.array_equal(session.trained_so_far.parameters.array, saved.parameters.array)


@pytest.mark.slow
def test_a_run_that_failed_goes_on_pauses_and_is_reset(session, qtbot, monkeypatch, caplog):
    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(TrainingRun, "describe", fail)
        train(session, qtbot)
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 2)
    session.pause()
    qtbot.waitUntil(lambda: session.run_state is RunState.PAUSED)
    session.reset()
    train(session, qtbot)
    assert session.newest.snapshot.step == 1


def test_who_saves_is_told_before_that_the_newest_steps_cannot_be_had(
    make_window, qtbot, tmp_path, monkeypatch, caplog
):
    window = make_window()
    session, path = window.session, tmp_path / "a.gradstep"
    session.save(path)
    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR):
        patch.setattr(TrainingRun, "describe", fail)
        patch.setattr(TrainingRun, "savable", fail)
        train(session, qtbot)
        before = path.read_bytes()
        window.files.save()
        answer(window, qtbot, "Cancel")
        assert path.read_bytes() == before and session.modified
        window.files.save()
        answer(window, qtbot, "Save step 0")
        qtbot.waitUntil(lambda: not window.files.writing.busy)
        assert session.modified  # the steps are in no file
        assert not window.close()
        answer(window, qtbot, "Cancel")
    train(session, qtbot)
    save(window, qtbot)
    assert trained(path).step == session.trained_so_far.step == 2
    assert not session.modified
