"""Operators in a learner's own engine: whether they are those of the table, and faults of `__add__` and its like.

Two faults do not show in any rule: an operator computes another operation, for which its rule may be right, or its
result does not keep an input, to which no rule is then applied.
"""

from __future__ import annotations

import operator
import types
from collections import Counter
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
MOST_TRIED = 20
"""Applications that return at one line of which it is tried whether they keep their inputs."""
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
    calls: Calls,
    replayer: Replayer,
    classes: Iterable[type],
    keeping: set[types.CodeType],
    dropped_input: Callable[[Call], str],
) -> Iterator[Fault]:
    """Yield each faulty operator once, with the first application that shows the fault.

    Args:
        calls: those that were noted.
        replayer: knows the nodes and their data.
        classes: whose methods they are.
        keeping: functions of which some result keeps its inputs.
        dropped_input: returns the parameter of an input that the result of a call depends on and does not keep, or "".
    """
    methods = _operators_by_code(classes)
    known: set[tuple[types.CodeType, str]] = set()
    tried: Counter[tuple[types.CodeType, int]] = Counter()
    faulty: set[int] = set()
    for call in [call for found in calls.of.values() for call in found]:
        for method in methods.get(call.code, [call.code.co_name]):
            if (call.code, method) in known:
                faulty.add(id(call.out))
                continue
            found, operands, right, is_right = _application(call, method, replayer)
            dropped = ""
            if method not in _OPERATORS and call.code in keeping:
                continue  # `exp` may have a branch for numbers where its derivative counts as 0
            # what only returns another's result, such as `__sub__` by way of `__add__`, is not to blame
            if found and is_right and id(call.out) not in faulty and tried[call.code, call.line] < MOST_TRIED:
                tried[call.code, call.line] += 1
                dropped = dropped_input(call)
            if found and (dropped or not is_right):
                known.add((call.code, method))
                faulty.add(id(call.out))
                yield Fault(call, method, found, operands, right, dropped)


def _operators_by_code(classes: Iterable[type]) -> dict[types.CodeType, list[str]]:
    """Return the operators as which each function stands in a class; after `__rsub__ = __sub__` one is both.

    Functions of a factory share their code, and cannot be told from each other: they have an empty list.
    """
    found: dict[types.CodeType, dict[types.FunctionType, list[str]]] = {}
    for base in {base for kind in classes for base in kind.__mro__ if base.__module__ == "__main__"}:
        for name, part in vars(base).items():
            if name in _OPERATORS and isinstance(part, types.FunctionType):
                found.setdefault(part.__code__, {}).setdefault(part, []).append(name)
    return {code: [] if len(each) > 1 else next(iter(each.values())) for code, each in found.items()}


def _application(call: Call, method: str, replayer: Replayer) -> tuple[str, list[tuple[str, Any, Any]], Any, bool]:
    """Return the name of a call's operation, its operands, the right number, and whether it gives that.

    The name is "" for what is no operator and no function of the table, and where the table's function is flat: a
    result that does not depend on its input need not keep it.
    """
    nothing: tuple[str, list[tuple[str, Any, Any]], Any, bool] = ("", [], None, True)
    name, is_reflected = _OPERATORS.get(method, ("", False))
    operands = [(argument, call.names.get(argument)) for argument in call.arguments]
    if is_reflected:
        operands.reverse()
    try:
        numbers = [
            call.data.get(id(thing), replayer.data_of(thing)) if replayer.is_node(thing) else thing
            for _, thing in operands
        ]
        data = replayer.data_of(call.out)
        if not name:
            op = _TABLE.get((method.strip("_").lower(), 1))
            is_flat = op is None or len(numbers) != 1 or op.scalar_partials[0](numbers[0], data) == 0.0
            return nothing if op is None or is_flat else (op.name, [], None, True)
        right = getattr(operator, name)(*numbers)
        # the program may have computed the result later, or changed it since
        is_right = any(replay.is_result(right, each, numbers) for each in (data, call.data[id(call.out)]))
    except Exception:  # not an operation of numbers, or another number of operands
        return nothing
    return name, [(*each, number) for each, number in zip(operands, numbers, strict=True)], right, is_right
