"""Files dropped anywhere on the window are opened; text goes where text belongs."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget


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
    told = []
    window.session.message_posted.connect(lambda text, kind: told.append((text, kind)))
    drop(window.graph_panel.canvas.viewport(), files(tmp_path))
    assert [kind for _, kind in told] == ["error"]
    assert window.session.document == before
