"""Cones against their definition, and repeated sub-expressions."""

import random
import sys

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.autograd import Value, topological_order
from engine.graph.cones import MOST_NESTED, Cones, repeated
from engine.language import evaluate

NEURONS = "x = 1; y = 2\n" + "".join(
    f"w{i} = {i}; v{i} = {i}.5; b{i} = 0.1\nh{i} = tanh(x*w{i} + y*v{i} + b{i})\n" for i in (1, 2, 3)
)


def found(text):
    root = evaluate(text).root
    order = topological_order(root)
    return repeated(order, Cones(order, [root]))


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(3, 25))
def test_a_cone_is_what_reaches_the_output_through_its_value_only(seed, n):
    chance = random.Random(seed)
    values = [Value(1.0) for _ in range(2)]
    while len(values) < n:
        values.append(chance.choice(values[-5:]) + chance.choice(values))
    roots = [values[-1], chance.choice(values)]
    order = list(dict.fromkeys(value for root in roots for value in topological_order(root)))
    cones = Cones(order, roots)
    graph = nx.DiGraph([(source, value) for value in order for source in value.inputs])
    graph.add_nodes_from(order)
    for head in order:
        rest = graph.subgraph([value for value in order if value is not head])
        reaching = {root for root in roots if root is not head}.union(
            *(nx.ancestors(rest, root) for root in roots if root is not head)
        )
        assert set(order) - reaching == set(cones.paths({head}))
        assert cones.sizes[head] == len(cones.paths({head}))
        assert set(cones.members(head)) == set(cones.paths({head}))


def test_three_neurons_written_by_hand_are_found():
    (alike,) = found(NEURONS + "o = h1 * h2 * h3")
    assert [head.label for head in alike.heads] == ["h1", "h2", "h3"]
    assert alike.pattern == "tanh(a·b + c·d + e)"


def test_two_are_too_few_and_two_operations_too_small():
    assert found("x = 1; y = 2\na = tanh(x*y + 1); b = tanh(y*x + 1)\nc = a + b") == []
    assert found("x = 1\na = tanh(x*2); b = tanh(x*3); c = tanh(x*4)\nd = a * b * c") == []


def test_constants_belong_to_the_shape():
    assert found("x = 1\na = tanh(x*2 + 1); b = tanh(x*2 + 1); c = tanh(x*2 + 3)\nd = a * b * c") == []
    assert len(found("x = 1\na = tanh(x*2 + 1); b = tanh(x*2 + 1); c = tanh(x*2 + 1)\nd = a * b * c")) == 1


def test_what_is_used_elsewhere_too_is_no_part():
    text = NEURONS + "o = h1 * h2 * h3 * h1"
    (alike,) = found(text)
    assert len(alike.heads) == 3


def test_the_largest_shape_wins_and_nothing_overlaps():
    (alike,) = found(NEURONS.replace("tanh(", "exp(tanh(").replace("+ b1)", "+ b1))").replace("+ b2)", "+ b2))")
                     .replace("+ b3)", "+ b3))") + "o = h1 * h2 * h3")  # fmt: skip
    assert alike.pattern.startswith("exp(tanh(")
    assert [head.label for head in alike.heads] == ["h1", "h2", "h3"]


@pytest.mark.slow
def test_a_long_chain_is_no_trouble():
    value = Value(1.0)
    for _ in range(20_000):
        value = value.tanh()
    order = topological_order(value)
    cones = Cones(order, [value])
    assert repeated(order, cones) == []
    assert cones.sizes[value] == 20_001


def lines_run(work):
    """How many lines of Python a call runs."""
    count = 0

    def count_line(_frame, event, _argument):
        nonlocal count
        count += event == "line"
        return count_line

    before = sys.gettrace()
    sys.settrace(count_line)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def leaf_used_often(times):
    """`a + a + a + ...`, where every use is as far from the output as it can be."""
    leaf = total = Value(1.0)
    for _ in range(times):
        total = total + leaf
    order = topological_order(total)
    return lambda: Cones(order, [total])


def test_twice_the_program_is_not_four_times_the_work():
    assert lines_run(leaf_used_often(800)) < 3 * lines_run(leaf_used_often(400))


def test_cones_in_cones_are_told_apart_down_to_a_depth():
    value = Value(1.0)
    for _ in range(MOST_NESTED + 30):
        value = value * 2
    order = topological_order(value)
    paths = Cones(order, [value]).paths(set(order))
    assert max(map(len, paths.values())) == MOST_NESTED
    assert paths[order[0]][0] is value
