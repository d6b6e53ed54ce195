"""Confusion and residuals at the viewed moment, against counting sample by sample."""

import math
import re

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest

import gui.panels.moment_panel
from engine.experiment.assemble import make_model
from gui.panels.figures.confusion import COUNT_PIXELS, ConfusionPanel, share_text
from gui.panels.figures.residuals import ResidualsPanel
from gui.session.choices import ConfusionCell
from gui.theme import mono_font

TWO = {"data": {"name": "moons", "test_share": 0.3}, "training": {"loss": "binary_cross_entropy"}}
THREE = {
    "data": {"name": "yin_yang", "n_samples": 120, "test_share": 0.25},
    "network": {"layer_sizes": (2, 5, 3)},
    "training": {"loss": "softmax_cross_entropy"},
}
CURVE = {
    "data": {"name": "curve", "test_share": 0.3},
    "network": {"layer_sizes": (1, 4, 1)},
    "training": {"loss": "mean_squared_error"},
}


@pytest.fixture
def trained(session, shown, qtbot):
    """Makes a panel on a session that has made three steps."""

    def make(kind, edit):
        assert session.edit("setting", **edit)
        panel = shown(kind, width=460, height=360)
        for step in range(1, 4):
            session.train("step")
            qtbot.waitUntil(lambda step=step: panel.figures is not None and panel.figures[0].step == step)
        return panel

    return make


def click(panel, across, up):
    """Clicks on a place of the matrix, in columns and rows."""
    place = panel.plot.mapFromScene(panel.plot.box.mapViewToScene(QPointF(across, up)))
    QTest.mouseClick(panel.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)


def counted_by_hand(session, dataset, threshold=0.0):
    """The confusion matrix, by asking the network of single numbers about each sample."""
    model = make_model(session.current_document())
    counts = [[0] * dataset.n_classes for _ in range(dataset.n_classes)]
    for x, actual in zip(dataset.X, dataset.classes, strict=True):
        outputs = [value.data for value in np.ravel(model(list(x)))]
        decided = int(np.argmax(outputs)) if len(outputs) > 1 else int(outputs[0] > threshold)
        counts[int(actual)][decided] += 1
    return counts


@pytest.mark.slow
@pytest.mark.parametrize("edit", [TWO, THREE])
def test_the_matrix_counts_the_samples_of_each_class_by_what_is_decided(session, trained, edit):
    panel = trained(ConfusionPanel, edit)
    for is_test, dataset in enumerate((session.data.train, session.data.test)):
        counts = counted_by_hand(session, dataset)
        assert panel.figures[is_test].confusion.tolist() == counts
        data = dict(panel.figure_data())
        assert data[f"{('train', 'test')[is_test]} samples"].tolist() == np.ravel(counts).tolist()
    right = sum(counted_by_hand(session, session.data.train)[i][i] for i in range(session.dataset.n_classes))
    n_samples = session.dataset.n_samples
    assert panel.caption == f"{100 * right / n_samples:.1f} % of {n_samples} samples right"


@pytest.mark.slow
def test_a_click_on_a_cell_chooses_its_samples_and_another_click_all_of_them(session, trained):
    panel = trained(ConfusionPanel, THREE)
    panel.kinds.buttons[1].click()
    click(panel, 2.2, 0.9)
    assert session.samples.cell == ConfusionCell(True, actual=1, decided=2)
    assert "yang that are predicted to be dot" in panel.note.text()
    click(panel, 2.2, 0.9)
    assert session.samples.cell is None
    assert panel.plot.cell_at(QPointF(9.0, 0.0)) is None


@pytest.mark.slow
def test_other_data_leave_no_cell_chosen(session, trained):
    panel = trained(ConfusionPanel, THREE)
    click(panel, 0.0, 0.0)
    assert session.samples.cell is not None
    session.edit("data", **TWO)
    assert session.samples.cell is None


@pytest.mark.slow
def test_a_past_step_has_its_own_matrix(session, trained, qtbot):
    panel = trained(ConfusionPanel, THREE)
    session.training.view_step(0)
    qtbot.waitUntil(lambda: panel.figures[0].step == 0)
    first = make_model(session.document)
    outputs = [[v.data for v in first(list(x))] for x in session.dataset.X]
    right = sum(int(np.argmax(row)) == c for row, c in zip(outputs, session.dataset.classes, strict=True))
    assert np.trace(panel.figures[0].confusion) == right


@pytest.mark.slow
def test_an_untrained_network_has_a_matrix_too(session, shown, qtbot):
    assert session.edit("setting", **THREE)
    panel = shown(ConfusionPanel)
    qtbot.waitUntil(lambda: panel.figures is not None)
    assert panel.figures[0].confusion.sum() == 90


@pytest.mark.slow
def test_each_panel_says_which_one_is_for_the_data(session, shown):
    assert "Residuals shows" in (session.edit("curve", **CURVE) and shown(ConfusionPanel).note.text())
    assert "Confusion shows" in (session.edit("moons", **TWO | {"network": {"layer_sizes": (2, 4, 1)}})
                                 and shown(ResidualsPanel).note.text())  # fmt: skip


@pytest.mark.slow
def test_a_figure_that_cannot_be_worked_out_says_so(session, shown, qtbot, monkeypatch):
    def fail(_network):
        raise MemoryError("no memory is left")

    assert session.edit("setting", **CURVE)
    panel = shown(ResidualsPanel)
    monkeypatch.setattr(gui.panels.moment_panel, "sample_figures", fail)
    panel.ask()
    qtbot.waitUntil(panel.note.isVisible)
    assert panel.note.text() == "This could not be worked out: no memory is left."


def test_residuals_are_target_minus_output_and_r_squared_follows_from_them(session, trained):
    panel = trained(ResidualsPanel, CURVE)
    model = make_model(session.current_document())
    data = dict(panel.figure_data())
    for kind, dataset in (("train", session.data.train), ("test", session.data.test)):
        expected = [y - model(list(x)).data for x, y in zip(dataset.X, dataset.y, strict=True)]
        assert data[f"{kind} residual"] == pytest.approx(expected)
        assert data[f"{kind} target"].tolist() == dataset.y.tolist()
    y, residuals = session.data.train.y, data["train residual"]
    r_squared = 1 - sum(r * r for r in residuals) / sum((t - math.fsum(y) / len(y)) ** 2 for t in y)
    assert panel.figures[0].r_squared == pytest.approx(r_squared)
    assert panel.caption.startswith(f"R² {r_squared:.4f}")
    rms = math.sqrt(math.fsum(r * r for r in residuals) / len(residuals))
    assert f"train: RMS {rms:.4f}" in panel.legend.text()


@pytest.mark.slow
def test_outputs_that_are_no_numbers_are_told_and_drawn_without_a_warning(session, trained, qtbot):
    panel = trained(ResidualsPanel, CURVE)
    session.edit("wild", training={"learning_rate": 1e9}, network={"layer_sizes": (1, 1)})
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.state == "failed")
    qtbot.waitUntil(lambda: panel.figures is not None and panel.figures[0].step == session.shown.snapshot.step)
    assert not panel.grab().isNull()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "rows", "form"),
    [(12, 2.4, r"(✓ )?\d+\n\d+ %"), (14, 1.4, r"(✓ )?\d+ · \d+ %"), (5, 1.4, r"(✓ )?\d+")],
    ids=["a line for the share", "both on one line", "the number alone"],
)
def test_the_numbers_of_a_cell_are_written_as_the_cell_has_room(qtbot, trained, columns, rows, form):
    panel = trained(ConfusionPanel, THREE)
    metrics = QFontMetricsF(mono_font(COUNT_PIXELS))
    wanted = metrics.horizontalAdvance("0") * columns, metrics.height() * rows
    texts = [item for item in panel.plot.plotItem.items if hasattr(item, "toPlainText")]

    def each_cell_has_the_room():
        missing = [3 * (size - now) for size, now in zip(wanted, panel.plot.room(), strict=True)]
        panel.resize(panel.width() + round(missing[0]), panel.height() + round(missing[1]))
        return all(abs(size) < 6 for size in missing)

    def cells_fit():
        written = [item.toPlainText() for item in texts if item.toPlainText().strip("✓ ") != "0"]
        return len(written) > 2 and all(re.fullmatch(form, text) for text in written)

    panel.plot.setMinimumHeight(1)
    panel.setMinimumSize(1, 1)
    qtbot.waitUntil(each_cell_has_the_room)
    qtbot.waitUntil(cells_fit)


@pytest.mark.parametrize(
    ("count", "of", "text"),
    [(0, 9, "0 %"), (6, 3000, "< 1 %"), (2994, 3000, "> 99 %"), (1, 3, "33 %"), (9, 9, "100 %")],
)
def test_no_cell_with_samples_has_0_percent_and_none_without_all_has_100(count, of, text):
    assert share_text(count / of) == text
