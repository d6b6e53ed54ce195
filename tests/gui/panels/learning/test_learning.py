import dataclasses

import pytest
from PySide6.QtCore import Qt

from gui.panels.learning.learning import LearningPanel
from gui.theme import follow_text_size, set_text_size, style_sheet
from tests.gui.training import train


def typed(qtbot, field, text):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_a_batch_larger_than_the_data_is_said(session, shown):
    panel = shown(LearningPanel)
    hint = panel.hints["batch_size"]
    assert hint.isHidden()
    panel.fields["training.batch_size"].enter("5000")
    assert "5,000" in hint.text() and "all 100 samples" in hint.text() and hint.isVisible()
    session.edit("data set", "", data={"name": "xor"})
    assert "all 4 samples" in hint.text()
    session.edit("batch", "", training={"batch_size": 2})
    assert hint.isHidden()


def test_a_loss_of_distances_says_on_classes_which_loss_suits_them(session, shown):
    panel = shown(LearningPanel)
    hint = panel.hints["loss"]
    session.edit("loss", training={"loss": "mean_squared_error"})
    assert "Binary cross-entropy" in hint.text() and hint.isVisible()
    session.edit("loss", training={"loss": "binary_cross_entropy"})
    assert hint.isHidden()
    session.edit("data", data={"name": "curve"})
    assert session.document.training.loss == "mean_squared_error" and hint.isHidden()


@pytest.mark.parametrize("height", [360, 700])
def test_no_row_moves_when_there_is_something_to_say_about_the_loss(session, shown, qtbot, height):
    panel = shown(LearningPanel, width=270, height=height)
    rate = panel.fields["training.learning_rate"]
    session.edit("loss", training={"loss": "binary_cross_entropy"})
    panel.grab()
    qtbot.waitUntil(lambda: panel.targets.height() == panel.targets.sizeHint().height())
    before = rate.mapTo(panel, rate.rect().topLeft()).y()
    session.edit("loss", training={"loss": "mean_squared_error"})
    panel.grab()
    qtbot.waitUntil(lambda: panel.targets.height() == panel.targets.sizeHint().height())
    assert panel.hints["loss"].isVisible() and rate.mapTo(panel, rate.rect().topLeft()).y() == before
    assert "Binary cross-entropy suits classes better" in panel.fields["training.loss"].toolTip()


def test_another_optimizer_in_a_run_says_what_becomes_of_its_memory(session, shown, qtbot):
    panel = shown(LearningPanel)
    hint = panel.hints["optimizer"]
    session.edit("optimizer", training={"optimizer": "momentum", "learning_rate": 0.01})
    train(session, qtbot, "step")
    assert hint.isHidden(), "before the first step there is no memory"
    session.edit("optimizer", training={"optimizer": "adam"})
    qtbot.waitUntil(hint.isVisible)
    assert "empty memory" in hint.text() and "step 1" in hint.text()
    train(session, qtbot, "step")
    session.edit("numbers", training={"optimizer_settings": {"beta1": 0.8}})
    qtbot.waitUntil(lambda: "kept" in hint.text())
    train(session, qtbot, "step")
    session.edit("optimizer", training={"optimizer": "sgd"})
    qtbot.waitUntil(lambda: "Adam is gone" in hint.text())


def test_a_step_that_does_not_fit_into_memory_is_refused_with_the_batch_size_that_does(session, shown):
    panel, told = shown(LearningPanel), []
    session.message_posted.connect(lambda words, _kind: told.append(words))
    session.edit("sizes", "", network={"layer_sizes": (2, 256, 1)})
    assert not session.edit("points", "", data={"n_samples": 100_000})
    assert told == [
        "The batch size must be at most 20,000 with a network of this size: "
        "a step of 100,000 samples would take 729 MB of memory"
    ]
    panel.fields["training.batch_size"].enter("20000")
    assert session.edit("points", "", data={"n_samples": 100_000})


def test_losses_that_do_not_fit_the_data_cannot_be_chosen(session, shown):
    panel = shown(LearningPanel)
    losses = panel.fields["training.loss"]
    session.edit("data", data={"name": "curve"})
    assert not losses.model().item(losses.findData("hinge")).isEnabled()
    assert losses.model().item(losses.findData("huber")).isEnabled()


@pytest.mark.parametrize(("text", "size"), [("full", None), ("Full", None), ("10", 10)])
def test_the_batch_is_full_or_a_number(qtbot, session, shown, text, size):
    panel = shown(LearningPanel)
    session.edit("batch", training={"batch_size": 7})
    typed(qtbot, panel.fields["training.batch_size"], text)
    assert session.document.training.batch_size == size


@pytest.mark.parametrize("text", ["0", "half", "1.5", "100001"])
def test_a_bad_batch_is_refused(qtbot, session, shown, text):
    panel = shown(LearningPanel)
    typed(qtbot, panel.fields["training.batch_size"], text)
    assert panel.fields["training.batch_size"].problem
    assert session.document.training.batch_size is None


@pytest.mark.slow
def test_changing_the_optimizer_while_it_runs_keeps_the_weights(qtbot, session, shown):
    panel = shown(LearningPanel)
    session.run()
    qtbot.waitUntil(lambda: session.newest is not None and session.newest.snapshot.step > 20)
    panel.fields["training.learning_rate"].enter("0")
    panel.fields["training.optimizer"].commit("adam")
    qtbot.waitUntil(lambda: session.newest.snapshot.optimizer == "adam")
    assert session.newest.snapshot.step > 20
    assert session.run_state == "running"


def test_a_loss_that_changes_the_number_of_outputs_says_so(shown, session):
    told = []
    session.message_posted.connect(lambda text, _kind: told.append(text))
    panel = shown(LearningPanel)
    field = panel.fields["training.loss"]
    field.commit("softmax_cross_entropy")
    assert session.document.network.layer_sizes[-1] == 2
    assert told[-1] == "Softmax cross-entropy needs an output for each class: the network now ends with 2 instead of 1."
    field.commit("mean_squared_error")
    assert told[-1] == "Mean squared error needs a single output: the network now ends with 1 instead of 2."


def test_the_loss_follows_data_that_needs_another_one(session, shown):
    panel = shown(LearningPanel)
    session.edit("data set", data={"name": "spiral3"})
    assert session.document.training.loss == "softmax_cross_entropy"
    assert panel.fields["training.loss"].currentData() == "softmax_cross_entropy"


@pytest.mark.parametrize(
    ("data", "loss", "words"),
    [
        ("moons", "mean_squared_error", "−1 and +1"),
        ("xor", "mean_squared_error", "0 and 1 for the two classes"),
        ("xor", "hinge", "−1 and +1"),
        ("moons", "binary_cross_entropy", "0 and 1 for the two classes"),
        ("moons", "softmax_cross_entropy", "1 for the right class, 0 for the others"),
        ("curve", "huber", "numbers from −"),
    ],
)
def test_the_targets_are_said_with_the_loss(session, shown, data, loss, words):
    panel = shown(LearningPanel)
    session.edit("data set", data={"name": data})
    session.edit("loss", training={"loss": loss})
    assert panel.targets.text().startswith(words)


def test_the_target_of_points_of_one_class_is_said_alone(session, shown):
    panel = shown(LearningPanel)
    session.edit("points", data={"source": "points", "points": [(0.1, 0.2, 0), (0.3, 0.4, 0)]})
    session.edit("loss", training={"loss": "mean_squared_error"})
    assert panel.targets.text().startswith("0 ")


def test_the_numbers_are_exact_or_fast(session, shown):
    panel = shown(LearningPanel)
    panel.fields["training.dtype"].commit("float32")
    assert session.document.training.dtype == "float32"
    session.undo_stack.undo_edit()
    assert panel.fields["training.dtype"].currentData() == "float64"


def test_every_field_of_learning_has_a_control_with_a_name(session, shown):
    panel = shown(LearningPanel)
    fields = panel.fields
    assert all(field.accessibleName() for field in fields.values())
    names = {f"training.{item.name}" for item in dataclasses.fields(session.document.training)}
    assert {name for name in names if "settings" not in name} <= set(fields)


def test_a_panel_that_is_made_while_training_begins_announces_nothing_itself(session, shown):
    announced = []
    session.run()
    session.changed.connect(announced.append)
    panel = shown(LearningPanel)
    assert announced == [] and panel.fields["training.learning_rate"].text() == "0.05"
    session.pause()


@pytest.mark.parametrize(("size", "percent"), [((263, 127), 100), ((376, 190), 150)], ids=["1024 x 700", "at 150 %"])
def test_optimizer_rate_batch_and_l2_are_seen_without_scrolling(shown, qtbot, size, percent):
    panel = shown(LearningPanel, *size)
    set_text_size(percent)
    try:
        panel.setStyleSheet(style_sheet())
        follow_text_size(panel)
        main = [panel.fields[f"training.{name}"] for name in ("loss", "optimizer", "learning_rate", "batch_size", "l2")]
        qtbot.waitUntil(lambda: all(each.visibleRegion().boundingRect().height() > 20 for each in main))
    finally:
        set_text_size(100)
