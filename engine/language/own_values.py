"""Values of a class that the program defines itself, as values of ours: which operation each is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from engine.autograd.ops import OPS, Op, with_rule
from engine.autograd.ops import own_operation as own_op
from engine.autograd.value import Constant, Value, node
from engine.language.known_operations import OwnResult, Recognised, close, named_by, number_behind, recognise
from engine.messages import visible


def own_operation(name: str, inputs: Sequence[Value], data: Any) -> Value:
    """A computed value of the program's own class as a node of ours.

    Args:
        name: what the object calls its operation, such as `+`, `**2` or `ReLU`; may be empty.
        inputs: what it was computed from, one or more; the order means nothing when the class keeps a set.
        data: its number.
    """
    name, numbers = name.strip(), [value.data for value in inputs]
    if data.__class__ is not float or any(number.__class__ is not float for number in numbers):
        op = next((op for op in named_by((name,)) if op.elementwise and op.arity == len(inputs)), None)
        return node(data, op, *inputs) if op is not None else _foreign(name, inputs, data)
    return next(fitting_operations(name, inputs, data), None) or _foreign(name, inputs, data)


def fitting_operations(name: str, inputs: Sequence[Value], data: float) -> Iterator[Value]:
    """Yield the nodes of the table's operations that give a number, the likeliest first."""
    numbers = [value.data for value in inputs]
    for found in _likely(name, len(inputs)):
        if close(found.value(numbers), data):
            yield node(data, found.op, *_arguments(found.arguments, inputs))
    asked = OwnResult(name, data, in_set=True)
    named = named_by((name,))
    for found in sorted(recognise(asked, numbers, (name,)), key=lambda each: each.op not in named):
        if found.op.elementwise:
            yield node(data, found.op, *_arguments(found.arguments, inputs))
        elif found.op.variadic and not found.op.paired:
            yield node(data, found.op, tuple(inputs))


@cache
def _likely(name: str, count: int) -> tuple[Recognised, ...]:
    """What a name says, as it is almost always meant; of a name that says nothing the plain operations."""
    orders = [tuple(range(count)), (1, 0)] if count == 2 else [tuple(range(count))]
    written = number_behind(name)
    found: list[Recognised] = []
    for op in named_by((name,)) or OPS.values():
        if op.elementwise and op.arity == count:
            found += [Recognised(op, order) for order in orders]
        elif op.elementwise and op.arity == 2 and count == 1:
            found += [Recognised(op, (0, float(written)))] if written else []
            found.append(Recognised(op, (0, 0)))
    return tuple(found)


def linearised(name: str, inputs: Sequence[Value], data: float, slopes: Sequence[float]) -> Value:
    """A computed number of an operation that the table does not have, with the slopes that were measured.

    Args:
        name: what the learner calls the operation.
        inputs: what it was computed from.
        data: its number.
        slopes: its derivatives by the inputs.
    """
    shown = visible(name.strip(), 20) or "?"
    if len(inputs) > 2:
        op = own_op(shown, len(inputs))
        value = node(data, op, tuple(inputs))

        def pull() -> None:
            for source, slope in zip(inputs, slopes, strict=True):
                source.grad = source.grad + slope * value.grad

        value.op = with_rule(op, pull)
        return value
    letters = "x" if len(inputs) == 1 else "ab"
    terms = [f"{slope!r} * {letter}" for slope, letter in zip(slopes, letters, strict=True)]
    rest = data - sum(slope * source.data for slope, source in zip(slopes, inputs, strict=True))
    partials = tuple(f"{slope!r} + 0 * {letter}" for slope, letter in zip(slopes, letters, strict=True))
    return node(data, Op(shown, " + ".join([*terms, repr(rest)]), partials, rule=MEASURED), *inputs)


def _arguments(arguments: Sequence[int | float], inputs: Sequence[Value]) -> list[Value]:
    return [inputs[one] if isinstance(one, int) else Constant(one) for one in arguments]


def _foreign(name: str, inputs: Sequence[Value], data: Any) -> Value:
    """An operation that is not in the table: drawn, with no derivative of ours."""
    shown = visible(name, 20) or "?"
    number = repr(float(data)) if data.__class__ is float and math.isfinite(data) else "0.0"
    op = _foreign_operation(shown, number, len(inputs))
    return node(data, op, *inputs) if op.arity else node(data, op, tuple(inputs))


@cache
def _foreign_operation(shown: str, number: str, count: int) -> Op:
    if count == 1:
        return Op(shown, f"0 * x + {number}", ("0 * x",), rule=_UNKNOWN)
    if count == 2:
        return Op(shown, f"0 * a + {number}", ("0 * a", "0 * b"), rule=_UNKNOWN)
    return Op(shown, f"0 * logsumexp(x) + {number}", ("0 * x",), variadic=True, rule=_UNKNOWN)


def is_foreign(value: Value) -> bool:
    """Whether a value was computed by an operation that is not in the table."""
    return value.op is not None and value.op.rule == _UNKNOWN


MEASURED = "Gradstep does not know this operation: its derivatives were measured by moving the inputs a little."
_UNKNOWN = "Gradstep does not know this operation: it shows the data of the program, and no derivative."
