"""A graph that changes a little changes its drawing a little."""

import random
from functools import cache
from itertools import combinations
from math import inf, nan

import pytest

from engine.layout import LayoutError, layout, progressive_layout
from tests.engine.layout.looking import backward, movement, overlapping, touching
from tests.engine.layout.samples import chain, expression, measured, perceptron

GRAPHS = {
    "karpathy": lambda: measured("karpathy_L"),
    "neuron_tanh": lambda: measured("neuron_tanh"),
    "neuron_exp": lambda: measured("neuron_exp"),
    "readme": lambda: measured("readme_g"),
    "perceptron": lambda: perceptron(2, 3, 1),
    "rand_60": lambda: measured("rand_60_s1"),
    "rand_60_s2": lambda: measured("rand_60_s2"),
    "rand_200": lambda: measured("rand_200_s1"),
    "rand_200_s2": lambda: measured("rand_200_s2"),
    "softmax": lambda: measured("softmax_ce_3_all"),
}


@cache
def laid_out(name, direction):
    """A graph and its drawing, made once for all tests."""
    graph = GRAPHS[name]()
    return graph, layout(graph, direction=direction)


def with_operation(graph, first, second):
    """A new operation on two values of the graph."""
    edited = graph.copy()
    edited.add_node("new", kind="value", width=190, height=34)
    edited.add_node("newo", kind="op", width=30, height=30)
    edited.add_edges_from([(first, "newo"), (second, "newo"), ("newo", "new")])
    return edited


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["right", "down"])
@pytest.mark.parametrize("name", GRAPHS)
def test_adding_operations_moves_the_others_little(name, direction):
    graph, placed = laid_out(name, direction)
    values = [node for node in graph if graph.nodes[node]["kind"] == "value"]
    moved = []
    for index in range(5):
        edited = with_operation(graph, values[index * 3 % len(values)], values[(-1 - index * 2) % len(values)])
        after = layout(edited, direction=direction, previous=placed)
        assert overlapping(edited, after) == []
        assert touching(edited, after) == []
        assert backward(edited, after, ("right", "down").index(direction)) == []
        moved.append(movement(placed, after))
    assert sum(moved) / len(moved) <= 20


@pytest.mark.long
@pytest.mark.parametrize("direction", ["right", "down"])
@pytest.mark.parametrize("name", GRAPHS)
def test_an_operation_on_a_random_place_moves_the_others_little(name, direction):
    graph, placed = laid_out(name, direction)
    values = [node for node in graph if graph.nodes[node]["kind"] == "value"]
    edits = [with_operation(graph, *random.Random(seed).sample(values, 2)) for seed in range(24)]
    moved = [movement(placed, layout(edited, direction=direction, previous=placed)) for edited in edits]
    assert sum(moved) / len(moved) <= 12


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["right", "down"])
@pytest.mark.parametrize("name", GRAPHS)
def test_the_same_graph_stays_where_it_is(name, direction):
    graph, placed = laid_out(name, direction)
    again = layout(graph, direction=direction, previous=placed)
    assert movement(placed, again) == pytest.approx(0, abs=1e-6)


def test_positions_alone_are_enough():
    graph = expression(20, 5)
    placed = layout(graph)
    assert movement(placed, layout(graph, previous=dict(placed.positions))) <= 20


def test_a_graph_in_another_place_stays_there():
    graph = expression(20, 5)
    elsewhere = {node: (x + 1000, y - 500) for node, (x, y) in layout(graph).positions.items()}
    x, y = layout(graph, previous=elsewhere).positions["v0"]
    assert (x, y) == pytest.approx(elsewhere["v0"], abs=60)


def test_a_new_component_is_put_where_there_is_room():
    graph = expression(10, 6)
    placed = layout(graph)
    edited = graph.copy()
    edited.add_node("alone", kind="value", width=190, height=34)
    after = layout(edited, previous=placed)
    assert movement(placed, after) == pytest.approx(0, abs=1e-6)
    assert overlapping(edited, after) == []


def test_a_component_that_grows_makes_room():
    graph = chain(3)
    graph.add_node("alone", kind="value", width=190, height=34)
    placed = layout(graph)
    edited = graph.copy()
    for index in range(8):
        edited.add_node(f"new{index}", kind="value", width=190, height=34)
        edited.add_edge("alone", f"new{index}")
    assert overlapping(edited, layout(edited, previous=placed)) == []


@pytest.mark.parametrize("place", [(nan, 0.0), (0.0, inf)])
def test_a_node_that_stood_nowhere_is_named(place):
    with pytest.raises(LayoutError, match="'v0' is two finite numbers, not \\("):
        layout(expression(5, 1), previous={"v0": place})


def test_a_drawing_of_something_else_does_no_harm():
    graph = expression(12, 8)
    stranger = {f"other{index}": (index * 50.0, 0.0) for index in range(5)}
    assert layout(graph, previous=stranger).crossings == layout(graph).crossings


@pytest.mark.slow
def test_a_full_drawing_after_a_quick_one_has_fewer_crossings_nearly_in_place():
    graph = measured("rand_200_s1")
    quick = layout(graph, quality="quick")
    full = layout(graph, previous=quick)
    assert full.crossings <= quick.crossings
    assert movement(quick, full) <= 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_the_second_pass_does_not_jump(seed):
    """Most nodes keep their place in their column, and the others are still in sight."""
    graph = expression(110, seed)
    quick, full = progressive_layout(graph)
    assert full.crossings <= quick.crossings
    assert swapped(graph, quick, full) <= 0.3
    assert movement(quick, full) <= 60


def swapped(graph, before, after):
    """The share of boxes that changed sides with another one of their column."""
    columns = {}
    for node, (x, _) in after.positions.items():
        if graph.nodes[node]["kind"] == "value":
            columns.setdefault(round(x), []).append(node)
    pairs = [pair for column in columns.values() for pair in combinations(column, 2)]
    changed = {
        node
        for a, b in pairs
        if (before.positions[a][1] < before.positions[b][1]) != (after.positions[a][1] < after.positions[b][1])
        for node in (a, b)
    }
    return len(changed) / sum(len(column) for column in columns.values())
