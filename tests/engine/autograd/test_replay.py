"""A graph seen from its values: who uses them, the ways to the root, and whether its numbers still belong together."""

import math

import numpy as np
import pytest

from engine.autograd import Value, apply, logsumexp, weighted_sum, what_if
from engine.autograd.contributions import contributions, contributions_within, local_derivative, local_derivatives
from engine.autograd.ops import Op
from engine.autograd.replay import Replay, is_outdated


def test_users_come_in_the_order_of_the_backward_pass_with_the_place_of_the_operand():
    x, y = Value(2.0), Value(3.0)
    first = x * y
    second = y - x
    replay = Replay(first * second)
    assert replay.uses(x) == [(second, 1), (first, 0)]
    assert replay.uses(Value(1.0)) == []


def test_the_shortest_path_has_the_fewest_operations():
    x = Value(0.5)
    long = x.tanh().exp().sin()
    root = long * x
    replay = Replay(root)
    assert replay.shortest_path(x) == [(root, 1)]
    assert [node.op.name for node, _ in replay.shortest_path(long.inputs[0])] == ["sin", "mul"]
    assert replay.shortest_path(Value(1.0)) == []
    assert replay.number_of_paths(x, replay.downstream([x])) == 2


def test_a_graph_whose_arrays_no_longer_fit_together_is_outdated():
    a, b = Value(np.ones(3)), Value(np.ones(3))
    root = (a * b).sum()
    a.data = np.ones(4)
    assert is_outdated(root) is True


@pytest.mark.parametrize("data", [2.0, np.array([1.0, 2.0])])
def test_a_graph_is_outdated_once_a_leaf_has_changed_and_only_then(data):
    x = Value(data)
    root = (x * 3.0).sum() if np.ndim(data) else x * 3.0 + 1.0
    assert is_outdated(root) is False
    x.data = data * 1.001
    assert is_outdated(root) is True


@pytest.mark.parametrize("data", [0.5, np.array([0.5, 0.5])])
def test_a_number_that_became_undefined_or_defined_makes_a_graph_outdated_and_one_that_stays_undefined_does_not(data):
    x = Value(-data)
    root = x.log()
    assert is_outdated(root) is False
    x.data = data
    assert is_outdated(root) is True
    x = Value(data)
    root = x.log()
    x.data = -data
    assert is_outdated(root) is True


def test_an_engine_that_rounds_differently_is_not_outdated():
    x = Value(0.1)
    root = x * 3.0
    root.data = math.nextafter(root.data, 1.0)
    assert is_outdated(root) is False


def test_the_graph_of_another_number_is_computed_and_this_one_stays():
    x, other = Value(2.0), Value(1.0)
    root = x * x + x
    assert what_if(root, {x: 3.0}) == 12.0
    assert what_if(root, {other: 3.0}) == 6.0
    assert what_if(x, {x: 5.0}) == 5.0
    assert (x.data, root.data) == (2.0, 6.0)


def test_roots_on_both_sides_of_every_value_are_computed_in_blocks_as_one_by_one():
    x, y = Value(0.7), Value(-0.4)
    root = x * y
    for _ in range(130):  # more than two blocks of values
        root = (root * x + y).tanh()
    root = logsumexp([root, x * x]) + weighted_sum([x, y], [y, x], x)
    replay = Replay(root)
    steps = [0.01 * (1 + index % 3) for index in range(len(replay.order))]
    sides = list(replay.sides(steps))
    assert len(sides) == len(replay.order) > 256
    for value, step, (below, above) in zip(replay.order, steps, sides, strict=True):
        assert below == pytest.approx(replay.root_data({value: value.data - step}), abs=1e-12)
        assert above == pytest.approx(replay.root_data({value: value.data + step}), abs=1e-12)


def test_a_result_so_large_that_its_rounding_hides_a_partial_is_named():
    x = Value(1e23)
    large = logsumexp([x, Value(1.0)])
    replay = Replay(large * 1.0)
    assert replay.first_too_rounded(replay.downstream([x]), 1e-4) is large
    x = Value(2.0)
    replay = Replay(logsumexp([x, Value(1.0)]) * 1.0)
    assert replay.first_too_rounded(replay.downstream([x]), 1e-4) is None


def test_contributions_to_one_value_are_those_of_the_whole_pass():
    x = Value(0.5)
    root = (x * x + x.exp()) * x
    replay = Replay(root)
    alone = replay.contributions_to(x, replay.downstream([x]))
    whole = [term for term in contributions(root) if term.input is x]
    assert [(term.node, term.index, term.amount, term.total) for term in alone] == [
        (term.node, term.index, term.amount, term.total) for term in whole
    ]
    wanted = [x, *replay.order[-2:]]
    assert {term.input for term in contributions_within(replay.order, wanted)} <= {*wanted}


@pytest.mark.parametrize(
    "root",
    [
        weighted_sum([0.5, -1.5], [2.0, 3.0], 0.25),
        logsumexp([0.5, 1.0, -2.0]),
        Value(3.0) / Value(7.0),
        apply(Op("cube", "x**3", ("3 * x**2",)), Value(2.0)),
    ],
)
def test_one_local_derivative_is_that_among_all(root):
    alone = [local_derivative(root, index) for index in range(len(root.inputs))]
    assert alone == local_derivatives(root)
    nudged = [(what_if(root, {x: x.data + 1e-6}) - what_if(root, {x: x.data - 1e-6})) / 2e-6 for x in root.inputs]
    assert alone == pytest.approx(nudged, rel=1e-6, abs=1e-8)


def test_the_first_node_that_a_nudge_does_not_move_is_found_where_rounding_loses_it():
    x = Value(2.0)
    large = x * 3.0 + 1e300
    root = large * 0.5
    replay = Replay(root)
    assert replay.first_unmoved(x, 2.1, replay.downstream([x])) is large
    replay = Replay(moved := (x * 3.0).tanh() * 2.0 + (x - 9.0).relu())  # relu does not move, but has no slope
    assert replay.first_unmoved(x, 2.1, replay.downstream([x])) is None
    array = Value(np.array([1.0, 1e300]))
    replay = Replay((array * x).sum() + moved)
    assert replay.first_unmoved(x, 2.1, replay.downstream([x])) is None  # arrays on the way are not looked at
