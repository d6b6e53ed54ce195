"""Groups opened and closed through the session: what the canvas's double click and context menu do."""

import pytest

from engine.teaching import Explainer
from gui.session import Session
from tests.gui.training import train

NEURON = "x1 = 2.0\nw1 = -3.0\nb = 6.5\nn = x1*w1 + b\no = tanh(n)\n"


@pytest.fixture
def graph(qapp):
    session = Session()
    session.edit("text", expression={"text": NEURON})
    yield session.presenter
    session.close()


@pytest.fixture
def network(graph):
    graph.parent().edit("sizes", network={"layer_sizes": (2, 3, 1)})
    graph.parent().set_view(shows="network")
    return graph


def view(graph):
    return graph.parent().document.view


def choose(graph, key, text):
    graph.groups.choose(next(choice for choice in graph.groups.choices(key) if choice.text == text))


@pytest.mark.slow
def test_a_double_click_opens_a_neuron_and_one_on_a_member_closes_it(network):
    network.groups.toggle("group:L1N2")
    assert "L1N2.w1" in network.picture.boxes
    assert view(network).expanded == ("L1N2",)
    network.groups.toggle("L1N2.w1")
    assert "group:L1N2" in network.picture.boxes
    assert (view(network).expanded, view(network).collapsed) == ((), ())


@pytest.mark.slow
def test_a_double_click_on_a_plain_value_changes_nothing(network):
    before = view(network)
    for key in ("x1", "loss", "nowhere"):
        network.groups.toggle(key)
    assert view(network) == before


@pytest.mark.slow
def test_a_layer_closes_around_its_neurons_and_opens_as_it_was(network, qtbot):
    network.groups.expand("L1N2")
    assert network.groups.around("L1N2.w1") == ("L1N2", "L1")
    network.groups.collapse("L1")
    assert "group:L1" in network.picture.boxes
    network.groups.toggle("group:L1")
    qtbot.waitUntil(lambda: {"L1N2.w1", "group:L1N1"} <= set(network.picture.boxes))


@pytest.mark.slow
def test_the_menu_of_a_neuron_opens_it(network):
    choose(network, "group:L1N1", "Expand neuron L1N1")
    choose(network, "L1N1.sum", "Expand Σ into simpler operations")
    assert "L1N1.sum:0" in network.picture.boxes
    assert network.placement.came_from["L1N1.sum:0"] == "L1N1.sum"
    choose(network, "L1N1.sum:0", "Collapse layer 1")
    assert network.placement.went_to["L1N1.sum:0"] == "group:L1"


@pytest.mark.slow
def test_boxes_know_where_they_came_from(network):
    network.groups.expand("L1N2")
    assert network.placement.came_from["L1N2.w1"] == "group:L1N2"
    network.groups.collapse("L1N2")
    assert network.placement.went_to["L1N2.w1"] == "group:L1N2"


@pytest.mark.slow
def test_the_rest_hardly_moves_when_a_neuron_opens(network):
    before = {key: box.y for key, box in network.picture.boxes.items()}
    network.groups.expand("L1N2")
    moved = [abs(box.y - before[key]) for key, box in network.picture.boxes.items() if key in before]
    assert sum(moved) / len(moved) < 60


@pytest.mark.slow
def test_an_opened_operation_is_stepped_through_and_explained_like_any_other(graph):
    plain = graph.n_steps
    graph.groups.expand("op:o")
    assert graph.n_steps > plain
    inner = graph.value("o:2")
    assert inner.op.name == "exp"
    assert Explainer(graph.graph_view.root).explain(inner).gradient == pytest.approx(inner.grad)
    for _ in range(graph.n_steps):
        graph.next()
    assert graph.readings["o"].grad == "+1.0000"
    graph.groups.toggle("o:2")
    assert graph.n_steps == plain


@pytest.mark.slow
def test_a_closed_group_lights_up_when_the_stepper_works_inside_it(network):
    network.set_position(1)
    nodes, edges = network.touched()
    assert len(nodes) == 1
    assert next(iter(nodes)).startswith("group:L1N")
    assert edges
    assert all(target in nodes for _source, target in edges)


@pytest.mark.slow
def test_opening_a_group_keeps_the_stepper_where_it_stands(network):
    network.set_position(3)
    network.groups.expand("L1N1")
    assert network.position == 3
    assert "L1N1.w1" in network.readings
    place = network.words()
    network.groups.expand("op:L1N1.sum")
    assert network.words() == place
    assert network.position > 3
    network.groups.collapse("op:L1N1.sum")
    assert network.position == 3


@pytest.mark.slow
def test_nothing_computed_is_lost_and_nothing_found_out_when_an_operation_opens_halfway(graph):
    graph.set_position(3)  # x1w1, n, o
    assert graph.readings["o"].data_state != "unknown"
    graph.groups.expand("op:o")
    assert {key for key, reading in graph.readings.items() if reading.data_state == "unknown"} == set()
    graph.back()
    assert graph.readings["o"].data_state == "unknown"
    graph.groups.collapse("op:o")
    assert graph.readings["n"].data_state != "unknown"
    assert graph.readings["o"].data_state == "unknown"


@pytest.mark.slow
def test_gradients_found_so_far_stay_when_an_operation_opens_and_closes(graph):
    graph.set_position(6)  # three forward, zero_grad, the seed, and what o hands to n
    grads = {key: reading.grad for key, reading in graph.readings.items()}
    assert grads["n"] != "–" and graph.readings["w1"].grad_state == "zero"
    graph.groups.expand("op:o")
    assert {key: graph.readings[key].grad for key in grads} == grads
    graph.groups.collapse("op:o")
    assert {key: reading.grad for key, reading in graph.readings.items()} == grads


@pytest.mark.slow
@pytest.mark.parametrize("n_phases", range(1, 6))
def test_a_phase_of_training_stays_when_an_operation_opens_and_closes(network, qtbot, n_phases):
    session = network.parent()
    for amount in ("step", *["phase"] * n_phases):
        train(session, qtbot, amount)
    network.groups.expand("L1N1")
    before = dict(network.readings)
    network.groups.expand("op:L1N1.sum")
    assert {"L1N1.sum:0", *before} <= set(network.readings)
    assert {key: network.readings[key] for key in before} == before
    network.groups.collapse("op:L1N1.sum")
    assert network.readings == before


@pytest.mark.slow
def test_groups_open_during_training_keep_the_numbers_of_training(network, qtbot):
    session = network.parent()
    train(session, qtbot, "step")
    loss = network.graph_view.root.data
    network.groups.expand("L1N1")
    assert network.graph_view.root.data == loss
    network.groups.expand("op:L1N1.sum")
    assert network.graph_view.root.data == pytest.approx(loss, rel=1e-12)


@pytest.mark.slow
def test_several_samples_are_shown_with_one_of_them_open(network, qtbot):
    network.parent().set_view(n_samples=3)
    qtbot.waitUntil(lambda: {"group:s2", "group:s3", "group:L1N1"} <= set(network.picture.boxes))
    choose(network, "group:s2", "Expand sample 2")
    qtbot.waitUntil(lambda: "group:s2.L1N1" in network.picture.boxes)


@pytest.mark.slow
def test_the_past_of_a_value_becomes_one_box_and_stays_in_the_file(graph, tmp_path):
    choose(graph, "n", "Collapse all that n was computed from")
    assert set(graph.picture.boxes) == {"group:cone:n", "o"}
    session = graph.parent()
    assert session.save(tmp_path / "a.json")
    session.set_view(collapsed=())
    assert "n" in graph.picture.boxes
    assert session.open(tmp_path / "a.json")
    assert set(graph.picture.boxes) == {"group:cone:n", "o"}
