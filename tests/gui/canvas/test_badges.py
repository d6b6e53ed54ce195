"""Badges of nodes that differ from their counterpart in another graph."""

from engine.autograd import Value
from engine.graph import build_graph, layout, make_picture, read_numbers
from gui.canvas import Activity, GraphCanvas


def shown(qtbot):
    a, b = Value(2.0, label="a"), Value(3.0, label="b")
    c = a * b
    c.backward()
    graph = build_graph(c)
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(500, 300)
    canvas.show_picture(make_picture(graph, layout(graph)))
    canvas.show_readings(read_numbers(graph, lambda value: (value.data, value.grad)))
    canvas.show()
    qtbot.waitExposed(canvas)
    return canvas, [key for key, box in canvas.picture.boxes.items() if box.label == "a"]


def picture(canvas, qtbot):
    qtbot.waitUntil(lambda: canvas.is_sharp)
    return canvas.viewport().grab().toImage()


def test_a_badge_is_drawn_and_another_text_is_another_picture(qtbot):
    canvas, (key,) = shown(qtbot)
    images = []
    for badges in ({}, {key: "≠"}, {key: "op"}):
        canvas.show_activity(Activity(differing=frozenset([key]), badges=badges))
        images.append(picture(canvas, qtbot))
    assert images[0] != images[1] != images[2] != images[0]
    assert canvas.decorations[key].badge == "op"
    canvas.show_activity(Activity())
    assert key not in canvas.decorations
