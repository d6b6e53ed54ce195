"""Files dropped anywhere on the window are opened; text goes where text belongs."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from engine.document import Document
from engine.session_file import to_json
from gui.file_drops import drop_plan


@pytest.fixture
def window(reused_window):
    """Tests that close it make one of their own."""
    return reused_window


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "dropped.txt"
    path.write_text("dropped = 7.0\n", encoding="utf-8")
    return path


def drop(widget, data):
    """Drags over a widget and lets go there, as Qt delivers it; whether somebody took it."""
    place, nothing = QPoint(3, 3), Qt.KeyboardModifier.NoModifier
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(place, copy, data, left, nothing)
    QApplication.sendEvent(widget, enter)
    if not enter.isAccepted():
        return False
    QApplication.sendEvent(widget, QDropEvent(QPointF(place), copy, data, left, nothing))
    return True


def files(*paths):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def text_of(window):
    return window.session.document.expression.text


def test_a_file_dropped_on_the_editor_the_canvas_or_a_field_is_opened(window, program):
    editor = window.docks["ExpressionPanel"].panel.editor
    for widget in (editor.viewport(), window.graph_panel.canvas.viewport(), window.statusBar()):
        window.session.reset_document(type(window.session.document)())
        assert drop(widget, files(program))
        assert text_of(window) == "dropped = 7.0\n"


@pytest.mark.long
def test_no_widget_of_the_window_keeps_a_file_for_itself(make_window, qtbot, program):
    window = make_window()
    for dock in window.docks.values():
        assert dock.panel
    taken = []
    window.file_dropped.disconnect()
    window.file_dropped.connect(taken.append)
    widgets = [w for w in window.findChildren(QWidget) if w.window() is window and w.isEnabled()]
    for widget in widgets:
        assert drop(widget, files(program)), widget
    assert taken == [program] * len(widgets)


def test_unsaved_changes_are_asked_about_before_a_dropped_file_is_opened(window, qtbot, program):
    window.session.edit("text", expression={"text": "a = 1"})
    drop(window.graph_panel.canvas.viewport(), files(program))
    box = window.findChild(QMessageBox)
    assert text_of(window) == "a = 1"
    box.button(QMessageBox.StandardButton.Cancel).click()
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is None, timeout=2000)
    assert text_of(window) == "a = 1"


def test_text_is_still_dropped_into_the_editor_and_nowhere_else(window):
    data = QMimeData()
    data.setText("z = 1.0")
    editor = window.docks["ExpressionPanel"].panel.editor
    assert drop(editor.viewport(), data)
    assert "z = 1.0" in editor.toPlainText()
    assert not drop(window.graph_panel.canvas.viewport(), data)


def test_an_address_in_the_web_is_not_a_file(window):
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/a.gradstep")])
    assert not drop(window.graph_panel.canvas.viewport(), data)


def test_a_dropped_folder_is_refused_in_words_and_nothing_changes(window, tmp_path):
    before = window.session.document
    drop(window.graph_panel.canvas.viewport(), files(tmp_path))
    assert tmp_path.name in window.message.message
    assert window.session.document == before


def drag(window, data):
    """Drags over the window without letting go."""
    nothing, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(3, 3), copy, data, Qt.MouseButton.LeftButton, nothing))


@pytest.fixture
def things(tmp_path, program):
    """Things to drop, by their kind."""
    lessons, empty = tmp_path / "lessons", tmp_path / "empty"
    lessons.mkdir()
    empty.mkdir()
    (lessons / "one.md").write_text("no lesson yet")
    table, session = tmp_path / "points.csv", tmp_path / "mine.gradstep"
    table.write_text("x,y\n1,2\n")
    session.write_text(to_json(Document()))
    return {"lessons": lessons, "empty": empty, "program": program, "table": table, "session": session}


@pytest.mark.parametrize("kind", ["lessons", "empty", "program", "table", "session"])
def test_while_a_file_is_dragged_the_window_says_what_would_become_of_it(window, things, kind):
    plan = drop_plan([things[kind]])
    assert things[kind].name in plan.words and (plan.path is None) == (kind == "empty")
    assert len({drop_plan([path]).words.replace(path.name, "") for path in things.values()}) == len(things)
    drag(window, files(things[kind]))
    assert window.drop_overlay.isVisible() and window.drop_overlay.words == plan.words
    assert window.drop_overlay.size() == window.size()
    assert window.childAt(window.rect().center()) is not window.drop_overlay
    QApplication.sendEvent(window, QDragLeaveEvent())
    assert not window.drop_overlay.isVisible()


def test_of_several_files_the_first_that_can_be_opened_is_and_that_is_said(window, things):
    several = [things["empty"], things["program"], things["session"]]
    drop(window, files(*several))
    assert text_of(window) == "dropped = 7.0\n" and not window.drop_overlay.isVisible()
    assert "dropped.txt" in window.message.message and "3" in window.message.message


def test_text_and_web_addresses_show_no_overlay(window):
    data = QMimeData()
    data.setText("z = 1.0")
    drag(window, data)
    assert not window.drop_overlay.isVisible()


def test_a_name_with_control_characters_and_markup_is_shown_as_text(tmp_path):
    plan = drop_plan([tmp_path / "<b>\x1b[2J\n.gradstep", tmp_path / "b.gradstep"])
    assert plan.words.isprintable() and "<b>" in plan.words
