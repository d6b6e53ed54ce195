import dataclasses
import math
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pyqtgraph
import pytest
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QLabel

from engine.graph import EMPTY_PICTURE
from gui.canvas.decorations import Decoration
from gui.export.drawing import IMAGE_FORMATS, Drawing, ExportError, draw_image, draw_pdf, draw_svg, largest_scale
from gui.export.figures import widget_drawing
from gui.export.pictures import PAPER_MARGIN, graph_drawing, lasting
from gui.export.svg import finished
from gui.theme import DARK, LIGHT
from tests.gui.export.likeness import pixels, svg_pixels, unlike

MAGIC = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF"}


def drawn(neuron, extension, **how):
    """The bytes of a file."""
    return IMAGE_FORMATS[extension].draw(graph_drawing(*neuron, **how))


def size_of(picture):
    left, top, right, bottom = picture.bounds
    return right - left + 2 * PAPER_MARGIN, bottom - top + 2 * PAPER_MARGIN


def svg_texts(content: bytes) -> str:
    """All texts of an SVG in the order in which they are drawn."""
    root = ElementTree.fromstring(content)
    return "".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))


def difference(one: QImage, two: QImage) -> float:
    """Mean difference of brightness, 0 to 255."""
    arrays = []
    for image in (one, two):
        grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
        rows = np.frombuffer(grey.constBits(), dtype=np.uint8).reshape(grey.height(), grey.bytesPerLine())
        arrays.append(rows[:, : grey.width()].astype(float))
    return float(np.abs(arrays[0] - arrays[1]).mean())


@pytest.mark.slow
@pytest.mark.parametrize("extension", IMAGE_FORMATS)
def test_every_format_makes_a_file_of_its_kind(qapp, neuron, extension):
    assert drawn(neuron, extension).startswith(MAGIC.get(extension, b""))


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1.0, 2.0, 3.5])
def test_a_png_is_as_large_as_the_graph_times_the_scale(qapp, neuron, scale):
    image = QImage.fromData(drawn(neuron, "png", scale=scale))
    width, height = size_of(neuron[0])
    assert abs(image.width() - width * scale) <= scale + 1 and abs(image.height() - height * scale) <= scale + 1
    assert image.dotsPerMeterX() == pytest.approx(scale * 96 / 0.0254, rel=0.01)


def test_an_svg_holds_every_label_and_number_as_text_and_a_title(qapp, neuron):
    content = drawn(neuron, "svg")
    texts = svg_texts(content)
    for key, box in neuron[0].boxes.items():
        assert box.label in texts and neuron[1][key].data in texts and neuron[1][key].grad in texts
    assert "<title>Computation graph of o, " in content.decode()
    assert "monospace" in content.decode() and "sans-serif" in content.decode()


@pytest.mark.slow
def test_an_svg_that_is_drawn_in_pieces_is_the_same_drawing(qapp, neuron, monkeypatch):
    drawing, sizes = graph_drawing(*neuron, scale=1.0), []

    def noting(pieces, *others):
        return finished((sizes.append(len(piece)) or piece for piece in pieces), *others)

    monkeypatch.setattr("gui.export.drawing.finished", noting)
    whole = draw_svg(drawing)
    assert len(sizes) == 1
    monkeypatch.setattr("gui.canvas.painters.PIECE", 3)
    in_pieces = draw_svg(drawing)
    things = sum(map(len, (neuron[0].boxes, neuron[0].circles, neuron[0].edges)))
    assert len(sizes) == 2 + things // 3
    assert max(sizes[1:]) < 0.4 * sizes[0]  # what is in memory besides the file
    assert ElementTree.fromstring(in_pieces).tag == ElementTree.fromstring(whole).tag
    assert svg_texts(in_pieces) == svg_texts(whole)
    size = size_of(neuron[0])
    assert np.array_equal(*(svg_pixels(content, *map(math.ceil, size)) for content in (whole, in_pieces)))


@pytest.mark.slow
def test_an_svg_looks_like_the_image_and_qt_can_read_it(qapp, neuron):
    drawing = graph_drawing(*neuron, scale=1.0)
    content, painted = draw_svg(drawing), pixels(draw_image(drawing))
    assert QSvgRenderer(content).isValid()
    assert unlike(painted, svg_pixels(content, painted.shape[1], painted.shape[0]), LIGHT.canvas) == []


def test_a_pdf_page_is_as_large_as_the_graph(qapp, neuron):
    content = drawn(neuron, "pdf")
    box = [float(number) for number in re.search(rb"/MediaBox \[([^\]]*)\]", content)[1].split()]
    width, height = size_of(neuron[0])
    assert box[2] == pytest.approx(width * 0.75, abs=2) and box[3] == pytest.approx(height * 0.75, abs=2)
    assert content.count(b"/Type /Page\n") == 1


@pytest.mark.slow
def test_a_pdf_of_a_graph_larger_than_a_page_may_be_is_made_smaller(qapp, grid):
    content = draw_pdf(graph_drawing(grid(70, 2), {}))
    width = float(re.search(rb"/MediaBox \[([^\]]*)\]", content)[1].split()[2])
    assert width <= 14_400


def test_an_empty_graph_an_empty_region_and_a_senseless_scale_are_refused(qapp, neuron):
    with pytest.raises(ExportError, match="nothing to export"):
        graph_drawing(EMPTY_PICTURE, {})
    with pytest.raises(ExportError, match="region is empty"):
        graph_drawing(*neuron, region=QRectF())
    for scale in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ExportError, match="scale"):
            drawn(neuron, "png", scale=scale)


@pytest.mark.slow
def test_too_large_an_image_is_refused_with_the_largest_scale_which_then_works(qapp):
    drawing = Drawing(QSizeF(15_000, 1_000), lambda painter: None, "large", scale=10.0)
    limit = largest_scale(drawing.size)
    with pytest.raises(ExportError, match=rf"150,000 x 10,000 pixels is too large: the scale is at most {limit:.2f}"):
        draw_image(drawing)
    assert draw_image(dataclasses.replace(drawing, scale=limit)).width() > 20_000


@pytest.mark.slow
def test_no_image_takes_more_than_200_megabytes(qapp):
    for size in (QSizeF(15_000, 1_000), QSizeF(10, 10), QSizeF(3_000, 3_000)):
        drawing = Drawing(size, lambda painter: None, "large")
        image = draw_image(dataclasses.replace(drawing, scale=largest_scale(size)))
        assert image.sizeInBytes() < 170_000_000


def test_a_transparent_image_has_no_background(qapp, neuron):
    def corner(**how):
        return draw_image(graph_drawing(*neuron, **how)).pixelColor(1, 1)

    assert corner(transparent=True).alpha() == 0
    assert corner().name().upper() == LIGHT.canvas
    assert corner(colors=DARK).name().upper() == DARK.canvas


@pytest.mark.slow
def test_what_is_on_the_screen_is_exported_as_it_is(qapp, canvas, neuron):
    canvas.show_picture(neuron[0])
    canvas.show_readings(neuron[1])
    canvas.set_zoom(1.0)
    canvas.select(next(iter(neuron[0].boxes)))
    region = canvas.visible_region
    image = draw_image(
        graph_drawing(canvas.picture, canvas.readings, scale=1.0, region=region, decorations=canvas.decorations)
    )
    screen = canvas.viewport().grab().toImage()
    assert image.size() == screen.size()
    assert difference(image, screen) < 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["<script>", "&amp;", "]]>", "🎈", "\ud800", "a\nb\0c", '"', "</text>"])
@pytest.mark.parametrize("extension", IMAGE_FORMATS)
def test_hostile_names_are_exported(qapp, neuron, name, extension):
    boxes = {
        key: dataclasses.replace(box, label=name, width=400.0 if box.role != "constant" else 54.0)
        for key, box in neuron[0].boxes.items()
    }
    picture = dataclasses.replace(neuron[0], boxes=boxes)
    content = drawn((picture, neuron[1]), extension)
    assert content.startswith(MAGIC.get(extension, b""))
    if extension == "svg":
        assert name.isprintable() is False or name in svg_texts(content)


def test_of_a_whole_graph_only_what_belongs_to_the_moment_is_marked():
    decorations = {
        "a": Decoration(selected=True, focused=True),
        "b": Decoration(touched=True, selected=True),
        "c": Decoration(differing=True),
        ("a", "b"): Decoration(flow=0.5, on_path=True, text="×2"),
        ("b", "c"): Decoration(touched=True, text="×3"),
    }
    assert lasting(decorations) == {
        "b": Decoration(touched=True),
        "c": Decoration(differing=True),
        ("a", "b"): Decoration(flow=0.5),
        ("b", "c"): Decoration(touched=True, text="×3"),
    }


@pytest.fixture
def plot(qtbot):
    plot = pyqtgraph.PlotWidget()
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    plot.plot([0, 1, 2, 3], [1, 3, 2, 5], pen=pyqtgraph.mkPen("#FF0000", width=2))
    plot.plot([1, 2], [1, 2], pen=None, symbol="o")
    plot.setLabel("left", "loss & more")
    plot.setXRange(0.5, 2.5)
    plot.show()
    return plot


@pytest.mark.slow
@pytest.mark.parametrize("extension", IMAGE_FORMATS)
def test_plots_are_exported_in_every_format(plot, extension):
    assert IMAGE_FORMATS[extension].draw(widget_drawing(plot)).startswith(MAGIC.get(extension, b""))


@pytest.mark.slow
def test_a_plot_is_exported_as_large_as_on_the_screen_and_a_small_one_larger(plot):
    plot.getViewBox().disableAutoRange()
    before = plot.size(), plot.viewRange()
    image = draw_image(widget_drawing(plot, scale=3.0))
    assert (image.width(), image.height()) == (3 * 960, 3 * 540)
    assert (plot.size(), plot.viewRange()) == before
    plot.resize(1000, 600)
    image = draw_image(widget_drawing(plot, scale=3.0))
    assert (image.width(), image.height()) == (3000, 1800)
    plot.getViewBox().setAspectLocked(True)
    plot.resize(400, 300)
    assert draw_image(widget_drawing(plot, scale=3.0)).width() == 1200


@pytest.mark.slow
def test_the_key_of_a_figure_stands_below_it_unless_it_is_hidden(plot, qtbot):
    key = QLabel("which colour is what")
    qtbot.addWidget(key)
    key.resize(150, 20)
    assert draw_image(widget_drawing(plot, key=key)).height() == 1080, "it was never shown"
    key.show()
    assert draw_image(widget_drawing(plot, key=key)).height() > 1120
    assert "which colour is what" in draw_svg(widget_drawing(plot, key=key)).decode()


@pytest.mark.slow
def test_an_svg_of_a_plot_has_its_lines_in_the_pages_coordinates_and_clipped(plot):
    text = draw_svg(widget_drawing(plot)).decode()
    assert "loss &amp; more" in text and 'clip-path="url(#window0)"' in text
    curve = re.search(r'stroke="#ff0000"[^>]*>\s*<(?:path|polyline)[^>]*?(?:d|points)="([^"]*)"', text)[1]
    places = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", curve)]
    assert "non-scaling-stroke" not in re.search(r'stroke="#ff0000"[^>]*>\s*<[^>]*>', text)[0]
    assert max(places) > 100


def test_any_widget_can_be_exported_and_one_without_a_size_is_refused(qtbot, canvas):
    assert draw_image(widget_drawing(canvas)).width() == 2 * canvas.width()
    plot = pyqtgraph.PlotWidget()
    qtbot.addWidget(plot)
    plot.resize(0, 0)
    with pytest.raises(ExportError, match="no size"):
        widget_drawing(plot)
