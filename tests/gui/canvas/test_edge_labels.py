"""Where the texts on edges stand."""

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QRectF

from engine.document import Document
from engine.graph import layout, make_picture
from engine.graph.gradients import partial_texts
from engine.graph.picture import Edge
from engine.views.sample import make_sample_graph
from gui.canvas.edge_labels import MAX_PLACED, label_bounds, place_labels
from gui.canvas.geometry import edge_geometry
from gui.canvas.level_of_detail import FULL_DETAIL, LevelOfDetail
from gui.canvas.spatial_index import SpatialIndex


def fan(count):
    """Edges from a column of nodes into one."""
    pairs = [(f"s{row}", "t") for row in range(count)]
    curve = {
        pair: ((0.0, 52.0 * row), (60.0, 52.0 * row), (60.0, 100.0), (120.0, 100.0)) for row, pair in enumerate(pairs)
    }
    return {pair: edge_geometry(Edge(*pair, (curve[pair],))) for pair in pairs}


@pytest.mark.parametrize("detail", [FULL_DETAIL, LevelOfDetail(captions=False)], ids=["near", "far"])
def test_texts_on_edges_that_come_together_do_not_cover_one_another(detail):
    geometries = fan(9)
    areas = list(
        place_labels(
            {pair: f"∂ 0.{row}123" for row, pair in enumerate(geometries)}, geometries.get, detail=detail
        ).values()
    )
    assert not any(one.intersects(two) for one, two in combinations(areas, 2))


def test_one_text_stands_in_the_middle_of_its_edge_and_within_its_bounds():
    geometries = fan(1)
    ((pair, area),) = place_labels({("s0", "t"): "∂ 0.5"}, geometries.get).items()
    assert area.center() == geometries[pair].middle and label_bounds(geometries[pair], "∂ 0.5").contains(area)


def nodes(*rects):
    return lambda area: [rect for rect in rects if rect.intersects(area)]


@pytest.mark.parametrize("detail", [FULL_DETAIL, LevelOfDetail(captions=False)], ids=["near", "far"])
def test_a_text_leaves_the_middle_of_its_edge_where_a_node_stands_there(detail):
    geometries = fan(1)
    node = QRectF(geometries["s0", "t"].middle.x() - 20, geometries["s0", "t"].middle.y() - 17, 200, 34)
    ((pair, area),) = place_labels({("s0", "t"): "∂ 0.5"}, geometries.get, nodes(node), detail).items()
    assert not area.intersects(node) and label_bounds(geometries[pair], "∂ 0.5").contains(area)


def test_a_text_stands_within_the_page_where_it_finds_room_there():
    geometries = fan(1)
    (middle,) = place_labels({("s0", "t"): "∂ 0.5"}, geometries.get).values()
    page = QRectF(middle.right() + 1, -100, 300, 300)
    (area,) = place_labels({("s0", "t"): "∂ 0.5"}, geometries.get, page=page).values()
    assert page.contains(area)


def test_a_text_that_is_wider_than_the_page_stands_out_of_it_on_both_sides_alike():
    geometries, page = fan(1), QRectF(40, -100, 60, 300)
    (area,) = place_labels({("s0", "t"): "yours 0.9093 right −0.4161"}, geometries.get, page=page).values()
    assert area.center().x() == pytest.approx(page.center().x())


def test_the_longest_of_two_texts_has_the_first_choice_of_a_place():
    geometries, long = fan(2), "yours 0.9093 right −0.4161"
    ((_, alone),) = place_labels({("s1", "t"): long}, geometries.get).items()
    assert place_labels({("s0", "t"): "∂ 3", ("s1", "t"): long}, geometries.get)["s1", "t"] == alone


def test_a_text_without_any_room_is_left_out():
    geometries = fan(1)
    assert place_labels({("s0", "t"): "∂ 0.5"}, geometries.get, nodes(QRectF(-500, -500, 1000, 1000))) == {}


def test_a_crowd_of_texts_is_left_out():
    geometries = fan(MAX_PLACED + 1)
    assert place_labels(dict.fromkeys(geometries, "∂ 0.5"), geometries.get) == {}


@pytest.mark.parametrize("detail", [FULL_DETAIL, LevelOfDetail(captions=False)], ids=["near", "far"])
def test_between_the_neurons_of_dense_layers_every_local_derivative_has_a_place_beside_the_boxes(detail):
    X, y = [[1.3562, -0.3369]], [1.0]
    shown = make_sample_graph(Document(), np.array(X), np.array(y)).graph_view
    picture = make_picture(shown.graph, layout(shown.graph))
    rects = SpatialIndex(picture).node_rects_in
    for key in ("group:L1N2", "group:L2N2", "group:L2N3"):
        texts = partial_texts(shown.graph, key, shown.box_of)
        areas = place_labels(texts, lambda pair: edge_geometry(picture.edges[pair]), rects, detail)
        assert len(texts) >= 5 and areas.keys() == texts.keys()
        assert not any(rects(area) for area in areas.values())
