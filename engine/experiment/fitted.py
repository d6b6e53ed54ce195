"""Fields that follow from a document's data: features, the network's ends, a loss that fits."""

from __future__ import annotations

from datasets import feature_title
from engine.document.document import Document
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
