"""Rising loss in a program's own training loop: updates that climb, or that are too large.

The judgement depends on the losses and on the motion of the leaves against their gradients, not on the code.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from engine.autograd import Constant, Value, short, topological_order
from engine.language import Evaluation
from engine.language.source import lines_of

MOST_VALUES = 20_000
"""Limit of moments of a program that are examined."""
SAME_RATE = 1e-6
"""Relative tolerance for factors of one update that count as equal."""
SENTENCES = {
    "climbs": "The loss rises from {first} to {last} over the loop: the update moves the data along their gradients. "
    "Subtract the gradient times the learning rate.",
    "too far": "The loss rises from {first} to {last} over the loop: each update goes against the gradient, but too "
    "far. Try a smaller learning rate.",
}
_UPDATE = re.compile(r"\.data\s*(?:[-+*/]?=)(?!=)")


class RisingLoss(NamedTuple):
    """Cause of a rising loss.

    Attributes:
        kind: "climbs" or "too far".
        first, last: the losses of the first and the last pass; the last may be infinite or nan.
        line: of the update, from 1; of `backward()` where the update is not found.
    """

    kind: str
    first: float
    last: float
    line: int

    @property
    def text(self) -> str:
        """Return the judgement in a sentence or two."""
        last = "nan" if math.isnan(self.last) else short(self.last)
        return SENTENCES[self.kind].format(first=short(self.first), last=last)


def direction(before: Sequence[tuple[float, float]], after: Sequence[float]) -> str:
    """Return the direction of an update: "along" the gradients, "against" them, or "" for neither.

    Args:
        before: data and gradient of each leaf.
        after: its data after the update, in the same order.
    """
    factors = [(new - data) / grad for (data, grad), new in zip(before, after, strict=True) if grad and new != data]
    if not factors or not all(map(math.isfinite, factors)):
        return ""
    if all(factor > 0 for factor in factors):
        return "along"
    is_descent = factors[0] < 0 and all(math.isclose(factor, factors[0], rel_tol=SAME_RATE) for factor in factors)
    return "against" if is_descent else ""


def rising_loss(evaluation: Evaluation, text: str) -> RisingLoss | None:
    """Return the cause of a rising loss in a program's last loop; None where it does not rise, or no cause is certain.

    Args:
        evaluation: of the program.
        text: the program.
    """
    lines = Counter(moment.line for moment in evaluation.moments)
    loops = [moment.line for moment in evaluation.moments if lines[moment.line] > 1]
    if not loops or len(evaluation.origins) > MOST_VALUES:
        return None
    first, second, *_rest = passes = [moment for moment in evaluation.moments if moment.line == loops[-1]]
    losses = [moment.root.data for moment in (first, second, passes[-1])]
    if second.number != first.number + 1 or not all(loss.__class__ is float for loss in losses):
        return None  # not every pass of a long loop is recorded
    if not (math.isfinite(losses[0]) and losses[1] > losses[0] and not losses[2] <= losses[0]):  # it may be nan
        return None
    way = _moved(first.root, second.root)
    kind = {"along": "climbs", "against": "too far"}.get(way)
    return None if kind is None else RisingLoss(kind, losses[0], losses[2], update_line(text, first.line))


def _moved(before: Value, after: Value) -> str:
    """Return the direction from the leaves of one pass to those of the next, which must have the same graph."""
    orders = topological_order(before), topological_order(after)
    if len(orders[0]) != len(orders[1]):
        return ""
    pairs = [(old, new) for old, new in zip(*orders, strict=True) if not old.inputs]
    if any(isinstance(old, Constant) and old.data is not new.data and old.data != new.data for old, new in pairs):
        return ""  # the data differ, so the loss does
    leaves = [(old, new) for old, new in pairs if old.grad.__class__ is old.data.__class__ is float]
    return direction([(old.data, old.grad) for old, _new in leaves], [new.data for _old, new in leaves])


def update_line(text: str, backward_line: int) -> int:
    """Return the line of the assignment to `.data` nearest to a `backward()` line, later lines first."""
    found = [number for number, line in enumerate(lines_of(text), 1) if _UPDATE.search(line.partition("#")[0])]
    later = [number for number in found if number > backward_line]
    return min(later, default=max(found, default=backward_line))
