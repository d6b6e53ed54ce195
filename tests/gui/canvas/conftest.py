from collections.abc import Callable

import pytest

from engine.graph import BoxNumbers, Picture, layout, make_picture, read_numbers
from engine.graph.picture import Box, Circle, Edge
from engine.language import evaluate
from engine.views.graph_view import show_expression
from gui.canvas import GraphCanvas

NEURON = """\
x1 = 2.0; w1 = -3.0
x2 = 0.0; w2 = 1.0
b = 6.8813735870195432
n = x1*w1 + x2*w2 + b
o = tanh(n)
"""
Drawn = tuple[Picture, dict[str, BoxNumbers]]


@pytest.fixture
def draw() -> Callable[[str], Drawn]:
    """A program as picture and readings."""

    def drawn(text: str) -> Drawn:
        shown = show_expression(evaluate(text))
        readings = read_numbers(shown.graph, shown.numbers, shown.problems)
        return make_picture(shown.graph, layout(shown.graph)), readings

    return drawn


@pytest.fixture
def neuron(draw) -> Drawn:
    return draw(NEURON)


@pytest.fixture
def canvas(qtbot) -> GraphCanvas:
    """An empty canvas of 800 x 600 pixels on the screen."""
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(800, 600)
    canvas.show()
    return canvas


@pytest.fixture
def key_of() -> Callable[[Picture, str], str]:
    """The key of the value with a label."""

    def found(picture: Picture, label: str) -> str:
        return next(key for key, box in picture.boxes.items() if box.label == label)

    return found


@pytest.fixture
def grid() -> Callable[[int, int], Picture]:
    """Columns of values, each value computed from the one to its left."""

    def made(columns: int, rows: int) -> Picture:
        boxes, circles, edges = {}, {}, {}
        for column in range(columns):
            for row in range(rows):
                key, x, y = f"{column}.{row}", 320.0 * column, 52.0 * row
                role = "input" if column == 0 else "output" if column == columns - 1 and row == 0 else "intermediate"
                boxes[key] = Box(key, x, y, 190.0, 34.0, f"n{key}", role)
                if column:
                    op, before = f"{key}:op", f"{column - 1}.{row}"
                    circles[op] = Circle(op, x - 126.0, y, 15.0, "+", "add")
                    edges[op, key] = Edge(op, key, (_level(x - 111, x - 95, y),))
                    edges[before, op] = Edge(before, op, (_level(x - 225, x - 141, y),))
        return Picture(boxes, circles, edges, (-95.0, -17.0, 320.0 * columns - 225, 52.0 * rows - 35))

    return made


def _level(start: float, end: float, y: float):
    third = (end - start) / 3
    return (start, y), (start + third, y), (end - third, y), (end, y)
