"""Network and settings that suit a document's data: those of its generator, or of the kind of data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from datasets import DATASETS, Suited
from engine.document.document import Document, Training, replace_section
from engine.experiment.assemble import fitted_network
from engine.experiment.prepared import prepare

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
