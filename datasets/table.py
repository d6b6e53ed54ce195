"""A table of texts, looked at column by column and turned into a dataset.

Two steps, so that a person can choose in between: `read_table` (text_file.py) finds delimiter, header and kinds of
columns; `Table.dataset` takes one column as the target. Python's `float` is not asked what a number is (it takes
`1_0`, `nan` and the digits of every script): NUMBERS says it; a cell that is not one is named by row and column.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets.dataset import Category, Dataset, Floats, Task, at_least_two, class_labels, label_notes, numbered_labels
from datasets.limits import LONGEST_NAME, MAX_CATEGORIES, MAX_CLASSES, DatasetError, unknown_name
from engine.messages import quoted, visible

DECIMAL_MARKS = (".", ",")
NUMBERS = {
    mark: re.compile(rf"[+−-]?(\d+({re.escape(mark)}\d*)?|{re.escape(mark)}\d+)([eE][+−-]?\d+)?", re.ASCII)
    for mark in DECIMAL_MARKS
}
"""Pattern of a number, by the file's decimal mark; unambiguous, so matching is linear in the cell's length."""
THOUSANDS = re.compile(r"[+−-]?\d{1,3}(?:([.,' \u00a0\u202f’])\d{3})(?:\1\d{3})*(?:[.,]\d+)?", re.ASCII)
GROUPED = re.compile(r"[+−-]?[1-9]\d{0,2}[.,]\d{3}", re.ASCII)
"""A number such as 1,234, whose mark may be decimal or separate thousands."""
MISSING = frozenset({"", "-", "?", "na", "n/a", "nan", "null", "none"})
"""Contents of a cell without a number, in lower case."""
TARGET_NAMES = {"label", "labels", "class", "target"}
MOST_LISTED = 5
FAR_AWAY = 3.0  # standard deviations
LARGE, SMALL = 1e4, 1e-4  # beyond these sizes inputs train badly unless they are standardised


@dataclass(frozen=True, eq=False)
class Column:
    """One column of a table.

    Attributes:
        name: plain text of one line, about 40 characters at most, unique in the table.
        cells: the text of each row, without blanks around it.
        numbers: (n_rows,), nan where the cell is not a number.
        rows: the row of the file each cell stands in, from 1.
        decimal: the decimal mark of its numbers.

    A column whose numbers are all known to be finite needs neither cells nor rows, see `of_numbers`.
    """

    name: str
    cells: tuple[str, ...]
    numbers: Floats
    rows: tuple[int, ...]
    decimal: str = "."

    @classmethod
    def of_numbers(cls, name: str, numbers: Floats) -> "Column":
        """Return a column of finite numbers (n_rows,)."""
        return cls(name, (), numbers, ())

    @classmethod
    def of_texts(cls, name: str, texts: Sequence[str]) -> "Column":
        """Return a column of labels, none of them empty."""
        return cls(name, tuple(texts), np.full(len(texts), np.nan), tuple(range(1, len(texts) + 1)))

    @cached_property
    def n_missing(self) -> int:
        """Number of cells that are empty or mark a missing number."""
        return sum(count for cell, count in Counter(self.cells).items() if is_missing(cell))

    @property
    def has_values(self) -> bool:
        """True when not every cell says that there is no value."""
        return not self.cells or self.n_missing < len(self.cells)

    @property
    def n_texts(self) -> int:
        """Number of different cells that have a value."""
        return sum(not is_missing(cell) for cell in set(self.cells))

    @cached_property
    def is_text(self) -> bool:
        """True when most cells are not numbers, so that the column can only be a label."""
        if not self.cells:
            return False
        filled = len(self.cells) - self.n_missing
        return bool(2 * np.isfinite(self.numbers).sum() < filled) or filled == 0

    def problem(self, index: int) -> str:
        """Return the reason for which cell `index` is not a number, with its place."""
        return f"row {self.rows[index]}, column {self.name!r}: {self._reason(self.cells[index])}"

    def first_problem(self) -> str:
        """Return the problem of its first cell that is not a number; the column has one."""
        return self.problem(int(np.argmin(np.isfinite(self.numbers))))

    def _reason(self, cell: str) -> str:
        if not cell:
            return "the cell is empty"
        if is_missing(cell):
            return f"{quoted(cell)} says that there is no value"
        if NUMBERS[self.decimal].fullmatch(cell):
            shown = visible(cell, LONGEST_NAME)
            is_too_large = math.isinf(float(cell.replace(self.decimal, ".").replace("−", "-")))
            return f"{shown} is too large" if is_too_large else f"{shown} has an apostrophe before it: that is a label"
        other = "," if self.decimal == "." else "."
        if THOUSANDS.fullmatch(cell) and (cell.count(other) != 1 or self.decimal in cell):
            return f"{quoted(cell, LONGEST_NAME)} has separators of thousands: write the digits without them"
        if NUMBERS[other].fullmatch(cell):
            mark = "comma" if other == "," else "point"
            if GROUPED.fullmatch(cell):
                both = cell.replace(other, ""), cell.replace(other, self.decimal)
                return f"{quoted(cell, LONGEST_NAME)} has a {mark}: write {both[0]}, or {both[1]}"
            return f"decimal {mark}: write {visible(cell.replace(other, self.decimal), LONGEST_NAME)}"
        only = ", the column can only be a label" if self.is_text else ""
        return f"{quoted(cell, LONGEST_NAME)} is not a number{only}"

    def suggested_task(self) -> Task:
        """Task of predicting this column: classification for texts and for at most 10 different whole numbers."""
        found = np.unique(self.numbers[np.isfinite(self.numbers)])
        whole = len(found) <= MAX_CLASSES and np.array_equal(found, np.round(found))
        return "classification" if self.is_text or whole else "regression"

    @cached_property
    def is_categories(self) -> bool:
        """True when it holds no numbers but a few texts, each in more than one row on average."""
        texts = set(self.cells) - {""}
        is_few = 0 < len(texts) <= min(MAX_CATEGORIES, len(self.cells) // 2)
        return is_few and not np.isfinite(self.numbers).any()

    def categories(self, rows: NDArray[np.int64]) -> tuple[tuple[str, ...], Floats]:
        """Return the distinct texts of these rows, ascending, and an indicator matrix (len(rows), n_texts).

        Raises:
            DatasetError: for more than 20 of them.
        """
        cells = [self.cells[row] for row in rows]
        texts = sorted(set(cells))
        if len(texts) > MAX_CATEGORIES:
            raise DatasetError(
                f"column {self.name!r} has {len(texts):,} different texts; as an input it may have {MAX_CATEGORIES}"
            )
        index = {text: number for number, text in enumerate(texts)}
        return tuple(short_names(texts)), np.eye(len(texts))[[index[cell] for cell in cells]]

    def labels(self, rows: NDArray[np.int64]) -> tuple[NDArray[Any], tuple[str, ...]]:
        """Return labels of these rows (len(rows),), and the classes' names in ascending order; at most 10."""
        if not self.is_text:
            return numbered_labels(self.numbers[rows])
        cells = [self.cells[row] for row in rows]
        names = sorted(set(cells))
        if len(names) > MAX_CLASSES:
            raise DatasetError(f"column {self.name!r} has {len(names)} different labels; {MAX_CLASSES} are allowed")
        index = {name: number for number, name in enumerate(names)}
        return np.array([index[cell] for cell in cells]), at_least_two(tuple(short_names(names)))


@dataclass(frozen=True, eq=False)
class Table:
    """Contents of a file, before inputs and target are chosen.

    Attributes:
        name: the file's name.
        columns: at least one, all of one length.
        delimiter: ",", ";" or a tab.
        has_header: the first row has the names.
        decimal: "." or ",".
        notes: sentences on corrections made while reading.
    """

    name: str
    columns: tuple[Column, ...]
    delimiter: str
    has_header: bool
    decimal: str = "."
    notes: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Number of rows of data, 1 or more."""
        return len(self.columns[0].numbers)

    def column(self, name: str) -> Column:
        """Return the column of that name; DatasetError when there is none."""
        found = [column for column in self.columns if column.name == name]
        if not found:
            raise unknown_name("column", name, [column.name for column in self.columns])
        return found[0]

    def suggested_target(self) -> str:
        """Return the column named like a label, else the only one whose texts can be labels, else the last.

        After a column x, and with others, y is no label but a coordinate. Columns without any value do not count.
        """
        columns = [column for column in self.columns if column.has_values] or [*self.columns]
        lower = [column.name.lower() for column in columns]
        is_place = len(columns) > 2 and ("x", "y") in pairwise(lower)
        names = TARGET_NAMES if is_place else TARGET_NAMES | {"y"}
        named = [column.name for column in columns if column.name.lower() in names]
        texts = [column.name for column in columns if column.is_text and column.n_texts <= MAX_CLASSES]
        return (named or (texts if len(texts) == 1 else []) or [columns[-1].name])[0]

    def dataset(
        self,
        target: str | None = None,
        inputs: Sequence[str] | None = None,
        task: Task | None = None,
        skip_bad_rows: bool = False,
    ) -> Dataset:
        """Return the dataset that predicts one column from others.

        Args:
            target: name of the column to predict; None for the suggested one.
            inputs: names of the columns to predict from; None for `suggested_inputs`. A column of text becomes an input
                for each of its different texts, 20 at most.
            task: None for a classification of texts and of at most 10 different whole numbers, else a regression.
            skip_bad_rows: leave out rows in which a cell is missing or not a number, with a note, instead of refusing.

        Raises:
            DatasetError: the first cell that cannot be used, too many classes, or nothing left to predict from.
        """
        goal = self.column(target or self.suggested_target())
        others = self._inputs(goal, inputs)
        task = task or goal.suggested_task()
        kept = self._usable_rows(goal, others, task, skip_bad_rows)
        names, X, categories = _input_columns(others, kept)
        y, class_names = goal.labels(kept) if task == "classification" else (goal.numbers[kept], ())
        notes = [*self.notes, *_category_notes(categories), *self._left_out(goal, others, len(kept))]
        if task == "regression" and np.abs(y).max() > LARGE:
            notes.append(
                f"Large numbers to predict in {goal.name!r}: larger units, such as thousands, are learnt sooner."
            )
        if task == "classification":
            notes += [mapping_note(class_names), *label_notes(X, y)]
            notes += [f"{quoted(name)} is a class of its own." for name in class_names if is_missing(name)]
        notes[len(self.notes) : len(self.notes)] = _few_rows_notes(y, class_names)
        about = f"{len(kept)} row{'s' if len(kept) > 1 else ''} of {self.name}."
        return Dataset(self.name, X, y, task, about, class_names, names, goal.name, tuple(notes), categories)

    def suggested_inputs(self, target: str) -> tuple[str, ...]:
        """Return the names of all other columns of numbers; without any, of the columns with few distinct texts."""
        others = [column for column in self.columns if column.name != target]
        numeric = tuple(column.name for column in others if not column.is_text)
        return numeric or tuple(column.name for column in others if column.is_categories)

    def bad_rows(self, target: str, inputs: Sequence[str], task: Task) -> tuple[int, tuple[int, int] | None]:
        """Return the number of rows `dataset` would leave out: a cell in these columns is missing or no number.

        Returns:
            Their number, and row and column of the first such cell, from 0; None where there is none.
        """
        goal = self.column(target)
        chosen = [*(self.column(name) for name in inputs if name != target), goal]
        good = _is_usable(goal, chosen[:-1], task)
        bad = np.flatnonzero(~good.all(axis=0))
        if not bad.size:
            return 0, None
        return int(bad.size), (int(bad[0]), self.columns.index(chosen[int(np.argmin(good[:, bad[0]]))]))

    def _inputs(self, goal: Column, names: Sequence[str] | None) -> list[Column]:
        if names is None:
            names = self.suggested_inputs(goal.name)
        others = [self.column(name) for name in names]
        if goal in others:
            raise DatasetError(f"column {goal.name!r} cannot be input and target at once")
        if not others and self.suggested_inputs(goal.name):
            raise DatasetError(f"choose one column or more to predict {goal.name!r} from")
        if not others:
            texts = [column for column in self.columns if column is not goal]
            reason = f": {texts[0].first_problem()}" if texts else ""
            raise DatasetError(f"there is no column of numbers to predict {goal.name!r} from{reason}")
        return others

    def _left_out(self, goal: Column, others: list[Column], n_kept: int) -> list[str]:
        """Return notes on the rows and the columns of text that are left out."""
        unused = [column for column in self.columns if column.is_text and column is not goal and column not in others]
        notes = [f"Not numbers, left out: column {_listed(unused)}."] if unused else []
        if usable := [column for column in unused if column.is_categories]:
            notes.append(f"With few different texts, usable as categories: column {_listed(usable)}.")
        if n_kept < self.n_rows:
            notes.append(f"{self.n_rows - n_kept} of {self.n_rows} rows left out: a cell is missing or not a number.")
        return notes

    def _usable_rows(self, goal: Column, others: list[Column], task: Task, skip: bool) -> NDArray[np.int64]:
        """Return the indices of usable rows; without `skip`, the first unusable row is an error."""
        good = _is_usable(goal, others, task)
        usable = good.all(axis=0)
        if not skip and not usable.all():
            row = int(np.argmin(usable))
            raise DatasetError([*others, goal][int(np.argmin(good[:, row]))].problem(row))
        if not usable.any():
            raise DatasetError("no row has something usable in every chosen column")
        return np.flatnonzero(usable)


def _is_usable(goal: Column, others: list[Column], task: Task) -> NDArray[np.bool_]:
    """Return a mask of usable cells, (n_columns, n_rows): inputs first, then the target, numbers or labels."""
    text_labels = task == "classification" and goal.is_text
    return np.array([*(_is_filled(column, column.is_text) for column in others), _is_filled(goal, text_labels)])


def _is_filled(column: Column, as_text: bool) -> NDArray[np.bool_]:
    """Return a mask (n_rows,) of the cells that hold something: a text, or a number."""
    return np.array([cell != "" for cell in column.cells]) if as_text else np.isfinite(column.numbers)


def _input_columns(
    columns: Sequence[Column], rows: NDArray[np.int64]
) -> tuple[tuple[str, ...], Floats, tuple[Category, ...]]:
    """Return the names and numbers (len(rows), n_inputs) of the inputs, and the categories among them."""
    names: list[str] = []
    parts: list[Floats] = []
    categories: list[Category] = []
    for column in columns:
        if column.is_text:
            texts, numbers = column.categories(rows)
            categories.append(Category(column.name, texts, len(names)))
            names += [f"{column.name}={text}" for text in texts]
            parts.append(numbers)
        else:
            names.append(column.name)
            parts.append(column.numbers[rows, None])
    return tuple(names), np.hstack(parts), tuple(categories)


def _category_notes(categories: Sequence[Category]) -> list[str]:
    """Return notes on the columns of text that became inputs."""
    notes = []
    for name, texts, _first in categories:
        inputs = ", ".join(f"{name}={text}" for text in texts[:MOST_LISTED]) + (
            " …" if len(texts) > MOST_LISTED else ""
        )
        notes.append(f"Column {name!r} is text: {len(texts)} inputs of 0 or 1 (one-hot): {inputs}.")
    return notes


def _few_rows_notes(y: NDArray[Any], class_names: tuple[str, ...]) -> list[str]:
    """Return a note on a single row, or on classes with a single row: they cannot both train and test."""
    if len(y) == 1:
        return ["Only one row: the network can learn this one answer by heart, and no row is left to test it."]
    labels = class_labels(class_names)
    lonely = [name for name, label in zip(class_names, labels, strict=True) if np.count_nonzero(y == label) == 1]
    if not lonely:
        return []
    names = ", ".join(map(repr, lonely))
    if len(lonely) == 1:
        return [f"Class {names} has a single row: it can train or test, not both."]
    return [f"Classes {names} have a single row each, which can train or test, not both."]


def is_missing(cell: str) -> bool:
    """Return True when a cell marks a missing number: it is empty, or holds `NA`, `NaN`, `null`, `?`."""
    return len(cell) < 5 and cell.lower() in MISSING


def short_names(texts: Sequence[str]) -> list[str]:
    """Return names for display, cut at 40 characters, no two the same: the second `x` becomes `x (2)`."""
    names: dict[str, None] = {}
    copies: Counter[str] = Counter()
    for text in texts:
        name = first = visible(text, LONGEST_NAME)
        while name in names:
            copies[first] += 1
            name = f"{first} ({copies[first] + 1})"
        names[name] = None
    return list(names)


def scaling_advice(data: Dataset) -> str:
    """Name the inputs so large, so small or so far from 0 that they should be standardised; "" for none."""
    X, names = data.X, data.feature_names
    sizes = np.abs(X).max(axis=0)
    odd = [name for name, size in zip(names, sizes, strict=True) if size > LARGE or 0 < size < SMALL]
    if odd:
        return f"Very large or very small numbers in {_names(odd)}: standardise the inputs."
    with np.errstate(over="ignore", invalid="ignore"):
        away = np.abs(X.mean(axis=0)) > FAR_AWAY * X.std(axis=0)
    far = [name for name, is_far in zip(names, away & (sizes > 1.0), strict=True) if is_far]
    return f"Numbers far from 0 for how little they differ in {_names(far)}: standardise the inputs." if far else ""


def _listed(columns: Sequence[Column]) -> str:
    return _names([column.name for column in columns])


def _names(names: Sequence[str]) -> str:
    """Join names in a sentence; of many, the first."""
    shown = ", ".join(map(repr, names[:MOST_LISTED]))
    return shown + (f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else "")


def mapping_note(class_names: tuple[str, ...]) -> str:
    """Return a sentence on the number of each label."""
    pairs = (f"{name!r} is class {label}" for name, label in zip(class_names, class_labels(class_names), strict=True))
    return f"Labels: {', '.join(pairs)}."
