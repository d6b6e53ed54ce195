"""Typesetting of an explanation's line: fractions, subscripts, superscripts and real minus signs, as a few boxes.

The text of a line does not change, for screen readers, copying and tests; this module describes its appearance only,
and knows no drawing library. A quotient between blanks, `1 / b`, becomes a fraction, digits at the end of a name a
subscript, and every hyphen used as a minus sign becomes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from engine.teaching.explanation import ExplanationLine, TextRun

MINUS = "−"

_MINUS_OF_FORMULA = re.compile(r"-(?!=)(?!(?<=[^\W\d_]{2}-)[^\W\d_]{2})")
_MINUS_OF_NUMBER = re.compile(r"(?:(?<=[\s(×·=≈])|^)-(?=[\w.∞(])|(?<=\de)-(?=\d)")
_TOKEN = re.compile(r"\^(?:-?[\d.]+|[^\W\d]\w*|\([^()]+\))|\d+(?:\.\d+)?(?:e-?\d+)?|[^\W\d]\w*\(?|.", re.DOTALL)
_NAME = re.compile(r"[^\W\d]\w*")
_LETTERS_OR_DIGITS = re.compile(r"\d+|\D+")


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Text in one face at one height.

    Attributes:
        text: what is drawn.
        kind: `word`, `math` (letters of a formula), `sign` (its digits and signs, upright), `number`, or `code`
            (Python as it is typed).
        raised: 0 on the line, 1 as a superscript, -1 as a subscript.
    """

    text: str
    kind: str
    raised: int = 0


@dataclass(frozen=True, slots=True)
class Fraction:
    """Boxes over and under a bar; `text` is the same on one line."""

    above: tuple[Box, ...]
    below: tuple[Box, ...]
    text: str


Box = Glyphs | Fraction


def typeset(line: ExplanationLine) -> tuple[Box, ...]:
    """The boxes of a line from left to right."""
    return tuple(box for run in line.runs for box in _boxes(run))


def true_minus(text: str) -> str:
    """A sentence with a real minus sign before each negative number."""
    return _MINUS_OF_NUMBER.sub(MINUS, text)


def minus_in_formula(text: str) -> str:
    """A name, or a formula, with real minus signs: `o − t`, `o−t`, but `-=` as in Python, and hyphened words."""
    return _MINUS_OF_FORMULA.sub(MINUS, text)


def _boxes(run: TextRun) -> Iterator[Box]:
    if run.kind == "word":
        yield Glyphs(true_minus(run.text), "word")
    elif run.kind == "code":
        yield Glyphs(run.text, "code")
    elif run.kind == "fraction":
        yield Fraction(tuple(_differential(run.above)), tuple(_differential(run.below)), run.text)
    else:
        yield from _with_fractions(run.text, run.kind)


def _differential(text: str) -> Iterator[Glyphs]:
    """`do` or `∂o`: the sign, and the name after it."""
    yield Glyphs(text[0], "math")
    yield from _flat(text[1:], "math")


def _with_fractions(text: str, kind: str) -> Iterator[Box]:
    """The boxes of a formula; a stroke between blanks, outside of parentheses, becomes the bar of a fraction."""
    parts: list[tuple[str, tuple[Box, ...]]] = []
    pieces = iter(_split(text))
    for piece in pieces:
        below = next(pieces, "") if piece == "/" and parts else ""
        if below:
            before, above = parts.pop()
            whole = f"{before} / {below}"
            parts.append((whole, (Fraction(_bare(above), _bare(tuple(_flat(below, kind))), whole),)))
        else:
            parts.append((piece, tuple(_flat(piece, kind))))
    for number, (_text, boxes) in enumerate(parts):
        if number:
            yield Glyphs(" ", kind)
        yield from boxes


def _split(text: str) -> list[str]:
    """The text cut at the blanks outside of parentheses."""
    pieces, depth = [""], 0
    for character in text:
        depth += (character in "([") - (character in ")]")
        if character == " " and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return pieces


def _bare(boxes: tuple[Box, ...]) -> tuple[Box, ...]:
    """The boxes without the parentheses that the bar of a fraction makes unnecessary."""
    first, last = (boxes[0], boxes[-1]) if boxes else (None, None)
    if not (isinstance(first, Glyphs) and isinstance(last, Glyphs) and first is not last):
        return boxes
    whole = "".join(box.text for box in boxes if isinstance(box, Glyphs))
    closed = first.text == "(" and last.text == ")" and _closes_at_end(whole)
    return boxes[1:-1] if closed and not (first.raised or last.raised) else boxes


def _closes_at_end(text: str) -> bool:
    *inside, after = accumulate((character == "(") - (character == ")") for character in text)
    return after == 0 and 0 not in inside


def _flat(text: str, kind: str) -> Iterator[Glyphs]:
    """A formula on one line: names with subscripts, powers with superscripts, numbers upright."""
    for token in (text,) if text == "-=" else _TOKEN.findall(text):
        if token == "-=":
            yield Glyphs(token, "sign")
        elif token[0] == "^" and len(token) > 1:
            yield Glyphs(token[1:].strip("()").replace("-", MINUS), kind, 1)
        elif kind == "math" and _NAME.fullmatch(token):
            yield from _indexed(token)
        else:
            text = token.replace("-", MINUS)
            yield Glyphs(text, "sign") if kind == "math" and not token[0].isalpha() else Glyphs(text, kind)


def _indexed(name: str) -> Iterator[Glyphs]:
    """A name whose digits are subscripts: at its end, and after a single letter as in x1b."""
    pieces = _LETTERS_OR_DIGITS.findall(name)
    for place, piece in enumerate(pieces):
        before = pieces[place - 1]
        is_index = piece.isdecimal() and before[-1] != "_" and (place == len(pieces) - 1 or len(before) == 1)
        yield Glyphs(piece, "sign" if piece.isdecimal() else "math", -1 if is_index else 0)
