"""The graph panel: what is dragged, shown and chosen on the canvas and in its header reaches the session and back."""

import dataclasses

import pytest

from engine.document import Document, from_json, replace_section, to_json
from gui.panels.graph import GraphPanel
from gui.session import Session


@pytest.fixture
def session(qtbot):
    session = Session()
    yield session
    session.close()


@pytest.fixture
def panel(session, qtbot):
    panel = GraphPanel(session)
    qtbot.addWidget(panel)
    panel.resize(700, 600)
    panel.show()
    return panel


def drag(panel, key, dx, dy):
    """Drags a value as the canvas does it."""
    canvas = panel.canvas
    centre = canvas.centre_of(key)
    canvas.drag_node(key, centre.x() + dx, centre.y() + dy)
    canvas.finish_drag(key)


def off(panel, session, key):
    """How far a value is drawn from where the layout has it."""
    box, home = panel.canvas.picture.boxes[key], session.graph.laid_out.boxes[key]
    return box.x - home.x, box.y - home.y


def test_a_dragged_value_is_kept_in_the_document_and_comes_back_with_undo(panel, session):
    drag(panel, "n", 30.0, 90.0)
    assert dict(session.document.view.moved)["n"] == pytest.approx((30.0, 90.0))
    assert off(panel, session, "n") == pytest.approx((30.0, 90.0))
    assert "move n" in session.undo_stack.undoText()
    session.undo_stack.undo()
    assert off(panel, session, "n") == (0.0, 0.0)
    session.undo_stack.redo()
    assert off(panel, session, "n") == pytest.approx((30.0, 90.0))


def test_a_drag_lays_nothing_out_and_leaves_the_stepper_alone(panel, session):
    session.graph.set_cursor(3)
    laid_out = session.graph.laid_out
    drag(panel, "n", 30.0, 90.0)
    assert session.graph.laid_out is laid_out
    assert session.graph.cursor == 3


def test_undoing_a_drag_leaves_what_the_canvas_shows(panel, session, qtbot):
    drag(panel, "n", 30.0, 90.0)
    session.set_view(shows="network")
    session.undo_stack.undo()
    assert session.document.view.shows == "network"
    assert session.document.view.moved == ()


def test_moves_are_saved_and_loaded(panel, session):
    drag(panel, "n", 30.0, 90.0)
    session.start_afresh(from_json(to_json(session.document)))
    assert off(panel, session, "n") == pytest.approx((30.0, 90.0))


def test_a_moved_value_follows_when_the_program_changes(panel, session):
    drag(panel, "n", 0.0, 90.0)
    session.edit("text", expression={"text": session.document.expression.text + "p = o * 2\n"})
    assert off(panel, session, "n") == pytest.approx((0.0, 90.0))


def test_a_move_that_a_document_cannot_hold_is_told_and_taken_back(panel, session, qtbot):
    with qtbot.waitSignal(session.told):
        drag(panel, "n", 3e6, 0.0)
    assert off(panel, session, "n") == (0.0, 0.0)


def test_one_edit_after_the_other_of_one_kind_is_undone_field_by_field(session):
    session.edit("rate", merge="m", training={"learning_rate": 0.2})
    session.edit("rate", merge="m", training={"learning_rate": 0.3, "l2": 0.1})
    before = session.document
    session.undo_stack.undo()
    assert session.document == dataclasses.replace(before, training=replace_section(Document(), "training").training)
