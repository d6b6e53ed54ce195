"""Small pieces put into a text, and the way back from places in the new text to those in the old one."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

FIRST, USUAL, LAST, AFTER, INNERMOST = range(5)
"""In which order pieces at one place come: what closes something, statements, what follows a block, what opens."""


class _Edit(NamedTuple):
    start: int
    rank: int
    number: int
    end: int
    text: str


class _Hoist(NamedTuple):
    statement: int
    begin: int
    cuts: Sequence[int]
    name: str


class Patched:
    """A text made of pieces of another one.

    Attributes:
        text: the new text.
    """

    def __init__(self, pieces: Sequence[tuple[str, int, bool]]) -> None:
        """`pieces`: each with the offset in the old text where it belongs, and whether it stands there."""
        self.text = "".join(piece for piece, _, _ in pieces)
        self._starts: list[int] = []
        self._places: list[tuple[int, bool]] = []
        at = 0
        for piece, offset, old in pieces:
            self._starts.append(at)
            self._places.append((offset, old))
            at += len(piece)

    @cached_property
    def _lines(self) -> list[int]:
        """Offsets at which the lines of the new text begin."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def original(self, line: int, column: int) -> int:
        """The offset in the old text of a line and a column, both from 1, of the new one."""
        start = self._lines[min(max(line, 1), len(self._lines)) - 1]
        at = start + max(column, 1) - 1
        index = max(bisect_right(self._starts, at) - 1, 0)
        if not self._places:
            return 0
        offset, old = self._places[index]
        return offset + (at - self._starts[index]) if old else offset


class Edits:
    """What is to be put into a text, collected in any order."""

    def __init__(self) -> None:
        self._edits: list[_Edit] = []
        self._hoists: list[_Hoist] = []

    def insert(self, at: int, text: str, rank: int = USUAL) -> None:
        """Puts `text` at an offset; of several pieces there the one of the lower rank stands first (see `FIRST`)."""
        self._edits.append(_Edit(at, rank, len(self._edits), at, text))

    def replace(self, start: int, end: int, text: str) -> None:
        """Puts `text` in the place of what stands there."""
        self._edits.append(_Edit(start, INNERMOST, len(self._edits), end, text))

    def hoist(self, statement: int, begin: int, cuts: Sequence[int], name: str) -> None:
        """Computes what stands from `begin` to each of `cuts` before the statement, under a name."""
        self._hoists.append(_Hoist(statement, begin, cuts, name))

    def applied(self, text: str, lead: str = "", skipped: int = 0) -> Patched:
        """The new text.

        Args:
            text: the old one.
            lead: what comes before everything.
            skipped: characters of the old text that are left out at its start.
        """
        self._edits.sort()
        pieces: list[tuple[str, int, bool]] = [(lead, 0, False)] if lead else []
        at = skipped
        for hoist in sorted(self._hoists):
            pieces += self._rendered(text, at, hoist.statement)
            begin, known = hoist.begin, ""
            opening = [edit for edit in self._edits if edit.start == hoist.statement and edit.rank in (USUAL, AFTER)]
            for cut in hoist.cuts:
                pieces.append((f"{hoist.name} = ({known}", begin, False))
                pieces += self._rendered(text, begin, cut, without=opening)
                pieces.append(("); ", cut, False))
                begin, known = cut, hoist.name
            pieces += self._rendered(text, hoist.statement, hoist.begin)
            if hoist.statement == hoist.begin:  # an expression by itself: what opens it is not part of its terms
                pieces += [(edit.text, edit.start, False) for edit in opening]
            pieces.append((hoist.name, hoist.begin, False))
            at = hoist.cuts[-1]
        return Patched(pieces + self._rendered(text, at, len(text), last=True))

    def _rendered(
        self, text: str, start: int, end: int, last: bool = False, without: Sequence[_Edit] = ()
    ) -> list[tuple[str, int, bool]]:
        """The pieces of the old text from `start` to `end`: what closes at `end` belongs to it, at `start` not."""
        pieces: list[tuple[str, int, bool]] = []
        at = start
        for edit in self._edits:
            inside = start <= edit.start < end or (edit.start == end and (last or edit.rank == FIRST))
            closes_before = edit.start == start > 0 and edit.rank == FIRST
            if not inside or edit in without or closes_before or edit.start < at:
                continue
            if edit.start > at:
                pieces.append((text[at : edit.start], at, True))
            pieces.append((edit.text, edit.start, False))
            at = edit.end
        if at < end:
            pieces.append((text[at:end], at, True))
        return pieces
