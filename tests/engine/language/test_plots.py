"""What programs plot with `matplotlib.pyplot`: kept as data for the window, bounded, and what is not drawn is said."""

import numpy as np
import pytest

from engine.language import evaluate

PLT = "import numpy as np\nimport matplotlib.pyplot as plt\n"


def plots(text):
    return evaluate(PLT + text).plots


def test_axes_keep_their_places_texts_ends_and_scales():
    first, second, third = plots(
        "fig, axes = plt.subplots(1, 2)\n"
        "axes[0].plot([1, 2], [3, 4], 'r--', label='a')\n"
        "axes[0].set(title='t', xlabel='step', ylabel='loss')\n"
        "axes[1].semilogy([1, 10])\naxes[1].set_ylim(1, 100)\nfig.suptitle('both')\n"
        "plt.figure()\nplt.axis('off')\nplt.bar(['a', 'b'], [3, 5])\n"
    )
    assert (first.title, first.x_label, first.y_label, first.page) == ("t", "step", "loss", "both")
    line = first.series[0]
    assert (line.kind, line.x, line.y, line.label) == ("line", (1, 2), (3, 4), "a")
    assert (line.color, line.style) == ("red", "--")
    assert (second.figure, second.row, second.column) == (0, 0, 1)
    assert second.y_log and second.y_range == (1, 100) and second.x_range == (None, None)
    assert third.figure == 1 and third.bare
    assert third.x_ticks == ((0, "a"), (1, "b")) and third.series[0].y == (3, 5)


def test_one_end_of_an_axis_may_be_left_open():
    (plot,) = plots("plt.plot([1, 2, 3])\nplt.ylim(bottom=0)\n")
    assert plot.y_range == (0, None)


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("plt.plot([1, 2], 'o')", "points"),
        ("plt.plot([1, 2], 'o-')", "line"),
        ("plt.plot([1, 2], marker='o')", "line"),
        ("plt.plot([1, 2], marker='o', linestyle='')", "points"),
        ("plt.plot([1, 2], 'tab:red')", "line"),
        ("plt.fill_between([0, 1], [1, 2])", "area"),
        ("plt.contour(np.ones((3, 3)))", "contour"),
        ("plt.contourf(np.ones((3, 3)))", "filled contour"),
        ("plt.matshow(np.ones((3, 3)))", "image"),
        ("plt.axhline(2)", "level"),
        ("plt.axvline(2)", "upright"),
        ("plt.text(1, 2, 'here')", "text"),
    ],
)
def test_a_call_gives_its_kind_of_series(call, kind):
    (plot,) = plots(call)
    assert [series.kind for series in plot.series] == [kind]


def test_points_keep_colours_and_sizes():
    (plot,) = plots(
        "plt.scatter([0, 1], [2, 3], c=[0, 1], s=[16, 25], cmap=plt.cm.Spectral)\n"
        "plt.scatter([0, 1], [2, 3], c=['r' if k else 'b' for k in (0, 1)])\n"
    )
    numbers, names = plot.series
    assert (numbers.z, numbers.sizes, numbers.map) == ((0, 1), (4, 5), "Spectral")
    assert names.colors == ("C0", "red")


def test_points_that_a_loop_draws_one_by_one_are_one_series():
    (plot,) = plots("for k in range(1000):\n    plt.scatter(k, k * k, color='red')\n")
    (series,) = plot.series
    assert series.x == tuple(range(1000)) and series.color == "red"


def test_values_and_tensors_are_plotted_by_their_numbers():
    (plot,) = plots("plt.plot([Value(1.0), Value(2.0)])\nplt.plot(torch.tensor([3.0, 4.0]))\n")
    assert [series.y for series in plot.series] == [(1, 2), (3, 4)]


def test_a_histogram_counts_as_numpy_does():
    text = (
        "rng = np.random.default_rng(0)\nx = rng.normal(size=300)\nn, edges, _ = plt.hist(x, bins=15)\nprint(n.sum())\n"
    )
    evaluation = evaluate(PLT + text)
    x = np.random.default_rng(0).normal(size=300)
    counts, edges = np.histogram(x, bins=15)
    (series,) = evaluation.plots[0].series
    assert series.y == tuple(counts)
    np.testing.assert_allclose(series.x, (edges[1:] + edges[:-1]) / 2)
    assert evaluation.output[0].text == "300.0\n"


def test_an_image_has_its_lowest_row_first_whatever_its_origin():
    upper, lower = plots("m = np.arange(6).reshape(2, 3)\nplt.imshow(m)\nplt.figure()\nplt.imshow(m, origin='lower')\n")
    assert upper.upside_down and not lower.upside_down and upper.equal
    assert upper.series[0].z == ((3, 4, 5), (0, 1, 2)) and upper.series[0].extent == (-0.5, 2.5, 1.5, -0.5)
    assert lower.series[0].z == ((0, 1, 2), (3, 4, 5)) and lower.series[0].extent == (-0.5, 2.5, -0.5, 1.5)


def test_a_million_points_and_a_large_image_are_thinned_and_that_is_said():
    evaluation = evaluate(
        PLT + "y = np.zeros(10**6)\ny[123456] = 7\nplt.plot(y)\nplt.figure()\nplt.imshow(np.ones((2500, 2500)))\n"
        "plt.figure()\nplt.scatter(y, y, c=y)\n"
    )
    line, image, points = (plot.series[0] for plot in evaluation.plots)
    assert len(line.x) <= 5_000 and dict(zip(line.x, line.y, strict=True))[123456] == 7
    assert len(image.z) <= 300 and len(image.z[0]) <= 300 and image.extent == (-0.5, 2499.5, 2499.5, -0.5)
    assert len(points.x) == len(points.y) == len(points.z) <= 5_000
    assert [note.line for note in evaluation.notes if "drawn" in note.message] == [5, 7, 9]


def test_what_is_not_drawn_is_said_once_at_its_line():
    evaluation = evaluate(PLT + "plt.plot([1, 2])\nfor k in range(3):\n    plt.quiver(0, 0, 1, 1)\nplt.grid(True)\n")
    assert [note.line for note in evaluation.notes] == [5] and "quiver" in evaluation.notes[0].message


def test_a_program_that_makes_thousands_of_figures_and_series_is_still_reported():
    evaluation = evaluate(
        PLT + "for k in range(2000):\n    plt.figure()\n    plt.plot([1, k])\n"
        "plt.figure(1)\nfor k in range(2000):\n    plt.plot([1, k], [2, 3])\n"
    )
    assert 0 < len(evaluation.plots) <= 60 and max(len(plot.series) for plot in evaluation.plots) <= 600
    assert evaluation.notes


def test_an_array_of_millions_of_numbers_in_a_variable_is_named_by_its_shape():
    evaluation = evaluate("import numpy as np\nm = np.ones((2000, 2000))\nprint(m.shape)\n")
    assert "2000" in repr(evaluation.variables["m"])


@pytest.mark.parametrize(
    "row",
    [
        '{"kind": "line", "x": [1, 2], "y": [1]}',
        '{"kind": "contour", "x": [1, 2], "y": [1, 2], "z": [[1, 2]]}',
        '{"kind": "contour", "x": [1, 2], "y": [1, 2], "z": [1, 2]}',
        '{"kind": "image", "z": [1, 2], "extent": [0, 1, 0, 1]}',
        '{"kind": "image", "z": [[1, 2]], "extent": []}',
        '{"kind": "text", "x": [1], "y": [1], "names": []}',
        '{"kind": "points", "x": [1], "y": [1], "z": [[1]]}',
    ],
)
def test_a_program_that_changes_what_reports_its_plots_loses_what_cannot_be_drawn(row):
    (plot,) = plots(f"plt.plot([1, 2], [3, 4])\nplt.gca().series.append({row})\n")
    assert [series.kind for series in plot.series] == ["line"]


@pytest.mark.slow
def test_a_long_array_is_counted_and_thinned_as_a_list_is():
    text = (
        "x = np.arange(30_000) / 7\ny = np.sin(x)\nn, edges, _ = plt.hist(y, bins=7)\nprint(n.tolist())\n"
        "plt.figure()\nplt.plot(x, y)\nplt.figure()\nplt.scatter(x, y, c=x)\n"
        "plt.figure()\nplt.plot(x.tolist(), y.tolist())\n"
    )
    evaluation = evaluate(PLT + text)
    bars, line, points, same = (plot.series[0] for plot in evaluation.plots)
    y = np.sin(np.arange(30_000) / 7)
    assert bars.y == tuple(np.histogram(y, bins=7)[0])
    assert points.z == points.x and len(points.x) == 5_000
    assert set(zip(same.x[:4_000], same.y[:4_000], strict=True)) <= set(zip(line.x, line.y, strict=True))
