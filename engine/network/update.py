"""Effect of one step on every parameter, in numbers and as a line that adds up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.autograd.notation import in_parentheses
from engine.network.settings import TrainingSettings

Floats = NDArray[Any]
FEWEST_DIGITS, MOST_DIGITS = 4, 15
EXACTLY = Context(prec=700)
"""Room for every digit between the largest float and the smallest one, so that nothing is rounded on the way."""


@dataclass(frozen=True, eq=False)
class Update:
    """One step of training; every array is its own read-only copy.

    Attributes:
        step: updates made before it.
        rows: (n_batch,) samples of its batch.
        n_samples: of the training data.
        loss: data loss of those samples before the step.
        penalty: L1 and L2 penalty that is added to it; 0 without penalties.
        before: (n_parameters,) parameters.
        gradients: (n_parameters,) used by the optimizer: of the batch, with penalties, clipped.
        after: (n_parameters,) parameters.
        learning_rate: of this step.
        settings: of the run.
        memory_before: arrays by name, (n_parameters,) each, that the optimizer has kept from the steps before.
        memory: the same after the gradients have been taken in; the step is made with these.
    """

    step: int
    rows: NDArray[np.int64] = field(repr=False)
    n_samples: int
    loss: float
    penalty: float
    before: Floats = field(repr=False)
    gradients: Floats = field(repr=False)
    after: Floats = field(repr=False)
    learning_rate: float
    settings: TrainingSettings = field(repr=False)
    memory_before: Mapping[str, Floats] = field(default_factory=dict, repr=False)
    memory: Mapping[str, Floats] = field(default_factory=dict, repr=False)

    def is_that_of(self, other: Update) -> bool:
        """Return True for the same step: same settings and samples, same numbers before and after."""
        arrays = (self.rows, other.rows), (self.before, other.before), (self.after, other.after)
        same_step = self.step == other.step and self.settings == other.settings
        return same_step and all(np.array_equal(one, two) for one, two in arrays)

    def sum_texts(self, index: int) -> tuple[str, str, str]:
        """Return the parameter before, its change, and the parameter after, with enough digits to make the sum exact.

        Where no digits do, four of each: the sum is true to rounding then.
        """
        before, after = float(self.before[index]), float(self.after[index])
        for digits in range(FEWEST_DIGITS, MOST_DIGITS + 1):
            texts = fixed(before, digits), fixed(after - before, digits), fixed(after, digits)
            if _adds_up(texts[0], "-1", texts[1], texts[2]):
                return texts
        return fixed(before), fixed(after - before), fixed(after)

    def line(self, index: int) -> str:
        """Return the step of one parameter, such as `0.6949 - 0.1 × 0.8488 = 0.6100`.

        It has more digits where four do not add up. Other rules than plain descent show the step itself:
        `0.6949 - 0.0500 = 0.6449`.
        """
        texts = (self._texts(index, digits) for digits in range(FEWEST_DIGITS, MOST_DIGITS + 1))
        start, rate, slope, end = next((text for text in texts if _adds_up(*text)), self._texts(index, FEWEST_DIGITS))
        sign = "=" if _adds_up(start, rate, slope, end) else "≈"
        factor = f"{rate} × " if self.is_plain else ""
        return f"{start} - {factor}{in_parentheses(slope)} {sign} {end}"

    @property
    def is_finite(self) -> bool:
        """True when gradients and parameters stay finite."""
        return bool(np.isfinite([self.gradients, self.after]).all())

    @property
    def is_plain(self) -> bool:
        """True when a step is the learning rate times the gradient and nothing else."""
        return self.settings.optimizer == "sgd"

    def _texts(self, index: int, digits: int) -> tuple[str, str, str, str]:
        """Return the parameter before, the factor, the slope that it multiplies, and the parameter after."""
        before, after = float(self.before[index]), float(self.after[index])
        rate = f"{self.learning_rate:.{digits}g}" if self.is_plain else "1"
        slope = float(self.gradients[index]) if self.is_plain else before - after
        return fixed(before, digits), rate, fixed(slope, digits), fixed(after, digits)


def _adds_up(start: str, rate: str, slope: str, end: str) -> bool:
    """Return True when the displayed numbers give the displayed result."""
    exact = EXACTLY.subtract(Decimal(start), EXACTLY.multiply(Decimal(rate), Decimal(slope)))
    unit = Decimal(end).as_tuple().exponent
    return exact.quantize(Decimal((0, (1,), int(unit))), context=EXACTLY) == Decimal(end)


def fixed(number: float, digits: int = FEWEST_DIGITS) -> str:
    """Return a number with `digits` decimals, or as a power of ten where these would show no digit or very many."""
    size = abs(number)
    if size and not 0.5 * 10.0**-digits <= size < 1e6:
        return f"{number:.{digits - 2}e}"
    return f"{number + 0.0:.{digits}f}"
