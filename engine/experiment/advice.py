"""Notes on valid but questionable documents, for the network panel and the command line."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from engine.document.document import Document
from engine.experiment.assemble import trainer_settings
from engine.experiment.consistency import batch_of, numbers_per_sample
from engine.experiment.prepared import prepare
from engine.network import LOSSES, OPTIMIZERS, TrainingSettings
from engine.network.settings import SettingsSince
from engine.network.shape import count_parameters

SLOW_STEP_SECONDS, LARGE_STEP_SECONDS = 1.0, 0.002
COST = "A training step will take about {milliseconds:.0f} ms: {parameters:,} parameters, {samples:,} samples."
MULTIPLICATIONS_PER_SECOND, NUMBERS_PER_SECOND = 3e9, 3e8


def training_notes(document: Document) -> list[str]:
    """Return sentences about questionable training settings."""
    return TrainingSettings(**trainer_settings(document.training)).notes("linear", "uniform", 0)


def setting_hints(document: Document, settings_since: SettingsSince = ()) -> dict[str, str]:
    """Return hints on single training settings: one or two sentences by field of `Training`.

    Args:
        document: the document to check.
        settings_since: steps of the run, ascending, with the settings used from each of them on.
    """
    train, batch_size = prepare(document.data).train, document.training.batch_size
    n_samples, loss_hint = train.n_samples, ""
    if train.n_classes and LOSSES[document.training.loss].encoding == "raw":
        better = "Binary cross-entropy" if train.n_classes == 2 else "Softmax cross-entropy"
        distances = "It measures distances, so it may fall while the accuracy does not rise."
        loss_hint = f"{distances} {better} suits classes better."
    hints = {"loss": loss_hint, "optimizer": optimizer_hint(settings_since)}
    if batch_size is not None and batch_size > n_samples:
        all_of_them = f"all {n_samples:,} samples of the data" if n_samples > 1 else "the only sample of the data"
        hints["batch_size"] = f"The batch size {batch_size:,} exceeds the data: a step uses {all_of_them}."
    return {name: hint for name, hint in hints.items() if hint}


def optimizer_hint(settings_since: SettingsSince) -> str:
    """Return what happened to the optimizer's memory when the optimizer last changed during a run; "" if it did not."""
    changes = [
        (step, before, after)
        for (_, before), (step, after) in pairwise(settings_since)
        if step and (before.optimizer, before.optimizer_settings) != (after.optimizer, after.optimizer_settings)
    ]
    if not changes:
        return ""
    step, before, after = changes[-1]
    name, at = OPTIMIZERS[after.optimizer].title, f"step {step:,}"
    if before.optimizer == after.optimizer:
        return f"{name} has had other settings since {at}; its memory is kept." if _has_memory(after) else ""
    if _has_memory(after):
        return f"{name} started with an empty memory at {at}."
    lost = f"; the memory of {OPTIMIZERS[before.optimizer].title} is gone" if _has_memory(before) else ""
    return f"{name} has been used since {at} and has no memory{lost}."


def _has_memory(settings: TrainingSettings) -> bool:
    return bool(settings.optimizer_for(np.empty(1)).state)


def network_notes(document: Document) -> list[str]:
    """Return sentences about a questionable network: its first weights, or an output that does not fit the loss."""
    network, settings = document.network, TrainingSettings(**trainer_settings(document.training))
    notes = settings.notes(network.output_activation, network.initialiser, len(network.layer_sizes) - 2)
    return [note for note in notes if note not in training_notes(document)]


def cost_note(document: Document) -> str:
    """Return a sentence on the cost of a training step of a large network, else an empty string."""
    seconds = step_seconds(document)
    if seconds < LARGE_STEP_SECONDS or seconds >= SLOW_STEP_SECONDS:
        return slow_step_note(document)
    count = count_parameters(document.network.layer_sizes)
    return COST.format(milliseconds=1000 * seconds, parameters=count, samples=batch_of(document, _n_samples(document)))


def slow_step_note(document: Document) -> str:
    """Return a sentence on the duration of a training step when the estimate exceeds a second, else an empty string."""
    seconds = step_seconds(document)
    if seconds < SLOW_STEP_SECONDS:
        return ""
    return f"A training step will take about {seconds:.0f} s: a smaller batch or a smaller network is faster."


def step_seconds(document: Document) -> float:
    """Estimate the seconds of a training step on an ordinary computer, within a factor of two or three."""
    # forward, and backward for weights and inputs: three multiplications for each parameter and sample
    multiplications = 3 * count_parameters(document.network.layer_sizes) / MULTIPLICATIONS_PER_SECOND
    return batch_of(document, _n_samples(document)) * (
        multiplications + numbers_per_sample(document) / NUMBERS_PER_SECOND
    )


def _n_samples(document: Document) -> int:
    return prepare(document.data).train.n_samples
