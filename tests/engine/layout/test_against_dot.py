"""The drawings of graphs that Graphviz's `dot` has drawn too: fewer crossings, no more room, no longer edges."""

import pytest

from engine.layout import layout, progressive_layout
from tests.engine.layout.looking import area, backward, drawn_crossings, length, movement, overlapping, touching
from tests.engine.layout.samples import DOT, measured

TARGETS = {"readme_g": 8, "mlp_3_4_4_1_x1": 34, "xor_2_4_4_1_loss4": 1060}


@pytest.fixture(scope="module")
def drawn():
    """Every graph, laid out once."""
    graphs = {name: measured(name) for name in DOT}
    return {name: (graph, layout(graph)) for name, graph in graphs.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", DOT)
def test_no_box_is_overlapped_or_touched(drawn, name):
    graph, placed = drawn[name]
    assert set(placed.positions) == set(graph)
    assert set(placed.routes) == set(graph.edges)
    assert overlapping(graph, placed) == []
    assert touching(graph, placed) == []


@pytest.mark.parametrize("name", DOT)
def test_every_edge_points_forward(drawn, name):
    assert backward(*drawn[name]) == []


@pytest.mark.parametrize("name", DOT)
def test_no_more_crossings_than_dot(drawn, name):
    assert drawn[name][1].crossings <= min(DOT[name]["crossings"], TARGETS.get(name, 10**9))


def test_a_fifth_fewer_crossings_in_total(drawn):
    assert sum(placed.crossings for _, placed in drawn.values()) <= 0.8 * sum(dot["crossings"] for dot in DOT.values())


@pytest.mark.parametrize("name", sorted(set(DOT) - {"xor_2_4_4_1_loss4"}))
def test_no_more_crossings_are_drawn_than_counted(drawn, name):
    assert drawn_crossings(drawn[name][1]) <= drawn[name][1].crossings


@pytest.mark.parametrize("name", DOT)
def test_no_larger_than_dot(drawn, name):
    assert area(drawn[name][1]) <= DOT[name]["area_mpx"] * 1e6


@pytest.mark.parametrize("name", DOT)
def test_edges_are_no_longer_than_those_of_dot(drawn, name):
    assert length(drawn[name][1]) <= DOT[name]["length_kpx"] * 1000


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name in DOT if len(measured(name)) > 200))
def test_the_last_of_two_drawings_is_as_good(name):
    graph = measured(name)
    quick, full = progressive_layout(graph)
    assert (quick.quality, full.quality) == ("quick", "full")
    assert overlapping(graph, full) == touching(graph, full) == backward(graph, full) == []
    assert full.crossings <= min(DOT[name]["crossings"], TARGETS.get(name, 10**9))
    assert area(full) <= DOT[name]["area_mpx"] * 1e6
    assert length(full) <= DOT[name]["length_kpx"] * 1000
    assert movement(quick, full) <= 20


@pytest.mark.slow
@pytest.mark.parametrize("name", DOT)
def test_downwards_it_holds_as_well(name):
    graph = measured(name)
    placed = layout(graph, direction="down")
    assert overlapping(graph, placed) == []
    assert touching(graph, placed) == []
    assert backward(graph, placed, axis=1) == []
    assert placed.crossings <= min(DOT[name]["crossings"], TARGETS.get(name, 10**9))
