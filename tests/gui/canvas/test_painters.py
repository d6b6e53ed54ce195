import dataclasses
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage

from engine.graph.picture import Box, BoxNumbers, Circle, Edge, Picture
from gui.canvas.decorations import Activity, Decoration
from gui.canvas.painters import paint_picture
from gui.canvas.style import CanvasStyle
from gui.export.drawing import draw_image
from gui.export.pictures import graph_drawing
from gui.painting import painting
from gui.theme import DARK, LIGHT, THEMES

SCALE = 3.0
READ = BoxNumbers("1.0000", "+2.0000", "positive", "positive")
GREY = dataclasses.replace(LIGHT, input="#F2F4F7", parameter="#F2F4F7", output="#F2F4F7")


def one_box(role="intermediate", **changes):
    box = Box("a", 0.0, 0.0, 190.0, 34.0, "a", role, **changes)
    return Picture({"a": box}, {}, {}, (-95.0, -17.0, 95.0, 17.0))


def drawn(qapp, reading=READ, role="intermediate", colors=LIGHT, **changes) -> QImage:
    return draw_image(graph_drawing(one_box(role, **changes), {"a": reading}, colors=colors, scale=SCALE))


def marked(decoration, colors=LIGHT) -> QImage:
    image = QImage(260, 100, QImage.Format.Format_RGB32)
    image.fill(QColor(colors.canvas))
    with painting(image) as painter:
        painter.translate(130, 50)
        list(paint_picture(painter, one_box(), {"a": READ}, CanvasStyle(colors), {"a": decoration}))
    return image


def colors_in(image: QImage) -> set[str]:
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.unique(np.frombuffer(plain.constBits(), dtype=np.uint32) & 0xFFFFFF)
    return {f"#{pixel:06X}" for pixel in pixels}


def grad_cell(image: QImage) -> QImage:
    return image.copy(QRect(round(SCALE * (24 + 190 - 72)), round(SCALE * 24), round(SCALE * 70), round(SCALE * 34)))


STATES = {
    "unknown": BoxNumbers("1.0000", "–", "positive", "unknown"),
    "zero": BoxNumbers("1.0000", "+0.0000", "positive", "zero"),
    "positive": BoxNumbers("1.0000", "+2.0000", "positive", "positive"),
    "negative": BoxNumbers("1.0000", "-2.0000", "positive", "negative"),
    "bad": BoxNumbers("1.0000", "nan", "positive", "bad"),
}


@pytest.mark.parametrize("colors", THEMES.values(), ids=THEMES)
def test_every_state_of_a_gradient_looks_different(qapp, colors):
    images = {state: grad_cell(drawn(qapp, reading, colors=colors)) for state, reading in STATES.items()}
    assert all(images[one] != images[two] for one, two in combinations(images, 2))


def test_not_computed_differs_from_zero_in_more_than_its_text(qapp):
    unknown, zero = (grad_cell(drawn(qapp, STATES[state])) for state in ("unknown", "zero"))
    corner = QRect(0, unknown.height() // 2, unknown.width() // 8, unknown.height() // 2)
    assert len(colors_in(zero.copy(corner))) < len(colors_in(unknown.copy(corner)))


@pytest.mark.parametrize("colors", THEMES.values(), ids=THEMES)
def test_the_sign_of_a_gradient_and_what_is_bad_have_their_colours(qapp, colors):
    found = {state: colors_in(drawn(qapp, reading, colors=colors)) for state, reading in STATES.items()}
    assert colors.positive in found["positive"] - found["negative"]
    assert colors.negative in found["negative"] - found["positive"]
    assert colors.error in found["bad"] - found["zero"]


def test_a_problem_is_marked_even_when_the_numbers_are_good(qapp):
    problem = dataclasses.replace(READ, problem="division by zero")
    assert LIGHT.error in colors_in(drawn(qapp, problem))


def test_roles_differ_by_shape_and_not_only_by_colour(qapp):
    images = [drawn(qapp, role=role, colors=GREY) for role in ("input", "parameter", "output", "intermediate")]
    images.append(drawn(qapp, role="group", colors=GREY, members=12))
    images.append(drawn(qapp, role="constant", colors=GREY))
    assert all(one != two for one, two in combinations(images, 2))


@pytest.mark.parametrize("role", ["input", "parameter", "output"])
def test_roles_have_their_tints(qapp, role):
    for colors in THEMES.values():
        assert getattr(colors, role).upper() in colors_in(drawn(qapp, role=role, colors=colors))


def test_each_mark_changes_the_picture(qapp):
    decorations = [
        Decoration(), Decoration(selected=True), Decoration(touched=True), Decoration(on_path=True),
        Decoration(differing=True), Decoration(selected=True, focused=True),
    ]  # fmt: skip
    images = [marked(one) for one in decorations]
    assert all(one != two for one, two in combinations(images, 2))


def edges_drawn(multiplicity=1, decoration=None) -> QImage:
    curve = ((-80.0, 0.0), (-20.0, 0.0), (20.0, 0.0), (80.0, 0.0))
    nodes = {key: Box(key, x, 0.0, 40.0, 24.0, "", "constant") for key, x in (("a", -100.0), ("b", 100.0))}
    edge = Edge("a", "b", (curve,), multiplicity)
    picture = Picture(nodes, {}, {("a", "b"): edge}, (-120.0, -12.0, 120.0, 12.0))
    image = QImage(300, 80, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.canvas))
    with painting(image) as painter:
        painter.translate(150, 40)
        list(paint_picture(painter, picture, {}, CanvasStyle(LIGHT), {("a", "b"): decoration or Decoration()}))
    return image


def lines_across(image: QImage, x: int) -> int:
    """How many lines a walk from top to bottom crosses."""
    ground = QColor(LIGHT.canvas)
    dark = [image.pixelColor(x, y) != ground for y in range(image.height())]
    return sum(here and not before for before, here in zip([False, *dark], dark, strict=False))


@pytest.mark.parametrize("multiplicity", [1, 2, 3])
def test_each_operand_has_a_line_of_its_own(qapp, multiplicity):
    assert lines_across(edges_drawn(multiplicity), 150) == multiplicity


def test_an_edge_has_a_head_where_it_ends(qapp):
    image, ground = edges_drawn(), QColor(LIGHT.canvas)
    height = {x: sum(image.pixelColor(x, y) != ground for y in range(80)) for x in (75, 224)}
    assert height[224] > height[75]


def test_the_gradient_that_flows_along_an_edge_shows_in_width_and_colour(qapp):
    thick, thin = (edges_drawn(decoration=Decoration(flow=flow)) for flow in (-1.0, 0.2))
    ground = QColor(LIGHT.canvas)
    width = [sum(image.pixelColor(150, y) != ground for y in range(80)) for image in (thick, thin)]
    assert width[0] > width[1]
    assert thick.pixelColor(QPoint(150, 40)).name().upper() == LIGHT.negative


@pytest.mark.parametrize("flow", [float("nan"), float("inf"), -7.0])
def test_a_flow_that_makes_no_sense_is_drawn_all_the_same(qapp, flow):
    assert lines_across(edges_drawn(decoration=Decoration(flow=flow)), 150) == 1


def test_a_text_on_an_edge_is_drawn(qapp):
    assert edges_drawn(decoration=Decoration(text="-1.5")) != edges_drawn()


def test_long_names_and_long_numbers_stay_inside_their_boxes(qapp):
    box = Box("a", 0.0, 0.0, 190.0, 34.0, "a very long name indeed", "intermediate")
    picture = Picture({"a": box}, {}, {}, (-95.0, -17.0, 95.0, 17.0))
    reading = BoxNumbers("-1.23e-100", "-1.23e-100", "negative", "negative")
    image = draw_image(graph_drawing(picture, {"a": reading}, colors=LIGHT, scale=1.0))
    outside = [image.copy(0, 0, 22, 82), image.copy(24 + 192, 0, 22, 82)]
    assert [colors_in(part) for part in outside] == [{LIGHT.canvas}, {LIGHT.canvas}]


def test_long_names_of_operations_are_made_to_fit(qapp):
    picture = one_box()
    picture = dataclasses.replace(
        picture,
        circles={"o": Circle("o", 0.0, 60.0, 15.0, "leaky_relu_with_a_long_name", "x")},
        bounds=(-95, -17, 95, 75),
    )
    assert draw_image(graph_drawing(picture, {}, colors=LIGHT, scale=1.0)) is not None


def luminance(color: str) -> float:
    parts = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in QColor(color).getRgbF()
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: str, two: str) -> float:
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_texts_can_be_read(qapp, colors):
    style = CanvasStyle(colors)
    pairs = {("label", role): (colors.text, tint.color().name()) for role, tint in style.tints.items()}
    pairs |= {("data", state): (pen.color().name(), colors.panel) for state, pen in style.data_pens.items()}
    pairs |= {("grad", state): (pen.color().name(), colors.panel) for state, pen in style.grad_pens.items()}
    pairs["constant"] = (colors.muted, style.tints["constant"].color().name())
    pairs["note"] = (colors.muted, colors.neutral)
    pairs["mark"] = (style.on_error.color().name(), colors.error)
    assert {name: contrast(*pair) for name, pair in pairs.items() if contrast(*pair) < 4.5} == {}


def test_hundreds_of_edges_that_are_set_apart_are_drawn_in_one_call_each_kind(canvas, neuron, monkeypatch):
    picture, readings = neuron
    canvas.show_picture(picture)
    canvas.show_readings(readings)
    plain = canvas.viewport().grab().toImage()
    monkeypatch.setattr("gui.canvas.level_of_detail.MAX_DECORATED_CURVES", 3)
    monkeypatch.setattr("gui.canvas.items.paint_edge", lambda *_: pytest.fail("an edge was drawn by itself"))
    canvas.show_activity(Activity(edges=frozenset(picture.edges)))
    assert canvas.viewport().grab().toImage() != plain
