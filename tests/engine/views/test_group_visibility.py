"""What is offered at a node, and how the document says what is open."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.document import Document, replace_section
from engine.graph import read_numbers
from engine.language import evaluate
from engine.views.graph_view import show_expression
from engine.views.group_visibility import GroupVisibility
from engine.views.sample import make_sample_graph

NEURON = "x1 = 2.0; w1 = -3.0; x2 = 0.0; w2 = 1.0; b = 6.88\nn = x1*w1 + x2*w2 + b\no = tanh(n)"
ALIKE = "x = 1; y = 2\n" + "".join(f"w{i} = {i}; v{i} = {i}.5; b{i} = 0.1\nh{i} = tanh(x*w{i} + y*v{i} + b{i})\n"
                                   for i in (1, 2, 3)) + "o = h1 * h2 * h3"  # fmt: skip


def texts(shown, key):
    return [choice.text for choice in shown.choices(key)]


def network(**view):
    document = replace_section(Document(), "network", layer_sizes=(2, 3, 1))
    document = replace_section(document, "view", shows="network", **view)
    return make_sample_graph(document, [[1.0, -1.0], [0.0, 2.0]], [0, 1]).graph_view


def test_a_closed_neuron_can_be_opened_and_its_layer_closed():
    shown = network()
    assert texts(shown, "group:L1N2") == ["Expand neuron L1N2", "Collapse layer 1"]
    assert shown.choices("group:L1N2")[0].expands == ("L1N2",)


def test_inside_a_neuron_the_nearest_comes_first():
    shown = network(expanded=("L1N2",))
    assert texts(shown, "L1N2.sum") == ["Expand Σ into simpler operations", "Collapse neuron L1N2", "Collapse layer 1"]
    assert texts(shown, "L1N2.sum:op") == texts(shown, "L1N2.sum")
    assert shown.groups_around("L1N2.sum:op") == shown.groups_around("L1N2.sum") == (("L1", "L1N2"), ("L1",))
    assert texts(shown, "L1N2.w1") == ["Collapse neuron L1N2", "Collapse layer 1"]
    assert texts(shown, "x1") == texts(shown, "nowhere") == []


def test_an_opened_operation_can_be_closed_from_every_part_of_it():
    shown = show_expression(evaluate(NEURON), expanded=("op:o",))
    parts = [key for key in shown.graph if key.startswith("o:") and key != "o:op" and not key.endswith(":op")]
    assert len(parts) > 4
    assert all(texts(shown, key) == ["Collapse o: tanh"] for key in [*parts, "o"])


def test_all_that_a_value_was_computed_from_becomes_one_box():
    plain = show_expression(evaluate(NEURON))
    (choice,) = plain.choices("n")
    assert choice.text == "Collapse all that n was computed from"
    shown = show_expression(evaluate(NEURON), collapsed=choice.collapses)
    assert {key for key, a in shown.graph.nodes(data=True) if a["kind"] == "value"} == {"group:cone:n", "o"}
    assert read_numbers(shown.graph)["group:cone:n"].data == read_numbers(plain.graph)["n"].data
    assert texts(shown, "group:cone:n") == ["Expand n"]


def test_repeated_sub_expressions_are_open_and_offered_together():
    shown = show_expression(evaluate(ALIKE))
    assert not any(key.startswith("group:") for key in shown.graph)
    choices = shown.choices("h1.0")
    assert [choice.text for choice in choices] == ["Collapse h1: tanh(a·b + c·d + e)", "Collapse all 3 of this shape"]
    closed = show_expression(evaluate(ALIKE), collapsed=choices[1].collapses).graph
    assert {"group:cone:h1", "group:cone:h2", "group:cone:h3", "x", "y", "o"} <= set(closed)
    assert closed.nodes["group:cone:h2"]["label"] == "h2"


def test_an_opened_operation_lies_in_the_sub_expression_around_it():
    shown = show_expression(evaluate(ALIKE), expanded=("op:h1",))
    assert [group[-1] for group in shown.groups_around("h1:2")] == ["op:h1"]
    closed = show_expression(evaluate(ALIKE), expanded=("op:h1",), collapsed=("cone:h1",))
    assert closed.graph.nodes["group:cone:h1"]["main"] == "h1"
    assert not any(key.startswith("h1:") for key in closed.graph)


def test_trouble_and_what_follows_are_marked_also_when_an_operation_is_open():
    text = "a = 1.0\nb = log(a - 2)\nc = tanh(b)"
    shown = show_expression(evaluate(text), expanded=("op:c",))
    readings = read_numbers(shown.graph, shown.numbers, shown.problems)
    assert "positive" in readings["b"].problem
    assert readings["c"].data_state == readings["c:2"].data_state == "unknown"


def test_opening_and_closing_leaves_nothing_behind_in_the_document():
    visibility = GroupVisibility(defaults=frozenset({"L1N1"}))
    opened = visibility.changed(expands=["L1N1"])
    assert opened == {"expanded": ("L1N1",), "collapsed": ()}
    again = GroupVisibility(frozenset(opened["expanded"]), frozenset(), visibility.defaults)
    assert again.changed(collapses=["L1N1"]) == {"expanded": (), "collapsed": ()}
    assert visibility.changed(collapses=["L1"]) == {"expanded": (), "collapsed": ("L1",)}


GROUPS = ["L1", "L1N1", "op:L1N1", "cone:n", "*"]
NAMED = st.sets(st.sampled_from(GROUPS[:-1]))


@pytest.mark.slow
@given(st.sets(st.sampled_from(GROUPS)), NAMED, NAMED, NAMED)
def test_what_was_opened_is_open_and_what_was_closed_is_collapsed(expanded, collapsed, defaults, asked):
    visibility = GroupVisibility(frozenset(expanded), frozenset(collapsed), frozenset(defaults))
    opened = GroupVisibility(
        **{k: frozenset(v) for k, v in visibility.changed(expands=asked).items()}, defaults=visibility.defaults
    )
    closed = GroupVisibility(
        **{k: frozenset(v) for k, v in visibility.changed(collapses=asked).items()}, defaults=visibility.defaults
    )
    for name in GROUPS[:-1]:
        assert opened.is_collapsed(name) == (False if name in asked else visibility.is_collapsed(name))
        assert closed.is_collapsed(name) == (True if name in asked else visibility.is_collapsed(name))


NETWORK = """\
net = MLP(2, [3, 1])
rows, targets = [[1.0, 0.5], [-0.5, 1.5], [0.25, -1.0], [-1.0, -0.5]], [1, -1, 1, -1]
loss = sum((net(row) - t) ** 2 for row, t in zip(rows, targets))
"""


def test_a_large_graph_is_folded_to_its_last_steps_and_opens_part_by_part():
    evaluation = evaluate(NETWORK)
    whole = show_expression(evaluation).graph
    folded = show_expression(evaluation, folds=True)
    boxes = {key: a for key, a in folded.graph.nodes(data=True) if a["kind"] == "value"}
    closed = {key for key, a in boxes.items() if a["members"]}
    assert len(boxes) < 30 < sum(a["kind"] == "value" for _key, a in whole.nodes(data=True))
    assert closed and all("loss" in folded.names.keys[id(root)] for root in folded.roots[:1])
    name = boxes[max(closed, key=lambda key: boxes[key]["members"])]["group"][-1]
    opened = show_expression(evaluation, expanded=(name,), folds=True)
    assert not opened.visibility.is_collapsed(name) and len(opened.graph) > len(folded.graph)
    everything = show_expression(evaluation, expanded=("*",), folds=True)
    assert everything.graph.nodes == whole.nodes


def test_a_network_on_one_sample_is_folded_to_its_neurons():
    folded = show_expression(evaluate("net = MLP(3, [8, 1])\nloss = (net([2.0, 3.0, -1.0]) - 1) ** 2\n"), folds=True)
    closed = [a["members"] for _key, a in folded.graph.nodes(data=True) if a.get("members")]
    assert len(closed) == 8 and max(closed) - min(closed) <= 2  # the first one holds two numbers of the input, too


def test_a_small_graph_is_drawn_as_it_is():
    assert not show_expression(evaluate(ALIKE), folds=True).visibility.defaults
