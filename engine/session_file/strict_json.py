"""Bounded JSON for session files, without duplicate names, `NaN` and numbers beyond all floats.

The text is checked before it is parsed: ten million empty lists fit into a file of 20 MB and into 600 MB of memory, so
commas, colons and brackets are counted first. Each of them makes at most one value and one name, so that any
accepted text is parsed in less than 100 MB besides its own size.
"""

from __future__ import annotations

import json
import math
from typing import Any

from engine.messages import quoted

LARGEST_TEXT = 20_000_000
"""Limit of characters and bytes of a file: 100,000 parameters with their gradients, two arrays of memory and their
curves take 12 million, a table of 300,000 numbers 7 million.
"""
MOST_MARKS = 1_000_000
"""Limit of commas, colons and opening brackets: the largest session that the program writes has half as many."""
MOST_DIGITS = 1_000


def parse_json(text: str) -> Any:
    """Parse a text with the standard library's reader.

    Raises:
        ValueError: with the damage, the limit or the forbidden value, in a short sentence.
    """
    check_size(text)
    try:
        return DECODER.decode(text)
    except RecursionError:
        raise ValueError("not a session of this program: nested too deeply") from None
    except json.JSONDecodeError as error:
        where = f"damaged at line {error.lineno}, column {error.colno}"
        raise ValueError(f"not a session of this program, or {where}: {in_words(error)}") from None


SYNTAX_WORDS = {
    "Expecting value": "a value is missing here",
    "Expecting property name enclosed in double quotes": "the name of a field is missing here",
    "Expecting ':' delimiter": "there is no colon behind the name of a field",
    "Expecting ',' delimiter": "there is no comma between two entries",
    "Unterminated string starting at": "a text begins here and does not end",
    "Invalid control character at": "a text holds a line break, a tab or another control character",
    "Invalid \\escape": "a text holds a backslash before a wrong character",
    "Invalid \\uXXXX escape": "a text holds \\u without four digits",
    "Extra data": "there is more behind the end of the session",
    "Illegal trailing comma before end of object": "there is a comma behind the last entry",
    "Illegal trailing comma before end of array": "there is a comma behind the last entry",
}
"""Messages of Python's JSON reader, in words for users."""


def in_words(error: json.JSONDecodeError) -> str:
    """Return what is wrong with a text that should be JSON, in plain words."""
    return SYNTAX_WORDS.get(error.msg.removesuffix(": "), SYNTAX_WORDS["Expecting value"])


def check_size(text: str) -> None:
    """Refuse a text that is too large to be parsed.

    Raises:
        ValueError: with the limit.
    """
    size = len(text)
    if size <= LARGEST_TEXT and not text.isascii():
        size = len(text.encode("utf-8", "surrogatepass"))
    if size > LARGEST_TEXT:
        raise ValueError(f"the file is too large: at most {LARGEST_TEXT:,} bytes, not {size:,}")
    if sum(map(text.count, ",:[{")) > MOST_MARKS:
        raise ValueError(f"the file holds too much: more than {MOST_MARKS:,} values and names")


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number that a session may hold")


def _finite(digits: str) -> float:
    value = float(_bounded(digits))
    if not math.isfinite(value):
        raise ValueError(f"{digits[:40]} is too large for a number")
    return value


def _whole(digits: str) -> int:
    return int(_bounded(digits))


def _bounded(digits: str) -> str:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits; {MOST_DIGITS:,} are allowed")
    return digits


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content: dict[str, Any] = {}
    for name, value in pairs:
        if name in content:
            raise ValueError(f"the name {quoted(name)} stands twice in one table")
        content[name] = value
    return content


DECODER = json.JSONDecoder(
    parse_constant=_refuse_constant, parse_float=_finite, parse_int=_whole, object_pairs_hook=_without_duplicates
)
"""Decoder for a value of a session file; it does not check the size of its text."""
