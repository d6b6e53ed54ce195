"""Conversion between a moment of training and its form in a session file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.document.document import MOST_CURVE_NUMBERS, Document, Trained
from engine.document.frozen_floats import FrozenFloats
from engine.network import Snapshot, Trainer, saved_snapshot
from engine.network.run.curves import NO_CURVES, NO_LOSSES, Curves, StepsAndLosses, thinned


def trained_at(
    snapshot: Snapshot,
    curve: StepsAndLosses = NO_LOSSES,
    test_curve: StepsAndLosses = NO_LOSSES,
    curves: Curves = NO_CURVES,
) -> Trained:
    """Return a moment in the form of a file.

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


def is_moment_of(trained: Trained, snapshot: Snapshot) -> bool:
    """Return True when a file holds the moment of a snapshot; without parameters it holds step 0."""
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


def restore_moment(trainer: Trainer, document: Document) -> None:
    """Set a fresh trainer to the moment of the document's training; no change for an untrained network.

    Raises:
        SizeError: when the parameters do not fit the network.
    """
    trained = document.trained
    if not len(trained.parameters):
        return
    memory = {name: numbers.array for name, numbers in trained.optimizer_state}
    goes_on = trained.optimizer == trainer.settings.optimizer and _sizes(memory) == _sizes(trainer.optimizer.state)
    known = len(trained.gradients) == len(trained.parameters)
    moment = saved_snapshot(
        trainer.settings,
        trained.parameters.array,
        trained.step,
        trained.epoch,
        trained.position,
        memory if goes_on else {},
        trained.optimizer_updates if goes_on else 0,
        gradients=trained.gradients.array if known else None,
    )
    trainer.restore(moment)


def _sizes(state: Mapping[str, NDArray[Any]]) -> dict[str, int]:
    return {name: len(array) for name, array in state.items()}
