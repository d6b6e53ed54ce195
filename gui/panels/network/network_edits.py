"""Edits of the network in its drawing: layers, neurons, activations, inputs, single weights; each can be undone.

The field for typed sizes stands here, as the buttons go through it.
Trained weights are kept where they have a place in the new network; a message says which are new.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from datasets import available_features
from engine.autograd.notation import counted
from engine.document import Trained, replace_section
from engine.document.document import LARGEST_LAYER, MOST_HIDDEN, MOST_PARAMETERS
from engine.experiment.assemble import fitted_network
from engine.experiment.carried import Places, carried, kept_note
from engine.experiment.prepared import with_feature
from engine.messages import quoted
from engine.network import LOSSES
from engine.network.layer import fitted_activations
from engine.network.shape import count_parameters
from gui.fields.binding import EntryField, FieldBinding
from gui.number_texts import EntryError, parse_integer
from gui.session import Session
from gui.session.edits import all_fields

TIP = "Neurons of every layer from input to output, such as 2, 4, 4, 1; only the hidden ones are free"
WRONG_SIZES = {
    "too few": "Type two numbers at least: the inputs and the outputs.",
    "inputs": "The first number must be {wanted}, because the data have {inputs}.",
    "outputs": "The last number must be {wanted}, because the loss {loss} needs {outputs} for these data.",
    "layers": "At most {most} hidden layers are possible, not {given}.",
    "neurons": "Each layer must have from 1 to {most} neurons.",
    "parameters": "At most {most:,} parameters are possible, not {given:,}.",
    "a gap": "A number is missing at place {place}.",
    "no number": "Type whole numbers with commas between, such as 2, 4, 4, 1: {word} at place {place} is not one.",
}
"""Reasons for refusing layer sizes."""


class SizesField(EntryField):
    """Text field for the layer sizes; invalid sizes are refused with the reason."""

    def __init__(self, session: Session) -> None:
        binding = FieldBinding(session, "network", "layer_sizes", "layer sizes")
        super().__init__(binding, self._parse_sizes, lambda sizes: ", ".join(map(str, sizes)), TIP)

    def _parse_sizes(self, text: str) -> tuple[int, ...]:
        sizes = read_sizes(text)
        if len(sizes) < 2:
            raise EntryError(WRONG_SIZES["too few"])
        session = self._binding.session
        dataset, loss = session.dataset, LOSSES[session.document.training.loss]
        fitted = fitted_network(session.document, dataset.n_features, dataset.n_classes).network.layer_sizes
        if sizes[0] != fitted[0]:
            raise EntryError(WRONG_SIZES["inputs"].format(wanted=fitted[0], inputs=counted(fitted[0], "input")))
        if sizes[-1] != fitted[-1]:
            outputs = counted(fitted[-1], "output")
            raise EntryError(WRONG_SIZES["outputs"].format(wanted=fitted[-1], loss=loss.title, outputs=outputs))
        if len(sizes) - 2 > MOST_HIDDEN:
            raise EntryError(WRONG_SIZES["layers"].format(most=MOST_HIDDEN, given=len(sizes) - 2))
        if any(not 1 <= size <= LARGEST_LAYER for size in sizes):
            raise EntryError(WRONG_SIZES["neurons"].format(most=LARGEST_LAYER))
        if (count := count_parameters(sizes)) > MOST_PARAMETERS:
            raise EntryError(WRONG_SIZES["parameters"].format(most=MOST_PARAMETERS, given=count))
        return sizes


def read_sizes(text: str) -> tuple[int, ...]:
    """Whole numbers with commas, arrows or blanks between; EntryError for anything else, with its place."""
    sizes: list[int] = []
    for part in re.split("[,;→]", text.strip("[]() \t")):
        if not part.strip():
            raise EntryError(WRONG_SIZES["a gap"].format(place=len(sizes) + 1))
        for word in part.split():
            try:
                sizes.append(parse_integer(word))
            except EntryError:
                text = WRONG_SIZES["no number"].format(word=quoted(word, 20), place=len(sizes) + 1)
                raise EntryError(text) from None
    return tuple(sizes)


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
        """Add a neuron to a hidden layer (1 or more), or remove one; nothing where there is no such layer now."""
        sizes = list(self._session.document.network.layer_sizes)
        if layer >= len(sizes) - 1:
            return  # the button belongs to a network that has just been replaced
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
