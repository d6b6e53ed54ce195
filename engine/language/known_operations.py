"""Which operation of the table a value of the learner's own class computes, by its numbers, its name and its method."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np

from engine.autograd.kernels import methods_of
from engine.autograd.ops import OPS, Op
from engine.autograd.vocabulary import FormulaError
from engine.quick_dataclass import dataclass

RELATIVE, ABSOLUTE = 1e-7, 1e-12
STEP = 1e-6
"""Of the central difference that stands for a derivative that the table has not."""
NUDGE = 1e-7
"""How far beside a kink the derivatives of both sides are taken."""

_NUMBER_BEHIND = re.compile(r"^(.*?)[\s(_]*([-+]?[0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?)?[)\s]*$", re.DOTALL)
_ENDINGS = ("backward", "function", "node", "value", "operation", "op")


_INVERSES: tuple[Callable[[float, float], float], ...] = (
    lambda x, y: y - x,
    lambda x, y: x - y,
    lambda x, y: y / x,
    lambda x, y: x / y,
    lambda x, y: y + x,
    lambda x, y: y * x,
    lambda x, y: math.log(y) / math.log(x),
    lambda x, y: float(y ** (1 / x)),
)
"""What number besides x may have given y."""


@dataclass(frozen=True, slots=True)
class OwnResult:
    """A number that an operation of the learner's own has computed.

    Attributes:
        op: text that names the operation; may be empty.
        data: the number.
        in_set: whether the inputs are held in a set, which knows no order and holds nothing twice.
    """

    op: str
    data: float | None
    in_set: bool = False


@dataclass(frozen=True, slots=True)
class Recognised:
    """An operation of the table with what it is applied to.

    Attributes:
        op: of the table.
        arguments: for each argument of its formulas the position of an input as int, or a constant as float.
        fits: whether its value is that of the node.
    """

    op: Op
    arguments: tuple[int | float, ...]
    fits: bool = True

    def numbers(self, datas: Sequence[float]) -> list[float]:
        """What stands for the arguments of the formulas, for these data of the inputs."""
        return [datas[one] if isinstance(one, int) else one for one in self.arguments]

    def value(self, datas: Sequence[float]) -> float:
        """What the operation gives."""
        return _value(self.op, self.numbers(datas))

    def partials(self, datas: Sequence[float], y: float) -> list[float]:
        """The derivative by each input of the node; an input that stands for several arguments has the sum."""
        sums = [0.0] * len(datas)
        for one, partial in zip(self.arguments, _partials(self.op, self.numbers(datas), y), strict=True):
            if isinstance(one, int):
                sums[one] += partial
        return sums

    def is_at_kink(self, datas: Sequence[float]) -> bool:
        """Whether there is no derivative here."""
        return bool(self.op.kink) and self.op.elementwise and self.op.distance_to_kink(*self.numbers(datas)) == 0.0

    def beside_kink(self, datas: Sequence[float]) -> list[tuple[float, float]]:
        """The least and the largest derivative by each input on the sides of a kink, and at it."""
        found = [self.partials(datas, self.value(datas))]
        for position in range(len(datas)):
            for step in (-NUDGE, NUDGE):
                beside = [*datas]
                beside[position] += step
                found.append(self.partials(beside, self.value(beside)))
        return [(min(column), max(column)) for column in zip(*found, strict=True)]


def close(a: float | None, b: float, scale: float = 0.0) -> bool:
    """Whether two numbers are the same but for rounding."""
    return a is not None and abs(a - b) <= ABSOLUTE * max(1.0, scale) + RELATIVE * max(abs(a), abs(b))


def recognise(
    node: OwnResult, datas: Sequence[float], hints: Sequence[str], weak: Sequence[str] = ()
) -> list[Recognised]:
    """The operations that a node may compute, the likeliest first.

    Args:
        node: one with inputs.
        datas: the data of its inputs, in their order.
        hints: what names the operation: text of the operation, method, class.
        weak: methods that may have made it, when it has one input and a number beside it.

    Returns:
        Those whose value is that of the node, then those that only the hints name, with `fits` False.
    """
    if node.data is None:
        return []
    named = named_by(tuple(hints))
    sure = [one for one in _candidates(node, datas, named, named) if _fits(one, node, datas)]
    if sure:
        return sure
    beside = named or named_by(tuple(weak))
    found = [one for one in _candidates(node, datas, list(OPS.values()), beside) if _fits(one, node, datas)]
    found += [one for one in _of_libraries(datas, hints) if _fits(one, node, datas)]
    missed = [replace(one, fits=False) for one in _candidates(node, datas, named, named)]
    return found + missed


def _of_libraries(datas: Sequence[float], hints: Sequence[str]) -> Iterator[Recognised]:
    """Functions of one number that math or numpy has and the table has not, such as `square`, by their names."""
    for hint in hints if len(datas) == 1 else ():
        name = _bare(hint)
        if name.isidentifier() and name not in OPS and (op := _named_in_libraries(name)) is not None:
            yield Recognised(op, (0,))


@cache
def _named_in_libraries(name: str) -> Op | None:
    """A function of math or numpy as an operation, its derivative a central difference; None where there is none."""
    try:
        op = Op(name, f"{name}(x)", (f"({name}(x + {STEP}) - {name}(x - {STEP})) / {2 * STEP}",))
        return op if math.isfinite(float(op.scalar(0.5))) else None
    except (FormulaError, TypeError, ValueError, ArithmeticError):
        return None


def _fits(one: Recognised, node: OwnResult, datas: Sequence[float]) -> bool:
    return node.data is not None and close(one.value(datas), node.data, max(map(abs, datas), default=0.0))


@cache
def named_by(hints: tuple[str, ...]) -> list[Op]:
    """The operations that any of these texts names."""
    return [op for op in OPS.values() if any(names(op, hint) for hint in hints)]


def _candidates(
    node: OwnResult, datas: Sequence[float], ops: Sequence[Op], with_constants: Sequence[Op]
) -> Iterator[Recognised]:
    count = len(datas)
    orders = list(permutations(range(count))) if count == 2 else [tuple(range(count))]
    for op in ops:
        if op.elementwise and op.arity == count:
            for order in orders:
                yield Recognised(op, order)
        elif op.elementwise and op.arity == 2 and count == 1:
            if node.in_set:
                yield Recognised(op, (0, 0))
            if op in with_constants:
                yield from _with_constant(op, node, datas[0])
        elif count >= 2 and len(op.arguments) == 1 and not op.elementwise and _is_reduction(op):
            yield Recognised(op, tuple(range(count)))


def _with_constant(op: Op, node: OwnResult, data: float) -> Iterator[Recognised]:
    """An operation of one input and a number that is not among the inputs: written behind the sign, or worked out."""
    numbers = []
    if written := number_behind(node.op):
        numbers.append(float(written))
    y = node.data
    assert y is not None
    for attempt in _INVERSES:
        try:
            number = attempt(data, y)
        except (ArithmeticError, ValueError, TypeError):
            continue
        if math.isfinite(number):
            rounded = round(number, 9)
            numbers.append(rounded if close(number, rounded) else number)
    for number in numbers:
        for arguments in ((0, number), (number, 0)):
            candidate = Recognised(op, arguments)
            if close(candidate.value([data]), y):
                yield candidate
    if written:
        yield Recognised(op, (0, float(written)))


def number_behind(text: str) -> str:
    """The number that a text ends in, `2` of `**2`; empty where there is none."""
    found = _NUMBER_BEHIND.match(text)
    return (found[2] or "") if found and found[1] else ""


@cache
def _names_of(op: Op) -> frozenset[str]:
    methods = [method for method, _ in methods_of(op)]
    return frozenset({op.infix, op.symbol.lower(), op.name, *op.synonyms, *methods} - {""})


def _bare(text: str) -> str:
    """A name without what classes of operations are given around it: `square` of `SquareBackward`."""
    text = text.lower().strip("_")
    for ending in _ENDINGS:
        text = text.removesuffix(ending).strip("_")
    return text


@cache
def names(op: Op, hint: str) -> bool:
    """Whether a text names an operation: its sign, its name or the beginning of it, its method, or its class."""
    found = _NUMBER_BEHIND.match(hint)
    text = (found[1] if found and found[1] else hint).strip().lower()
    if text in _names_of(op):
        return True
    text = _bare(text)
    known = {name.strip("_") for name in _names_of(op)}
    if text in known:
        return True
    return len(text) >= 3 and text.isidentifier() and any(
        len(name) >= 3 and name.isidentifier() and (text.startswith(name) or name.startswith(text)) for name in known
    )  # fmt: skip


def _is_reduction(op: Op) -> bool:
    return op.variadic or set(dict(op.settings)) == {"axis", "keepdims"}


def _value(op: Op, numbers: Sequence[float]) -> float:
    try:
        if op.elementwise:
            return float(op.scalar(*numbers))
        return float(op.scalar(numbers) if op.variadic else op.array(np.array(numbers)))
    except (ArithmeticError, ValueError, TypeError):
        return math.nan


def _partials(op: Op, numbers: Sequence[float], y: float) -> list[float]:
    try:
        if op.elementwise:
            return [float(partial(*numbers, y)) for partial in op.scalar_partials]
        if op.variadic:
            return [float(op.scalar_partials[0](number, y)) for number in numbers]
        return [float(g) for g in op.array_vjps[0](np.array(numbers), np.float64(y), np.float64(1.0))]
    except (ArithmeticError, ValueError, TypeError):
        return [math.nan] * len(numbers)
