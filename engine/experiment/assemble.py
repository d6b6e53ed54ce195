"""Models and trainers made from the document's names and numbers, and their training in the form of a session file."""

from __future__ import annotations

import random
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets import Dataset
from engine.document.document import (
    MOST_CURVE_NUMBERS,
    SETTINGS_OF,
    STOP_FIELDS,
    Document,
    Network,
    Trained,
    Training,
    replace_section,
)
from engine.document.frozen_floats import FrozenFloats
from engine.experiment.prepared import PreparedData
from engine.network import LOSSES, MLP, Snapshot, Trainer, draw_network, saved_snapshot
from engine.network.run.curves import NO_CURVES, NO_LOSSES, Curves, StepsAndLosses, thinned
from engine.network.shape import NetworkShape


def make_model(document: Document) -> MLP:
    """Return the document's network with its first weights, or with its saved ones.

    Raises:
        ValueError: when saved parameters do not fit the network's sizes.
    """
    network = document.network
    model = MLP(
        network.layer_sizes[0],
        list(network.layer_sizes[1:]),
        activation=network.activations,
        output_activation=network.output_activation,
        initialiser=network.initialiser,
        rng=random.Random(network.seed),
    )
    if len(document.trained.parameters):
        model.weights = document.trained.parameters.array
    return model


def network_shape(network: Network) -> NetworkShape:
    """Return sizes and activations of the network that `make_model` returns."""
    return NetworkShape(network.layer_sizes, (*network.activations, network.output_activation))


def weights_of(document: Document) -> NDArray[np.float64]:
    """Return the weights of the network that `make_model` returns, (n_parameters,), in a tenth of its time."""
    if len(document.trained.parameters):
        return document.trained.parameters.array
    return first_weights(document.network)


@lru_cache(2)
def first_weights(network: Network) -> NDArray[np.float64]:
    """Draw a network's weights (n_parameters,) with its initialiser and seed; the result is cached and read-only."""
    activations = (*network.activations, network.output_activation)
    numbers = draw_network(network.initialiser, random.Random(network.seed), network.layer_sizes, activations)
    numbers.setflags(write=False)
    return numbers


def make_trainer(document: Document, model: MLP, data: PreparedData | Dataset) -> Trainer:
    """Return a trainer with the document's settings, at the step that its training has reached.

    Args:
        document: has the training settings.
        model: trained in place.
        data: the document's data with their test rows, or a dataset of training rows only.

    Raises:
        ValueError: when data, network and loss do not fit together, with the reason.
    """
    settings = trainer_settings(document.training)
    train, test = (data.train, data.test) if isinstance(data, PreparedData) else (data, None)
    if isinstance(data, PreparedData) and not data.is_plain:
        settings["inputs"] = data.inputs
    if test is not None:
        settings |= {"X_test": test.X, "y_test": test.y}
    if settings["batch_size"] is not None:
        settings["batch_size"] = min(settings["batch_size"], train.n_samples)
    trainer = Trainer(model, X=train.X, y=train.y, regression=not train.n_classes, **settings)
    if len((trained := document.trained).parameters):
        memory = {name: numbers.array for name, numbers in trained.optimizer_state}
        same_sizes = {name: len(array) for name, array in memory.items()} == {
            name: len(array) for name, array in trainer.optimizer.state.items()
        }
        goes_on = trained.optimizer == trainer.settings.optimizer and same_sizes
        known = len(trained.gradients) == len(trained.parameters)
        snapshot = saved_snapshot(
            trainer.settings,
            trained.parameters.array,
            trained.step,
            trained.epoch,
            trained.position,
            memory if goes_on else {},
            trained.optimizer_updates if goes_on else 0,
            gradients=trained.gradients.array if known else None,
        )
        trainer.restore(snapshot)
    return trainer


def trainer_settings(training: Training) -> dict[str, Any]:
    """Return the document's settings by the field names of `TrainingSettings`."""
    names = (item.name for item in fields(training) if item.name not in STOP_FIELDS)
    values = {name: getattr(training, name) for name in names}
    return values | {f"{kind}_settings": dict(values[f"{kind}_settings"]) for kind in SETTINGS_OF}


def changed_settings(before: Training, after: Training) -> dict[str, Any]:
    """Return the changes for `Trainer.change` when `after` replaces `before`."""
    old, new = trainer_settings(before), trainer_settings(after)
    changed = {name for name in new if new[name] != old[name]}
    changed |= {f"{kind}_settings" for kind in SETTINGS_OF if kind in changed}
    return {name: new[name] for name in new if name in changed}


def fitted_network(document: Document, n_features: int, n_classes: int) -> Document:
    """Fit the network's ends to the data: one input for each feature, as many outputs as the loss needs.

    Args:
        document: not changed.
        n_features: inputs of a sample, 1 or more.
        n_classes: 0 for regression.
    """
    if n_classes > 2 and LOSSES[document.training.loss].encoding != "one_hot":
        document = replace_section(document, "training", loss="softmax_cross_entropy")
    if n_classes == 0 and LOSSES[document.training.loss].encoding != "raw":
        document = replace_section(document, "training", loss="mean_squared_error")
    one_hot = LOSSES[document.training.loss].encoding == "one_hot"
    sizes = (n_features, *document.network.layer_sizes[1:-1], n_classes if one_hot else 1)
    return replace_section(document, "network", layer_sizes=sizes)


def trained_at(
    snapshot: Snapshot,
    curve: StepsAndLosses = NO_LOSSES,
    test_curve: StepsAndLosses = NO_LOSSES,
    curves: Curves = NO_CURVES,
) -> Trained:
    """Return a snapshot in the form of a file.

    Args:
        snapshot: of finite parameters.
        curve: steps and losses, (n,) each; entries that are not finite are dropped.
        test_curve: the same of the test data.
        curves: the same of other figures by name.
    """
    state = snapshot.optimizer_state
    remembered = all(np.isfinite(array).all() for array in state.values())
    known = bool(np.isfinite(snapshot.gradients).all()) and snapshot.step > 0
    return Trained(
        snapshot.step,
        snapshot.epoch,
        snapshot.position,
        FrozenFloats(snapshot.parameters),
        FrozenFloats(snapshot.gradients if known else ()),
        snapshot.optimizer,
        snapshot.optimizer_updates if remembered else 0,
        tuple((name, FrozenFloats(array)) for name, array in state.items()) if remembered else (),
        _joined(curve),
        _joined(test_curve),
        tuple((name, _joined(points)) for name, points in curves.items()),
    )


def stands_at(trained: Trained, snapshot: Snapshot) -> bool:
    """Return True when a file's training stands at a snapshot; without parameters it stands at step 0."""
    if not len(trained.parameters):
        return snapshot.step == trained.step
    saved = trained.step, trained.epoch, trained.position, trained.optimizer_updates
    now = snapshot.step, snapshot.epoch, snapshot.position, snapshot.optimizer_updates
    return saved == now and np.array_equal(trained.parameters.array, snapshot.parameters)


def _joined(curve: StepsAndLosses) -> FrozenFloats:
    steps, losses = thinned(*curve, MOST_CURVE_NUMBERS // 2)
    finite = np.isfinite(losses)
    return FrozenFloats(np.concatenate([steps[finite], losses[finite]]))


def curve_of(numbers: FrozenFloats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return steps and losses, (n,) each, of a curve in a file."""
    half = len(numbers) // 2
    return numbers.array[:half], numbers.array[half : 2 * half]


def curves_of(trained: Trained) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Return steps and numbers, (n,) each, of every other figure in a file, by its name."""
    return {name: curve_of(numbers) for name, numbers in trained.curves}
