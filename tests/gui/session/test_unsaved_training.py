"""What was trained is part of the work: it is marked, saved, undone and opened again, and never mixed up."""

import dataclasses
import json

import numpy as np
import pytest

from engine.document import Document, Trained, replace_section
from engine.experiment.assemble import make_model
from engine.session_file import from_json, to_json
from gui.session import Session

LONG = 10_000


def reported(change):
    return "moment" in change and "model" not in change


def steps(session, qtbot, count=1):
    for _ in range(count):
        wanted = session.trained_so_far.step + 1
        session.train("step")
        qtbot.waitUntil(lambda n=wanted: session.newest is not None and session.newest.snapshot.step == n, timeout=LONG)


def weights(session):
    return session.newest.snapshot.parameters if session.newest else make_model(session.document).weights


def adam(document=None):
    return replace_section(document or Document(), "training", optimizer="adam", batch_size=30)


def same_moment(one, other):
    return (one.step, one.epoch, one.position) == (other.step, other.epoch, other.position) and np.array_equal(
        one.parameters, other.parameters
    )


@pytest.mark.slow
def test_an_opened_file_never_goes_on_with_the_weights_of_the_session_before(session, qtbot, tmp_path):
    untrained = tmp_path / "b.gradstep"
    untrained.write_text(to_json(session.document))
    first = make_model(session.document).weights.copy()
    steps(session, qtbot, 3)
    assert session.open(untrained)
    assert session.newest is None
    assert np.array_equal(make_model(session.document).weights, first)
    assert session.save(untrained)
    assert from_json(untrained.read_text()).trained == Trained()
    steps(session, qtbot)
    assert session.newest.snapshot.step == 1


@pytest.mark.slow
def test_a_new_session_starts_from_the_first_weights(session, qtbot):
    first = make_model(session.document).weights.copy()
    steps(session, qtbot, 2)
    session.reset_document(Document())
    steps(session, qtbot)
    other = Session()
    steps(other, qtbot)
    assert np.array_equal(weights(session), weights(other))
    assert not np.array_equal(weights(session), first)
    other.close()


@pytest.mark.slow
def test_opening_the_same_file_again_goes_back_to_it(session, qtbot, tmp_path):
    path = tmp_path / "a.gradstep"
    steps(session, qtbot, 2)
    session.save(path)
    kept = session.trained_so_far
    steps(session, qtbot, 3)
    assert session.open(path)
    assert session.trained_so_far == kept


@pytest.mark.parametrize(
    "change",
    [
        {"network": {"layer_sizes": [3, 4, 1]}},
        {"trained": {"step": 5, "parameters": [0.5] * 36}},
        {"data": {"name": "no such data"}},
        {"data": {"name": "spirals3"}, "training": {"loss": "hinge"}},
    ],
)
def test_a_file_whose_parts_do_not_fit_replaces_nothing(session, qtbot, tmp_path, change):
    steps(session, qtbot, 2)
    content = json.loads(to_json(Document()))
    for section, fields in change.items():
        content[section].update(fields)
    path = tmp_path / "odd.gradstep"
    path.write_text(json.dumps(content))
    before, trained = session.document, session.trained_so_far
    told = []
    session.message_posted.connect(lambda text, kind: told.append((kind, text)))
    assert not session.open(path)
    assert told[-1][0] == "error"
    assert "odd.gradstep" in told[-1][1]
    assert (session.document, session.trained_so_far) == (before, trained)
    steps(session, qtbot)
    assert session.newest.snapshot.step == 3


@pytest.mark.slow
def test_undo_of_an_added_layer_brings_the_training_back(session, qtbot):
    session.reset_document(adam())
    steps(session, qtbot, 5)
    before = session.trained_so_far
    session.edit("layers", network={"layer_sizes": (2, 4, 4, 4, 1)})
    assert session.trained_so_far.step == 5 and session.trained_so_far.optimizer_state == ()
    assert session.trained_so_far.parameters.array[:32].tolist() == before.parameters.array[:32].tolist()
    steps(session, qtbot, 2)
    deeper = session.trained_so_far
    assert deeper.step == 7
    session.undo_stack.undo_edit()
    assert session.trained_so_far == before
    session.undo_stack.redo_edit()
    assert session.trained_so_far == deeper
    session.undo_stack.undo_edit()
    steps(session, qtbot)
    uninterrupted = Session(adam())
    steps(uninterrupted, qtbot, 6)
    assert same_moment(session.trained_so_far, uninterrupted.trained_so_far)
    uninterrupted.close()


@pytest.mark.slow
def test_undo_shows_the_curve_that_was_there(session, qtbot):
    steps(session, qtbot, 4)
    losses = session.newest.curve_losses
    with qtbot.waitSignal(session.changed, timeout=LONG, check_params_cb=reported):
        session.edit("data", data={"seed": 9})
        session.undo_stack.undo_edit()
    assert session.newest.curve_losses.tolist() == losses.tolist()
    assert session.newest.curve_steps.tolist() == [0, 1, 2, 3]


def test_reset_can_be_undone(session, qtbot):
    steps(session, qtbot, 3)
    before = session.trained_so_far
    session.reset()
    assert session.trained_so_far == Trained()
    session.undo_stack.undo_edit()
    assert session.trained_so_far == before


def test_a_reset_of_what_was_never_trained_is_no_edit(session):
    session.reset()
    assert not session.undo_stack.can_undo
    assert not session.modified


@pytest.mark.slow
def test_another_loss_keeps_the_weights(session, qtbot):
    steps(session, qtbot, 3)
    before = weights(session).copy()
    with qtbot.waitSignal(session.changed, timeout=LONG, check_params_cb=reported):
        session.edit("loss", training={"loss": "hinge"})
    assert session.newest.snapshot.step == 3
    assert np.array_equal(weights(session), before)
    session.undo_stack.undo_edit()
    assert session.trained_so_far.step == 3


@pytest.mark.slow
def test_another_loss_goes_on_running(session, qtbot):
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 5, timeout=LONG)
    session.edit("loss", training={"loss": "hinge"})
    assert session.run_state == "running"
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.state == "running", timeout=LONG)
    assert session.newest.snapshot.step > 5
    session.pause()


def test_a_trained_step_is_a_change_of_the_file(session, qtbot, tmp_path):
    path = tmp_path / "a.gradstep"
    session.save(path)
    marks = []
    session.changed.connect(lambda change: "file" in change and marks.append(session.modified))
    assert not session.modified
    steps(session, qtbot)
    assert session.modified
    assert marks == [True]
    session.save(path)
    assert not session.modified
    session.edit("layers", network={"layer_sizes": (2, 3, 1)})
    assert session.modified
    session.undo_stack.undo_edit()
    assert not session.modified


def test_what_undo_brings_back_after_a_reset_is_still_not_in_the_file(session, qtbot, tmp_path):
    session.save(tmp_path / "a.gradstep")
    steps(session, qtbot, 2)
    session.reset()
    session.undo_stack.undo_edit()
    assert session.trained_so_far.step == 2
    assert session.modified


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam"])
def test_a_saved_session_comes_back_with_step_curve_and_memory(session, qtbot, tmp_path, optimizer):
    session.reset_document(replace_section(adam(), "training", optimizer=optimizer, schedule="cosine"))
    steps(session, qtbot, 5)
    path = tmp_path / "a.gradstep"
    assert session.save(path)
    other = Session()
    with qtbot.waitSignal(other.changed, timeout=LONG, check_params_cb=reported):
        assert other.open(path)
    assert not other.modified
    assert other.newest.snapshot.step == 5
    assert other.newest.snapshot.epoch == session.newest.snapshot.epoch
    assert other.newest.curve_losses.tolist() == session.newest.curve_losses.tolist()
    for one in (session, other):
        steps(one, qtbot, 4)
    assert np.array_equal(weights(session), weights(other))
    assert other.newest.curve_steps.tolist() == list(range(9))
    assert other.newest.curve_losses.tolist() == session.newest.curve_losses.tolist()
    other.close()


@pytest.mark.slow
def test_a_file_says_step_and_epoch_of_the_moment(session, qtbot, tmp_path):
    steps(session, qtbot, 3)
    session.save(tmp_path / "a.gradstep")
    other = Session()
    other.open(tmp_path / "a.gradstep")
    steps(other, qtbot)
    other.save(tmp_path / "a.gradstep")
    assert from_json((tmp_path / "a.gradstep").read_text()).trained.step == 4
    other.close()


@pytest.mark.slow
def test_a_diverged_run_saves_the_last_good_weights(session, qtbot, tmp_path):
    wild = replace_section(Document(), "training", learning_rate=1e6)
    session.reset_document(replace_section(wild, "network", activations=("relu", "relu")))
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.state == "failed", timeout=LONG)
    path = tmp_path / "a.gradstep"
    assert session.save(path)
    other = Session()
    assert other.open(path)
    with np.errstate(over="ignore"):
        trainer_loss = other.trained_so_far.step, np.isfinite(other.trained_so_far.parameters.array).all()
    assert trainer_loss[1]
    other.close()


@pytest.mark.slow
def test_the_oldest_undo_steps_give_up_their_weights_when_they_hold_too_much(session, qtbot, monkeypatch):
    monkeypatch.setattr("gui.session.edits.MOST_UNDO_BYTES", 2000)
    steps(session, qtbot)
    for seed in range(2, 6):
        session.edit("seed", network={"seed": seed})
        steps(session, qtbot)
    for _ in range(4):
        session.undo_stack.undo_edit()
    assert session.document.network.seed == 1
    assert session.trained_so_far.step == 0


def test_the_document_is_what_a_file_would_hold(session, qtbot):
    steps(session, qtbot, 2)
    document = session.current_document()
    assert document.trained.step == 2
    assert [json.loads(text)["trained"]["step"] for text in document.runs.kept] == [2]
    assert dataclasses.replace(document, trained=Trained(), runs=session.document.runs) == session.document
