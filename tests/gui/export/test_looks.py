"""PDF and SVG, drawn by programs that know nothing of Qt, are compared with what the canvas paints.

PDFium draws the PDF, resvg the SVG; both come with the tools for tests. What the comparison notices is itself tested.
"""

import dataclasses
import re
from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pypdfium2
import pytest
from pypdfium2.raw import FPDF_PAGEOBJ_PATH, FPDF_PAGEOBJ_TEXT
from PySide6.QtCore import QRectF

from engine.document import Document, View, replace_section
from engine.language import evaluate
from engine.views.graph_view import show_expression
from engine.views.sample import make_sample_graph
from gui.canvas.decorations import Decoration
from gui.export.drawing import draw_image, draw_pdf, draw_svg
from gui.export.exports import laid_out
from gui.export.pictures import PAPER_MARGIN, graph_drawing
from gui.theme import DARK, LIGHT
from tests.gui.canvas.conftest import NEURON
from tests.gui.export.likeness import margin_is_empty, pdf_pixels, pixels, svg_pixels, unlike

HOSTILE = """\
größe = 2.0
w = Value(3.0, label='<b>&amp; "quoted"</b>')
v = Value(-1.5, label=']]></text>')
bad = log(v)
far = 1e308 * 1e10
c = größe ** 2
c += w * größe
out = c * v
"""
SCALE = 2.0


def of_program(text, view=None):
    view = view or View()
    shown = show_expression(evaluate(text), view.hide_constants)
    drawn = laid_out(shown, LIGHT, view)
    return drawn.picture, drawn.readings


def of_network():
    """Every neuron of a small network closed."""
    document = replace_section(Document(), "view", shows="network")
    shown = make_sample_graph(document, np.array([[0.5, -1.0]]), np.array([1])).graph_view
    drawn = laid_out(shown, LIGHT, document.view)
    return drawn.picture, drawn.readings


DRAGGED = View(moved=(("x1", (-120.0, 40.0)), ("n", (90.0, 160.0)), ("o", (60.0, -120.0))))
PICTURES = {
    "neuron": lambda: of_program(NEURON),
    "compact": lambda: of_program(NEURON, View(form="compact")),
    "in rows": lambda: of_program(NEURON, View(form="row", direction="right")),
    "names above": lambda: of_program(HOSTILE, View(form="above")),
    "hostile names, trouble, reassigned": lambda: of_program(HOSTILE),
    "top-down, constants hidden": lambda: of_program(HOSTILE, View(direction="down", hide_constants=True)),
    "dragged by hand": lambda: of_program(NEURON, DRAGGED),
    "closed groups": of_network,
}
DRAWN = {"pdf": (draw_pdf, pdf_pixels), "svg": (draw_svg, svg_pixels)}


def flowing(picture):
    """Marks as while the gradient's flow is shown and a step is done."""
    pairs = list(picture.edges)
    flow = {pair: Decoration(flow=(-1) ** number * (number + 1) / len(pairs)) for number, pair in enumerate(pairs)}
    return flow | {pairs[0]: Decoration(touched=True, text="×0.123456789"), pairs[0][1]: Decoration(touched=True)}


@pytest.mark.long
@pytest.mark.parametrize("kind", DRAWN)
@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", PICTURES)
def test_pdf_and_svg_look_like_the_canvas_and_nothing_is_cropped(qapp, name, colors, kind):
    picture, readings = PICTURES[name]()
    drawing = graph_drawing(picture, readings, colors=colors, scale=SCALE, decorations=flowing(picture))
    draw, drawn = DRAWN[kind]
    painted = pixels(draw_image(drawing))
    file = drawn(draw(drawing), painted.shape[1], painted.shape[0])
    assert unlike(painted, file, colors.canvas) == []
    assert margin_is_empty(file, colors.canvas, int(SCALE * PAPER_MARGIN / 2))
    assert margin_is_empty(painted, colors.canvas, int(SCALE * PAPER_MARGIN / 2))


def without_a_number(picture, readings):
    key = next(key for key, box in picture.boxes.items() if box.label == "w1")
    return picture, {**readings, key: dataclasses.replace(readings[key], grad="")}


def without_a_label(picture, readings):
    boxes = {key: dataclasses.replace(box, label="" if box.label == "b" else box.label) for key, box in _boxes(picture)}
    return dataclasses.replace(picture, boxes=boxes), readings


def with_another_sign(picture, readings):
    key = next(key for key, box in picture.boxes.items() if box.label == "n")
    return picture, {**readings, key: dataclasses.replace(readings[key], data="-0.8814")}


def with_a_box_elsewhere(picture, readings):
    boxes = {key: dataclasses.replace(box, y=box.y + 2.0 * (box.label == "x2")) for key, box in _boxes(picture)}
    return dataclasses.replace(picture, boxes=boxes), readings


def without_an_edge(picture, readings):
    return dataclasses.replace(picture, edges=dict(list(picture.edges.items())[1:])), readings


def _boxes(picture):
    return picture.boxes.items()


@pytest.mark.long
@pytest.mark.parametrize(
    "damage", [without_a_number, without_a_label, with_another_sign, with_a_box_elsewhere, without_an_edge]
)
@pytest.mark.parametrize("kind", DRAWN)
def test_the_comparison_notices_what_is_lost_or_moved(qapp, neuron, damage, kind):
    draw, drawn = DRAWN[kind]
    painted = pixels(draw_image(graph_drawing(*neuron)))
    file = drawn(draw(graph_drawing(*damage(*neuron))), painted.shape[1], painted.shape[0])
    assert unlike(painted, file, LIGHT.canvas) != []


@pytest.mark.slow
def test_the_comparison_notices_what_is_cropped(qapp, neuron):
    left, top, right, bottom = neuron[0].bounds
    cut = QRectF(left - PAPER_MARGIN, top + 4, right - left + 2 * PAPER_MARGIN, bottom - top - 8)
    drawing = graph_drawing(*neuron, region=cut)
    size = round(cut.width() * SCALE), round(cut.height() * SCALE)
    assert not margin_is_empty(pdf_pixels(draw_pdf(drawing), *size), LIGHT.canvas, 12)
    assert not margin_is_empty(svg_pixels(draw_svg(drawing), *size), LIGHT.canvas, 12)


def letters(texts):
    return Counter(re.sub(r"\s", "", "".join(texts)))


def expected_letters(picture, readings):
    """Everything that is written in a picture whose labels have room."""
    texts = [circle.text.replace("-", "−") for circle in picture.circles.values()]
    for key, box in picture.boxes.items():
        reading = readings[key]
        texts += [reading.data] if box.role == "constant" else [box.label, reading.data, reading.grad]
        has_captions = box.form == "row" or (
            box.form == "above" and len(box.label) < 8
        )  # there is room beside the name
        texts += ["data", "grad"] * (has_captions and box.role != "constant")
        texts += [box.note] + ["!"] * bool(reading.problem or "bad" in (reading.data_state, reading.grad_state))
    return letters(texts)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["neuron", "compact", "in rows", "dragged by hand", "closed groups"])
def test_every_letter_of_the_picture_can_be_read_out_of_pdf_and_svg(qapp, name):
    picture, readings = PICTURES[name]()
    drawing = graph_drawing(picture, readings)
    root = ElementTree.fromstring(draw_svg(drawing))
    in_svg = letters(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    in_pdf = letters([pdf_text(draw_pdf(drawing))])
    assert in_svg == in_pdf == expected_letters(picture, readings)


def pdf_text(content):
    document = pypdfium2.PdfDocument(content)
    text = document[0].get_textpage().get_text_bounded()
    document.close()
    return text


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_pdf_and_svg_hold_the_same_letters_whatever_the_names(qapp, name):
    drawing = graph_drawing(*PICTURES[name]())
    root = ElementTree.fromstring(draw_svg(drawing))
    in_svg = letters(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    assert letters([pdf_text(draw_pdf(drawing))]) == in_svg


def test_a_pdf_is_lines_and_letters_with_no_pixels_in_it(qapp, neuron):
    document = pypdfium2.PdfDocument(draw_pdf(graph_drawing(*neuron)))
    kinds = Counter(thing.type for thing in document[0].get_objects())
    document.close()
    assert set(kinds) == {FPDF_PAGEOBJ_TEXT, FPDF_PAGEOBJ_PATH}
    assert kinds[FPDF_PAGEOBJ_PATH] >= len(neuron[0].boxes) + len(neuron[0].circles) + len(neuron[0].edges)


@pytest.mark.slow
def test_the_background_fills_the_page_of_a_pdf(qapp, neuron):
    drawing = graph_drawing(*neuron, colors=DARK)
    background = pixels(draw_image(drawing))[2, 2]
    drawn = pdf_pixels(draw_pdf(drawing), round(drawing.size.width()), round(drawing.size.height()))
    for side in (drawn[0], drawn[-1], drawn[:, 0], drawn[:, -1]):
        assert abs(side - background).max() <= 2


def test_texts_of_an_svg_keep_their_width_with_other_fonts(qapp, neuron):
    root = ElementTree.fromstring(draw_svg(graph_drawing(*neuron)))
    texts = list(root.iter("{http://www.w3.org/2000/svg}text"))
    assert texts and all(float(text.get("textLength")) > 0 for text in texts if text.text.strip())
    families = {text.get("font-family") for text in texts}
    assert all(re.fullmatch(r"'[^']+', (sans-serif|monospace)", family) for family in families)


@pytest.mark.slow
def test_what_was_dragged_beyond_the_layout_is_drawn_whole(qapp):
    picture, readings = of_program(NEURON, View(moved=(("n", (-2000.0, 0.0)),)))
    image = pixels(draw_image(graph_drawing(picture, readings)))
    assert margin_is_empty(image, LIGHT.canvas, int(SCALE * PAPER_MARGIN / 2))
