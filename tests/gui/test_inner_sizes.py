"""Columns and splitters that the user has dragged stay so, in the window and over starts."""

import json

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QHeaderView, QTableWidget

from gui.inner_sizes import SETTING, Found, parsed
from gui.theme import set_text_size
from gui.widgets.column_widths import ColumnWidths
from gui.widgets.splitter import Splitter

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def settings(tmp_path):
    return QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)


def drag_column(header, column, pixels):
    """Drag the right edge of a column."""
    edge = QPoint(header.sectionViewportPosition(column) + header.sectionSize(column) - 1, header.height() // 2)
    area = header.viewport()
    QTest.mouseMove(area, edge)
    QTest.mousePress(area, LEFT, pos=edge)
    QTest.mouseMove(area, edge + QPoint(pixels // 2, 0))
    QTest.mouseMove(area, edge + QPoint(pixels, 0))
    QTest.mouseRelease(area, LEFT, pos=edge + QPoint(pixels, 0))
    QTest.qWait(0)


@pytest.fixture
def header(qtbot):
    table = QTableWidget(2, 4)
    qtbot.addWidget(table)
    table.resize(700, 200)
    table.show()
    yield table.horizontalHeader()


def test_a_dragged_column_keeps_its_width_while_the_others_are_fitted(header):
    widths = ColumnWidths(header)
    drag_column(header, 1, 60)
    dragged = header.sectionSize(1)
    assert dragged == 160 and list(widths.widths) == [1]
    for column in range(4):
        header.resizeSection(column, 80)
    assert [header.sectionSize(column) for column in range(4)] == [80, dragged, 80, 80]
    widths.reset()
    assert header.sectionSize(1) == 80


def test_a_column_fitted_by_a_double_click_follows_its_content_again(header):
    widths = ColumnWidths(header)
    drag_column(header, 1, 60)
    header.sectionHandleDoubleClicked.emit(1)
    assert not widths.widths
    header.resizeSection(1, 90)
    assert header.sectionSize(1) == 90


def test_columns_that_fit_themselves_are_left_alone(header):
    header.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
    widths = ColumnWidths(header)
    widths.restore(4, {1: 222.0, 2: 150.0}, None)
    assert [header.sectionSize(column) for column in (1, 2)] == [100, 150]


def test_choices_wait_for_their_number_of_columns(header, qtbot):
    widths = ColumnWidths(header)
    widths.restore(5, {4: 170.0}, None)
    assert widths.chosen == (5, {4: 170.0}, None)
    header.parent().setColumnCount(5)
    qtbot.waitUntil(lambda: header.sectionSize(4) == 170)


def test_a_splitter_keeps_the_shares_of_the_user_for_each_orientation(qtbot):
    splitter = Splitter("parts", Qt.Orientation.Horizontal)
    qtbot.addWidget(splitter)
    for _part in range(2):
        splitter.addWidget(QTableWidget())
    splitter.resize(600, 300)
    splitter.set_sizes([300, 300])
    splitter.show()
    splitter.moveSplitter(150, 1)
    splitter.splitterMoved.emit(150, 1)
    splitter.set_sizes([300, 300])
    assert splitter.sizes()[0] == pytest.approx(150, abs=4)
    splitter.resize(1200, 300)
    assert splitter.sizes()[0] == pytest.approx(300, abs=6)
    splitter.set_orientation(Qt.Orientation.Vertical)
    splitter.set_sizes([150, 150])
    assert splitter.sizes()[0] == pytest.approx(150, abs=6)
    splitter.set_orientation(Qt.Orientation.Horizontal)
    splitter.reset()
    assert splitter.sizes()[0] == pytest.approx(600, abs=6)


def open_operations(window, qtbot):
    window.show_panel("OperationsPanel")
    panel = window.docks["OperationsPanel"].panel
    qtbot.waitUntil(lambda: panel.table.rowCount() > 0 and panel.table.horizontalHeader().isVisible())
    return panel


def open_optimizer(window, qtbot):
    """Show the table of the optimizer, and return its header once it has columns."""
    window.show_panel("OptimizerPanel")
    header = window.docks["OptimizerPanel"].panel.plot.horizontalHeader()
    qtbot.waitUntil(lambda: header.count() > 1)
    return header


@pytest.mark.slow
def test_a_window_finds_columns_order_and_splitters_as_they_were_left(make_window, settings, qtbot):
    window = make_window(settings=settings)
    panel = open_operations(window, qtbot)
    header = panel.table.horizontalHeader()
    drag_column(header, 1, 40)
    width = header.sectionSize(1)
    shares = {Qt.Orientation.Horizontal: [0.4, 0.6], Qt.Orientation.Vertical: [0.3, 0.7]}
    panel.splitter.shares = shares
    open_optimizer(window, qtbot).setSortIndicator(1, Qt.SortOrder.DescendingOrder)
    window.close()

    again = make_window(settings=settings)
    panel = open_operations(again, qtbot)
    order = open_optimizer(again, qtbot)
    qtbot.waitUntil(lambda: order.sortIndicatorSection() >= 0)
    assert panel.table.columnWidth(1) == width
    assert panel.splitter.shares == shares
    assert (order.sortIndicatorSection(), order.sortIndicatorOrder()) == (1, Qt.SortOrder.DescendingOrder)
    again.arrange()
    assert panel.table.columnWidth(1) == width - 40 and not panel.splitter.shares
    assert order.sortIndicatorSection() == -1
    again.close()
    assert not settings.contains(SETTING.format(panel="OperationsPanel"))


@pytest.mark.slow
def test_what_was_left_stays_when_the_panel_is_not_opened(make_window, settings):
    key = SETTING.format(panel="OperationsPanel")
    kept = json.dumps({"tables": {"all operations": {"columns": 7, "widths": {"1": 171.0}}}, "splitters": {}})
    settings.setValue(key, kept)
    window = make_window(settings=settings)
    assert not window.docks["OperationsPanel"].is_made
    window.close()
    assert settings.value(key) == kept


@pytest.mark.parametrize(
    "text",
    ["", "rubbish", "[]", "null", '{"tables": {}}', '{"tables": {"a": {"columns": 7}}, "splitters": {}}',
     '{"tables": {"a": {"columns": 7, "widths": {"x": 1}}}, "splitters": {}}',
     '{"tables": {"a": {"columns": 7, "widths": {}, "sorting": [1, "up"]}}, "splitters": {}}',
     '{"tables": {}, "splitters": {"a": {"horizontal": []}}}',
     '{"tables": {}, "splitters": {"a": {"horizontal": [-1, 2]}}}',
     '{"tables": {}, "splitters": {"a": {"horizontal": [NaN, 0.5]}}}'],
)  # fmt: skip
def test_damaged_settings_are_ignored(text):
    assert parsed(text) == Found()


def test_widths_are_kept_in_the_designed_size_of_text(header):
    widths = ColumnWidths(header)
    drag_column(header, 1, 60)
    set_text_size(150)
    try:
        header.resizeSection(1, 90)
        assert header.sectionSize(1) == 240 and widths.widths[1] == pytest.approx(160)
    finally:
        set_text_size(100)
