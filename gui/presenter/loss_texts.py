"""Captions and tooltips for losses: of all samples or of one batch.

`Snapshot.loss` is the data loss of all training samples with the present parameters, after `step` updates. A point of
the loss curve at step k is the data loss of that step's batch, computed when k updates had been made. With one batch
for all samples both are the same, and the curve ends with the present one. L1 and L2 penalties are never part of these
figures: `Snapshot.penalty` is a figure and a curve of its own, and `Snapshot.objective`, the sum, is what the
optimizer minimises.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from engine.autograd.notation import counted
from engine.network import Snapshot, TrainingSettings
from engine.network.predictor import Floats
from engine.network.run.progress import Progress
from engine.views.walk_texts import penalty_name, with_penalty_note
from gui.number_texts import count_text, reading_text, tick_text


class Caption(NamedTuple):
    """A text for a narrow place, whole sentences for its tool-tip, and texts for less room, the longest first."""

    text: str
    tip: str
    shorter: tuple[str, ...] = ()


NO_CAPTION = Caption("", "")
UNTRAINED = Caption("step 0 · not trained yet", "No update has been made yet: the network has its first parameters.")
NO_STEP = Caption("no step yet", "The curve begins with the first step.")

SENTENCES = {
    "curve": "Each new point is the loss of all {samples}.",
    "curve of batches": "Each new point is the loss of one batch of {batch} out of {n_samples:,}, before the update "
    "that its step made.",
    "changed curve": "Each point is the loss of its own step. Some steps used other data, another loss or other "
    "batches, or are no longer known.",
    "point": "After {updates} the loss of all {samples} was {loss!r}.",
    "point of a batch": "After {updates} the loss of one batch of {batch} was {loss!r}.",
    "bare point": "After {updates} the loss was {loss!r}.",
    "last batch": "The last step used a batch of {batch}; its loss before the update was {loss!r}.",
    "counts": "{updates} made, {passes} over the data done.",
    "present": "With the present parameters the loss of all {samples} is {loss!r}.",
    "test": "The loss of the test data is {loss!r}.",
    "penalty": "The {names} is {penalty!r}. The optimizer minimises loss plus penalty: {objective!r}.",
    "log": "Log scale: the largest loss is {ratio} times the median of the training losses that are drawn. Click for a "
    "linear axis.",
    "short log": "log scale: the largest loss is {ratio} times the median",
    "huge": "more than a million",
    "floor": "A loss of 0 has no logarithm: it is drawn at the bottom, a decade below the smallest other one.",
    "cut": "Losses above {cut} are cut off: the run diverged. Click for a logarithmic axis.",
    "diverged": "At step {step:,} the loss was no longer a finite number.",
}
"""Sentences of the tooltips of the loss panel and of the tool bar's readout."""


def batch_size(settings: TrainingSettings, n_samples: int) -> int | None:
    """Samples in a full batch, 1 or more; None when every step sees all `n_samples`."""
    size = settings.batch_size
    return None if size is None or size >= n_samples else size


def last_batch(moment: Snapshot, n_samples: int) -> int:
    """Samples that the last step saw: the last batch of an epoch may be a smaller one."""
    size = batch_size(moment.settings, n_samples) or n_samples
    return size if moment.position else n_samples - size * (math.ceil(n_samples / size) - 1)


def train_points(progress: Progress, n_samples: int) -> tuple[Floats, Floats]:
    """The training curve: what the steps saw and, where they see all samples, the loss that the next one will see."""
    steps, losses, moment = progress.curve_steps, progress.curve_losses, progress.snapshot
    ahead = not len(steps) or moment.step > steps[-1]
    if batch_size(moment.settings, n_samples) or moment.loss is None or not math.isfinite(moment.loss) or not ahead:
        return steps, losses
    return np.append(steps, float(moment.step)), np.append(losses, moment.loss)


def curve_caption(progress: Progress, n_samples: int) -> Caption:
    """Return the caption of the training curve; if its steps saw different losses, that of the next point."""
    settings = progress.snapshot.settings
    size = batch_size(settings, n_samples)
    if size is None:
        text, tip = f"all {count_text(n_samples)}", SENTENCES["curve"].format(samples=counted(n_samples, "sample"))
    else:
        text = f"batches of {count_text(size)}"
        tip = SENTENCES["curve of batches"].format(batch=counted(size, "sample"), n_samples=n_samples)
    tip = _without_penalty(tip, settings)
    kinds = {(each.loss, each.batch_size) for _step, each in progress.settings_since}
    if len(progress.curve_steps) and (len(kinds) > 1 or progress.settings_at(float(progress.curve_steps[0])) is None):
        return Caption("train", f"{SENTENCES['changed curve']}\n{tip}")
    return Caption(text, tip)


def point_caption(step: float, loss: float, settings: TrainingSettings | None, n_samples: int) -> Caption:
    """Return the caption of one point of the training curve, with the settings of its step where they are known."""
    return Caption(f"step {step:,.0f}: {reading_text(loss)}", _point_tip(step, loss, settings, n_samples))


def newest_caption(progress: Progress, n_samples: int) -> Caption:
    """The newest loss that the curve has: the loss panel's caption."""
    (steps, losses), moment = train_points(progress, n_samples), progress.snapshot
    if not len(losses) and moment.loss is None:
        return NO_STEP
    if len(losses) and batch_size(moment.settings, n_samples) is None:
        tip = _point_tip(float(steps[-1]), float(losses[-1]), moment.settings, n_samples)
        return _with_other_figures(_loss_caption(float(losses[-1]), f"all {count_text(n_samples)}", tip), moment)
    if not len(losses) or (moment.seen_loss is None and moment.loss is not None):  # the last step saw other data
        tip = SENTENCES["present"].format(samples=counted(n_samples, "sample"), loss=moment.loss)
        return _with_other_figures(_loss_caption(moment.loss, f"all {count_text(n_samples)}", tip), moment)
    return _with_other_figures(_batch_caption(moment, float(losses[-1]), n_samples), moment)


def _batch_caption(moment: Snapshot, loss: float, n_samples: int) -> Caption:
    samples = f"batch of {count_text(last_batch(moment, n_samples))}"
    return _loss_caption(loss, samples, _last_batch_tip(moment, loss, n_samples))


def _loss_caption(loss: float | None, samples: str, tip: str) -> Caption:
    return Caption(f"{reading_text(loss)} · {samples}", tip, (reading_text(loss),))


def viewed_caption(progress: Progress, n_samples: int) -> Caption:
    """The loss of a past step that is viewed: the loss panel's caption while it is.

    With batches it is what that step has seen, as for the newest one.
    """
    moment = progress.snapshot
    if batch_size(moment.settings, n_samples) is None:
        if moment.loss is None:
            return NO_STEP
        caption = point_caption(moment.step, moment.loss, moment.settings, n_samples)
    elif moment.seen_loss is None:
        return NO_STEP
    else:
        caption = _batch_caption(moment, moment.seen_loss, n_samples)
    return _with_other_figures(caption, moment)


def _with_other_figures(caption: Caption, moment: Snapshot) -> Caption:
    """Add the test loss and the penalty of a moment to a caption on its training loss.

    Where there is less room, the samples go first, then the penalty: the test loss stands beside the training loss.
    """
    text, tips = caption.text, [caption.tip]
    shorter = list(caption.shorter or (caption.text,))
    if moment.test_loss is not None:
        test = f" · test {reading_text(moment.test_loss)}"
        text, shorter = f"{text}{test}", [f"{each}{test}" for each in shorter]
        tips.append(SENTENCES["test"].format(loss=moment.test_loss))
    if names := penalty_name(moment.settings):
        penalty = f" · penalty {reading_text(moment.penalty)}"
        text, shorter = f"{text}{penalty}", [each for brief in shorter for each in (f"{brief}{penalty}", brief)]
        if moment.objective is not None:
            sums = {"penalty": moment.penalty, "objective": moment.objective}
            tips.append(SENTENCES["penalty"].format(names=names, **sums))
    return Caption(text, "\n".join(tips), tuple(shorter))


def readout(progress: Progress | None, n_samples: int) -> tuple[tuple[str, ...], str]:
    """Return texts for the tool bar on the viewed moment, from long to short, and their tooltip.

    For a past step the newest one stands beside it, and where the run diverged later is not said.
    """
    if progress is None:
        return (UNTRAINED.text,), UNTRAINED.tip
    moment = progress.snapshot
    last = progress.steps[-1]
    is_past = moment.step < last
    step = f"step {count_text(moment.step)}" + (f" of {count_text(last)}" if is_past else "")
    long_step = f"step {moment.step:,}" + (f" of {last:,}" if is_past else "")
    epoch = f"epoch {moment.epoch:,}"
    updates, passes = counted(moment.step, "update"), counted(moment.epoch, "pass", "passes")
    sentences = [SENTENCES["counts"].format(updates=updates, passes=passes)]
    texts: tuple[str, ...] = (f"{long_step} · {epoch}", step)
    if progress.diverged_at is not None and not is_past:
        texts = (f"{long_step} · {epoch} · diverged", f"{step} · diverged")
        sentences.append(SENTENCES["diverged"].format(step=progress.diverged_at))
    elif moment.loss is not None:
        loss = f"loss {reading_text(moment.loss)}"
        of_all = f"{loss} of all {count_text(n_samples)}"
        briefly = f"{step} · {reading_text(moment.loss)} · all {count_text(n_samples)}"
        texts = (f"{long_step} · {epoch} · {of_all}", f"{step} · {of_all}", briefly)
        if moment.test_loss is not None:
            test = f"test {reading_text(moment.test_loss)}"
            texts = (f"{texts[0]} · {test}", *texts[:2], f"{step} · {loss} · {test}", briefly)
        texts = (*texts, f"{step} · {reading_text(moment.loss)}", step)
        present = SENTENCES["present"].format(samples=counted(n_samples, "sample"), loss=moment.loss)
        sentences += _with_other_figures(Caption("", present), moment).tip.split("\n")
    if moment.seen_loss is not None and batch_size(moment.settings, n_samples) is not None:
        sentences.append(_last_batch_tip(moment, moment.seen_loss, n_samples))
    return texts, "\n".join(sentences)


def logarithmic_note(ratio: float | None, reaches_floor: bool) -> Caption:
    """Why the loss axis is logarithmic, and where losses of 0 are.

    Args:
        ratio: the highest loss over the median, where that is why; None: the user has chosen.
        reaches_floor: whether there is a loss of 0.
    """
    floor = SENTENCES["floor"] if reaches_floor else ""
    if ratio is None:
        return Caption("log scale: losses of 0 stand at the bottom", floor) if reaches_floor else NO_CAPTION
    times = f"{ratio:,.0f}" if ratio < 1e6 else SENTENCES["huge"]
    tip = SENTENCES["log"].format(ratio=times)
    return Caption(SENTENCES["short log"].format(ratio=times), f"{tip}\n{floor}".strip())


def cut_note(cut: float) -> Caption:
    """Return the caption for a linear axis that leaves out losses of a diverged run, those above `cut`."""
    text = tick_text(cut, 3)
    return Caption(f"losses above {text} are cut off", SENTENCES["cut"].format(cut=text))


def _point_tip(step: float, loss: float, settings: TrainingSettings | None, n_samples: int) -> str:
    size = None if settings is None else batch_size(settings, n_samples)
    which = "bare point" if settings is None else "point" if size is None else "point of a batch"
    tip = SENTENCES[which].format(
        updates=counted(round(step), "update"),
        samples=counted(n_samples, "sample"),
        batch=counted(size or 0, "sample"),
        loss=loss,
    )
    return tip if settings is None else _without_penalty(tip, settings)


def _last_batch_tip(moment: Snapshot, loss: float, n_samples: int) -> str:
    tip = SENTENCES["last batch"].format(batch=counted(last_batch(moment, n_samples), "sample"), loss=loss)
    return _without_penalty(tip, moment.settings)


def _without_penalty(tip: str, settings: TrainingSettings) -> str:
    return with_penalty_note(tip, settings, "not in loss")
