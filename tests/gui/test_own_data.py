"""Data of one's own, as a stranger uses them: a table that is imported, trained, saved and found again; XOR by hand."""

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from gui.importing.import_dialog import ImportDialog
from gui.panels.planes.boundary import BoundaryPanel
from main import main
from tests.gui.test_file_drops import drop, files

LEFT = Qt.MouseButton.LeftButton


def table(n=60):
    """A semicolon table with decimal commas, as a spreadsheet of half of Europe writes it; one value is missing."""
    chance = np.random.RandomState(3)
    rows = ["Länge;Breite;Art"]
    for index in range(n):
        kind = index % 3
        x, y = chance.normal((kind, kind % 2), 0.15)
        rows.append(f"{x:.2f};{y:.2f};{('Amsel', 'Drossel', 'Fink')[kind]}".replace(".", ","))
    rows[7] = "0,5;NA;Fink"
    return "\n".join(rows)


def trained_to(session, qtbot, accuracy, **settings):
    assert session.edit("settings", training=settings)
    session.training.set_control(None, 1)
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and (session.newest.snapshot.accuracy or 0) >= accuracy)
    session.pause()
    qtbot.waitUntil(lambda: session.run_state != "running")


@pytest.mark.long
def test_a_table_is_imported_trained_saved_and_found_again_the_same(make_window, qtbot, tmp_path, capsys):
    (tmp_path / "birds.csv").write_text(table(), encoding="latin-1")
    window = make_window()
    drop(window.graph_panel.canvas.viewport(), files(tmp_path / "birds.csv"))
    dialog = window.findChild(ImportDialog)
    qtbot.waitUntil(lambda: dialog.preview is not None)
    dialog.latin_1.click()
    qtbot.waitUntil(lambda: dialog.preview is not None)
    assert dialog.problem.text() == "row 8, column 'Breite': 'NA' says that there is no value"
    dialog.skip.click()
    qtbot.waitUntil(lambda: dialog.preview is not None)
    dialog.import_button.click()
    session = window.session
    assert (session.dataset.feature_names, session.dataset.class_names) == (
        ("Länge", "Breite"),
        ("Amsel", "Drossel", "Fink"),
    )
    assert session.document.network.layer_sizes == (2, 4, 4, 3)
    trained_to(session, qtbot, 0.95, optimizer="adam", learning_rate=0.05)
    assert session.save(tmp_path / "birds.gradstep")
    step, outputs, data = session.trained_so_far.step, session.newest.outputs, session.dataset

    again = make_window()
    again.files.open_path(tmp_path / "birds.gradstep")
    qtbot.waitUntil(lambda: again.session.newest is not None)
    assert again.session.newest.snapshot.step == step
    assert np.array_equal(again.session.dataset.X, data.X) and np.array_equal(again.session.dataset.y, data.y)
    assert np.array_equal(again.session.newest.outputs, outputs)
    assert main(["train", str(tmp_path / "birds.gradstep"), "--steps", "3"]) == 0
    assert f"step {step + 3}" in capsys.readouterr().out


def test_data_that_are_written_as_csv_are_imported_again_bit_for_bit(window, qtbot, tmp_path):
    session = window.session
    session.edit("data", data={"name": "spiral", "test_share": 0.3})
    data = session.data.raw
    window.action("export data").trigger()
    window.findChild(QFileDialog).fileSelected.emit(str(tmp_path / "data"))
    qtbot.waitUntil(lambda: (tmp_path / "data.csv").exists() and not window.exporter.busy)
    window.files.open_first(tmp_path / "data.csv")
    qtbot.waitUntil(lambda: window.findChild(ImportDialog) is not None)
    dialog = window.findChild(ImportDialog)
    qtbot.waitUntil(lambda: dialog.preview is not None)
    dialog.import_button.click()
    assert session.document.data.source == "table"
    assert np.array_equal(session.data.raw.X, data.X) and np.array_equal(session.data.raw.y, data.y)


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["mean_squared_error", "hinge", "binary_cross_entropy", "softmax_cross_entropy"])
def test_points_of_one_class_alone_train_and_that_is_said(session, shown, qtbot, loss):
    """E016 and E017: one point, labels all of one class."""
    panel = shown(BoundaryPanel, 420, 460)
    session.edit("loss", training={"loss": loss}, data={"source": "points", "points": ((0.5, 0.5, 1),)})
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 1)
    assert session.run_state != "failed"
    assert "All points are of one class, so there is no boundary to learn." in session.dataset.notes
    assert len(panel.bounds) == 4 and np.isfinite(panel.bounds).all()


def test_xor_is_drawn_by_hand_and_a_network_learns_it(make_window, qtbot, monkeypatch):
    monkeypatch.setitem(pg.CONFIG_OPTIONS, "mouseRateLimit", 0)
    window = make_window()
    window.action("draw points").trigger()
    panel = window.docks["BoundaryPanel"].panel
    qtbot.waitUntil(lambda: panel.image.image is not None)
    panel.drawing.bar.clear_button.click()

    def click(x, y):
        place = panel.plot.mapFromScene(panel.plot.box.mapViewToScene(QPointF(x, y)))
        QTest.mouseClick(panel.plot.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, place)

    for kind, corners in enumerate((((0, 0), (1, 1)), ((0, 1), (1, 0)))):
        qtbot.keyClick(panel.plot, Qt.Key(Qt.Key.Key_0.value + kind))
        for x, y in corners:
            for shift in (-0.15, 0.15):
                click(x + shift, y)
    session = window.session
    assert session.dataset.n_samples == 8
    assert session.dataset.y.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    qtbot.keyClick(panel.plot, Qt.Key.Key_Escape)
    trained_to(session, qtbot, 1.0, optimizer="adam", learning_rate=0.05)
    qtbot.waitUntil(lambda: panel.caption == "accuracy 100 %")
    assert panel.caption_tip.startswith("8 of 8 samples ")
