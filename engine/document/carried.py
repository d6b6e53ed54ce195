"""Which trained weights go on when the network or the data are changed, and which numbers are new.

A layer that grows, shrinks, comes or goes leaves the weights of what remains; new ones are drawn by the initialiser, as
the document's seed gives them for a network of the new sizes. The optimizer then starts without memory: with averages
from before for some weights and none for others, Adam and RMSProp would move the new ones several times too far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.document.assemble import first_weights, network_shape
from engine.document.document import Document, Trained
from engine.document.frozen_floats import NO_NUMBERS, FrozenFloats
from engine.document.prepared import prepare
from engine.document.saved_moment import curve_of
from engine.network.shape import count_parameters

Floats = NDArray[Any]
Places = Sequence[int | None]
"""For each layer of the new network, the output included, the layer of the old one whose weights it keeps, from 0; None
for a new one."""
TEXTS = {
    "restarted": "Other data: training began again at step 0. Undo brings the trained weights back.",
    "restarted with weights": "Other data: training began again at step 0, with the trained weights.",
    "all kept": "The trained weights are kept; the optimizer starts without memory.",
    "some new": "The trained weights of what remains are kept; {new} drawn by the initialiser.",
    "new weight": "a new one is",
    "new weights": "{n:,} new ones are",
}


def carried(before: Document, trained: Trained, after: Document, places: Places | None = None) -> Trained:
    """The moment from which training goes on after an edit.

    Args:
        before: the document before the edit.
        trained: the moment that its training has reached.
        after: the edited document; its `trained` is not looked at.
        places: see `Places`; None: by the sizes of the hidden layers, see `matched_layers`.

    Returns:
        The same step with the weights that go on. Not trained, where the first weights are drawn in another way or
        nothing was trained. Where the data have other points: not trained, or with `keep_weights` step 0 with the
        weights.
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
    """A sentence on what an edit did to trained weights; "" where the network has its sizes and inputs of before."""
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
    """The weights of the new network, and which of them it has from the old one, (n_parameters,) each.

    Args:
        before: has the old network.
        parameters: of the old network.
        after: has the new one.
        columns: for each new input the old one that it is, from 0; None for none.
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
    """The layers that keep their weights: the first hidden ones of the same sizes, then the last ones.

    An output layer of another size is new: its numbers stood for other things.
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
    """For each input of the new network the input of the old one that is the same feature."""
    if before.data == after.data:
        return list(range(after.network.layer_sizes[0]))
    old, new = prepare(before.data).features, prepare(after.data).features
    return [old.index(name) if name in old else None for name in new]


def moment_at(trained: Trained, past: Trained) -> Trained:
    """A past moment with the curves of the run up to it.

    Args:
        trained: the newest moment, with all of its curves.
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
