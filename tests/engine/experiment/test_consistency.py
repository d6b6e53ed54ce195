"""What fits together in a document, and what is refused before anything is made of it."""

import tracemalloc

import numpy as np
import pytest

from engine.document import Document, DocumentError, replace_section
from engine.document.document import MOST_PARAMETERS
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.consistency import check_consistent
from engine.experiment.prepared import prepare
from engine.network import ACTIVATIONS
from engine.session_file import from_json, to_json


def document(**sections):
    made = Document()
    for name, fields in sections.items():
        made = replace_section(made, name, **fields)
    return made


@pytest.mark.parametrize(
    ("sections", "path", "words"),
    [
        ({"network": {"layer_sizes": [3, 4, 1]}}, "network.layer_sizes", "begin with 2"),
        ({"network": {"layer_sizes": [2, *[256] * 20, 1]}}, "network.layer_sizes", "1,251,073"),
        ({"data": {"name": "spiral3"}}, "network.layer_sizes", "end with 3"),
        ({"data": {"name": "no_such_data"}}, "data", "no dataset 'no_such_data'"),
        ({"network": {"layer_sizes": [2, 4, 3]}, "training": {"loss": "hinge"}}, "training.loss", "one output"),
        ({"network": {"layer_sizes": [2, 4, 3]}, "data": {"name": "surface"}}, "training.loss", "labels"),
        ({"trained": {"parameters": [1.0] * 37, "gradients": [1.0]}}, "trained.gradients", "37 numbers, not 1"),
        ({"trained": {"curve": [0.0, 1.0, 0.5]}}, "trained.curve", "ascending steps"),
        ({"trained": {"test_curve": [2.0, 1.0, 0.5, 0.4]}}, "trained.test_curve", "ascending steps"),
        ({"trained": {"parameters": [1.0, 2.0]}}, "trained.parameters", "37 numbers for layers of 2, 4, 4, 1"),
        (
            {"network": {"layer_sizes": [2, 256, 1]}, "data": {"n_samples": 100_000}},
            "training.batch_size",
            "at most 20,000",
        ),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place_and_what_would_fit(sections, path, words):
    with pytest.raises(DocumentError, match=words) as caught:
        check_consistent(document(**sections))
    assert caught.value.path == path


@pytest.mark.parametrize("loss", ["hinge", "binary_cross_entropy", "mean_squared_error"])
def test_a_test_row_that_is_no_class_is_refused_by_a_loss_of_classes_alone(loss):
    table = {name: [0.0, 1.0, 0.0, 1.0, last] for name, last in (("x1", 3.0), ("x2", 2.0), ("y", 0.5))}
    data = {"source": "table", "table": table, "table_target": "y", "table_task": "regression"}
    made = document(data={**data, "test_share": 0.2, "split_seed": 5}, training={"loss": loss})
    assert prepare(made.data).test_rows.tolist() == [4]
    if loss == "mean_squared_error":
        assert check_consistent(made).train.y.tolist() == [0.0, 1.0, 0.0, 1.0]
        return
    with pytest.raises(DocumentError) as caught:
        check_consistent(made)
    assert caught.value.path == "training.loss"


@pytest.mark.parametrize("batch_size", [20_000, 1])
def test_the_batch_size_that_is_named_is_one_that_works(batch_size):
    large = document(network={"layer_sizes": [2, 256, 1]}, data={"n_samples": 100_000})
    assert check_consistent(replace_section(large, "training", batch_size=batch_size)).train.n_samples == 100_000


def test_a_session_that_fits_gives_its_data():
    assert check_consistent(Document()).train.name == "moons"
    assert check_consistent(document(data={"name": "xor"}, training={"batch_size": 100})).train.n_samples == 4


def test_a_file_with_more_parameters_than_a_network_may_have_is_refused_by_their_number():
    text = to_json(Document()).replace('"parameters": []', f'"parameters": [{"0," * MOST_PARAMETERS}0]')
    with pytest.raises(DocumentError, match="at most 100,000 numbers"):
        from_json(text)


def memory_of_a_step(made, dataset):
    """Bytes at the most, from making the trainer on."""
    tracemalloc.start()
    try:
        trainer = make_trainer(made, make_model(made), dataset)
        trainer.step()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("sizes", [(2, 30, 1), (2, 9, 9, 9, 1), (2, 1)])
def test_a_step_takes_no_more_memory_than_was_estimated(activation, sizes, monkeypatch):
    made = document(
        network={
            "layer_sizes": sizes,
            "activations": (activation,) * len(sizes[1:-1]),
            "output_activation": activation,
        },
        data={"n_samples": 3000},
    )
    dataset = check_consistent(made)
    make_trainer(made, make_model(made), dataset.train.take(np.arange(2))).step()  # what is made once stays
    held = min(memory_of_a_step(made, dataset) for _ in range(2))  # a table of Python's own may grow in one of them
    monkeypatch.setattr("engine.experiment.consistency.LARGEST_STEP_BYTES", held - 400_000)
    with pytest.raises(DocumentError, match="MB of memory"):
        check_consistent(made)


def test_averages_of_squares_are_not_negative():
    array = [0.1] * 37
    memory = {"average": array, "square_average": [*array[1:], -1e-9]}
    made = document(trained={"parameters": array, "optimizer": "adam", "optimizer_state": memory})
    with pytest.raises(DocumentError, match="0 or more") as caught:
        check_consistent(made)
    assert caught.value.path == "trained.optimizer_state.square_average"


@pytest.mark.parametrize("field", ["parameters", "gradients", "optimizer_state"])
def test_numbers_that_the_training_s_type_cannot_hold_are_refused(field):
    huge = {"first": [1e39] * 37} if field == "optimizer_state" else [1e39] * 37
    trained = {"step": 3, "parameters": [0.5] * 37, field: huge}
    document = replace_section(Document(), "trained", **trained)
    check_consistent(document)
    with pytest.raises(DocumentError, match="float32"):
        check_consistent(replace_section(document, "training", dtype="float32"))


@pytest.mark.parametrize("column", ["x", "y"])
def test_data_that_the_training_s_type_cannot_hold_are_refused(column):
    table = {"x": [0.5, 1.0], "y": [0.25, 2.5]} | {column: [0.5, 1e40]}
    made = document(
        data={"source": "table", "table": table, "table_task": "regression"}, network={"layer_sizes": (1, 1)}
    )
    made = replace_section(made, "network", activations=())
    check_consistent(made)
    with pytest.raises(DocumentError, match=r"float32 cannot hold numbers of 1.0e\+40") as caught:
        check_consistent(replace_section(made, "training", dtype="float32"))
    assert caught.value.path == "training.dtype"
