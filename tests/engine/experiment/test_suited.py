"""What suits each data set learns it: counted in steps, with the seeds of a new document."""

import numpy as np
import pytest

from datasets import DATASETS
from engine.document import Document, replace_section
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.consistency import check_consistent
from engine.experiment.fitted import suited, suits
from engine.experiment.prepared import fitted_features

LEARNT = 0.97


def document_of(name, **fields):
    entry = DATASETS[name]
    fields = {"n_samples": entry.n_samples, "noise": entry.noise} | fields
    return replace_section(Document(), "data", name=name, **fields)


def trained(document, steps):
    """The trainer after so many steps, and the data."""
    data = check_consistent(document)
    trainer = make_trainer(document, make_model(document), data)
    trainer.run(steps)
    return trainer, data


def determination(outputs, y):
    """R^2."""
    return 1 - np.sum((outputs - y) ** 2) / np.sum((y - y.mean()) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", DATASETS)
def test_what_suits_a_data_set_learns_it_in_the_steps_that_it_says(name):
    document = suited(document_of(name))
    trainer, data = trained(document, suits(document).steps)
    if data.train.n_classes:
        assert trainer.accuracy() > LEARNT
    else:
        assert determination(trainer.predict(data.train.X)[:, 0], data.train.y) > LEARNT


@pytest.mark.parametrize("seed", [0, 2, 3])
@pytest.mark.parametrize("name", ["xor", "moons", "circles", "spiral", "spiral3"])
def test_it_does_so_from_other_first_weights_and_for_other_points(name, seed):
    document = replace_section(document_of(name, seed=seed), "network", seed=seed)
    document = suited(document)
    assert document.network.seed == seed
    assert trained(document, suits(document).steps)[0].accuracy() > LEARNT


@pytest.mark.slow
def test_a_sine_is_fitted():
    """R^2 above 0.99 of the noisy heights, and of the sine itself."""
    document = suited(document_of("curve"))
    trainer, data = trained(document, 2000)
    outputs = trainer.predict(data.train.X)[:, 0]
    assert determination(outputs, data.train.y) > 0.99
    assert determination(outputs, np.sin(data.train.X[:, 0])) > 0.99


def test_a_network_without_a_hidden_layer_that_sees_squares_parts_the_circles():
    document = document_of("circles", features=("x1^2", "x2^2"))
    document = replace_section(document, "network", layer_sizes=(2, 1), activations=())
    document = replace_section(document, "training", loss="hinge", learning_rate=0.1)
    assert trained(document, 500)[0].accuracy() > LEARNT
    plain = replace_section(document, "data", features=())
    assert trained(plain, 500)[0].accuracy() < 0.7


def test_a_network_without_a_hidden_layer_does_not_learn_xor():
    document = suited(document_of("xor"))
    document = replace_section(document, "network", layer_sizes=(2, 1), activations=())
    assert trained(document, 500)[0].accuracy() <= 0.75


@pytest.mark.parametrize(
    ("fields", "loss", "last"),
    [
        ({"source": "formula", "formula": "x1 * x2 > 0"}, "hinge", 1),
        ({"source": "formula", "formula": "sin(x1)"}, "mean_squared_error", 1),
        ({"source": "points", "points": [[0.0, 0.0, 0], [1.0, 0.0, 1], [0.0, 1.0, 2]]}, "softmax_cross_entropy", 3),
    ],
)
def test_other_data_get_what_suits_their_kind(fields, loss, last):
    document = suited(fitted_features(replace_section(Document(), "data", **fields)))
    assert document.training.loss == loss and document.network.layer_sizes[-1] == last
    trainer, _ = trained(document, 3)
    assert trainer.step_count == 3


def test_seeds_and_precision_stay():
    document = replace_section(document_of("moons"), "training", seed=9, dtype="float32", l2=0.5, schedule="cosine")
    made = suited(document)
    assert (made.training.seed, made.training.dtype) == (9, "float32")
    assert (made.training.l2, made.training.schedule) == (0.0, "constant")
    assert made.data == document.data


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", [name for name, entry in DATASETS.items() if name != "tutorial"])
def test_a_network_of_16_and_16_tanh_neurons_trains_at_a_rate_of_0_2_from_the_weights_of_a_new_document(name, seed):
    """With weights uniform between -1 and 1 the loss of several data sets was infinite after 200 steps."""
    document = suited(document_of(name))
    sizes = (document.network.layer_sizes[0], 16, 16, document.network.layer_sizes[-1])
    network = {"layer_sizes": sizes, "activations": ("tanh", "tanh"), "output_activation": "linear", "seed": seed}
    document = replace_section(document, "network", **network)
    document = replace_section(document, "training", optimizer="sgd", learning_rate=0.2, batch_size=None)
    assert document.network.initialiser == "by_activation"
    data = check_consistent(document)
    trainer = make_trainer(document, make_model(document), data)
    first = trainer.snapshot().loss
    trainer.run(1000)
    assert trainer.snapshot().loss < 0.9 * first
