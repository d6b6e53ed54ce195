"""An explanation on a walk: what a step did to a value, and of what is not computed yet, why and when it will be."""

from __future__ import annotations

from typing import Any

from engine.autograd.explain_terms import local_lines
from engine.autograd.explanation import (
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
from engine.autograd.naming import grouped_name
from engine.autograd.notation import counted, short
from engine.autograd.substep import SubStep, product_in_numbers
from engine.autograd.value import Value
from engine.autograd.walk import Walk
from engine.autograd.wording import in_names, statement
from engine.quick_dataclass import dataclass

MAX_TO_COME = 3


@dataclass(frozen=True)
class Standing:
    """How far a walk has come, seen from one value.

    Attributes:
        value: of the graph that is walked through.
        walk: through its graph.
        position: sub-steps done.
    """

    value: Value
    walk: Walk
    position: int

    @property
    def data_known(self) -> bool:
        """Whether forward has computed the value."""
        return self.walk.computed_at(self.value) <= self.position

    @property
    def complete(self) -> bool:
        """Whether all that adds to the gradient has arrived; nothing ever does at a number written in a formula."""
        return all(arrival <= self.position for arrival in self.walk.arrivals(self.value))

    @property
    def arrived(self) -> tuple[SubStep, ...]:
        """The steps that have brought a contribution."""
        return tuple(step for at, step in self._contributions() if at <= self.position)

    @property
    def to_come(self) -> tuple[tuple[int, SubStep], ...]:
        """The contributions that have not arrived, each with the position after it."""
        return tuple((at, step) for at, step in self._contributions() if at > self.position)

    def _contributions(self) -> list[tuple[int, SubStep]]:
        numbered = ((at, self.walk.script[at - 1]) for at in self.walk.arrivals(self.value))
        return [(at, step) for at, step in numbered if step.kind == "backward"]

    # Lines

    def step_lines(self) -> Lines:
        """What the step before the position did, to whichever value; () at the start."""
        return step_lines(self.walk.script[self.position - 1]) if self.position else ()

    def data_to_come(self) -> Lines:
        """Why the value has no data yet, and what it will be computed from."""
        name, n_forward = grouped_name(self.value), self.walk.phases["seed"]
        at = self.walk.computed_at(self.value)
        return (
            heading(f"Why has {name} no data yet?"),
            sentence("data to come", name=name, step=at, all=n_forward, now=self.position),
            formula(statement(self.value, in_names(self.value))),
        )

    def grad_to_come(self) -> Lines:
        """Why the value has no gradient yet."""
        return (heading(f"Why has {grouped_name(self.value)} no grad yet?"), self._why_no_grad())

    def _why_no_grad(self) -> ExplanationLine:
        n_forward, root = self.walk.phases["seed"], grouped_name(self.walk.root)
        if self.position < n_forward:
            return sentence("backward to begin", root=root, now=self.position, all=n_forward)
        if self.position == n_forward:
            return sentence("seed to come", root=root)
        at, step = self.to_come[0]
        return sentence(
            "grad to come",
            name=grouped_name(self.value),
            source=grouped_name(step.node),
            step=at - n_forward,
            all=len(self.walk) - n_forward,
            now=self.position - n_forward,
        )

    def so_far(self, gradient: Any) -> ExplanationLine:
        """How much of the gradient has arrived, and what is still to come."""
        n_forward, rest = self.walk.phases["seed"], self.to_come
        first = [f"from {grouped_name(step.node)} in backward step {at - n_forward}" for at, step in rest[:MAX_TO_COME]]
        if len(rest) > MAX_TO_COME:
            first.append(f"and {len(rest) - MAX_TO_COME:,} more")
        n_here = len(self.arrived)
        return ExplanationLine(
            "text",
            (
                TextRun("word", f"So far {n_here} of {counted(n_here + len(rest), 'contribution')}: "),
                TextRun("number", short(gradient)),
                TextRun("word", f"; still to come: {', '.join(first)}."),
            ),
        )


def step_lines(step: SubStep) -> Lines:
    """One step of a walk: what it does, in names and with the numbers put in, and the rule that it follows."""
    term, node = step.contribution, grouped_name(step.node)
    if step.kind == "forward":
        return heading(f"This step computes {node}"), formula(step.numbers)
    if step.update is not None:
        note = [plain(told) for told in (step.update.note, step.update.origin) if told]
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
