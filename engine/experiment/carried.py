"""Trained weights that are kept when the network or the data change, and the weights that are new.

When a layer grows, shrinks, is added or removed, all other weights are kept. New weights are drawn by the initialiser,
as the document's seed gives them for a network of the new sizes. The optimizer then starts without memory: with
averages for some weights only, Adam and RMSProp would move the new weights several times too far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.document.document import Document, Trained
from engine.document.frozen_floats import NO_NUMBERS, FrozenFloats
from engine.experiment.assemble import curve_of, first_weights, network_shape
from engine.experiment.prepared import prepare
from engine.network.shape import count_parameters

Floats = NDArray[Any]
Places = Sequence[int | None]
"""For each layer of the new network, output included: index of the old layer whose weights it keeps; None for a new
layer.
"""
TEXTS = {
    "restarted": "The data changed: training restarts at step 0. Undo restores the trained weights.",
    "restarted with weights": "The data changed: training restarts at step 0 with the trained weights.",
    "all kept": "The trained weights are kept; the optimizer starts without memory.",
    "some new": "The remaining weights are kept; {new} drawn by the initialiser.",
    "new weight": "a new one is",
    "new weights": "{n:,} new ones are",
}


def carried(before: Document, trained: Trained, after: Document, places: Places | None = None) -> Trained:
    """Return the training state from which a run continues after an edit.

    Args:
        before: the document before the edit.
        trained: state that its training has reached.
        after: the edited document; its `trained` is ignored.
        places: see `Places`; None: matched by the sizes of the hidden layers, see `matched_layers`.

    Returns:
        The same step with the kept weights. Untrained where the first weights are drawn in another way or
        nothing was trained. Where the points of the data change: untrained, or step 0 with the weights if
        `keep_weights`.
    """
    old, new = before.network, after.network
    if not len(trained.parameters) or (old.seed, old.initialiser) != (new.seed, new.initialiser):
        return Trained()
    if after.data.has_other_points(before.data):
        if not after.data.keep_weights:
            return Trained()
        trained = Trained(parameters=trained.parameters)
    if before.data != after.data:
        trained = replace(trained, position=0)
    columns = _columns(before, after)
    if old.layer_sizes == new.layer_sizes and columns == list(range(new.layer_sizes[0])) and places is None:
        return trained
    parameters, _ = kept_weights(before, trained.parameters.array, after, columns, places)
    return replace(
        trained,
        parameters=FrozenFloats(parameters),
        gradients=NO_NUMBERS,
        optimizer_updates=0,
        optimizer_state=(),
    )


def kept_note(before: Document, after: Document, places: Places | None = None) -> str:
    """Return a sentence on the effect of an edit on trained weights; "" for the same sizes and inputs."""
    if after.data.has_other_points(before.data):
        return TEXTS["restarted with weights" if after.data.keep_weights else "restarted"]
    old, new = before.network, after.network
    columns = _columns(before, after)
    if old.layer_sizes == new.layer_sizes and columns == list(range(new.layer_sizes[0])):
        return ""
    _, kept = kept_weights(before, np.zeros(count_parameters(old.layer_sizes)), after, columns, places)
    n_new = int(np.count_nonzero(~kept))
    if not n_new:
        return TEXTS["all kept"]
    return TEXTS["some new"].format(new=TEXTS["new weight" if n_new == 1 else "new weights"].format(n=n_new))


def kept_weights(
    before: Document, parameters: Floats, after: Document, columns: Sequence[int | None], places: Places | None
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the weights of the new network and a mask of those taken from the old one, (n_parameters,) each.

    Args:
        before: has the old network.
        parameters: of the old network.
        after: has the new one.
        columns: for each new input, the index of the same old input; None for a new one.
        places: see `carried`.
    """
    network, old, new = after.network, network_shape(before.network), network_shape(after.network)
    drawn = np.array(first_weights(network))
    kept = np.zeros(len(drawn), dtype=bool)
    matrices = old.layer_matrices(np.asarray(parameters))
    layers = zip(new.layer_matrices(drawn), new.layer_matrices(kept), strict=True)
    for layer, (weights, marks) in enumerate(layers):
        place = (matched_layers(old.layer_sizes, new.layer_sizes) if places is None else places)[layer]
        if place is None:
            continue
        source = matrices[place]
        n_out = min(len(source), len(weights))
        inputs = columns if layer == 0 and place == 0 else range(min(source.shape[1], weights.shape[1]) - 1)
        pairs = [(new_in, old_in) for new_in, old_in in enumerate(inputs) if old_in is not None] + [(-1, -1)]
        for new_in, old_in in pairs:
            weights[:n_out, new_in], marks[:n_out, new_in] = source[:n_out, old_in], True
    return drawn, kept


def matched_layers(old_sizes: Sequence[int], new_sizes: Sequence[int]) -> list[int | None]:
    """Match layers that keep their weights: first hidden layers of equal sizes from the front, then from the end.

    An output layer of another size is new: its outputs meant something else.
    """
    old, new = list(old_sizes[1:-1]), list(new_sizes[1:-1])
    more = len(new) - len(old)
    same = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    if more == 0:
        places: list[int | None] = list(range(len(new)))
    elif more > 0:
        places = [i if i < same else None if i < same + more else i - more for i in range(len(new))]
    else:
        places = [i if i < same else i - more for i in range(len(new))]
    return [*places, len(old) if old_sizes[-1] == new_sizes[-1] else None]


def _columns(before: Document, after: Document) -> list[int | None]:
    """Return for each input of the new network the old input that is the same feature."""
    if before.data == after.data:
        return list(range(after.network.layer_sizes[0]))
    old, new = prepare(before.data).features, prepare(after.data).features
    return [old.index(name) if name in old else None for name in new]


def trained_until(trained: Trained, past: Trained) -> Trained:
    """Return a past training state with the curves of the run up to it.

    Args:
        trained: the newest state, with complete curves.
        past: the past one, without curves.
    """
    return replace(
        past,
        curve=_until(trained.curve, past.step),
        test_curve=_until(trained.test_curve, past.step),
        curves=tuple((name, _until(numbers, past.step)) for name, numbers in trained.curves),
    )


def _until(curve: FrozenFloats, step: int) -> FrozenFloats:
    steps, numbers = curve_of(curve)
    return FrozenFloats(np.concatenate([steps[steps <= step], numbers[steps <= step]]))
