"""Groups drawn as one box: never a cycle, nothing lost, and summaries that say what they are."""

import json
import random
from types import SimpleNamespace

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.autograd import Value, topological_order
from engine.graph import GraphNames, GroupText, build_graph, make_picture, read_numbers
from engine.graph.formats import write_graph
from engine.graph.groups import all_groups, came_from, crowded, taken_over
from engine.graph.picture import norm_text
from engine.layout import layout


def random_values(seed, n):
    chance = random.Random(seed)
    values = [Value(chance.uniform(-1, 1), f"v{i}") for i in range(3)]
    for i in range(3, n):
        values.append(chance.choice(values) * chance.choice(values) if i % 2 else chance.choice(values[-4:]).tanh())
        values[-1].label = f"v{i}"
    return values


@pytest.mark.slow
@given(st.integers(0, 10_000), st.integers(4, 30), st.data())
def test_no_choice_of_closed_groups_makes_a_cycle_or_loses_a_value(seed, n, data):
    values = random_values(seed, n)
    chance = random.Random(seed)
    outer = {id(v): (f"g{chance.randrange(4)}",) for v in values if chance.random() < 0.8}
    paths = {key: (*path, f"{path[0]}.{chance.randrange(3)}") if chance.random() < 0.6 else path
             for key, path in outer.items()}  # fmt: skip
    groups = list(all_groups(paths.values()))
    closed = data.draw(st.sets(st.sampled_from(groups))) if groups else set()
    names = GraphNames(keys={id(v): v.label for v in values}, groups=paths)
    graph = build_graph(values[::-1], names, collapsed=closed)
    assert nx.is_directed_acyclic_graph(graph)
    assert set(graph.graph["boxes"]) == {v.label for v in values}
    assert set(graph.graph["boxes"].values()) == {key for key, a in graph.nodes(data=True) if a["kind"] == "value"}
    counted = sum(a["members"] or 1 for _, a in graph.nodes(data=True) if a["kind"] == "value")
    assert counted == n


def test_a_group_with_a_value_outside_between_two_inside_stays_open():
    x = Value(1.0, "x")
    inside, outside = x * 2, None
    outside = inside.tanh()
    end = inside + outside
    names = GraphNames(groups={id(inside): ("a",), id(end): ("a",)})
    assert "group:a" not in build_graph(end, names, collapsed={("a",)})


def test_two_groups_that_feed_each_other_are_not_both_closed():
    a1, b2 = Value(1.0), Value(2.0)
    b1, a2 = a1 * 3, b2 * 3
    names = GraphNames(groups={id(a1): ("a",), id(a2): ("a",), id(b1): ("b",), id(b2): ("b",)})
    graph = build_graph([b1, a2], names, collapsed={("a",), ("b",)})
    assert len({"group:a", "group:b"} & set(graph)) == 1
    assert nx.is_directed_acyclic_graph(graph)


def two_layers():
    x = Value(2.0, "x")
    hidden = [(x * Value(float(w), f"w{w}")).tanh() for w in (1, -2, 3)]
    out = hidden[0] + hidden[1] + hidden[2]
    out.backward()
    paths = {}
    for number, value in enumerate(hidden):
        product = value.inputs[0]
        paths |= {id(part): ("layer", f"n{number}") for part in (value, product, product.inputs[1])}
    texts = {"layer": GroupText("layer 1", "layer 1", "neurons")}
    return SimpleNamespace(x=x, hidden=hidden, out=out, names=GraphNames(groups=paths, texts=texts))


def test_a_closed_group_says_what_it_holds_and_an_open_one_shows_the_groups_in_it():
    net = two_layers()
    closed = build_graph(net.out, net.names, collapsed={("layer",), ("layer", "n0")})
    assert closed.nodes["group:layer"]["note"] == "3 neurons · 9 values"
    assert closed.nodes["group:layer"]["label"] == "layer 1"
    assert "group:n0" not in closed
    opened = build_graph(net.out, net.names, collapsed={("layer", "n0")})
    assert opened.nodes["group:n0"]["note"] == "3 values"
    picture = make_picture(closed, layout(closed))
    assert picture.boxes["group:layer"].note == "3 neurons · 9 values"
    assert picture.boxes["group:layer"].members == 9


def test_edges_of_a_closed_group_are_merged_into_one():
    net = two_layers()
    graph = build_graph(net.out, net.names, collapsed={("layer",)})
    ((_, _, entering),) = [edge for edge in graph.edges(data=True) if edge[1] == "group:layer"]
    leaving = [edge for edge in graph.edges(data=True) if edge[0] == "group:layer"]
    assert entering["multiplicity"] == 1
    assert [edge[2]["multiplicity"] for edge in leaving] == [1, 1]


def test_several_outputs_are_summed_up_by_their_norms():
    net = two_layers()
    graph = build_graph(net.out, net.names, collapsed={("layer",)})
    reading = read_numbers(graph)["group:layer"]
    data = sum(value.data**2 for value in net.hidden) ** 0.5
    assert reading.data == f"‖{data:.4f}‖"
    assert reading.grad == f"‖{3**0.5:.4f}‖"
    assert "3 outputs from" in reading.full
    assert "norm" in reading.full


def test_a_group_with_one_output_reads_as_that_value():
    net = two_layers()
    graph = build_graph(net.out, net.names, collapsed={("layer", "n1")})
    assert graph.nodes["group:n1"]["value"] is net.hidden[1]
    assert read_numbers(graph)["group:n1"].data == f"{net.hidden[1].data:.4f}".replace("-", "−")


def test_a_group_is_not_computed_while_one_of_its_outputs_is_not():
    net = two_layers()
    graph = build_graph(net.out, net.names, collapsed={("layer",)})
    reading = read_numbers(graph, lambda value: (None if value is net.hidden[2] else value.data, None))["group:layer"]
    assert (reading.data_state, reading.grad_state) == ("unknown", "unknown")
    assert "not computed" in reading.full


def test_trouble_inside_a_closed_group_is_told_on_its_box():
    net = two_layers()
    graph = build_graph(net.out, net.names, collapsed={("layer",)})
    inner = net.hidden[0].inputs[0]
    assert read_numbers(graph, problems={id(inner): "overflow"})["group:layer"].problem == "overflow"


@pytest.mark.parametrize(
    ("size", "text"), [(None, "–"), (0.0, "‖0.0000‖"), (1e9, "‖1.00e+09‖"), (999.9, "‖1.00e+03‖"), (float("inf"), "∞")]
)
def test_norms_fit_their_cells(size, text):
    assert norm_text(size) == text
    assert len(text) <= 10


def test_layers_with_most_neurons_are_closed_first_and_only_when_there_are_too_many():
    paths = {n: ("big", f"b{n}") for n in range(50)} | {100 + n: ("small", f"s{n}") for n in range(5)}
    assert crowded(paths, 60, 60) == []
    assert crowded(paths, 60, 30) == [("big",)]
    assert crowded(paths, 60, 8) == [("big",), ("small",)]


def test_groups_and_their_outputs_inherit_each_others_places():
    net = two_layers()
    keys = {id(value): f"k{n}" for n, value in enumerate(topological_order(net.out))}
    names = GraphNames(keys=keys, groups=net.names.groups)
    opened = build_graph(net.out, names)
    closed = build_graph(net.out, names, collapsed={("layer", "n1")})
    head = keys[id(net.hidden[1])]
    assert taken_over({head: (3.0, 4.0)}, opened, closed)["group:n1"] == (3.0, 4.0)
    assert taken_over({"group:n1": (5.0, 6.0)}, closed, opened)[head] == (5.0, 6.0)
    assert came_from(opened, closed)["group:n1"] in opened
    assert came_from(closed, opened)[head] == "group:n1"
    assert set(came_from(closed, opened).values()) == {"group:n1"}


def test_text_formats_write_norms_for_people_and_no_numbers_for_programs():
    net = two_layers()
    graph = build_graph(net.out, net.names, collapsed={("layer",)})
    entry = next(node for node in json.loads(write_graph(graph, "json"))["nodes"] if node["id"] == "group:layer")
    assert (entry["data"], entry["grad"], entry["members"]) == (None, None, 9)
    assert "layer 1 = ‖" in write_graph(graph, "txt")
    assert r"\Vert\cdot\Vert = 1.7321" in write_graph(graph, "tex")
