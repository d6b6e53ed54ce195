"""Table files, and imported datasets as the document's data section holds them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from datasets import TABLE_SUFFIXES, Dataset, DatasetError
from datasets.table import NUMBERS
from datasets.text_file import file_content
from engine.document.data_section import MOST_TABLE_CELLS
from engine.document.document import LARGEST_LAYER
from engine.document.errors import LONGEST_PATH
from engine.document.frozen_floats import FrozenFloats


def is_table_file(path: Path) -> bool:
    """Return True for a file name with a table's suffix."""
    return path.suffix.lower() in TABLE_SUFFIXES


def check_table_file(path: Path) -> None:
    """Raise DatasetError for a file that is too large, not a regular one, or unreadable."""
    file_content(path)


def table_fields(dataset: Dataset) -> dict[str, Any]:
    """Return the fields of the data section for this dataset, for `replace_section`.

    Inputs are the columns as they are, categories as text, whatever features the data before had. Labels are
    written by name, except numbers that stand for themselves.

    Raises:
        DatasetError: for more inputs than a network may have, or more numbers than a session holds.
    """
    if dataset.n_features > LARGEST_LAYER:
        raise DatasetError(
            f"a network takes at most {LARGEST_LAYER} inputs, not {dataset.n_features}: choose fewer columns"
        )
    inputs = dataset.source_columns
    cells = dataset.n_samples * (len(inputs) + 1)
    if cells > MOST_TABLE_CELLS:
        raise DatasetError(
            f"a session holds at most {MOST_TABLE_CELLS:,} cells, not {cells:,}: choose fewer columns, or fewer rows"
        )
    columns: dict[str, Any] = {
        name: column if isinstance(column, tuple) else FrozenFloats(column) for name, column in inputs
    }
    columns[dataset.target_name] = _target(dataset)
    return {
        "source": "table",
        "table": tuple(columns.items()),
        "table_name": dataset.name[:LONGEST_PATH],
        "table_inputs": tuple(name for name, _column in inputs),
        "table_target": dataset.target_name,
        "table_task": dataset.task,
        "features": (),
    }


def _target(dataset: Dataset) -> FrozenFloats | tuple[str, ...]:
    if not dataset.n_classes:
        return FrozenFloats(dataset.y)
    names = [dataset.class_names[index] for index in dataset.classes]
    numeric = all(NUMBERS["."].fullmatch(name) for name in set(names))
    return FrozenFloats(float(name) for name in names) if numeric else tuple(names)
