"""The steps of a walk that update: which leaves they move, and with which learning rate."""

import numpy as np
import pytest

from engine.document.document import FIRST_PROGRAM
from engine.views.shown_walk import ALL
from gui.panels.graph.stepper import StepperBar

X, W, B = np.array([2.0, 0.0]), np.array([-3.0, 1.0]), 6.8813735870195432
SLOPE = 1 - np.tanh(X @ W + B) ** 2
GRADIENTS = {"w1": SLOPE * X[0], "w2": SLOPE * X[1], "b": SLOPE}
BEFORE = {"w1": W[0], "w2": W[1], "b": B, "x1": X[0], "x2": X[1]}


@pytest.fixture
def stepper(shown, session):
    session.edit("text", expression={"text": FIRST_PROGRAM})
    return shown(StepperBar, 700, 110)


def data_at_the_end(session):
    presenter = session.presenter
    presenter.set_position(presenter.n_steps)
    look_up = presenter.look_up()
    return {name: look_up(presenter.value(name))[0] for name in BEFORE}


def test_a_walk_updates_the_parameters_and_leaves_the_inputs_alone(stepper, session):
    rate = session.document.training.learning_rate
    after = data_at_the_end(session)
    for name, before in BEFORE.items():
        assert after[name] == pytest.approx(before - rate * GRADIENTS.get(name, 0.0), abs=1e-15), name
    assert session.presenter.shown_walk.counts.updates == len(GRADIENTS)


def test_where_the_learning_rate_comes_from_is_said_and_it_can_be_changed_there(stepper, session):
    session.edit("rate", training={"learning_rate": 0.25})
    assert data_at_the_end(session)["b"] == pytest.approx(B - 0.25 * SLOPE)
    assert "0.25 is set in the stepper" in stepper.words.text() and stepper.rate.isVisible()
    session.edit("rate", training={"learning_rate": 0.5})
    assert session.presenter.look_up()(session.presenter.value("b"))[0] == pytest.approx(B - 0.5 * SLOPE)


def test_a_program_that_updates_by_itself_has_its_own_rate(stepper, session, qtbot):
    text = "w = Value(3.0)\nx = Value(2.0)\nloss = (w * x) ** 2\nloss.backward()\nw.data -= 0.125 * w.grad\n"
    session.edit("text", expression={"text": text})
    qtbot.waitUntil(lambda: session.program.is_evaluated and session.presenter.graph_view.program_gradients is not None)
    session.presenter.set_position(session.presenter.n_steps)
    assert "0.125 is the program's" in stepper.words.text() and not stepper.rate.isVisible()
    assert session.presenter.look_up()(session.presenter.value("w"))[0] == 3.0 - 0.125 * 2 * 6.0 * 2.0


def test_leaves_of_which_none_is_a_parameter_are_all_updated(stepper, session, qtbot):
    session.edit("text", expression={"text": "a = 2.0\nc = -3.0\nd = a * c\n"})
    qtbot.waitUntil(lambda: session.program.is_evaluated and "d" in session.presenter.picture.boxes)
    assert session.presenter.shown_walk.counts.updates == 2


def test_at_the_start_of_one_of_several_graphs_it_is_said_which_is_walked(stepper, session, qtbot):
    session.edit("text", expression={"text": "a = 2.0\nu = a * 3.0\nc = 5.0\nv = c * c\n"})
    qtbot.waitUntil(lambda: session.program.is_evaluated and "v" in session.presenter.picture.boxes)
    session.presenter.set_position(0)
    assert "graph of v" in stepper.words.text()
    session.edit("text", expression={"text": "c = 5.0\nv = c * c\n"})
    qtbot.waitUntil(lambda: "u" not in session.presenter.picture.boxes)
    session.presenter.set_position(ALL)
    session.presenter.set_position(0)
    assert "not walked" not in stepper.words.text()
