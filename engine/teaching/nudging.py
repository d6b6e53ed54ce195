"""Nudges: the change of the root when a value changes by h, and the distance of its slope from the gradient."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.autograd.backward import topological_order
from engine.autograd.contributions import gradients_of
from engine.autograd.notation import exact_sum
from engine.autograd.replay import Replay, recompute
from engine.autograd.value import Value

EXPONENTS = range(-1, -13, -1)
"""Exponents of ten for the h of a value's nudges, to show how the slope depends on h."""


@dataclass(frozen=True, slots=True)
class Nudge:
    """Effect of changing one value by h on the root.

    Attributes:
        h: the change.
        data: the root's data after it.
        actual_change: the root's data after it minus before.
        predicted_change: gradient times h.
        slope: actual change over h.
    """

    h: float
    data: float
    actual_change: float
    predicted_change: float
    slope: float

    @property
    def error(self) -> float:
        """Distance of the slope from the gradient: truncation for a large h, round-off for a tiny one."""
        return abs(self.slope - self.predicted_change / self.h)


@dataclass(frozen=True)
class ErrorCurve:
    """Distance of a nudge's slope from the gradient, for each h.

    Attributes:
        nudges: from the largest h to the smallest; without nudges that leave the domain of an operation.
    """

    nudges: tuple[Nudge, ...]

    @property
    def best(self) -> int:
        """Index of the nudge with the nearest slope; truncation dominates before it, round-off after it."""
        return min(range(len(self.nudges)), key=lambda place: self.nudges[place].error, default=0)


@dataclass(frozen=True)
class Ascent:
    """Effect of moving leaves along their gradients on the root.

    Attributes:
        before, after: the root's data.
        step: how much of its gradient was added to each leaf.
        squares: the sum of the squares of the gradients.
    """

    before: float
    after: float
    step: float
    squares: float

    @property
    def predicted_change(self) -> float:
        """Change predicted by the gradients: each leaf moves the root by step × gradient × gradient."""
        return self.step * self.squares

    @property
    def actual_change(self) -> float:
        """Actual change of the root."""
        return self.after - self.before


class Nudger:
    """Nudges values of one graph, any number of times; the graph itself does not change."""

    def __init__(self, root: Value) -> None:
        """Analyse the structure.

        Raises:
            ValueDataError: when the root is an array.
        """
        self.root = root
        self._replay = Replay(root)
        self.read()

    def read(self) -> None:
        """Read the current data of the graph."""
        self._replay.read()
        self.gradients = gradients_of(self.root)

    def gradient(self, value: Value) -> float:
        """The gradient of the root with respect to a value, 0 for one outside the graph."""
        return float(self.gradients.get(value, 0.0))

    def nudge(self, value: Value, h: float) -> Nudge:
        """Return the effect of increasing a scalar value by `h` on the root.

        Raises:
            ValueError: when h is 0.
        """
        if h == 0.0:
            raise ValueError("a nudge needs an h that is not 0")
        data = self._replay.root_data({value: value.data + h})
        change = data - self.root.data
        return Nudge(h, data, change, self.gradient(value) * h, change / h)

    def outdated(self, value: Value) -> Value | None:
        """The first node on the path to the root whose inputs changed after it was computed; None if there is none."""
        return self._replay.first_outdated(value, self._replay.downstream([value]))

    def error_curve(self, value: Value) -> ErrorCurve:
        """The nudges by powers of ten."""
        nudges = (self.nudge(value, 10.0**exponent) for exponent in EXPONENTS)
        return ErrorCurve(tuple(nudged for nudged in nudges if math.isfinite(nudged.error)))

    def root_data_at(self, value: Value, xs: Iterable[float]) -> list[float]:
        """Data of the root if a scalar value had each of these data instead."""
        path = self._replay.downstream([value])
        return [float(self._replay.root_data({value: x}, path)) for x in xs]

    def ascend(self, leaves: Sequence[Value], step: float, times: int = 1) -> Ascent:
        """Add `step` times its gradient to each of these leaves; a step below 0 lowers the root.

        Args:
            leaves: with single numbers.
            step: the factor.
            times: number of moves, 1 or more; each computes the gradients again, and the result describes the last
                move.
        """
        copies: dict[int, Value] = {}
        graph = copy.deepcopy(self.root, copies)
        order = topological_order(graph)
        for _ in range(times):
            recompute(order)
            gradients = gradients_of(graph)
            before, moves = graph.data, {leaf: gradients.get(copies[id(leaf)], 0.0) for leaf in leaves}
            for leaf, gradient in moves.items():
                copies[id(leaf)].data += step * gradient
        recompute(order)
        squares = exact_sum(gradient * gradient for gradient in moves.values())
        return Ascent(before, graph.data, step, squares)
