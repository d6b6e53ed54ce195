"""What a value is called: its label, or a name made of how it was computed.

A made name is the value's formula in the names of its inputs, `o-t`, `exp(2n)`, as long as that is short; the longest
parts of a longer one become dots, the start of a sum before its end: `…+w3x3`. Names of unnamed values therefore follow
the labels around them, and cost little however large the graph is: only a few operations deep is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from engine.autograd.notation import short
from engine.autograd.ops import Op
from engine.autograd.short_names import ATOM, NAMELESS, PRODUCT, SUM, Short, called, infix, negated
from engine.autograd.value import Constant, Value

LONGEST = 20
"""Characters of a made name; about as many as a box has room for."""

DEEPEST = 4
MOST_ARGUMENTS = 12

ELIDED = Short("…", ATOM)

_NUMBER = re.compile(r"-?[0-9.]+(e-?[0-9]+)?")


def name_of(value: Value) -> str:
    """The label of a value; without one, the number of a leaf, and of a computed value its formula in short."""
    return value.label or _made(value, DEEPEST).text


def give_names(order: Iterable[Value]) -> None:
    """Labels every computed value that has no label with its made name, so that it is made once.

    Args:
        order: inputs before what they feed.
    """
    for value in order:
        if value.op is not None and not value.label:
            value.label = name_of(value)


def is_plain(name: str) -> bool:
    """Whether a name is no formula, so that parts can be called after it: `o.e`."""
    return bool(name) and not any(sign in name for sign in "+-/·^@(),…")


def is_whole(name: str) -> bool:
    """Whether nothing was left out of a name."""
    return "…" not in name


def grouped(name: str) -> str:
    """A name as part of a longer one: `(a+b)` of `(a+b).grad`, in parentheses where it is a formula itself."""
    return f"({name})" if is_open(name, "+-/·^@") else name


def derivative(of: Value, to: Value) -> str:
    """The local derivative of an operation's result with respect to one of its inputs: `∂o/∂n`."""
    return f"∂{grouped(name_of(of))}/∂{grouped(name_of(to))}"


def total_derivative(of: Value, to: Value) -> str:
    """The derivative over every way from one value to another, which is a gradient: `do/dw1`."""
    return f"d{grouped(name_of(of))}/d{grouped(name_of(to))}"


def is_constant(value: Value) -> bool:
    """Whether the value is a number written in a formula."""
    return isinstance(value, Constant)


def is_open(text: str, signs: str) -> bool:
    """Whether one of the signs stands in a text outside all parentheses."""
    depth = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if depth == 0 and character in signs:
            return True
    return False


def is_number(text: str) -> bool:
    """Whether a text is a number as `short` writes it."""
    return _NUMBER.fullmatch(text) is not None


def _made(value: Value, depth: int) -> Short:
    """The name of a value and how tightly it binds; below a certain depth dots."""
    if value.label:
        return Short(value.label, _binding(value))
    if value.op is None:
        return Short(short(value.data), ATOM)
    if depth == 0:
        return ELIDED
    operands = [_made(source, depth - 1) for source in value.inputs[:MOST_ARGUMENTS]]
    if value.op.paired:
        return _sum_of_products(value, depth)
    if value.op.variadic:
        return _first_arguments(value.op, operands, len(value.inputs))
    return _shortened(value.op, operands)


def _binding(value: Value) -> int:
    """How tightly a label binds: it may be a formula itself."""
    label = value.label
    if is_open(label, "+- "):
        return SUM
    side_by_side = value.op is not None and value.op.infix == "*" and label == "".join(map(_plain, value.inputs))
    return PRODUCT if side_by_side or is_open(label, "·/") else ATOM


def _plain(value: Value) -> str:
    return value.label or (short(value.data) if value.op is None else "")


def _shortened(op: Op, operands: list[Short]) -> Short:
    """The formula, its longest operands replaced by dots until it fits."""
    parts = list(operands)
    while not (made := _formula(op, parts)).text:
        longest = max(range(len(parts)), key=lambda index: len(parts[index].text))
        if parts[longest] == ELIDED:
            return Short(f"{op.text}(…)", ATOM)
        parts[longest] = ELIDED
    return made


def _formula(op: Op, operands: Sequence[Short]) -> Short:
    if op.infix and len(operands) == 1:
        return negated(operands[0], LONGEST)
    if op.index_text:
        text = f"{grouped(operands[0].text)}[{op.index_text}]"
        return Short(text, ATOM) if len(text) <= LONGEST else NAMELESS
    if op.infix and len(operands) == 2:
        return infix(op.infix, operands[0], operands[1], LONGEST)
    return called(op.name, list(operands), LONGEST)


def _first_arguments(op: Op, operands: list[Short], n_inputs: int) -> Short:
    """`logsumexp(a,b,…)`: as many as there is room for."""
    for n in range(len(operands), 0, -1):
        made = called(op.name, [*operands[:n], *([ELIDED] if n < n_inputs else [])], LONGEST)
        if made.text:
            return made
    return Short(f"{op.name}(…)", ATOM)


def _sum_of_products(value: Value, depth: int) -> Short:
    """`w1x1+w2x2+b`; of a longer one the end."""
    *factors, bias = value.inputs[-2 * MOST_ARGUMENTS - 1 :]
    terms = [
        infix("*", _made(weight, depth - 1), _made(x, depth - 1), LONGEST)
        for weight, x in zip(factors[0::2], factors[1::2], strict=True)
    ]
    terms.append(_made(bias, depth - 1))
    total = terms[0] if len(value.inputs) <= 2 * MOST_ARGUMENTS + 1 else ELIDED
    for term in terms[1:]:
        total = _ending_in(total, term if term != NAMELESS else ELIDED)
    return total


def _ending_in(total: Short, term: Short) -> Short:
    """`total+term`, of the total as much as there is room for."""
    sums = (infix("+", *parts, LONGEST) for parts in ((total, term), (ELIDED, term), (ELIDED, ELIDED)))
    return next(made for made in sums if made.text)
