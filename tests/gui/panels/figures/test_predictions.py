import numpy as np
import pytest
from PySide6.QtCore import Qt

from datasets import DATASETS
from engine.experiment.snapshot_network import SampleFigures
from engine.network import LOSSES, encode
from gui.panels.figures.predictions import RIGHT, WRONG, PredictionsPanel
from gui.session import Change
from gui.session.choices import ConfusionCell


def cell(panel, row, column):
    return panel.table.data(panel.table.index(row, column))


def test_the_table_lists_samples_and_fills_with_predictions(qtbot, session, shown):
    panel = shown(PredictionsPanel)
    assert panel.table.rowCount() == 100
    assert cell(panel, 0, 0) == f"{session.dataset.X[0, 0]:.2f}"
    qtbot.waitUntil(lambda: panel.step == 0)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    assert cell(panel, 0, 3) == f"{session.newest.outputs[0, 0]:+.4f}".replace("-", "−")


@pytest.mark.slow
def test_wrong_ones_are_marked_as_often_as_the_accuracy_says(qtbot, session, shown):
    panel = shown(PredictionsPanel)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    wrong = sum(cell(panel, row, 4) == WRONG for row in range(100))
    assert wrong == round(100 * (1 - session.newest.snapshot.accuracy))


@pytest.mark.slow
def test_several_classes_show_the_winner_and_its_probability(qtbot, session, shown):
    panel = shown(PredictionsPanel)
    session.edit("data", data={"name": "spiral3", "n_samples": 300})
    assert panel.caption == "300 samples"
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    shares = session.newest.outputs[0]
    assert f"{shares.argmax()} {shares.max():.0%}" in cell(panel, 0, 3)


def test_the_header_names_inputs(session, shown):
    panel = shown(PredictionsPanel)
    names = [panel.table.headerData(column, Qt.Orientation.Horizontal) for column in range(5)]
    assert names == ["x1", "x2", "target", "prediction", ""]
    session.edit("standardise", data={"scaling": True})
    assert panel.table.headerData(0, Qt.Orientation.Horizontal) == "x1" and panel.scaled.isVisible()
    assert "x1, standardised" in panel.table.headerData(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)


def test_all_columns_of_a_narrow_panel_are_seen_whole(shown, qtbot):
    panel = shown(PredictionsPanel, width=240)
    view = panel.view
    qtbot.waitUntil(lambda: view.horizontalScrollBar().maximum() == 0)
    widest = view.fontMetrics().horizontalAdvance("-0.34")
    assert all(view.columnWidth(column) >= widest + 6 for column in range(2))


def with_data(session, name, loss, layers=(2, 4, 1)):
    entry = DATASETS[name]
    data = {"name": name, "n_samples": entry.n_samples, "noise": entry.noise}
    assert session.edit("data", data=data, network={"layer_sizes": layers}, training={"loss": loss})


@pytest.mark.parametrize(("name", "n_inputs"), [("curve", 1), ("surface", 2)])
def test_all_numbers_of_a_regression_are_seen_whole_in_a_narrow_panel(session, shown, name, n_inputs):
    with_data(session, name, "mean_squared_error", (n_inputs, 4, 1))
    panel = shown(PredictionsPanel, width=316)
    widest = panel.view.fontMetrics().horizontalAdvance("−0.4460")
    assert all(panel.view.columnWidth(n_inputs + number) >= widest + 6 for number in range(3))
    widest = panel.view.fontMetrics().horizontalAdvance("−0.34")
    assert all(panel.view.columnWidth(number) >= widest + 6 for number in range(n_inputs))


def column(panel, number):
    return [cell(panel, row, number) for row in range(panel.table.rowCount())]


@pytest.mark.parametrize(
    ("name", "loss", "layers", "targets"),
    [
        ("tutorial", "sum_squared_error", (3, 4, 1), ["1", "−1", "−1", "1"]),
        ("xor", "sum_squared_error", (2, 4, 1), ["0", "1", "1", "0"]),
        ("xor", "hinge", (2, 4, 1), ["0 (−1)", "1", "1", "0 (−1)"]),
        ("tutorial", "binary_cross_entropy", (3, 4, 1), ["1", "−1 (0)", "−1 (0)", "1"]),
    ],
)
def test_targets_are_the_numbers_trained_on_beside_the_predictions(qtbot, session, shown, name, loss, layers, targets):
    with_data(session, name, loss, layers)
    panel = shown(PredictionsPanel)
    n_features = layers[0]
    assert column(panel, n_features) == targets
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    shown_numbers = [float(text.replace("−", "-")) for text in column(panel, n_features + 1)]
    np.testing.assert_allclose(shown_numbers, session.newest.outputs[:, 0], atol=5e-5)


@pytest.mark.parametrize("loss", ["mean_squared_error", "hinge", "binary_cross_entropy", "huber"])
def test_the_wrong_ones_are_those_that_the_accuracy_counts(qtbot, session, shown, loss):
    """The outputs of binary cross-entropy are shown as probabilities: there the decision lies at 0.5, not at 0."""
    with_data(session, "moons", loss)
    panel = shown(PredictionsPanel)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    wrong = column(panel, 4).count(WRONG)
    assert wrong == round(100 * (1 - session.newest.snapshot.accuracy))


def test_names_of_classes_stand_where_there_are_some(session, shown):
    with_data(session, "yin_yang", "softmax_cross_entropy", (2, 4, 3))
    panel = shown(PredictionsPanel)
    assert set(column(panel, 2)) == {"yin", "yang", "dot"}
    tip = panel.table.data(panel.table.index(0, 2), Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("sample 1: target ") and sorted(tip.removeprefix("sample 1: target ").split(", ")) == [
        "0.0", "0.0", "1.0",
    ]  # fmt: skip


def test_samples_are_counted_from_1(session, shown):
    panel = shown(PredictionsPanel, width=340)
    assert panel.view.verticalHeader().isVisible()
    assert panel.table.headerData(0, Qt.Orientation.Vertical) == 1
    assert panel.table.data(panel.table.index(0, 0), Qt.ItemDataRole.ToolTipRole).startswith("sample 1: x1 = ")
    panel.resize(240, 300)
    assert not panel.view.verticalHeader().isVisible()


def test_the_headers_say_what_the_numbers_mean(session, shown):
    panel = shown(PredictionsPanel)
    tip = Qt.ItemDataRole.ToolTipRole
    assert "above 0 it means 1" in panel.table.headerData(3, Qt.Orientation.Horizontal, tip)
    session.edit("loss", training={"loss": "binary_cross_entropy"})
    words = panel.table.headerData(3, Qt.Orientation.Horizontal, tip)
    assert words == "The probability of the second class: above 0.5 it means 1."
    assert "0 and 1" in panel.table.headerData(2, Qt.Orientation.Horizontal, tip)


@pytest.mark.parametrize("number", [np.nan, np.inf, -1.2e141, 1e-300])
def test_any_prediction_has_a_text(session, shown, number):
    panel = shown(PredictionsPanel)
    outputs = np.full((100, 1), number)
    panel.table.show_figures(SampleFigures(1, encode(LOSSES["hinge"], session.dataset.y, 1), outputs, outputs))
    assert len(cell(panel, 0, 3)) <= 12
    assert not panel.grab().isNull()


@pytest.mark.slow
def test_a_hidden_table_is_not_renewed(qtbot, session, shown):
    panel = shown(PredictionsPanel)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    panel.hide()
    renewed = []
    panel.table.dataChanged.connect(lambda *_: renewed.append(1))
    session.changed.emit(Change({"moment"}))
    assert renewed == []
    panel.show()
    qtbot.waitUntil(lambda: renewed == [1])


@pytest.mark.slow
def test_long_names_of_classes_are_seen_with_their_probability(qtbot, session, shown):
    with_data(session, "yin_yang", "softmax_cross_entropy", (2, 4, 3))
    panel = shown(PredictionsPanel, width=240)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    texts = column(panel, 3)
    shares = session.newest.outputs
    assert texts[0].endswith(f" {shares[0].max():.0%}")
    widest = max(map(panel.view.fontMetrics().horizontalAdvance, texts))
    assert panel.view.columnWidth(3) >= widest + 6
    assert panel.view.horizontalScrollBar().maximum() == 0


def test_a_click_on_a_column_sorts_by_it_and_the_samples_keep_their_numbers(qtbot, session, shown):
    panel = shown(PredictionsPanel)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    panel.view.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    outputs = session.newest.outputs[:, 0]
    assert panel.table.rows.tolist() == np.argsort(-outputs, kind="stable").tolist()
    assert column(panel, 3)[0] == f"{outputs.max():+.4f}"
    assert panel.table.headerData(0, Qt.Orientation.Vertical) == int(outputs.argmax()) + 1
    panel.view.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
    assert panel.table.rows.tolist() == list(range(100))


@pytest.mark.slow
def test_the_table_as_data_has_the_listed_samples_with_all_digits(qtbot, session, shown):
    panel = shown(PredictionsPanel)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    panel.only_wrong.click()
    data = dict(panel.figure_data())
    rows = data["sample"] - 1
    assert data["x1"].tolist() == session.dataset.X[rows, 0].tolist()
    np.testing.assert_allclose(data["output"], session.newest.outputs[rows, 0], rtol=1e-12)
    assert set(data["wrong"]) == {1}


@pytest.mark.slow
def test_only_the_wrong_ones_are_listed_when_that_is_asked_for(qtbot, session, shown):
    panel = shown(PredictionsPanel)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    panel.only_wrong.click()
    n_wrong = round(100 * (1 - session.newest.snapshot.accuracy))
    assert set(column(panel, 4)) == {WRONG} and panel.table.rowCount() == n_wrong
    assert panel.caption == f"{n_wrong} of 100 samples"


@pytest.mark.slow
def test_what_is_right_has_a_mark_of_its_own_and_colour_is_not_all(qtbot, session, shown):
    panel = shown(PredictionsPanel)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    assert set(column(panel, 4)) == {WRONG, RIGHT}


@pytest.mark.slow
def test_a_regression_shows_how_far_each_output_misses(qtbot, session, shown):
    with_data(session, "curve", "mean_squared_error", (1, 4, 1))
    panel = shown(PredictionsPanel)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    assert panel.table.headerData(3, Qt.Orientation.Horizontal) == "residual"
    residual = session.dataset.y[0] - session.newest.outputs[0, 0]
    assert float(column(panel, 3)[0].replace("−", "-")) == pytest.approx(residual, abs=5e-5)
    panel.view.sortByColumn(3, Qt.SortOrder.DescendingOrder)
    worst = np.abs(session.dataset.y[:200] - session.newest.outputs[:, 0]).argmax()
    assert panel.table.rows[0] == worst


@pytest.mark.slow
def test_a_click_on_a_sample_puts_it_on_the_canvas_and_its_row_is_marked(qtbot, session, shown):
    panel = shown(PredictionsPanel)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    assert panel.line.isHidden()
    panel.view.clicked.emit(panel.table.index(7, 0))
    view = session.document.view
    assert (view.shows, view.sample) == ("network", 7)
    assert panel.table.data(panel.table.index(7, 0), Qt.ItemDataRole.BackgroundRole) is not None
    assert panel.table.data(panel.table.index(6, 0), Qt.ItemDataRole.BackgroundRole) is None
    assert panel.line.text().startswith(f"Sample 8 is on the canvas: {cell(panel, 7, 3).replace('-', '−')}")


def test_a_wrong_sample_is_explained_in_the_window(make_window, qtbot):
    window = make_window()
    session = window.session
    window.show_workspace("train")
    panel = window.docks["PredictionsPanel"].panel
    window.show_panel("PredictionsPanel")
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    wrong = column(panel, 4).index(WRONG)
    panel.view.clicked.emit(panel.table.index(wrong, 0))
    assert "Why is it wrong?" in panel.line.text()
    panel.line.linkActivated.emit("why")
    assert window.workspace == "understand"
    presenter = session.presenter
    assert presenter.value(session.selection) is presenter.graph_view.root
    assert presenter.sample.rows == (wrong,)
    qtbot.waitUntil(lambda: window.docks["ExplainPanel"].panel.is_seen)


@pytest.mark.slow
def test_samples_that_only_test_are_listed_and_stay_off_the_canvas(qtbot, session, shown):
    assert session.edit("split", data={"test_share": 0.3}, training={"loss": "hinge"})
    panel = shown(PredictionsPanel, width=500)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    panel.kinds.buttons[1].click()
    assert panel.caption == "30 samples"
    wrong = column(panel, 4).count(WRONG)
    assert wrong == round(30 * (1 - session.newest.snapshot.test_accuracy))
    told = []
    session.message_posted.connect(lambda text, _kind: told.append(text))
    panel.view.clicked.emit(panel.table.index(0, 0))
    assert session.document.view.shows == "expression"
    assert len(told) == 1 and "Sample 1 is a test sample" in told[0]


@pytest.mark.slow
def test_a_cell_of_the_confusion_matrix_lists_its_samples(qtbot, session, shown):
    assert session.edit("split", data={"test_share": 0.3}, training={"loss": "hinge"})
    panel = shown(PredictionsPanel, width=500)
    session.train("step")
    qtbot.waitUntil(lambda: panel.step == 1)
    session.samples.choose(ConfusionCell(True, actual=0, decided=1))
    qtbot.waitUntil(lambda: panel.cell.isVisible())
    assert panel.kinds.is_test
    assert all(text == WRONG for text in column(panel, 4))
    assert set(panel.table.rows) <= set(np.flatnonzero(session.data.test.classes == 0))
    panel.cell.click()
    assert session.samples.cell is None and panel.table.rowCount() == 30


@pytest.mark.parametrize("width", [240, 316])
@pytest.mark.parametrize("data", [{}, {"name": "curve"}])
def test_predictions_of_a_network_that_diverged_are_seen_whole(qtbot, session, shown, width, data):
    layers = {"layer_sizes": (1 if data else 2, 4, 1), "activations": ("tanh",)}
    assert session.edit("settings", data=data, network=layers, training={"learning_rate": 5.0})
    panel = shown(PredictionsPanel, width=width)
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.diverged_at is not None)
    qtbot.waitUntil(lambda: "e+" in str(cell(panel, 0, panel.table.columnCount() - 2)))
    last = panel.table.columnCount() - 1
    for number in range(last - 1, last + 1):
        widest = max(map(panel.view.fontMetrics().horizontalAdvance, column(panel, number)))
        assert panel.view.columnWidth(number) >= widest + 6
