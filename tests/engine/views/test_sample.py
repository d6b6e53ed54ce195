"""The network on samples: layers, neurons, opened sums, several samples in one graph, numbers that follow training."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets import make_dataset
from engine.document import Document, replace_section
from engine.experiment.assemble import fitted_network, make_model
from engine.graph import read_numbers
from engine.network import LOSSES, encode
from engine.network.objective import scalar_objective
from engine.session_file import from_json, to_json
from engine.views.sample import MOST_BOXES, PassParameters, make_sample_graph

NAMES = ["L1", "L2", "L3", "L1N1", "L2N3", "op:L1N1.sum", "op:L1N1", "op:L3N1", "op:loss", "s1", "s2", "s3", "s2.L1"]
NAMES += ["s2.L1N1", "op:s2.L1N1", "L1.parameters", "L1N1.parameters", "*", "no such group"]


def document(sizes=(2, 4, 4, 1), loss="mean_squared_error", **view):
    made = replace_section(replace_section(Document(), "data", name="xor"), "training", loss=loss)
    made = fitted_network(replace_section(made, "network", layer_sizes=sizes), 2, 2)
    return replace_section(made, "view", shows="network", **view)


def shown_on(made):
    data = make_dataset("xor")
    return make_sample_graph(made, data.X, data.y)


def boxes(made):
    return {key for key, a in shown_on(made).graph_view.graph.nodes(data=True) if a["kind"] == "value"}


def test_a_small_network_opens_with_layers_open_and_neurons_closed():
    shown = boxes(document())
    assert {"x1", "x2", "y", "group:L1N1", "group:L2N4", "group:L3N1", "loss"} <= shown
    assert not shown & {"group:L1", "group:L2", "L1N1.w1"}


@pytest.mark.long
@pytest.mark.parametrize("sizes", [(2, 16, 16, 1), (2, 32, 32, 1), (2, 64, 8, 64, 1), (2, 256, 256, 1)])
def test_the_default_picture_has_few_boxes(sizes):
    shown = boxes(document(sizes))
    assert len(shown) <= MOST_BOXES
    assert ("group:L1" in shown) == (sizes[1] > 20)
    assert ("group:L2N1" in shown) == (sizes[2] < 20)


def test_a_layer_closes_to_one_box_and_opens_to_its_neurons():
    closed = shown_on(document(collapsed=["L1"])).graph_view.graph
    assert closed.nodes["group:L1"]["note"] == "4 neurons · 20 values"
    assert closed.nodes["group:L1"]["label"] == "layer 1"
    assert not any(key.startswith("group:L1N") for key in closed)
    assert "group:L1" in boxes(document((2, 64, 1)))
    assert "group:L1N1" in boxes(document((2, 64, 1), expanded=["L1"]))


def test_a_closed_layer_hides_its_open_neurons():
    assert "L1N2.w1" in boxes(document(expanded=["L1N2"]))
    assert "L1N2.w1" not in boxes(document(expanded=["L1N2"], collapsed=["L1"]))


def test_what_is_collapsed_by_name_is_closed_although_everything_is_open():
    shown = boxes(document(expanded=["*"], collapsed=["L2N1"]))
    assert {"L1N1.w1", "L2N2.w1", "group:L2N1"} <= shown


def test_a_weighted_sum_opens_into_products_and_sums_and_follows_the_training():
    plain, opened = shown_on(document()), shown_on(document(expanded=["L1N2", "op:L1N2.sum", "op:L1N2"]))
    graph = opened.graph_view.graph
    texts = {a["text"] for _, a in graph.nodes(data=True) if a["kind"] == "op"}
    assert {"×", "+", "exp"} <= texts
    assert [group[-1] for group in opened.graph_view.groups_around("L1N2.sum:0")] == ["op:L1N2.sum", "L1N2", "L1"]
    numbers = np.array([parameter.data for parameter in plain.parameters]) * 0.5 + 0.1
    for sample in (plain, opened):
        sample.show(PassParameters.between_steps(numbers))
    assert opened.root.data == pytest.approx(plain.root.data, rel=1e-12)
    for one, other in zip(plain.parameters, opened.parameters, strict=True):
        assert other.grad == pytest.approx(one.grad, rel=1e-10, abs=1e-14)


def test_the_loss_is_unknown_after_forward_also_when_operations_are_open():
    sample = shown_on(document(loss="binary_cross_entropy", expanded=["*", "op:L1N1.sum"]))
    weights = np.array([parameter.data for parameter in sample.parameters])
    sample.show(sample.passes.after("forward", weights))
    unknown = {key for key, reading in read_numbers(sample.graph_view.graph, sample.numbers).items()
               if reading.data_state == "unknown"}  # fmt: skip
    assert "loss" in unknown
    assert not any(key.startswith("L") for key in unknown)


@pytest.mark.parametrize("loss", list(LOSSES))
def test_the_loss_over_samples_is_that_of_the_objective(loss):
    made = document(loss=loss, sample=1, n_samples=3)
    data, sample = make_dataset("xor"), shown_on(made)
    targets = encode(LOSSES[loss], data.y, made.network.layer_sizes[-1]).values
    model = make_model(made)
    root = scalar_objective(model, LOSSES[loss], data.X[1:4], targets[1:4])
    root.backward()
    assert sample.root.data == pytest.approx(root.data, abs=1e-12)
    assert [p.grad for p in sample.parameters] == pytest.approx([p.grad for p in model.parameters()], abs=1e-12)


def test_of_several_samples_the_chosen_one_is_open_and_the_others_are_boxes():
    shown = shown_on(document(sample=2, n_samples=4)).graph_view
    graph = shown.graph
    assert {"group:s4", "group:s1", "group:s2", "group:L1N1", "group:L1.parameters", "x1"} <= set(graph)
    assert "group:s3" not in graph
    assert graph.nodes["group:s4"]["label"] == "sample 4"
    assert graph.nodes["group:s4"]["value"].label == "loss 4"
    assert nx.is_directed_acyclic_graph(graph)
    labels = [a["label"] for _, a in graph.nodes(data=True) if a["kind"] == "value" and a["label"]]
    assert len(set(labels)) == len(labels)


def test_another_sample_opens_to_layers_with_names_of_their_own():
    shown = boxes(document(n_samples=2, expanded=["s2"]))
    assert {"group:s2.L1N1", "group:L1N1", "s2.x1", "x1"} <= shown
    assert "group:s2.L1" in boxes(document(n_samples=2, expanded=["s2"], collapsed=["s2.L1"]))


def test_parameters_that_samples_share_open_by_layer_then_neuron():
    assert "group:L1N1.parameters" in boxes(document(n_samples=2, expanded=["L1.parameters"]))
    assert "L1N1.w1" in boxes(document(n_samples=2, expanded=["L1.parameters", "L1N1.parameters"]))


def test_no_more_samples_than_there_are():
    assert shown_on(document(n_samples=8)).graph_view.graph.has_node("group:s4")
    assert not shown_on(document(n_samples=8)).graph_view.graph.has_node("group:s5")


@pytest.mark.slow
@given(st.sets(st.sampled_from(NAMES)), st.sets(st.sampled_from(NAMES)), st.integers(1, 4), st.integers(0, 3))
def test_every_combination_of_open_and_closed_is_drawn_without_a_cycle(expanded, collapsed, n_samples, row):
    made = document((2, 3, 3, 1), sample=row, n_samples=n_samples, expanded=tuple(expanded), collapsed=tuple(collapsed))
    sample = shown_on(from_json(to_json(made)))
    assert nx.is_directed_acyclic_graph(sample.graph_view.graph)
    plain = shown_on(document((2, 3, 3, 1), sample=row, n_samples=n_samples))
    assert sample.root.data == pytest.approx(plain.root.data, rel=1e-12, abs=1e-15)
    for one, other in zip(plain.parameters, sample.parameters, strict=True):
        assert other.grad == pytest.approx(one.grad, rel=1e-9, abs=1e-13)


def test_groups_survive_the_file_and_old_files_have_none():
    made = document(n_samples=3, expanded=["L1N1"], collapsed=["L2"])
    assert from_json(to_json(made)) == made
    old = from_json('{"gradstep": 1, "view": {"shows": "network", "expanded": ["L1N2"]}}')
    assert (old.view.collapsed, old.view.n_samples) == ((), 1)
    assert "L1N2.w1" in boxes(old)
