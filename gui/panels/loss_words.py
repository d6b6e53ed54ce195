"""Which loss a number is, of all samples or of one batch: short for captions, in whole sentences for tool-tips.

What the numbers are: `Snapshot.loss` is the loss of all training samples with the present parameters, after `step`
updates. A point of the loss curve at step k is the loss that was computed when k updates had been made, of the samples
of that step's batch. Both have the penalties in them. With one batch for all samples both are the same thing, and the
curve ends with the present one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.autograd.notation import counted
from engine.network import Snapshot, TrainingSettings
from engine.network.progress import Progress
from engine.network.training_run import Floats
from gui.panels.labels import number_text, short_count


@dataclass(frozen=True)
class Words:
    """A text for a narrow place, and whole sentences for its tool-tip."""

    short: str
    whole: str


UNTRAINED = Words("step 0 · not trained yet", "No update was made yet: the network has its first parameters.")


def batch_size(moment: Snapshot, n_samples: int) -> int | None:
    """Samples in a full batch, 1 or more; None when every step sees all `n_samples`."""
    return _batch_size(moment.settings, n_samples)


def _batch_size(settings: TrainingSettings, n_samples: int) -> int | None:
    size = settings.batch_size
    return None if size is None or size >= n_samples else size


def last_batch(moment: Snapshot, n_samples: int) -> int:
    """Samples that the last step saw: the last batch of an epoch may be a smaller one."""
    size = batch_size(moment, n_samples) or n_samples
    return size if moment.position else n_samples - size * (math.ceil(n_samples / size) - 1)


def train_points(progress: Progress, n_samples: int) -> tuple[Floats, Floats]:
    """The training curve: what the steps saw and, where they see all samples, the loss that the next one will see."""
    steps, losses, moment = progress.curve_steps, progress.curve_losses, progress.snapshot
    ahead = not len(steps) or moment.step > steps[-1]
    if batch_size(moment, n_samples) or moment.loss is None or not math.isfinite(moment.loss) or not ahead:
        return steps, losses
    return np.append(steps, float(moment.step)), np.append(losses, moment.loss)


def curve_words(moment: Snapshot, n_samples: int) -> Words:
    """Which loss the training curve shows."""
    size = batch_size(moment, n_samples)
    if size is None:
        of = f"all {counted(n_samples, 'sample')}"
        return Words(
            f"all {short_count(n_samples)}", f"Each new point is the loss of {of}{_penalties(moment.settings)}."
        )
    of = f"one batch of {counted(size, 'sample')} out of {n_samples:,}{_penalties(moment.settings)}"
    return Words(
        f"batches of {short_count(size)}",
        f"Each new point is the loss of {of}, before the update that its step made.",
    )


def point_words(step: float, loss: float, settings: TrainingSettings | None, n_samples: int) -> Words:
    """One point of the training curve, with the settings of its step where they are known."""
    short = f"step {step:,.0f}: {number_text(loss)}"
    if settings is None:
        return Words(short, f"After {step:,.0f} updates the loss was {loss!r}.")
    size = _batch_size(settings, n_samples)
    of = f"all {counted(n_samples, 'sample')}" if size is None else f"one batch of {counted(size, 'sample')}"
    return Words(short, f"After {step:,.0f} updates the loss of {of}{_penalties(settings)} was {loss!r}.")


def newest_words(progress: Progress, n_samples: int) -> Words:
    """The newest loss that the curve has: the loss panel's caption."""
    steps, losses = train_points(progress, n_samples)
    if not len(losses):
        return Words("no step yet", "The curve begins with the first step.")
    moment = progress.snapshot
    if batch_size(moment, n_samples) is None:
        whole = point_words(float(steps[-1]), float(losses[-1]), moment.settings, n_samples).whole
        return Words(f"{number_text(losses[-1])} · all {short_count(n_samples)}", whole)
    return Words(
        f"{number_text(losses[-1])} · batch of {short_count(last_batch(moment, n_samples))}",
        _batch_sentence(moment, float(losses[-1]), n_samples),
    )


def readout(progress: Progress, n_samples: int, narrow: bool) -> Words:
    """Where training stands, for the tool bar.

    Args:
        progress: the newest.
        n_samples: of the training data.
        narrow: leaves the epoch out, and which samples the loss is of.
    """
    moment = progress.snapshot
    short = f"step {short_count(moment.step)}" if narrow else f"step {moment.step:,} · epoch {moment.epoch:,}"
    sentences = [
        f"{counted(moment.step, 'update')} made, {counted(moment.epoch, 'pass', 'passes')} over the data done."
    ]
    if progress.diverged_at is not None:
        short += " · diverged"
        sentences.append(f"At step {progress.diverged_at:,} the loss was not a finite number any more.")
    elif moment.loss is not None:
        short += f" · loss {number_text(moment.loss)}" + ("" if narrow else f" of all {short_count(n_samples)}")
        of = f"all {counted(n_samples, 'sample')}{_penalties(moment.settings)}"
        sentences.append(f"With the present parameters the loss of {of} is {moment.loss!r}.")
    if moment.seen_loss is not None and batch_size(moment, n_samples) is not None:
        sentences.append(_batch_sentence(moment, moment.seen_loss, n_samples))
    return Words(short, "\n".join(sentences))


def _batch_sentence(moment: Snapshot, loss: float, n_samples: int) -> str:
    of = counted(last_batch(moment, n_samples), "sample")
    return f"The last step saw a batch of {of}; before its update their loss{_penalties(moment.settings)} was {loss!r}."


def _penalties(settings: TrainingSettings) -> str:
    names = [name for name, size in (("L1", settings.l1), ("L2", settings.l2)) if size]
    return f" with the {' and '.join(names)} penalt{'y' if len(names) == 1 else 'ies'} added" if names else ""
