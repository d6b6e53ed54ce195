"""Both gradients of a parameter, whose loss is shown, and an update that adds up."""

import re
from decimal import Decimal

import numpy as np
import pytest

from engine.experiment.assemble import make_model
from engine.network import OPTIMIZERS, TrainingSettings, Update
from engine.network.run.outputs import GridRequest
from engine.views.shown_walk import ALL
from tests.gui.by_hand import gradient_by_hand

pytestmark = pytest.mark.slow

W2 = "L1N1.w2"


def steady(session, qtbot, step):
    """The progress of a run that stands at a step."""
    qtbot.waitUntil(lambda: (p := session.newest) is not None and p.snapshot.step == step and p.state != "running")
    return session.newest


@pytest.fixture
def xor(session, qtbot):
    """XOR as it was found: summed squared error, rate 0.1, tanh everywhere, sample 2, before the first step."""
    session.edit(
        "xor", data={"name": "xor", "noise": 0.0}, network={"output_activation": "tanh", "initialiser": "uniform"},
        training={"loss": "sum_squared_error", "learning_rate": 0.1},
    )  # fmt: skip
    session.set_view(shows="network", sample=1, expanded=["*"])
    session.training.runner.set_grid(GridRequest((0.0, 1.0, 0.0, 1.0), 2))
    steady(session, qtbot, 0)
    return session


def test_a_parameter_has_the_gradient_of_the_sample_and_that_of_the_batch(xor):
    value, words = xor.presenter.value(W2), xor.presenter.update_texts
    weights, X, y = make_model(xor.document).weights, xor.dataset.X, xor.dataset.y
    of_sample, of_batch = words.gradients(value)
    assert of_sample == pytest.approx(gradient_by_hand(weights, X[1:2], y[1:2])[1], abs=1e-12)
    assert of_batch == pytest.approx(gradient_by_hand(weights, X, y)[1], abs=1e-12)
    assert (f"{of_sample:.4f}", f"{of_batch:.4f}") == ("-0.0578", "0.8488")


def test_both_gradients_and_the_step_stand_in_the_line_and_in_the_tool_tip(xor):
    xor.select(W2)
    assert xor.presenter.words(xor.selection) == (
        "L1N1.w2: this sample −0.0578, batch +0.8488; 0.6949 − 0.1 × 0.8488 = 0.6100"
    )
    assert xor.presenter.notes(W2) == (
        "The gradient of the loss of sample 2 is −0.0578.",
        "The gradient of the loss of all 4 samples is +0.8488.",
        "The step uses that of all 4 samples: L1N1.w2: 0.6949 − 0.1 × 0.8488 = 0.6100",
    )
    assert xor.presenter.notes("x1") == ()


def test_the_line_is_what_the_step_does(xor, qtbot):
    xor.train("step")
    progress = steady(xor, qtbot, 1)
    assert f"{progress.snapshot.parameters[1]:.4f}" == "0.6100"
    assert xor.presenter.value(W2).data == progress.snapshot.parameters[1]


def test_a_walk_goes_on_when_only_the_grid_of_the_boundary_is_another_and_begins_anew_when_the_step_is(xor, qtbot):
    xor.presenter.set_position(5)
    xor.training.runner.set_grid(GridRequest((0.0, 2.0, 0.0, 2.0), 3))  # as another workspace asks for
    qtbot.waitUntil(lambda: xor.newest.grid is not None and xor.newest.grid.shape[0] == 3)
    assert xor.presenter.position == 5
    xor.edit("rate", training={"learning_rate": 0.2})
    qtbot.waitUntil(lambda: xor.newest.update.learning_rate == 0.2)
    assert xor.presenter.position == ALL
    assert xor.presenter.notes(W2)[-1].endswith("0.6949 − 0.2 × 0.8488 = 0.5251")


def test_the_loss_says_of_which_samples_it_is(xor):
    loss = xor.newest.snapshot.loss
    assert xor.presenter.notes("loss") == ("The loss of sample 2.", f"The loss of all 4 samples is {loss:.4f}.")
    xor.select(None)
    assert xor.presenter.words(xor.selection) == ("All computed, for the loss of sample 2; a step uses all 4 samples.")


def test_the_phases_name_the_loss_and_tell_the_selected_parameters_numbers(xor, qtbot):
    xor.select(W2)
    said = []
    for phase in ("forward", "loss", "zero_grad", "backward", "update"):
        xor.train("phase")
        qtbot.waitUntil(lambda phase=phase: xor.newest.phase is not None and xor.newest.phase.name == phase)
        said.append(xor.presenter.words(xor.selection))
    assert said[0].startswith("forward: all 4 samples. ")
    assert said[1].startswith(f"loss: loss of all 4 samples = {xor.newest.phase.loss:.4f}. ")
    line = "L1N1.w2: this sample −0.0578, batch +0.8488; 0.6949 − 0.1 × 0.8488 = 0.6100. "
    assert said[3].startswith(f"backward: {line}")
    assert said[4].startswith(f"update: {line}")
    assert xor.presenter.value(W2).data == xor.newest.phase.parameters[1]


def test_a_batch_is_called_so_and_penalties_are_named(xor, qtbot):
    xor.edit("batch", training={"batch_size": 2, "l2": 0.1, "clip_value": 0.5})
    xor.train("step")
    steady(xor, qtbot, 1)
    notes = xor.presenter.notes(W2)
    assert notes[1].startswith("The gradient of the loss of the batch (2 of 4 samples) is ")
    assert notes[1].endswith("L2 penalty is part of it. It is clipped.")
    loss, penalty, objective = map(float, re.findall(r"\d+\.\d+", xor.presenter.notes("loss")[1]))
    update = xor.newest.update
    targets, outputs = xor.newest.outputs, update.before
    assert penalty == pytest.approx(0.1 * np.sum(outputs**2), abs=6e-5) and len(targets) == 4
    assert objective == pytest.approx(loss + penalty, abs=1.1e-4)


def test_on_a_walk_and_for_an_expression_nothing_is_said_of_a_step(xor):
    xor.presenter.next()
    assert xor.presenter.notes(W2) == ()
    xor.set_view(shows="expression")
    assert xor.presenter.notes("o") == ()
    assert xor.presenter.words(xor.selection).startswith("All data are computed.")


NUMBER = r"\(?(-?[0-9.]+(?:e[+-][0-9]+)?)\)?"


def total(line):
    """What a line says, and what comes out when one calculates with the digits shown."""
    start, *factors, end = map(Decimal, re.findall(NUMBER, line))
    step = np.prod(factors)
    unit = Decimal((0, (1,), end.as_tuple().exponent))
    return end, (start - step).quantize(unit)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_line_of_every_optimizer_adds_up_in_the_digits_shown(xor, qtbot, optimizer):
    xor.edit("optimizer", training={"optimizer": optimizer, "learning_rate": 0.037})
    qtbot.waitUntil(lambda: xor.newest.snapshot.learning_rate == 0.037)
    for step in range(1, 4):
        update = steady(xor, qtbot, step - 1).update
        lines = [update.line(index) for index in range(len(update.before))]
        names = xor.presenter.walk.script[-1].names
        assert ("learning rate" in names) == (optimizer == "sgd") and names.endswith("for the whole batch")
        xor.train("step")
        after = steady(xor, qtbot, step).snapshot.parameters
        assert np.array_equal(update.after, after)
        for line, number in zip(lines, after, strict=True):
            end, computed = total(line)
            assert end == computed
            assert float(end) == pytest.approx(number, abs=5.1e-5)
            assert ("0.037 ×" in line) == (optimizer == "sgd")
    note = xor.presenter.notes(W2)[-1]
    assert (optimizer == "sgd") or note == f"{optimizer}: {OPTIMIZERS[optimizer].rule}"


@pytest.mark.parametrize("before", [1e25, 2e149, 1e300])
def test_a_parameter_that_a_step_brings_from_a_huge_number_to_0_has_a_line(before):
    after, gradient, rate = np.zeros(1), np.array([3.0 * before]), 1 / 3
    update = Update(0, np.arange(1), 1, 0.0, 0.0, np.array([before]), gradient, after, rate, TrainingSettings())
    assert re.search(r"[=≈] 0\.0000$", update.line(0))


def test_forward_counts_samples_and_not_the_outputs_of_several_classes(xor, qtbot):
    xor.edit("classes", data={"name": "spiral3", "n_samples": 30}, training={"batch_size": 10})
    xor.train("phase")
    qtbot.waitUntil(lambda: xor.newest is not None and xor.newest.phase is not None)
    assert xor.newest.phase.outputs.shape == (10, 3)
    assert xor.presenter.words(xor.selection).startswith("forward: the batch (10 of 30 samples). ")


def test_backward_tells_the_largest_gradient_as_the_update_writes_numbers(xor, qtbot):
    for _ in range(4):
        xor.train("phase")
    qtbot.waitUntil(lambda: xor.newest.phase is not None and xor.newest.phase.name == "backward")
    largest = np.abs(xor.newest.phase.gradients).max()
    assert xor.presenter.words(xor.selection).startswith(f"backward: largest gradient {largest:.4f} in size. ")
