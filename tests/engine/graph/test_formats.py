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
from engine.graph import GraphNames, build_graph
from engine.graph.formats import FORMATS, FormatError, write_graph
from engine.language import evaluate

HOSTILE = [
    "<script>",
    "&amp;",
    "]]>",
    "🎈",
    'a"b',
    "back\\slash",
    "\\N",
    "new\nline",
    "nul\0",
    "nul\1",
    "\ud800",
    "{x|y}",
    "%#_^~$",
]


@pytest.fixture
def graph():
    root = evaluate("a = -4.0\nb = 2\nc = a * a + b**3\nd = tanh(c * b) / 3").root
    root.backward()
    return build_graph(root)


def hostile_graph():
    leaves = [Value(float(i), name) for i, name in enumerate(HOSTILE)]
    total = leaves[0]
    for leaf in leaves[1:]:
        total = total * leaf
    total.label = "</text>"
    keys = {id(leaf): name for leaf, name in zip(leaves, HOSTILE, strict=True)}
    return build_graph(total, GraphNames(keys=keys))


def numbers(graph):
    """Label, data and grad of every value."""
    values = {key: a["value"] for key, a in graph.nodes(data=True) if a["kind"] == "value"}
    return {key: (value.data, value.grad) for key, value in values.items()}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_names_every_value_and_ends_with_a_newline(graph, name):
    text = write_graph(graph, name)
    assert text.endswith("\n")
    assert all(a["label"] in text for _key, a in graph.nodes(data=True) if a.get("role") in ("input", "output"))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_takes_hostile_names_and_writes_utf_8(name):
    write_graph(hostile_graph(), name).encode("utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_takes_arrays_and_numbers_that_are_not_finite(name):
    root = Value([[1.0, math.nan], [2.0, 3.0]], "A").sum() * Value(math.inf, "b")
    root.label = "out"
    assert "out" in write_graph(build_graph(root), name)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_writes_a_graph_of_one_array(name):
    text = write_graph(build_graph(Value([math.inf, 2.0], "A")), name)
    assert "A" in text and re.search("inf", text, re.IGNORECASE)


def test_json_is_what_networkx_reads_with_the_same_nodes_edges_and_numbers(graph):
    loaded = nx.node_link_graph(json.loads(write_graph(graph, "json")), edges="edges")
    assert set(loaded) == set(graph)
    assert set(loaded.edges) == set(graph.edges)
    assert numbers(graph) == {key: (a["data"], a["grad"]) for key, a in loaded.nodes(data=True) if a["kind"] == "value"}
    assert loaded.edges["v0", "v1:op"]["multiplicity"] == 2


def test_json_says_nan_and_infinity_as_texts_and_not_computed_as_null():
    graph = build_graph(Value(math.nan, "x") * Value(math.inf, "y"))
    nodes = {node["label"]: node for node in json.loads(write_graph(graph, "json"))["nodes"]}
    assert (nodes["x"]["data"], nodes["y"]["data"], nodes["x"]["grad"]) == ("nan", "inf", None)


def test_graphml_is_what_networkx_reads_with_the_same_nodes_edges_and_numbers(graph, tmp_path):
    path = tmp_path / "graph.graphml"
    path.write_text(write_graph(graph, "graphml"), encoding="utf-8")
    loaded = nx.read_graphml(path)
    assert set(loaded) == set(graph)
    assert set(loaded.edges) == set(graph.edges)
    assert numbers(graph) == {key: (a["data"], a["grad"]) for key, a in loaded.nodes(data=True) if a["kind"] == "value"}


def test_graphml_keeps_hostile_names_that_xml_can_hold():
    root = ElementTree.fromstring(write_graph(hostile_graph(), "graphml"))
    texts = {element.text for element in root.iter()}
    assert {"<script>", "&amp;", "]]>", "🎈", "</text>"} <= texts
    nodes = [element.get("id") for element in root.iter() if element.tag.endswith("}node")]
    assert len(set(nodes)) == len(hostile_graph())  # names with a control character each are still two


def test_dot_has_one_edge_for_each_operand(graph):
    assert write_graph(graph, "dot").count('"v0" -> "v1:op";') == 2


def test_dot_has_a_node_for_each_of_two_names_that_differ_in_a_control_character_alone():
    lines = write_graph(hostile_graph(), "dot").splitlines()
    nodes = [line.partition(" [")[0] for line in lines if line.endswith("];") and "fontname" not in line]
    assert len(set(nodes)) == len(nodes) == len(hostile_graph())


def test_dot_escapes_quotes_backslashes_and_entities():
    text = write_graph(hostile_graph(), "dot")
    assert r'"a\"b"' in text and r'"back\\slash"' in text and '"&amp;amp;"' in text and r'"new\nline"' in text


if shutil.which("dot"):

    @pytest.mark.parametrize("make", [hostile_graph, lambda: build_graph(Value(1.0) * Value([1.0]).sum())])
    def test_graphviz_reads_what_is_written(make):
        graph = make()
        done = subprocess.run(
            ["dot", "-Tplain"], input=write_graph(graph, "dot").encode(), capture_output=True, timeout=60, check=True
        )
        lines = done.stdout.decode().splitlines()
        assert done.stderr == b""
        assert sum(line.startswith("node ") for line in lines) == len(graph)


def test_the_tree_draws_a_shared_value_once_and_points_back_to_it():
    x = Value(3.0, "x")
    y = x * x
    y.label = "y"
    z = y * y
    z.label = "z"
    assert write_graph(build_graph(z), "txt").splitlines() == [
        "z = 81.0000 [×]  grad –",
        "├─ y = 9.0000 [×]  grad –",
        "│  ├─ x = 3.0000  grad –",
        "│  └─ x = 3.0000  grad –",
        "└─ y = 9.0000 [×]  grad –  (see above)",
    ]


@pytest.mark.slow
def test_the_tree_of_a_very_deep_graph_stays_narrow():
    total = Value(0.0, "x0")
    for _ in range(3_000):
        total = total + Value(1.0, "one")
    lines = write_graph(build_graph(total), "txt").splitlines()
    assert max(map(len, lines)) < 220
    assert sum("─ one = " in line for line in lines) == 3_000


def test_latex_escapes_names_and_writes_powers_and_signs(graph):
    text = write_graph(graph, "tex")
    assert r"b$^{3}$" in text and r" $\cdot$ " in text and "& $-4.0000$ &" in text
    assert r"\%\#\_\textasciicircum{}\textasciitilde{}\$" in write_graph(hostile_graph(), "tex")


def test_latex_writes_the_elements_of_small_arrays_and_the_shape_of_large_ones():
    x, w = Value([[1.0, -2.0], [0.5, 1e-9]], "x"), Value(np.zeros((5, 5)), "w")
    root = (x * 2).sum() + w.sum()
    root.backward()
    text = write_graph(build_graph(root), "tex")
    assert r"$\left(\begin{array}{rr} 1.0000 & -2.0000 \\ 0.5000 & " in text
    assert r"$5\times 5$" in text and r"\left(\begin{array}{rr} 2.0000 & 2.0000 \\" in text


def test_latex_rows_have_four_cells(graph):
    rows = [line for line in write_graph(graph, "tex").splitlines() if line.endswith(r"\\")]
    assert {row.count("&") for row in rows} == {3}


def test_a_collapsed_group_is_written_as_one_value():
    x, w = Value(2.0, "x"), Value(3.0, "w")
    product = x * w
    total = product + Value(1.0, "b")
    total.label = "o"
    groups = {id(value): ("neuron",) for value in (w, product)}
    graph = build_graph(total, GraphNames(groups=groups), collapsed={("neuron",)})
    assert "neuron = 6.0000 [2 values]" in write_graph(graph, "txt")
    assert all("neuron" in write_graph(graph, name) for name in FORMATS)


def test_an_unknown_format_names_the_nearest_and_all():
    with pytest.raises(FormatError, match=r"no graph format 'grapml', did you mean 'graphml'\? \(there are: dot, .*"):
        write_graph(build_graph(Value(1.0)), "grapml")


def test_an_empty_graph_is_refused():
    with pytest.raises(FormatError, match="nothing to export"):
        write_graph(nx.DiGraph(), "dot")


def test_arrays_are_written_element_by_element():
    graph = build_graph(Value(np.arange(4.0).reshape(2, 2), "A"))
    assert json.loads(write_graph(graph, "json"))["nodes"][0]["data"] == [[0.0, 1.0], [2.0, 3.0]]
