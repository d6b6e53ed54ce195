"""Sentences on settings that are allowed and odd."""

import pytest

from engine.document import Document, replace_section
from engine.experiment.advice import optimizer_hint, setting_hints, slow_step_note
from engine.network import TrainingSettings
from tests.fuzz.sessions import advice_on


def document(**sections):
    made = Document()
    for name, fields in sections.items():
        made = replace_section(made, name, **fields)
    return made


def test_an_ordinary_session_needs_no_advice():
    assert advice_on(Document()) == []


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"training": {"learning_rate": 0.0}}, "nothing will change"),
        ({"training": {"learning_rate": 1e9}}, "far above what trains"),
        ({"training": {"l2": 1e9}}, "more than all of a weight"),
        (
            {"training": {"optimizer": "adamw", "optimizer_settings": {"weight_decay": 1e9}}},
            "more than all of a weight",
        ),
        (
            {"training": {"loss": "binary_cross_entropy"}, "network": {"output_activation": "sigmoid"}},
            "a sigmoid or softmax itself",
        ),
        ({"network": {"initialiser": "zeros"}}, "symmetry"),
    ],
)
def test_what_is_allowed_and_odd_is_said_in_a_sentence(sections, words):
    (note,) = advice_on(document(**sections))
    assert words in note
    assert note.endswith(".")


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"training": {"batch_size": 101}}, "all 100 samples"),
        ({"training": {"batch_size": 10}, "data": {"name": "xor"}}, "all 4 samples"),
        ({"training": {"batch_size": 2}, "data": {"n_samples": 1}}, "the only sample"),
    ],
)
def test_a_batch_larger_than_the_data_gets_a_hint_at_its_setting(sections, words):
    assert words in setting_hints(document(**sections))["batch_size"]


def test_a_batch_of_all_samples_gets_none():
    assert "batch_size" not in setting_hints(document(training={"batch_size": 100}))


def test_what_became_of_the_memory_of_an_optimizer_is_that_of_the_last_change():
    momentum, adam, sgd = (TrainingSettings(optimizer=name) for name in ("momentum", "adam", "sgd"))
    other = adam.changed(optimizer_settings={"beta1": 0.8})
    assert optimizer_hint(((0, momentum),)) == ""
    assert "empty memory at step 5" in optimizer_hint(((0, momentum), (5, adam)))
    assert "kept" in optimizer_hint(((0, momentum), (5, adam), (9, other)))
    assert "Adam is gone" in optimizer_hint(((0, momentum), (5, adam), (9, sgd)))
    assert optimizer_hint(((0, adam), (9, adam.changed(l2=0.1)))) == ""


@pytest.mark.parametrize(
    "training", [{"batch_size": 100}, {"l2": 1.0}, {"optimizer": "adam", "l2": 1e9}, {"optimizer": "adamw"}]
)
def test_what_is_large_and_in_order_is_not_mentioned(training):
    assert advice_on(document(training=training)) == []


def test_only_a_step_that_takes_long_is_warned_of():
    assert slow_step_note(Document()) == ""
    wide = document(network={"layer_sizes": [2, 256, 256, 1]}, data={"n_samples": 100_000})
    assert "about 7 s" in slow_step_note(wide)
    assert advice_on(wide) == [slow_step_note(wide)]
    assert slow_step_note(replace_section(wide, "data", name="xor")) == ""
