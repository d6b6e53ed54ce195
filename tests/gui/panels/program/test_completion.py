"""What is offered while one types: names with what they stand for, functions, what stands behind a dot."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from engine.autograd import Value
from engine.language import KnownNames, evaluate
from gui.panels.program.editor import offered
from gui.panels.program.expression import ExpressionPanel

VARIABLES = {"weights": [1, 2, 3], "loss": Value(0.25), "learning_rate": 0.1, "name": "moons"}
PROGRAM = "loss = Value(0.25)\nweights = [1, 2, 3]\nname = 'moons'\nlearning_rate = 0.1\nmodel = MLP(2, [3, 1])\n"


@pytest.fixture(scope="module")
def known():
    return evaluate(PROGRAM + "import numpy as np\n").known_names


def test_names_of_the_last_run_are_offered_first_with_what_they_stand_for():
    found = offered("l", 1, VARIABLES, KnownNames())
    assert [(item.text, item.detail) for item in found[:2]] == [
        ("loss", "Value 0.2500"),
        ("learning_rate", "number 0.1000"),
    ]
    assert "log" in [item.text for item in found[2:]]


@pytest.mark.parametrize(
    ("before", "some", "never"),
    [
        ("loss.", {"data", "grad", "tanh"}, {"append", "weights"}),
        ("y = loss.b", set(), {"data"}),
        ("weights.", {"append", "pop"}, {"tanh", "data"}),
        ("weights.ap", {"append"}, {"pop"}),
        ("name.s", {"split", "startswith"}, {"tanh"}),
        ("w", {"weights"}, {"loss"}),
        ("model.", {"layers", "parameters"}, {"tanh", "append"}),
        ("for n in model.layers[0].ne", {"neurons"}, {"layers"}),
        ("np.random.s", {"seed"}, {"sin"}),
        ("import matp", {"matplotlib"}, {"max"}),
        ("from numpy import ze", {"zeros"}, {"zip"}),
        ("text = 'we", set(), {"weights"}),
        ("# we", set(), {"weights"}),
        ("wh", {"while"}, {"weights"}),
    ],
)
def test_what_is_offered_depends_on_what_stands_before_it(known, before, some, never):
    found = {item.text for item in offered(PROGRAM + before, len(PROGRAM + before), VARIABLES, known)}
    assert some <= found and not never & found


@pytest.mark.slow
def test_what_is_selected_is_not_completed(program_panel, qtbot):
    editor = program_panel.editor
    editor.setPlainText("x" * 100_000)
    editor.selectAll()
    qtbot.keyClick(editor, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    assert len(editor.completion.word_before_caret()) <= 65


def test_a_completion_is_taken_by_a_key(shown, session, qtbot):
    session.edit("text", expression={"text": "alpha = 2.0\nbeta = alpha * 3\n"})
    panel = shown(ExpressionPanel, 420, 420)
    panel.activateWindow()
    panel.editor.setFocus()
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(panel.editor, "gamma = be")
    popup = panel.editor.completion.completer.popup()
    assert popup.isVisible() and popup.model().index(0, 0).data() == "beta"
    popup.setCurrentIndex(popup.model().index(0, 0))
    qtbot.keyClick(popup, Qt.Key.Key_Return)
    panel.editor.flush()
    assert session.document.expression.text.endswith("gamma = beta")


def test_attributes_are_offered_while_the_text_is_no_program(shown, session, qtbot):
    session.edit("text", expression={"text": "model = MLP(2, [3, 1])\n"})
    panel = shown(ExpressionPanel, 420, 420)
    panel.activateWindow()
    panel.editor.setFocus()
    panel.editor.moveCursor(QTextCursor.MoveOperation.End)
    for typed in ("model", "."):
        qtbot.keyClicks(panel.editor, typed)
        panel.editor.flush()  # the text so far is no program
    panel.editor.completion.offer(asked=True)
    popup = panel.editor.completion.completer.popup()
    assert "layers" in [popup.model().index(row, 0).data() for row in range(popup.model().rowCount())]
