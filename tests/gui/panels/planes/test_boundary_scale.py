"""The map of the plane, the line in it and the scale beside it: colours, levels and words."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from engine.experiment.assemble import make_model
from engine.network import LOSSES
from gui.panels.planes.boundary import BoundaryPanel
from gui.plots.plane import class_map
from gui.plots.plot import class_colors, class_tints
from gui.theme import DARK, LIGHT
from tests.gui.panels.planes.boundary_views import layers_of, trained_on, with_data


def test_a_map_of_classes_is_paper_where_nothing_is_sure():
    tints, paper = np.array([[200.0, 0, 0], [0, 200.0, 0], [0, 0, 200.0]]), np.array([9.0, 9.0, 9.0])
    shares = np.array([[[1.0, 0, 0], [1 / 3, 1 / 3, 1 / 3]], [[0, 0, 1.0], [np.nan, 0, 1.0]]])
    colors = class_map(shares, tints, paper)
    assert colors[0, 0].tolist() == [200, 0, 0]
    assert colors[0, 1].tolist() == [9, 9, 9]
    assert colors[1, 0].tolist() == [0, 0, 200]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "loss", "level", "levels", "texts"),
    [
        ("moons", "mean_squared_error", 0.0, (-1.0, 1.0), ["−1", "1"]),
        ("moons", "hinge", 0.0, (-1.0, 1.0), ["−1", "1"]),
        ("moons", "binary_cross_entropy", 0.5, (0.0, 1.0), ["−1 (0)", "1"]),
        ("xor", "sum_squared_error", 0.5, (0.0, 1.0), ["0", "1"]),
        ("xor", "huber", 0.5, (0.0, 1.0), ["0", "1"]),
        ("xor", "hinge", 0.0, (-1.0, 1.0), ["0 (−1)", "1"]),
    ],
)
def test_the_line_and_the_scale_are_those_of_the_numbers_trained_on(
    qtbot, session, shown, name, loss, level, levels, texts
):
    with_data(session, name, loss)
    session.edit("weights", network={"seed": 3})  # weights whose outputs pass the level of each case
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    assert tuple(panel.image.levels) == levels
    assert [entry.text for entry in panel.scale.scale.entries] == texts
    assert panel.scale.scale.level == f"{level:g}"
    assert f"Above {level:g}, beyond the line, the output means {texts[1]}." in panel.scale.toolTip()
    x, y = panel.boundary.getData()
    assert len(x) > 10
    model_outputs = make_model(session.document)(np.column_stack([x, y])).data[:, 0]
    readable = LOSSES[loss].probabilities(model_outputs[:, None])[:, 0]
    np.testing.assert_allclose(readable, level, atol=0.02)


@pytest.mark.slow
def test_the_colours_of_the_scale_are_those_of_the_map_and_the_markers_those_of_the_points(qtbot, session, shown):
    panel = shown(BoundaryPanel)
    panel.set_colors(DARK)
    low, high = panel.scale.scale.entries
    spots = {(spot["symbol"], spot["brush"].color().name()) for spot in panel.data_points.train.data}
    assert {(low.marker, low.color.lower()), (high.marker, high.color.lower())} == spots
    bar = panel.scale.scale.bar
    assert bar is not None
    assert QColor(*bar[0].tolist()).name().upper() == DARK.negative_tint
    assert QColor(*bar[-1].tolist()).name().upper() == DARK.positive_tint
    assert not panel.scale.grab().isNull()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n_classes"), [("moons", 2), ("spiral3", 3)])
def test_the_classes_alone_are_shown_on_request(qtbot, session, shown, name, n_classes):
    sizes = (2, 4, 1 if n_classes == 2 else 3)
    loss = "hinge" if n_classes == 2 else "softmax_cross_entropy"
    assert session.edit("data", data={"name": name}, network={"layer_sizes": sizes}, training={"loss": loss})
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)

    def n_colors():
        picture = panel.image.image
        return len(np.unique(picture.reshape(-1, picture.shape[2]) if picture.ndim == 3 else picture.ravel(), axis=0))

    assert panel.decided.isVisible() and n_colors() > 10
    panel.decided.click()
    assert 1 < n_colors() <= n_classes
    if n_classes == 2:
        level, grid = 0.0, session.shown.grid
        assert np.array_equal(panel.image.image > level, (grid > level).reshape(panel.image.image.shape))
    panel.decided.click()
    assert n_colors() > 10


@pytest.mark.slow
def test_numbers_to_predict_have_no_classes_to_show(qtbot, session, shown):
    with_data(session, "surface", "mean_squared_error")
    assert not shown(BoundaryPanel).decided.isVisible()


@pytest.mark.slow
def test_several_classes_are_named_with_their_markers(session, shown):
    with_data(session, "yin_yang", "softmax_cross_entropy", (2, 4, 3))
    panel = shown(BoundaryPanel)
    assert [entry.text for entry in panel.scale.scale.entries] == ["yin", "yang", "dot"]
    assert len({entry.marker for entry in panel.scale.scale.entries}) == 3
    assert panel.scale.scale.bar is None


@pytest.mark.slow
def test_a_regression_has_a_scale_of_numbers_and_no_line(qtbot, session, shown):
    with_data(session, "surface", "mean_squared_error")
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    y = session.dataset.y
    low, high = (float(entry.text.replace("−", "-")) for entry in panel.scale.scale.entries)
    assert (low, high) == pytest.approx((y.min(), y.max()), rel=0.01)
    assert len(panel.boundary.getData()[0] if panel.boundary.getData()[0] is not None else []) == 0


@pytest.mark.slow
def test_the_lines_between_several_classes_are_where_two_are_equally_likely(qtbot, session, shown):
    trained_on(qtbot, session, "spiral3", (2, 6, 3), "softmax_cross_entropy")
    panel = shown(BoundaryPanel)
    qtbot.waitUntil(lambda: panel.image.image is not None)
    x, y = panel.boundary.getData()
    assert len(x) > 20
    outputs = np.sort(layers_of(session, np.column_stack([x, y])), axis=1)
    assert np.abs(outputs[:, -1] - outputs[:, -2]).max() < 0.05


def seen_without_green(color):
    """How somebody without one kind of cone sees a colour: Machado et al. 2009, deuteranopia and protanopia."""
    channels = np.array(QColor(color).getRgbF()[:3])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    deutan = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    protan = [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    return [np.clip(np.array(matrix) @ linear, 0.0, 1.0) for matrix in (deutan, protan)]


def lab(linear):
    """CIE L*a*b* of linear sRGB under D65."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    ratios = (np.array(to_xyz) @ linear) / [0.9505, 1.0, 1.089]
    f = np.where(ratios > 0.008856, np.cbrt(ratios), 7.787 * ratios + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("palette", [class_colors, class_tints])
def test_the_first_three_classes_differ_for_colour_blind_people(colors, palette):
    for kind in (0, 1):
        seen = [lab(seen_without_green(color)[kind]) for color in palette(colors)[:3]]
        apart = [np.linalg.norm(seen[i] - seen[j]) for i in range(3) for j in range(i)]
        assert min(apart) > 20.0  # 2.3 can just be told apart
