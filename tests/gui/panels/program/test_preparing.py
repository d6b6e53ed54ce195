"""While Python is prepared, and where it cannot be: what the program panel says, and that the window goes on."""

import threading

import pytest

from engine.language import RuntimeUnavailableError, evaluate, machine_code
from gui.panels.program.expression import ExpressionPanel
from gui.session import Session, program_run
from gui.session.programs import BackgroundPrograms, Programs
from tests.gui.panels.program.program_text import put


@pytest.fixture
def panel_of(qtbot):
    sessions = []

    def make(programs):
        session = Session(programs=programs)
        sessions.append(session)
        panel = ExpressionPanel(session)
        qtbot.addWidget(panel)
        panel.show()
        return panel

    yield make
    for session in sessions:
        session.close()


@pytest.mark.slow
def test_while_python_is_prepared_the_panel_says_so_and_then_the_program_runs_by_itself(panel_of, qtbot):
    ready = threading.Event()

    def evaluate_after_preparation(text, **_settings):
        if not ready.is_set():
            with machine_code.preparing():
                ready.wait(20)
        return evaluate(text)

    panel = panel_of(BackgroundPrograms(evaluate_after_preparation))
    program = panel.session.program
    put(panel, "a = 2.0\nb = a * 3\n")
    qtbot.waitUntil(lambda: panel.message.text().startswith("Preparing Python"))
    assert panel.session.edit("layout", view={"layout": "Tree"}) is not None  # the window goes on
    program.stop()
    assert program.trouble == program_run.NOT_BEGUN
    program.run_again()
    ready.set()
    qtbot.waitUntil(lambda: program.is_evaluated)
    assert set(panel.session.presenter.readings) >= {"a", "b"}
    assert not panel.run_line.isVisible()


def test_where_no_program_can_be_run_the_panel_names_the_reason(panel_of):
    def unavailable(text, **_settings):
        raise RuntimeUnavailableError("Programs cannot be run: wasmtime cannot be loaded (no such library)")

    panel = panel_of(Programs(unavailable))
    assert panel.message.text() == "Programs cannot be run: wasmtime cannot be loaded (no such library)."
    panel.session.undo_stack.undo_edit()
    put(panel, "a = 1.0")
    assert panel.session.document.expression.text == "a = 1.0"


def test_that_nothing_could_be_kept_is_said_once(panel_of, monkeypatch):
    monkeypatch.setattr(machine_code.state, "notice", "Python was prepared for this session only.")
    panel = panel_of(Programs())
    assert "for this session only" in panel.message.text()
    put(panel, "a = 1.0")
    assert "for this session only" not in panel.message.text()
