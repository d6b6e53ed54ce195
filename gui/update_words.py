"""Whose loss and whose gradients the canvas shows, and what the step does with them, in words.

The network on the canvas is computed for the samples shown; the update uses the gradient of the whole batch. So every
parameter has two gradients, and the line of its update is written with the one that makes it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.autograd import Value
from engine.autograd.notation import counted
from engine.document.sample import SampleGraph
from engine.network import OPTIMIZERS, Update
from engine.network.update import fixed


class UpdateWords:
    """What is said of one moment of a network on samples."""

    def __init__(self, sample: SampleGraph, update: Update | None) -> None:
        """Takes what is shown.

        Args:
            sample: the graph on the canvas.
            update: the step that belongs to the moment; one of other parameters is not looked at.
        """
        self._sample = sample
        moment = sample.moment
        belongs = update is not None and np.array_equal(update.before, moment.seen) and moment.differentiated
        self._update = update if belongs else None

    @property
    def samples(self) -> str:
        """`sample 2`, or `samples 2, 3, 4`."""
        numbers = [row + 1 for row in self._sample.rows]
        return f"sample{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"

    @property
    def batch(self) -> str:
        """`all 4 samples`, or `the batch (10 of 100 samples)`; empty when the step is not known."""
        return batch_words(self._update.rows, self._update.n_samples) if self._update is not None else ""

    def gradients(self, value: Value) -> tuple[float, float] | None:
        """The gradient of the loss of the samples shown, and that of the batch, with respect to a parameter.

        None for what is not a parameter, and where a step is not known: while training runs, before `backward`.
        """
        index = self._sample.index_of(value)
        if index is None or self._update is None:
            return None
        return float(value.grad), float(self._update.gradients[index])

    def line(self, value: Value | None) -> str:
        """Both gradients of a parameter and its step in one line; empty for anything else."""
        both = None if value is None else self.gradients(value)
        if value is None or both is None or self._update is None:
            return ""
        of = "this sample" if len(self._sample.rows) == 1 else "these samples"
        return f"{value.label}: {of} {_signed(both[0])}, batch {_signed(both[1])}; {self.step(value)}"

    def step(self, value: Value) -> str:
        """The step of a parameter: `0.6949 - 0.1 * 0.8488 = 0.6100`; empty where it is not known."""
        index = self._sample.index_of(value)
        return "" if index is None or self._update is None else self._update.line(index)

    def note(self, value: Value | None) -> tuple[str, ...]:
        """Whole sentences on a parameter or on the loss, for a tool-tip or an explanation; empty for other values."""
        if value is self._sample.root:
            return self._loss_note()
        both = None if value is None else self.gradients(value)
        if value is None or both is None or self._update is None:
            return ()
        settings = self._update.settings
        rule = () if self._update.is_plain else (f"{settings.optimizer}: {OPTIMIZERS[settings.optimizer].rule}",)
        return (
            f"The gradient of the loss of {self.samples} is {_signed(both[0])}.",
            f"The gradient of the loss of {self.batch} is {_signed(both[1])}{_changes(self._update)}.",
            f"The step uses that of {self.batch}: {value.label}: {self.step(value)}",
            *rule,
        )

    def _loss_note(self) -> tuple[str, ...]:
        own = f"The loss of {self.samples}."
        if self._update is None:
            return (own,)
        return own, f"The loss of {self.batch} is {fixed(self._update.loss)}{_penalties(self._update)}."


def batch_words(rows: Sequence[int] | np.ndarray, n_samples: int) -> str:
    """Which samples a step uses: `all 4 samples`, or `the batch (10 of 100 samples)`."""
    if len(rows) == n_samples:
        return f"all {counted(n_samples, 'sample')}"
    return f"the batch ({len(rows):,} of {counted(n_samples, 'sample')})"


def _signed(number: float) -> str:
    return ("+" if number > 0 else "") + fixed(number)


def _penalties(update: Update) -> str:
    names = [name.upper() for name in ("l1", "l2") if getattr(update.settings, name)]
    return f", {' and '.join(names)} included" if names else ""


def _changes(update: Update) -> str:
    clipped = update.settings.clip_norm is not None or update.settings.clip_value is not None
    return _penalties(update) + (", clipped" if clipped else "")
