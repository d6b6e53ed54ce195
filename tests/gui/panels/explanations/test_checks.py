import threading

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

import gui.panels.explanations.checks
from engine.autograd import iterate_checks
from gui.panels.explanations.checks import SENTENCES, ChecksPanel
from gui.theme import DARK, LIGHT


def check(panel, qtbot):
    panel.run()
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0)


def cell(panel, row, column, role=Qt.ItemDataRole.DisplayRole):
    return panel.model.data(panel.model.index(row, column), role)


@pytest.fixture
def held_check(monkeypatch):
    """A check that waits before its second row until the event is set."""
    go_on = threading.Event()

    def held(root):
        rows = iterate_checks(root)
        yield next(rows)
        go_on.wait(5)
        yield from rows

    monkeypatch.setattr(gui.panels.explanations.checks, "iterate_checks", held)
    yield go_on
    go_on.set()


def test_the_verdict_takes_one_line_of_a_low_panel(shown, qtbot):
    panel = shown(ChecksPanel, width=430, height=110)
    check(panel, qtbot)
    assert panel.verdict.height() < 2 * panel.verdict.fontMetrics().lineSpacing()
    assert panel.table.height() >= 50
    assert "agree" in panel.verdict.toolTip()


def test_the_column_of_digits_says_which_digits_it_counts(shown):
    tips = [
        shown(ChecksPanel, 700, 300).model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        for column in (4, 5)
    ]
    assert tips == [None, SENTENCES["digits tip"]]


def test_the_ticks_follow_the_theme(shown, qtbot):
    panel = shown(ChecksPanel)
    panel.set_colors(LIGHT)
    check(panel, qtbot)
    panel.set_colors(DARK)
    assert cell(panel, 0, 0, Qt.ItemDataRole.ForegroundRole).name().upper() == DARK.positive


@pytest.mark.slow
def test_the_columns_are_measured_by_the_first_rows_only(shown, qtbot, monkeypatch):
    asked, model = set(), gui.panels.explanations.checks.CheckTable
    data = model.data

    def noted(self, index, role=Qt.ItemDataRole.DisplayRole):
        asked.add(index.row())
        return data(self, index, role)

    monkeypatch.setattr(model, "data", noted)
    panel = shown(ChecksPanel)
    check(panel, qtbot)
    panel.model.show_checks(iterate_checks_of_many(panel))
    asked.clear()
    panel.table.setStyleSheet("QTableView { color: red; }")
    QApplication.processEvents()
    assert panel.model.rowCount() > 1000 and 0 < len(asked) <= 200


def iterate_checks_of_many(panel):
    """Rows of a check of 1,000 gradients."""
    return list(iterate_checks(panel.session.presenter.graph_view.root)) * 200


def cells(panel, column=0):
    return [cell(panel, row, column) for row in range(panel.model.rowCount())]


def test_the_rows_are_outdated_when_the_text_has_other_numbers(shown, qtbot, session):
    panel = shown(ChecksPanel)
    captions = []
    panel.caption_changed.connect(captions.append)
    check(panel, qtbot)
    before = cells(panel, 2)
    session.edit("text", expression={"text": session.document.expression.text.replace("-3.0", "-2.0")})
    qtbot.waitUntil(lambda: not panel.table.isEnabled())
    assert panel.verdict.text() == SENTENCES["changed"]
    assert captions[-1] == "outdated"
    assert cells(panel, 2) == before
    panel.run()
    qtbot.waitUntil(lambda: panel.table.isEnabled() and captions[-1] == "✓ all agree")
    assert cells(panel, 2) != before


def test_the_rows_are_gone_when_another_program_is_typed(shown, qtbot, session):
    panel = shown(ChecksPanel)
    check(panel, qtbot)
    session.edit("text", expression={"text": "u = 2.0\nv = u * u"})
    assert panel.model.rowCount() == 0 and panel.caption == ""
    qtbot.waitUntil(lambda: session.program.is_evaluated)
    assert panel.model.rowCount() == 0 and panel.verdict.text() == SENTENCES["other"]


@pytest.mark.slow
def test_a_cell_that_is_too_narrow_has_its_text_as_tool_tip(shown, qtbot):
    panel = shown(ChecksPanel)
    check(panel, qtbot)
    index = panel.model.index(0, 2)
    header = panel.table.horizontalHeader()
    header.setSectionResizeMode(header.ResizeMode.Interactive)
    place = {}
    for width in (20, 300):
        header.resizeSection(2, width)
        at = panel.table.visualRect(index).center()
        help_event = QHelpEvent(QEvent.Type.ToolTip, at, panel.table.viewport().mapToGlobal(at))
        QApplication.sendEvent(panel.table.viewport(), help_event)
        place[width] = QToolTip.text() if QToolTip.isVisible() else ""
        QToolTip.hideText()
        qtbot.waitUntil(lambda: not QToolTip.isVisible())
    assert cell(panel, 0, 2) in place[20] and place[300] == ""


@pytest.mark.slow
def test_a_training_step_outdates_the_check_of_the_network(shown, qtbot, session):
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: not session.presenter.busy and session.presenter.graph_view.root is not None)
    panel = shown(ChecksPanel)
    check(panel, qtbot)
    assert panel.table.isEnabled()
    session.train("step")
    qtbot.waitUntil(lambda: not panel.table.isEnabled())
    assert panel.verdict.text() == SENTENCES["changed"]


@pytest.mark.parametrize("hidden", [False, True])
def test_a_check_that_training_interrupts_says_so_and_shows_no_mixed_rows(shown, qtbot, session, held_check, hidden):
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: not session.presenter.busy and session.presenter.graph_view.root is not None)
    panel = shown(ChecksPanel)
    panel.run()
    if hidden:
        panel.hide()
    before = session.newest
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not before and session.newest is not None)
    held_check.set()
    qtbot.waitUntil(lambda: panel.verdict.text() == SENTENCES["interrupted"])
    assert panel.model.rowCount() == 0


def test_a_long_check_says_how_far_it_is_and_the_window_goes_on(shown, qtbot, held_check, monkeypatch):
    monkeypatch.setattr(gui.panels.explanations.checks, "REPORT_SECONDS", -1.0)
    panel = shown(ChecksPanel)
    panel.run()
    qtbot.waitUntil(lambda: panel.verdict.text() == "1 gradient compared so far …")
    held_check.set()
    qtbot.waitUntil(lambda: "agree" in panel.verdict.text())


def test_a_new_check_ends_the_one_under_way(shown, qtbot, held_check):
    panel = shown(ChecksPanel)
    panel.run()
    panel.run()
    held_check.set()
    qtbot.waitUntil(lambda: panel.caption == "✓ all agree")
    assert "compared so far" not in panel.verdict.text()


def test_a_check_that_fails_says_so(shown, qtbot, monkeypatch):
    def fail(_root):
        raise MemoryError("no memory is left")

    monkeypatch.setattr(gui.panels.explanations.checks, "iterate_checks", fail)
    panel = shown(ChecksPanel)
    panel.run()
    qtbot.waitUntil(lambda: panel.verdict.text() == "The check could not be made: no memory is left.")


def test_of_an_array_no_gradients_are_checked_and_the_graph_does_not_claim_any(shown, qtbot, session, caplog):
    session.edit("text", expression={"text": "x = Value([1.0, 2.0])\ny = x * x"})
    panel = shown(ChecksPanel)
    panel.run()
    qtbot.waitUntil(lambda: "y is an array of the shape 2: its sum() would be one" in panel.verdict.text())
    assert "no gradients" in session.presenter.words()
    assert not caplog.records


def test_an_empty_program_has_nothing_to_check(shown, session):
    session.edit("text", expression={"text": ""})
    panel = shown(ChecksPanel)
    panel.run()
    assert panel.verdict.text() == SENTENCES["empty"]


@pytest.mark.slow
def test_steps_of_the_walk_and_groups_leave_the_check_as_it_is(shown, qtbot, session):
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: not session.presenter.busy and session.presenter.graph_view.root is not None)
    panel = shown(ChecksPanel)
    check(panel, qtbot)
    session.presenter.set_position(3)
    session.presenter.groups.toggle("group:L1N1")
    qtbot.waitUntil(lambda: "L1N1.w1" in session.presenter.picture.boxes)
    assert panel.table.isEnabled()
    row = cells(panel, 1).index("L1N1.w1")
    panel.select_row(row)
    assert session.selection == "L1N1.w1"


@pytest.mark.slow
def test_a_hidden_panel_compares_when_it_is_seen(shown, qtbot, session, monkeypatch):
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: not session.presenter.busy and session.presenter.graph_view.root is not None)
    panel = shown(ChecksPanel)
    check(panel, qtbot)
    panel.hide()
    looked, compare = [], np.array_equal
    monkeypatch.setattr("gui.panels.explanations.checks.np.array_equal", lambda a, b: looked.append(1) or compare(a, b))
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 1)
    assert looked == []
    panel.show()
    assert looked
    assert not panel.table.isEnabled()


def test_what_is_undefined_is_called_so(shown, qtbot, session):
    session.edit("text", expression={"text": "a = 0.0\nb = log(a)\nc = b * 2\n"})
    panel = shown(ChecksPanel, width=700)
    check(panel, qtbot)
    numbers = {text for column in (2, 3, 4) for text in cells(panel, column)}
    assert "nan" not in numbers
    assert "undefined" in numbers
    for row, central in enumerate(cells(panel, 3)):
        if central == "undefined":
            assert cells(panel, 5)[row] == "–"
            assert cells(panel, 6)[row] != ""


def test_what_is_undefined_has_neither_tick_nor_digits(shown, qtbot):
    panel = shown(ChecksPanel)
    panel.session.edit("program", expression={"text": "x = 0.0\ny = sqrt(x)"})
    check(panel, qtbot)
    texts = [[cell(panel, row, column) for column in range(7)] for row in range(2)]
    assert texts[0] == ["–", "x", "∞", texts[0][3], "–", "–", "undefined: sqrt is defined for numbers from 0 up"]
    assert texts[1][0] == "✓"
    assert panel.verdict.toolTip().startswith("1 of 2 gradients agrees, 1 is undefined")
