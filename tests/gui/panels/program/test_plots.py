"""The plots of a program as one sees them: items, ends of axes, colours, readings, exports, several figures."""

import numpy as np
import pyqtgraph as pg
import pytest

from engine.language import Plot, Series
from gui.export.figures import plot_work
from gui.panels.program.axes_plot import AxesPlot, reading
from gui.panels.program.plot_items import levels_of, shades, table_of
from gui.panels.program.program_plots import ProgramPlots
from gui.theme import DARK, LIGHT

MATRIX = ((0.0, 1.0, 2.0), (3.0, 4.0, 5.0))


def plot(*series, **more):
    return Plot("", "", "", series, **more)


@pytest.fixture
def axes(qtbot):
    axes = AxesPlot()
    qtbot.addWidget(axes)
    axes.set_colors(LIGHT)
    axes.resize(400, 300)
    axes.show()
    qtbot.waitExposed(axes)
    return axes


def items(axes, kind):
    return [item for item in axes.plot.getPlotItem().items if isinstance(item, kind)]


def test_a_line_is_not_drawn_across_numbers_that_are_missing(axes):
    axes.show_axes(plot(Series("line", (0, 1, 2, 3), (1, float("nan"), 3, 4))))
    (item,) = items(axes, pg.PlotDataItem)
    assert list(item.getData()[0]) == [0, 2, 3]
    assert list(item.opts["connect"]) == [0, 1, 0]


def test_points_are_coloured_by_their_numbers_and_the_scale_says_which(axes):
    axes.show_axes(plot(Series("points", (0, 1, 2), (0, 1, 2), z=(0.0, 5.0, 10.0), map="gray")))
    (item,) = items(axes, pg.ScatterPlotItem)
    colours = [point.brush().color().getRgb()[:3] for point in item.points()]
    assert colours[0] == (0, 0, 0) and colours[2] == (255, 255, 255)
    assert axes.scale.isVisible() and [entry.text for entry in axes.scale.scale.entries] == ["0.0000", "10.0000"]
    axes.show_axes(plot(Series("points", (0, 1), (0, 1))))
    assert not axes.scale.isVisible()


def test_a_legend_stands_below_its_axes_and_is_left_out_of_a_low_plot(axes, qtbot):
    shown = plot(*(Series("line", (0, 1), (0, k), f"learning rate 0.{k}") for k in range(1, 6)))
    axes.show_axes(shown)
    legend = axes.plot.getPlotItem().legend
    qtbot.waitUntil(lambda: legend.isVisible() and legend.sceneBoundingRect().height() > 20)
    assert legend.sceneBoundingRect().top() >= axes.plot.box.sceneBoundingRect().bottom()
    assert not axes.lacks_legend
    axes.resize(300, 150)
    qtbot.waitUntil(lambda: not legend.isVisible())
    assert axes.lacks_legend and "learning rate 0.3" in reading(shown, 1.0, 3.0, (0.01, 0.01))
    qtbot.waitUntil(lambda: axes.plot.box.height() > 90)
    axes.resize(400, 300)
    qtbot.waitUntil(lambda: legend.isVisible() and not axes.lacks_legend)


def test_bars_stand_on_zero_and_the_axis_begins_there(axes):
    axes.show_axes(plot(Series("bars", (0, 1), (3, 5), sizes=(0.5,)), x_ticks=((0, "a"), (1, "b"))))
    (item,) = items(axes, pg.BarGraphItem)
    assert (
        list(item.opts["x0"]) == [-0.25, 0.75] and list(item.opts["y0"]) == [0, 0] and list(item.opts["y1"]) == [3, 5]
    )
    assert axes.plot.box.viewRange()[1][0] == 0
    shown = plot(Series("bars", (0, 1), (3, 5)), x_ticks=((0, "a"), (1, "b")))
    assert reading(shown, 1.1, 2.0, (0.01, 0.01)) == "x = b, y = 5.0000"


def test_an_image_fills_its_cells_with_the_first_row_below(axes):
    image = Series("image", (), (), z=MATRIX, extent=(-0.5, 2.5, 1.5, -0.5), map="gray")
    axes.show_axes(plot(image, equal=True, upside_down=True))
    (item,) = items(axes, pg.ImageItem)
    drawn = item.image[..., 0]
    assert drawn.shape == (2, 3) and drawn[1, 0] == 0 and drawn[0, 2] == 255  # y from 1.5 down to -0.5: turned over
    assert axes.plot.box.yInverted()
    read = reading(plot(image), 1.9, -0.2, (0.01, 0.01))
    assert read.endswith(": 5.0000")


def test_contours_pass_where_the_numbers_have_the_level(axes):
    grid = np.linspace(-2, 2, 41)
    heights = tuple(map(tuple, grid[:, None] ** 2 + grid[None, :] ** 2))
    axes.show_axes(plot(Series("contour", tuple(grid), tuple(grid), z=heights, levels=(1.0,))))
    (item,) = items(axes, pg.PlotCurveItem)
    x, y = item.getData()
    np.testing.assert_allclose(np.hypot(x, y), 1.0, atol=0.01)


def test_areas_between_levels_have_the_colours_of_their_numbers(axes):
    grid = tuple(np.linspace(0, 1, 11))
    series = Series("filled contour", grid, grid, z=(grid,) * 11, levels=(0.0, 0.5, 1.0), map="gray")
    axes.show_axes(plot(series))
    (item,) = items(axes, pg.ImageItem)
    left, right = item.image[100, 10, 0], item.image[100, -10, 0]
    assert left < right and len(np.unique(item.image[..., 0])) == 2


def test_logarithmic_axes_leave_out_what_has_no_logarithm(axes):
    axes.show_axes(plot(Series("line", (1, 10, 100), (0, 10, 1000)), x_log=True, y_log=True))
    (item,) = items(axes, pg.PlotDataItem)
    np.testing.assert_allclose(item.getData(), [[1, 2], [1, 3]])
    read = reading(plot(Series("line", (1, 10), (1, 10)), y_log=True), 10.0, 1.0, (0.1, 0.1))
    assert read == "x = 10.0000, y = 10.0000"


def test_the_ends_that_a_program_sets_are_kept_and_reversed_ends_turn_the_axis_over(axes):
    axes.show_axes(plot(Series("line", (0, 1), (0, 1)), x_range=(-5, 5), y_range=(None, 3)))
    (left, right), (_, top) = axes.plot.box.viewRange()
    assert (left, right, top) == pytest.approx((-5, 5, 3))
    axes.show_axes(plot(Series("line", (0, 1), (0, 1)), y_range=(10, 0)))
    assert axes.plot.box.yInverted() and axes.plot.box.viewRange()[1] == pytest.approx([0, 10])


def test_the_nearest_point_is_read_with_its_label():
    shown = plot(Series("line", (0, 1, 2), (0, 1, 4), "train"), Series("points", (2,), (3,), "test", z=(7,)))
    assert reading(shown, 1.9, 3.9, (0.01, 0.01)) == "train: x = 2.0000, y = 4.0000"
    assert reading(shown, 2.0, 3.05, (0.01, 0.01)) == "test: x = 2.0000, y = 3.0000, colour 7.0000"
    assert reading(shown, 0.5, 3.0, (0.01, 0.01)) == "x = 0.5000, y = 3.0000"


@pytest.mark.parametrize("colors", [LIGHT, DARK])
def test_black_and_white_lines_are_readable_in_either_theme(axes, colors):
    axes.set_colors(colors)
    axes.show_axes(plot(Series("line", (0, 1), (0, 1), color="black"), Series("line", (0, 1), (1, 0), color="white")))
    panel = pg.mkColor(colors.panel).lightnessF()
    for item in items(axes, pg.PlotDataItem):
        assert abs(item.opts["pen"].color().lightnessF() - panel) > 0.25


@pytest.mark.parametrize(
    "kind", ["line", "points", "bars", "area", "image", "contour", "filled contour", "text", "level", "?"]
)
def test_numbers_that_are_not_finite_or_very_large_and_unknown_names_are_drawn_somehow(axes, kind):
    wild = (float("nan"), float("inf"), -1e308, 1e308, 0.0)
    z = (wild,) * 5 if kind in ("image", "contour", "filled contour") else ()
    x = tuple(map(float, range(5))) if "contour" in kind else wild
    names = {"names": ("a",) * 5, "colors": ("nonsense",) * 5, "anchors": ((0.0, 0.0),) * 5, "map": "nonsense"}
    for count in (0, 1, 5):
        if not z or count == 5:
            parts = {name: part[:count] if name != "map" else part for name, part in names.items()}
            axes.show_axes(plot(Series(kind, x[:count], x[:count], z=z, extent=(0, 1, 0, 1), **parts)))
            axes.grab()


def test_figures_are_turned_over_and_axes_stand_in_their_grid(qtbot):
    plots = ProgramPlots()
    qtbot.addWidget(plots)
    plots.set_colors(LIGHT)
    plots.resize(500, 400)
    plots.show()
    line = Series("line", (0, 1), (0, 1), "a")
    grid = [plot(line, row=row, column=column, page="both") for row in range(2) for column in range(2)]
    plots.show_plots((*grid, plot(line, figure=1)))
    assert plots.index == 1 and len(plots.axes) == 1 and plots.plot is plots.axes[0].plot
    plots.turn(-1)
    qtbot.waitUntil(lambda: plots.axes[3].x() > plots.axes[0].x() and plots.axes[3].y() > plots.axes[0].y())
    assert len(plots.axes) == 4 and plots.plot is plots.page and not plots.back.isEnabled()
    assert [name for name, _ in plots.figure_data()][:2] == ["x 1 (1)", "a (1)"]


@pytest.mark.slow
@pytest.mark.parametrize("extension", ["png", "svg", "pdf", "csv"])
def test_a_figure_of_several_axes_is_exported(qtbot, tmp_path, extension):
    plots = ProgramPlots()
    qtbot.addWidget(plots)
    plots.set_colors(LIGHT)
    plots.resize(300, 200)
    plots.show()
    line = Series("line", (0, 1), (0, 1), "a")
    plots.show_plots((plot(line), plot(Series("image", (), (), z=MATRIX, extent=(0, 1, 0, 1)), column=1)))
    path = tmp_path / f"figure.{extension}"
    plot_work(plots.plot, plots.figure_data, path, plots.key)(lambda *_: None)
    assert path.stat().st_size > (50 if extension == "csv" else 2_000)
    assert plots.page.width() == 300


def test_a_map_of_colours_goes_from_its_first_to_its_last_colour_and_back():
    assert tuple(table_of("Blues")[0]) == (247, 251, 255) and tuple(table_of("Blues_r")[-1]) == (247, 251, 255)
    assert tuple(table_of("listed:red,#0000ff")[255]) == (0, 0, 255)
    colours = shades(np.array([1.0, 2.0]), Series("points", (0, 1), (0, 1), z=(0.0, 4.0), map="gray", ends=(1.0, 2.0)))
    assert colours.tolist() == [[0, 0, 0], [255, 255, 255]]


def test_levels_are_round_and_about_as_many_as_asked_for():
    series = Series("contour", (0, 1), (0, 1), z=((0.03, 0.4), (0.2, 0.97)), n_levels=10)
    levels = levels_of(series)
    assert 8 <= len(levels) <= 13 and all(abs(round(level, 3) - level) < 1e-9 for level in levels)


def test_hundreds_of_lines_points_and_bars_are_drawn_as_a_few_items_in_their_places(axes):
    lines = [Series("line", (0, k), (k, 0)) for k in range(1, 301)]
    points = [Series("points", (k,), (k,), color="red") for k in range(100)]
    bars = [Series("bars", (k,), (2 * k,), color="blue", sizes=(0.5,)) for k in range(100)]
    axes.show_axes(plot(*lines, *points, *bars, Series("line", (0, 1), (0, 1), "named")))
    drawn = items(axes, pg.PlotDataItem)
    assert len(drawn) <= 8 and [item.name() for item in drawn if item.name()] == ["named"]
    ends = {tuple(pair) for item in drawn[:-1] for pair in np.reshape(item.getData()[0], (-1, 2))}
    assert ends == {(0.0, float(k)) for k in range(1, 301)}
    assert all(list(item.opts["connect"][:4]) == [1, 0, 1, 0] for item in drawn[:-1])
    (scatter,), (graph,) = items(axes, pg.ScatterPlotItem), items(axes, pg.BarGraphItem)
    assert len(scatter.points()) == 100 and list(graph.opts["y1"]) == [2 * k for k in range(100)]
