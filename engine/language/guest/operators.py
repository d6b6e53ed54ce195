"""Operators in a learner's own engine: whether they are those of the table, and faults of `__add__` and its like.

Two faults do not show in any rule: an operator computes another operation, for which its rule may be right, or its
result keeps none of its inputs and so has no rule.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from engine.autograd.kernels import methods_of
from engine.autograd.ops import OPS
from engine.language.guest import replay
from engine.language.guest.calls import Call, Calls
from engine.language.guest.replay import Replayer

_OPERATORS = {
    f"__{side}{name}__": (name, bool(side))
    for name in ("add", "sub", "mul", "truediv", "pow", "matmul", "neg", "abs")
    for side in ("", "r")
}
"""Methods whose numbers are compared with those of Python's operators: which one, and whether it is reflected."""
_TABLE = {
    (name, op.arity): op
    for op in OPS.values()
    if op.elementwise
    for name in (op.name, op.infix, *op.synonyms, *(method.strip("_") for method, _ in methods_of(op)))
    if name
}


def is_of_table(name: str, inputs: list[Any], result: Any) -> bool:
    """Return True for a result that the table's operation of this name gives for these inputs."""
    name = name.strip("_").lower()
    if name.startswith("**") and name != "**":
        return True
    op = _TABLE.get((name, len(inputs)))
    if op is None or not all(isinstance(each, (int, float)) for each in (*inputs, result)):
        return False
    try:
        return replay.same(float(op.scalar(*map(float, inputs))), result)
    except (ArithmeticError, ValueError):
        return False


class Fault(NamedTuple):
    """One faulty application of an operator.

    Attributes:
        call: the application.
        operator: name in the module `operator`.
        operands: parameter, operand and its number, in the order of the operator.
        right: the right number.
        dropped: the parameter of an input that the result does not keep; "" where it computes another operation.
    """

    call: Call
    operator: str
    operands: list[tuple[str, Any, Any]]
    right: Any
    dropped: str


def faults(calls: Calls, replayer: Replayer, dropped_input: Callable[[Call], str]) -> Iterator[Fault]:
    """Yield each faulty operator once, with the first application that shows the fault.

    Args:
        calls: those that were noted.
        replayer: knows the nodes and their data.
        dropped_input: returns the parameter of an input that the result of a call depends on and does not keep, or "".
    """
    known: set[types.CodeType] = set()
    dropping: set[int] = set()
    for call in [call for found in calls.of.values() for call in found if call.code.co_name in _OPERATORS]:
        name, is_reflected = _OPERATORS[call.code.co_name]
        operands = [(argument, call.names.get(argument)) for argument in call.arguments]
        if is_reflected:
            operands.reverse()
        try:
            numbers = [
                call.data.get(id(thing), replayer.data_of(thing)) if replayer.is_node(thing) else thing
                for _, thing in operands
            ]
            right, data = getattr(operator, name)(*numbers), replayer.data_of(call.out)
            # the program may have computed the result later, or changed it since
            is_same = any(replay.is_result(right, each, numbers) for each in (data, call.data[id(call.out)]))
        except Exception:  # not an operation of numbers, or another number of operands
            continue
        # outer calls that return the same object are not to blame
        dropped = dropped_input(call) if is_same and id(call.out) not in dropping else ""
        if dropped:
            dropping.add(id(call.out))
        if call.code not in known and (dropped or not is_same):
            known.add(call.code)
            rows = [(*each, number) for each, number in zip(operands, numbers, strict=True)]
            yield Fault(call, name, rows, right, dropped)
