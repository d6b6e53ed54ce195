"""Tables made to take the machine: time linear in the file, memory bounded, nothing but a DatasetError."""

import tracemalloc

import pytest

from datasets import DatasetError, parse_table
from datasets.text_file import MAX_BYTES
from tests.datasets.test_table import PLAIN

DIGITS = "1" * 100_000


@pytest.mark.parametrize("cell", [DIGITS + "x", DIGITS + "." + DIGITS[:9] + "e", "-" + DIGITS + "é", DIGITS + ",2"])
def test_a_cell_of_many_digits_that_is_not_a_number_is_read_at_once(cell):
    with pytest.raises(DatasetError, match=r"row 3, column .b.: .*(not a number|decimal comma)") as raised:
        parse_table(f'a,b,label\n1,2,0\n3,"{cell}",1\n4.5,5,1\n').dataset()
    assert len(str(raised.value)) < 160


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a,b\n1,2\n3," + "x" * 200_000 + "\n", "row 3, column 2: the cell has more than 131,072 characters"),
        ("a,b\n" + "x" * 200_000 + ",1\n", "row 2, column 1"),
        ("x" * 200_000, "row 1, column 1"),
        ('a,b,c\n"1,2","\n\n",3\n1,2,3\n' + '1,2,"' + "x," * 100_000 + '"\n', "row 6, column 3"),
        ("a;b\n1;" + "1" * 200_000 + "\n", "row 2, column 2"),
    ],
)
def test_a_cell_that_is_too_long_is_refused_at_its_place(text, place):
    with pytest.raises(DatasetError, match=place) as raised:
        parse_table(text)
    assert len(str(raised.value)) < 160


@pytest.mark.parametrize(("text", "words"), [("a,b\n1,\0", "zero bytes"), ("," * 1_000_001, "1,000,000 cells")])
def test_what_is_no_table_or_too_large_is_refused_before_it_is_read(text, words):
    with pytest.raises(DatasetError, match=words):
        parse_table(text)


def test_blank_lines_at_the_start_are_no_rows():
    assert parse_table("\n" * 50 + " \n" + PLAIN).dataset().X.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_a_thousand_columns_of_one_name_get_names_of_their_own():
    table = parse_table(",".join(["x"] * 999) + ",label\n" + ",".join(["1"] * 1000) + "\n")
    assert len({column.name for column in table.columns}) == 1000
    assert [column.name for column in table.columns[:3]] == ["x", "x (2)", "x (3)"]


def test_long_labels_that_begin_alike_stay_different_classes():
    names = parse_table("a,label\n" + "".join(f"{i},{'n' * 50}{i}\n" for i in range(3))).dataset().class_names
    assert len(set(names)) == 3


def test_labels_with_control_characters_are_made_visible():
    names = parse_table('a,label\n1,"\x1b[31mred"\n2,"two\nlines"\n3,\u202eabc\n').dataset().class_names
    assert names == (r"\x1b[31mred", r"two\nlines", r"\u202eabc")


HEAVY = {
    "delimiters": lambda: "," * MAX_BYTES,
    "cells": lambda: ("1," * 99 + "1\n") * 20_000,
    "texts": lambda: ("ab," * 99 + "1\n") * 3_000,
    "lines": lambda: "\n" * MAX_BYTES,
    "quoted lines": lambda: '"' + "\n" * (MAX_BYTES - 1),
    "rows": lambda: "1,2\n" * (MAX_BYTES // 4),
    "labels": lambda: "a,label\n" + ("1," + "l" * 100_000 + "\n") * 150,
    "wide letters": lambda: "\U0001f600" + "é,1\n" * (MAX_BYTES // 5),
    "one word": lambda: "\U0001f600" + "x" * (MAX_BYTES // 2),
}


def peak_of(text):
    """Memory that reading a table takes; of threads that earlier tests have left, too."""
    tracemalloc.start()
    try:
        parse_table(text).dataset()
    except DatasetError as error:
        assert len(str(error)) < 200
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.long
@pytest.mark.parametrize("name", HEAVY)
def test_no_table_takes_more_than_200_megabytes(name):
    text = HEAVY[name]()
    n_cells = min(text.count(",") + text.count("\n"), 1_000_000)
    most = 20_000_000 + 100 * n_cells  # the text itself, 64 MB at most, comes on top
    assert peak_of(text) < most or peak_of(text) < most
