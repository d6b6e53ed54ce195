"""Output of a program, line by line, each with the program line that printed it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import repeat
from typing import NamedTuple

from engine.language import Printed

LONGEST_SHOWN = 2_000
"""Characters of a line that are drawn; all of it is there to be copied."""


class PrintedLine(NamedTuple):
    """A line of output.

    Attributes:
        line: of the program that began to print it, from 1.
        text: without its end.
    """

    line: int
    text: str

    @property
    def shown(self) -> str:
        """Drawn part of the output."""
        return self.text[:LONGEST_SHOWN].expandtabs(4)


class PrintedLines:
    """Lines put together from the pieces that `print` wrote; more can be added.

    Attributes:
        lines: as a terminal shows them.
        n_longest: characters of the longest, as far as it is drawn.
    """

    def __init__(self, pieces: Iterable[Printed] = ()) -> None:
        """Create the lines from pieces of output."""
        self.lines: list[PrintedLine] = []
        self.n_longest = 0
        self._is_open = False
        self._last: dict[int, int] = {}
        self._counts: Counter[int] = Counter()
        self.add(pieces)

    def add(self, pieces: Iterable[Printed]) -> None:
        """Append output."""
        for piece in pieces:
            first, *others = str(piece.text).split("\n")
            if self._is_open and first:
                before = self.lines[-1]
                self._put(PrintedLine(before.line, before.text + first), -1)
            elif not self._is_open and (first or others):
                self._begin(piece.line, first)
            self._add_whole(piece.line, others[:-1])
            if others and others[-1]:
                self._begin(piece.line, others[-1])
            if first or others:
                self._is_open = not others or bool(others[-1])

    def _add_whole(self, line: int, texts: list[str]) -> None:
        """Add lines that are complete, of which there may be very many."""
        if texts:
            self.lines.extend(map(PrintedLine._make, zip(repeat(line), texts, strict=False)))
            self._last[line] = len(self.lines) - 1
            self._counts[line] += len(texts)
            tabbed = (text[:LONGEST_SHOWN].expandtabs(4) for text in texts if "\t" in text)
            self.n_longest = max(self.n_longest, min(max(map(len, texts)), LONGEST_SHOWN), *map(len, tabbed))

    def end_line(self) -> None:
        """End the present line: further text begins a new one."""
        self._is_open = False

    def _begin(self, line: int, text: str) -> None:
        self.lines.append(PrintedLine(line, ""))
        self._last[line] = len(self.lines) - 1
        self._counts[line] += 1
        self._put(PrintedLine(line, text), -1)

    def _put(self, line: PrintedLine, index: int) -> None:
        self.lines[index] = line
        self.n_longest = max(self.n_longest, len(line.shown))

    def beside(self) -> dict[int, str]:
        """Return the text next to each program line that has printed: its last output line, and their number."""
        notes = {}
        for line, index in self._last.items():
            text, count = self.lines[index].shown, self._counts[line]
            notes[line] = text if count == 1 else f"{text}  ({count:,} lines)"
        return notes
