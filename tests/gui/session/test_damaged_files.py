"""Opening a file that is damaged, newer or foreign: what is in it is shown, and the open session stays."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox

from engine.document import Document, replace_section
from engine.session_file import to_json
from engine.session_file.format import VERSION
from gui.damaged_file import DamagedFileDialog
from tests.gui.session.saved_files import answer

PROGRAM = "a = 2.0\nb = a * a\nc = b + 1.0\n"
SESSION = replace_section(Document(), "expression", text=PROGRAM)
TEXT = to_json(replace_section(SESSION, "network", layer_sizes=(2, 3, 1)))
BAD_RATE = TEXT.replace('"learning_rate": 0.05', '"learning_rate": "fast"')


@pytest.fixture
def window(reused_window):
    yield reused_window
    QGuiApplication.clipboard().clear()


@pytest.fixture
def opened(window, qtbot, tmp_path):
    """Opens a file with this content, and returns the dialog on it."""

    def open_(content, name="notes.gradstep"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        window.files.open_path(path)
        qtbot.waitUntil(lambda: window.findChild(DamagedFileDialog) is not None)
        return window.findChild(DamagedFileDialog)

    return open_


def rows(tree):
    items = (tree.topLevelItem(row) for row in range(tree.topLevelItemCount()))
    return [[item.text(column) for column in range(tree.columnCount())] for item in items]


def test_one_bad_field_is_named_with_its_line_and_the_rest_can_be_opened(window, qtbot, opened):
    before = window.session.document
    dialog = opened(BAD_RATE)
    line = BAD_RATE[: BAD_RATE.index('"learning_rate"')].count("\n") + 1
    (problem,) = rows(dialog.problems)
    assert problem[0] == f"training.learning_rate, line {line}, column 5" and "0.05" in problem[1]
    assert {part[0]: part[2] for part in rows(dialog.parts)}["Network"] == "2-3-1, tanh"
    assert window.session.document == before and not window.session.modified
    dialog.open_button.click()
    qtbot.waitUntil(lambda: window.session.document.expression.text == PROGRAM)
    session = window.session
    assert session.document.network.layer_sizes == (2, 3, 1) and session.document.training.learning_rate == 0.05
    assert session.modified and session.path is None
    assert "training.learning_rate" in window.message.message
    session.discard_changes()


def test_a_file_that_is_cut_off_gives_its_program_back(window, qtbot, opened):
    dialog = opened(TEXT[: TEXT.index("c = b") + 3])
    dialog.copy_button.click()
    assert QGuiApplication.clipboard().text() == "a = 2.0\nb = a * a"
    assert rows(dialog.parts)[0][0] == "Program"
    dialog.text_button.click()
    assert dialog.text.isVisible() and "b = a * a" in dialog.text.toPlainText()
    dialog.reject()
    qtbot.waitUntil(lambda: window.findChild(DamagedFileDialog) is None)
    assert not window.session.modified and window.session.document == Document()


def test_unsaved_work_is_asked_about_before_what_was_read_takes_its_place(window, qtbot, opened):
    dialog = opened(BAD_RATE)
    window.session.edit("text", expression={"text": "mine = 2.0"})
    dialog.open_button.click()
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None)
    answer(window, qtbot, "Cancel")
    assert window.session.document.expression.text == "mine = 2.0"


@pytest.mark.parametrize(
    "content",
    [b"", b"\x89PNG\r\n\x1a\n\xff\x00\x01", b"[1, 2]", b"hello\n" * 10, "größe".encode("utf-16")],
    ids=["empty", "picture", "other JSON", "words", "UTF-16"],
)
def test_a_foreign_file_has_nothing_to_open_and_can_be_looked_at(window, opened, content):
    dialog = opened(content)
    assert not dialog.open_button.isEnabled() and not dialog.copy_button.isEnabled()
    assert dialog.text_button.isEnabled() == bool(content)
    if content:
        dialog.text_button.click()
        assert "\0" not in dialog.text.toPlainText()


def test_a_session_of_a_newer_version_opens_with_what_this_one_knows(window, qtbot, opened):
    content = json.loads(TEXT) | {"gradstep": VERSION + 3, "sound": {"volume": 1.0}}
    content["training"]["swing"] = 0.5
    dialog = opened(json.dumps(content))
    assert sorted(place.partition(",")[0] for place, _reason in rows(dialog.problems)) == [
        "gradstep",
        "sound",
        "training.swing",
    ]
    qtbot.keyClick(dialog, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.session.document.network.layer_sizes == (2, 3, 1))
    window.session.discard_changes()


def test_names_in_a_file_are_shown_as_text(window, opened):
    dialog = opened(TEXT.replace('"learning_rate"', '"<b>rate"'), "<i>x&y.gradstep")
    assert dialog.windowTitle() and dialog.open_button.isEnabled()


def test_a_folder_and_a_missing_file_are_told_in_the_line_at_the_bottom(window, qtbot, tmp_path):
    for path in (tmp_path, tmp_path / "missing.gradstep"):
        window.files.open_path(path)
        qtbot.waitUntil(lambda: not window.files.examining.busy)
        assert path.name in window.message.message and window.findChild(DamagedFileDialog) is None


@pytest.mark.parametrize("before", ['"# a\u2028b",\r\n', " " * 3000 + "\n"], ids=["line separators", "long lines"])
def test_the_text_is_shown_at_the_line_of_the_first_problem(opened, before):
    content = TEXT.replace('"text": [', '"text": [' + before * 200, 1).replace(
        '"learning_rate": 0.05', '"learning_rate": x'
    )
    dialog = opened(content)
    dialog.text_button.click()
    assert dialog.text.textCursor().selectedText().strip().startswith('"learning_rate": x')
