"""What is exported as text are the numbers of the moment: those that the canvas shows."""

import json
import math
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import networkx as nx
import numpy as np
import pytest

from engine.autograd import Value
from engine.document import Document, replace_section
from engine.graph import GraphNames, build_graph, read_numbers
from engine.graph.formats import FORMATS, write_graph
from engine.language import evaluate
from engine.teaching import Walk
from engine.views.graph_view import show_expression
from engine.views.sample import make_sample_graph

TROUBLE = "v = -1.5\nbad = log(v)\nbig = 1e308\nfar = big * 1e10\nfine = v * 2\nout = bad + far + fine\n"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def trouble():
    return show_expression(evaluate(TROUBLE))


def written(shown, name):
    return write_graph(shown.graph, name, shown.numbers, shown.problems)


def loaded(shown, name):
    """Graphs as networkx reads the two formats."""
    text = written(shown, name)
    return nx.parse_graphml(text) if name == "graphml" else nx.node_link_graph(json.loads(text), edges="edges")


@pytest.mark.parametrize("name", ["graphml", "json"])
def test_what_could_not_be_computed_has_no_number_and_what_went_wrong_says_so(trouble, name):
    nodes = loaded(trouble, name).nodes
    assert nodes["fine"]["data"] == -3.0
    assert nodes["out"].get("data") is None and nodes["out"].get("grad") is None
    assert math.isnan(float(nodes["bad"]["data"])) and float(nodes["far"]["data"]) == math.inf
    assert "log" in nodes["bad"]["problem"] and "problem" not in nodes["fine"]


@pytest.mark.parametrize("name", ["graphml", "json"])
@pytest.mark.parametrize("text", ["a = 2\nb = a * a + 3\nc = tanh(b) / a\nunused = b - 1\n", TROUBLE])
def test_networkx_reads_nodes_edges_data_and_grad_as_they_are(name, text):
    shown = show_expression(evaluate(text))
    graph = loaded(shown, name)
    assert set(graph) == set(shown.graph) and set(graph.edges) == set(shown.graph.edges)
    for key, a in shown.graph.nodes(data=True):
        assert graph.nodes[key]["label"] if a["kind"] == "op" else True
        if a["kind"] == "value":
            for part, number in zip(("data", "grad"), shown.numbers(a["value"]), strict=True):
                got = graph.nodes[key].get(part)
                same = got is None if number is None else np.array_equal(float(got), number, equal_nan=True)
                assert same, (key, part, got, number)
    for pair, a in shown.graph.edges.items():
        operands = graph.edges[pair]["operands"]
        assert graph.edges[pair]["multiplicity"] == a["multiplicity"]
        assert tuple(json.loads(operands) if name == "graphml" else operands) == a["operands"]


def test_graphml_writes_numbers_as_xml_schema_does_and_leaves_names_alone():
    x, y, z = Value(math.nan, "nan"), Value(-math.inf, "inf"), Value(math.inf, "-inf")
    text = write_graph(build_graph(x * y * z), "graphml")
    numbers = {key.get("id") for key in ElementTree.fromstring(text) if key.get("attr.type") == "double"}
    found = re.findall(r'<data key="(\w+)">(-?(?:nan|inf))</data>', text, re.IGNORECASE)
    assert {value for key, value in found if key in numbers} == {"NaN", "INF", "-INF"}
    assert {value for key, value in found if key not in numbers} == {"nan", "inf", "-inf"}


@pytest.mark.parametrize("name", FORMATS)
def test_the_numbers_are_those_of_the_step(name):
    shown = show_expression(evaluate("a = 2\nb = 3\nc = a * b\nd = c + a\n"))
    steps = Walk(shown.root)
    state = steps.state(steps.phases["backward"] + 1)

    def look_up(value):
        return value.data, state.grads.get(value)

    readings = read_numbers(shown.graph, look_up)
    text = write_graph(shown.graph, name, look_up)
    assert (readings["d"].grad, readings["a"].grad) == ("+1.0000", "–")
    assert text != written(shown, name)
    if name in ("txt", "dot"):
        assert all(f"grad {readings[key].grad}" in text for key in "abcd")


def test_closed_groups_are_one_node_with_the_numbers_of_their_output():
    document = replace_section(Document(), "view", shows="network")
    shown = make_sample_graph(document, np.array([[0.5, -1.0]]), np.array([1])).graph_view
    groups = [key for key, a in shown.graph.nodes(data=True) if a.get("members")]
    for name in ("graphml", "json"):
        graph = loaded(shown, name)
        assert set(graph) == set(shown.graph)
        assert all(graph.nodes[key]["data"] == shown.graph.nodes[key]["value"].data for key in groups)
        assert all(graph.nodes[key]["members"] == shown.graph.nodes[key]["members"] for key in groups)
    assert written(shown, "txt").count("values]") >= len(groups) > 4


def test_a_group_with_several_outputs_has_no_number_for_programs_and_a_norm_for_people():
    x = Value(2.0, "x")
    one, other = x * 2.0, x * 3.0
    root = one + other
    root.backward()
    graph = build_graph(root, GraphNames(groups={id(v): ("layer",) for v in (one, other)}), collapsed={("layer",)})
    node = next(node for node in json.loads(write_graph(graph, "json"))["nodes"] if node["id"] == "group:layer")
    assert node["data"] is None and node["grad"] is None
    assert "data ‖7.2111‖ | grad ‖1.4142‖" in write_graph(graph, "dot")
    assert "layer = ‖7.2111‖" in write_graph(graph, "txt")


def test_constants_are_written_as_on_the_canvas():
    shown = show_expression(evaluate("a = 2\nb = a * 10\n"))
    assert "└─ 10\n" in written(shown, "txt")
    assert '[label="10", shape=plaintext' in written(shown, "dot")


def test_the_tree_says_what_went_wrong(trouble):
    line = next(line for line in written(trouble, "txt").splitlines() if "bad = nan" in line)
    assert "(! log" in line
    assert "out = –" in written(trouble, "txt")


if shutil.which("dot"):

    def test_graphviz_draws_every_name_and_number():
        leaves = "größe = Value(2.0)\nw = Value(3.0, label='<b>&amp; \"q\" \\\\N {x|y}')\n"
        text = f"{leaves}bad = log(-größe)\nout = größe * w + 1e-9\n"
        shown = show_expression(evaluate(text))
        command = ["dot", "-Tsvg"]
        done = subprocess.run(
            command, input=written(shown, "dot").encode(), capture_output=True, timeout=60, check=True
        )
        assert done.stderr == b""
        root = ElementTree.fromstring(done.stdout)
        drawn = " ".join(element.text or "" for element in root.iter(f"{SVG}text")).replace("\xa0", " ")
        label = next(a["label"] for _key, a in shown.graph.nodes(data=True) if "{x|y}" in a["label"])
        for expected in ("größe", label, "data 2.0000", "grad +3.0000", "nan"):
            assert expected in drawn, (expected, drawn)
        nodes = [group for group in root.iter(f"{SVG}g") if group.get("class") == "node"]
        assert len(nodes) == len(shown.graph)
