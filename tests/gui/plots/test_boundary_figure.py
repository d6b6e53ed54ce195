"""Figures of a moment painted without a widget: the same outputs as the trainer's, in the colours of the panel."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage

from engine.document import Document, replace_section
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.prepared import prepare
from gui.painting import painting
from gui.plots.boundary_figure import BoundaryFigure, thumbnail
from gui.plots.painted_plot import Frame
from gui.plots.plot import class_colors, rgb, target_colors
from gui.theme import LIGHT


def of_data(name, sizes, **training):
    document = replace_section(Document(), "data", name=name)
    document = replace_section(document, "network", layer_sizes=sizes)
    return replace_section(document, "training", **training) if training else document


CASES = {
    "two classes": of_data("moons", (2, 4, 1)),
    "probabilities": of_data("moons", (2, 4, 1), loss="binary_cross_entropy"),
    "three classes": of_data("spiral3", (2, 4, 3), loss="softmax_cross_entropy"),
    "a curve": of_data("curve", (1, 4, 1)),
    "a surface": of_data("surface", (2, 4, 1)),
}


@pytest.mark.parametrize("name", CASES)
def test_its_outputs_are_those_of_the_trainer(qapp, name):
    document = CASES[name]
    figure, trainer = BoundaryFigure(document), make_trainer(document, make_model(document), prepare(document.data))
    outputs = figure.outputs(trainer.model.weights, 5)
    x, y = np.linspace(*figure.x, 5), np.linspace(*figure.y, 5)
    points = x[:, None] if figure.n_columns == 1 else np.column_stack([np.tile(x, 5), np.repeat(y, 5)])
    expected = trainer.predict(points)
    if "entropy" in document.training.loss:
        odds = np.exp(expected - expected.max(axis=1, keepdims=True))
        expected = 1 / (1 + np.exp(-expected)) if expected.shape[1] == 1 else odds / odds.sum(axis=1, keepdims=True)
    assert np.allclose(outputs.reshape(expected.shape), expected, rtol=0, atol=1e-12)
    assert not thumbnail(document, trainer.model.weights, LIGHT, 32).isNull()


def test_the_strongest_outputs_have_the_colours_of_the_classes_and_large_y_is_at_the_top(qapp):
    document = of_data("moons", (2, 1))
    figure = BoundaryFigure(document)
    image = figure.image(figure.outputs(np.array([0.0, 100.0, 0.0]), 20), LIGHT)  # the sign of x2
    assert image.pixelColor(10, 0) == QColor(LIGHT.positive_tint)
    assert image.pixelColor(10, 19) == QColor(LIGHT.negative_tint)


def test_the_colours_change_where_the_outputs_do_at_the_edge_of_the_map_too(qapp):
    figure, image = BoundaryFigure(of_data("moons", (2, 1))), QImage(200, 200, QImage.Format.Format_RGB32)
    outputs = np.tile([-1.0, -1.0, -1.0, -1.0, 1.0], (5, 1))[..., None]  # at 0, 50, 100, 150 and 200 pixels
    with painting(image) as painter:
        figure.paint_map(painter, Frame(QRectF(0, 0, 200, 200), figure.x, figure.y), outputs, LIGHT)
    low, high = rgb(LIGHT.negative_tint), rgb(LIGHT.positive_tint)
    for pixel in (120, 149, 160, 175, 190, 199):
        share = max(0.0, (pixel + 0.5 - 150) / 50)
        assert np.abs(rgb(image.pixelColor(pixel, 100).name()) - (low + share * (high - low))).max() < 4


def test_a_line_is_painted_where_several_classes_meet(qapp):
    figure, image = BoundaryFigure(CASES["three classes"]), QImage(200, 200, QImage.Format.Format_RGB32)
    shares = np.linspace(0.0, 1.0, 41)
    outputs = np.dstack([np.tile(1.0 - shares, (41, 1)), np.tile(shares, (41, 1)), np.zeros((41, 41))])
    with painting(image) as painter:
        figure.paint(painter, Frame(QRectF(0, 0, 200, 200), figure.x, figure.y), outputs, LIGHT)
    darkest = [min(sum(image.pixelColor(x, y).getRgb()[:3]) for x in range(97, 104)) for y in range(5, 195)]
    assert np.mean(np.array(darkest) < 3 * 128) > 0.8  # points cover some of it


def test_a_figure_with_axes_is_painted_and_says_its_numbers(qapp):
    document = CASES["two classes"]
    image = QImage(300, 300, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.panel))
    figure = BoundaryFigure(document)
    frame = Frame.within(QRectF(0, 0, 300, 300), figure.x, figure.y)
    with painting(image) as painter:
        figure.paint(painter, frame, figure.outputs(make_model(document).weights, 30), LIGHT)
        frame.paint_axes(painter, LIGHT, *figure.names)
    colors = {image.pixelColor(x, y).name() for x in range(0, 300, 3) for y in range(0, 300, 3)}
    assert len(colors) > 20 and LIGHT.positive.lower() in colors


def test_points_on_a_map_of_numbers_have_the_colours_of_their_targets(qapp):
    figure = BoundaryFigure(CASES["a surface"])
    image = QImage(400, 400, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.panel))
    frame = Frame.within(QRectF(0, 0, 400, 400), figure.x, figure.y)
    with painting(image) as painter:
        figure.paint_points(painter, frame, LIGHT)
    places = np.column_stack(frame.place(*figure.raw.X.T))
    distances = np.hypot(*(places[:, None] - places).T) + 1000 * np.eye(len(places))
    alone = distances.min(axis=0) > 15
    seen = [image.pixelColor(round(x), round(y)).name() for x, y in places[alone]]
    y = figure.raw.y
    assert len(set(seen)) > 10 and seen == target_colors(y[alone], (y.min(), y.max()), LIGHT)
    assert target_colors(np.array([0.0, 1.0]), (0.0, 1.0), LIGHT) == [LIGHT.negative.lower(), LIGHT.positive.lower()]


def test_of_sorted_data_every_class_is_drawn_in_a_view_of_all_rows(qapp):
    kinds = np.repeat([0.0, 1.0, 2.0], 1000)
    across = (10.0 * kinds + np.tile(np.linspace(0.0, 8.0, 1000), 3)).tolist()
    up = np.tile(np.linspace(-8.0, 8.0, 1000), 3).tolist()
    table = (("a", across), ("b", up), ("kind", kinds.tolist()))
    data = {"source": "table", "table": table, "table_target": "kind", "table_task": "classification"}
    document = replace_section(Document(), "data", **data)
    document = replace_section(document, "training", loss="softmax_cross_entropy")
    figure = BoundaryFigure(replace_section(document, "network", layer_sizes=(2, 3)))
    assert figure.x[0] < 0.0 and figure.x[1] > 28.0
    image = QImage(300, 300, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.canvas))
    with painting(image) as painter:
        figure.paint_points(painter, Frame(QRectF(0, 0, 300, 300), figure.x, figure.y), LIGHT)
    seen = {image.pixelColor(x, y).name() for x in range(300) for y in range(300)}
    assert {color.lower() for color in class_colors(LIGHT)[:3]} <= seen
