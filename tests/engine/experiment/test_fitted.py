"""What follows from other data, and that it is said where it changes what somebody has chosen."""

import pytest

from engine.document import Document, DocumentError, replace_section
from engine.experiment.consistency import check_consistent
from engine.experiment.fitted import fitted_to_data
from engine.experiment.prepared import prepare, with_feature


def edited(loss="mean_squared_error", **data):
    document = replace_section(Document(), "training", loss=loss)
    return replace_section(document, "data", **data)


@pytest.mark.parametrize(
    ("loss", "data", "expected", "words"),
    [
        ("hinge", {"name": "spiral3"}, "softmax_cross_entropy", "for the 3 classes"),
        ("hinge", {"name": "curve"}, "mean_squared_error", "regression"),
        ("hinge", {"name": "circles"}, "hinge", ""),
        ("huber", {"name": "curve"}, "huber", ""),
    ],
)
def test_another_loss_is_taken_and_said_where_the_chosen_one_does_not_fit(loss, data, expected, words):
    made, notes = fitted_to_data(edited(loss, **data), with_features=True)
    check_consistent(made)
    assert made.training.loss == expected
    assert bool(notes) == bool(words) and all(words in note for note in notes)


def test_inputs_that_the_data_do_not_have_are_left_out_and_named():
    made, notes = fitted_to_data(edited(name="curve", features=("x1", "x2", "x1x2")), with_features=True)
    assert made.data.features == ("x1",) and made.network.layer_sizes[0] == 1
    assert len(notes) == 1 and "x2, x1x2" in notes[0]
    with pytest.raises(DocumentError, match="needs 2 inputs"):
        fitted_to_data(edited(name="curve", features=("x2",)), with_features=False)


def there_and_back(document, away="curve", back="moons"):
    for name in (away, back):
        document, _notes = fitted_to_data(replace_section(document, "data", name=name), with_features=True)
    return document


@pytest.mark.parametrize("features", [(), ("x1", "x2", "x1^2", "x1x2"), ("x2",), ("x1x2", "sin x2"), ("x1", "x1^2")])
def test_inputs_that_were_left_out_are_chosen_again_with_data_that_have_them(features):
    document, _notes = fitted_to_data(edited(features=features), with_features=False)
    assert there_and_back(document) == document


def test_what_is_chosen_meanwhile_stays_chosen_beside_what_was_left_out():
    document, _notes = fitted_to_data(edited(features=("x1", "x2", "x1x2")), with_features=False)
    curve, _notes = fitted_to_data(replace_section(document, "data", name="curve"), with_features=True)
    curve = replace_section(curve, "data", features=with_feature(curve.data, "sin x1", True))
    assert prepare(curve.data).features == ("x1", "sin x1")
    moons, _notes = fitted_to_data(replace_section(curve, "data", name="moons"), with_features=True)
    assert (moons.data.features, moons.data.left_out) == (("x1", "x2", "x1x2", "sin x1"), ())
    curve = replace_section(curve, "data", features=with_feature(curve.data, "sin x1", False))
    moons, _notes = fitted_to_data(replace_section(curve, "data", name="moons"), with_features=True)
    assert moons == document
