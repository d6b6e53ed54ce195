"""Every setting of the engine can be reached in the window: the document's fields against the window's controls."""

import dataclasses

import pytest
from PySide6.QtWidgets import QWidget

from engine.document import Document
from engine.document.document import SECTIONS
from engine.network import ACTIVATIONS, INITIALISERS, LOSSES, OPTIMIZERS, SCHEDULES, StopRules, TrainingSettings
from gui.arrangement import PANELS

NO_SETTINGS = {"trained", "runs"}
"""Sections that hold what came about, not what one sets."""


def take(button, title):
    """Takes an entry of the menu over a column of the drawn network."""
    button.fill()
    next(action for action in button.menu().actions() if action.text() == title).trigger()


def choose_tile(panel, source, name=""):
    panel.tiles.choose(next(tile for tile in panel.tiles.tiles if tile.source == source and name in tile.key))


def show_two_samples(window, _panel):
    window.session.set_view(shows="network")
    window.action("samples 2").trigger()


DEEDS = {
    "expression.text": ("ExpressionPanel", lambda window, panel: panel.editor.insertPlainText("z = 1\n")),
    "data.name": ("DataPanel", lambda window, panel: choose_tile(panel, "generator", "circles")),
    "data.source": ("DataPanel", lambda window, panel: choose_tile(panel, "formula")),
    "data.features": ("DataPanel", lambda window, panel: panel.inputs.buttons["x1^2"].click()),
    "data.scaling": ("DataPanel", lambda window, panel: panel.inputs.scaling.click()),
    "data.keep_weights": ("DataPanel", lambda window, panel: panel.keep_weights.click()),
    "network.activations": ("NetworkPanel", lambda window, panel: take(panel.diagram.hidden[0].activation, "ReLU")),
    "network.output_activation": ("NetworkPanel", lambda window, panel: take(panel.diagram.output.menu, "tanh")),
    "view.shows": ("", lambda window, panel: window.action("show network").trigger()),
    "view.n_samples": ("", show_two_samples),
    "view.direction": ("", lambda window, panel: window.action("direction down").trigger()),
    "view.form": ("", lambda window, panel: window.action("form compact").trigger()),
    "view.layout": ("", lambda window, panel: window.action("layout spring").trigger()),
    "view.hide_constants": ("", lambda window, panel: window.action("hide constants").trigger()),
}
"""Fields that are set by something else than a field of a form, and how: the panel, and what a user does there."""
ELSEWHERE = {
    "expression.ranges": "tests/gui/panels/program/test_expression_sliders.py: the ends of a slider are typed",
    "data.table": "tests/gui: a table is imported from a file",
    "data.table_name": "tests/gui: a table is imported from a file",
    "data.table_inputs": "tests/gui: columns are chosen when a table is imported",
    "data.table_target": "tests/gui: columns are chosen when a table is imported",
    "data.table_task": "tests/gui: the task is chosen when a table is imported",
    "data.left_out": "tests/engine/experiment/test_fitted.py: other data are taken",
    "data.signed_points": "tests/gui/panels/planes/test_point_editing.py: points are clicked on the plot of moons",
    "data.points": "tests/gui/panels/planes/test_point_editing.py: points are clicked on the plot",
    "view.sample": "tests/gui/panels/figures/test_predictions.py: a line of the table is clicked",
    "view.expanded": "tests/gui/test_groups.py: a group is opened on the canvas",
    "view.collapsed": "tests/gui/test_groups.py: a group is closed on the canvas",
    "view.moved": "tests/gui/canvas: a box is dragged",
    "view.moved_in_network": "tests/gui/canvas: a box is dragged",
}
"""Fields whose control needs more than a click: where it is tested."""


BESIDE = {"zero_grad"}
"""Settings that are a mistake: one sees what they do in the panel with two runs side by side."""


@pytest.fixture
def whole(make_window):
    """The window with every panel made."""
    window = make_window()
    for name in PANELS:
        window.docks[name].panel.catch_up()
    return window


def every_field():
    return {
        f"{name}.{item.name}"
        for name, kind in SECTIONS.items()
        if name not in NO_SETTINGS
        for item in dataclasses.fields(kind)
    }


def bound(window):
    """The widgets that set a field of the document, by its name."""
    widgets = window.findChildren(QWidget)
    return {widget.document_field: widget for widget in widgets if hasattr(widget, "document_field")}


@pytest.mark.long
def test_every_field_has_a_control_with_every_entry_of_its_registry_and_each_of_their_numbers(whole, subtests):
    """One window with every panel, which takes a second, for all that is only looked at."""
    with subtests.test("every field of the document has a control"):
        known = {*bound(whole), *DEEDS, *ELSEWHERE}
        assert every_field() - known == set()
        assert known - every_field() <= {"training.optimizer_settings", "training.schedule_settings"}
    with subtests.test("every entry of every registry can be chosen"):
        assert_every_entry_can_be_chosen(whole)
    with subtests.test("each of their numbers can be set"):
        assert_each_number_can_be_set(whole)


@pytest.mark.long
def test_what_stands_in_no_form_is_set_by_a_click(whole):
    for field, (panel, do) in DEEDS.items():
        section, name = field.split(".")
        whole.session.reset_document(Document())
        do(whole, whole.docks[panel].panel if panel else None)
        whole.session.commit_requested.emit()
        assert getattr(getattr(whole.session.document, section), name) != getattr(getattr(Document(), section), name), (
            field
        )


def test_every_setting_of_the_trainer_and_every_stop_rule_is_a_field_of_the_document():
    fields = {item.name for item in dataclasses.fields(Document().training)} | BESIDE
    rules = {item.name for item in dataclasses.fields(StopRules)} - {"every"}  # how often, in steps: no rule of its own
    assert {item.name for item in dataclasses.fields(TrainingSettings)} | rules == fields


def assert_every_entry_can_be_chosen(whole):
    boxes = bound(whole)
    choices = {"training.loss": LOSSES, "training.optimizer": OPTIMIZERS, "training.schedule": SCHEDULES}
    for field, registry in (choices | {"network.initialiser": INITIALISERS}).items():
        box = boxes[field]
        assert [box.itemData(index) for index in range(box.count())] == list(registry), field
    button = whole.docks["NetworkPanel"].panel.diagram.hidden[0].activation
    button.fill()
    titles = {action.text().lower() for action in button.menu().actions()}
    assert {name if op is None else (op.title or name).lower() for name, op in ACTIVATIONS.items()} <= titles


def assert_each_number_can_be_set(whole):
    fields = whole.docks["LearningPanel"].panel.fields
    for kind, registry in (("optimizer", OPTIMIZERS), ("schedule", SCHEDULES)):
        wanted = {f"training.{kind}_settings.{key}" for entry in registry.values() for key in entry.settings_table}
        assert wanted <= set(fields)


REFUSED = {
    "training.learning_rate": ("−0.1", "nan", "inf", "0,1", "1e", "١", "1_0", "1e10"),
    "training.batch_size": ("0", "-1", "1.5", "many"),
    "training.l2": ("-1", "nan"),
    "training.clip_norm": ("0", "-1"),
    "training.max_epochs": ("0", "1e99"),
    "network.seed": ("-1", "1.5"),
}
"""What the catalogue of bad inputs calls wrong, E002 to E010."""


@pytest.mark.long
def test_what_is_no_setting_is_refused_in_place_and_what_is_odd_is_said_to_be(whole):
    before, controls = whole.session.document, bound(whole)
    for field, entries in REFUSED.items():
        for entry in entries:
            controls[field].enter(entry)
            assert whole.session.document == before and controls[field].problem, (field, entry)
    panel = whole.docks["LearningPanel"].panel
    for optimizer, key in (("momentum", "momentum"), ("adam", "beta2")):
        whole.session.edit("optimizer", training={"optimizer": optimizer})
        before, control = whole.session.document, panel.fields[f"training.optimizer_settings.{key}"]
        control.enter("1")  # a memory that never forgets
        assert whole.session.document == before and control.problem
    for rate in ("0", "1e9"):
        controls["training.learning_rate"].enter(rate)
        panel.catch_up()
        assert whole.session.document.training.learning_rate == float(rate)
        assert "learning rate" in panel.advice.text().lower()


@pytest.mark.long
def test_of_a_field_that_changes_sixty_times_a_second_the_last_value_is_used(window, qtbot):
    session = window.session
    session.run()
    for rate in range(1, 121):
        session.edit("learning rate", "drag", training={"learning_rate": rate / 1000})
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.learning_rate == 0.12)
    session.pause()
    session.undo_stack.undo_edit()
    assert session.document == Document() and not session.undo_stack.can_undo
