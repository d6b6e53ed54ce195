"""Operators in a learner's own engine: whether they are those of the table, and faults of `__add__` and its like.

Two faults do not show in any rule: an operator computes another operation, for which its rule may be right, or its
result keeps none of its inputs and so has no rule.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterable, Iterator
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
    """One faulty application of an operator, or of a function of the table such as `exp`.

    Attributes:
        call: the application.
        method: what the class calls it.
        operator: name in the module `operator`, or of the table.
        operands: parameter, operand and its number, in the order of the operator.
        right: the right number.
        dropped: the parameter of an input that the result does not keep; "" where it computes another operation.
    """

    call: Call
    method: str
    operator: str
    operands: list[tuple[str, Any, Any]]
    right: Any
    dropped: str


def faults(
    calls: Calls, replayer: Replayer, classes: Iterable[type], dropped_input: Callable[[Call], str]
) -> Iterator[Fault]:
    """Yield each faulty operator once, with the first application that shows the fault.

    Args:
        calls: those that were noted.
        replayer: knows the nodes and their data.
        classes: whose methods they are.
        dropped_input: returns the parameter of an input that the result of a call depends on and does not keep, or "".
    """
    names = _names(classes)
    known: set[tuple[types.CodeType, str]] = set()
    dropping: set[int] = set()
    for call in [call for found in calls.of.values() for call in found]:
        for method in names.get(call.code, [call.code.co_name]):
            fault = _compared(call, method, replayer)
            if fault is None:
                continue
            # outer calls that return the same object are not to blame
            if not fault.operator and id(call.out) not in dropping:
                fault = fault._replace(dropped=dropped_input(call))
                dropping |= {id(call.out)} if fault.dropped else set()
            name = fault.operator or _name(method)
            if (call.code, method) not in known and (fault.operator or fault.dropped):
                known.add((call.code, method))
                yield fault._replace(operator=name)


def _name(method: str) -> str:
    """Return what an operator is called in the module `operator`, and a function in the table."""
    name, _ = _OPERATORS.get(method, ("", False))
    op = _TABLE.get((method.strip("_").lower(), 1))
    return name or (op.name if op is not None else "")


def _names(classes: Iterable[type]) -> dict[types.CodeType, list[str]]:
    """Return the operators that each function is: `__rsub__ = __sub__` makes it two."""
    found: dict[types.CodeType, dict[types.FunctionType, list[str]]] = {}
    for base in {base for kind in classes for base in kind.__mro__ if base.__module__ == "__main__"}:
        for name, part in vars(base).items():
            if name in _OPERATORS and isinstance(part, types.FunctionType):
                found.setdefault(part.__code__, {}).setdefault(part, []).append(name)
    # functions that one factory has made have one code, and cannot be told from each other
    return {code: [] if len(each) > 1 else next(iter(each.values())) for code, each in found.items()}


def _compared(call: Call, method: str, replayer: Replayer) -> Fault | None:
    """Return an application with `operator` where it computes another operation; None for what is no operator."""
    if method not in _OPERATORS:
        return Fault(call, method, "", [], None, "") if _name(method) else None
    name, is_reflected = _OPERATORS[method]
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
        return None
    rows = [(*each, number) for each, number in zip(operands, numbers, strict=True)]
    return Fault(call, method, "" if is_same else name, rows, right, "")
