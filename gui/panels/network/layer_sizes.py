"""Layer sizes as they are typed: how they are read, and why some cannot be."""

from __future__ import annotations

import re

from engine.autograd.notation import counted
from engine.document.document import LARGEST_LAYER, MOST_HIDDEN, MOST_PARAMETERS
from engine.experiment.assemble import fitted_network
from engine.messages import quoted
from engine.network import LOSSES
from engine.network.shape import count_parameters
from gui.fields.binding import EntryField, FieldBinding
from gui.number_texts import EntryError, parse_integer
from gui.session import Session

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
"""Reasons for which layer sizes are refused."""


class SizesField(EntryField):
    """The layer sizes as text; typed sizes that cannot be are refused with the reason."""

    def __init__(self, session: Session) -> None:
        binding = FieldBinding(session, "network", "layer_sizes", "layer sizes")
        super().__init__(binding, self._parse_sizes, lambda sizes: ", ".join(map(str, sizes)), TIP)

    def _parse_sizes(self, text: str) -> tuple[int, ...]:
        sizes = read_sizes(text)
        if len(sizes) < 2:
            raise EntryError(WRONG_SIZES["too few"])
        self._refuse_other_ends(sizes)
        if len(sizes) - 2 > MOST_HIDDEN:
            raise EntryError(WRONG_SIZES["layers"].format(most=MOST_HIDDEN, given=len(sizes) - 2))
        if any(not 1 <= size <= LARGEST_LAYER for size in sizes):
            raise EntryError(WRONG_SIZES["neurons"].format(most=LARGEST_LAYER))
        if (count := count_parameters(sizes)) > MOST_PARAMETERS:
            raise EntryError(WRONG_SIZES["parameters"].format(most=MOST_PARAMETERS, given=count))
        return sizes

    def _refuse_other_ends(self, sizes: tuple[int, ...]) -> None:
        session = self._binding.session
        dataset, loss = session.dataset, LOSSES[session.document.training.loss]
        fitted = fitted_network(session.document, dataset.n_features, dataset.n_classes).network.layer_sizes
        if sizes[0] != fitted[0]:
            raise EntryError(WRONG_SIZES["inputs"].format(wanted=fitted[0], inputs=counted(fitted[0], "input")))
        if sizes[-1] != fitted[-1]:
            outputs = counted(fitted[-1], "output")
            raise EntryError(WRONG_SIZES["outputs"].format(wanted=fitted[-1], loss=loss.title, outputs=outputs))


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
