"""Points drawn by hand: every click, drag and key is an edit of the document that undo takes back."""

import pytest
from PySide6.QtCore import QObject

from datasets import DATASETS
from gui.panels.planes import point_editing
from gui.panels.planes.point_editing import PointEditing, nearest_point


@pytest.fixture
def editing(session, monkeypatch):
    monkeypatch.setattr(point_editing, "DRAG_MILLISECONDS", 1)
    owner = QObject()
    editing = PointEditing(session, owner)
    editing.pixel = 0.01
    editing.set_active(True)
    yield editing
    owner.deleteLater()


def told(session):
    messages = []
    session.message_posted.connect(lambda text, _kind: messages.append(text))
    return messages


def test_the_present_data_become_drawn_points_with_the_first_click(session, editing):
    before, document = editing.points, session.document
    assert len(before) == 100
    assert session.document.data.source == "generator"
    editing.choose(1)
    editing.press(0.5, -1.0)
    assert session.document.data.points == (*before, (0.5, -1.0, 1))
    assert session.document.data.source == "points"
    assert session.dataset.n_samples == 101
    assert session.undo_stack.undo_label == "point of class 1"
    session.undo_stack.undo_edit()
    assert session.document.data == document.data
    assert editing.points == before


@pytest.mark.parametrize(("name", "classes"), [("moons", ("-1", "1")), ("xor", ("0", "1"))])
def test_the_classes_of_the_data_that_are_drawn_upon_stay_what_the_network_was_trained_on(
    session, editing, name, classes
):
    session.edit("data", data={"name": name})
    trained_on = session.dataset.y[:4].tolist()
    for x in (3.0, 4.0):
        editing.press(x, 2.5)
        editing.release()
        assert session.dataset.class_names == classes and session.dataset.y[:4].tolist() == trained_on
    editing.choose(2)
    editing.press(5.0, 2.5)
    assert session.dataset.class_names == ("0", "1", "2")
    session.undo_stack.undo_edit()
    assert session.dataset.class_names == classes


def test_a_press_and_a_long_drag_are_one_undo_step(session, editing, qtbot):
    editing.press(0.5, -2.0)
    editing.release()
    assert session.undo_stack.index == 1
    editing.press(0.5, -2.0)
    for step in range(1, 9):
        editing.drag(0.5 + step / 8, -2.0)
        qtbot.waitUntil(lambda: session.document.data.points[-1][0] == editing.points[editing.held][0])
    editing.release()
    assert session.document.data.points[-1] == (1.5, -2.0, 0)
    assert session.undo_stack.index == 2
    editing.press(1.5, -2.0)
    editing.drag(1.0, -2.5)
    editing.release()
    assert session.document.data.points[-1] == (1.0, -2.5, 0)
    assert session.undo_stack.undo_label == "move of a point"
    session.undo_stack.undo_edit()
    assert session.document.data.points[-1] == (1.5, -2.0, 0)
    session.undo_stack.undo_edit()
    session.undo_stack.undo_edit()
    assert session.document.data.source == "generator"


def test_undo_in_the_middle_of_a_drag_lets_go_of_the_point(session, editing):
    """The index that was held could be another point's after it."""
    x, y, _kind = editing.points[3]
    editing.press(x, y)
    editing.drag(x + 1.0, y)
    editing.release()
    moved = session.document.data.points
    editing.press(moved[3][0], moved[3][1])
    session.undo_stack.undo_edit()
    before = session.document
    assert editing.held is None
    editing.drag(9.0, 9.0)
    editing.release()
    assert session.document == before


def test_a_click_on_a_point_changes_nothing_and_a_right_click_deletes_it(session, editing):
    x, y, _kind = editing.points[3]
    rest = (*editing.points[:3], *editing.points[4:])
    before = session.document
    editing.press(x, y)
    editing.release()
    assert session.document == before
    editing.delete(x, y)
    assert session.document.data.points == rest
    editing.delete(50.0, 50.0)
    assert session.document.data.points == rest


def test_from_nothing_the_old_data_train_on_until_the_first_point(session, editing):
    before = session.document
    editing.clear()
    assert editing.is_blank
    assert editing.sentence.startswith("No points yet")
    assert session.document == before
    editing.press(1.0, 2.0)
    editing.release()
    assert session.document.data.points == ((1.0, 2.0, 0),)
    assert session.dataset.n_samples == 1
    assert not editing.is_blank
    session.undo_stack.undo_edit()
    assert session.document.data == before.data


@pytest.mark.parametrize("loss", ["mean_squared_error", "hinge", "softmax_cross_entropy"])
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_share_of_test_data_that_was_chosen_before_refuses_no_point(session, editing, loss, share):
    session.edit("settings", data={"test_share": share}, training={"loss": loss})
    editing.clear()
    messages = told(session)
    for index, kind in enumerate((0, 0, 1, 1, 2)):
        editing.choose(kind)
        editing.press(float(index), 0.0)
    editing.release()
    assert session.data.raw.n_samples == 5
    assert not any("cannot" in message for message in messages)


def test_the_last_point_stays_with_the_reason(session, editing):
    editing.clear()
    editing.press(1.0, 2.0)
    messages = told(session)
    editing.delete(1.0, 2.0)
    assert session.document.data.points == ((1.0, 2.0, 0),)
    assert "the last point stays" in messages[-1]


def test_classes_are_taken_up_one_after_the_other_to_ten(session, editing):
    editing.clear()
    messages = told(session)
    editing.choose(5)
    assert (editing.kind, messages) == (0, ["classes are numbered without gaps: the next one is 2"])
    for kind in range(10):
        editing.choose(kind)
        editing.press(float(kind), 0.0)
    editing.release()
    assert session.dataset.n_classes == 10
    assert session.document.network.layer_sizes[-1] == 10
    assert list(editing.offered) == list(range(10))


def test_by_keyboard_a_point_is_put_taken_up_moved_and_deleted(session, editing):
    editing.clear()
    editing.view = (-1.0, 1.0, -1.0, 1.0)
    editing.act_at_cursor()
    assert session.document.data.points == ((0.0, 0.0, 0),)
    editing.move_cursor(0.25, 0.0)
    editing.choose(1)
    editing.act_at_cursor()
    assert session.document.data.points == ((0.0, 0.0, 0), (0.5, 0.0, 1))
    editing.act_at_cursor()
    assert editing.held == 1
    editing.move_cursor(0.0, 0.25)
    editing.act_at_cursor()
    assert session.document.data.points == ((0.0, 0.0, 0), (0.5, 0.5, 1))
    editing.go_to_next()
    assert editing.cursor == (0.0, 0.0)
    editing.delete_at_cursor()
    assert session.document.data.points == ((0.5, 0.5, 1),)
    assert session.undo_stack.index == 4


@pytest.mark.parametrize("name", [name for name, entry in DATASETS.items() if entry.n_features != 2])
def test_data_that_are_no_classes_in_the_plane_are_drawn_from_nothing(session, editing, name):
    session.edit("data", data={"name": name})
    editing.set_active(True)
    assert editing.points == ()
    assert editing.is_blank


def test_what_is_pointed_at_is_the_nearest_point_and_of_two_the_later():
    points = ((0.0, 0.0, 0), (1.0, 0.0, 1), (0.0, 0.0, 2))
    assert nearest_point(points, 0.1, 0.0, 0.2) == 2
    assert nearest_point(points, 0.9, 0.1, 0.2) == 1
    assert nearest_point(points, 0.5, 0.0, 0.2) is None
    assert nearest_point((), 0.0, 0.0, 1.0) is None


def test_undo_of_a_point_that_is_being_dragged_ends_the_drag(session, editing):
    editing.clear()
    editing.press(1.0, 2.0)
    editing.release()
    editing.press(5.0, 2.0)
    editing.drag(6.0, 2.0)
    session.undo_stack.undo_edit()
    editing.release()
    assert session.document.data.points == ((1.0, 2.0, 0),)
