"""The table of all operations stands in the program: every row, its check, its plot."""

import numpy as np
import pytest

from engine.autograd import OPS, Op
from engine.teaching.readable import cases_of
from gui.panels.explanations.operations import COLUMNS, OperationsPanel


@pytest.fixture
def panel(shown):
    return shown(OperationsPanel, 1000, 400)


def cell(panel, name, column):
    return panel.table.item(list(OPS).index(name), COLUMNS.index(column)).text()


def test_every_operation_has_its_row_and_passes_its_check(panel, qtbot):
    assert panel.table.rowCount() == len(OPS)
    domain, corner = COLUMNS[4:6]
    assert cell(panel, "mul", "value") == "a·b" and cell(panel, "mul", "derivative") == "by a:  b\nby b:  a"
    assert cell(panel, "log", domain) == "x > 0" and cell(panel, "relu", corner) == "0 at x = 0"
    assert cell(panel, "sqrt", corner) == "∞ at x = 0"
    least, height = panel.table.rowHeight(list(OPS).index("mul")), panel.table.rowHeight(list(OPS).index("pow"))
    assert height > 2 * least / 1.5  # wrapped: nothing of a power is cut
    qtbot.waitUntil(lambda: panel.caption == f"✓ {len(OPS)} of {len(OPS)}")
    assert all(cell(panel, name, "check").startswith("✓") for name in OPS)


@pytest.mark.slow
def test_of_a_row_everything_that_the_table_says_is_told(panel, subtests):
    for row, (name, op) in enumerate(OPS.items()):
        with subtests.test(name):
            panel.table.setCurrentCell(row, 1)
            text = panel.page.plain_text()
            assert op.rule in text
            for formula in (op.value, *op.partials, *op.vjps):
                assert all(case.text in text for case in cases_of(formula))
            assert not any(sign in text.split("In simpler operations")[0] for sign in ("where(", "**", "=="))
            assert not op.kink or op.at_kink in text
            assert all(line in text for line in op.expansion.splitlines())


@pytest.mark.slow
def test_an_operation_of_one_number_is_plotted_with_its_derivative(panel):
    panel.table.setCurrentCell(list(OPS).index("sigmoid"), 1)
    x, y = panel.curve.getData()
    assert y == pytest.approx(1 / (1 + np.exp(-x))) and panel.slopes.getData()[1] == pytest.approx(y * (1 - y))
    assert panel.plot.isVisible()
    panel.table.setCurrentCell(list(OPS).index("matmul"), 1)
    assert not panel.plot.isVisible() and "No curve" in panel.page.plain_text()


@pytest.mark.slow
def test_an_operation_that_is_added_stands_there_too(panel, session, monkeypatch):
    monkeypatch.setitem(OPS, "cube", Op("cube", "x**3", ("3 * x**2",), rule="A cube multiplies by 3·x²."))
    session.edit("text", expression={"text": "a = 1.0\nb = a*a"})
    assert panel.table.item(panel.table.rowCount() - 1, 1).text() == "cube"
