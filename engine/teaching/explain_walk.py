"""Explanations during a walk: the effect of a step on a value, and when and why missing numbers will be computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from engine.autograd.naming import grouped_name
from engine.autograd.notation import counted, short
from engine.autograd.value import Value
from engine.teaching.explain_terms import local_lines
from engine.teaching.explanation import (
    ExplanationLine,
    Lines,
    TextRun,
    formula,
    heading,
    partial_runs,
    plain,
    sentence,
    total_run,
)
from engine.teaching.substep import SubStep, product_in_numbers
from engine.teaching.walk import ProgramGradients, Walk
from engine.teaching.wording import in_names, statement

MAX_PENDING = 3


@dataclass(frozen=True)
class WalkProgress:
    """Progress of a walk for one value.

    Attributes:
        value: a value of the graph.
        walk: the walk through its graph.
        position: number of sub-steps done.
    """

    value: Value
    walk: Walk
    position: int

    @property
    def data_known(self) -> bool:
        """True when forward has computed the value."""
        return self.walk.computed_at(self.value) <= self.position

    @property
    def complete(self) -> bool:
        """True when all contributions have arrived; a number written in a formula receives none."""
        return all(arrival <= self.position for arrival in self.walk.arrivals(self.value))

    @property
    def arrived(self) -> tuple[SubStep, ...]:
        """The steps that have brought a contribution."""
        return tuple(step for at, step in self._contributions() if at <= self.position)

    @property
    def pending(self) -> tuple[tuple[int, SubStep], ...]:
        """The contributions that have not arrived, each with the position after it."""
        return tuple((at, step) for at, step in self._contributions() if at > self.position)

    def _contributions(self) -> list[tuple[int, SubStep]]:
        numbered = ((at, self.walk.script[at - 1]) for at in self.walk.arrivals(self.value))
        return [(at, step) for at, step in numbered if step.kind == "backward"]

    @property
    def program(self) -> ProgramGradients | None:
        """The program's gradients, without those that it has not set yet."""
        program, walk = self.walk.program, self.walk
        if program is None:
            return None
        n_set, n_later = (max(0, self.position - walk.phases.get(phase, self.position)) for phase in ("set", "later"))
        overrides, later = islice(program.overrides.items(), n_set), islice(program.later.items(), n_later)
        return replace(program, overrides=dict(overrides), later=dict(later))

    # Lines

    def step_lines(self) -> Lines:
        """Lines on the step before the position, whichever value it changed; () at the start."""
        return step_lines(self.walk.script[self.position - 1]) if self.position else ()

    def missing_data_lines(self) -> Lines:
        """Lines on why the value has no data yet, and what it will be computed from."""
        name, n_forward = grouped_name(self.value), self.walk.phases["seed"]
        at = self.walk.computed_at(self.value)
        return (
            heading(f"Why does {name} have no data yet?"),
            sentence("data pending", name=name, step=at, all=n_forward, now=self.position),
            formula(statement(self.value, in_names(self.value))),
        )

    def missing_grad_lines(self) -> Lines:
        """Lines on why the value has no gradient yet."""
        return (heading(f"Why does {grouped_name(self.value)} have no grad yet?"), self._why_no_grad())

    def _why_no_grad(self) -> ExplanationLine:
        n_forward, root = self.walk.phases["seed"], grouped_name(self.walk.root)
        if self.position < n_forward:
            return sentence("backward pending", root=root, now=self.position, all=n_forward)
        if self.position == n_forward:
            return sentence("seed pending", root=root)
        at, step = self.pending[0]
        return sentence(
            "grad pending",
            name=grouped_name(self.value),
            source=grouped_name(step.node),
            step=at - n_forward,
            all=len(self.walk) - n_forward,
            now=self.position - n_forward,
        )

    def so_far_line(self, gradient: Any) -> ExplanationLine:
        """Line on the sum of the contributions that have arrived, and on the pending ones."""
        n_forward, rest = self.walk.phases["seed"], self.pending
        first = [f"from {grouped_name(step.node)} in backward step {at - n_forward}" for at, step in rest[:MAX_PENDING]]
        if len(rest) > MAX_PENDING:
            first.append(f"and {len(rest) - MAX_PENDING:,} more")
        n_here = len(self.arrived)
        return ExplanationLine(
            "text",
            (
                TextRun("word", f"So far {n_here} of {counted(n_here + len(rest), 'contribution')}: "),
                TextRun("number", short(gradient)),
                TextRun("word", f". Pending: {', '.join(first)}."),
            ),
        )


def step_lines(step: SubStep) -> Lines:
    """Lines on one step of a walk: in names, with the numbers put in, and the rule that it follows."""
    term, node = step.contribution, grouped_name(step.node)
    if step.kind == "forward":
        return heading(f"This step computes {node}"), formula(step.numbers)
    if step.update is not None:
        note = [plain(text) for text in (step.update.note, step.update.origin) if text]
        names, numbers = formula(step.names), formula(step.numbers)
        against = (sentence("update"),) if "-=" in step.names else ()
        return heading(f"This step updates {node}"), names, numbers, *note, *against
    if step.kind == "zero_grad":
        return heading("This step sets the gradient of every parameter to 0"), sentence("zero_grad")
    if step.kind == "set":
        return heading(f"This step sets {node}.grad"), formula(step.numbers), plain(step.note)
    if term is None:
        seed = formula(f"{node}.grad = ", total_run(step.node, step.node), " ", number="= 1")
        return heading(f"This step sets {node}.grad to 1"), seed, sentence("backward begins")
    name = grouped_name(term.input)
    lines = [heading(f"This step adds a contribution of {node} to {name}.grad")]
    if term.partial is None:
        lines.append(formula(step.names))
    else:
        product, result = product_in_numbers(term)
        slope = partial_runs(term.node, term.index)
        lines += local_lines(term)
        lines.append(formula(f"{name}.grad += {node}.grad × ", *slope, f" = {product} ", number=result))
    if step.accumulation:
        lines.append(formula(step.accumulation))
    assert term.node.op is not None
    return (*lines, plain(term.node.op.rule))
