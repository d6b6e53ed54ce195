"""What is drawn is bounded by what can be drawn, whatever a file says."""

import numpy as np
import pytest

from engine.document import Document, replace_section
from engine.graph import expanded, groups
from engine.language import evaluate
from engine.views.graph_view import show_expression
from engine.views.sample import count_values, make_sample_graph
from tests.engine.views.test_group_visibility import ALIKE

X, Y = np.array([[0.5, -1.0], [1.0, 2.0]]), np.array([1, 0])


def network(*sizes, **view):
    document = replace_section(Document(), "network", layer_sizes=sizes)
    return replace_section(document, "view", shows="network", **view)


def shown(*sizes, **view):
    return make_sample_graph(network(*sizes, **view), X, Y).graph_view


def within_bounds(graph):
    boxes = sum(attributes["kind"] == "value" for _, attributes in graph.nodes(data=True))
    return boxes <= groups.MOST_BOXES and graph.number_of_edges() <= groups.MOST_EDGES + boxes


@pytest.mark.slow
def test_neurons_stay_closed_where_their_values_are_too_many():
    opened = shown(2, 90, 90, 1, expanded=("*",))
    assert within_bounds(opened.graph)
    assert "group:L1N1" in opened.graph
    assert opened.note == f"Too many to draw: {opened.n_values:,} values; neurons stay closed."


@pytest.mark.slow
def test_layers_stay_closed_where_the_lines_between_neurons_are_too_many():
    opened = shown(2, 120, 120, 1, expanded=("*",))
    assert within_bounds(opened.graph)
    assert "group:L1" in opened.graph
    assert opened.note.endswith("layers stay closed.")


def test_opened_operations_stay_closed_first(monkeypatch):
    monkeypatch.setattr(groups, "MOST_BOXES", 12)
    text = "x = 0.5\n" + "\n".join(f"y{n} = tanh(x * {n})" for n in range(1, 4)) + "\ny = y1 + y2 + y3"
    opened = show_expression(evaluate(text), expanded=[f"op:y{n}" for n in range(1, 4)])
    assert "group:op:y1" in opened.graph
    assert opened.note.endswith("operations stay closed.")


def test_sub_expressions_that_repeat_stay_closed_where_they_are_too_many(monkeypatch):
    monkeypatch.setattr(groups, "MOST_BOXES", 12)
    opened = show_expression(evaluate(ALIKE), expanded=("*",))
    assert "group:cone:h1" in opened.graph
    assert opened.note.endswith("sub-expressions stay closed.")


@pytest.mark.slow
def test_what_is_closed_by_wish_is_not_told_as_too_many():
    closed = shown(2, 60, 60, 1)
    assert closed.note == ""
    assert within_bounds(closed.graph)


def test_a_usual_network_is_drawn_whole():
    opened = shown(2, 16, 16, 1, expanded=("*",))
    assert opened.note == ""
    assert not any(attributes.get("members") for _, attributes in opened.graph.nodes(data=True))


@pytest.mark.parametrize("sizes", [(2, 1), (2, 4, 4, 1), (2, 16, 3)])
@pytest.mark.parametrize("n_samples", [1, 2])
@pytest.mark.parametrize("loss", ["mean_squared_error", "softmax_cross_entropy", "hinge", "binary_cross_entropy"])
def test_values_are_counted_before_they_are_made(sizes, n_samples, loss):
    document = replace_section(network(*sizes, n_samples=n_samples), "training", loss=loss)
    labels = Y if loss != "mean_squared_error" else Y.astype(float)
    try:
        made = make_sample_graph(document, X, labels)
    except ValueError:
        return  # a loss that does not fit these outputs
    assert len(made.values) <= count_values(document) <= len(made.values) + n_samples * 60 + 100


def test_a_network_that_is_too_large_to_be_looked_at_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr("engine.views.sample.make_model", lambda *_: pytest.fail("a model was made"))
    with pytest.raises(ValueError, match=r"about 93,\d{3} values, and at most 70,000 can be shown: .* trains all the"):
        shown(2, 256, 256, 100, 1)


def test_operations_are_opened_as_far_as_there_is_room(monkeypatch):
    text = (
        "x = 0.5\n"
        + "\n".join(f"y{n} = tanh(x * {n})" for n in range(1, 9))
        + "\ny = sum([y1, y2, y3, y4, y5, y6, y7])"
    )
    names = [f"op:y{n}" for n in range(1, 9)]
    monkeypatch.setattr(expanded, "MOST_VALUES", 80)
    some = show_expression(evaluate(text), expanded=names)
    assert some.n_values <= 80
    assert any("op:y1" in group for group in some.names.groups.values())
    monkeypatch.undo()
    assert show_expression(evaluate(text), expanded=names).n_values > 80


def test_ten_thousand_names_that_are_not_there_change_nothing():
    names = [f"op:v{n}" for n in range(5000)] + [f"cone:v{n}" for n in range(5000)]
    plain, named = (
        show_expression(evaluate("a = 2\nb = tanh(a * a)"), expanded=chosen, collapsed=chosen) for chosen in ((), names)
    )
    assert list(plain.graph.edges) == list(named.graph.edges)
