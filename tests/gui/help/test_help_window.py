"""The help in the window: the "?" of every panel, search, links, back and forward."""

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QApplication

from gui.arrangement import PANELS
from gui.help.help_window import HelpWindow, open_help


@pytest.fixture
def window(reused_window):
    return reused_window


def help_of(window):
    return window.findChild(HelpWindow)


@pytest.mark.parametrize("name", [name for name, entry in PANELS.items() if entry.has_title])
def test_the_question_mark_of_a_panel_opens_its_page(window, qtbot, name):
    window.show_panel(name)
    dock = window.docks[name]
    assert dock.help_button.accessibleName() == f"help on {PANELS[name].title}"
    dock.help_button.click()
    assert help_of(window).page.name == f"panels/{name}"
    help_of(window).close()
    dock.close() if dock.isFloating() else None
    qtbot.waitUntil(lambda: help_of(window) is None)


def test_the_question_mark_of_the_graph_opens_its_page(window):
    window.graph_panel.header.help_button.click()
    assert help_of(window).page.title == "Graph"


def test_help_on_this_panel_is_about_the_one_with_the_keyboard(window, qtbot):
    editor = window.docks["ExpressionPanel"].panel.editor
    window.activateWindow()
    editor.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is editor)
    window.action("panel help").trigger()
    assert help_of(window).page.title == "Program"
    help_of(window).close()


def test_back_and_forward_go_through_the_pages_that_were_shown(window, qtbot):
    help = open_help(window)
    assert not help.back.isEnabled()
    help.follow_link("guide/graph.md")
    help.follow_link("../panels/LensPanel.md")
    help.browser.verticalScrollBar().setValue(5)
    qtbot.keyClick(help, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert help.page.name == "guide/graph"
    help.back.click()
    assert help.page.name == "index" and not help.back.isEnabled()
    help.forward.click()
    help.forward.click()
    assert help.page.name == "panels/LensPanel" and not help.forward.isEnabled()
    help.go(-1)
    help.show_page("guide/export")
    assert not help.forward.isEnabled()


def test_links_show_panels_and_do_actions(window):
    help = open_help(window)
    help.follow_link("panel:LensPanel")
    assert not window.docks["LensPanel"].visibleRegion().isEmpty()
    help.follow_link("action:workspace understand")
    assert window.workspace == "understand"
    help.follow_link("reference:optimizers#adam")
    assert help.page.title == "Optimizers"
    window.show_workspace("train")
    help.browser.anchorClicked.emit(QUrl("action:workspace%20understand"))
    assert window.workspace == "understand"


def test_a_search_lists_pages_marks_words_and_return_opens_the_first(window, qtbot):
    help = open_help(window)
    everything = help.contents.topLevelItemCount()
    qtbot.keyClicks(help.field, "round-off")
    assert help.found.text().endswith("found")
    qtbot.keyClick(help.field, Qt.Key.Key_Return)
    assert help.page.name == "panels/NudgePanel"
    assert help.browser.extraSelections()
    assert help.isVisible()
    help.field.setText("zebra")
    assert "Nothing" in help.found.text() and help.contents.topLevelItemCount() == 0
    help.field.clear()
    assert help.contents.topLevelItemCount() == everything


def test_a_page_that_a_search_has_found_is_scrolled_to_the_first_mark(window, qtbot):
    help = open_help(window)
    help.resize(700, 400)
    help.show()
    help.field.setText("spirals")
    help.show_page("reference/datasets")
    place = help.browser.verticalScrollBar().value()
    assert place > 0
    window.apply_theme("dark")
    assert help.browser.verticalScrollBar().value() == place
    help.show_page("guide/graph")
    help.go(-1)
    assert help.browser.verticalScrollBar().value() == place


def test_arrow_keys_walk_through_the_results_while_the_field_keeps_the_keyboard(window, qtbot):
    help = open_help(window)
    help.activateWindow()
    help.field.setFocus()
    qtbot.waitUntil(help.field.hasFocus)
    qtbot.keyClicks(help.field, "chain rule")
    results = [help.contents.topLevelItem(row).text(0) for row in range(help.contents.topLevelItemCount())]
    shown = []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up):
        qtbot.keyClick(help.field, key)
        shown.append(help.page.title)
    assert shown == [results[0], results[1], results[0]] and help.field.hasFocus()


def test_a_page_is_scrolled_to_where_the_searched_words_stand_together(window):
    help = open_help(window)
    help.field.setText("chain rule")
    help.show_page("reference/operations")
    text = help.browser.toPlainText().lower()
    assert "rule" in text[: text.index("chain rule")]
    assert help.browser.textCursor().position() == text.index("chain rule")


def test_escape_closes_the_help_and_a_second_request_uses_the_same_window(window, qtbot):
    help = open_help(window)
    assert open_help(window, "reference/shortcuts") is help
    qtbot.keyClick(help, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: help_of(window) is None)


def test_the_page_follows_another_theme_and_every_control_is_named(window):
    help = open_help(window)
    help.show_page("panels/NudgePanel")
    window.apply_theme("dark")
    assert help.page.title == "Nudge" and "What to try" in help.browser.toPlainText()
    for part in (help.field, help.contents, help.browser, help.back, help.forward):
        assert part.accessibleName()
