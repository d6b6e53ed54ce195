"""Limits of a program: time, memory, values, output, nested calls."""

from __future__ import annotations

from dataclasses import dataclass

DEEPEST = 50_000
"""Calls inside each other that no limit goes beyond: more than a program has memory for."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one run of a program.

    Attributes:
        seconds: time, graph and variables fetched included; > 0.
        memory_bytes: of everything the program holds at once, in two shares.
        values: that the shown graph has at most.
        output_bytes: of printed text, UTF-8.
        recursion: calls inside each other, as in `sys.setrecursionlimit`.
    """

    seconds: float = 20.0
    memory_bytes: int = 200_000_000
    values: int = 200_000
    output_bytes: int = 1_000_000
    recursion: int = 1_000

    @property
    def array_bytes(self) -> int:
        """Share of the memory for NumPy's arrays, which lie outside the interpreter."""
        return self.memory_bytes * 2 // 5

    @property
    def object_bytes(self) -> int:
        """Share of the memory for everything else; the interpreter never gives back what it once took."""
        return self.memory_bytes - self.array_bytes

    def times(self, factor: int) -> Limits:
        """Return limits that are wider by a factor, for a program that is to run on."""
        return Limits(
            self.seconds * factor,
            self.memory_bytes * factor,
            self.values * factor,
            self.output_bytes * factor,
            min(self.recursion * factor, DEEPEST),
        )
