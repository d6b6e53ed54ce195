"""What the grammar makes of what it reads: here nothing, it only knows which names have a value.

`parser.py` tells it about numbers, operations and names, and never looks at what it gives back. That is enough to say
what is wrong with a line; `../formula.py` has a builder that makes values.
"""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any

from engine.autograd.ops import Op

Made = Any
"""What stands for an expression that was read."""


class Builder:
    """The names that have a value so far.

    Attributes:
        names: what each of them stands for.
        bound_at: offset of the statement that gave each name its present value.
    """

    def __init__(self) -> None:
        self.names: MutableMapping[str, Made] = {}
        self.bound_at: MutableMapping[str, int] = {}

    def number(self, data: float) -> Made:
        """A number written in the text."""

    def infix(self, symbol: str, left: Made, right: Made) -> Made:
        """`left symbol right`."""

    def negative(self, x: Made) -> Made:
        """`-x`."""

    def call(self, op: Op, arguments: Sequence[Made]) -> Made:
        """`op(arguments)`."""

    def bind(self, name: str, made: Made, start: int) -> None:
        """Gives a name a value, in the statement that begins at an offset."""
        self.names[name], self.bound_at[name] = made, start
