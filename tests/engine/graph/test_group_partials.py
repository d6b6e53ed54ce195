import numpy as np
import pytest

from engine.autograd import Value, topological_order
from engine.graph import GraphNames, build_graph, gradients
from engine.graph.gradients import MOST_CONSUMERS, group_partials, nodes_between, partial_text, partial_texts
from engine.language import evaluate

PROGRAM = "x = 0.7\nu = x * 2\nw = -1.3\nh = tanh(u * w + x * u + u)\ny = h * h + x\n"


def parts(text=PROGRAM, last="h", entering=("x", "u", "w")):
    """The values of a program, and those that `last` is computed from and that are not named as entering, in order."""
    names = evaluate(text).names
    outside = {value for name in entering for value in topological_order(names[name])}
    return names, [value for value in topological_order(names[last]) if value not in outside]


def test_the_derivative_of_a_group_is_the_sum_over_all_paths_inside():
    names, inside = parts()
    found = group_partials(inside, names["h"])
    u, w, x = names["u"].data, names["w"].data, names["x"].data
    slope = 1 - np.tanh(u * w + x * u + u) ** 2
    assert found == {
        names["x"]: pytest.approx(slope * u),
        names["u"]: pytest.approx(slope * (w + x + 1)),
        names["w"]: pytest.approx(slope * u),
    }


def test_it_agrees_with_a_backward_pass_that_begins_at_the_output():
    text = "a = 1.2\nb = -0.4\nc = 3.0\nd = sigmoid(a * b + exp(b) / c - relu(c - a) ** 2)\n"
    names, inside = parts(text, "d", ("a", "b", "c"))
    found = group_partials(inside, names["d"])
    names["d"].backward()
    assert {value: pytest.approx(value.grad) for value in map(names.get, "abc")} == {
        value: partial for value, partial in found.items() if value.label in ("a", "b", "c")
    }


def test_only_what_lies_between_the_wanted_value_and_the_output_is_differentiated(monkeypatch):
    asked = []
    whole, single = gradients.local_derivatives, gradients.local_derivative
    monkeypatch.setattr(gradients, "local_derivatives", lambda value: asked.append(value) or whole(value))
    monkeypatch.setattr(gradients, "local_derivative", lambda value, i: asked.append(value) or single(value, i))
    names, inside = parts(
        "a = 1.2\nb = -0.4\nc = 3.0\np = a * b\nq = b * c\nr = p + q\ns = r + c\n", "s", ("a", "b", "c")
    )
    found = group_partials(inside, names["s"], [names["a"]])
    assert found == {names["a"]: -0.4}
    assert [value.label for value in asked] == ["s", "r", "p"]


def test_an_edge_along_which_several_values_come_costs_no_derivative(monkeypatch):
    names = evaluate("a = 1.2\nb = a * 2\nc = a * 3\nd = b * c\ne = d + b").names
    keys = {id(value): name for name, value in names.items()}
    homes = {"b": ("F",), "c": ("F",), "d": ("G",), "e": ("G",)}
    groups = {id(names[name]): home for name, home in homes.items()}
    graph = build_graph(names["e"], GraphNames(keys=keys, groups=groups), collapsed={("F",), ("G",)})
    monkeypatch.setattr(gradients, "group_partials", lambda *_: pytest.fail("differentiated"))
    assert partial_texts(graph, "group:F", lambda value: graph.graph["places"].get(id(value))) == {}


def test_what_the_output_does_not_depend_on_has_0():
    a, b = Value(2.0), Value(3.0)
    middle, beside = a * 2.0, b * 3.0
    found = group_partials([middle, beside], middle)
    assert found[a] == 2.0 and found[b] == 0.0


def test_a_group_of_arrays_has_none():
    a = Value(np.ones(3))
    total = a * a
    assert group_partials([total], total) == {}


def closed(text=PROGRAM, last="h", entering=("x", "u", "w")):
    """The graph with one closed group, and the box of every value."""
    names, inside = parts(text, last, entering)
    keys = {id(value): name for name, value in names.items()}
    groups = {id(value): ("G",) for value in inside}
    graph = build_graph(names[list(names)[-1]], GraphNames(keys=keys, groups=groups), collapsed={("G",)})
    return graph, lambda value: graph.graph["places"].get(id(value))


def test_the_edges_into_a_closed_group_say_its_derivatives():
    graph, box_of = closed()
    names, inside = parts()
    numbers = {value.label: f"∂ {partial:.4g}" for value, partial in group_partials(inside, names["h"]).items()}
    texts = partial_texts(graph, "group:G", box_of)
    assert {pair: text for pair, text in texts.items() if pair[1] == "group:G"} == {
        (name, "group:G"): numbers[name] for name in ("x", "u", "w")
    }
    assert ("group:G", next(iter(graph.successors("group:G")))) in texts


@pytest.mark.parametrize("key", ["y:op", "nowhere"])
def test_only_a_value_has_texts_around_it(key):
    graph, box_of = closed()
    assert partial_texts(graph, key, box_of) == {}


def test_the_nodes_between_two_are_those_on_all_paths_along_the_edges():
    graph, _box_of = closed()
    assert nodes_between(graph, "w", "y") >= {"group:G", "y:op"}
    assert "x" not in nodes_between(graph, "w", "y")
    assert nodes_between(graph, "y", "w") == set()


def test_a_value_that_enters_a_closed_group_says_it_too():
    graph, box_of = closed()
    assert partial_texts(graph, "w", box_of).keys() == {("w", "group:G")}


def test_a_group_of_several_outputs_has_no_single_derivative():
    graph, box_of = closed("a = 2.0\nb = a * 3\nc = a + 1\nd = b * c", "c", ("a",))
    assert partial_texts(graph, "a", box_of)
    names = evaluate("a = 2.0\nb = a * 3\nc = a + 1\nd = b * c").names
    keys = {id(value): name for name, value in names.items()}
    groups = {id(names["b"]): ("G",), id(names["c"]): ("G",)}
    graph = build_graph(names["d"], GraphNames(keys=keys, groups=groups), collapsed={("G",)})
    assert partial_texts(graph, "a", lambda value: graph.graph["places"].get(id(value))) == {}


def used_often(n_uses):
    names = evaluate("x = 0.5\n" + "".join(f"t{k} = x * {k + 2}\n" for k in range(n_uses))).names
    graph = build_graph(list(names.values()), GraphNames(keys={id(value): name for name, value in names.items()}))
    return graph, lambda value: graph.graph["places"].get(id(value))


def test_the_text_of_one_edge_costs_one_derivative_however_often_the_value_is_used(monkeypatch):
    asked, derive = [], gradients.local_derivatives
    monkeypatch.setattr(gradients, "local_derivatives", lambda value: asked.append(value) or derive(value))
    graph, box_of = used_often(50)
    assert partial_text(graph, ("x", "t7:op"), box_of) == {("x", "t7:op"): "∂ 9"}
    assert [value.label for value in asked] == ["t7"]
    assert partial_text(graph, ("t7:op", "t7"), box_of) == {}


@pytest.mark.slow
def test_a_value_that_is_used_very_often_has_texts_on_its_inputs_only():
    for n_uses, n_texts in ((MOST_CONSUMERS, MOST_CONSUMERS), (MOST_CONSUMERS + 1, 0)):
        graph, box_of = used_often(n_uses)
        assert len(partial_texts(graph, "x", box_of)) == n_texts
