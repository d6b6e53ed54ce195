"""One change for every edit, undo and report of training, when all that follows from it is derived."""

import pytest

from engine.document import Document
from gui.session.change import Changes

LONG = 20_000


@pytest.fixture
def changes(session):
    heard = []
    session.changed.connect(heard.append)
    return heard


def test_what_is_added_while_a_change_is_gathered_is_part_of_it():
    heard = []
    changes = Changes(heard.append)
    with changes.gathered():
        changes.add("program")
        with changes.gathered():
            changes.add("graph")
        assert not heard
    assert heard == [{"program", "graph"}]


def test_what_a_listener_changes_is_announced_next_and_nobody_is_told_of_it_out_of_order():
    heard = []

    def listen(change):
        if "graph" in change:
            changes.add("selection")
        heard.append(change)

    changes = Changes(listen)
    changes.add("graph")
    assert heard == [{"graph"}, {"selection"}]


def test_what_was_added_before_an_error_is_announced_all_the_same():
    heard = []
    changes = Changes(heard.append)
    with pytest.raises(ValueError), changes.gathered():
        changes.add("file")
        raise ValueError
    changes.add("graph")
    assert heard == [{"file"}, {"graph"}]


def test_an_edit_of_the_program_is_one_change(session, changes):
    session.edit("text", expression={"text": "z = 3 * 4"})
    [change] = changes
    assert change == {"expression", "program", "layout", "graph", "numbers", "file"}


def test_everything_is_derived_when_the_change_is_announced(session):
    seen = []
    session.changed.connect(
        lambda _change: seen.append(
            (session.evaluation.root.data, session.presenter.readings["z"].data, session.modified)
        )
    )
    session.edit("text", expression={"text": "z = 3 * 4"})
    assert seen == [(12.0, "12", True)]


def test_an_edit_of_the_network_is_one_change(session, changes):
    session.set_view(shows="network")
    changes.clear()
    session.edit("layers", network={"layer_sizes": (2, 3, 1)})
    [change] = changes
    assert change >= {"network", "model", "moment", "graph"}


def test_an_edit_that_is_refused_or_changes_nothing_is_no_change(session, changes):
    session.edit("rate", training={"learning_rate": -1.0})
    session.edit("text", expression={"text": session.document.expression.text})
    assert changes == []


def test_undo_and_redo_are_one_change_each(session, changes):
    session.edit("text", expression={"text": "z = 3 * 4"})
    changes.clear()
    session.undo_stack.undo_edit()
    session.undo_stack.redo_edit()
    assert len(changes) == 2
    assert all(change >= {"expression", "graph", "file"} for change in changes)


def test_an_opened_document_is_one_change(session, changes):
    session.reset_document(Document())
    [change] = changes
    assert change >= {"expression", "network", "data", "view", "model", "program"}


@pytest.mark.slow
def test_a_report_of_training_is_one_change(session, changes, qtbot):
    session.set_view(shows="network")
    changes.clear()
    session.train("step")
    with qtbot.waitSignal(session.changed, timeout=LONG, check_params_cb=lambda change: "moment" in change):
        pass
    state, report = changes
    assert state == {"run"}
    assert report == {"moment", "numbers", "recorded", "file"}


def test_next_is_one_change(session, changes):
    session.presenter.next()
    assert changes == [{"numbers"}]


def test_a_selection_is_one_change(session, changes):
    key = next(iter(session.presenter.picture.boxes))
    session.select(key)
    session.select(key)
    assert changes == [{"selection"}]
