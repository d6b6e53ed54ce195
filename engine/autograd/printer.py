"""The printer of formulas: an operation written with its operands, parentheses where they are needed.

The same few rules write names of values, lines of an explanation, patterns of repeated sub-expressions and LaTeX; a
`Style` holds the differences. Reads the table only: infix operations are written with their sign, all others as calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from types import MappingProxyType
from typing import NamedTuple

from engine.autograd.ops import Op

SUM, PRODUCT, ATOM = 1, 2, 3
"""Binding strengths of a text."""

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SINGLE = re.compile(r"[^\W\d_][0-9₀-₉⁰¹²³⁴-⁹]*|[0-9.]+")
_LIKE_A_NUMBER = re.compile(r"[\d.]+[eEjJ]\d*|0[xXbBoO]\w*")
"""Texts that Python, or a reader, takes for one number: `2e1`."""
_NUMBER = re.compile(r"-?[0-9.]+(e-?[0-9]+)?")


class Part(NamedTuple):
    """The text of an operand and its binding strength, ignoring a leading minus.

    Attributes:
        text: a name, or text written by the printer.
        binding: SUM, PRODUCT or ATOM.
        written: the printer has written it, so nothing in it needs escaping.
    """

    text: str
    binding: int
    written: bool = False


@dataclass(frozen=True)
class Style:
    """Settings in which ways to write formulas differ.

    Attributes:
        signs: text of each operator, blanks included; missing ones are written as in Python.
        times: function that writes a product, None: with its sign.
        power: function that writes a power.
        comma: between arguments.
        minus: the sign of a negation.
        factor: parenthesizes an operand of a product that binds less tightly.
        leading_minus: a product may begin with a minus.
        escaped: function that escapes the text of a name.
    """

    signs: Mapping[str, str]
    power: Callable[[Part, Part, Style], str]
    times: Callable[[str, str, int], str] | None = None
    comma: str = ", "
    minus: str = "-"
    factor: int = ATOM
    leading_minus: bool = True
    escaped: Callable[[str], str] = str


def formula(op: Op, operands: Sequence[Part], style: Style) -> Part:
    """The operation with these operands; a paired operation as products and their sum."""
    if op.paired:
        *terms, rest = paired_terms(operands, style)
        return reduce(partial(infix, "+", style=style), [*terms, rest])
    if op.index_text:
        return Part(f"{_guarded(operands[0], ATOM, style)}[{op.index_text}]", ATOM, True)
    if op.infix and len(operands) == 1:
        return Part(f"{style.minus}{_guarded(operands[0], style.factor, style)}", SUM, True)
    if op.infix and len(operands) == 2:
        return infix(op.infix, operands[0], operands[1], style)
    return called(op.name, operands, style)


def paired_terms(operands: Sequence[Part], style: Style) -> list[Part]:
    """The products of the pairs, and the bias."""
    later = replace(style, leading_minus=False)
    pairs = zip(operands[0:-1:2], operands[1:-1:2], strict=True)
    return [*(infix("*", w, x, style=later if place else style) for place, (w, x) in enumerate(pairs)), operands[-1]]


def infix(operator: str, left: Part, right: Part, style: Style) -> Part:
    """`left operator right`; the operator as Python writes it."""
    sign = style.signs.get(operator, f" {operator} ")
    if operator in ("+", "-"):
        return Part(f"{_shown(left, style)}{sign}{_guarded(right, PRODUCT, style)}", SUM, True)
    if operator == "**":
        return Part(style.power(left, right, style), ATOM, True)
    first = _guarded(left, style.factor, style, style.leading_minus)
    if operator == "*" and style.times is not None:
        return Part(style.times(first, _guarded(right, style.factor, style), left.binding), PRODUCT, True)
    return Part(f"{first}{sign}{_guarded(right, ATOM if operator == '/' else style.factor, style)}", PRODUCT, True)


def called(name: str, arguments: Sequence[Part], style: Style) -> Part:
    """`name(arguments)`."""
    listed = style.comma.join(_shown(part, style) for part in arguments)
    return Part(f"{style.escaped(name)}({listed})", ATOM, True)


def _shown(part: Part, style: Style) -> str:
    return part.text if part.written else style.escaped(part.text)


def _guarded(part: Part, least: int, style: Style, leading: bool = False) -> str:
    """The text, in parentheses if it binds less tightly than `least`, or begins with a minus not in front."""
    loose = part.binding < least or (part.text.startswith("-") and not leading)
    return f"({_shown(part, style)})" if loose else _shown(part, style)


def part_of(text: str) -> Part:
    """A text that may be a formula itself, with its binding strength."""
    body = text.removeprefix("-")
    if is_number(text):
        return Part(text, ATOM)
    return Part(text, SUM if is_open(body, "+- ") else PRODUCT if is_open(body, "/·×") else ATOM)


def is_open(text: str, signs: str) -> bool:
    """True when one of the signs appears in a text outside all parentheses."""
    depth = 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if depth == 0 and character in signs:
            return True
    return False


def is_number(text: str) -> bool:
    """True for a number in the format of `notation.short`."""
    return _NUMBER.fullmatch(text) is not None


def numbered(name: str, count: int) -> str:
    """`name` with its `count` as a subscript."""
    return name + str(count).translate(_SUBSCRIPTS)


def _caret(base: Part, exponent: Part, style: Style) -> str:
    return f"{_guarded(base, ATOM, style)}^{_guarded(exponent, ATOM, style)}"


def _superscript(base: Part, exponent: Part, style: Style) -> str:
    """`x²`, `x^y`, and `(x²)^y`."""
    tight = base if base.text[-1] not in "⁰¹²³⁴⁵⁶⁷⁸⁹" else Part(base.text, SUM, base.written)
    bottom = _guarded(tight, ATOM, style)
    if exponent.text.isdecimal():
        return bottom + exponent.text.translate(_SUPERSCRIPTS)
    return f"{bottom}^{exponent.text if exponent.binding == ATOM else f'({exponent.text})'}"


def _side_by_side(first: str, second: str, binding: int) -> str:
    """`x1w1`, `2x`, but `x·2`, `2·(-3)`, `weight·x` and `x·x`: never text that reads as another name or number."""
    alone = (binding == PRODUCT and first[0] != "(") or _SINGLE.fullmatch(first)
    single = _SINGLE.fullmatch(second) and not second[0].isdigit() and first != second
    is_sum = second[0] == "(" and not is_number(second[1:-1])
    plain = alone and (single or (is_sum and first[-1] != ")" and first.replace(".", "").isdigit()))
    return first + second if plain and not _LIKE_A_NUMBER.fullmatch(first + second) else f"{first}·{second}"


NAME = Style(
    MappingProxyType({"+": "+", "-": "-", "*": "·", "/": "/", "@": "@"}),
    _superscript, _side_by_side, comma=",", factor=PRODUCT, leading_minus=False,
)  # fmt: skip
"""As short as can be, for names: `2x1·(w1+b)²`."""
LINE = Style(MappingProxyType({"*": " × "}), _caret)
"""For the lines of an explanation: `-6 × 2`, `a - (b-a)`."""
PATTERN = Style(MappingProxyType({"*": "·"}), _caret, factor=PRODUCT)
"""For the shape of an expression: `tanh(a·b + c)`."""
