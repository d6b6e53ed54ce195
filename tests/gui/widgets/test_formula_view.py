"""Typeset lines can be read, selected and copied as text, and very many are shown piece by piece."""

import pytest
from PySide6.QtGui import QAccessible, QTextCursor

from engine.language import evaluate
from engine.teaching import Explainer
from engine.teaching.explanation import formula, fraction, heading, plain
from gui.theme import DARK, LIGHT
from gui.widgets.formula_view import AT_ONCE, FormulaView

LINES = [heading("Why is w1.grad = ", "-1", "?"), formula(fraction("do", "dw1"), " = 2 / x1 ", number="= -1"),
         plain("A slope of -1.")]  # fmt: skip


@pytest.fixture
def view(qtbot):
    view = FormulaView("a page")
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    return view


def picture(view):
    return view.viewport().grab().toImage()


def test_the_text_of_a_page_is_that_of_its_lines(view):
    view.show_lines(LINES)
    assert view.plain_text() == "Why is w1.grad = -1?\ndo/dw1 = 2 / x1 = -1\nA slope of -1."
    assert QAccessible.queryAccessibleInterface(view).text(QAccessible.Text.Description) == view.plain_text()


def test_fractions_are_copied_as_they_are_written_on_one_line(view):
    view.show_lines(LINES)
    view.selectAll()
    copied = view.createMimeDataFromSelection().text()
    assert copied == view.plain_text().replace("-1", "−1")
    cursor = view.textCursor()
    cursor.setPosition(cursor.selectionStart())
    cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
    cursor.movePosition(QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor)
    assert view.plain_text_of(cursor) == "do/dw1"


def test_a_fraction_is_drawn_higher_than_its_text_and_in_the_theme_s_colour(view):
    view.show_lines([formula("do/dw1")])
    flat, before = view.document().size().height(), picture(view)
    view.show_lines([formula(fraction("do", "dw1"))])
    assert view.document().size().height() > flat + 8
    assert picture(view) != before
    light = picture(view)
    view.colors = DARK
    view.show_lines([formula(fraction("do", "dw1"))])
    assert picture(view) != light
    view.colors = LIGHT
    view.show_lines([formula(fraction("do", "dw1"))])
    assert picture(view) == light


@pytest.mark.long
def test_hundreds_of_lines_come_in_pieces_and_whole(view, qtbot):
    names = ", ".join(f"{i}.5, x" for i in range(300))
    result = evaluate(f"x = 0.5\nL = weighted_sum({names}, 0.0)")
    lines = Explainer(result.root).explain(result.names["x"]).lines
    view.show_lines(lines)
    assert view.document().blockCount() == AT_ONCE < len(lines)
    assert view.plain_text().count("from L: ") == 300
    qtbot.waitUntil(lambda: view.document().blockCount() == len(lines))
    view.show_lines(LINES)
    assert view.document().blockCount() == 3


def test_the_place_that_is_looked_at_stays(view, qtbot):
    lines = [plain(f"line {i}") for i in range(AT_ONCE)]
    view.show_lines(lines)
    view.verticalScrollBar().setValue(40)
    view.show_lines(lines)
    assert view.verticalScrollBar().value() == 40
