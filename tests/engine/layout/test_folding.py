"""Drawings far too long for a screen are wrapped into rows when that is asked for."""

from itertools import pairwise

import pytest

from engine.layout import layout, progressive_layout
from tests.engine.layout.looking import boxes, movement, overlapping, touching
from tests.engine.layout.samples import chain, expression, measured, winding

pytestmark = pytest.mark.slow

AXES = {"right": 0, "down": 1}


def rows_of(graph, placed, axis):
    """The nodes of every row: from one to the next there is a stripe without any box, as broad as two margins."""
    found = boxes(graph, placed)
    rows, reached = [], float("-inf")
    for node in sorted(found, key=lambda node: found[node][1 - axis]):
        if found[node][1 - axis] - reached >= 40:
            rows.append([])
        rows[-1].append(node)
        reached = max(reached, found[node][3 - axis])
    return rows


def returning(placed, axis):
    """Edges that do not point forward all the way."""
    return [edge for edge, route in placed.routes.items() if any(b[axis] < a[axis] for a, b in pairwise(route))]


@pytest.fixture(scope="module", params=list(AXES))
def folded(request):
    graph = measured("chain_200")
    return graph, layout(graph, direction=request.param, fold=True), AXES[request.param]


def test_a_long_chain_is_wrapped_into_rows(folded):
    graph, placed, axis = folded
    x0, y0, x1, y1 = placed.bounds
    along, across = ((x1 - x0, y1 - y0), (y1 - y0, x1 - x0))[axis]
    assert across < along < 4 * across or axis == 1
    assert len(rows_of(graph, placed, axis)) > 4


def test_rows_touch_no_box(folded):
    graph, placed, _ = folded
    assert overlapping(graph, placed) == []
    assert touching(graph, placed) == []


def test_only_the_edges_between_two_rows_run_back_and_they_do_so_between_the_rows(folded):
    graph, placed, axis = folded
    rows = rows_of(graph, placed, axis)
    row = {node: number for number, nodes in enumerate(rows) for node in nodes}
    back = returning(placed, axis)
    assert len(back) == len(rows) - 1
    assert {edge for edge in graph.edges if row[edge[0]] != row[edge[1]]} == set(back)
    found = boxes(graph, placed)
    for source, target in back:
        assert row[target] == row[source] + 1
        bottom = max(found[node][3 - axis] for node in rows[row[source]])
        top = min(found[node][1 - axis] for node in rows[row[target]])
        runs = [(a, b) for a, b in pairwise(placed.routes[source, target]) if b[axis] < a[axis] - 100]
        assert len(runs) == 1
        assert all(bottom + 20 <= point[1 - axis] <= top - 20 for point in runs[0])


@pytest.mark.parametrize("direction", AXES)
def test_a_leaf_goes_into_the_row_of_its_use(direction):
    graph, axis = chain(200), AXES[direction]
    placed = layout(graph, direction=direction, fold=True)
    row = {node: number for number, nodes in enumerate(rows_of(graph, placed, axis)) for node in nodes}
    assert len(returning(placed, axis)) == max(row.values()) > 0
    leaves = [node for node in graph if not graph.in_degree(node)]
    assert all(row[leaf] == row[use] for leaf in leaves for use in graph.successors(leaf))


@pytest.mark.parametrize("seed", range(12))
def test_a_winding_expression_in_rows_touches_no_box(seed):
    graph = winding(90, seed)
    placed = layout(graph, fold=True)
    assert overlapping(graph, placed) == []
    assert touching(graph, placed) == []


def test_winding_expressions_are_folded():
    assert sum(bool(returning(layout(winding(90, seed), fold=True), 0)) for seed in range(12)) >= 6


def test_what_is_not_too_long_is_not_folded():
    for graph in (expression(25, 4), measured("readme_g"), chain(10)):
        assert layout(graph, fold=True) == layout(graph)


def test_folding_must_be_asked_for():
    graph = measured("chain_200")
    assert returning(layout(graph), 0) == []
    assert returning(layout(graph, previous=layout(graph, fold=True)), 0) == []


def test_both_drawings_are_folded_alike():
    quick, full = progressive_layout(measured("chain_200"), fold=True)
    assert movement(quick, full) <= 1


def test_a_chain_in_rows_keeps_its_rows_while_it_grows():
    placed = layout(chain(60), fold=True)
    longer = layout(chain(64), previous=placed, fold=True)
    old = {node: place for node, place in placed.positions.items() if not node.endswith("o")}
    moved = [node for node, (x, y) in old.items() if longer.positions[node] != pytest.approx((x, y), abs=60)]
    assert len(moved) <= len(old) / 10
