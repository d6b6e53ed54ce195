"""What follows from other data, and that it is said where it changes what somebody has chosen."""

import pytest

from engine.document import Document, DocumentError, replace_section
from engine.document.consistency import check_consistent
from engine.document.fitted import fitted_to_data


def edited(loss="mean_squared_error", **data):
    document = replace_section(Document(), "training", loss=loss)
    return replace_section(document, "data", **data)


@pytest.mark.parametrize(
    ("loss", "data", "expected", "words"),
    [
        ("hinge", {"name": "spiral3"}, "softmax_cross_entropy", "for the 3 classes"),
        ("hinge", {"name": "curve"}, "mean_squared_error", "numbers to predict"),
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
    assert notes == ["These data do not have every input that was chosen: left out x2, x1x2."]
    with pytest.raises(DocumentError, match="needs 2 inputs"):
        fitted_to_data(edited(name="curve", features=("x2",)), with_features=False)
