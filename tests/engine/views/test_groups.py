"""Every kind of group on real graphs: whatever is open or closed, nothing is lost and every number is right."""

import math
import random
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from datasets import make_dataset
from engine.autograd import Constant, can_expand, contributions, name_of, topological_order
from engine.document import Document, replace_section
from engine.experiment.assemble import fitted_network
from engine.graph import read_numbers
from engine.graph.formats import write_graph
from engine.graph.gradients import gradient_flow
from engine.graph.groups import all_groups, came_from, taken_over
from engine.graph.picture import cell_text, norm, norm_text
from engine.language import evaluate
from engine.views.graph_view import show_expression
from engine.views.sample import make_sample_graph
from tests.programs import README_OF_MICROGRAD

NEURON = "x1 = 2.0; x2 = 0.0; w1 = -3.0; w2 = 1.0\nb = 6.8813735870195432\nn = x1*w1 + x2*w2 + b\no = tanh(n)"
REPEATED = "x = 1.0; y = 2.0\n" + "".join(
    f"w{i} = 0.{i}; v{i} = -0.{i}5; b{i} = 0.1\nh{i} = tanh(x*w{i} + y*v{i} + b{i})\n" for i in (1, 2, 3)
) + "o = h1*h2 + h3"  # fmt: skip
NESTED = (
    "x = 0.7\na = tanh(sigmoid(x)*x)\nb = gelu(a - softplus(x))\nc = logsumexp(a, b, x)**2\nd = c - swish(b)*elu(a)"
)


def expression(text):
    return lambda expanded=(), collapsed=(): show_expression(evaluate(text), False, expanded, collapsed)


def network(data, sizes, loss="mean_squared_error", n_classes=2, **settings_):
    points = make_dataset(data)

    def show(expanded=(), collapsed=()):
        made = replace_section(replace_section(Document(), "data", name=data), "training", loss=loss)
        made = fitted_network(replace_section(made, "network", layer_sizes=sizes), points.X.shape[1], n_classes)
        view = {"shows": "network", "expanded": tuple(expanded), "collapsed": tuple(collapsed)}
        return make_sample_graph(replace_section(made, "view", **view, **settings_), points.X, points.y).graph_view

    return show


SUBJECTS = {
    "README_OF_MICROGRAD expression": expression(README_OF_MICROGRAD),
    "tanh neuron": expression(NEURON),
    "repeated sub-expression": expression(REPEATED),
    "nested composite operations": expression(NESTED),
    "MLP 3 4 4 1": network("tutorial", (3, 4, 4, 1)),
    "MLP 2 16 16 1": network("moons", (2, 16, 16, 1), "hinge"),
    "XOR over four samples": network("xor", (2, 4, 4, 1), n_samples=4),
    "softmax of 3 classes": network("spiral3", (2, 4, 3), "softmax_cross_entropy", 3),
    "softmax over three samples": network("spiral3", (2, 3, 3), "softmax_cross_entropy", 3, n_samples=3),
    "binary cross-entropy": network("xor", (2, 3, 1), "binary_cross_entropy", n_samples=2),
}


def groups_of(shown):
    """Names of all groups, what can be folded and what can be opened."""
    names = {group[-1] for group in all_groups(shown.names.groups.values())}
    keys = shown.names.keys
    composites = {f"op:{keys[id(v)]}" for v in values_of(shown) if can_expand(v)}
    return sorted(names | set(shown.cones.values()) | composites)


def values_of(shown):
    return list(dict.fromkeys(value for root in shown.roots for value in topological_order(root)))


def boxes_of(shown):
    return {key: a for key, a in shown.graph.nodes(data=True) if a["kind"] == "value"}


def check(shown):
    """All that must hold of a picture, whatever is open."""
    nothing_is_lost(shown)
    nothing_dangles(shown)
    summaries_are_right(shown)
    gradients_cross_every_border_whole(shown)


def nothing_is_lost(shown):
    boxes, values = boxes_of(shown), values_of(shown)
    drawn = sum(a["members"] or 1 for a in boxes.values())
    in_circles = [v for v in values if shown.box_of(v) is None]
    assert all(isinstance(value, Constant) for value in in_circles)
    assert drawn + len(in_circles) == len(values)
    for a in boxes.values():
        if a["members"]:
            assert a["members"] == len(a["inside"]) == len(set(a["inside"]))
            assert f"{a['members']} value" in a["note"]


def nothing_dangles(shown):
    graph, ends = shown.graph, {shown.box_of(root) for root in shown.roots}
    assert nx.is_directed_acyclic_graph(graph)
    for key, a in graph.nodes(data=True):
        if a["kind"] == "op":
            assert (graph.out_degree(key), graph.in_degree(key) > 0) == (1, True)
        else:
            assert graph.out_degree(key) > 0 or key in ends
            computed = a["value"].op is not None and not a["members"]
            assert not computed or f"{key}:op" in graph.pred[key]
            assert a["label"] or a["role"] == "constant"


def summaries_are_right(shown):
    readings = read_numbers(shown.graph, shown.numbers)
    for key, a in boxes_of(shown).items():
        outputs = a.get("outputs", ()) if a["members"] else (a["value"],)
        if len(outputs) == 1 and a["role"] != "constant":
            (value,) = outputs
            expected = (cell_text(value.data), cell_text(value.known_grad, signed=True))
        elif a["members"]:
            expected = tuple(norm_text(norm([getattr(v, name) for v in outputs])) for name in ("data", "grad"))
        else:
            continue
        assert (readings[key].data, readings[key].grad) == expected


def gradients_cross_every_border_whole(shown):
    """What runs out of a box against its edges is the gradient of what it shows: d out / d in."""
    root = shown.root
    flow = gradient_flow(shown.graph, contributions(root), shown.box_of)
    for key, a in boxes_of(shown).items():
        outputs = a.get("outputs", ()) if a["members"] else (a["value"],)
        if a["role"] == "constant" or root in outputs or any(not value.grad_computed for value in outputs):
            continue
        arriving = math.fsum(flow.get((key, target), 0.0) for target in shown.graph.successors(key))
        assert arriving == pytest.approx(math.fsum(value.grad for value in outputs), rel=1e-9, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(SUBJECTS))
def test_all_open_and_all_closed(name):
    show = SUBJECTS[name]
    groups = groups_of(show())
    check(show())
    check(show(expanded=["*", *groups]))
    check(show(collapsed=groups))
    check(show(expanded=["*", *(group for group in groups if group.startswith("op:"))]))


@pytest.mark.long
@pytest.mark.parametrize("name", list(SUBJECTS))
def test_one_opened_of_everything_closed_and_back(name):
    show = SUBJECTS[name]
    groups, plain = groups_of(show()), show()
    assert any(group.startswith("op:") for group in groups) or name == "README_OF_MICROGRAD expression"
    for group in random.Random(name).sample(groups, min(20, len(groups))):
        opened = show(expanded=[group])
        check(opened)
        kept_ids_and_places(plain, opened)
        closed = show(collapsed=[group])
        check(closed)
        kept_ids_and_places(plain, closed)


def kept_ids_and_places(before, after):
    """Boxes of both pictures show the same value under the same name, and the new ones know where they come from."""
    first, second = boxes_of(before), boxes_of(after)
    for key in first.keys() & second.keys():
        assert first[key]["label"] == second[key]["label"]
        assert name_of(first[key]["value"]) == name_of(second[key]["value"])
        one, other = first[key]["value"].data, second[key]["value"].data
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12)
    positions = {key: (float(place), 0.0) for place, key in enumerate(first)}
    places = taken_over(positions, before.graph, after.graph)
    assert all(places[key] == positions[key] for key in first)
    for key in second.keys() - first.keys():
        assert key in came_from(before.graph, after.graph) or second[key]["role"] == "constant"


@pytest.mark.slow
def test_a_neuron_in_a_layer_in_a_sample_opens_level_by_level():
    show = SUBJECTS["XOR over four samples"]
    steps = [[], ["s2"], ["s2", "s2.L1N1"], ["s2", "s2.L1N1", "op:s2.L1N1.sum"], ["s2", "s2.L1N1", "op:s2.L1N1"]]
    shown = [show(expanded=names) for names in steps]
    for before, after in pairwise(shown):
        check(after)
        assert len(boxes_of(after)) > len(boxes_of(before)) or before is shown[3]
    kept_ids_and_places(shown[1], shown[2])
    assert shown[3].groups_around("s2.L1N1.sum:0") == (
        ("s2", "s2.L1", "s2.L1N1", "op:s2.L1N1.sum"), ("s2", "s2.L1", "s2.L1N1"), ("s2", "s2.L1"), ("s2",)
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", list(SUBJECTS))
def test_all_boxes_and_exports_have_names(name):
    show = SUBJECTS[name]
    shown = show(expanded=["*", *groups_of(show())])
    names = [a["label"] for a in boxes_of(shown).values() if a["role"] != "constant"]
    assert all(names)
    assert not any(name.startswith("[") or name == "·" for name in names)
    assert "· =" not in write_graph(shown.graph, "txt")


@pytest.mark.parametrize("name", [name for name in SUBJECTS if "softmax" in name or "XOR" in name or "MLP 3" in name])
def test_boxes_that_are_open_together_are_called_differently(name):
    show = SUBJECTS[name]
    for shown in (show(), show(expanded=["*"]), show(expanded=["*", *groups_of(show())])):
        names = [a["label"] for a in boxes_of(shown).values() if a["role"] != "constant"]
        assert len(names) == len(set(names))


PIECES = [
    "{a}*{b}", "{a} + {b}*{c}", "tanh({a}*{b}) + {c}", "gelu({a}) - {b}", "logsumexp({a}, {b}, {c})",
    "weighted_sum({a}, {b}, {b}, {c}, {a})", "({a} - {b})**2", "softplus({a})*sigmoid({b})", "max({a}, {b})",
]  # fmt: skip


@pytest.mark.long
@given(st.lists(st.tuples(st.sampled_from(PIECES), *[st.integers(0, 9)] * 3), min_size=1, max_size=8), st.data())
@settings(max_examples=60, deadline=None)
def test_random_expressions_with_random_groups_open(pieces, data):
    names, lines = ["a", "b", "x1"], ["a = 0.5; b = -1.25; x1 = 0.75"]
    for index, (piece, *which) in enumerate(pieces):
        chosen = [names[-1 - place % len(names)] for place in which]
        lines.append(f"v{index} = " + piece.format(**dict(zip("abc", chosen, strict=True))))
        names.append(f"v{index}")
    show = expression("\n".join(lines))
    groups = groups_of(show())
    some = st.sets(st.sampled_from(groups)) if groups else st.just(set())
    shown = show(data.draw(some), data.draw(some))
    check(shown)
    again = groups_of(shown)
    check(show(shown.visibility.expanded | set(again[:3]), shown.visibility.collapsed))
