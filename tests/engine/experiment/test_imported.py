"""An imported dataset in the document: the same data come out of it again."""

import numpy as np
import pytest

from datasets import DATASETS, DatasetError, from_arrays, make_dataset
from engine.document import Document, replace_section
from engine.experiment.prepared import prepare, table_fields
from engine.session_file import from_json, to_json


def kept(dataset):
    """What a session's file gives back of a dataset."""
    return prepare(from_json(to_json(replace_section(Document(), "data", **table_fields(dataset)))).data)


@pytest.mark.parametrize("name", DATASETS)
def test_every_dataset_comes_back_bit_for_bit(name):
    data = make_dataset(name, n_samples=20, noise=0.1)
    again = kept(data).raw
    assert again.X.tobytes() == data.X.tobytes()
    assert (again.feature_names, again.target_name, again.task) == (data.feature_names, data.target_name, data.task)
    if data.n_classes:  # their numbers follow the order of their names, as in a table
        assert [again.class_names[i] for i in again.classes] == [data.class_names[i] for i in data.classes]
    else:
        assert again.y.tobytes() == data.y.tobytes()


def test_labels_that_are_numbers_keep_their_order():
    labels = from_arrays(np.arange(4.0), [10, 2, 1, 2])
    assert kept(labels).raw.class_names == ("1", "2", "10")
    assert kept(labels).raw.y.tolist() == [2, 1, 0, 1]


def test_the_inputs_are_the_columns_whatever_features_were_chosen_before():
    document = replace_section(Document(), "data", features=("x1^2", "x1x2"))
    imported = replace_section(document, "data", **table_fields(make_dataset("curve")))
    assert prepare(imported.data).features == ("x1",)


@pytest.mark.parametrize(
    ("shape", "message"),
    [((2, 257), "a network takes at most 256 inputs, not 257"), ((60_000, 5), "at most 300,000 cells, not 360,000")],
)
def test_what_no_session_can_hold_is_refused_with_the_limit(shape, message):
    with pytest.raises(DatasetError, match=message):
        table_fields(from_arrays(np.zeros(shape), np.zeros(shape[0]), "regression"))
