"""Where file dialogs begin, and which name they suggest."""

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QStandardPaths
from PySide6.QtWidgets import QFileDialog

from gui.file_dialogs import first_folder


@pytest.fixture
def documents(tmp_path, monkeypatch):
    """The user's documents; no folder was used yet."""
    folder = tmp_path / "documents"
    folder.mkdir()
    monkeypatch.setattr(QStandardPaths, "writableLocation", lambda _kind: str(folder))
    application = QCoreApplication.instance()
    before = application.property("lastFolder")
    application.setProperty("lastFolder", None)
    yield folder
    application.setProperty("lastFolder", before)


def dialog_of(window, qtbot, action):
    window.action(action).trigger()
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is not None)
    return window.findChild(QFileDialog)


def close(window, qtbot, dialog):
    dialog.reject()
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is None)


@pytest.mark.parametrize("action", ["open", "save as", "import data"])
def test_a_dialog_begins_in_the_documents_of_the_user_and_not_in_the_folder_of_the_program(
    reused_window, qtbot, documents, action
):
    dialog = dialog_of(reused_window, qtbot, action)
    assert Path(dialog.directory().absolutePath()) == documents != Path.cwd()
    close(reused_window, qtbot, dialog)


def test_save_as_suggests_a_name_and_then_that_of_the_document(make_window, qtbot, documents, tmp_path):
    window = make_window()
    dialog = dialog_of(window, qtbot, "save as")
    assert [Path(name).name for name in dialog.selectedFiles()] == ["untitled.gradstep"]
    close(window, qtbot, dialog)
    assert window.session.save(tmp_path / "xor.gradstep")
    dialog = dialog_of(window, qtbot, "save as")
    assert [Path(name) for name in dialog.selectedFiles()] == [tmp_path / "xor.gradstep"]
    close(window, qtbot, dialog)


def test_the_folder_that_was_used_last_comes_before_the_documents(reused_window, qtbot, documents, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    dialog = dialog_of(reused_window, qtbot, "import data")
    dialog.fileSelected.disconnect()
    QCoreApplication.instance().setProperty("lastFolder", str(other))
    close(reused_window, qtbot, dialog)
    assert first_folder() == str(other)
    other.rmdir()
    assert first_folder() == str(documents)
