"""What the canvas shows, checked against the engine directly."""

import numpy as np
import pytest

from datasets import make_dataset
from engine.document import Document, replace_section
from engine.examples.gallery import published_programs
from engine.experiment.assemble import fitted_network, make_model, make_trainer
from engine.graph import read_numbers
from engine.language import evaluate
from engine.views.graph_view import show_expression
from engine.views.questions import Question, QuestionExplainer
from engine.views.sample import PassParameters, make_sample_graph
from engine.views.shown_walk import ShownWalk
from engine.views.walk_texts import UpdateTexts, moment_text


@pytest.mark.parametrize("program", published_programs(), ids=lambda program: program["id"])
def test_the_canvas_shows_the_published_numbers(program):
    result = evaluate(program["program"])
    shown = show_expression(result)
    values = {attributes.get("label"): attributes.get("value") for _, attributes in shown.graph.nodes(data=True)}
    for name, expected in program["data"].items():
        label = result.names[name].label
        assert values[label].data == pytest.approx(expected, abs=max(program["tol"], 1e-15))
    for name, expected in program["grad"].items():
        label = result.names[name].label
        assert values[label].grad == pytest.approx(expected, abs=max(program["tol"], 1e-15))


def test_an_empty_program_shows_nothing():
    shown = show_expression(evaluate("# nothing yet"))
    assert shown.root is None
    assert len(shown.graph) == 0


def test_a_leaf_that_nothing_uses_is_drawn_apart_without_a_gradient():
    shown = show_expression(evaluate("x = 2\ny = 5 * 3"))
    labels = [attributes.get("label") for _, attributes in shown.graph.nodes(data=True)]
    assert "x" in labels
    assert shown.graph.degree("x") == 0


def test_trouble_is_marked_and_what_follows_is_not_computed():
    shown = show_expression(evaluate("a = 1.0\nb = log(a - 2)\nc = b * 2"))
    readings = read_numbers(shown.graph, shown.numbers, shown.problems)
    assert "positive" in readings["b"].problem
    assert readings["c"].data_state == "unknown"
    assert readings["a"].grad_state == "unknown"


def _xor_document(loss="mean_squared_error"):
    document = replace_section(Document(), "data", name="xor")
    document = replace_section(document, "training", loss=loss)
    return fitted_network(replace_section(document, "network", layer_sizes=(2, 4, 4, 1)), 2, 2)


@pytest.mark.parametrize("loss", ["mean_squared_error", "hinge", "softmax_cross_entropy", "binary_cross_entropy"])
def test_the_sample_graph_agrees_with_the_array_path_after_training(loss):
    document = _xor_document(loss)
    data = make_dataset("xor")
    trainer = make_trainer(document, make_model(document), data.take(np.array([2])))
    sample = make_sample_graph(replace_section(document, "view", sample=2), data.X, data.y)
    for _ in range(3):
        trainer.step()
    before = np.array(trainer.snapshot().parameters)
    phases = {phase.name: phase for phase in trainer.phases()}
    sample.show(PassParameters.between_steps(before))
    assert sample.root.data == pytest.approx(phases["loss"].loss, abs=1e-12)
    values = {attributes["label"]: attributes["value"] for _, attributes in _expanded(document, data).items()}
    assert set(values) >= {"L1N1.w1", "L3N1.b"}
    grads = [parameter.grad for parameter in sample.parameters]
    np.testing.assert_allclose(grads, phases["backward"].gradients, atol=1e-12)


def _expanded(document, data):
    opened = make_sample_graph(replace_section(document, "view", expanded=("*",)), data.X, data.y)
    return {key: a for key, a in opened.graph_view.graph.nodes(data=True) if a["kind"] == "value"}


def test_the_phases_of_a_step_are_shown_truthfully():
    document, data = replace_section(_xor_document(), "view", sample=3), make_dataset("xor")
    sample = make_sample_graph(document, data.X, data.y)
    weights = np.array([parameter.data for parameter in sample.parameters])
    first = sample.parameters[0]
    sample.show(sample.passes.after("forward", weights))
    assert sample.numbers(sample.root) == (None, None)
    sample.show(sample.passes.after("loss", weights))
    assert sample.numbers(sample.root)[0] is not None
    sample.show(sample.passes.after("zero_grad", weights))
    assert sample.numbers(first)[1] == 0.0
    assert sample.numbers(sample.root)[1] is None
    sample.show(sample.passes.after("backward", weights))
    assert sample.numbers(first)[1] != 0.0
    loss = sample.root.data
    sample.show(sample.passes.after("update", weights + 1.0))
    assert sample.numbers(first)[0] == weights[0] + 1.0
    assert sample.root.data == loss


def test_of_a_step_with_a_penalty_loss_and_penalty_are_said():
    document = replace_section(_xor_document(), "training", l2=0.25)
    data = make_dataset("xor")
    trainer, sample = make_trainer(document, make_model(document), data), make_sample_graph(document, data.X, data.y)
    phase = next(phase for phase in trainer.phases() if phase.name == "loss")
    text = moment_text(UpdateTexts(sample, None), phase, None, data.n_samples)
    assert f"{phase.loss:.4f} + penalty {phase.penalty:.4f} = {phase.loss + phase.penalty:.4f}" in text


def test_running_to_a_value_that_the_output_does_not_use_stays_where_it_is():
    evaluation = evaluate("x = 2\na = 3\ny = a * a * 3")
    walk = ShownWalk(show_expression(evaluation))
    names = evaluation.names
    assert walk.position_of(names["x"], 1) == 1
    assert walk.position_of(names["y"], 0) == 2
    assert ShownWalk(show_expression(evaluate(""))).position_of(names["x"], 0) == 0


def test_an_output_that_is_an_array_has_no_walk():
    walk = ShownWalk(show_expression(evaluate("w = Value([1.0, 2.0])\nz = w * 3\n")))
    assert walk.walk is None and walk.counts.total == 0 and walk.end == 0


def test_where_the_last_value_is_an_array_the_result_of_the_last_pass_is_the_output():
    view = show_expression(evaluate("w = Value([1.0, 2.0])\ny = sum(w)\ny.backward()\nz = w * 3\n"))
    assert [root.label for root in view.roots] == ["y", "z"]
    assert ShownWalk(view).walk.root is view.root
    z = view.roots[1]
    assert "no grad" in QuestionExplainer().explain(Question(z, view)).why_grad[0].text


def test_where_that_result_is_gone_the_array_stays_the_output():
    program = "w = Value([1.0, 2.0])\ndef train():\n    sum(w).backward()\ntrain()\nz = w * 3\n"
    assert show_expression(evaluate(program)).root.label == "z"


def test_neurons_are_collapsed_until_opened():
    document, data = _xor_document(), make_dataset("xor")
    closed = make_sample_graph(document, data.X, data.y).graph_view.graph
    opened = make_sample_graph(replace_section(document, "view", expanded=("L1N2",)), data.X, data.y).graph_view.graph
    assert closed.nodes["group:L1N2"]["members"] == 5
    assert "group:L1N2" not in opened
    assert "L1N2.w1" in opened


def test_a_graph_whose_constants_are_arrays_is_shown():
    program = "import torch\nx = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)\nt = [1, 2, 3]\n"
    evaluation = evaluate(program + "loss = ((x - t) ** 2).sum()\nloss.backward()\n")
    assert show_expression(evaluation, True, (), ()).graph.number_of_nodes() > 3
