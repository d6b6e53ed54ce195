"""Edits of the network in its drawing: layers, neurons, activations, inputs, single weights; each can be undone.

Weights that were trained are kept where they have a place in the new network; a sentence says which are new.
"""

from __future__ import annotations

from collections.abc import Sequence

from datasets import available_features
from engine.document import Trained, replace_section
from engine.document.document import MOST_HIDDEN
from engine.experiment.carried import Places, carried, kept_note
from engine.experiment.prepared import with_feature
from engine.network.layer import fitted_activations
from gui.panels.network.layer_sizes import SizesField
from gui.session import Session
from gui.session.edits import all_fields

NEW_LAYER = 4


class NetworkEdits:
    """Edits of a session's network.

    Attributes:
        sizes: the field for typed sizes; steps of the buttons go through it and are refused in its words.
    """

    def __init__(self, session: Session, sizes: SizesField) -> None:
        self._session, self.sizes = session, sizes

    # Layers and neurons

    def step_layer(self, layer: int, change: int) -> None:
        """Add a neuron to a hidden layer (1 or more), or remove one."""
        sizes = list(self._session.document.network.layer_sizes)
        sizes[layer] += change
        self.sizes.enter(", ".join(map(str, sizes)))  # same path as for typed sizes

    def add_layer(self) -> None:
        """A hidden layer behind the others, as wide as the last one."""
        self.insert_layer(len(self._session.document.network.layer_sizes) - 1)

    def remove_last_layer(self) -> None:
        """Remove the last hidden layer."""
        self.remove_layer(len(self._session.document.network.layer_sizes) - 2)

    def insert_layer(self, place: int) -> None:
        """A hidden layer that becomes the one of that number, from 1, and is like its neighbour."""
        network = self._session.document.network
        hidden, activations = list(network.layer_sizes[1:-1]), list(network.activations)
        neighbour = max(place - 2, 0)
        hidden.insert(place - 1, hidden[neighbour] if hidden else NEW_LAYER)
        activations.insert(place - 1, fitted_activations(activations, neighbour + 1)[neighbour])
        old = len(hidden) - 1
        self._set_layers(hidden, activations, [*range(place - 1), None, *range(place - 1, old), old])

    def remove_layer(self, place: int) -> None:
        """Remove a hidden layer, by its number from 1."""
        network = self._session.document.network
        hidden, activations = list(network.layer_sizes[1:-1]), list(network.activations)
        old = len(hidden)
        del hidden[place - 1], activations[place - 1]
        self._set_layers(hidden, activations, [*range(place - 1), *range(place, old), old])

    def _set_layers(self, hidden: Sequence[int], activations: Sequence[str], places: Places) -> None:
        """Replace the hidden layers; `places` gives the layer from which each one keeps its weights."""
        session = self._session
        first, *_, last = session.document.network.layer_sizes
        network = {"layer_sizes": (first, *hidden, last), "activations": tuple(activations)}
        before = session.document
        after = replace_section(before, "network", **network)
        moment = carried(before, session.trained_so_far, after, places)
        if session.edit("layers", "", network=network, trained=all_fields(moment)) and moment != Trained():
            session.message_posted.emit(kept_note(before, after, places), "note")

    @property
    def can_add(self) -> bool:
        """True while another hidden layer is allowed."""
        return len(self._session.document.network.layer_sizes) - 2 < MOST_HIDDEN

    # Activations

    def set_activation(self, layer: int, name: str) -> None:
        """Set the activation of a layer, hidden ones from 1, the output being the last."""
        network = self._session.document.network
        if layer == len(network.layer_sizes) - 1:
            self._session.edit("output activation", "", network={"output_activation": name})
            return
        activations = list(network.activations)
        activations[layer - 1] = name
        self._session.edit("activation", "", network={"activations": tuple(activations)})

    def set_every_activation(self, name: str) -> None:
        """Set the activation of all hidden layers."""
        hidden = len(self._session.document.network.activations)
        self._session.edit("activations", "", network={"activations": (name,) * hidden})

    # Inputs

    def features(self) -> list[tuple[str, bool]]:
        """Return the possible input features, each with True if it is in use."""
        prepared = self._session.data
        return [(name, name in prepared.features) for name in available_features(prepared.raw.n_features)]

    def toggle_feature(self, name: str) -> None:
        """Add an input feature to the network, or remove it."""
        features = with_feature(self._session.document.data, name, name not in self._session.data.features)
        if features is not None:
            self._session.edit("inputs", "", data={"features": features})
