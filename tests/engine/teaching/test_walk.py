"""The script of a forward and backward pass, walked in both directions."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.autograd import Constant, Value, contributions, topological_order
from engine.language import evaluate
from engine.teaching import Descent, Walk, count_sub_steps
from tests.equations import computed

NEURON = "x1 = 2.0\nx2 = 0.0\nw1 = -3.0\nw2 = 1.0\nb = 6.8813735870195432\nn = x1*w1 + x2*w2 + b\no = tanh(n)"


@pytest.fixture
def neuron():
    return evaluate(NEURON)


@pytest.fixture
def walk(neuron):
    return Walk(neuron.root)


def test_the_script_is_the_algorithm(neuron, walk):
    kinds = [step.kind for step in walk.script]
    assert kinds == ["forward"] * 5 + ["seed"] + ["backward"] * 9
    assert dict(walk.phases) == {"forward": 0, "seed": 5, "backward": 6, "end": 15}
    edges = [(step.node, step.input, step.index, step.contribution.amount) for step in walk.script[6:]]
    assert edges == [(e.node, e.input, e.index, e.amount) for e in contributions(neuron.root)]


def test_lines_are_shown_with_numbers_and_with_names(walk):
    assert [step.numbers for step in walk.script] == [
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
    assert walk.script[9].names == "x1w1.grad += (x1w1+x2w2).grad × ∂(x1w1+x2w2)/∂x1w1"
    assert walk.script[6].names == "n.grad += o.grad × ∂o/∂n"


def test_at_the_start_only_leaves_are_known(neuron, walk):
    state = walk.state(0)
    assert state.known == {neuron.names[name] for name in ("x1", "x2", "w1", "w2", "b")}
    assert not state.grads


def test_forward_steps_make_one_value_known_each(neuron, walk):
    for position in range(1, 6):
        new = walk.state(position).known - walk.state(position - 1).known
        assert new == {walk.script[position - 1].node}
    assert walk.state(5).known == set(neuron.origins)
    assert not walk.state(5).grads


def test_before_its_first_contribution_a_gradient_is_not_computed(neuron, walk):
    assert dict(walk.state(6).grads) == {neuron.root: 1.0}
    w1 = neuron.names["w1"]
    assert w1 not in walk.state(14).grads
    assert walk.state(15).grads[w1] == pytest.approx(1.0)


def test_a_contribution_goes_along_one_edge(neuron, walk):
    step = walk.step(6)
    assert (step.node, step.input, step.index) == (neuron.names["o"], neuron.names["n"], 0)
    assert walk.state(7).grads.keys() - walk.state(6).grads.keys() == {neuron.names["n"]}


def test_at_the_end_the_gradients_are_those_of_backward(neuron, walk):
    neuron.root.backward()
    grads = walk.state(len(walk)).grads
    assert grads == {value: value.grad for value in neuron.origins}


def test_contributions_pile_up_one_by_one():
    result = evaluate("x = 3.0\ny = x*x + x")
    walk = Walk(result.root)
    x = result.names["x"]
    seen = [walk.state(position).grads.get(x) for position in range(len(walk) + 1)]
    assert seen[-4:] == [None, 1.0, 4.0, 7.0]
    assert [step.contribution.total for step in walk.script[-3:]] == [1.0, 4.0, 7.0]


def test_back_is_exact(walk):
    forward = [walk.state(position) for position in range(len(walk) + 1)]
    for position in [*reversed(range(len(walk) + 1)), 7, 2, 14, 0]:
        again = walk.state(position)
        assert again.known == forward[position].known
        assert again.grads == forward[position].grads


def test_cursors_outside_the_script_are_clamped(walk):
    assert same(walk.state(-5), walk.state(0))
    assert same(walk.state(10_000), walk.state(len(walk)))


def test_constants_receive_nothing():
    walk = Walk(evaluate("x = 2.0\ny = 3*x + 1").root)
    assert [step.numbers for step in walk.script if step.kind == "backward"] == [
        "(3x).grad += 1 × 1 = 1",
        "x.grad += 1 × 3 = 3",
    ]


def test_a_leaf_alone_has_only_its_seed():
    walk = Walk(Value(2.0, "a"))
    assert [step.names for step in walk.script] == ["a.grad = da/da"]


def test_rounded_numbers_are_not_called_equal():
    result = evaluate("x = 0.33333\ny = x*0.66666\nz = y*0.12345")
    lines = [step.numbers for step in Walk(result.root).script]
    assert lines[0] == "y = x × 0.6667 = 0.3333 × 0.6667 ≈ 0.2222"
    assert lines[-1] == "x.grad += 0.1235 × 0.6667 ≈ 0.0823"


def test_the_grad_of_the_graph_is_not_touched(neuron, walk):
    walk.state(15)
    assert all(not value.grad_computed for value in neuron.origins)


def test_arrays_step_by_whole_arrays():
    w, x = Value(np.ones((2, 3)), "w"), Value(np.ones(3), "x")
    root = (w @ x).sum()
    root.label = "s"
    walk = Walk(root)
    assert walk.script[-1].names == "x.grad += (w@x).grad through @"
    assert walk.script[0].numbers == "w @ x = [2×3] @ [3] = [2]"
    grads = walk.state(len(walk)).grads
    assert np.array_equal(grads[w], np.ones((2, 3)))


@pytest.mark.slow
def test_a_script_of_ten_thousand_steps_jumps_anywhere():
    result = evaluate("x = 1.0\ny = x" + " + x*2" * 1_600)
    walk = Walk(result.root)
    assert len(walk) == 8_001
    assert walk.state(8_001).grads[result.names["x"]] == 3_201.0
    assert not walk.state(3_200).grads
    assert dict(walk.state(3_201).grads) == {result.root: 1.0}


def test_contributions_are_computed_as_far_as_somebody_looks():
    result = evaluate("x = 1.0\ny = x" + " + x*2" * 100)
    walk = Walk(result.root)
    counted = count_sub_steps(result.root)
    assert (walk.phases["seed"], len(walk) - walk.phases["seed"]) == counted
    early = walk.state(walk.phases["backward"] + 3)
    for value in topological_order(result.root):
        value.data = float("nan")  # what was looked at already stays as it was
    assert walk.state(walk.phases["backward"] + 3).grads == early.grads
    assert math.isnan(walk.script[-1].contribution.total)


def test_the_parts_of_a_script_are_its_steps_in_their_order(walk):
    whole = list(walk.script)
    assert [step.numbers for step in walk.script[6:9]] == [step.numbers for step in whole[6:9]]
    assert walk.script[-1].names == whole[-1].names and len(walk.script) == len(walk) == len(whole)


# With a rule for the update: a whole step of training


def trained_by_hand(root, parameters, rate):
    """What a step of gradient descent gives, as the tutorials write it."""
    for value in topological_order(root):
        value.grad = None
    root.backward()
    return {value: value.data - rate * value.grad for value in parameters}


@pytest.mark.slow
@given(moves=st.lists(st.one_of(st.sampled_from([-1, 1]), st.integers(0, 40)), max_size=30), rate=st.floats(0.0, 2.0))
@settings(max_examples=30, deadline=None)
def test_any_mixture_of_next_and_back_and_jumps_ends_in_the_state_of_running_at_once(moves, rate):
    result = evaluate("a = 2.0\nb = -3.0\nc = a*b\nd = c + a*a\ne = tanh(d*0.1)")
    leaves = [result.names["a"], result.names["b"]]
    walk, position = Walk(result.root, Descent(leaves, rate)), 0
    for move in moves:
        position = max(0, min(len(walk), position + move if move in (-1, 1) else move))
        assert same(walk.state(position), Walk(result.root, Descent(leaves, rate)).state(position))
    end = walk.state(len(walk))
    assert dict(end.updated) == trained_by_hand(result.root, leaves, rate)
    assert all(value.grad == grad for value, grad in end.grads.items() if not isinstance(value, Constant))


def same(one, other):
    return (one.known, dict(one.grads), dict(one.updated)) == (other.known, dict(other.grads), dict(other.updated))


def test_the_phases_of_a_training_step_follow_one_another(neuron):
    leaves = [neuron.names["w1"], neuron.names["b"]]
    walk = Walk(neuron.root, Descent(leaves, 0.1))
    assert dict(walk.phases) == {"forward": 0, "zero_grad": 5, "seed": 6, "backward": 7, "update": 16, "end": 18}
    kinds = [step.kind for step in walk.script]
    assert kinds == ["forward"] * 5 + ["zero_grad", "seed"] + ["backward"] * 9 + ["update"] * 2
    assert [walk.phase_at(position) for position in (0, 1, 5, 6, 7, 8, 16, 17, 18)] == [
        "forward", "forward", "forward", "zero_grad", "seed", "backward", "backward", "update", "update",
    ]  # fmt: skip
    assert [walk.position_in_passes(position) for position in (0, 5, 6, 7, 16, 18)] == [0, 5, 5, 6, 15, 15]


def test_zero_grad_makes_the_gradients_of_the_parameters_0_and_no_others(neuron):
    leaves = [neuron.names["w1"], neuron.names["b"]]
    walk = Walk(neuron.root, Descent(leaves, 0.1))
    assert dict(walk.state(5).grads) == {}
    assert dict(walk.state(6).grads) == dict.fromkeys(leaves, 0.0)


def test_an_update_moves_one_parameter_and_leaves_what_was_computed_from_it(neuron):
    w1, b, o = (neuron.names[name] for name in ("w1", "b", "o"))
    walk = Walk(neuron.root, Descent([w1, b], 0.5))
    look_up = walk.numbers_at(17, lambda value: (value.data, None))
    assert look_up(w1)[0] == -3.0 - 0.5 * look_up(w1)[1]
    assert look_up(b)[0] == b.data and look_up(o)[0] == o.data
    assert walk.script[16].numbers == "w1.data = -3 - 0.5 × 1 = -3.5"
    assert w1.data == -3.0


def test_the_line_of_an_update_is_written_when_it_is_read(neuron):
    written = []

    class Counting(Descent):
        def update_of(self, value, gradient):
            update = super().update_of(value, gradient)
            return replace(update, write=lambda: written.append(value.label) or update.line)

    walk = Walk(neuron.root, Counting([neuron.names["w1"], neuron.names["b"]], 0.5))
    assert len(walk.state(len(walk)).updated) == 2 and not written
    assert walk.script[16].numbers == "w1.data = -3 - 0.5 × 1 = -3.5" and written == ["w1"]


def test_the_values_of_a_loss_are_a_phase_of_their_own(neuron):
    names = neuron.names
    walk = Walk(neuron.root, Descent([names["w1"]], 0.1, frozenset({names["o"], names["n"]})))
    assert walk.phases["loss"] == 3 and walk.phase_at(4) == "loss" and walk.phase_at(3) == "forward"


@pytest.mark.long
@example([4.0, 43.0, -42.904105881791345], 0.0)  # large products whose sum is small
@given(st.lists(st.floats(-50, 50), min_size=3, max_size=3), st.floats(-3, 3))
def test_the_line_of_every_step_adds_up(numbers, rate):
    text = "".join(f"{name} = {number!r}\n" for name, number in zip("abc", numbers, strict=True))
    root = evaluate(text + "d = a*b + c*a\ne = d*d - a/7").root
    walk = Walk(root, Descent([value for value in topological_order(root) if value.label in "abc"], rate))
    for step in walk.script:
        left, sign, shown = re.split(r" ([=≈]) (?=\S+$)", step.sum_line)
        if step.kind in ("backward", "update"):
            room = 1e-9 if sign == "=" else 2e-3
            result = computed(left.partition(" = ")[2])
            assert result == pytest.approx(float(shown), abs=room, rel=room)
            assert float(shown) == pytest.approx(step.contribution.total if step.update is None else step.update.after,
                                                 abs=1e-4, rel=1e-3)  # fmt: skip
