"""Python's operators in a learner's own engine, such as `__add__`: whether they compute what they are called.

What is wrong here no rule shows: the gradients of another operation may be right for it, and a result that keeps none
of its inputs has no rule at all.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from engine.language.guest import replay
from engine.language.guest.calls import Call, Calls
from engine.language.guest.replay import Replayer

_OPERATORS = {
    f"__{side}{name}__": (name, bool(side))
    for name in ("add", "sub", "mul", "truediv", "pow", "matmul", "neg", "abs")
    for side in ("", "r")
}
"""Methods whose numbers are compared with those of Python's operators: which one, and whether it is reflected."""


class Fault(NamedTuple):
    """An application of an operator that is not what it says.

    Attributes:
        call: the application.
        operator: name in the module `operator`.
        operands: parameter, operand and its number, in the order of the operator.
        right: the right number.
        cut: the parameter of an input that the result depends on and does not keep; "" where it computes something
            else.
    """

    call: Call
    operator: str
    operands: list[tuple[str, Any, Any]]
    right: Any
    cut: str = ""


def faults(calls: Calls, replayer: Replayer, is_cut: Callable[[Call], bool]) -> Iterator[Fault]:
    """Yield for each operator its first application that computes another operation or lets go of its inputs.

    Args:
        calls: those that were noted.
        replayer: knows the nodes and their data.
        is_cut: whether the result of a call is computed from nodes and keeps none, but others are computed from it.
    """
    known: set[types.CodeType] = set()
    cut: set[int] = set()
    for call in [call for found in calls.of.values() for call in found]:
        if call.code in known or call.code.co_name not in _OPERATORS:
            continue
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
        fault = Fault(call, name, [(*each, number) for each, number in zip(operands, numbers, strict=True)], right)
        if not is_same:
            known.add(call.code)
            yield fault
        elif id(call.out) not in cut and is_cut(call):
            cut.add(id(call.out))  # by the innermost call that returns it
            # on purpose where a switch such as `requires_grad` asks for no gradient
            nodes = [each for each in operands if replayer.is_node(each[1]) and not replay.switches(each[1])]
            if nodes:
                known.add(call.code)
                yield fault._replace(cut=nodes[0][0])
