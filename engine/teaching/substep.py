"""One sub-step of a walk: its text in names, with the numbers put in, and as a line that adds up."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from engine.autograd.contributions import Contribution
from engine.autograd.naming import grouped_name, total_derivative
from engine.autograd.notation import enough_decimals, equality, factor, product_text, short, shown
from engine.autograd.value import Value
from engine.teaching.wording import in_both, in_names, partial_name, statement

_ZERO_GRAD = "every grad = 0"
_DESCENT = "{name}.data -= learning rate × {name}.grad"


@dataclass(frozen=True, slots=True, eq=False)
class ParameterUpdate:
    """Update of one parameter.

    Attributes:
        value: the parameter.
        before, after: its data.
        write: function for `line`; a walk has thousands of updates, but few are read.
        note: a sentence on its gradient if it differs from the graph's; otherwise "".
        rule: the step in names, with `{name}` for the parameter's; "" for descent.
        origin: source of its learning rate, a sentence; or "".
    """

    value: Value
    before: float
    after: float
    write: Callable[[], str] = field(repr=False)
    note: str = ""
    rule: str = ""
    origin: str = ""

    @property
    def line(self) -> str:
        """The step with the numbers put in, one that adds up: `0.5 - 0.1 × (-2) = 0.7`."""
        return self.write()


class UpdateRule(Protocol):
    """Rule that updates parameters at the end of a training step."""

    @property
    def parameters(self) -> Sequence[Value]:
        """Leaves of the graph, in the order in which they are updated."""

    @property
    def loss_part(self) -> Container[Value]:
        """The values that belong to the loss and not to the model; empty if not distinguished."""

    def update_of(self, value: Value, gradient: float) -> ParameterUpdate:
        """The update of one parameter, given the gradient after backward."""


@dataclass(frozen=True, eq=False)
class Descent:
    """Plain gradient descent: `p.data -= learning_rate * p.grad`.

    Attributes:
        parameters: leaves with single numbers.
        learning_rate: the factor.
        origin: source of the learning rate, a sentence; or "".
    """

    parameters: Sequence[Value]
    learning_rate: float
    loss_part: Container[Value] = ()
    origin: str = ""

    def update_of(self, value: Value, gradient: float) -> ParameterUpdate:
        """The parameter minus the learning rate times its gradient."""
        after = value.data - self.learning_rate * gradient
        line = partial(descent_text, value.data, self.learning_rate, gradient, after)
        return ParameterUpdate(value, value.data, after, line, origin=self.origin)


def descent_text(before: float, rate: float, gradient: float, after: float) -> str:
    """`0.5 - 0.1 × (-2) = 0.7`, with enough decimals to add up; the rate is shown in full."""

    def computed(decimals: int) -> float:
        return shown(before, decimals) - rate * shown(gradient, decimals)

    decimals = enough_decimals(computed, after)
    terms = f"{short(before, decimals)} - {rate:.12g} × {factor(gradient, decimals)}"
    return f"{terms} {equality(computed(decimals), after, decimals)}"


@dataclass(frozen=True, slots=True, eq=False)
class SubStep:
    """One action of the engine; its texts are computed on access, from the data at that time.

    Attributes:
        kind: `forward` (an operation is computed), `zero_grad` (every gradient is 0), `seed` (root.grad = 1),
            `backward` (one contribution), `set` (the program sets a gradient) or `update` (one parameter changes).
        node: the value computed, seeded, set, updated, or differentiated; the root for `zero_grad`.
        contribution: the contribution of `backward`; None for the other kinds.
        update: the update of a parameter; None for the other kinds.
        gradient: the gradient of `set`, None where the program took it away; None for the other kinds.
        note: a sentence on it.
    """

    kind: str
    node: Value
    contribution: Contribution | None = None
    update: ParameterUpdate | None = None
    gradient: Any = None
    note: str = ""

    @property
    def input(self) -> Value | None:
        """The value that receives a contribution; None for the other kinds."""
        return None if self.contribution is None else self.contribution.input

    @property
    def index(self) -> int:
        """Index of `input` among the node's inputs, -1 for the other kinds."""
        return -1 if self.contribution is None else self.contribution.index

    @property
    def names(self) -> str:
        """In names: `x1w1.grad += n.grad × ∂n/∂x1w1`."""
        if self.kind == "forward":
            return statement(self.node, in_names(self.node))
        if self.kind == "zero_grad":
            return _ZERO_GRAD
        if self.update is not None:
            return (self.update.rule or _DESCENT).format(name=grouped_name(self.node))
        if self.kind == "set":
            return f"{_grad(self.node)} = {'None' if self.gradient is None else short(self.gradient)}"
        if self.contribution is None:
            return f"{_grad(self.node)} = {total_derivative(self.node, self.node)}"
        return f"{_grad(self.contribution.input)} += {_product_in_names(self.contribution)}"

    @property
    def numbers(self) -> str:
        """The same with the numbers put in: `x1w1.grad += 0.5 × 1 = 0.5`."""
        if self.kind == "forward":
            return statement(self.node, in_both(self.node))
        if self.kind in ("zero_grad", "set"):
            return self.names
        if self.update is not None:
            return f"{grouped_name(self.node)}.data = {self.update.line}"
        if self.contribution is None:
            return f"{_grad(self.node)} = 1"
        return f"{_grad(self.contribution.input)} += {_product(self.contribution)}"

    @property
    def sum_line(self) -> str:
        """One line that adds up: `s.grad = 0 + 1 × (-2) = -2`; for kinds other than backward as `numbers`."""
        term = self.contribution
        if term is None or term.partial is None:
            return self.numbers
        before = term.before or 0.0

        def computed(decimals: int) -> float:
            return shown(before, decimals) + shown(term.upstream, decimals) * shown(term.partial, decimals)

        decimals = enough_decimals(computed, term.total)
        product = f"{factor(term.upstream, decimals)} × {factor(term.partial, decimals)}"
        result = equality(computed(decimals), term.total, decimals)
        return f"{_grad(term.input)} = {short(before, decimals)} + {product} {result}"

    @property
    def accumulation(self) -> str:
        """Old gradient, contribution and new gradient: `x.grad = 1 + 3 = 4`; "" when there was none yet."""
        term = self.contribution
        if term is None or term.before is None:
            return ""
        before, amount, total = term.before, term.amount, term.total
        if total.__class__ is not float:
            return f"{_grad(term.input)} = {short(before)} + {short(amount)} = {short(total)}"
        decimals = enough_decimals(lambda d: shown(before, d) + shown(amount, d), total)
        sum_of_shown = shown(before, decimals) + shown(amount, decimals)
        terms = f"{short(before, decimals)} + {factor(amount, decimals)}"
        return f"{_grad(term.input)} = {terms} {equality(sum_of_shown, total, decimals)}"


def _product_in_names(term: Contribution) -> str:
    if term.partial is None:
        assert term.node.op is not None
        return f"{_grad(term.node)} through {term.node.op.text}"
    return f"{_grad(term.node)} × {partial_name(term.node, term.index)}"


def _product(term: Contribution) -> str:
    """A contribution with the numbers put in: `0.5 × 1 = 0.5`."""
    return short(term.amount) if term.partial is None else " ".join(product_in_numbers(term))


def product_in_numbers(term: Contribution) -> tuple[str, str]:
    """A contribution of single numbers as a product and its result: `0.5 × (-1)` and `= -0.5`."""
    return product_text((term.upstream, term.partial), term.amount)


def _grad(value: Value) -> str:
    return f"{grouped_name(value)}.grad"
