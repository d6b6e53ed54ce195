"""The graph panel: what is dragged, shown and chosen on the canvas and in its header reaches the session and back."""

import dataclasses

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from engine.document import Document, replace_section
from engine.session_file import from_json, to_json
from tests.gui.dragging import drag, off
from tests.gui.menus import entry

pytestmark = pytest.mark.slow


def test_a_dragged_value_is_kept_in_the_document_and_comes_back_with_undo(panel, session):
    drag(panel, "n", 30.0, 90.0)
    assert dict(session.document.view.moved)["n"] == pytest.approx((30.0, 90.0))
    assert off(panel, session, "n") == pytest.approx((30.0, 90.0))
    assert "move n" in session.undo_stack.undo_label
    session.undo_stack.undo_edit()
    assert off(panel, session, "n") == (0.0, 0.0)
    session.undo_stack.redo_edit()
    assert off(panel, session, "n") == pytest.approx((30.0, 90.0))


@pytest.mark.parametrize("far", [1e6, 1e9, -1e308])
def test_a_value_dragged_out_of_sight_stays_where_it_can_be_found_again(panel, session, far):
    drag(panel, "n", far, far)
    assert max(map(abs, dict(session.document.view.moved)["n"])) == 1e6
    panel.action_set["reset positions"].trigger()
    assert off(panel, session, "n") == (0.0, 0.0)


def test_a_drag_lays_nothing_out_and_leaves_the_stepper_alone(panel, session):
    session.presenter.set_position(3)
    laid_out = session.presenter.placement.laid_out
    drag(panel, "n", 30.0, 90.0)
    assert session.presenter.placement.laid_out is laid_out
    assert session.presenter.position == 3


def test_undoing_a_drag_leaves_what_the_canvas_shows(panel, session, qtbot):
    drag(panel, "n", 30.0, 90.0)
    session.set_view(shows="network")
    session.undo_stack.undo_edit()
    assert session.document.view.shows == "network"
    assert session.document.view.moved == ()


def test_a_program_and_the_network_keep_their_moves_apart_though_they_share_names(panel, session, qtbot):
    drag(panel, "x1", 30.0, 90.0)
    session.set_view(shows="network")
    qtbot.waitUntil(lambda: not session.presenter.busy, timeout=5000)
    assert off(panel, session, "x1") == (0.0, 0.0)
    drag(panel, "x1", -20.0, 50.0)
    assert off(panel, session, "x1") == pytest.approx((-20.0, 50.0))
    panel.action_set["reset positions"].trigger()
    assert off(panel, session, "x1") == (0.0, 0.0)
    session.undo_stack.undo_edit()
    session.reset_document(from_json(to_json(session.document)))
    qtbot.waitUntil(lambda: not session.presenter.busy, timeout=5000)
    assert off(panel, session, "x1") == pytest.approx((-20.0, 50.0))
    session.set_view(shows="expression")
    assert off(panel, session, "x1") == pytest.approx((30.0, 90.0))


def test_moves_are_saved_and_loaded(panel, session):
    drag(panel, "n", 30.0, 90.0)
    session.reset_document(from_json(to_json(session.document)))
    assert off(panel, session, "n") == pytest.approx((30.0, 90.0))


def test_a_moved_value_follows_when_the_program_changes(panel, session):
    drag(panel, "n", 0.0, 90.0)
    session.edit("text", expression={"text": session.document.expression.text + "p = o * 2\n"})
    assert off(panel, session, "n") == pytest.approx((0.0, 90.0))


def test_a_move_that_a_document_cannot_hold_is_told_and_taken_back(panel, session, qtbot):
    session.set_view(moved={f"k{number}": (0.0, 1.0) for number in range(10_000)})
    with qtbot.waitSignal(session.message_posted):
        drag(panel, "n", 30.0, 0.0)
    assert off(panel, session, "n") == (0.0, 0.0)


def test_one_edit_after_the_other_of_one_kind_is_undone_field_by_field(session):
    session.edit("rate", merge="m", training={"learning_rate": 0.2})
    session.edit("rate", merge="m", training={"learning_rate": 0.3, "l2": 0.1})
    before = session.document
    session.undo_stack.undo_edit()
    assert session.document == dataclasses.replace(before, training=replace_section(Document(), "training").training)


def test_the_view_follows_the_walk_through_the_update_too(panel, session):
    for _ in range(4):
        panel.canvas.action_set["zoom in"].trigger()
    for position in range(session.presenter.walk.phases["update"], session.presenter.n_steps):
        session.presenter.set_position(position + 1)
        (key,) = session.presenter.touched()[0]
        assert panel.canvas.viewport().rect().contains(panel.canvas.node_area(key).center().toPoint())


# Edges


@pytest.mark.parametrize("shows", ["expression", "network"])
def test_the_header_fits_a_narrow_column(panel, session, qtbot, shows):
    session.set_view(shows=shows)
    panel.resize(420, 600)
    qtbot.waitUntil(lambda: panel.header.width() <= 420)
    assert panel.minimumSizeHint().width() <= 420
    buttons = [button for button in panel.header.findChildren(QToolButton) if button.isVisible()]
    assert {"Expression", "Network", "View ▾"} <= {button.text() for button in buttons}
    qtbot.waitUntil(lambda: all(button.width() >= button.sizeHint().width() for button in buttons))
    panel.resize(900, 600)
    qtbot.waitUntil(lambda: panel.header.fit_button.isVisible() and panel.header.find_button.isVisible())


def test_the_zoom_is_shown_and_a_click_goes_to_natural_size(panel, qtbot):
    panel.canvas.set_zoom(0.5)
    assert panel.header.zoom_button.text() == "50 %"
    qtbot.mouseClick(panel.header.zoom_button, Qt.MouseButton.LeftButton)
    assert panel.canvas.zoom == 1.0 and panel.header.zoom_button.text() == "100 %"


def test_turning_the_layout_forgets_the_moves_and_can_be_undone(panel, session):
    session.set_view(direction="right")
    drag(panel, "n", 0.0, 90.0)
    entry(panel.header.view_menu, "Top-down").trigger()
    assert session.document.view.direction == "down" and session.document.view.moved == ()
    boxes = panel.canvas.picture.boxes
    assert boxes["o"].y > boxes["n"].y > boxes["b"].y
    session.undo_stack.undo_edit()
    assert session.document.view.direction == "right" and off(panel, session, "n") == pytest.approx((0.0, 90.0))


def test_positions_can_be_reset(panel, session):
    reset = entry(panel.header.view_menu, "Reset positions")
    assert not reset.isEnabled()
    drag(panel, "n", 0.0, 90.0)
    reset.trigger()
    assert off(panel, session, "n") == (0.0, 0.0) and not reset.isEnabled()
    session.undo_stack.undo_edit()
    assert off(panel, session, "n") == pytest.approx((0.0, 90.0))


def test_constants_can_be_hidden(panel, session):
    session.edit("text", expression={"text": "a = 2\nb = a * 3\n"})
    assert len(panel.canvas.picture.boxes) == 3
    entry(panel.header.view_menu, "Hide constants").trigger()
    assert len(panel.canvas.picture.boxes) == 2


# Finding


def test_a_selected_neuron_that_is_opened_and_closed_stays_selected(panel, session):
    session.edit("sizes", network={"layer_sizes": (2, 3, 1)})
    session.set_view(shows="network")
    session.select("group:L1N2")
    session.presenter.groups.expand("L1N2")
    assert panel.canvas.picture.boxes[session.selection].label == "L1N2" == panel.canvas.picture.boxes["L1N2"].label
    assert panel.canvas.selected == session.selection
    session.select("L1N2.w1")
    session.presenter.groups.collapse("L1N2")
    assert session.selection == panel.canvas.selected == "group:L1N2"


def test_nothing_stays_selected_in_another_graph(panel, session):
    session.select("n")
    session.edit("type", expression={"text": "a = 2\nb = a * a"})
    assert session.selection is None


def test_an_edited_program_keeps_the_view_and_an_opened_file_is_looked_at_afresh(panel, session, tmp_path, qtbot):
    canvas = panel.canvas
    session.edit("type", expression={"text": "a = 2.0\nb = tanh(a)"})
    session.edit("type", expression={"text": "a = 2.0\nb = tanh(a)\nc = b * a"})
    canvas.set_zoom(3.0)
    canvas.center_on("a")
    session.edit("type", expression={"text": "a = 2.0\nb = tanh(a)\nc = b * a\nd = c + 1"})
    assert canvas.zoom == pytest.approx(3.0)
    file = tmp_path / "other.txt"
    file.write_text("u = 1.0\nv = exp(u)\n")
    assert session.open(file)
    qtbot.waitUntil(lambda: not session.presenter.busy)
    assert canvas.zoom < 2.0
    assert canvas.visible_region.contains(canvas.content_area())


def test_an_edit_draws_the_canvas_once(panel, session, monkeypatch):
    drawn = []
    for name in ("show_picture", "show_activity"):
        real = getattr(panel.canvas, name)
        monkeypatch.setattr(
            panel.canvas, name, lambda *given, real=real, name=name, **more: (drawn.append(name), real(*given, **more))
        )
    key = next(iter(session.presenter.picture.boxes))
    for action in (
        lambda: session.select(key),
        lambda: session.edit("text", expression={"text": "p = 2\nq = p * p"}),
        lambda: session.undo_stack.undo_edit(),
        lambda: session.set_view(shows="network"),
    ):
        drawn.clear()
        action()
        assert drawn.count("show_picture") <= 1 and drawn.count("show_activity") == 1
