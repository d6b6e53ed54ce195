"""Composite operations expanded: tanh into exponentials, a weighted sum into products and sums.

The expansion of an operation is the program in its table entry; this module runs that program at each such node and
rebuilds the values that depend on it, on copies of the leaves. Data and gradients agree with the original to 1e-12 of
their size while the primitives stay in range. They do not where exp overflows (tanh from about 355, softplus and
logsumexp from about 709), where 1 - tanh(x)² is nearly 0 and a primitive form cancels (|x| above about 10), and exactly
at the kink of relu, leaky_relu and elu, where max gives half to each side.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType

from engine.autograd.backward import collector_paused, topological_order
from engine.autograd.naming import is_plain, is_whole, name_of
from engine.autograd.ops import OPS, Op
from engine.autograd.printer import numbered
from engine.autograd.value import Constant, Value, apply

Letter = Value | list[Value]


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """A graph with composite operations expanded.

    Attributes:
        root: the new root.
        mapping: the new value for every value of the original graph; leaves are copied.
        parts: for every expanded value of the original the new values it became; the last one replaces it.
    """

    root: Value
    mapping: Mapping[Value, Value]
    parts: Mapping[Value, tuple[Value, ...]]


def expand(
    root: Value,
    names: Collection[str] | None = None,
    *,
    only: Container[Value] | None = None,
    extra_roots: Sequence[Value] = (),
) -> Expansion:
    """Rebuild the graph of `root` with composite operations in primitives; the original is not changed.

    Nodes that hold or consume arrays are kept unchanged. Values that are not expanded keep the data of the original,
    even when their inputs changed since.

    Args:
        root: any value.
        names: the operations to expand, such as `{"tanh"}`; None: all composite ones.
        only: the nodes to expand; None: all with these operations.
        extra_roots: further values to rebuild, such as results that the root does not use.

    Raises:
        ValueError: for a name that is not a composite operation.
    """
    if unknown := sorted(set(names or ()) - (known := composites())):
        raise ValueError(f"{unknown[0]!r} is not a composite operation; these are: {', '.join(sorted(known))}")
    mapping: dict[Value, Value] = {}
    parts: dict[Value, tuple[Value, ...]] = {}
    with collector_paused():
        for value in (value for end in (root, *extra_roots) for value in topological_order(end)):
            if value in mapping:
                continue
            inputs = [mapping[source] for source in value.inputs]
            wanted = (names is None or (value.op and value.op.name in names)) and (only is None or value in only)
            if wanted and can_expand(value):
                parts[value] = _expanded(value, inputs)
                mapping[value] = parts[value][-1]
            else:
                mapping[value] = _copy(value, inputs)
    return Expansion(mapping[root], MappingProxyType(mapping), MappingProxyType(parts))


def composites() -> set[str]:
    """The names of the table's operations that can be expanded."""
    return {op.name for op in OPS.values() if op.expansion}


def can_expand(value: Value) -> bool:
    """True when a composite operation computed the value from single numbers."""
    composite = value.op is not None and bool(value.op.expansion)
    return composite and all(held.data.__class__ is float for held in (value, *value.inputs))


def _copy(value: Value, inputs: Sequence[Value]) -> Value:
    if value.op is None:
        copy: Value = type(value)(value.data)
    else:
        copy = apply(value.op, *inputs)
        copy.data = value.data
    copy.label = value.label
    return copy


def _expanded(value: Value, inputs: Sequence[Value]) -> tuple[Value, ...]:
    """The values that replace `value`, in the order of computation; the last one keeps its name."""
    op = value.op
    assert op is not None
    owner = value.label if is_plain(value.label) else ""
    expansion = _Expanding(_letters(op, inputs), owner)
    for target, formula in _assignments(op.expansion):
        expansion.assign(target, formula)
    expansion.parts[-1].label = name_of(value)
    return tuple(expansion.parts)


def _letters(op: Op, inputs: Sequence[Value]) -> dict[str, Letter]:
    """Meaning of the letters of an expansion: one value, or a list of values."""
    if op.paired:
        return {"w": list(inputs[0:-1:2]), "x": list(inputs[1:-1:2]), "b": inputs[-1]}
    return {"x": list(inputs)} if op.variadic else dict(zip(op.arguments, inputs, strict=True))


@cache
def _assignments(program: str) -> tuple[tuple[str, ast.expr], ...]:
    """The lines `name = formula` of an expansion in the table, which is trusted text of this package."""
    lines = (line.partition(" = ") for line in program.splitlines())
    return tuple((name, ast.parse(formula, mode="eval").body) for name, _, formula in lines)


class _Expanding:
    """The program of one expansion while it runs.

    Attributes:
        parts: the values made, in the order of computation.
    """

    def __init__(self, letters: dict[str, Letter], owner: str) -> None:
        self.parts: list[Value] = []
        self._names, self._owner = letters, owner

    def assign(self, target: str, formula: ast.expr) -> None:
        """Run a line; its result gets its own name, such as the `e` of tanh, only where the formula is long."""
        before = len(self.parts)
        self._names[target] = result = self._evaluate(formula)
        for part in self.parts[before:]:
            if part is result and self._owner and not is_whole(name_of(part)):
                part.label = f"{self._owner}.{target}"

    def _evaluate(self, formula: ast.expr) -> Letter:
        """Evaluate a formula."""
        match formula:
            case ast.Name(name):
                return self._names[name]
            case ast.Constant(int() | float() as number):
                return self._recorded(Constant(float(number)))
            case ast.UnaryOp(ast.USub(), operand):
                return self._each(operator.neg, [operand])
            case ast.BinOp(left, sign, right):
                return self._each(_INFIX[type(sign)], [left, right])
            case ast.Call(ast.Name("sum"), [terms]):
                return self._sum(self._evaluate(terms))
            case ast.Call(ast.Name(name), arguments):
                return self._each(partial(apply, OPS[name]), arguments)
        raise ValueError(f"{ast.unparse(formula)} cannot stand in an expansion")

    def _each(self, function: Callable[..., Value], operands: Sequence[ast.expr]) -> Letter:
        """Apply a function once, or once for each element of the lists among the operands."""
        made = [self._evaluate(operand) for operand in operands]
        n = max((len(operand) for operand in made if isinstance(operand, list)), default=None)
        if n is None:
            return self._recorded(function(*made))
        columns = [operand if isinstance(operand, list) else [operand] * n for operand in made]
        return [self._recorded(function(*row)) for row in zip(*columns, strict=True)]

    def _sum(self, terms: Letter) -> Value:
        """Sum from left to right; long partial sums are named `n.sum₃`, here of 3 terms."""
        assert isinstance(terms, list)
        if not terms:
            return self._recorded(Constant(0.0))
        total = terms[0]
        base = self._owner if self._owner.endswith("sum") else f"{self._owner}.sum"
        for count, term in enumerate(terms[1:], start=2):
            total = self._recorded(total + term)
            if self._owner and not is_whole(name_of(total)):
                total.label = numbered(base, count)
        return total

    def _recorded(self, part: Value) -> Value:
        self.parts.append(part)
        return part


_INFIX: Mapping[type[ast.operator], Callable[[Value, Value], Value]] = MappingProxyType({
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.Pow: operator.pow,
})  # fmt: skip
