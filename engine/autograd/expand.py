"""Composite operations taken apart: tanh into exponentials, a weighted sum into products and sums.

The expansion of an operation is the program in its table entry; this module runs that program at each such node and
rebuilds what hangs on it, on copies of the leaves. Data and gradients agree with the original to 1e-12 of their size
while the primitives stay in range. They do not where exp overflows (tanh from about 355, softplus and logsumexp from
about 709), where 1 - tanh(x)² is nearly 0 and a primitive form cancels (|x| above about 10), and exactly at the kink
of relu, leaky_relu and elu, where max hands half to each side.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from types import MappingProxyType

from engine.autograd.backward import collector_paused, topological_order
from engine.autograd.naming import is_plain, is_whole, name_of
from engine.autograd.ops import OPS, Op
from engine.autograd.short_names import numbered
from engine.autograd.value import Constant, Value, apply


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """A graph with composite operations taken apart.

    Attributes:
        root: the new root.
        mapping: for every value of the original graph the one that now stands for it; leaves are copied.
        parts: for every expanded value of the original the new values it became, the one that stands for it last.
    """

    root: Value
    mapping: Mapping[Value, Value]
    parts: Mapping[Value, tuple[Value, ...]]


def expand(
    root: Value,
    names: Collection[str] | None = None,
    *,
    only: Container[Value] | None = None,
    beside: Sequence[Value] = (),
) -> Expansion:
    """Rebuilds the graph of `root` with composite operations in primitives; the original is left untouched.

    Nodes that hold or consume arrays are kept as they are.

    Args:
        root: any value.
        names: the operations to take apart, such as `{"tanh"}`; None: all that can be.
        only: the nodes to take apart; None: all with these operations.
        beside: more values that are rebuilt with it, such as results that the root does not use.

    Raises:
        ValueError: for a name that is not a composite operation.
    """
    wanted = COMPOSITES if names is None else frozenset(names)
    if unknown := wanted - COMPOSITES:
        known = ", ".join(sorted(COMPOSITES))
        raise ValueError(f"{sorted(unknown)[0]!r} is not a composite operation; these are: {known}")
    mapping: dict[Value, Value] = {}
    parts: dict[Value, tuple[Value, ...]] = {}
    with collector_paused():
        for value in (value for end in (root, *beside) for value in topological_order(end)):
            if value in mapping:
                continue
            inputs = [mapping[source] for source in value.inputs]
            if value.op is not None and value.op.name in wanted and _scalar(value) and (only is None or value in only):
                parts[value] = _taken_apart(value, value.op, inputs)
                mapping[value] = parts[value][-1]
            else:
                mapping[value] = _copy(value, inputs)
    return Expansion(mapping[root], MappingProxyType(mapping), MappingProxyType(parts))


def _scalar(value: Value) -> bool:
    return all(held.data.__class__ is float for held in (value, *value.inputs))


def _copy(value: Value, inputs: Sequence[Value]) -> Value:
    if value.op is None:
        copy: Value = type(value)(value.data)
    else:
        copy = apply(value.op, *inputs)
    copy.label = value.label
    return copy


def _taken_apart(value: Value, op: Op, inputs: Sequence[Value]) -> tuple[Value, ...]:
    """The values that `value` becomes, in the order of computation; the last one is called as it was."""
    owner = value.label if is_plain(value.label) else ""
    run = BY_HAND[op.name](inputs, owner) if op.name in BY_HAND else _run(op.expansion, inputs[0], owner)
    run[-1].label = name_of(value)
    return tuple(run)


def _run(program: str, x: Value, owner: str) -> list[Value]:
    """The values that the program makes; its own names, such as the `e` of tanh, only where a formula would be long."""
    names, parts = {"x": x}, list[Value]()
    for target, formula in _assignments(program):
        before = len(parts)
        names[target] = value = _made(formula, names, parts)
        for part in parts[before:]:
            named = part is value and owner and not is_whole(name_of(part))
            part.label = f"{owner}.{target}" if named else ""
    return parts


@cache
def _assignments(program: str) -> tuple[tuple[str, ast.expr], ...]:
    """The lines `name = formula` of an expansion in the table, which is this package's own."""
    lines = (line.partition(" = ") for line in program.splitlines())
    return tuple((name, ast.parse(formula, mode="eval").body) for name, _, formula in lines)


def _made(formula: ast.expr, names: Mapping[str, Value], parts: list[Value]) -> Value:
    """The value of a formula; everything it is made of is added to `parts` in the order of computation."""
    value: Value
    match formula:
        case ast.Name(name):
            return names[name]
        case ast.Constant(int() | float() as number):
            value = Constant(float(number))
        case ast.UnaryOp(ast.USub(), operand):
            value = -_made(operand, names, parts)
        case ast.BinOp(left, sign, right):
            value = _INFIX[type(sign)](_made(left, names, parts), _made(right, names, parts))
        case ast.Call(ast.Name(name), arguments):
            value = apply(OPS[name], *[_made(argument, names, parts) for argument in arguments])
        case _:
            raise ValueError(f"{ast.unparse(formula)} cannot stand in an expansion")
    parts.append(value)
    return value


def _weighted_sum(inputs: Sequence[Value], owner: str) -> list[Value]:
    """Products, then their sum from left to right, the bias last; long sums are called `n.sum₃`, those of 3 terms."""
    parts = [weight * x for weight, x in zip(inputs[0:-1:2], inputs[1:-1:2], strict=True)]
    sums = _running_sum([*parts, inputs[-1]] if parts else [inputs[-1], Constant(0.0)])
    base = owner if owner.endswith("sum") else f"{owner}.sum"
    for count, total in enumerate(sums[:-1], start=2):
        if owner and not is_whole(name_of(total)):
            total.label = numbered(base, count)
    return parts + sums


def _logsumexp(inputs: Sequence[Value], owner: str) -> list[Value]:
    powers = [apply(OPS["exp"], x) for x in inputs]
    sums = _running_sum(powers)
    return [*powers, *sums, apply(OPS["log"], (powers + sums)[-1])]


def _running_sum(terms: Sequence[Value]) -> list[Value]:
    return list(accumulate(terms, operator.add))[1:]


_INFIX: Mapping[type[ast.operator], Callable[[Value, Value], Value]] = MappingProxyType({
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.Pow: operator.pow,
})  # fmt: skip

BY_HAND: Mapping[str, Callable[[Sequence[Value], str], list[Value]]] = MappingProxyType(
    {"weighted_sum": _weighted_sum, "logsumexp": _logsumexp}
)
"""Operations over any number of inputs: no fixed program can say how they are taken apart."""

COMPOSITES = frozenset({op.name for op in OPS.values() if op.expansion} | BY_HAND.keys())
"""The operations that `expand` can take apart."""
