"""While the program has an error, what is shown says that it is the graph of an earlier text."""

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog

from engine.language import evaluate
from gui.export.exporter import Exporter
from gui.panels.explanations.checks import ChecksPanel
from gui.panels.graph.graph import GraphPanel
from gui.panels.graph.outdated import TEXTS, OutdatedMark
from gui.session import Session
from gui.session.programs import BackgroundPrograms
from gui.theme import LIGHT

pytestmark = pytest.mark.slow

SENTENCE = "This is the graph of the last program that worked, before the error in line 2"


@pytest.fixture
def mark(panel):
    panel.set_colors(LIGHT)
    return panel.canvas.findChild(OutdatedMark)


def write(session, text):
    session.edit("text", expression={"text": text})


def test_the_canvas_says_that_its_graph_is_that_of_an_earlier_text(session, panel, mark, qtbot):
    assert not mark.isVisible()
    write(session, "a = 1.0\nb = a*")
    assert mark.isVisible()
    assert mark.text() == SENTENCE
    qtbot.waitUntil(lambda: mark.width() > panel.canvas.width() - 20 and mark.y() < 10, timeout=2000)
    names = [panel.canvas.node_area(key).top() for key in panel.canvas.picture.boxes]
    assert min(names) >= mark.geometry().bottom()
    write(session, "a = 1.0\nb = a*2")
    assert not mark.isVisible()


def test_the_network_is_not_marked_for_an_error_in_the_text(session, panel, mark):
    write(session, "a = 1.0\nb = a*")
    session.set_view(shows="network")
    assert not mark.isVisible()
    session.set_view(shows="expression")
    assert mark.isVisible()


def test_a_file_that_opens_with_an_error_has_no_graph_and_says_so(session, panel, mark, tmp_path):
    path = tmp_path / "wrong.txt"
    path.write_text("a = 1\nb = = a", encoding="utf-8")
    session.open(path)
    assert not mark.isVisible()
    assert panel.canvas.overlay.hint == "There is no graph yet: the program has an error in line 2"
    assert not panel.canvas.picture.boxes


def test_an_error_after_an_empty_text_leaves_no_graph_and_none_is_claimed(session, panel, mark, qtbot):
    checks = ChecksPanel(session)
    qtbot.addWidget(checks)
    checks.show()
    write(session, "")
    write(session, "a = tahn(2)")
    assert not mark.isVisible() and not checks.outdated_label.isVisible()
    assert panel.canvas.overlay.hint == "There is no graph yet: the program has an error in line 1"
    checks.run()
    assert checks.verdict.text() == "There is nothing to check: there is no graph yet."
    write(session, "a = tanh(2)")
    assert checks.verdict.text() == "Compares backward() with a nudge of each number."


def test_a_program_without_a_value_at_its_end_is_not_called_an_empty_one(session, panel):
    for text in ("word = 'a'", "print(3)"):
        write(session, text)
        assert (
            panel.canvas.overlay.hint == "There is no graph: the program does not end with a value that has a gradient"
        )
    write(session, " \n")
    assert panel.canvas.overlay.hint.startswith("Type an expression")
    write(session, "x = 5.0\ny = x / 2")
    assert not panel.canvas.overlay.hint and panel.canvas.picture.boxes


def test_the_check_says_whose_gradients_it_compares(session, panel, qtbot):
    checks = ChecksPanel(session)
    qtbot.addWidget(checks)
    checks.show()
    write(session, "a = 1.0\nb = a*")
    assert checks.outdated_label.isVisible()
    assert "last program that worked" in checks.outdated_label.text()
    assert checks.outdated_label.toolTip().startswith(SENTENCE)
    assert checks.button.toolTip() == checks.outdated_label.toolTip()
    write(session, "a = 1.0")
    assert not checks.outdated_label.isVisible()


def test_an_export_says_which_graph_it_wrote(session, panel, tmp_path, qtbot):
    told = []
    session.message_posted.connect(lambda text, _kind: told.append(text))
    exporter = Exporter(panel, panel)

    def save():
        exporter.save_graph("svg")
        dialog = panel.findChild(QFileDialog)
        with qtbot.waitSignal(exporter.ended):
            dialog.fileSelected.emit(str(tmp_path / "graph.svg"))
        dialog.reject()
        qtbot.waitUntil(lambda: panel.findChild(QFileDialog) is None)

    write(session, "a = 1.0\nb = a*")
    save()
    with qtbot.waitSignal(exporter.ended):
        exporter.copy_graph("png")
    assert told == [f"exported graph.svg. {SENTENCE}.", f"the graph is on the clipboard. {SENTENCE}."]
    QGuiApplication.clipboard().clear()
    write(session, "a = 1.0")
    save()
    assert told[-1] == "exported graph.svg"


def test_the_graph_that_stays_when_a_program_is_stopped_is_paled_until_one_has_come_to_its_end(qapp, qtbot):
    session = Session(programs=BackgroundPrograms(endless))
    panel = GraphPanel(session)
    qtbot.addWidget(panel)
    panel.set_colors(LIGHT)
    panel.resize(500, 400)
    panel.show()
    qtbot.waitUntil(lambda: bool(session.presenter.picture.boxes))
    before = panel.canvas.grab().toImage()
    write(session, "while True: pass")
    session.program.stop()
    mark = panel.canvas.findChild(OutdatedMark)
    assert mark.text() == TEXTS["stopped"] and panel.canvas.overlay.is_pale
    assert panel.canvas.grab().toImage() != before
    write(session, "a = 1.0\nb = a*2")
    qtbot.waitUntil(lambda: not session.program.busy)
    assert not mark.isVisible() and not panel.canvas.overlay.is_pale
    session.close()
    session.discard_changes()


def endless(text, *, cancelled, on_output, limits):
    """Runs a program; one that never ends until somebody wants its end."""
    while "while" in text and not cancelled():
        pass
    return evaluate("a = 1.0" if "while" in text else text)
