"""Values of a class that the program defines itself, as values of ours: which operation each is."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from engine.autograd.ops import INFIX, OPS, Op
from engine.autograd.value import Constant, Value, node
from engine.messages import visible

_POWER = re.compile(r"(?:\*\*|\^|pow)\s*\(?\s*(-?[0-9.]+(?:e-?[0-9]+)?)\s*\)?$", re.IGNORECASE)


def own_operation(name: str, inputs: Sequence[Value], data: Any) -> Value:
    """A computed value of the program's own class as a node of ours.

    Args:
        name: what the object calls its operation, such as `+`, `**2` or `ReLU`; may be empty.
        inputs: what it was computed from, one or more; the order means nothing when the class keeps a set.
        data: its number.
    """
    power = _POWER.match(name.strip())
    if power and len(inputs) == 1:
        return node(data, INFIX["**"], inputs[0], Constant(float(power[1])))
    named = _by_name().get(name.strip().casefold())
    candidates = [named] if named is not None else []
    for op in candidates or _plain_operations():
        arranged = _arranged(op, inputs, data, certain=bool(candidates))
        if arranged is not None:
            return node(data, op, *arranged)
    return _foreign(name, inputs, data)


def _arranged(op: Op, inputs: Sequence[Value], data: Any, certain: bool) -> Sequence[Value] | None:
    """The inputs in the order in which the operation gives the data; any fitting one when the operation is known."""
    orders: list[tuple[Value, ...]] = []
    if op.arity == 1 and len(inputs) == 1:
        orders = [(inputs[0],)]
    elif op.arity == 2 and len(inputs) == 2:
        orders = [(inputs[0], inputs[1]), (inputs[1], inputs[0])]
    elif op.arity == 2 and len(inputs) == 1:
        orders = [(inputs[0], inputs[0])]
    for order in orders:
        if _gives(op, order, data):
            return order
    return orders[0] if orders and certain else None


def _gives(op: Op, order: Sequence[Value], data: Any) -> bool:
    numbers = [value.data for value in order]
    if data.__class__ is not float or any(number.__class__ is not float for number in numbers):
        return False
    made = op.scalar(*numbers)
    return bool(made == data or math.isclose(made, data, rel_tol=1e-9, abs_tol=1e-12))


@cache
def _plain_operations() -> tuple[Op, ...]:
    return tuple(op for op in OPS.values() if op.elementwise)


@cache
def _by_name() -> Mapping[str, Op]:
    """Operations by everything that a class may call them."""
    names: dict[str, Op] = {}
    for op in _plain_operations():
        spoken = (op.name, op.symbol, *op.synonyms)
        for name in spoken:
            if name and (name == op.name or not (op.arity == 1 and op.infix)):
                names.setdefault(name.casefold(), op)
    names.update({infix: op for infix, op in INFIX.items() if op.elementwise})
    return names


def _foreign(name: str, inputs: Sequence[Value], data: Any) -> Value:
    """An operation that is not in the table: drawn, with no derivative of ours."""
    shown = visible(name.strip(), 20) or "?"
    number = repr(float(data)) if data.__class__ is float and math.isfinite(data) else "0.0"
    if len(inputs) == 1:
        return node(data, Op(shown, f"0 * x + {number}", ("0 * x",), rule=_UNKNOWN), inputs[0])
    if len(inputs) == 2:
        return node(data, Op(shown, f"0 * a + {number}", ("0 * a", "0 * b"), rule=_UNKNOWN), inputs[0], inputs[1])
    op = Op(shown, f"0 * logsumexp(x) + {number}", ("0 * x",), variadic=True, rule=_UNKNOWN)
    return node(data, op, tuple(inputs))


_UNKNOWN = "Gradstep does not know this operation: it shows the data of the program, and no derivative."
