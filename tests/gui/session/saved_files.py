"""What tests of files do with the window: save, answer its questions, read what was written."""

from PySide6.QtWidgets import QFileDialog, QMessageBox

from engine.session_file import from_json


def answer(window, qtbot, text):
    """Answers the question that is asked, or will be in a moment."""
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is not None, timeout=10_000)
    box = window.findChild(QMessageBox)
    next(button for button in box.buttons() if button.text().replace("&", "") == text).click()
    qtbot.waitUntil(lambda: window.findChild(QMessageBox) is None, timeout=2000)


def choose(window, qtbot, path):
    """Chooses a name in the dialog that is open."""
    dialog = window.findChild(QFileDialog)
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    qtbot.waitUntil(lambda: window.findChild(QFileDialog) is None, timeout=2000)


def save(window, qtbot):
    """Saves, and waits until the file is written."""
    window.action("save").trigger()
    qtbot.waitUntil(lambda: not window.files.writing.busy, timeout=10_000)


def saved_text(path):
    return from_json(path.read_text()).expression.text
