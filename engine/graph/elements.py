"""The elements of an array Value as a table of texts, however many axes and elements it has.

A scalar is one cell, a vector one row; of more than two axes the last one runs across and the others down, each row
named by its indices. Texts are made for the cells that are asked for, so a table of a million elements costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

MOST_IN_TEXT = 6
"""Rows and columns that are written into a text; of more the first and the last ones."""
DIGITS = 6


@dataclass(frozen=True)
class Elements:
    """A table of the elements of an array.

    Attributes:
        array: float64, of any shape.
    """

    array: np.ndarray

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return int(np.prod(self.array.shape[:-1], dtype=int)) if self.array.ndim else 1

    @property
    def n_columns(self) -> int:
        """Columns of the table."""
        return int(self.array.shape[-1]) if self.array.ndim else 1

    def row_name(self, row: int) -> str:
        """The indices of a row, from 0 as a program writes them; "" for a scalar or a vector."""
        if self.array.ndim < 2:
            return ""
        return ", ".join(map(str, np.unravel_index(row, self.array.shape[:-1])))

    def number(self, row: int, column: int) -> float:
        """The element in a cell."""
        return float(self.array.reshape(self.n_rows, self.n_columns)[row, column])

    def lines(self) -> list[str]:
        """Return the table as lines of texts of equal width, with dots for omitted parts."""
        rows, columns = (_shown(n) for n in (self.n_rows, self.n_columns))
        cells = [[self._text(row, column) for column in columns] for row in rows]
        width = max((len(cell) for line in cells for cell in line), default=0)
        return ["  ".join(cell.rjust(width) for cell in line) for line in cells]

    def _text(self, row: int | None, column: int | None) -> str:
        return "…" if row is None or column is None else f"{self.number(row, column):.{DIGITS}g}"


def _shown(count: int) -> list[int | None]:
    """The rows or columns that are written; None for omitted ones."""
    if count <= MOST_IN_TEXT:
        return list(range(count))
    half = MOST_IN_TEXT // 2
    return [*range(half), None, *range(count - half, count)]


def elements_of(number: Any) -> Elements | None:
    """Return the elements of an array; None for a float, and for a value that is not computed."""
    return Elements(number) if isinstance(number, np.ndarray) else None
