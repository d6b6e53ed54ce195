from PySide6.QtCore import Qt

from gui.panels.predictions import WRONG, PredictionsPanel


def cell(panel, row, column):
    return panel.table.data(panel.table.index(row, column))


def test_the_table_lists_samples_and_fills_with_predictions(qtbot, session, shown):
    panel = shown(PredictionsPanel)
    assert panel.table.rowCount() == 100
    assert cell(panel, 0, 0) == f"{session.dataset.X[0, 0]:.2f}"
    assert cell(panel, 0, 3) is None
    session.train("step")
    qtbot.waitUntil(lambda: cell(panel, 0, 3) is not None)
    assert cell(panel, 0, 3).removeprefix(f"{WRONG} ") == f"{session.progress.outputs[0, 0]:+.3f}"


def test_wrong_ones_are_marked_as_often_as_the_accuracy_says(qtbot, session, shown):
    panel = shown(PredictionsPanel)
    session.train("step")
    qtbot.waitUntil(lambda: cell(panel, 0, 3) is not None)
    wrong = sum(cell(panel, row, 3).startswith(WRONG) for row in range(100))
    assert wrong == round(100 * (1 - session.progress.accuracy))


def test_several_classes_show_the_winner_and_its_probability(qtbot, session, shown):
    panel = shown(PredictionsPanel)
    session.edit("data", data={"name": "spiral3", "n_samples": 300})
    assert panel.caption == "first 200 of 300"
    session.train("step")
    qtbot.waitUntil(lambda: cell(panel, 0, 3) is not None)
    shares = session.progress.outputs[0]
    assert f"{shares.argmax()} ({shares.max():.2f})" in cell(panel, 0, 3)


def test_the_header_names_inputs(session, shown):
    panel = shown(PredictionsPanel)
    names = [panel.table.headerData(column, Qt.Orientation.Horizontal) for column in range(4)]
    assert names == ["x1", "x2", "target", "prediction"]


def test_all_columns_of_a_narrow_panel_are_seen_whole(shown):
    panel = shown(PredictionsPanel, width=240)
    view = panel.view
    assert view.horizontalScrollBar().maximum() == 0
    widest = view.fontMetrics().horizontalAdvance("-0.34")
    assert all(view.columnWidth(column) >= widest + 6 for column in range(2))
