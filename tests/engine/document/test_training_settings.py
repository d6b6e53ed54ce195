"""The numbers of optimizers and schedules in the document: what is allowed, what a change drops, what a file holds."""

import json

import pytest

from engine.document import Document, DocumentError, replace_section
from engine.document.document import SETTINGS_OF
from engine.experiment.assemble import changed_settings, trainer_settings
from engine.network import OPTIMIZERS, SCHEDULES, TrainingSettings
from engine.session_file import from_json, to_json

KINDS = [(kind, name) for kind, entries in SETTINGS_OF.items() for name in entries]


def trained_by(**training):
    return replace_section(Document(), "training", **training)


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_every_number_of_every_entry_comes_back_from_a_file(kind, name):
    table = SETTINGS_OF[kind][name].settings_table
    numbers = {key: (setting.default + max(setting.low, 0.0)) / 3 + setting.low / 2 for key, setting in table.items()}
    document = trained_by(**{kind: name, f"{kind}_settings": numbers})
    again = from_json(to_json(document))
    assert again == document
    assert dict(getattr(again.training, f"{kind}_settings")) == numbers
    assert all(setting.description.endswith(".") for setting in table.values())


@pytest.mark.parametrize(
    ("training", "words"),
    [
        ({"optimizer": "sgd", "optimizer_settings": {"beta1": 0.5}}, "no setting of sgd 'beta1'"),
        ({"optimizer": "adam", "optimizer_settings": {"bta1": 0.5}}, "did you mean 'beta1'"),
        ({"optimizer": "adam", "optimizer_settings": {"beta1": 1.0}}, "beta1 of adam must be"),
        ({"optimizer": "adam", "optimizer_settings": {"eps": 0.0}}, "eps of adam must be a finite number from"),
        ({"optimizer": "adam", "optimizer_settings": {"beta1": "0.5"}}, "must be a finite number"),
        ({"optimizer": "adam", "optimizer_settings": {"beta1": True}}, "must be a finite number"),
        ({"schedule": "linear", "schedule_settings": {"steps": 0}}, "steps of linear must be"),
        ({"schedule": "constant", "schedule_settings": {"steps": 10}}, "no setting of constant 'steps'"),
        ({"clip_norm": 0.0}, "training.clip_norm must be a finite number from"),
        ({"clip_value": -1}, "training.clip_value must be a finite number from"),
    ],
)
def test_what_an_optimizer_or_schedule_does_not_take_is_refused(training, words):
    content = json.loads(to_json(Document()))
    content["training"] |= training
    with pytest.raises(DocumentError, match=words):
        from_json(json.dumps(content))
    with pytest.raises(DocumentError, match=words):
        trained_by(**training)


def test_another_optimizer_drops_the_numbers_it_does_not_have():
    document = trained_by(optimizer="adamw", optimizer_settings={"beta1": 0.5, "weight_decay": 0.1})
    document = replace_section(document, "training", optimizer="adam")
    assert document.training.optimizer_settings == (("beta1", 0.5),)
    document = replace_section(document, "training", optimizer="sgd")
    assert document.training.optimizer_settings == ()
    document = trained_by(schedule="linear", schedule_settings={"steps": 100.0, "end": 0.1})
    document = replace_section(document, "training", schedule="warmup")
    assert document.training.schedule_settings == (("steps", 100.0),)


def test_a_trainer_is_told_the_numbers_that_go_with_another_schedule():
    before = trained_by(schedule="linear", schedule_settings={"steps": 100.0}).training
    after = replace_section(Document(), "training", schedule="cosine", schedule_settings={"steps": 100.0}).training
    assert changed_settings(before, after) == {"schedule": "cosine", "schedule_settings": {"steps": 100.0}}


def test_a_trainer_gets_every_setting_of_the_document():
    document = trained_by(
        optimizer="rmsprop", optimizer_settings={"alpha": 0.5}, schedule="inverse", schedule_settings={"steps": 7.0},
        clip_norm=2.0, clip_value=0.5, l1=0.1, l2=0.2, batch_size=3, seed=9, dtype="float32",
    )  # fmt: skip
    settings = TrainingSettings().changed(**trainer_settings(document.training))
    assert settings.optimizer_settings == {"alpha": 0.5}
    assert settings.schedule_settings == {"steps": 7.0}
    assert (settings.clip_norm, settings.clip_value, settings.seed, settings.dtype) == (2.0, 0.5, 9, "float32")
    assert (settings.l1, settings.l2, settings.batch_size) == (0.1, 0.2, 3)


def test_the_tables_are_those_of_the_registries():
    assert set(KINDS) == {("optimizer", name) for name in OPTIMIZERS} | {("schedule", name) for name in SCHEDULES}
