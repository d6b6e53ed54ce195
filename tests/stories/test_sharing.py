"""A session is saved, sent as text, opened by somebody else, edited under version control, damaged and opened again."""

import difflib

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox

from engine.session_file import from_json
from engine.session_file.pasted import BEGIN
from gui.damaged_file import DamagedFileDialog
from gui.main_window import MainWindow
from gui.session import Session
from gui.session.recent import recent_of
from tests.gui.session.saved_files import answer, save
from tests.gui.training import train

PROGRAM = "w = 2.0\nx = 3.0\ny = w * x  # the slope of y along w is x\n"


@pytest.fixture
def people(qtbot, qapp):
    """Makes the window of another person."""
    made = []

    def make():
        window = MainWindow(Session(), theme="light", workspace="both")
        qtbot.addWidget(window)
        window.show()
        qtbot.waitExposed(window)
        made.append(window)
        return window

    yield make
    QGuiApplication.clipboard().clear()
    for window in made:
        window.session.discard_changes()
        window.close()


def mailed(text):
    """As it arrives in an answer: quoted, with words around it."""
    return "On Monday Ada wrote:\n" + "\n".join(f"> {line}" for line in text.splitlines()) + "\nThanks!\n"


@pytest.mark.long
def test_a_session_is_saved_sent_as_text_and_opened(people, qtbot, tmp_path):
    ada, bob = people(), people()
    ada.session.edit("program", expression={"text": PROGRAM})
    ada.session.edit("data", data={"name": "circles"})
    for _ in range(3):
        train(ada.session, qtbot, "step")
    path = tmp_path / "slope.gradstep"
    ada.session.save(path)
    assert recent_of(ada.session).paths == (path,)
    ada.action("copy session").trigger()
    qtbot.waitUntil(lambda: BEGIN in QGuiApplication.clipboard().text())
    sent = QGuiApplication.clipboard().text()
    assert "y = w * x" in sent[: sent.index(BEGIN)]
    for text in (mailed(sent), mailed(path.read_text())):
        bob.session.discard_changes()
        bob.action("new").trigger()
        QGuiApplication.clipboard().setText(text)
        bob.action("open clipboard").trigger()
        qtbot.waitUntil(lambda: bob.session.document.expression.text == PROGRAM)
        assert bob.session.trained_so_far.parameters == ada.session.trained_so_far.parameters
        assert bob.session.trained_so_far.step == 3 and bob.session.modified and bob.session.path is None


@pytest.mark.long
def test_one_edit_in_the_window_changes_one_line_of_the_file(people, qtbot, tmp_path):
    ada, path = people(), tmp_path / "a.gradstep"
    ada.session.edit("program", expression={"text": PROGRAM})
    ada.session.save(path)

    def changed(edit):
        before = path.read_text().splitlines()
        edit()
        save(ada, qtbot)
        lines = list(difflib.ndiff(before, path.read_text().splitlines()))
        return [line.split()[1] for line in lines if line[0] == "+"], sum(line[0] == "-" for line in lines)

    field = ada.docks["LearningPanel"].panel.fields["training.learning_rate"]

    def type_rate():
        field.setFocus()
        field.selectAll()
        qtbot.keyClicks(field, "0.125")

    assert changed(type_rate) == (['"learning_rate":'], 1)
    edited = PROGRAM.replace("3.0", "4.0")
    assert changed(lambda: ada.session.edit("x", expression={"text": edited})) == (['"x'], 1)
    assert changed(lambda: ada.session.undo_stack.undo_edit()) == (['"x'], 1)
    assert changed(lambda: ada.session.edit("noise", data={"noise": 0.3})) == (['"noise":'], 1)


@pytest.mark.long
def test_of_two_windows_on_one_file_the_second_save_asks(people, qtbot, tmp_path):
    ada, bob = people(), people()
    path = tmp_path / "shared.gradstep"
    ada.session.save(path)
    assert bob.session.open(path)
    bob.session.edit("rate", training={"learning_rate": 0.5})
    save(bob, qtbot)
    ada.session.edit("noise", data={"noise": 0.3})
    ada.action("save").trigger()
    qtbot.waitUntil(lambda: ada.findChild(QMessageBox) is not None)
    answer(ada, qtbot, "Cancel")
    assert from_json(path.read_text()).training.learning_rate == 0.5 and ada.session.modified


@pytest.mark.long
def test_a_file_that_lost_its_end_is_opened_as_far_as_it_can_be_read_and_saved_anew(people, qtbot, tmp_path):
    ada, path = people(), tmp_path / "a.gradstep"
    ada.session.edit("program", expression={"text": PROGRAM})
    ada.session.edit("data", data={"name": "circles"})
    ada.session.save(path)
    path.write_text(path.read_text()[: path.read_text().index('"training"') + 40])
    ada.action("new").trigger()
    answer(ada, qtbot, "Discard") if ada.findChild(QMessageBox) else None
    ada.files.open_path(path)
    qtbot.waitUntil(lambda: ada.findChild(DamagedFileDialog) is not None)
    ada.findChild(DamagedFileDialog).open_button.click()
    qtbot.waitUntil(lambda: ada.session.document.expression.text == PROGRAM)
    assert ada.session.document.data.name == "circles" and ada.session.path is None
    damaged = path.read_bytes()
    assert ada.session.save(tmp_path / "mended.gradstep")
    assert path.read_bytes() == damaged and ada.session.open(tmp_path / "mended.gradstep")
