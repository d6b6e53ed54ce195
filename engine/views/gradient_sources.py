"""What explains a gradient that no pass from the output has given: the program's last pass that reached the value."""

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
    """What explains the gradient of a value.

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
    """The sources of the gradients in one graph. They are looked for when asked for, which may take a second."""

    def __init__(
        self, evaluation: Evaluation, roots: Sequence[Value], now: Mapping[Value, Value], program: ProgramNumbers | None
    ) -> None:
        """Args: the program; the roots of the graph, the output first; its counterparts of the program's values; and
        how the program's numbers differ from those of a pass from the output.
        """
        self._evaluation, self._roots, self._program = evaluation, roots, program
        self._now = now
        self._found: dict[Value, GradientSource | None] = {}
        self._of_root = frozenset(topological_order(roots[0]))

    def find(self, value: Value, is_walked: bool = False) -> GradientSource | None:
        """Return the source of a value's gradient; None for a pass from the output, and on a walk through one."""
        if is_walked and value in self._of_root:
            return None
        if value not in self._found:
            self._found[value] = self._at_line(value) if self._evaluation.in_progress else self._look_for(value)
        return self._found[value]

    def _look_for(self, value: Value) -> GradientSource | None:
        is_of_root = value in self._of_root
        gradients = self._program.gradients if self._program is not None else None
        is_number = self._roots[0].data.__class__ is float
        if is_of_root and is_number and (gradients is None or gradients.is_pass):
            return None
        for moment in reversed(self._evaluation.moments):
            twin = next((then for then, end in moment.known.items() if self._now.get(end, end) is value), None)
            if twin is not None:
                return self._of_pass(value, twin, moment)
        return self._without_pass(value) if is_number and not is_of_root else None

    def _of_pass(self, value: Value, twin: Value, moment: BackwardCall) -> GradientSource:
        """Return the source of a gradient that a pass has given; what happened to it later is noted."""
        then = at_moment(self._evaluation, moment)
        graph, program = program_numbers(then, [moment.root], GraphNames(), ())
        give_names(topological_order(graph.roots[0]))
        there = graph.now.get(twin, twin)
        gradients, at_end = (program and program.gradients) or ProgramGradients(), value.known_grad
        if not same(at_end, there.known_grad, absolute=0.0):
            if self._is_last_with(moment):
                gradients = replace(gradients, later={**gradients.later, there: at_end})
            else:
                gradients = ProgramGradients(overrides={there: at_end}, reason="not kept")
        elif program is not None and program.data:
            is_other = not same(at_end, gradients_of(graph.roots[0]).get(there))
            gradients = ProgramGradients(overrides={there: at_end} if is_other else {}, reason="changed")
        return GradientSource(there, graph.roots[0], gradients, moment.line)

    def _is_last_with(self, moment: BackwardCall) -> bool:
        """True where all calls of `backward()` after this one are kept."""
        moments = self._evaluation.moments
        return moments[-1].number - moment.number == len(moments) - 1 - moments.index(moment)

    def _without_pass(self, value: Value) -> GradientSource:
        """Return the source of a gradient that no pass has given: it is missing, 0, or set by the program.

        Of a program with many calls of `backward()`, not all of which are kept, it may be of one of them.
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
