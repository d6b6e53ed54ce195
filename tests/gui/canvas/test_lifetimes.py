"""What a canvas keeps and what a frame costs: few items for life, nothing of a graph that is gone, what is seen."""

import gc
import sys
import weakref

import pytest

from engine.graph import EMPTY_PICTURE, Box, BoxNumbers, Edge, Picture
from gui.canvas import Activity
from gui.canvas.geometry import EdgeGeometry
from gui.canvas.graph_scene import GraphScene


def alive(kind):
    """How many objects of a kind there are."""
    gc.collect()
    return sum(type(one) is kind for one in gc.get_objects())


@pytest.mark.long
def test_two_hundred_rebuilds_leak_nothing(canvas, neuron, draw):
    pictures = [neuron[0], draw("y = 2 * 3")[0], EMPTY_PICTURE, draw("a = 1\nb = a * a + a")[0]]
    canvas.show_picture(neuron[0])
    canvas.viewport().repaint()
    gc.collect()
    items, objects, drawn = canvas.scene().items(), len(gc.get_objects()), alive(Picture)
    for index in range(200):
        canvas.show_picture(pictures[index % 4], animate=index % 3 == 0)
        canvas.show_readings(neuron[1])
        canvas.select(next(iter(canvas.picture.boxes), None))
        canvas.viewport().repaint()
    canvas.show_picture(neuron[0])
    canvas.viewport().repaint()
    assert canvas.scene().items() == items
    assert alive(Picture) <= drawn + 2
    assert len(gc.get_objects()) - objects < 200


@pytest.mark.slow
@pytest.mark.parametrize("size", [(2, 1), (30, 20), (60, 40)])
def test_the_scene_has_the_same_few_items_whatever_is_drawn(canvas, grid, size):
    before = canvas.scene().items()
    canvas.show_picture(grid(*size))
    for zoom in (0.05, 0.4, 1.0):
        canvas.set_zoom(zoom)
        canvas.hover("1.0")
        canvas.viewport().repaint()
    assert canvas.scene().items() == before and len(before) < 10


@pytest.mark.slow
def test_nothing_of_a_graph_is_kept_after_it_was_cleared(canvas, grid):
    drawn = [alive(Box), alive(Edge), alive(EdgeGeometry)]
    canvas.show_picture(grid(30, 20))
    canvas.show_readings({key: BoxNumbers("1", "1", "positive", "positive") for key in canvas.picture.boxes})
    canvas.choose("5.5")
    canvas.drag_node("5.5", 0.0, 0.0)
    canvas.show_activity(Activity(nodes=frozenset({"1.1"}), flow={("0.1", "1.1:op"): 1.0}))
    canvas.viewport().repaint()
    kept = weakref.ref(canvas.scene().state.index), weakref.ref(canvas.picture)
    canvas.show_activity(Activity())
    canvas.show_picture(EMPTY_PICTURE)
    canvas.viewport().repaint()
    gc.collect()
    assert [one() for one in kept] == [None, None]
    assert canvas.scene().tile_layer.tile_count == 0 and canvas.readings == {} and canvas.decorations == {}
    assert [alive(Box), alive(Edge), alive(EdgeGeometry)] == drawn


def calls_of(work):
    """How many functions, Python's and C's, are called while it runs."""
    count = 0

    def counted(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.long
@pytest.mark.parametrize("zoom", [0.06, 0.5, 1.0])
def test_a_frame_costs_what_is_in_view_and_not_what_the_graph_has(canvas, grid, zoom, monkeypatch):
    """Four times as many nodes: no more Python in panning and for new numbers."""
    monkeypatch.setattr(GraphScene, "begin_move", lambda *_, **__: None)  # complete frames: always the same work
    monkeypatch.setattr("gui.canvas.graph_scene.COMPLETE_UNTIL", 10**9)

    def frames(picture):
        canvas.show_picture(picture)
        canvas.set_zoom(zoom)
        canvas.center_on("4.4")
        keys = list(picture.boxes)[:50]
        reading = BoxNumbers("2.0000", "+1.0000", "positive", "positive")
        canvas.viewport().repaint()

        def work():
            canvas.pan(-3, 2)
            canvas.viewport().repaint()
            canvas.show_readings(dict.fromkeys(keys, reading))
            canvas.viewport().repaint()

        work()
        return calls_of(work)

    few, many = (frames(grid(40 * scale, 40 * scale)) for scale in (1, 2))
    assert many <= 1.1 * few + 50
