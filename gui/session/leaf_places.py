"""Texts that differ in their numbers only, and where the numbers of one stand in another.

A slider can be dragged faster than its program runs: then the leaves that are known are those of an earlier text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from engine.language import Leaf

_NUMBER = re.compile(r"[-+]?(?<![\w.])(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][-+]?\d+)?")
"""A number, with the sign before it: a slider may change that, too."""


def same_but_for_numbers(text: str, other: str) -> bool:
    """Return True when two programs differ in their numbers at most."""
    return text == other or _NUMBER.sub("0", text) == _NUMBER.sub("0", other)


def leaves_in(text: str, leaves: Sequence[Leaf], before: str) -> list[Leaf]:
    """Return leaves with their numbers and places in another text, without those whose number cannot be read.

    Args:
        text: the other text, the same but for its numbers.
        leaves: of a program.
        before: its text.
    """
    if text == before:
        return list(leaves)
    ends = [found.end() for found in _NUMBER.finditer(before)]
    shifts = [0, *(new.end() - old for old, new in zip(ends, _NUMBER.finditer(text), strict=False))]
    moved = []
    for leaf in leaves:
        start = leaf.start + shifts[bisect_right(ends, leaf.start)]
        end = leaf.end + shifts[bisect_right(ends, leaf.end)]
        is_same = text[start:end] == before[leaf.start : leaf.end]
        number = leaf.number if is_same else _number(text[start:end])
        if number is not None:
            moved.append(replace(leaf, number=number, start=start, end=end))
    return moved


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
