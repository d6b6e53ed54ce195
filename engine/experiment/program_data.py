"""Training data of a program: points and targets among its variables, as fields of a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets import DATASETS, MAX_CLASSES, make_dataset
from engine.document.data_section import MOST_TABLE_CELLS
from engine.document.frozen_floats import FrozenFloats

Fields = Mapping[str, Any]
MOST_PAIRS = 6
"""Limit of candidate points with targets; a program with more has other things in its lists."""
TARGET, NAME = "y", "program"
PLAIN: Fields = {"noise": 0.0, "features": (), "scaling": False, "test_share": 0.0}
"""Fields for unprocessed data, as a program uses them."""


def data_of_program(n_inputs: int, variables: Mapping[str, object]) -> Iterator[Fields]:
    """Yield fields of data sections that may be the program's data, the likeliest first.

    A data set of fixed points is recognised by its points; any other points become a table.

    Args:
        n_inputs: of the program's network.
        variables: of the program, after its run.
    """
    tables = _distinct(table for value in variables.values() if (table := _table(value, n_inputs)) is not None)
    known = []
    for name in (name for name, entry in DATASETS.items() if entry.fixed):
        X = make_dataset(name, noise=0.0).X
        if any(np.array_equal(table, X) for table in tables):
            known.append({**PLAIN, "source": "generator", "name": name})
    yield from known
    yield from islice(_own(tables, variables), MOST_PAIRS)


def _own(tables: list[NDArray[Any]], variables: Mapping[str, object]) -> Iterator[Fields]:
    for table in tables:
        if table.size + len(table) > MOST_TABLE_CELLS:
            continue
        rows = (_targets(value, len(table)) for value in variables.values())
        for y in _distinct(row for row in rows if row is not None):
            for task in _tasks(y):
                columns = {f"x{i}": FrozenFloats(column) for i, column in enumerate(table.T, start=1)}
                columns[TARGET] = FrozenFloats(y)
                names = tuple(name for name in columns if name != TARGET)
                yield {
                    **PLAIN,
                    "source": "table",
                    "table": tuple(columns.items()),
                    "table_name": NAME,
                    "table_inputs": names,
                    "table_target": TARGET,
                    "table_task": task,
                }


def _tasks(y: NDArray[Any]) -> Iterator[str]:
    """Yield possible tasks for these targets: classes keep numbers only when these are -1 and 1, or 0, 1, 2, ..."""
    found = set(y.tolist())
    if len(found) <= MAX_CLASSES and (found <= {-1.0, 1.0} or found == set(range(len(found)))):
        yield "classification"
    if not found <= {0.0, 1.0} and not found <= {-1.0, 1.0}:
        yield "regression"


def _distinct(arrays: Iterator[NDArray[Any]]) -> list[NDArray[Any]]:
    kept: list[NDArray[Any]] = []
    for array in arrays:
        if not any(np.array_equal(array, other) for other in kept):
            kept.append(array)
    return kept


def _table(value: object, n_columns: int) -> NDArray[Any] | None:
    rows = value if isinstance(value, list | tuple | np.ndarray) else ()
    if not len(rows) or not all(isinstance(row, list | tuple | np.ndarray) and len(row) == n_columns for row in rows):
        return None
    return _finite([list(row) for row in rows])


def _targets(value: object, n_rows: int) -> NDArray[Any] | None:
    """Return a number for each row, also where each is in a list of its own; None for other objects."""
    rows = value if isinstance(value, list | tuple | np.ndarray) else ()
    if len(rows) != n_rows:
        return None
    lists = [list(row) if isinstance(row, list | tuple | np.ndarray) else [row] for row in rows]
    if any(len(row) != 1 for row in lists):
        return None
    found = _finite(lists)
    return None if found is None else found[:, 0]


def _finite(rows: list[list[Any]]) -> NDArray[Any] | None:
    """Return numbers, or values' data, as an array (n_rows, n_columns); None for anything else."""
    try:
        array = np.array([[float(getattr(entry, "data", entry)) for entry in row] for row in rows])
    except (TypeError, ValueError, OverflowError):
        return None
    return array if array.size and np.isfinite(array).all() else None
