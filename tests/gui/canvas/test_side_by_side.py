"""Two canvases beside one another: different programs, moments and themes, and nothing that they share."""

import importlib
import pkgutil

import pytest

import gui.canvas
from engine.graph import EMPTY_PICTURE
from gui.canvas import Activity, GraphCanvas
from gui.theme import DARK, LIGHT

OTHER = "a = 2.0\nb = -3.0\nc = a * b\nd = c + a\ne = d * c\n"


@pytest.fixture
def pair(qtbot):
    """Two canvases of one size, the second one dark."""
    canvases = GraphCanvas(), GraphCanvas(DARK)
    for canvas in canvases:
        qtbot.addWidget(canvas)
        canvas.resize(640, 480)
        canvas.show()
    return canvases


def image(canvas):
    return canvas.viewport().grab().toImage()


@pytest.mark.slow
def test_each_of_two_looks_as_if_it_were_alone(pair, draw, neuron, qtbot):
    left, right = pair
    alone = {}
    for canvas, (picture, readings) in ((left, neuron), (right, draw(OTHER))):
        canvas.show_picture(picture)
        canvas.show_readings(readings)
        alone[canvas] = image(canvas)
        canvas.show_picture(EMPTY_PICTURE)
    for canvas, (picture, readings) in ((left, neuron), (right, draw(OTHER))):
        canvas.show_picture(picture)
        canvas.show_readings(readings)
    assert [image(canvas) for canvas in pair] == list(alone.values())


@pytest.mark.slow
def test_the_same_graph_at_two_moments(pair, neuron):
    picture, readings = neuron
    left, right = pair
    right.set_colors(LIGHT)
    for canvas in pair:
        canvas.show_picture(picture)
        canvas.fit()
        canvas.show_readings(readings)
    assert image(left) == image(right)
    key = next(iter(readings))
    right.show_readings({key: type(readings[key])("9.0000", "–", "positive", "unknown")})
    assert image(left) != image(right) and left.readings == readings != right.readings


@pytest.mark.slow
def test_what_is_done_in_one_leaves_the_other_as_it_is(pair, neuron, key_of, qtbot):
    left, right = pair
    for canvas in pair:
        canvas.show_picture(neuron[0])
        canvas.show_readings(neuron[1])
    before, told = image(right), []
    for signal in (right.node_selected, right.node_hovered, right.node_moved, right.zoom_changed):
        signal.connect(lambda *given: told.append(given))
    key = key_of(neuron[0], "n")
    left.choose(key)
    left.hover(key_of(neuron[0], "w1"))
    left.show_activity(Activity(nodes=frozenset({key}), flow=dict.fromkeys(neuron[0].edges, 0.5)))
    left.drag_node(key, 0.0, 300.0)
    left.finish_drag(key)
    left.set_zoom(2.0)
    left.set_veil("Laying out")
    left.set_colors(DARK)
    left.close()
    assert image(right) == before and told == []
    assert right.selected is None and right.decorations == {} and right.picture == neuron[0]


@pytest.mark.slow
def test_using_a_canvas_changes_nothing_at_the_level_of_modules(canvas, neuron, grid):
    names = [module.name for module in pkgutil.iter_modules(gui.canvas.__path__, "gui.canvas.")]
    modules = [importlib.import_module(name) for name in names]
    assert len(modules) > 10

    def values():
        return {(m.__name__, name): (id(value), repr(value)) for m in modules for name, value in vars(m).items()
                if not name.startswith("__")}  # fmt: skip

    before = values()
    for picture in (neuron[0], grid(40, 40)):
        canvas.show_picture(picture)
        canvas.show_readings(neuron[1])
        key = next(iter(picture.boxes))
        canvas.choose(key)
        canvas.show_activity(Activity(nodes=frozenset({key}), edge_labels=dict.fromkeys(picture.edges, "2.0")))
        for zoom in (0.05, 0.4, 1.0):
            canvas.set_zoom(zoom)
            image(canvas)
    canvas.set_colors(DARK)
    image(canvas)
    assert values() == before
