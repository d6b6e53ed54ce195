"""The gradients that an engine of a learner's own has computed, beside those of the table of operations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from engine.autograd import Value
from engine.graph.expanded import ExpandedGraph

SAME = 1e-6


class WrongGradient(NamedTuple):
    """A gradient of the program's that is not the right one.

    Attributes:
        given: what the program has.
        right: what the table of operations gives.
    """

    given: float
    right: float


def wrong_gradients(
    program: Mapping[Value, float], shown: ExpandedGraph, right: ExpandedGraph, values: Iterable[Value]
) -> dict[str, WrongGradient]:
    """Where the gradients of a program differ from the right ones, by the key of the value.

    Args:
        program: for values of the program the gradients that it has given them.
        shown: the graph that is shown.
        right: the same graph, differentiated; `shown` itself, or one with the same keys.
        values: those of `right`.
    """
    rights = {right.names.keys.get(id(value), ""): value.grad for value in values}
    found: dict[str, WrongGradient] = {}
    for value, given in program.items():
        key = shown.names.keys.get(id(shown.now.get(value, value)), "")
        grad = rights.get(key)
        if not key or not isinstance(grad, float) or not math.isfinite(grad):
            continue
        if not math.isclose(given, grad, rel_tol=SAME, abs_tol=1e-9):
            found[key] = WrongGradient(given, grad)
    return found
