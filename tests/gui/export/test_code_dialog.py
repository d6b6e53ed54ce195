from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from engine.document import Document, replace_section
from engine.session_file.pasted import session_of_text
from gui.code_dialog import CodeDialog
from gui.session import Session
from gui.theme import THEMES


@pytest.fixture
def opened(qtbot):
    """A function that opens the dialog on a session, and what was saved."""
    saved, kept = [], []

    def open_on(text="a = Value(2.0)\nb = a * 3", shows="expression", n_samples=100, waits=True):
        parent = QWidget()
        qtbot.addWidget(parent)
        document = replace_section(Document(), "expression", text=text)
        document = replace_section(document, "data", n_samples=n_samples)
        session = Session(replace_section(document, "view", shows=shows))
        kept.append((session, parent))
        if waits:
            qtbot.waitUntil(lambda: not session.program.busy)
        panel = SimpleNamespace(session=session, colors=THEMES["light"], outdated_reason="")
        dialog = CodeDialog(parent, panel, lambda *given: saved.append(given))
        dialog.open()
        qtbot.waitUntil(lambda: dialog.is_done)
        return dialog

    yield open_on, saved
    QGuiApplication.clipboard().clear()
    for session, _parent in kept:
        session.close()


def choose(dialog, qtbot, target):
    dialog.target.setCurrentIndex(dialog.target.findData(target))
    qtbot.waitUntil(lambda: dialog.is_done)


@pytest.mark.slow
def test_it_shows_the_code_and_copies_and_saves_it(opened, qtbot):
    open_on, saved = opened
    dialog = open_on()
    for target in ("micrograd", "html", "pytorch"):
        choose(dialog, qtbot, target)
        assert dialog.text.startswith(dialog.preview.toPlainText()[:200])
        assert dialog.save_button.isEnabled()
    choose(dialog, qtbot, "numpy")
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert "import numpy" in copied and session_of_text(copied).expression.text.startswith("a = Value")
    qtbot.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert saved == [("graph_numpy", "py", copied)]


@pytest.mark.slow
def test_what_cannot_be_exported_is_said_in_its_place(opened, qtbot):
    open_on, _saved = opened
    dialog = open_on("import numpy as np\na = Value(np.ones(3))\nb = a.sum()")
    assert "NumPy" in dialog.message.text() and not dialog.save_button.isEnabled()
    assert not dialog.text and not dialog.preview.toPlainText()
    choose(dialog, qtbot, "numpy")
    assert dialog.save_button.isEnabled() and "NumPy, PyTorch" not in dialog.message.text()


@pytest.mark.slow
def test_a_network_is_shown_as_far_as_it_can_be_highlighted_and_copied_whole(opened, qtbot):
    open_on, _saved = opened
    dialog = open_on(shows="network", n_samples=500)
    assert dialog.subject.currentData() == "network"
    assert "more lines" in dialog.preview.toPlainText()[-100:]
    assert len(dialog.text) > len(dialog.preview.toPlainText())
    dialog.subject.setCurrentIndex(0)
    qtbot.waitUntil(lambda: dialog.is_done)
    assert "forward(" in dialog.text and "train_step" in dialog.text


def test_an_empty_program_has_no_code(opened):
    open_on, _saved = opened
    dialog = open_on("")
    assert "empty" in dialog.message.text() and not dialog.copy_button.isEnabled()


@pytest.mark.slow
def test_it_opens_while_the_program_runs_and_shows_the_code_of_its_end(opened):
    open_on, _saved = opened
    dialog = open_on("total = Value(1.0)\nfor i in range(2000):\n    total = total * 1.0", waits=False)
    assert dialog.text.count(" * ") > 1_000, dialog.message.text()
