"""When training stops, in the learning panel: fields, progress, and what has ended a run."""

import pytest

from engine.document.document import STOP_FIELDS
from engine.network.run.progress import RunState
from engine.session_file.format import from_json, to_json
from gui.panels.learning.learning import LearningPanel, parse_share, share_text

LONG = 20_000


@pytest.fixture
def panel(shown):
    return shown(LearningPanel)


@pytest.fixture
def rows(panel):
    return panel.stops


def texts(rows):
    labels = rows.ways.findChildren(type(rows.ended))
    return [label.text() for label in labels if label.isVisible()]


def test_no_rule_is_on_at_first(session, rows):
    assert {rows.fields[name].text() for name in STOP_FIELDS if name != "min_change"} == {"none"}
    assert rows.fields["min_change"].text() == "1e-6"
    assert not rows.ways.isVisible() and not rows.ended.isVisible()


@pytest.mark.slow
def test_a_rule_ends_the_run_and_is_named_with_its_figures(session, rows, qtbot):
    rows.fields["max_steps"].enter("25")
    rows.fields["target_loss"].enter("1e-9")
    session.run()
    qtbot.waitUntil(lambda: session.run_state is RunState.FINISHED, timeout=LONG)
    assert session.newest.snapshot.step == 25
    assert rows.ended.text() == "Stopped at the step limit: 25."
    assert f"loss {session.newest.snapshot.seen_loss:.6g}, target 1e-09" in texts(rows)
    assert "step 25 of 25" in texts(rows)
    session.run()
    qtbot.waitUntil(lambda: session.newest.snapshot.step > 60, timeout=LONG)
    qtbot.waitUntil(lambda: not rows.ended.isVisible() and any("(set aside)" in text for text in texts(rows)))
    session.pause()


@pytest.mark.slow
def test_a_rule_that_is_set_while_it_runs_takes_effect(session, rows, qtbot):
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 5, timeout=LONG)
    rows.fields["target_accuracy"].enter("10 %")
    rows.fields["plateau"].enter("5")
    rows.fields["min_change"].enter("1000")
    qtbot.waitUntil(lambda: session.run_state is RunState.FINISHED, timeout=LONG)
    assert "for 5 steps" in rows.ended.text()


@pytest.mark.slow
@pytest.mark.parametrize("name, entry, held", [
    ("target_loss", "0.01", 0.01), ("target_loss", "none", None), ("target_accuracy", "97 %", 0.97),
    ("target_accuracy", "0.5", 0.5), ("plateau", "200", 200), ("max_steps", "5000", 5000), ("max_epochs", "9", 9),
])  # fmt: skip
def test_an_entry_goes_into_document_and_file_and_undo_takes_it_back(session, rows, name, entry, held):
    rows.fields[name].enter(entry)
    assert getattr(from_json(to_json(session.document)).training, name) == held
    session.undo_stack.undo_edit()
    assert getattr(session.document.training, name) is None and rows.fields[name].text() == "none"


@pytest.mark.slow
@pytest.mark.parametrize("name, entry", [
    ("target_loss", "nan"), ("target_loss", "0,1"), ("target_accuracy", "97"), ("target_accuracy", "-1 %"),
    ("plateau", "0"), ("plateau", "1.5"), ("min_change", "-1"), ("max_steps", "1e99"), ("max_epochs", "0"),
])  # fmt: skip
def test_what_is_no_rule_is_refused_in_place(session, rows, name, entry):
    before = session.document
    rows.fields[name].enter(entry)
    assert session.document == before and rows.fields[name].problem


@pytest.mark.parametrize("share", [0.0, 0.07, 0.1, 1 / 3, 0.975, 0.29, 1.0])
def test_a_share_is_written_so_that_it_reads_back(share):
    assert parse_share(share_text(share)) == share


def test_other_rules_train_no_other_way(session, qtbot):
    """A rule is no setting of the training: the history has no change, weights and curve go on."""
    session.train("step")
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step == 1, timeout=LONG)
    settings, run = session.newest.settings_since, session.newest.run
    session.edit("rule", training={"max_steps": 7})
    qtbot.waitUntil(lambda: bool(session.newest.ways), timeout=LONG)
    assert session.newest.settings_since == settings and session.newest.run == run
