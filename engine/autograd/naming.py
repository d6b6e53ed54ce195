"""Names of values: the label, or a name derived from the computation.

A derived name is the value's formula in the names of its inputs, `o-t`, `exp(2n)`, as long as that is short; in a
longer one dots replace the longest parts, and the start of a sum before its end: `…+w3x3`. Names of unnamed values
therefore follow the labels around them, and cost little in any graph: only a few operations are visited.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.autograd.notation import short
from engine.autograd.ops import Op
from engine.autograd.printer import (
    ATOM,
    NAME,
    PRODUCT,
    Part,
    called,
    formula,
    infix,
    is_number,
    is_open,
    paired_terms,
    part_of,
)
from engine.autograd.value import Constant, Value

LONGEST = 20
"""Maximum length of a derived name in characters; about as many as a box has room for."""

DEEPEST = 4
MOST_ARGUMENTS = 12

ELIDED = Part("…", ATOM)


def name_of(value: Value) -> str:
    """The label of a value; without one, the number of a leaf, and the formula of a computed value in short."""
    return value.label or _derived(value, DEEPEST).text


def give_names(order: Iterable[Value]) -> None:
    """Label every computed value that has no label with its derived name, so that it is derived only once.

    Args:
        order: inputs before the values that use them.
    """
    for value in order:
        if value.op is not None and not value.label:
            value.label = name_of(value)


def is_plain(name: str) -> bool:
    """True when a name is not a formula, so that parts can be named after it: `o.e`."""
    return bool(name) and not any(sign in name for sign in "+-/·^@(),…")


def is_whole(name: str) -> bool:
    """True when nothing was left out of a name."""
    return "…" not in name


def grouped_name(value: Value) -> str:
    """A value's name as part of a longer one: `(a+b)` of `(a+b).grad`, in parentheses when it is a formula itself.

    `(2x).grad` is the gradient of the product, `2x.grad` would be twice that of x.
    """
    name = name_of(value)
    is_multiple = name[:1].isdigit() and not is_number(name)
    return f"({name})" if is_multiple or is_open(name, "+-/·^@") else name


def derivative(of: Value, to: Value) -> str:
    """The local derivative of an operation's result with respect to one of its inputs: `∂o/∂n`."""
    return f"∂{grouped_name(of)}/∂{grouped_name(to)}"


def total_derivative(of: Value, to: Value) -> str:
    """The derivative over all paths from one value to another, which is a gradient: `do/dw1`."""
    return f"d{grouped_name(of)}/d{grouped_name(to)}"


def is_constant(value: Value) -> bool:
    """True for a number written in a formula."""
    return isinstance(value, Constant)


def _derived(value: Value, depth: int) -> Part:
    """The name of a value and its binding strength; dots below a certain depth."""
    if value.label:
        return _labelled(value)
    if value.op is None:
        return Part(short(value.data), ATOM)
    if depth == 0:
        return ELIDED
    if value.op.paired:
        return _sum_of_products(value, depth)
    operands = [_derived(source, depth - 1) for source in value.inputs[:MOST_ARGUMENTS]]
    if value.op.variadic:
        return _first_arguments(value.op, operands, len(value.inputs))
    return _shortened(value.op, operands)


def _labelled(value: Value) -> Part:
    """A label, which may be a formula itself: `x1w1` is one when it is the product of x1 and w1."""
    product = value.op is not None and value.op.infix == "*" and value.label == "".join(map(_plain, value.inputs))
    return Part(value.label, PRODUCT) if product else part_of(value.label)


def _plain(value: Value) -> str:
    return value.label or (short(value.data) if value.op is None else "")


def _shortened(op: Op, operands: list[Part]) -> Part:
    """The formula, its longest operands replaced by dots until it fits."""
    parts = list(operands)
    while len((made := formula(op, parts, NAME)).text) > LONGEST:
        longest = max(range(len(parts)), key=lambda index: len(parts[index].text))
        if parts[longest] == ELIDED:
            return Part(f"{op.text}(…)", ATOM)
        parts[longest] = ELIDED
    return made


def _first_arguments(op: Op, operands: list[Part], n_inputs: int) -> Part:
    """`logsumexp(a,b,…)`: as many arguments as there is room for."""
    for n in range(len(operands), 0, -1):
        made = called(op.name, [*operands[:n], *([ELIDED] if n < n_inputs else [])], NAME)
        if len(made.text) <= LONGEST:
            return made
    return Part(f"{op.name}(…)", ATOM)


def _sum_of_products(value: Value, depth: int) -> Part:
    """`w1x1+w2x2+b`; the end of a longer one."""
    last = value.inputs[-2 * MOST_ARGUMENTS - 1 :]
    terms = paired_terms([_derived(source, depth - 1) for source in last], NAME)
    total = terms[0] if len(value.inputs) == len(last) else ELIDED
    for term in terms[1:]:
        total = _ending_in(total, term if len(term.text) <= LONGEST else ELIDED)
    return total


def _ending_in(total: Part, term: Part) -> Part:
    """`total+term`, with as much of the total as there is room for."""
    sums = (infix("+", *parts, style=NAME) for parts in ((total, term), (ELIDED, term), (ELIDED, ELIDED)))
    return next(made for made in sums if len(made.text) <= LONGEST)
