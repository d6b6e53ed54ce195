"""The pass of a program that gave a value its gradient, where that is not a pass from the output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from engine.autograd import Value, give_names, gradients_of, topological_order
from engine.graph import GraphNames
from engine.language import BackwardCall, Evaluation
from engine.language.moment_names import at_moment
from engine.teaching.walk import ProgramGradients
from engine.views.program_numbers import ProgramNumbers, is_nonzero, program_numbers, same


class GradientSource(NamedTuple):
    """A pass that gave a value its gradient, with everything that explains it.

    Attributes:
        value: the value, in the graph of the pass, with the numbers that it had then.
        root: where the pass began; where there was none, the output of the graph.
        gradients: those of the program in that graph.
        line: of the call of `backward()`; 0 where there was none.
    """

    value: Value
    root: Value
    gradients: ProgramGradients
    line: int = 0


class GradientSources:
    """The last pass of a program that reached each value of a graph; looked for when it is asked for."""

    def __init__(
        self, evaluation: Evaluation, roots: Sequence[Value], now: Mapping[Value, Value], program: ProgramNumbers | None
    ) -> None:
        """Describe the graph.

        Args:
            evaluation: of the program.
            roots: of the graph, the output first.
            now: for values of the program those in the graph, where it is a copy.
            program: how the program's numbers differ from those of a pass from the output.
        """
        self._evaluation, self._roots, self._program = evaluation, roots, program
        self._now = now
        self._found: dict[Value, GradientSource | None] = {}

    def find(self, value: Value, is_of_output: bool) -> GradientSource | None:
        """Return the pass that gave a value its gradient; None for one from the output.

        Args:
            value: of the graph.
            is_of_output: the output depends on it, or it is the output.
        """
        if value not in self._found:
            if self._evaluation.in_progress:
                self._found[value] = self._at_line(value)
            else:
                self._found[value] = self._look_for(value, is_of_output)
        return self._found[value]

    def _look_for(self, value: Value, is_of_output: bool) -> GradientSource | None:
        gradients = self._program.gradients if self._program is not None else None
        is_number = self._roots[0].data.__class__ is float
        if is_of_output and is_number and (gradients is None or gradients.is_pass):
            return None
        for moment in reversed(self._evaluation.moments):
            twin = next((then for then, end in moment.known.items() if self._now.get(end, end) is value), None)
            if twin is not None:
                return self._of_pass(value, twin, moment)
        return self._without_pass(value) if is_number and not is_of_output else None

    def _of_pass(self, value: Value, twin: Value, moment: BackwardCall) -> GradientSource:
        """Return the source of a gradient that a pass gave; noted where the program has another one at its end."""
        then = at_moment(self._evaluation, moment)
        graph, program = program_numbers(then, [moment.root], GraphNames(), ())
        give_names(topological_order(graph.roots[0]))
        there = graph.now.get(twin, twin)
        gradients, at_end = (program and program.gradients) or ProgramGradients(), value.known_grad
        if not same(at_end, there.known_grad, absolute=0.0):
            if self._are_later_calls_kept(moment):
                gradients = replace(gradients, later={**gradients.later, there: at_end})
            else:
                gradients = ProgramGradients(overrides={there: at_end}, reason="not kept")
        elif program is not None and program.data:
            is_other = not same(at_end, gradients_of(graph.roots[0]).get(there))
            gradients = ProgramGradients(overrides={there: at_end} if is_other else {}, reason="changed")
        return GradientSource(there, graph.roots[0], gradients, moment.line)

    def _are_later_calls_kept(self, moment: BackwardCall) -> bool:
        """True where all calls of `backward()` after this one are kept."""
        moments = self._evaluation.moments
        return moments[-1].number - moment.number == len(moments) - 1 - moments.index(moment)

    def _without_pass(self, value: Value) -> GradientSource:
        """Return the source of a gradient that no pass has given: it is missing, 0, or set by the program.

        Where not all calls of `backward()` are kept, it may be of one that is not.
        """
        gradient, moments = value.known_grad, self._evaluation.moments
        if not is_nonzero(gradient):
            gradients = ProgramGradients(gradient is not None)
        elif not moments or moments[-1].number == len(moments):
            gradients = ProgramGradients(overrides={value: gradient}, reason="hand")
        else:
            gradients = ProgramGradients(False, initial={value: gradient})
        return GradientSource(value, self._roots[0], gradients)

    def _at_line(self, value: Value) -> GradientSource | None:
        """Return the first output that a value is used for, with the gradients that the program has at this line."""
        for root in self._roots:
            if root.data.__class__ is float and value in (right := gradients_of(root)):
                is_other = not same(value.known_grad, right[value], absolute=0.0)
                overrides = {value: value.known_grad} if is_other else {}
                return GradientSource(value, root, ProgramGradients(overrides=overrides, reason="line"))
        return None
