"""Tables as CSV: every digit, and nothing that a spreadsheet would run."""

import csv
import io

import numpy as np
import pytest

from engine.csv_text import csv_text, rows_text


def read(text):
    return list(csv.reader(io.StringIO(text)))


def test_numbers_come_back_bit_for_bit_and_shorter_columns_end_in_empty_cells():
    numbers = [0.1 + 0.2, -5e-324, 1.7976931348623157e308]
    rows = read(csv_text([("step", range(2)), ("loss", np.array(numbers))]))
    assert rows[0] == ["step", "loss"] and [float(row[1]) for row in rows[1:]] == numbers
    assert [row[0] for row in rows[1:]] == ["0", "1", ""]


@pytest.mark.parametrize("text", ["=1+1", "+cmd|x", "-2+3", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_text_that_a_spreadsheet_would_take_for_a_formula_gets_an_apostrophe_in_front(text):
    escaped = "'" + text.replace("\r", "\n")
    assert read(csv_text([(text, [text])])) == [[escaped], [escaped]]


def test_negative_numbers_and_labels_that_are_numbers_stay_as_they_are():
    text = rows_text(["a", "b", "c", "d"], [[-0.5, "-1", "+1", None]])
    assert read(text) == [["a", "b", "c", "d"], ["-0.5", "-1", "+1", ""]]
