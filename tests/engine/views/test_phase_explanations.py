"""An explanation of a network tells the numbers of the phase in which a training step stands."""

import numpy as np
import pytest

from datasets import make_dataset
from engine.autograd import short
from engine.autograd.replay import computed
from engine.document import Document, replace_section
from engine.experiment.assemble import fitted_network
from engine.teaching import Descent, Explainer
from engine.views.questions import explain_sample_value
from engine.views.sample import PassParameters, make_sample_graph
from tests.equations import assert_walk_adds_up

PHASES = ("forward", "loss", "zero_grad", "backward", "update")


@pytest.fixture
def sample():
    made = replace_section(Document(), "data", name="xor")
    made = fitted_network(replace_section(made, "network", layer_sizes=(2, 2, 1)), 2, 2)
    data = make_dataset("xor")
    return make_sample_graph(made, data.X, data.y)


def after(sample, *phases):
    """The sample after some phases of a step; the update moves every parameter by 0.5."""
    start = np.array([parameter.data for parameter in sample.parameters])
    sample.show(PassParameters.between_steps(start + 0.25))
    for phase in phases:
        sample.show(sample.passes.after(phase, start + 0.5 if phase == "update" else start))
    return sample


def explained(sample, value):
    return explain_sample_value(sample, Explainer(sample.root), value)


def texts(lines):
    return " ".join(line.text for line in lines)


def test_between_steps_everything_is_explained(sample):
    for value in (sample.parameters[0], sample.root):
        explanation = explained(sample, value)
        assert explanation.check.ok
        assert explanation.gradient == pytest.approx(value.grad)


def test_after_forward_the_loss_is_not_computed_and_gradients_are_of_the_step_before(sample):
    after(sample, "forward")
    weight = sample.parameters[0]
    assert "Why does loss have no data yet? The next phase, loss," in texts(explained(sample, sample.root).why_data)
    explanation = explained(sample, weight)
    assert explanation.gradient == weight.grad and explanation.check is None
    assert "from the previous training step" in texts(explanation.why_grad)
    assert "Why does loss have no grad yet?" in texts(explained(sample, sample.root).why_grad)


def test_after_zero_grad_a_gradient_of_0_is_not_explained_by_the_chain_rule(sample):
    after(sample, "forward", "loss", "zero_grad")
    explanation = explained(sample, sample.parameters[0])
    assert explanation.gradient == 0.0 and explanation.check is None
    assert "zero_grad has set it to 0" in texts(explanation.why_grad)


def test_after_backward_everything_is_explained_again(sample):
    after(sample, "forward", "loss", "zero_grad", "backward")
    explanation = explained(sample, sample.parameters[0])
    assert explanation.check.ok and explanation.gradient == pytest.approx(sample.parameters[0].grad)


def test_after_the_update_the_gradient_is_explained_with_the_parameters_it_was_computed_with(sample):
    after(sample, "forward", "loss", "zero_grad", "backward")
    weight, before = sample.parameters[0], sample.parameters[0].data
    sample.show(sample.passes.after("update", np.array([parameter.data + 0.5 for parameter in sample.parameters])))
    explanation = explained(sample, weight)
    assert explanation.gradient == pytest.approx(weight.grad)
    assert explanation.check.ok
    assert weight.data == before + 0.5
    assert "The update has just moved it from" in texts(explanation.why_data)
    assert "It was computed before the update" in texts(explained(sample, sample.root).why_data)


def test_a_walk_after_the_update_goes_with_the_new_parameters_and_the_phase_comes_back(sample):
    after(sample, "forward", "loss", "zero_grad", "backward", "update")
    before = [value.data for value in sample.values], [value.grad for value in sample.values]
    sample.start_walk()
    for value in sample.values:
        if value.op is not None:
            assert value.data == pytest.approx(
                float(np.asarray(computed(value.op, [source.data for source in value.inputs])))
            )
    assert explained(sample, sample.parameters[0]).check.ok
    sample.end_walk()
    assert before == ([value.data for value in sample.values], [value.grad for value in sample.values])
    assert sample.passes.phase == "update"


def test_a_walk_that_is_begun_twice_ends_in_the_phase_from_before_it(sample):
    after(sample, *PHASES)
    before = [(value.data, value.grad) for value in sample.values]
    sample.start_walk()
    sample.start_walk()
    sample.end_walk()
    assert [(value.data, value.grad) for value in sample.values] == before


def test_the_walk_after_every_phase_adds_up(sample):
    """It goes through forward and backward with the parameters of now, and back to the phase when it is over."""
    for phases in ((), *(PHASES[:count] for count in range(1, len(PHASES) + 1))):
        after(sample, *phases)
        shown = [sample.numbers(value) for value in sample.values]
        sample.start_walk()
        walk = assert_walk_adds_up(sample.graph_view, Descent(sample.parameters, 0.1, sample.loss_part))
        assert walk.state(walk.all_computed).grads[sample.parameters[0]] == pytest.approx(sample.parameters[0].grad)
        sample.end_walk()
        assert [sample.numbers(value) for value in sample.values] == shown


def test_the_update_is_told_from_the_old_number_to_the_new_one(sample):
    after(sample, "forward", "loss", "zero_grad", "backward")
    weight, before = sample.parameters[0], sample.parameters[0].data
    sample.show(sample.passes.after("update", np.array([parameter.data + 0.5 for parameter in sample.parameters])))
    assert f"moved it from {short(before)} to {short(before + 0.5)};" in texts(explained(sample, weight).why_data)
