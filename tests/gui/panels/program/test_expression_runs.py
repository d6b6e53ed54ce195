"""The panel of the program while one runs, at its limits, and as a network."""

import pytest
from PySide6.QtCore import QPoint, Qt

from engine.language import Limits, Printed, ProgramError, evaluate
from gui.panels.graph.outdated import outdated
from gui.panels.program.expression import ExpressionPanel
from gui.session import Session
from gui.session.programs import Programs
from tests.engine.experiment.network_programs import TUTORIAL
from tests.gui.panels.program.program_text import put
from tests.gui.slow_programs import SLOW, slow_programs

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def panel(program_panel):
    return program_panel


def test_an_error_while_running_is_told_with_the_calls_that_led_there(panel, session, qtbot):
    put(panel, "low = 0\ndef half(x):\n    return x / low\ndef twice(x):\n    return half(x) * 2\nz = twice(4)\n")
    lines = panel.message.text().splitlines()
    assert lines[0].startswith("Line 3, column") and "zero" in lines[0]
    assert lines[1:] == ["There x = 4, low = 0.", "Called in line 5, in twice.", "Called in line 6."]
    panel.message.place_chosen.emit(5, 1)
    assert panel.editor.textCursor().blockNumber() == 4


def test_at_a_limit_what_was_computed_stays_and_run_on_gives_ten_times_as_much(shown, qapp, qtbot):
    given = []

    def stopped(text, *, limits, **_settings):
        given.append(limits)
        if len(given) > 1:
            return evaluate(text)
        error = ProgramError("stopped after 20 s: this line was still running", 2, 1)
        error.at_limit = True
        raise error.with_run((Printed(1, "so far\n"),), evaluate("a = 2.0\nb = a * 3\n"))

    session = Session(programs=Programs(stopped))
    panel = ExpressionPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    assert set(session.presenter.readings) >= {"a", "b"} and session.program.printed.lines == [(1, "so far")]
    assert "computed before the error" in outdated(session) and "stopped after 20 s" in panel.message.text()
    panel.run_line.on.click()
    assert given == [None, Limits().times(10)] and session.error is None
    assert outdated(session) == "" and not panel.run_line.isVisible()
    session.close()


@pytest.mark.slow
def test_sliders_of_the_program_before_cannot_be_moved_while_a_slow_one_runs(qapp, qtbot):
    programs, slow = slow_programs()
    session = Session(programs=programs)
    panel = ExpressionPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    put(panel, "a = 2.0\nb = a * 3\n")
    qtbot.waitUntil(lambda: "a" in panel.sliders.by_key and not session.program.busy)
    assert panel.sliders.by_key["a"].isEnabled()
    put(panel, SLOW + "c = 2.0\nd = c * 3\n")
    qtbot.waitUntil(lambda: session.program.is_slow)
    qtbot.waitUntil(lambda: not panel.sliders.by_key["a"].isEnabled())
    slow.let_go()
    qtbot.waitUntil(lambda: "c" in panel.sliders.by_key)
    assert panel.sliders.by_key["c"].isEnabled()
    session.close()
    session.discard_changes()


@pytest.mark.slow
def test_a_program_that_trains_a_network_is_set_up_as_one_undo_step(panel, session, qtbot):
    told, asked = [], []
    session.message_posted.connect(lambda text, _kind: told.append(text))
    session.action_requested.connect(asked.append)
    put(panel, TUTORIAL)
    assert panel.network_setup.isVisible()
    before = session.document
    panel.network_setup.click()
    assert len(told) == 1  # at once, for the comparison takes seconds
    qtbot.waitUntil(lambda: len(told) > 1)
    assert "20 steps" in told[1] and "3.14072, 0.677439, 0.325005" in told[1]
    assert asked == ["workspace train"]  # where the network is seen and trained
    assert session.document.network.layer_sizes == (3, 4, 4, 1) and session.document.network.seed == 1337
    session.undo_stack.undo_edit()
    assert session.document == before
    put(panel, "a = 1.0")
    assert not panel.network_setup.isVisible()


def test_the_button_beside_a_cell_runs_the_program_to_the_end_of_that_cell(panel, session, qtbot):
    put(panel, "a = 2.0\n# %% second\nb = a * 3\n# %% third\nc = b + 1\n")
    editor = panel.editor
    height = editor.blockBoundingRect(editor.document().firstBlock()).height()
    top = editor.blockBoundingGeometry(editor.firstVisibleBlock()).translated(editor.contentOffset()).top()

    def beside(line):
        return QPoint(6, round(top + (line - 0.5) * height))

    qtbot.mouseMove(editor.gutter, beside(3))
    assert editor.gutter.toolTip() == ""
    qtbot.mouseClick(editor.gutter, Qt.MouseButton.LeftButton, pos=beside(3))
    assert session.program.last_line is None
    qtbot.mouseMove(editor.gutter, beside(2))
    qtbot.waitUntil(lambda: "cell" in editor.gutter.toolTip() and "Ctrl+Shift+Return" in editor.gutter.toolTip())
    qtbot.mouseClick(editor.gutter, Qt.MouseButton.LeftButton, pos=beside(2))
    assert session.program.last_line == 3 and set(session.program.variables) == {"a", "b"}
    qtbot.mouseClick(editor.gutter, Qt.MouseButton.LeftButton, pos=beside(4))
    assert session.program.last_line is None and "c" in session.program.variables
