"""From values to a DiGraph, and the texts in its boxes."""

import gc
import math
import weakref

import networkx as nx
import numpy as np
import pytest

from engine.autograd import Value
from engine.graph import GraphNames, build_graph, layout, make_picture, read_numbers
from engine.graph.picture import MOST_DECIMALS, cell_text, set_decimals, shown_decimals, state_of


def test_an_operand_used_twice_is_one_edge_with_multiplicity_two():
    x = Value(3.0, "x")
    graph = build_graph(x * x)
    ((_, _, edge),) = [edge for edge in graph.edges(data=True) if edge[2]["operands"]]
    assert edge["multiplicity"] == 2
    assert edge["operands"] == (0, 1)


def test_a_constant_exponent_stands_in_its_circle():
    x = Value(3.0, "x")
    graph = build_graph(x**3 + 3)
    texts = {attributes.get("text") for _, attributes in graph.nodes(data=True)}
    roles = [attributes.get("role") for _, attributes in graph.nodes(data=True)]
    assert "^3" in texts
    assert roles.count("constant") == 1


def test_constants_can_be_hidden():
    graph = build_graph(2 * Value(1.0, "x") + 1, hide_constants=True)
    assert "constant" not in [attributes.get("role") for _, attributes in graph.nodes(data=True)]


def test_roles_tell_leaves_and_the_output_apart():
    x, w = Value(1.0, "x"), Value(2.0, "w")
    y = x * w
    graph = build_graph(y, GraphNames(keys={id(y): "y"}, roles={id(w): "parameter"}))
    roles = {attributes.get("label") or key: attributes.get("role") for key, attributes in graph.nodes(data=True)}
    assert (roles["x"], roles["w"], roles["xw"]) == ("input", "parameter", "output")


def test_colliding_keys_and_labels_are_kept_apart():
    a, b = Value(1.0, "a"), Value(2.0, "a")
    graph = build_graph(a + b, GraphNames(keys={id(a): "a", id(b): "a"}))
    assert sum(attributes.get("label") == "a" for _, attributes in graph.nodes(data=True)) == 2


def test_a_value_without_a_key_does_not_take_one_that_a_name_has():
    v1 = Value(2.0, "v1")
    graph = build_graph(v1 * Value(3.0), GraphNames(keys={id(v1): "v1"}))
    assert {key for key, a in graph.nodes(data=True) if a["kind"] == "value"} == {"v1", "v1'", "v2"}
    assert graph.nodes["v1"]["value"] is v1


def test_the_views_of_a_graph_are_those_of_networkx_and_hold_it_only_as_long_as_they_live():
    x = Value(2.0, "x")
    graph = build_graph(x * x + 1.0)
    plain = nx.DiGraph(graph)
    for view in ("edges", "out_edges", "in_edges", "degree", "in_degree", "out_degree"):
        assert sorted(getattr(graph, view)) == sorted(getattr(plain, view))
    alive = weakref.ref(graph)
    gc.disable()
    try:
        del graph
        assert alive() is None
    finally:
        gc.enable()


def test_a_group_of_several_arrays_says_how_many_and_their_norm():
    x = Value([2.0, 1.0], "x")
    one, other = x * 2.0, x * 3.0
    root = (one + other).sum()
    graph = build_graph(root, GraphNames(groups={id(v): ("layer",) for v in (one, other)}), collapsed={("layer",)})
    reading = read_numbers(graph)["group:layer"]
    assert reading.data == "‖8.0623‖"  # √65
    assert "of 2 outputs" in reading.full and "norm" in reading.full and "from" not in reading.full


@pytest.mark.parametrize("decimals", [0, MOST_DECIMALS + 1])
def test_decimals_that_cannot_be_shown_change_nothing(decimals):
    before = shown_decimals()
    with pytest.raises(ValueError, match=f"not {decimals}"):
        set_decimals(decimals)
    assert shown_decimals() == before


def test_a_collapsed_group_hides_its_members_and_keeps_the_graph_acyclic():
    x, w, b = Value(1.0, "x"), Value(2.0, "w"), Value(0.5, "b")
    inside = x * w
    out = inside + b
    end = out.tanh()
    names = GraphNames(groups={id(value): ("neuron",) for value in (w, b, inside, out)})
    graph = build_graph(end, names, collapsed=frozenset({("neuron",)}))
    assert graph.nodes["group:neuron"]["members"] == 4
    assert graph.nodes["group:neuron"]["value"] is out
    assert nx.is_directed_acyclic_graph(graph)
    assert len([key for key in graph if not key.endswith(":op")]) == 3


def test_every_node_of_the_picture_has_its_place():
    graph = build_graph((Value(1.0, "a") * Value(2.0, "b")).tanh())
    picture = make_picture(graph, layout(graph))
    assert set(picture.boxes) | set(picture.circles) == set(graph)
    assert set(picture.edges) == set(graph.edges)


@pytest.mark.parametrize(
    ("number", "signed", "text"),
    [
        (None, False, "–"),
        (0.0, True, "+0.0000"),
        (-0.0, False, "0.0000"),
        (-6.0, True, "−6.0000"),
        (0.5, True, "+0.5000"),
        (1e-7, False, "1.00e−07"),
        (123456.0, False, "1.23e+05"),
        (math.inf, True, "+∞"),
        (-math.inf, False, "−∞"),
        (math.nan, False, "nan"),
        (np.zeros((2, 3)), False, "2×3"),
        (3, False, "3"),
        (-3, False, "−3"),
        (3, True, "+3"),
        (7**40, False, "6.37e+33"),
    ],
)
def test_numbers_fit_their_cells(number, signed, text):
    assert cell_text(number, signed) == text
    assert len(text) <= 10


def test_not_computed_is_not_zero():
    assert state_of(None) == "unknown"
    assert state_of(0.0) == "zero"
    assert state_of(math.nan) == "bad"
    x = Value(2.0, "x")
    graph = build_graph(x * 3)
    readings = read_numbers(graph)
    assert readings[next(key for key, a in graph.nodes(data=True) if a.get("label") == "x")].grad_state == "unknown"
