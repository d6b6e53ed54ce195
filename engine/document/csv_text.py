"""Tables of numbers as CSV: what every figure and every sweep hands out beside its picture.

Numbers stand with all their digits, real numbers with a point. A text that a spreadsheet would take for a formula gets
an apostrophe in front, so that opening a file that somebody else has named the classes of runs nothing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

from numpy.typing import NDArray

Column = tuple[str, Sequence[Any] | NDArray[Any]]
"""The name of a column, with its unit where it has one, and what stands below it: numbers, texts, None for nothing."""
FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")


def csv_text(columns: Sequence[Column]) -> str:
    """A line of names, then one for each entry of the longest column; shorter columns end in empty cells."""
    names = [name for name, _ in columns]
    return rows_text(names, zip_longest(*(entries for _, entries in columns)))


def rows_text(names: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """The same of rows, each as long as there are names."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_cell(name) for name in names])
    writer.writerows([_cell(entry) for entry in row] for row in rows)
    return out.getvalue()


def _cell(entry: Any) -> str:
    if entry is None:
        return ""
    entry = entry.item() if hasattr(entry, "item") else entry  # numpy writes np.float64(0.1)
    if not isinstance(entry, str):
        return repr(entry) if isinstance(entry, float) else str(entry)
    risky = entry.startswith(FORMULA_BEGINS) and not is_number(entry)
    return ("'" if risky else "") + entry.replace("\r\n", "\n").replace("\r", "\n")


def is_number(text: str) -> bool:
    """Whether `float` takes a text."""
    try:
        float(text)
    except ValueError:
        return False
    return True
