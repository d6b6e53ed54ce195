"""Update rules of a walk, for the parameters of a program or of a network in training."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from engine.autograd import Value
from engine.autograd.notation import short, sum_text
from engine.network.update import Update
from engine.teaching import Descent, ParameterUpdate, UpdateRule
from engine.teaching.substep import descent_text
from engine.views.graph_view import GraphView
from engine.views.program_numbers import ProgramNumbers
from engine.views.sample import SampleGraph

OF_THE_BATCH = "This is the gradient for the whole batch; the canvas has the gradient for the displayed samples."
"""Note for batches with other samples than the graph, where both gradients may differ."""
BY_BATCH = "{name}.data -= learning rate × its gradient for the whole batch"
BY_OPTIMIZER = "{name}.data -= {optimizer} step for its gradient for the whole batch"
OF_PROGRAM = "The learning rate {rate:g} is the program's."
OF_DOCUMENT = "The learning rate {rate:g} is set in the stepper."
BY_PROGRAM = "{name}.data = {name}.data + the program's change after backward()"
DIGITS_OF_RATE, SAME_RATE = 6, 1e-9
"""Most digits of a program's learning rate, and the relative tolerance of its steps."""


class BatchUpdate:
    """The next update of training, with gradients of the whole batch and the optimizer's rule."""

    def __init__(self, sample: SampleGraph, update: Update) -> None:
        self._sample, self._update = sample, update

    @property
    def parameters(self) -> Sequence[Value]:
        return self._sample.parameters

    @property
    def loss_part(self) -> Container[Value]:
        """The values computed after the network's outputs."""
        return self._sample.loss_part

    def update_of(self, value: Value, gradient: float) -> ParameterUpdate:
        """Return the parameter before and after the step; the gradient of the shown samples is ignored."""
        index, update = self._sample.index_of(value), self._update
        assert index is not None
        before, after = float(update.before[index]), float(update.after[index])
        rule = BY_BATCH if update.is_plain else BY_OPTIMIZER.replace("{optimizer}", update.settings.optimizer)
        return ParameterUpdate(value, before, after, lambda: update.line(index), OF_THE_BATCH, rule)


class ProgramUpdate:
    """The program's own update after `backward()`, with a learning rate where it was gradient descent."""

    def __init__(self, program: ProgramNumbers) -> None:
        """Collect the leaves that a program changed after its last pass."""
        self._changes, self._gradient = program.updated, program.gradient_of_pass

    @property
    def parameters(self) -> Sequence[Value]:
        return list(self._changes)

    @property
    def loss_part(self) -> Container[Value]:
        """An empty container: a program's loss part is unknown."""
        return ()

    @cached_property
    def learning_rate(self) -> float | None:
        """Return the factor by which every leaf was moved against its gradient; None without a common factor."""
        gradients = {leaf: self._gradient(leaf) for leaf in self._changes}
        if not all(gradient.__class__ is float and gradient for gradient in gradients.values()):
            return None
        if any(
            isinstance(number, np.ndarray) for change in self._changes.items() for number in (change[0].data, change[1])
        ):
            return None
        rates = [(leaf.data - now) / gradients[leaf] for leaf, now in self._changes.items()]
        rate = float(f"{rates[0]:.{DIGITS_OF_RATE}g}")
        is_one = rate > 0 and all(math.isclose(each, rate, rel_tol=SAME_RATE) for each in rates)
        return rate if is_one else None

    def update_of(self, value: Value, gradient: float) -> ParameterUpdate:
        """Return the data before and after the update; the gradient is that which the program had after its pass.

        A walk knows none of a constant, which a program can change as well.
        """
        after, gradient = self._changes[value], self._gradient(value)
        if self.learning_rate is not None:
            return ParameterUpdate(
                value,
                value.data,
                after,
                partial(descent_text, value.data, self.learning_rate, gradient, after),
                origin=OF_PROGRAM.format(rate=self.learning_rate),
            )
        return ParameterUpdate(value, value.data, after, partial(_change_text, value.data, after), rule=BY_PROGRAM)


def _change_text(before: Any, after: Any) -> str:
    """Return such as `3 + (-1) = 2`; of an array the new one alone."""
    if isinstance(before, np.ndarray) or isinstance(after, np.ndarray):
        return short(after)
    return " ".join(sum_text((before, after - before), after))


def program_update(graph_view: GraphView) -> ProgramUpdate | None:
    """Return the program's own update after its pass; None where it has not changed data since."""
    program = graph_view.program
    return ProgramUpdate(program) if program is not None and program.updated else None


def update_rule(
    graph_view: GraphView, sample: SampleGraph | None, update: Update | None, learning_rate: float | None
) -> UpdateRule | None:
    """Return the update rule for the graph that is shown.

    Args:
        graph_view: the graph.
        sample: of a network; None for a program, whose parameters are moved against their gradients, unless it has
            changed some leaves itself.
        update: the next update of training, where it is known.
        learning_rate: for a program; None: only the program's own update is walked.

    Returns:
        None for a network whose next update is unknown, or belongs to other parameters than those shown, and for a
        program that has set its gradients by hand, or has those of another pass.
    """
    if sample is None:
        gradients = graph_view.program_gradients
        if gradients is not None and (gradients.later or not gradients.is_pass):
            return program_update(graph_view)
        if learning_rate is None:
            return program_update(graph_view)
        origin = OF_DOCUMENT.format(rate=learning_rate)
        return program_update(graph_view) or Descent(graph_view.parameters, learning_rate, origin=origin)
    if update is None or not np.array_equal(update.before, sample.passes.now):
        return None
    return BatchUpdate(sample, update)
