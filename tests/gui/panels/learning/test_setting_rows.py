import pytest

from engine.document.document import SETTINGS_OF
from gui.panels.learning.learning import LearningPanel


@pytest.mark.parametrize("kind", SETTINGS_OF)
def test_the_rows_are_those_of_the_chosen_entry(session, shown, kind):
    panel = shown(LearningPanel, height=900)
    fields = {name.rpartition(".")[2]: field for name, field in panel.fields.items() if f"{kind}_settings" in name}
    for name, entry in SETTINGS_OF[kind].items():
        panel.fields[f"training.{kind}"].commit(name)
        visible = {key: field.text() for key, field in fields.items() if not field.parentWidget().isHidden()}
        assert {key: float(text) for key, text in visible.items()} == {
            key: setting.default for key, setting in entry.settings_table.items()
        }


def test_a_number_is_typed_undone_and_refused_beside_its_field(session, shown):
    panel = shown(LearningPanel)
    panel.fields["training.optimizer"].commit("adam")
    field = panel.fields["training.optimizer_settings.beta1"]
    field.enter("0.5")
    assert session.document.training.optimizer_settings == (("beta1", 0.5),)
    field.enter("1")
    assert field.problem == "Beta1 of the optimizer must be a finite number at least 0 and below 1, not 1.0"
    session.undo_stack.undo_edit()
    assert session.document.training.optimizer_settings == ()
    assert field.text() == "0.9"
    assert field.problem == ""


def test_the_limits_of_the_gradient_are_none_or_a_number(session, shown):
    panel = shown(LearningPanel)
    field = panel.fields["training.clip_norm"]
    assert field.text() == "none"
    field.enter("0.5")
    assert session.document.training.clip_norm == 0.5
    field.enter("0")
    assert "must be" in field.problem
    field.enter("None")
    assert session.document.training.clip_norm is None
