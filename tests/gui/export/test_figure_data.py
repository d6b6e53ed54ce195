"""Every figure hands out its numbers: the file that the Export menu writes holds what is drawn."""

import csv

import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog

from engine.document.assemble import make_model
from tests.gui.training import train


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
