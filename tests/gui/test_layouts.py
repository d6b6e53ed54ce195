"""What can be done with a graph can be done with it in every layout, and in every form of its boxes."""

import pytest
from PySide6.QtCore import QTimer

from engine.graph.forms import FORMS
from engine.graph.legibility import DIRECTIONS, FormChoice
from engine.layout import LAYOUTS
from gui.export.exporter import Exporter
from gui.export.exports import PictureChoices
from gui.presenter.graph_presenter import ALL

pytestmark = pytest.mark.slow

AVAILABLE = [name for name, entry in LAYOUTS.items() if not entry.missing()]
GROUPED = "a = 2.0\nb = -3.0\nc = tanh(a * b)\nd = c + a\n"


def draw(panel, qtbot, **style):
    panel.session.set_view(**style)
    qtbot.waitUntil(lambda: not panel.session.presenter.busy)


def settle(qtbot):
    """Waits until the canvas has considered its new size, in the next turn of the event loop."""
    turns = []
    QTimer.singleShot(0, lambda: turns.append(True))
    qtbot.waitUntil(lambda: bool(turns))


@pytest.mark.parametrize("name", AVAILABLE)
def test_stepping_finding_groups_and_export_work_in_every_layout(panel, session, qtbot, name):
    session.edit("type", expression={"text": GROUPED})
    draw(panel, qtbot, layout=name)
    presenter = session.presenter
    presenter.set_position(0)
    for _ in range(presenter.n_steps):
        presenter.next()
    assert presenter.position == presenter.n_steps
    presenter.set_position(ALL)
    assert panel.canvas.search("c") and panel.canvas.key_at(
        panel.canvas.mapFromScene(panel.canvas.centre_of("c")).toPointF()
    )
    before = set(presenter.picture.boxes)
    presenter.groups.expand("op:c")
    qtbot.waitUntil(lambda: not presenter.busy and set(presenter.picture.boxes) > before)
    presenter.groups.collapse("op:c")
    qtbot.waitUntil(lambda: not presenter.busy and set(presenter.picture.boxes) == before)
    exporter = Exporter(panel, panel)
    for extension in ("svg", "dot", "json"):
        assert exporter.snapshot().content(PictureChoices(extension))
    exporter.stop()


@pytest.mark.parametrize("name", ["planar", "kamada_kawai"])
def test_a_layout_that_cannot_draw_the_graph_says_why_and_leaves_it_in_layers(panel, session, qtbot, monkeypatch, name):
    told = []
    session.message_posted.connect(lambda text, kind: told.append((kind, text)))
    monkeypatch.setattr("engine.layout.registry.importlib.util.find_spec", lambda _name: None)
    monkeypatch.setattr("engine.layout.registry.nx.check_planarity", lambda _graph: (False, None))
    places = {key: (box.x, box.y) for key, box in session.presenter.picture.boxes.items()}
    draw(panel, qtbot, layout=name)
    [(kind, sentence)] = told
    assert kind == "note" and sentence.startswith(LAYOUTS[name].title) and sentence.endswith("in layers instead.")
    assert {key: (box.x, box.y) for key, box in session.presenter.picture.boxes.items()} == places
    panel.action_set.show_reasons()
    action = panel.action_set[f"layout {name}"]
    assert not action.isEnabled() and action.toolTip() in sentence


def test_the_form_is_chosen_once_for_all_sizes_on_the_way(panel, session, qtbot):
    panel.resize(1000, 420)
    settle(qtbot)
    pictures = []
    session.presenter.picture_changed.connect(pictures.append)
    for size in ((420, 1000), (1000, 420), (420, 900), (420, 1000)):
        panel.resize(*size)
    assert not pictures
    qtbot.waitUntil(lambda: session.presenter.placement.choice.direction == "down")
    assert len(pictures) == 1


@pytest.mark.parametrize("choice", [FormChoice(form, way) for form in FORMS for way in DIRECTIONS], ids="-".join)
def test_a_box_is_found_where_it_is_drawn_in_every_form(panel, session, qtbot, choice):
    draw(panel, qtbot, form=choice.form, direction=choice.direction)
    assert session.presenter.placement.choice == choice
    canvas = panel.canvas
    for key, box in canvas.picture.boxes.items():
        assert box.form == choice.form
        for share in (-0.45, 0.0, 0.45):
            corner = canvas.mapFromScene(box.x + share * box.width, box.y + share * box.height)
            assert canvas.key_at(corner.toPointF()) == key


def test_another_shape_of_the_canvas_takes_the_form_that_is_read_best_in_it(panel, session, qtbot):
    panel.resize(1000, 420)
    qtbot.waitUntil(lambda: session.presenter.placement.choice.direction == "right")
    panel.resize(420, 1000)
    qtbot.waitUntil(lambda: session.presenter.placement.choice.direction == "down")
    assert panel.canvas.visible_region.contains(panel.canvas.content_area())


def test_a_user_who_looks_closer_keeps_the_form(panel, session, qtbot):
    panel.resize(1000, 420)
    settle(qtbot)
    before = session.presenter.placement.choice
    panel.canvas.set_zoom(2.0)
    panel.resize(420, 1000)
    settle(qtbot)
    assert session.presenter.placement.choice == before and panel.canvas.zoom == 2.0


def test_a_fixed_form_is_kept_in_every_canvas(panel, session, qtbot):
    draw(panel, qtbot, form="row", direction="right")
    panel.resize(420, 1000)
    settle(qtbot)
    assert session.presenter.placement.choice == ("row", "right")


def test_what_is_dragged_fixes_the_form_until_that_is_undone(panel, session, qtbot):
    panel.resize(1000, 420)
    settle(qtbot)
    choice = session.presenter.placement.choice
    panel.canvas.drag_node("n", 50.0, 60.0)
    panel.canvas.finish_drag("n")
    view = session.document.view
    assert (view.form, view.direction) == choice and view.moved
    panel.canvas.fit()
    panel.resize(420, 1000)
    settle(qtbot)
    assert session.presenter.placement.choice == choice
    session.undo_stack.undo_edit()
    assert (session.document.view.form, session.document.view.direction) == ("auto", "auto")
    panel.resize(430, 1000)
    qtbot.waitUntil(lambda: session.presenter.placement.choice.direction == "down")


def test_a_session_with_moved_boxes_from_before_there_were_forms_has_rows():
    from engine.session_file import from_json

    old = '{"gradstep": 2, "view": {"direction": "right", "moved": {"n": [30.0, 40.0]}}}'
    assert from_json(old).view.form == "row"
    assert from_json('{"gradstep": 2, "view": {"direction": "right"}}').view.form == "auto"
