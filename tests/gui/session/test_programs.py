"""A program runs beside the window: the newest text wins, and nothing of a run gets where it does not belong."""

import pytest

from engine.document import Document, replace_section
from gui.panels.graph.outdated import outdated
from gui.session import Session
from tests.gui.slow_programs import SLOW, slow_programs

FIRST = "a = 2.0\nb = a * 3\n"


@pytest.fixture
def background(qtbot):
    """A session whose programs run in the background, with its first program run, and what holds slow programs back."""
    programs, slow = slow_programs()
    session = Session(replace_section(Document(), "expression", text=FIRST), programs=programs)
    session.slow = slow
    qtbot.waitUntil(lambda: session.program.is_evaluated)
    yield session
    session.close()
    session.discard_changes()


def type_text(session, text):
    assert session.edit("typing", expression={"text": text})


def end(session, qtbot):
    session.slow.let_go()
    qtbot.waitUntil(lambda: not session.program.busy)


def test_what_comes_of_a_text_arrives_as_a_change_of_its_own(background, qtbot):
    changes = []
    background.changed.connect(changes.append)
    type_text(background, "a = 2.0\nc = a * 4\n")
    [edit] = changes
    assert edit >= {"expression", "program"} and "graph" not in edit
    qtbot.waitUntil(lambda: background.program.is_evaluated)
    [_, arrived] = changes
    assert arrived >= {"graph", "program"} and "expression" not in arrived
    assert background.presenter.readings["c"].data == "8.0000"


@pytest.mark.slow
def test_the_last_good_graph_stays_while_a_program_runs_and_is_marked_when_that_takes_longer_than_a_moment(
    background, qtbot
):
    type_text(background, SLOW + "z = 1.0\n")
    assert not background.program.is_evaluated and background.presenter.readings["b"].data == "6.0000"
    assert outdated(background) == ""
    qtbot.waitUntil(lambda: background.program.is_slow)
    assert "is running" in outdated(background)
    assert background.presenter.readings["b"].data == "6.0000"
    end(background, qtbot)
    assert outdated(background) == "" and set(background.presenter.readings) == {"z"}


def test_the_newest_text_wins_and_a_run_that_is_out_of_date_is_cancelled(background, qtbot):
    type_text(background, SLOW + "old = 1.0\n")
    qtbot.waitUntil(lambda: len(background.slow.began) == 2)
    type_text(background, "newest = 3.0\n")
    qtbot.waitUntil(lambda: background.program.is_evaluated)
    assert background.slow.cancelled == [SLOW + "old = 1.0\n"]
    assert set(background.presenter.readings) == {"newest"}


def test_undo_while_a_program_runs_needs_no_run_of_what_was_there_before(background, qtbot):
    evaluation = background.evaluation
    type_text(background, SLOW + "z = 1.0\n")
    qtbot.waitUntil(lambda: len(background.slow.began) == 2)
    background.undo_stack.undo_edit()
    assert background.program.is_evaluated and background.evaluation is evaluation and not background.program.busy
    qtbot.waitUntil(lambda: background.slow.cancelled == [SLOW + "z = 1.0\n"])
    assert background.slow.began == [FIRST, SLOW + "z = 1.0\n"]


@pytest.mark.slow
@pytest.mark.parametrize("is_slow", [False, True])
def test_nothing_of_a_run_survives_into_another_document(background, qtbot, is_slow):
    type_text(background, SLOW + "of_the_old = 1.0\n")
    if is_slow:
        qtbot.waitUntil(lambda: background.program.is_slow)
    qtbot.waitUntil(lambda: len(background.slow.began) == 2)
    background.reset_document(replace_section(Document(), "expression", text=SLOW + "of_the_new = 1.0\n"))
    assert background.evaluation is None and background.error is None and not background.presenter.picture.boxes
    assert not background.program.is_slow and not background.program.printed.lines
    qtbot.waitUntil(lambda: background.slow.cancelled == [SLOW + "of_the_old = 1.0\n"])
    end(background, qtbot)
    assert set(background.presenter.readings) == {"of_the_new"}


@pytest.mark.slow
def test_stop_ends_a_program_and_says_so(background, qtbot):
    type_text(background, SLOW + "z = 1.0\n")
    qtbot.waitUntil(lambda: background.program.is_slow)
    background.program.stop()
    assert not background.program.busy and not background.program.is_evaluated
    assert background.program.trouble.startswith("The program was stopped after ")
    assert "did not finish" in outdated(background)
    background.program.run_again()
    end(background, qtbot)
    assert background.program.trouble == "" and set(background.presenter.readings) == {"z"}


@pytest.mark.slow
def test_what_is_printed_by_a_slow_program_is_told_while_it_runs(background, qtbot):
    background.slow.printed = [(2, "1\n"), (2, "2\n")]
    type_text(background, SLOW + "z = 1.0\n")
    qtbot.waitUntil(lambda: len(background.program.printed.lines) == 2)
    assert background.program.printed.lines == [(2, "1"), (2, "2")]
    assert background.program.busy and background.program.is_slow and background.program.seconds > 0.0
    end(background, qtbot)


def test_saving_does_not_wait_for_a_program(background, qtbot, tmp_path):
    type_text(background, SLOW + "z = 1.0\n")
    assert background.save(tmp_path / "a.gradstep") and background.program.busy
    assert "z = 1.0" in (tmp_path / "a.gradstep").read_text()
    end(background, qtbot)
    assert not background.modified


def test_who_waits_for_a_program_is_called_when_the_newest_has_ended(background, qtbot):
    called = []
    background.program.wait(lambda: called.append("at once"), None)
    type_text(background, SLOW + "y = 1.0\n")
    background.program.wait(lambda: called.append(set(background.presenter.readings)), None)
    type_text(background, SLOW + "z = 1.0\nprint_me = 2\n")
    assert called == ["at once"]
    end(background, qtbot)
    assert called == ["at once", {"z", "print_me"}]


@pytest.mark.parametrize(
    "give_up",
    [lambda session: session.program.stop(), lambda session: session.reset_document(Document())],
    ids=["stop", "another document"],
)
def test_who_waits_for_a_program_is_told_when_it_comes_to_nothing(background, qtbot, give_up):
    called = []
    type_text(background, SLOW + "y = 1.0\n")
    background.program.wait(lambda: called.append("then"), lambda: called.append("otherwise"))
    give_up(background)
    assert called == ["otherwise"]
    end(background, qtbot)
    assert called == ["otherwise"]


@pytest.mark.slow
def test_numbers_that_change_faster_than_the_program_runs_are_shown_on_their_way_and_never_queue(background, qtbot):
    for number in range(20):
        type_text(background, f"a = {number}.5\nb = a * 3\n")
    qtbot.waitUntil(lambda: background.program.is_evaluated)
    assert len(background.slow.began) <= 4
    assert background.presenter.readings["a"].data == "19.5000"


@pytest.mark.slow
def test_training_goes_on_while_a_program_runs(background, qtbot):
    type_text(background, SLOW + "y = 1.0\n")
    background.train("step")
    qtbot.waitUntil(lambda: background.newest is not None and background.newest.snapshot.step == 1)
    assert background.program.busy
    end(background, qtbot)


@pytest.mark.slow
def test_a_program_that_cannot_be_run_at_all_is_told_in_words_and_the_next_one_runs(background, qtbot, caplog):
    background.slow.failure = MemoryError("no room for a worker")
    type_text(background, "y = 1.0\n")
    qtbot.waitUntil(lambda: bool(background.program.trouble))
    assert "no room for a worker" in background.program.trouble
    assert not background.program.is_evaluated and "b" in background.presenter.readings
    background.slow.failure = None
    background.program.run_again()
    qtbot.waitUntil(lambda: background.program.is_evaluated)
    assert background.program.trouble == ""
