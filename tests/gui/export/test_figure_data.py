"""Every figure hands out its numbers: the file that the Export menu writes holds what is drawn."""

import csv

import numpy as np
import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QFileDialog, QMenu, QToolButton

from engine.experiment.assemble import make_model
from gui.export.drawing import draw_image, draw_svg
from gui.export.figures import widget_drawing
from gui.panels.network.network import NetworkPanel
from tests.gui.menus import entry, submenus
from tests.gui.training import train


def reason_of(window, title):
    """Why an entry of the export menu is disabled; "" where it is enabled."""
    menu = next(menu for menu in window.findChildren(QMenu) if menu.title() == "&Export")
    menu.aboutToShow.emit()
    action = entry(menu, title)
    return "" if action.isEnabled() else action.toolTip()


@pytest.fixture
def window(reused_window):
    """Tests that close it make one of their own."""
    return reused_window


def save(window, qtbot, panel, path):
    window.export_plot(panel)
    dialog = next(child for child in window.findChildren(QFileDialog) if child.isVisible())
    dialog.fileSelected.emit(str(path))
    dialog.close()
    qtbot.waitUntil(lambda: not window.exporter.busy)


def test_the_loss_curve_is_written_with_all_its_digits(window, qtbot, tmp_path):
    window.docks["TrainingPanel"].hide()  # what is written is that of now all the same
    for _ in range(3):
        train(window.session, qtbot, "step")
    save(window, qtbot, "TrainingPanel", tmp_path / "loss.csv")
    with (tmp_path / "loss.csv").open() as file:
        rows = list(csv.DictReader(file))
    newest = window.session.newest
    assert [float(row["train loss"]) for row in rows[: len(newest.curve_losses)]] == newest.curve_losses.tolist()


def test_the_boundary_is_written_place_by_place_as_the_network_computes_it(window, qtbot, tmp_path):
    train(window.session, qtbot, "step")
    window.show_panel("BoundaryPanel")
    panel = window.docks["BoundaryPanel"].panel
    qtbot.waitUntil(lambda: window.session.shown is not None and window.session.shown.grid is not None)
    columns = dict(panel.figure_data())
    assert list(columns) == ["x1", "x2", "output", "point x1", "point x2", "target"]
    assert np.array_equal(columns["point x2"], window.session.data.raw.X[:, 1])
    places = np.column_stack([columns["x1"], columns["x2"]])[:50]
    model = make_model(window.session.document)
    model.weights = window.session.shown.snapshot.parameters
    assert np.allclose(np.ravel(model(places).data), columns["output"][:50], atol=1e-5)


def test_an_empty_figure_is_told_and_no_file_is_written(make_window, qtbot, tmp_path):
    window = make_window()
    told = []
    window.session.message_posted.connect(lambda text, kind: told.append((text, kind)))
    save(window, qtbot, "TrainingPanel", tmp_path / "loss.csv")
    assert told == [("loss.csv was not exported: nothing to export: the figure is empty", "error")]
    assert not (tmp_path / "loss.csv").exists()


@pytest.mark.parametrize("extension", ["png", "svg", "pdf"])
def test_an_empty_figure_is_no_picture_either(make_window, qtbot, tmp_path, extension):
    window = make_window()
    told = []
    window.session.message_posted.connect(lambda text, kind: told.append((text, kind)))
    save(window, qtbot, "SweepPanel", tmp_path / f"sweep.{extension}")
    assert "the figure is empty" in told[0][0] and not (tmp_path / f"sweep.{extension}").exists()


def test_what_has_no_figure_yet_is_disabled_with_a_reason(make_window, qtbot):
    window = make_window()
    assert "sweep" in reason_of(window, "Map of the sweep…")
    assert "step" in reason_of(window, "Loss plot…") and "step" in reason_of(window, "Training as GIF…")
    assert not reason_of(window, "Network drawing…")
    train(window.session, qtbot, "step")
    assert not reason_of(window, "Loss plot…") and not reason_of(window, "Training as GIF…")
    assert reason_of(window, "Map of the sweep…")


def test_the_export_menu_is_short_and_its_submenus_fit_a_small_screen(window):
    menu = next(menu for menu in window.findChildren(QMenu) if menu.title() == "&Export")
    inner = submenus(menu)
    assert len(inner) == 3 and len(menu.actions()) <= 5
    assert all(part.sizeHint().height() < 700 for part in [menu, *inner])


def test_the_picture_of_the_network_is_the_same_whatever_the_size_of_its_panel(session, shown, qtbot):
    panel = shown(NetworkPanel, 300, 320)
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 1)
    panel.catch_up()
    small = draw_image(widget_drawing(panel.plot))
    panel.resize(900, 700)
    large = draw_image(widget_drawing(panel.plot))
    assert small == large and small.width() >= 2 * 960
    drawing = panel.plot.drawing
    column = drawing.picture.geometry.layers[1]
    at = drawing.mapTo(panel.plot, QPoint(round(column.x), round(column.ys[0])))
    side = int(drawing.picture.geometry.side) - 6
    map_of_a_neuron = small.copy(2 * at.x() - side, 2 * at.y() - side, 2 * side, 2 * side)
    shades = {map_of_a_neuron.pixel(x, side) for x in range(2 * side)}
    assert len(shades) > 8  # a map is there, not an empty square
    session.edit("layers", network={"layer_sizes": (2, 3, 1), "activations": ("tanh",)})
    assert len(panel.plot.drawing.picture.geometry.layers) == 3


def test_the_exported_network_has_no_buttons_but_what_they_say(make_window, qtbot):
    window = make_window()
    window.show_workspace("train")
    window.show_panel("NetworkPanel")
    panel = window.docks["NetworkPanel"].panel
    diagram = panel.diagram
    qtbot.waitUntil(diagram.isVisible)
    text = draw_svg(widget_drawing(panel.plot)).decode()
    assert "▾" not in text and ">+<" not in text and ">−<" not in text
    assert "tanh" in text and "Linear" in text and "2 inputs" in text
    assert all(header.less.isVisible() and header.more.isVisible() for header in diagram.hidden)
    assert any("▾" in button.text() for button in diagram.findChildren(QToolButton))
