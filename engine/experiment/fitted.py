"""Fields that follow from a document's data: features, the network's ends, a loss that fits, or all that suits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from datasets import DATASETS, Suited, feature_title
from engine.document.document import Document, Training, replace_section
from engine.experiment.assemble import fitted_network
from engine.experiment.prepared import fitted_features, prepare
from engine.network import LOSSES

TEXTS = {
    "left out": "These data lack the chosen input {names}: it is left out until data have it again.",
    "left out more": "These data lack the chosen inputs {names}: they are left out until data have them again.",
    "loss for classes": "The loss is now {loss}, for the {n} classes of the data.",
    "loss for numbers": "The loss is now {loss}, because these data are for regression.",
}
"""Every sentence on these changes."""


def fitted_to_data(document: Document, with_features: bool) -> tuple[Document, list[str]]:
    """Fit a document to its data; return it with sentences on the changed choices of its user.

    Args:
        document: not changed.
        with_features: drop features that the data lack, and restore dropped ones that they have;
            otherwise missing features are an error.

    Raises:
        DocumentError: when the data cannot be made.
    """
    made = fitted_features(document) if with_features else document
    train = prepare(made.data).train
    made = fitted_network(made, train.n_features, train.n_classes)
    notes = []
    if gone := [name for name in document.data.features if name not in made.data.features]:
        kind = "left out" if len(gone) == 1 else "left out more"
        notes.append(TEXTS[kind].format(names=", ".join(map(feature_title, gone))))
    if made.training.loss != document.training.loss:
        kind = "loss for classes" if train.n_classes else "loss for numbers"
        notes.append(TEXTS[kind].format(loss=LOSSES[made.training.loss].title, n=train.n_classes))
    return made, notes


OTHER_DATA = Suited((8, 8), loss="hinge", steps=1000)
"""Suited settings for two classes of a formula, a table or points."""
LOSS_OF_CLASSES, LOSS_OF_NUMBERS = "softmax_cross_entropy", "mean_squared_error"
KEPT = ("seed", "dtype")
"""Training settings that do not depend on the data."""


def suits(document: Document) -> Suited:
    """Return the suited settings for the document's data."""
    data = document.data
    if data.source == "generator" and data.name in DATASETS:
        return DATASETS[data.name].suits
    n_classes = prepare(data).train.n_classes
    if n_classes == 2:
        return OTHER_DATA
    return replace(OTHER_DATA, loss=LOSS_OF_CLASSES if n_classes else LOSS_OF_NUMBERS)


def suited(document: Document) -> Document:
    """Return the document with the network and the settings that suit its data; seeds are unchanged.

    Raises:
        DocumentError: when the data cannot be made.
    """
    found = suits(document)
    train = prepare(document.data).train
    first = Training()
    settings: dict[str, Any] = {name: getattr(first, name) for name in vars(first) if name not in KEPT}
    settings |= {name: getattr(found, name) for name in ("loss", "optimizer", "learning_rate", "batch_size")}
    document = replace_section(document, "training", **settings)
    document = replace_section(
        document,
        "network",
        layer_sizes=(train.n_features, *found.hidden, 1),
        activations=(found.activation,) * len(found.hidden),
        output_activation=found.output_activation,
        initialiser="by_activation",
    )
    return fitted_network(document, train.n_features, train.n_classes)
