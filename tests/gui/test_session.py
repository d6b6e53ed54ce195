"""The session: edits, undo, files, training, all without a widget."""

import dataclasses
import gc
import pickle
import sys

import numpy as np
import pytest

from engine.autograd import OPS
from engine.document import Document, Trained
from engine.document.document import SECTIONS
from engine.experiment.assemble import make_model
from engine.session_file import from_json
from engine.views.shown_walk import ALL
from gui.session import Session
from gui.session.edits import Edit
from tests.gui.training import train

NEURON = "x1 = 2.0\nw1 = -3.0\nb = 6.5\nn = x1*w1 + b\no = tanh(n)\n"


@pytest.fixture
def told(session):
    lines = []
    session.message_posted.connect(lambda text, kind: lines.append((kind, text)))
    return lines


def test_an_edit_says_which_sections_changed_and_can_be_undone(session):
    changed = []
    session.changed.connect(lambda change: changed.append(change & frozenset(SECTIONS)))
    assert session.edit("learning rate", training={"learning_rate": 0.3})
    assert changed == [frozenset({"training"})]
    session.undo_stack.undo_edit()
    assert session.document == Document()
    session.undo_stack.redo_edit()
    assert session.document.training.learning_rate == 0.3


def test_an_edit_that_is_not_allowed_is_told_and_changes_nothing(session, told):
    assert not session.edit("learning rate", training={"learning_rate": float("nan")})
    assert session.document == Document()
    assert told[0][0] == "error"
    assert not session.undo_stack.can_undo


def test_a_drag_is_one_undo_step(session):
    for number in (1.0, 2.0, 3.0):
        session.edit("drag", merge="drag a 1", expression={"text": f"a = {number}"})
    assert len(session.undo_stack.steps) == 1
    session.undo_stack.undo_edit()
    assert session.document == Document()


@pytest.mark.parametrize("sections", [{"expression": {"text": "b = 1"}}, {"data": {"noise": 0.4}}])
def test_an_edit_that_fails_changes_nothing_and_is_no_step_of_the_history(session, monkeypatch, sections):
    found = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: found.append(str(error)))
    session.edit("rate", "drag", training={"learning_rate": 0.3})
    session.edit("rate back", training={"learning_rate": 0.1})
    session.undo_stack.undo_edit()
    before, stack, show = session.document, session.undo_stack, session.presenter.show

    def fail(document, *arguments):
        if any(getattr(document, name) != getattr(before, name) for name in sections):
            raise ValueError("planted")
        show(document, *arguments)

    monkeypatch.setattr(session.presenter, "show", fail)
    assert not session.edit("planted", "drag", **sections)
    assert session.document == before and found == ["planted"]
    assert (stack.undo_label, stack.redo_label, len(stack.steps)) == ("rate", "rate back", 2)
    monkeypatch.undo()
    assert session.edit("planted", **sections) and session.document != before


@pytest.mark.parametrize("again", ["undo", "redo"])
def test_an_undo_or_redo_that_fails_changes_nothing_and_leaves_the_history(session, monkeypatch, again):
    found, stack = [], session.undo_stack
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: found.append(str(error)))
    session.edit("rate", training={"learning_rate": 0.3})
    session.edit("noise", data={"noise": 0.4})
    if again == "redo":
        stack.undo_edit()
    before, points, load = session.document, session.data.train.X.copy(), session.training.load

    def fail(document, *arguments):
        if document.data != before.data:
            raise ValueError("planted")
        load(document, *arguments)

    monkeypatch.setattr(session.training, "load", fail)
    getattr(stack, f"{again}_edit")()
    assert session.document == before and found == ["planted"]
    assert np.array_equal(session.data.train.X, points)
    assert (stack.undo_label, len(stack.steps), stack.can_redo) == ("rate", 1, False)
    stack.undo_edit()
    assert session.document.training == Document().training and found == ["planted"]


def test_undo_leaves_the_view_alone(session):
    session.edit("text", expression={"text": "a = 1"})
    session.set_view(shows="network")
    session.undo_stack.undo_edit()
    assert session.document.view.shows == "network"
    assert session.document.expression == Document().expression


@pytest.mark.slow
def test_a_selection_ends_when_the_canvas_shows_another_graph(session):
    session.set_view(shows="network")
    session.edit("text", expression={"text": "x1 = 2.0\ny = x1 * x1"})
    for here, there in (("network", "expression"), ("expression", "network")):
        session.set_view(shows=here)
        session.select("x1")
        session.set_view(direction="down")
        assert session.selection == "x1" and "x1" in session.presenter.picture.boxes
        session.set_view(shows=there, direction="right")
        assert session.selection is None and "x1" in session.presenter.picture.boxes


@pytest.mark.long
def test_two_hundred_undos_and_redos_come_back_to_the_same_document(session):
    for number in range(50):
        session.edit("text", expression={"text": f"a = {number}\nb = a * a"})
    last = session.document
    for _ in range(2):
        session.undo_stack.go_to(0)
        session.undo_stack.go_to(50)
    assert session.document == last
    assert session.presenter.graph_view.root.data == 49.0**2


def test_a_mistake_keeps_the_last_good_graph(session):
    session.edit("text", expression={"text": NEURON})
    boxes = set(session.presenter.picture.boxes)
    session.edit("text", expression={"text": NEURON + "p = tahn(o)"})
    assert session.error is not None
    assert (session.error.line, session.error.column) == (6, 5)
    assert set(session.presenter.picture.boxes) == boxes
    session.edit("text", expression={"text": NEURON + "p = tanh(o)"})
    assert session.error is None
    assert "p" in session.presenter.picture.boxes


def test_new_numbers_keep_every_place(session):
    session.edit("text", expression={"text": NEURON})
    places = {key: (box.x, box.y) for key, box in session.presenter.picture.boxes.items()}
    session.edit("text", expression={"text": NEURON.replace("2.0", "2.5")})
    assert {key: (box.x, box.y) for key, box in session.presenter.picture.boxes.items()} == places
    assert session.presenter.readings["x1"].data == "2.5000"


def test_stepping_forward_and_back_shows_exactly_what_is_computed(session):
    session.edit("text", expression={"text": NEURON})
    presenter = session.presenter
    presenter.set_position(0)
    assert presenter.readings["o"].data_state == "unknown"
    assert presenter.readings["x1"].data == "2.0000"
    seen = []
    for position in range(1, presenter.n_steps + 1):
        presenter.next()
        assert presenter.position == position
        seen.append(dict(presenter.readings))
    assert presenter.readings["w1"].grad_state == "positive"
    for position in range(presenter.n_steps - 1, 0, -1):
        presenter.back()
        assert presenter.readings == seen[position - 1]
    presenter.set_position(ALL)
    assert presenter.readings == seen[presenter.shown_walk.counts.all_computed - 1]


def test_the_line_of_words_says_the_contribution(session):
    session.edit("text", expression={"text": "a = 2.0\nb = 3.0\nc = a * b"})
    session.presenter.set_position(session.presenter.shown_walk.counts.all_computed)
    rule = OPS["mul"].rule
    assert session.presenter.words() == f"b.grad = 0 + 1 × 2 = 2\nb.grad += c.grad × ∂c/∂b. {rule}"
    nodes, edges = session.presenter.touched()
    assert "b" in nodes
    assert ("b", "c:op") in edges


def test_training_goes_forward_and_reset_brings_the_same_weights_back(session, qtbot):
    train(session, qtbot, "step")
    first = session.newest.snapshot.parameters.copy()
    train(session, qtbot, "epoch")
    session.reset()
    train(session, qtbot, "step")
    assert (session.newest.snapshot.parameters == first).all()
    assert session.newest.snapshot.step == 1


@pytest.mark.slow
def test_running_pauses_within_the_wink_of_an_eye(session, qtbot):
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 5, timeout=5000)
    session.pause()
    qtbot.waitUntil(lambda: session.newest.state != "running", timeout=1000)
    assert session.run_state == "paused"


def test_five_phases_are_a_step_and_the_canvas_follows(session, qtbot):
    session.set_view(shows="network")
    names = []
    for _ in range(5):
        train(session, qtbot, "phase")
        names.append(session.newest.phase.name)
        assert session.presenter.words().startswith(names[-1])
    assert names == ["forward", "loss", "zero_grad", "backward", "update"]
    assert session.newest.snapshot.step == 1


def test_the_learning_rate_changes_without_losing_the_weights(session, qtbot):
    train(session, qtbot, "epoch")
    step = session.newest.snapshot.step
    session.edit("learning rate", training={"learning_rate": 1e-9})
    session.train("step")  # the new rate may be reported before the step is made
    qtbot.waitUntil(lambda: session.newest.snapshot.step == step + 1, timeout=20_000)
    assert session.newest.snapshot.learning_rate == 1e-9


def test_new_data_fit_the_network_to_themselves(session):
    session.edit("data", data={"name": "tutorial"})
    assert session.document.network.layer_sizes[0] == 3
    session.edit("data", data={"name": "xor"})
    assert session.document.network.layer_sizes == (2, 4, 4, 1)


@pytest.mark.slow
def test_a_session_is_saved_with_its_trained_weights_and_opens_again(session, qtbot, tmp_path):
    session.edit("text", expression={"text": NEURON})
    train(session, qtbot, "epoch")
    trained = session.newest.snapshot.parameters.copy()
    path = tmp_path / "a.gradstep"
    assert session.save(path)
    assert session.undo_stack.clean_index == session.undo_stack.index
    assert from_json(path.read_text()).trained.step == 1
    other = Session()
    assert other.open(path)
    assert other.document.expression.text == NEURON
    assert (make_model(other.document).weights == trained).all()
    other.close()


def test_a_damaged_file_changes_nothing(session, told, tmp_path):
    path = tmp_path / "a.gradstep"
    path.write_text("{")
    before = session.document
    assert not session.open(path)
    assert session.document is before
    assert "a.gradstep" in told[-1][1]


def test_saving_into_a_missing_folder_is_told(session, told, tmp_path):
    assert not session.save(tmp_path / "missing" / "a.gradstep")
    assert told[-1][0] == "error"


@pytest.mark.slow
def test_every_section_can_be_edited_and_undone_during_training(session, qtbot):
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None, timeout=5000)
    edits = [
        {"data": {"n_samples": 60}},
        {"network": {"layer_sizes": (2, 3, 1)}},
        {"training": {"optimizer": "adam"}},
        {"training": {"loss": "hinge"}},
        {"expression": {"text": "a = 1"}},
    ]
    for sections in edits:
        assert session.edit("edit", **sections)
    while session.undo_stack.can_undo:
        session.undo_stack.undo_edit()
    assert dataclasses.replace(session.document, trained=Trained()) == Document()
    assert session.document.trained.step > 0
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 0, timeout=5000)
    assert make_model(session.document).n_parameters == 37


def test_an_epoch_runs_until_it_ends(session, qtbot):
    session.edit("batch", training={"batch_size": 10})
    states = []
    session.changed.connect(lambda change: "run" in change and states.append(session.run_state))
    session.train("epoch")
    assert session.run_state == "running"
    qtbot.waitUntil(lambda: session.run_state == "paused")
    assert states == ["running", "paused"]
    assert (session.newest.snapshot.epoch, session.newest.snapshot.step) == (1, 10)


@pytest.mark.slow
def test_an_epoch_can_be_paused(session, qtbot):
    session.edit("points", data={"n_samples": 100_000}, training={"batch_size": 1})
    session.train("epoch")
    session.toggle_run()
    assert session.run_state == "stopping"
    qtbot.waitUntil(lambda: session.run_state == "paused")
    assert session.newest.snapshot.epoch == 0
    session.toggle_run()
    assert session.run_state == "running"
    session.pause()


def test_undo_steps_keep_long_programs_in_little_room(session):
    texts = [f"# {number}\n" + "a = 1.0  # padding\n" * 9000 for number in range(3)]
    for text in texts:
        assert session.edit("text", expression={"text": text})
    kept = [session.undo_stack.steps[index] for index in range(3)]
    assert all(len(pickle.dumps((edit.before, edit.after))) < 20_000 for edit in kept[1:])
    for text in (texts[1], texts[0], Document().expression.text):
        session.undo_stack.undo_edit()
        assert session.document.expression.text == text


@pytest.mark.slow
def test_steps_asked_for_in_a_row_are_all_made(session, qtbot):
    for _ in range(20):
        session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 20)
    assert session.run_state == "paused"


def test_edits_that_become_one_undo_step_leave_nothing_of_the_others(session):
    for rate in (0.1, 0.2, 0.3, 0.4):
        session.edit("learning rate", merge="a slider", training={"learning_rate": rate})
    gc.collect()
    assert len(session.undo_stack.steps) == 1 and session.undo_stack.undo_label == "learning rate"
    assert sum(isinstance(each, Edit) for each in gc.get_objects()) == 1
    session.undo_stack.undo_edit()
    assert session.document == Document()
    session.undo_stack.redo_edit()
    assert session.document.training.learning_rate == 0.4


def test_the_oldest_edits_leave_the_history_and_the_saved_state_with_them(session, monkeypatch, tmp_path):
    monkeypatch.setattr("gui.session.edits.MOST_UNDO_STEPS", 3)
    session.edit("first", training={"learning_rate": 0.11})
    assert session.save(tmp_path / "a.gradstep") and not session.modified
    for number in range(2, 6):
        session.edit(f"edit {number}", training={"learning_rate": number / 10})
    stack = session.undo_stack
    assert [step.label for step in stack.steps] == ["edit 3", "edit 4", "edit 5"] and stack.index == 3
    stack.go_to(0)
    assert session.document.training.learning_rate == 0.2 and session.modified and not stack.can_undo


def test_a_saved_state_that_an_edit_has_replaced_is_nowhere_in_the_history(session, tmp_path):
    session.edit("first", training={"learning_rate": 0.2})
    assert session.save(tmp_path / "a.gradstep")
    session.undo_stack.undo_edit()
    assert session.modified
    session.undo_stack.redo_edit()
    assert not session.modified
    session.undo_stack.undo_edit()
    session.edit("other", training={"learning_rate": 0.3})
    session.undo_stack.undo_edit()
    assert session.modified and session.undo_stack.redo_label == "other" and not session.undo_stack.can_undo
