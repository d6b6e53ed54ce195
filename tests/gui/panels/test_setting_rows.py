import csv
from pathlib import Path

import numpy as np
import pytest

from engine.document.document import SETTINGS_OF
from gui.panels.network import NetworkPanel

DEMO_LOG = Path(__file__).parents[3] / "resources" / "examples" / "demo_log.csv"


def published():
    lines = DEMO_LOG.read_text(encoding="utf-8").splitlines()
    return [(float(row["loss"]), float(row["accuracy"])) for row in csv.DictReader(lines[1:])]


def trained(session, qtbot, steps):
    """Each step by the button for a step; every progress that came."""
    seen = []
    for step in range(1, steps + 1):
        session.train("step")
        qtbot.waitUntil(lambda step=step: session.newest is not None and session.newest.snapshot.step == step)
        seen.append(session.newest)
    return seen


@pytest.mark.slow
def test_all_losses_of_micrograds_demo_come_out_in_the_window(session, qtbot, shown):
    """The published run, set up as a user does in the fields of the panel: moons of seed 1337, MLP 2-16-16-1, hinge."""
    panel = shown(NetworkPanel)
    session.edit("seed of the data", data={"n_samples": 100, "noise": 0.1, "seed": 1337})
    panel.sizes.enter("2, 16, 16, 1")
    choices = {"network.activation": "relu", "training.loss": "hinge", "training.schedule": "linear"}
    for name, value in choices.items():
        panel.fields[name].commit(value)
    entries = {"network.seed": "1337", "training.learning_rate": "1", "training.l2": "1e-4"}
    entries |= {"training.schedule_settings.steps": "100", "training.schedule_settings.end": "0.1"}
    for name, text in entries.items():
        panel.fields[name].enter(text)
    progress = trained(session, qtbot, 100)
    losses, accuracies = zip(*published(), strict=True)
    assert len(losses) == 100
    assert progress[-1].curve_steps.tolist() == list(range(100))
    np.testing.assert_allclose(progress[-1].curve_losses, losses, atol=1e-9)
    np.testing.assert_allclose([100 * p.accuracy for p in progress[:-1]], accuracies[1:], atol=1e-9)
    assert progress[-1].accuracy == 1.0


@pytest.mark.parametrize("kind", SETTINGS_OF)
def test_the_rows_are_those_of_the_chosen_entry(session, shown, kind):
    panel = shown(NetworkPanel, height=900)
    fields = {name.rpartition(".")[2]: field for name, field in panel.fields.items() if f"{kind}_settings" in name}
    for name, entry in SETTINGS_OF[kind].items():
        panel.fields[f"training.{kind}"].commit(name)
        visible = {key: field.text() for key, field in fields.items() if not field.parentWidget().isHidden()}
        assert {key: float(text) for key, text in visible.items()} == {
            key: setting.default for key, setting in entry.settings_table.items()
        }


def test_a_number_is_typed_undone_and_refused_beside_its_field(session, shown):
    panel = shown(NetworkPanel)
    panel.fields["training.optimizer"].commit("adam")
    field = panel.fields["training.optimizer_settings.beta1"]
    field.enter("0.5")
    assert session.document.training.optimizer_settings == (("beta1", 0.5),)
    field.enter("1")
    assert field.problem == "beta1 of the optimizer must be a finite number at least 0 and below 1, not 1.0"
    session.undo_stack.undo()
    assert session.document.training.optimizer_settings == ()
    assert field.text() == "0.9"
    assert field.problem == ""


def test_the_limits_of_the_gradient_are_none_or_a_number(session, shown):
    panel = shown(NetworkPanel)
    field = panel.fields["training.clip_norm"]
    assert field.text() == "none"
    field.enter("0.5")
    assert session.document.training.clip_norm == 0.5
    field.enter("0")
    assert "must be" in field.problem
    field.enter("None")
    assert session.document.training.clip_norm is None
