"""Caption of the boundary panel: accuracy, or the loss for regression."""

from __future__ import annotations

import numpy as np

from engine.autograd.notation import counted
from engine.experiment.prepared import PreparedData
from engine.network.run.progress import Progress
from gui.number_texts import count_text, reading_text
from gui.presenter.loss_texts import Caption, readout

TEXTS = {
    "some undefined": "outputs are not all numbers",
    "accuracy": "accuracy {percent:.4g} %",
    "accuracies": "train {percent:.4g} % · test {test:.4g} %",
    "short accuracies": "{percent:.3g} % · test {test:.3g} %",
    "decided right": "{right:,.0f} of {samples} are classified correctly.",
    "test decided right": "Test data: {right:,.0f} of {samples} are classified correctly.",
    "loss": "loss {loss} of all {n}",
    "losses": "loss {loss} · test {test}",
}
"""Forms of the caption."""


def caption_of(progress: Progress, data: PreparedData) -> Caption:
    """The caption of a moment, and whole sentences for its tool-tip."""
    n_samples, moment = data.train.n_samples, progress.snapshot
    _, tip = readout(progress, n_samples)
    if not np.isfinite(progress.outputs).all():
        return Caption(TEXTS["some undefined"], tip)
    if moment.accuracy is not None:
        samples, right = counted(n_samples, "sample"), moment.accuracy * n_samples
        decided = TEXTS["decided right"].format(right=right, samples=samples)
        return _accuracy_caption(moment.accuracy, moment.test_accuracy, data, f"{decided}\n{tip}")
    if moment.loss is None:
        return Caption("", tip)
    if moment.test_loss is not None:
        loss, test = reading_text(moment.loss), reading_text(moment.test_loss)
        return Caption(TEXTS["losses"].format(loss=loss, test=test), tip, (f"{loss} · test {test}",))
    return Caption(TEXTS["loss"].format(loss=reading_text(moment.loss), n=count_text(n_samples)), tip)


def _accuracy_caption(accuracy: float, of_test: float | None, data: PreparedData, tip: str) -> Caption:
    """Return the accuracy of the training data, and of the test data."""
    if of_test is None or data.test is None:
        return Caption(TEXTS["accuracy"].format(percent=100 * accuracy), tip)
    decided, *others = tip.split("\n")
    samples = counted(data.test.n_samples, "sample")
    of_these = TEXTS["test decided right"].format(samples=samples, right=of_test * data.test.n_samples)
    text, short = (
        TEXTS[name].format(percent=100 * accuracy, test=100 * of_test) for name in ("accuracies", "short accuracies")
    )
    return Caption(text, "\n".join([decided, of_these, *others]), (short,))
