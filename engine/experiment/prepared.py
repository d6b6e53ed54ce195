"""Data of a document as the network's inputs, the map from a point to those inputs, and imported tables as its data.

Points come from a generator, a formula, a table or by hand. Every input is a column of theirs, or made of columns
(x1²), and may be scaled; some points only test. Every use of the network (a point, a sample, a grid, a click)
goes through `PreparedData.inputs`, so that all of them agree.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets import (
    DATASETS,
    TABLE_SUFFIXES,
    Column,
    Dataset,
    DatasetError,
    Scaling,
    Table,
    available_features,
    derive_features,
    feature_title,
    from_function,
    from_points,
    make_dataset,
    scaling_advice,
    split_rows,
)
from datasets.dataset import Task
from datasets.table import NUMBERS
from datasets.text_file import file_content
from engine.document.data_section import MOST_TABLE_CELLS, Data
from engine.document.document import LARGEST_LAYER, Document, replace_section
from engine.document.errors import LONGEST_PATH, DocumentError
from engine.document.frozen_floats import FrozenFloats
from engine.language.formula import read_formula
from engine.network.data import InputMap

Floats = NDArray[np.float64]
STANDARDISED = ", standardised"
KEPT = 4
"""Cached data sections: the present one and those that undo is likely to restore."""


@dataclass(frozen=True, eq=False)
class PreparedData:
    """Immutable data that fit together.

    Attributes:
        raw: every point as it was drawn, read or made, (n_samples, n_columns).
        train_rows: training rows of `raw`, ascending.
        test_rows: test rows, ascending; none without test data.
        train: inputs of the network, after features and scaling, for the training rows.
        test: the same for the test rows; None without test data.
        features: names of the inputs in `available_features`.
        scaling: of the inputs, fitted to the training rows; None where they are not scaled.
    """

    raw: Dataset
    train_rows: NDArray[np.int64]
    test_rows: NDArray[np.int64]
    train: Dataset
    test: Dataset | None
    features: tuple[str, ...]
    scaling: Scaling | None

    @property
    def raw_train(self) -> Dataset:
        """The training points, in the order of `train`."""
        return self.raw.take(self.train_rows) if len(self.test_rows) else self.raw

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on questionable data."""
        notes = list(self.raw.notes)
        if self.scaling is None and (advice := scaling_advice(self.raw)):
            notes.append(advice)
        if self.test is not None and self.raw.n_classes:
            trained = np.bincount(self.train.classes, minlength=self.raw.n_classes)
            tested = np.bincount(self.test.classes, minlength=self.raw.n_classes)
            unseen = [name for name, n, m in zip(self.raw.class_names, trained, tested, strict=True) if m and not n]
            notes += [f"Class {name!r} only tests: none of its points trains. Choose another split." for name in unseen]
        return tuple(notes)

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of the inputs, with a mark when they are standardised."""
        return _fed_names(self.raw, self.features, False)

    @property
    def is_plain(self) -> bool:
        """True when the network's inputs are the unchanged columns."""
        return self.scaling is None and self.features == raw_features(self.raw.n_features)

    def to_inputs(self, points: Floats) -> Floats:
        """Return the network's inputs (n, n_inputs) for raw points (n, n_columns)."""
        if self.is_plain:
            return points
        inputs = derive_features(points, self.features)
        return inputs if self.scaling is None else self.scaling.apply(inputs)

    @property
    def inputs(self) -> InputMap:
        """The map to inputs as `engine.network` takes it."""
        return InputMap(self.raw.n_features, self.to_inputs)


def raw_features(n_columns: int) -> tuple[str, ...]:
    """Return the features that are the columns themselves."""
    return tuple(f"x{column}" for column in range(1, n_columns + 1))


@lru_cache(KEPT)
def prepare(data: Data) -> PreparedData:
    """Return the data of a document.

    Raises:
        DocumentError: with the invalid field, and the valid choices.
    """
    raw = _raw(data)
    train_rows, test_rows = _rows(data, raw.n_samples)
    features = data.features or raw_features(raw.n_features)
    try:
        columns = derive_features(raw.X, features)
    except DatasetError as error:
        raise DocumentError("data.features", str(error)) from None
    bad = ~np.isfinite(columns).all(axis=0)
    if bad.any():
        name = features[int(np.argmax(bad))]
        raise DocumentError("data.features", f"cannot have {name}: it is too large a number at some of the points")
    scaling = Scaling.of(columns[train_rows]) if data.scaling else None
    fed = replace(
        raw,
        X=columns if scaling is None else scaling.apply(columns),
        feature_names=_fed_names(raw, features, data.scaling),
    )
    is_split = len(test_rows) > 0
    train, test = (fed.take(train_rows), fed.take(test_rows)) if is_split else (fed, None)
    return PreparedData(raw, train_rows, test_rows, train, test, features, scaling)


def fitted_features(document: Document) -> Document:
    """Return the document without features that its data lack; without any left, the columns as they are.

    Dropped features are remembered: they are chosen again with data that have them.
    """
    data, known = document.data, available_features(_raw(document.data).n_features)
    chosen = (*data.features, *data.left_out)
    if set(data.features) <= set(known) and not set(data.left_out) & set(known):
        return document
    kept = tuple(name for name in known if name in chosen)
    gone = tuple(name for name in chosen if name not in known)
    return replace_section(document, "data", features=_field_of(kept, known, gone), left_out=gone)


def with_feature(data: Data, name: str, used: bool) -> tuple[str, ...] | None:
    """Return the features after adding or removing one; None when none would be left."""
    prepared = prepare(data)
    known = available_features(prepared.raw.n_features)
    wanted = tuple(each for each in known if (used if each == name else each in prepared.features))
    return _field_of(wanted, known, data.left_out) if wanted else None


def _field_of(wanted: tuple[str, ...], known: tuple[str, ...], left_out: tuple[str, ...]) -> tuple[str, ...]:
    """Return the value of the field `features`: empty for the plain columns when no dropped features are remembered."""
    columns = tuple(name for name in known if name.removeprefix("x").isdigit())
    return () if wanted == columns and not left_out else wanted


def _fed_names(raw: Dataset, features: tuple[str, ...], standardised: bool) -> tuple[str, ...]:
    """Return the names of the network's inputs; a standardised input has a name that says so."""
    own = dict(zip(raw_features(raw.n_features), raw.feature_names, strict=True))
    names = (own.get(name, feature_title(name)) for name in features)
    return tuple(f"{name}{STANDARDISED if standardised else ''}" for name in names)


def _rows(data: Data, n_samples: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    everything = np.arange(n_samples)
    if not data.test_share or not is_split(data) or n_samples < 2:  # training needs at least one point
        return everything, everything[:0]
    return split_rows(n_samples, data.test_share, data.split_seed)


def is_split(data: Data) -> bool:
    """Return True when `test_share` has an effect: not for fixed points, all of which are needed."""
    entry = DATASETS.get(data.name)
    return data.source != "generator" or entry is None or not entry.fixed


# Sources of the points


def _raw(data: Data) -> Dataset:
    """Return the points before features and split."""
    return _made(replace(data, features=(), scaling=False, test_share=0.0, split_seed=0))


@lru_cache(KEPT)
def _made(data: Data) -> Dataset:
    try:
        return _SOURCES[data.source](data)
    except DatasetError as error:
        field = {"points": "data.points", "formula": "data.formula", "table": "data.table"}.get(data.source, "data")
        raise DocumentError(field, f"cannot be made: {error}") from None


def _generated(data: Data) -> Dataset:
    return make_dataset(data.name, data.n_samples, data.noise, data.seed)


def _from_formula(data: Data) -> Dataset:
    formula = read_formula(data.formula)
    task: Task = "classification" if formula.parts_classes else "regression"
    size, text = (formula.n_inputs, data.n_samples, data.noise, data.seed), data.formula
    return from_function(formula, *size, task=task, description=text)


def _from_table(data: Data) -> Dataset:
    if not data.table:
        raise DatasetError("there is no table yet: import one first")
    columns = tuple(
        Column.of_numbers(name, column.array) if isinstance(column, FrozenFloats) else Column.of_texts(name, column)
        for name, column in data.table
    )
    table = Table(data.table_name or "table", columns, "", has_header=True)
    tasks: dict[str, Task] = {"classification": "classification", "regression": "regression"}
    return table.dataset(data.table_target or None, data.table_inputs or None, tasks.get(data.table_task))


def _from_points(data: Data) -> Dataset:
    x1, x2, classes = zip(*data.points, strict=True) if data.points else ((), (), ())
    return from_points(x1, x2, classes, data.signed_points)


_SOURCES = {"generator": _generated, "formula": _from_formula, "table": _from_table, "points": _from_points}


# Table files


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
        DatasetError: for more inputs than a network may have, or more numbers than fit into a session.
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
    target: FrozenFloats | tuple[str, ...] = FrozenFloats(dataset.y)
    if dataset.n_classes:
        names = [dataset.class_names[index] for index in dataset.classes]
        numeric = all(NUMBERS["."].fullmatch(name) for name in set(names))
        target = FrozenFloats(float(name) for name in names) if numeric else tuple(names)
    columns[dataset.target_name] = target
    return {
        "source": "table",
        "table": tuple(columns.items()),
        "table_name": dataset.name[:LONGEST_PATH],
        "table_inputs": tuple(name for name, _column in inputs),
        "table_target": dataset.target_name,
        "table_task": dataset.task,
        "features": (),
    }
