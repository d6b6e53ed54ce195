"""The script of a forward and backward pass, walked in both directions."""

import numpy as np
import pytest

from engine.autograd import Steps, Value, contributions
from engine.language import evaluate

NEURON = "x1 = 2.0\nx2 = 0.0\nw1 = -3.0\nw2 = 1.0\nb = 6.8813735870195432\nn = x1*w1 + x2*w2 + b\no = tanh(n)"


@pytest.fixture
def neuron():
    return evaluate(NEURON)


@pytest.fixture
def steps(neuron):
    return Steps(neuron.root)


def test_the_script_is_the_algorithm(neuron, steps):
    kinds = [step.kind for step in steps.script]
    assert kinds == ["forward"] * 5 + ["seed"] + ["backward"] * 9
    assert dict(steps.phases) == {"forward": 0, "seed": 5, "backward": 6, "end": 15}
    edges = [(step.node, step.input, step.index, step.amount) for step in steps.script[6:]]
    assert edges == [(e.node, e.input, e.index, e.amount) for e in contributions(neuron.root)]


def test_lines_are_shown_with_numbers_and_with_names(steps):
    assert [step.numbers for step in steps.script] == [
        "x1w1 = x1 × w1 = 2 × (-3) = -6",
        "x2w2 = x2 × w2 = 0 × 1 = 0",
        "x1w1 + x2w2 = -6 + 0 = -6",
        "n = x1w1+x2w2 + b = -6 + 6.8814 = 0.8814",
        "o = tanh(n) = tanh(0.8814) ≈ 0.7071",
        "o.grad = 1",
        "n.grad += 1 × 0.5 = 0.5",
        "(x1w1+x2w2).grad += 0.5 × 1 = 0.5",
        "b.grad += 0.5 × 1 = 0.5",
        "x1w1.grad += 0.5 × 1 = 0.5",
        "x2w2.grad += 0.5 × 1 = 0.5",
        "x2.grad += 0.5 × 1 = 0.5",
        "w2.grad += 0.5 × 0 = 0",
        "x1.grad += 0.5 × (-3) = -1.5",
        "w1.grad += 0.5 × 2 = 1",
    ]
    assert steps.script[9].names == "x1w1.grad += (x1w1+x2w2).grad × ∂(x1w1+x2w2)/∂x1w1"
    assert steps.script[6].names == "n.grad += o.grad × ∂o/∂n"


def test_at_the_start_only_leaves_are_known(neuron, steps):
    state = steps.state(0)
    assert state.known == {neuron.names[name] for name in ("x1", "x2", "w1", "w2", "b")}
    assert not state.grads
    assert state.step is None and state.edge is None and state.touched == ()


def test_forward_steps_make_one_value_known_each(neuron, steps):
    for cursor in range(1, 6):
        new = steps.state(cursor).known - steps.state(cursor - 1).known
        assert new == {steps.script[cursor - 1].node}
    assert steps.state(5).known == set(neuron.origins)
    assert not steps.state(5).grads


def test_before_its_first_contribution_a_gradient_is_not_computed(neuron, steps):
    assert dict(steps.state(6).grads) == {neuron.root: 1.0}
    w1 = neuron.names["w1"]
    assert w1 not in steps.state(14).grads
    assert steps.state(15).grads[w1] == pytest.approx(1.0)


def test_a_contribution_goes_along_one_edge(neuron, steps):
    state = steps.state(7)
    assert state.edge == (neuron.names["o"], neuron.names["n"], 0)
    assert set(state.touched) == {neuron.names["o"], neuron.names["n"]}


def test_at_the_end_the_gradients_are_those_of_backward(neuron, steps):
    neuron.root.backward()
    grads = steps.state(len(steps)).grads
    assert grads == {value: value.grad for value in neuron.origins}


def test_contributions_pile_up_one_by_one():
    result = evaluate("x = 3.0\ny = x*x + x")
    steps = Steps(result.root)
    x = result.names["x"]
    seen = [steps.state(cursor).grads.get(x) for cursor in range(len(steps) + 1)]
    assert seen[-4:] == [None, 1.0, 4.0, 7.0]
    assert [step.total for step in steps.script[-3:]] == [1.0, 4.0, 7.0]


def test_back_is_exact(steps):
    forward = [steps.state(cursor) for cursor in range(len(steps) + 1)]
    for cursor in [*reversed(range(len(steps) + 1)), 7, 2, 14, 0]:
        again = steps.state(cursor)
        assert again.known == forward[cursor].known
        assert again.grads == forward[cursor].grads


def test_cursors_outside_the_script_are_clamped(steps):
    assert steps.state(-5).cursor == 0
    assert steps.state(10_000).cursor == len(steps)


def test_constants_receive_nothing():
    steps = Steps(evaluate("x = 2.0\ny = 3*x + 1").root)
    assert [step.numbers for step in steps.script if step.kind == "backward"] == [
        "3x.grad += 1 × 1 = 1",
        "x.grad += 1 × 3 = 3",
    ]


def test_a_leaf_alone_has_only_its_seed():
    steps = Steps(Value(2.0, "a"))
    assert [step.names for step in steps.script] == ["a.grad = da/da"]


def test_rounded_numbers_are_not_called_equal():
    result = evaluate("x = 0.33333\ny = x*0.66666\nz = y*0.12345")
    lines = [step.numbers for step in Steps(result.root).script]
    assert lines[0] == "y = x × 0.6667 = 0.3333 × 0.6667 ≈ 0.2222"
    assert lines[-1] == "x.grad += 0.1235 × 0.6667 ≈ 0.0823"


def test_the_grad_of_the_graph_is_not_touched(neuron, steps):
    steps.state(15)
    assert all(value.grad is None for value in neuron.origins)


def test_arrays_step_by_whole_arrays():
    w, x = Value(np.ones((2, 3)), "w"), Value(np.ones(3), "x")
    root = (w @ x).sum()
    root.label = "s"
    steps = Steps(root)
    assert steps.script[-1].names == "x.grad += (w@x).grad through @"
    assert steps.script[0].numbers == "w @ x = [2×3] @ [3] = [2]"
    grads = steps.state(len(steps)).grads
    assert np.array_equal(grads[w], np.ones((2, 3)))


def test_a_script_of_ten_thousand_steps_jumps_anywhere():
    result = evaluate("x = 1.0\ny = x" + " + x*2" * 1_600)
    steps = Steps(result.root)
    assert len(steps) == 8_001
    assert steps.state(8_001).grads[result.names["x"]] == 3_201.0
    assert not steps.state(3_200).grads
    assert dict(steps.state(3_201).grads) == {result.root: 1.0}
