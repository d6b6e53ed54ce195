"""Tables as CSV: the export of figures and sweeps.

Numbers have all their digits and a decimal point. A text that a spreadsheet would read as a formula is prefixed with
an apostrophe, so that class names from somebody else's file cannot run anything.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any

from numpy.typing import NDArray

Column = tuple[str, Sequence[Any] | NDArray[Any]]
"""Name of a column, with its unit if any, and its cells: numbers, texts, None for an empty cell."""
FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r")


def csv_text(columns: Sequence[Column]) -> str:
    """Return a line of names, then one for each entry of the longest column; shorter columns end in empty cells."""
    names = [name for name, _ in columns]
    return rows_text(names, zip_longest(*(entries for _, entries in columns)))


def rows_text(names: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    """Return CSV of rows, each as long as `names`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_cell(name) for name in names])
    writer.writerows([_cell(entry) for entry in row] for row in rows)
    return out.getvalue()


def _cell(entry: Any) -> str:
    if entry is None:
        return ""
    entry = entry.item() if hasattr(entry, "item") else entry  # NumPy would write np.float64(0.1)
    if not isinstance(entry, str):
        return repr(entry) if isinstance(entry, float) else str(entry)
    risky = entry.startswith(FORMULA_BEGINS) and not is_number(entry)
    return ("'" if risky else "") + entry.replace("\r\n", "\n").replace("\r", "\n")


def is_number(text: str) -> bool:
    """Return True for a text that `float` accepts."""
    try:
        float(text)
    except ValueError:
        return False
    return True
