"""Texts on the loss and gradients of the canvas: whose they are, and how the training step uses them.

The network on the canvas is computed for the samples shown; the update uses the gradient of the whole batch. So every
parameter has two gradients, and the line of its update is written with the one that makes it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.autograd import Value
from engine.autograd.notation import counted
from engine.network import OPTIMIZERS, TrainingSettings, Update
from engine.network.update import fixed
from engine.teaching.typeset import minus_in_formula
from engine.views.sample import SampleGraph

SENTENCES = {
    "sample": "{name}: this sample {own}, batch {batch}; {step}",
    "samples": "{name}: these samples {own}, batch {batch}; {step}",
    "own gradient": "The gradient of the loss of {samples} is {own}.",
    "batch gradient": "The gradient of the loss of {rows} is {batch}.",
    "step": "The step uses that of {rows}: {name}: {step}",
    "own loss": "The loss of {samples}.",
    "batch loss": "The loss of {rows} is {loss}.",
    "minimised": "With the {names} of {penalty} the step minimises {objective}.",
    "clipped": "It is clipped.",
    "in gradient": "The slope of the {names} is part of it.",
    "not in loss": "The {names} is not part of it.",
}
"""Sentences on a parameter and on the loss."""


class UpdateTexts:
    """Texts for one moment of a network on samples."""

    def __init__(self, sample: SampleGraph, update: Update | None) -> None:
        """Create the texts.

        Args:
            sample: the graph on the canvas.
            update: the step that belongs to the moment; one of other parameters is not looked at.
        """
        self._sample = sample
        passes = sample.passes
        belongs = update is not None and np.array_equal(update.before, passes.forward) and passes.differentiated
        self._update = update if belongs else None

    @property
    def samples(self) -> str:
        """`sample 2`, or `samples 2, 3, 4`."""
        numbers = [row + 1 for row in self._sample.rows]
        return f"sample{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"

    @property
    def batch(self) -> str:
        """`all 4 samples`, or `the batch (10 of 100 samples)`; empty when the step is not known."""
        return batch_text(self._update.rows, self._update.n_samples) if self._update is not None else ""

    def gradients(self, value: Value) -> tuple[float, float] | None:
        """The gradient of the loss of the samples shown, and that of the batch, with respect to a parameter.

        None for what is not a parameter, and where a step is not known: while training runs, before `backward`.
        """
        index = self._sample.index_of(value)
        if index is None or self._update is None:
            return None
        return float(value.grad), float(self._update.gradients[index])

    def line(self, value: Value | None) -> str:
        """Return both gradients of a parameter and its step in one line; empty for anything else."""
        which = "sample" if len(self._sample.rows) == 1 else "samples"
        return "" if value is None else self._sentence(which, value)

    def step(self, value: Value) -> str:
        """The step of a parameter: `0.6949 − 0.1 × 0.8488 = 0.6100`; empty where it is not known."""
        index = self._sample.index_of(value)
        return "" if index is None or self._update is None else minus_in_formula(self._update.line(index))

    def note(self, value: Value | None) -> tuple[str, ...]:
        """Whole sentences on a parameter or on the loss, for a tool-tip or an explanation; empty for other values."""
        update = self._update
        if value is self._sample.root:
            return self._loss_note()
        if value is None or update is None or self.gradients(value) is None:
            return ()
        settings = update.settings
        batch = with_penalty_note(self._sentence("batch gradient", value), settings, "in gradient")
        if settings.clip_norm is not None or settings.clip_value is not None:
            batch = f"{batch} {SENTENCES['clipped']}"
        rule = () if update.is_plain else (f"{settings.optimizer}: {OPTIMIZERS[settings.optimizer].rule}",)
        return self._sentence("own gradient", value), batch, self._sentence("step", value), *rule

    def _sentence(self, which: str, value: Value) -> str:
        """A sentence on a parameter; empty for what is not one, and where the step is not known."""
        both = self.gradients(value)
        if both is None:
            return ""
        own, batch = map(_signed, both)
        words = {"name": value.label, "own": own, "batch": batch, "samples": self.samples, "rows": self.batch}
        return minus_in_formula(SENTENCES[which].format(step=self.step(value), **words))

    def _loss_note(self) -> tuple[str, ...]:
        own = SENTENCES["own loss"].format(samples=self.samples)
        if self._update is None:
            return (own,)
        update = self._update
        batch = SENTENCES["batch loss"].format(rows=self.batch, loss=minus_in_formula(fixed(update.loss)))
        if names := penalty_name(update.settings):
            objective = minus_in_formula(fixed(update.loss + update.penalty))
            minimised = SENTENCES["minimised"].format(names=names, penalty=fixed(update.penalty), objective=objective)
            batch = f"{batch} {minimised}"
        return own, batch


def batch_text(rows: Sequence[int] | np.ndarray, n_samples: int) -> str:
    """Return the samples that a step uses: `all 4 samples`, or `the batch (10 of 100 samples)`."""
    if len(rows) == n_samples:
        return f"all {counted(n_samples, 'sample')}"
    return f"the batch ({len(rows):,} of {counted(n_samples, 'sample')})"


def penalty_name(settings: TrainingSettings) -> str:
    """Return `L2 penalty` or `L1 and L2 penalty`; "" without penalties."""
    names = " and ".join(name for name, size in (("L1", settings.l1), ("L2", settings.l2)) if size)
    return f"{names} penalty" if names else ""


def with_penalty_note(sentence: str, settings: TrainingSettings, which: str) -> str:
    """Add a sentence on the penalty where there is one.

    Args:
        sentence: on a loss or a gradient.
        settings: of the run.
        which: "in gradient" or "not in loss", a name of SENTENCES.
    """
    names = penalty_name(settings)
    return f"{sentence} {SENTENCES[which].format(names=names)}" if names else sentence


def _signed(number: float) -> str:
    return ("+" if number > 0 else "") + fixed(number)
