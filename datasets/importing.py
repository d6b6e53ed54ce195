"""Import of a file as a dataset: its format, its used columns, and the resulting data.

One frozen `ImportChoices` holds a person's choices; one frozen `ImportPreview` the result, including a problem in
words. The file is read once, and its table again only for another format. Both take up to a second: call them outside
the GUI's thread, one call at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from datasets.dataset import Dataset, Task
from datasets.limits import DatasetError
from datasets.table import Table, mapping_note, scaling_advice
from datasets.text_file import (
    AS_IT_SEEMS,
    EncodingError,
    TableFormat,
    decoded_text,
    file_content,
    file_name,
    parse_table,
)

TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".dat", ".data")
"""Suffixes of table files, in lower case."""


@dataclass(frozen=True)
class ImportChoices:
    """Choices of a person; None: the program's suggestion.

    Attributes:
        encoding: one of ENCODINGS.
        form: how the table is written.
        target: name of the column to predict.
        inputs: names of the columns to predict it from.
        task: "classification" or "regression".
        skip_bad_rows: leave out rows with a cell that is missing or not a number.
    """

    encoding: str = "utf-8"
    form: TableFormat = AS_IT_SEEMS
    target: str | None = None
    inputs: tuple[str, ...] | None = None
    task: Task | None = None
    skip_bad_rows: bool = False

    def with_form(self, form: TableFormat, encoding: str) -> ImportChoices:
        """Return the choices for another format of the file; its columns are detected again."""
        return replace(ImportChoices(encoding, form), skip_bad_rows=self.skip_bad_rows)

    def with_target(self, target: str) -> ImportChoices:
        """Return the choices with another column to predict; the inputs stay, without the target itself."""
        inputs = None if self.inputs is None else tuple(name for name in self.inputs if name != target)
        return replace(self, target=target, task=None, inputs=inputs)


@dataclass(frozen=True, eq=False)
class ImportPreview:
    """Result of the choices.

    Attributes:
        name: of the file.
        choices: with everything filled in that the table suggests.
        table: None where the file cannot be read as one.
        n_bad_rows: rows with a cell, in the chosen columns, that is missing or not a number.
        dataset: None where the chosen columns do not make one.
        problem: why there is no table or no dataset; "" where there is.
        try_latin_1: reading the file as Latin-1 may solve the problem.
        bad_cell: row and column of the table, from 0, of the first cell in the chosen columns that is missing or not a
            number.
    """

    name: str
    choices: ImportChoices
    table: Table | None = None
    n_bad_rows: int = 0
    dataset: Dataset | None = None
    problem: str = ""
    try_latin_1: bool = False
    bad_cell: tuple[int, int] | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on unusual table contents and data; `classes` describes the mapping of labels."""
        if self.dataset is None:
            return () if self.table is None else self.table.notes
        mapping = mapping_note(self.dataset.class_names) if self.dataset.n_classes else ""
        return tuple(filter(None, (*(note for note in self.dataset.notes if note != mapping), self.scaling_advice)))

    @property
    def scaling_advice(self) -> str:
        """Why the inputs should be standardised; "" where they need not be."""
        return "" if self.dataset is None else scaling_advice(self.dataset)

    @property
    def classes(self) -> tuple[tuple[str, int, int], ...]:
        """Each label with its number and its count of rows; empty for a regression."""
        data = self.dataset
        if data is None or not data.n_classes:
            return ()
        named = zip(data.class_names, data.labels, strict=True)
        return tuple((name, label, int((data.y == label).sum())) for name, label in named)


class TableImport:
    """One file that is being imported.

    Attributes:
        path: of the file.
    """

    def __init__(self, path: str | Path, check: Callable[[Dataset], None] = lambda dataset: None) -> None:
        """Nothing is read yet.

        Args:
            path: of the file.
            check: raises ValueError for a dataset that cannot be used after all.
        """
        self.path, self._check = Path(path), check
        self._content: bytes | None = None
        self._table: tuple[str, TableFormat, Table] | None = None

    def preview(self, choices: ImportChoices) -> ImportPreview:
        """Return the preview for these choices; its `problem` holds any error of the file."""
        empty = ImportPreview(file_name(self.path), choices)
        try:
            table = self._read(choices)
        except DatasetError as error:
            return replace(empty, problem=str(error), try_latin_1=isinstance(error, EncodingError))
        target = choices.target or table.suggested_target()
        inputs = table.suggested_inputs(target) if choices.inputs is None else choices.inputs
        task = choices.task or table.column(target).suggested_task()
        choices = replace(choices, target=target, inputs=inputs, task=task)
        n_bad_rows, bad_cell = table.bad_rows(target, inputs, task)
        seen = replace(empty, choices=choices, table=table, n_bad_rows=n_bad_rows, bad_cell=bad_cell)
        try:
            dataset = table.dataset(target, inputs, task, choices.skip_bad_rows)
            self._check(dataset)
        except ValueError as error:
            return replace(seen, problem=str(error))
        return replace(seen, dataset=dataset)

    def _read(self, choices: ImportChoices) -> Table:
        if self._table is not None and self._table[:2] == (choices.encoding, choices.form):
            return self._table[2]
        if self._content is None:
            self._content = file_content(self.path)
        table = parse_table(decoded_text(self._content, choices.encoding), file_name(self.path), choices.form)
        self._table = choices.encoding, choices.form, table
        return table
