"""What a person chooses for a file, and what comes of it."""

import numpy as np
import pytest

from datasets import ImportChoices, TableFormat, TableImport, from_arrays, table_text

IRIS = "length;width;kind\n5,1;3,5;setosa\n7,0;3,2;versicolor\n6,3;;virginica\n5,8;2,7;virginica\n"


@pytest.fixture
def opened(tmp_path):
    """A file with this content, about to be imported."""

    def open_(content, name="mine.csv", **settings):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return TableImport(path, **settings)

    return open_


def test_everything_is_suggested_and_a_missing_value_is_named_by_its_place(opened):
    seen = opened(IRIS).preview(ImportChoices())
    assert (seen.table.delimiter, seen.table.decimal, seen.table.has_header) == (";", ",", True)
    assert (seen.choices.target, seen.choices.inputs, seen.choices.task) == (
        "kind",
        ("length", "width"),
        "classification",
    )
    assert (seen.dataset, seen.n_bad_rows, seen.bad_cell) == (None, 1, (2, 1))
    assert seen.problem == "row 4, column 'width': the cell is empty"


def test_rows_are_left_out_on_demand_and_labels_are_mapped_in_a_table(opened):
    seen = opened(IRIS).preview(ImportChoices(skip_bad_rows=True))
    assert seen.problem == ""
    assert seen.dataset.X.tolist() == [[5.1, 3.5], [7.0, 3.2], [5.8, 2.7]]
    assert seen.classes == (("setosa", 0, 1), ("versicolor", 1, 1), ("virginica", 2, 1))
    assert (seen.n_bad_rows, seen.dataset.n_samples) == (1, 3)


def test_another_target_is_not_an_input_any_more_and_brings_its_own_task(opened):
    file = opened(IRIS)
    choices = file.preview(ImportChoices(skip_bad_rows=True)).choices.with_target("length")
    seen = file.preview(choices)
    assert (seen.choices.inputs, seen.choices.task) == (("width",), "regression")
    assert seen.dataset.y.tolist() == [5.1, 7.0, 5.8]


def test_another_format_finds_its_own_columns_and_reads_the_file_no_more(opened):
    file = opened(IRIS)
    first = file.preview(ImportChoices())
    file.path.unlink()
    choices = first.choices.with_form(TableFormat(has_header=False), "utf-8")
    seen = file.preview(choices)
    assert [column.name for column in seen.table.columns] == ["x1", "x2", "label"]
    assert seen.table.n_rows == 5
    assert "row 1, column 'x1': 'length' is not a number" in seen.problem


def test_no_input_at_all_is_said(opened):
    seen = opened(IRIS).preview(ImportChoices(inputs=()))
    assert seen.problem == "choose one column or more to predict 'kind' from"


def test_latin_1_is_offered_where_it_helps_and_only_there(opened):
    old = opened("a,label\n1,café\n2,thé\n".encode("latin-1"))
    assert old.preview(ImportChoices()).try_latin_1
    assert [name for name, _, _ in old.preview(ImportChoices("latin-1")).classes] == ["café", "thé"]
    for content in (b"", b"\x89PNG\r\n\x1a\n\0\0", "1,2\n".encode("utf-16"), b"a,b\n1\n"):
        seen = opened(content).preview(ImportChoices())
        assert seen.problem and not seen.try_latin_1
        assert seen.notes == seen.classes == ()


def test_what_the_caller_cannot_use_is_a_problem_as_well(opened):
    def check(dataset):
        raise ValueError(f"{dataset.n_samples} rows are too many")

    seen = opened("a,label\n1,0\n2,1\n", check=check).preview(ImportChoices())
    assert (seen.dataset, seen.problem) == (None, "2 rows are too many")


def test_what_is_written_as_a_table_is_imported_without_a_question(opened):
    data = from_arrays(np.arange(8.0).reshape(4, 2), [0, 1, 2, 1], class_names=("a", "b", "c"))
    again = opened(table_text(data)).preview(ImportChoices()).dataset
    assert again.X.tolist() == data.X.tolist()
    assert again.y.tolist() == data.y.tolist()
