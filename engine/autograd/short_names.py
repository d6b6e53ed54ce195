"""Short names for values that the program text does not name: `x1w1` for `x1*w1`, `c₂` for a second `c`."""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_LENGTH = 12

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SINGLE = re.compile(r"[^\W\d_][0-9₀-₉⁰¹²³⁴-⁹]*|[0-9.]+")

SUM, PRODUCT, ATOM = 1, 2, 3


class Short(NamedTuple):
    """A short text for a value and how tightly it binds; the text is empty when it would be long."""

    text: str
    binding: int


NAMELESS = Short("", ATOM)


def numbered(name: str, count: int) -> str:
    """`name` with its `count` as a subscript."""
    return name + str(count).translate(_SUBSCRIPTS)


def infix(symbol: str, left: Short, right: Short, longest: int = MAX_LENGTH) -> Short:
    """The short text of `left symbol right`, of at most `longest` characters."""
    if not left.text or not right.text or len(left.text) + len(right.text) > longest:
        return NAMELESS
    if symbol in "+-":
        second = right.text if right.binding > SUM and right.text[0] != "-" else f"({right.text})"
        return _limited(f"{left.text}{symbol}{second}", SUM, longest)
    if symbol == "*":
        return _limited(_product(left, right), PRODUCT, longest)
    if symbol == "**":
        return _limited(_power(left, right), ATOM, longest)
    divisor = right.text if right.binding == ATOM and right.text[0] != "-" else f"({right.text})"
    return _limited(f"{_factor(left)}{symbol}{divisor}", PRODUCT, longest)


def negated(short: Short, longest: int = MAX_LENGTH) -> Short:
    """The short text of `-x`."""
    if not short.text:
        return NAMELESS
    return _limited("-" + (short.text if short.binding > SUM else f"({short.text})"), SUM, longest)


def called(name: str, arguments: list[Short], longest: int = MAX_LENGTH) -> Short:
    """The short text of `name(arguments)`."""
    if not all(argument.text for argument in arguments):
        return NAMELESS
    return _limited(f"{name}({','.join(argument.text for argument in arguments)})", ATOM, longest)


def _limited(text: str, binding: int, longest: int) -> Short:
    return Short(text, binding) if len(text) <= longest else NAMELESS


def _factor(short: Short) -> str:
    return short.text if short.binding > SUM and short.text[0] != "-" else f"({short.text})"


def _product(left: Short, right: Short) -> str:
    """`x1w1`, `2x`, but `x·2`, `weight·x` and `x·x`: never something that reads as another name or number."""
    first, second = _factor(left), _factor(right)
    alone = left.binding == PRODUCT or _SINGLE.fullmatch(first)
    single = _SINGLE.fullmatch(second) and not second[0].isdigit() and first != second
    plain = alone and (single or (second[0] == "(" and first[-1] != ")" and first.replace(".", "").isdigit()))
    return first + second if plain else f"{first}·{second}"


def _power(base: Short, exponent: Short) -> str:
    bottom = base.text if base.binding == ATOM and base.text[-1] not in "⁰¹²³⁴⁵⁶⁷⁸⁹" else f"({base.text})"
    if exponent.text.isdecimal():
        return bottom + exponent.text.translate(_SUPERSCRIPTS)
    return f"{bottom}^{exponent.text if exponent.binding == ATOM else f'({exponent.text})'}"
