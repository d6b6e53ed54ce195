"""Rules for the fields of a document: stated with the field, checked in one place.

A rule is a function that returns the checked value or raises `ValueError` with the allowed and the given value.
`check` never converts one type into another: `"0.1"` is not a number and `True` not an integer.
"""

from __future__ import annotations

import json
import math
import operator
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.document.frozen_floats import FrozenFloats
from engine.messages import did_you_mean, quoted, wrong_integer, wrong_number

LONGEST_NAME = 200

Rule = Callable[[Any], Any]
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


def held(default: Any, rule: Rule, one_a_line: bool = False) -> Any:
    """Return a dataclass field with a default and a rule.

    Args:
        default: of the field.
        rule: for what it may hold.
        one_a_line: a session file has each line of the text, or each entry of the list, on a line of its own.
    """
    return field(default=default, metadata={"rule": rule, "one_a_line": one_a_line})


def text(longest: int, most_lines: int | None = None) -> Rule:
    """Rule for a string of at most `longest` characters and `most_lines` lines that can be written as UTF-8."""

    def rule(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError(f"must be text, not {quoted(value)}")
        if len(value) > longest:
            raise ValueError(f"must have at most {longest:,} characters, not {len(value):,}")
        if most_lines is not None and (lines := line_count(value)) > most_lines:
            raise ValueError(f"must have at most {most_lines:,} lines, not {lines:,}")
        if _NO_TEXT.search(value):
            raise ValueError("contains characters that are not text")
        return value

    return rule


def line_count(value: str) -> int:
    """Return the number of lines as an editor counts them, for any line ending."""
    return value.count("\n") + value.count("\r") - value.count("\r\n") + value.count("\u2029") + 1


def integer(low: int, high: int) -> Rule:
    """Rule for a whole number from `low` to `high`."""

    def rule(value: Any) -> int:
        if wanted := wrong_integer(value, low, high):
            raise ValueError(f"must be {wanted}, not {quoted(value)}{_quotes_advice(value, rule)}")
        return operator.index(value)

    return rule


def number(low: float, high: float) -> Rule:
    """Rule for a finite number from `low` to `high`; a whole number becomes a float."""

    def rule(value: Any) -> float:
        if wanted := wrong_number(value, low, high):
            raise ValueError(f"must be {wanted}, not {quoted(value)}{_quotes_advice(value, rule)}")
        return float(value)

    return rule


def _quotes_advice(value: Any, rule: Rule) -> str:
    """Return advice for a number that is right but for being written as a text."""
    try:
        if isinstance(value, str) and len(value) < 30:
            rule(json.loads(value))
            return ": write it without quotes"
    except (ValueError, TypeError, RecursionError):
        pass
    return ""


any_number = number(-math.inf, math.inf)
"""Every finite number."""


def one_of(names: Callable[[], Iterable[str]]) -> Rule:
    """Rule for one of the names that the function returns."""

    def rule(value: Any) -> str:
        allowed = list(names())
        if value in allowed and isinstance(value, str):
            return value
        raise ValueError(f"must be one of {', '.join(allowed)}, not {quoted(value)}{did_you_mean(value, allowed)}")

    return rule


def boolean(value: Any) -> bool:
    """Rule for True or False."""
    if type(value) is not bool:
        raise ValueError(f"must be true or false, not {quoted(value)}")
    return value


def optional(inner: Rule) -> Rule:
    """None, or a value that the inner rule allows."""
    return lambda value: None if value is None else inner(value)


def sequence(inner: Rule, low: int, high: int) -> Rule:
    """Rule for a list of `low` to `high` entries, each valid by the inner rule; stored as a tuple."""

    def rule(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, (list, tuple)) or not low <= len(value) <= high:
            given = f"{len(value):,} entries" if isinstance(value, (list, tuple)) else quoted(value)
            raise ValueError(f"must be a list of {low:,} to {high:,} entries, not {given}")
        return tuple(_entry(inner, index, item) for index, item in enumerate(value))

    return rule


def _entry(inner: Rule, index: int, item: Any) -> Any:
    try:
        return inner(item)
    except ValueError as error:
        raise ValueError(f"entry {index + 1} {error}") from None


def floats(most: int) -> Rule:
    """At most `most` finite numbers, stored as `FrozenFloats`."""

    def rule(value: Any) -> FrozenFloats:
        if not isinstance(value, (FrozenFloats, list, tuple)):
            raise ValueError(f"must be a list of numbers, not {quoted(value)}")
        if len(value) > most:
            raise ValueError(f"must have at most {most:,} numbers, not {len(value):,}")
        numbers = value if isinstance(value, FrozenFloats) else _as_floats(value)
        bad = np.flatnonzero(~np.isfinite(numbers.array))
        if bad.size:
            raise ValueError(f"entry {bad[0] + 1} must be a finite number")
        return numbers

    return rule


def texts(most: int, longest: int, most_letters: int) -> Rule:
    """A list of at most `most` texts that are not empty, of `longest` characters each and `most_letters` together."""
    one = text(longest)

    def rule(value: Sequence[Any]) -> tuple[str, ...]:
        if len(value) > most:
            raise ValueError(f"must have at most {most:,} texts, not {len(value):,}")
        known = {item: one(item) for item in set(value)} if all(isinstance(item, str) for item in value) else None
        if known is None or "" in known:
            index = next(i for i, item in enumerate(value) if not isinstance(item, str) or not item)
            raise ValueError(f"entry {index + 1} must be a text, not {quoted(value[index])}")
        if (letters := sum(map(len, value))) > most_letters:
            raise ValueError(f"must have at most {most_letters:,} characters together, not {letters:,}")
        return tuple(known[item] for item in value)

    return rule


def either(numbers: Rule, labels: Rule) -> Rule:
    """Rule `labels` for a list that begins with a text, rule `numbers` for anything else."""

    def rule(value: Any) -> Any:
        begins_with_text = isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], str)
        return labels(value) if begins_with_text else numbers(value)

    return rule


def _as_floats(value: Sequence[Any]) -> FrozenFloats:
    if not set(map(type, value)) <= {int, float}:
        index, entry = next((i, v) for i, v in enumerate(value) if type(v) not in (int, float))
        raise ValueError(f"entry {index + 1} must be a number, not {quoted(entry)}")
    try:
        return FrozenFloats(value)
    except OverflowError:
        index, entry = next((i, v) for i, v in enumerate(value) if abs(v) > sys.float_info.max)
        raise ValueError(f"entry {index + 1} must be a number of at most {sys.float_info.max:g}") from None


@dataclass(frozen=True)
class Table:
    """A dict from short names to values that the inner rule allows; stored as a tuple of pairs, which can be compared.

    Such a tuple is accepted as well. In a file it is a JSON object, one name a line.

    Attributes:
        inner: rule for each entry.
        most: limit of names.
    """

    inner: Rule
    most: int

    def __call__(self, value: Any) -> tuple[tuple[str, Any], ...]:
        pairs, name = _pairs(value), text(LONGEST_NAME)
        if pairs is None:
            raise ValueError(f"must be a table of names, not {quoted(value)}")
        if len(pairs) > self.most:
            raise ValueError(f"must be a table of at most {self.most:,} names, not {len(pairs):,}")
        checked = tuple((_named(key, name, key), _named(key, self.inner, item)) for key, item in pairs)
        if len(dict(checked)) < len(checked):
            raise ValueError("must be a table in which each name stands once")
        return checked


def _pairs(value: Any) -> list[tuple[Any, Any]] | None:
    """Return names and entries of a dict or of pairs; None for anything else."""
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, tuple) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        return list(value)
    return None


def _named(key: Any, rule: Rule, item: Any) -> Any:
    try:
        return rule(item)
    except ValueError as error:
        raise ValueError(f"entry {quoted(key)} {error}") from None
