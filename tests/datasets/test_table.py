"""Tables of all kinds, from the tidy to the hostile (section F of the list of bad inputs)."""

import os
import socket
from dataclasses import replace

import numpy as np
import pytest

from datasets import (
    DATASETS,
    DatasetError,
    TableFormat,
    from_arrays,
    make_dataset,
    parse_table,
    read_table,
    scaling_advice,
    table_text,
)
from datasets.table import Column

PLAIN = "x1,x2,label\n1,2,0\n3,4,1\n5,6,1\n"


def test_header_rows_and_labels_are_found():
    data = parse_table(PLAIN, "plain.csv").dataset()
    assert data.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert data.y.tolist() == [0, 1, 1]
    assert (data.task, data.feature_names, data.target_name) == ("classification", ("x1", "x2"), "label")
    assert data.name == "plain.csv"


def test_without_a_header_the_first_row_is_data_and_columns_get_names():
    table = parse_table("1,2,yes\n3,4,no\n")
    assert not table.has_header
    assert [column.name for column in table.columns] == ["x1", "x2", "label"]
    assert table.dataset().y.tolist() == [1, 0]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_detected(delimiter, line_end):
    table = parse_table(PLAIN.replace(",", delimiter).replace("\n", line_end))
    assert table.delimiter == delimiter
    assert table.dataset().X.tolist() == [[1, 2], [3, 4], [5, 6]]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + PLAIN,
        "# x1,x2,label\n1,2,0\n3,4,1\n5,6,1\n",
        " x1 , x2 , label \n 1 , 2 , 0 \n3,4,1\n5,6,1",
        '"x1","x2","label"\n"1","2","0"\n"3","4","1"\n"5","6","1"\n',
        "x1,x2,label\n\n1,2,0\n\n3,4,1\n5,6,1\n\n\n",
        "x1,x2,label\n1.0,+2,0\n.3e1,4e0,1\n5.,6,1\n",
    ],
)
def test_other_spellings_of_the_same_table(text):
    data = parse_table(text).dataset()
    assert data.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert data.feature_names == ("x1", "x2")


def test_a_trailing_delimiter_in_every_row_is_left_out_with_a_note():
    for text in ("x,y\n1,2,\n3,4,\n", "x,y,\n1,2,\n3,4,\n", "1,2,\n3,4,\n"):
        table = parse_table(text)
        assert len(table.columns) == 2
        assert len(table.notes) == 1


def test_a_cell_with_a_line_break_is_one_cell_and_later_rows_are_counted_as_lines():
    table = parse_table('x,label\n1,"two\nlines"\n3,\n')
    assert table.columns[1].cells == ("two\nlines", "")
    with pytest.raises(DatasetError, match="row 4, column 'label': the cell is empty"):
        table.dataset()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        (" \n\n", "empty"),
        ("\ufeff", "empty"),
        (",,\n,,\n", "no cell with anything in it"),
        ("x1,x2,label\n", "no rows below the header"),
        ("x1,x2,label\n1,2,0\n3,4\n", "row 3 has 2 cells where 3 are expected"),
        ("x1,x2,label\n1,2,0\n3,4,1,5\n", "row 3 has 4 cells where 3 are expected"),
        ('x1,x2,label\n1,2,0\n3,"4,1\n5,6,1\n', "a quote opened in row 3 never closes"),
        ('x1,label\n1,"a"b\n', "row 2: "),
        (",".join(["1"] * 1_001), "1,001 columns; 1,000 are allowed"),
        ("1,2\n" * 100_002, "more than 100,000 rows"),
    ],
)
def test_a_text_that_is_no_table_is_refused(text, message):
    with pytest.raises(DatasetError) as raised:
        parse_table(text)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("", "the cell is empty"),
        ("abc", "'abc' is not a number"),
        ("nan", "'nan' says that there is no value"),
        ("NA", "'NA' says that there is no value"),
        ("?", "'?' says that there is no value"),
        ("1'234.5", "has separators of thousands: write the digits without them"),
        ('"1,234,567"', "has separators of thousands: write the digits without them"),
        ("inf", "'inf' is not a number"),
        ("1_0", "'1_0' is not a number"),
        ("0x1F", "'0x1F' is not a number"),
        ("\u0661", "is not a number"),
        ("1 2", "'1 2' is not a number"),
        ("1e999", "1e999 is too large"),
        ('"1,5"', "decimal comma: write 1.5"),
        ('"1,234"', "has a comma: write 1234, or 1.234"),
        ("=1+1", "'=1+1' is not a number"),
        ("x" * 10_000, "..."),
    ],
)
def test_a_bad_cell_is_named_by_row_and_column(cell, message):
    table = parse_table(f"a,b,label\n1,2,0\n3,{cell},1\n4.5,5,1\n")
    with pytest.raises(DatasetError) as raised:
        table.dataset()
    assert str(raised.value).startswith("row 3, column 'b': ")
    assert message in str(raised.value)
    assert len(str(raised.value)) < 120


def test_bad_rows_are_left_out_on_demand_with_a_note():
    data = parse_table("a,b,label\n1,2,0\n3,,1\n4,5,\n6,7,1\n").dataset(skip_bad_rows=True)
    assert data.X.tolist() == [[1, 2], [6, 7]]
    assert "2 of 4 rows left out: a cell is missing or not a number." in data.notes


def test_nothing_left_after_leaving_out_is_refused():
    with pytest.raises(DatasetError, match="no row has something usable"):
        parse_table("a,b,label\n1,,0\n,2,1\n").dataset(skip_bad_rows=True)


@pytest.mark.parametrize("delimiter", [";", "\t", "|", " "])
def test_decimal_commas_are_recognised_where_no_comma_stands_between_cells(delimiter):
    table = parse_table("a;b;label\n1,5;2;0\n-3,25e-1;4,5;1\n".replace(";", delimiter))
    assert (table.delimiter, table.decimal, table.has_header) == (delimiter, ",", True)
    assert table.dataset().X.tolist() == [[1.5, 2.0], [-0.325, 4.5]]


def test_a_first_row_of_decimal_commas_is_data():
    table = parse_table("1,5;2,5\n3,5;4,5\n")
    assert not table.has_header
    assert table.columns[1].numbers.tolist() == [2.5, 4.5]


def test_what_is_recognised_can_be_said_otherwise():
    numbers = parse_table("2019;2020\n1,5;2,5\n", form=TableFormat(has_header=True)).columns
    assert [(column.name, column.numbers.tolist()) for column in numbers] == [
        ("column 2019", [1.5]),
        ("column 2020", [2.5]),
    ]
    assert parse_table("a,b\n1,2\n", form=TableFormat(has_header=False)).n_rows == 2
    assert parse_table("a;b\n1;2\n", form=TableFormat(delimiter=",")).columns[0].cells == ("1;2",)
    quoted = parse_table('a,b\n"1,5",2\n', form=TableFormat(decimal=","))
    assert quoted.columns[0].numbers.tolist() == [1.5]


def test_a_number_with_the_other_decimal_mark_is_named_with_the_way_to_write_it():
    table = parse_table("a;b\n1,5;2,5\n3.5;4,5\n2,5;1,0\n")
    with pytest.raises(DatasetError, match=r"row 3, column 'a': decimal point: write 3,5"):
        table.dataset(target="b", task="regression")


def test_a_minus_sign_of_typography_is_a_minus_sign():
    assert parse_table("a,b\n\u22121.5,0\n2e\u22122,1\n").columns[0].numbers.tolist() == [-1.5, 0.02]


def test_a_column_with_more_missing_values_than_numbers_is_still_one_of_numbers():
    table = parse_table("a,label\nNA,0\n,0\nnull,1\n1.5,1\n")
    assert not table.columns[0].is_text
    assert table.columns[0].n_missing == 3
    assert table.dataset(skip_bad_rows=True).X.tolist() == [[1.5]]


@pytest.mark.parametrize(
    ("labels", "numbers", "names"),
    [
        (("yes", "no", "yes"), [1, 0, 1], ("no", "yes")),
        (("-1", "1", "-1"), [-1, 1, -1], ("-1", "1")),
        (("3", "1", "2"), [2, 0, 1], ("1", "2", "3")),
        (("=1+1", "@SUM", "+cmd|x"), [1, 2, 0], ("+cmd|x", "=1+1", "@SUM")),
    ],
)
def test_labels_are_mapped_and_the_mapping_is_noted(labels, numbers, names):
    data = parse_table("a,label\n" + "".join(f"{row},{label}\n" for row, label in enumerate(labels))).dataset()
    assert data.y.tolist() == numbers
    assert data.class_names == names
    assert f"{names[0]!r} is class {data.labels[0]}" in data.notes[-1]


def test_fractions_as_target_make_a_regression_unless_classes_are_wanted():
    table = parse_table("a,b\n1,0.5\n2,1.5\n3,0.5\n")
    assert table.dataset().task == "regression"
    assert table.dataset(task="classification").class_names == ("0.5", "1.5")


def test_many_different_labels_are_refused_and_many_numbers_make_a_regression():
    with pytest.raises(DatasetError, match="column 'label' has 11 different labels; 10 are allowed"):
        parse_table("a,label\n" + "".join(f"{n},name{n}\n" for n in range(11))).dataset()
    numbers = parse_table("a,label\n" + "".join(f"{n},{n}\n" for n in range(11)))
    assert numbers.dataset().task == "regression"
    with pytest.raises(DatasetError, match="at most 10 classes, not 11"):
        numbers.dataset(task="classification")


def test_the_target_is_the_column_named_so_else_the_text_else_the_last():
    assert parse_table("label,a\n0,1\n1,2\n").suggested_target() == "label"
    assert parse_table("kind,a\nred,1\nblue,2\n").suggested_target() == "kind"
    assert parse_table("a,b\n0,1\n1,2\n").suggested_target() == "b"


def test_columns_can_be_chosen():
    table = parse_table("a,b,c\n1,2,3.5\n4,5,6.5\n")
    data = table.dataset(target="a", inputs=["c"], task="regression")
    assert (data.X.tolist(), data.y.tolist()) == ([[3.5], [6.5]], [1, 4])
    with pytest.raises(DatasetError, match="no column 'd'"):
        table.dataset(target="d")
    with pytest.raises(DatasetError, match="input and target at once"):
        table.dataset(target="a", inputs=["a"])


def test_a_column_of_text_is_no_input_and_is_noted():
    table = parse_table("who,a,label\nann,1,0\nbob,2,1\n")
    assert table.dataset().feature_names == ("a",)
    assert "Not numbers, left out: column 'who'." in table.dataset().notes


def test_a_column_of_text_is_an_input_for_each_text_where_it_is_chosen():
    table = parse_table("colour,a,label\nred,1,0\nblue,2,1\nred,3,1\n,4,0\n")
    with pytest.raises(DatasetError, match="row 5, column 'colour': the cell is empty"):
        table.dataset(inputs=["a", "colour"])
    data = table.dataset(inputs=["a", "colour"], skip_bad_rows=True)
    assert data.feature_names == ("a", "colour=blue", "colour=red")
    assert data.X.tolist() == [[1.0, 0.0, 1.0], [2.0, 1.0, 0.0], [3.0, 0.0, 1.0]]
    assert [name for name, _column in data.source_columns] == ["a", "colour"]
    again = parse_table(table_text(data)).dataset(inputs=["a", "colour"])
    assert np.array_equal(again.X, data.X) and again.feature_names == data.feature_names


def test_a_number_that_is_called_like_a_category_stays_a_number():
    table = parse_table("c=red,c,label\n5,red,0\n6,blue,1\n7,red,1\n")
    columns = dict(table.dataset(inputs=["c=red", "c"]).source_columns)
    assert list(columns["c=red"]) == [5.0, 6.0, 7.0] and columns["c"] == ("red", "blue", "red")


def test_a_table_without_numbers_is_learnt_from_its_categories_and_too_many_are_refused():
    rows = [f"{colour},{shape},{kind}" for kind in "ab" for colour in ("red", "blue") for shape in ("round", "flat")]
    data = parse_table("\n".join(["colour,shape,class", *rows, *rows])).dataset()
    assert data.feature_names == ("colour=blue", "colour=red", "shape=flat", "shape=round")
    many = parse_table("name,class\n" + "".join(f"n{index},{index % 2}\n" for index in range(50)))
    with pytest.raises(DatasetError, match="column 'name' has 50 different texts; as an input it may have 20"):
        many.dataset(inputs=["name"])


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("x,y\n1,5,2,25\n-3,0,4,75\n", [[1.5, -3.0], [2.25, 4.75]]),
        ("length,kind\n1,5,a\n2,25,b\n", [[1.5, 2.25]]),
        ("a,b,c\n1,2,3\n4,5,6\n", [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]),
        ("a,b,c,d\n1,2,3,4\n4,5,6,7\n", [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0], [4.0, 7.0]]),
    ],
)
def test_decimal_commas_between_commas_are_read_where_the_header_shows_them(text, numbers):
    table = parse_table(text)
    assert [column.numbers.tolist() for column in table.columns if not column.is_text] == numbers
    assert bool(table.notes) == ("," in {table.decimal})


def test_decimal_commas_between_commas_without_a_header_are_asked_for():
    assert any("decimal mark" in note for note in parse_table("1,5,2,25\n3,0,4,75\n").notes)
    table = parse_table("1,5,2,25\n3,0,4,75\n", form=TableFormat(decimal=","))
    assert [column.numbers.tolist() for column in table.columns] == [[1.5, 3.0], [2.25, 4.75]]


def test_a_single_row_of_a_table_or_of_a_class_is_noted():
    assert any("Only one row" in note for note in parse_table("a,label\n1,0\n").dataset().notes)
    notes = parse_table("a,label\n1,x\n2,x\n3,y\n").dataset().notes
    assert any("Class 'y' has a single row" in note for note in notes)


def test_a_single_column_has_nothing_to_predict_from():
    with pytest.raises(DatasetError, match="no column of numbers to predict 'a' from"):
        parse_table("a\n1\n2\n").dataset()


def test_names_become_plain_unique_and_short():
    table = parse_table('"a\nb",<b>x</b>,x,x,x (2),,' + "n" * 10_000 + "\n1,2,3,4,5,6,7\n")
    names = [column.name for column in table.columns]
    assert names == ["a b", "<b>x</b>", "x", "x (2)", "x (2) (2)", "column 6", "n" * 37 + "..."]


def test_sizes_contradictions_and_single_classes_are_noted_not_refused():
    huge = parse_table("a,b,label\n1e30,1e-30,0\n2e30,2e-30,1\n").dataset()
    assert scaling_advice(huge) == "Very large or very small numbers in 'a', 'b': standardise the inputs."
    lengths = parse_table("length,age,label\n170,3,0\n180,-2,1\n175,1,0\n").dataset()
    assert "far from 0" in scaling_advice(lengths) and "'length'" in scaling_advice(lengths)
    assert not any(scaling_advice(make_dataset(name)) for name in DATASETS)
    prices = parse_table("rooms,price\n1,120000.5\n2,250000\n").dataset()
    assert "Large numbers to predict in 'price': larger units, such as thousands, are learnt sooner." in prices.notes
    assert any("different classes" in note for note in parse_table("a,label\n1,0\n1,1\n").dataset().notes)
    assert any("one class" in note for note in parse_table("a,label\n1,0\n2,0\n").dataset().notes)


def test_five_hundred_columns_are_read():
    text = "\n".join(",".join(str(row * column) for column in range(500)) for row in range(3))
    assert parse_table(text).dataset().n_features == 499


@pytest.mark.parametrize("name", DATASETS)
def test_what_is_written_is_read_back_bit_for_bit(name):
    data = make_dataset(name, noise=0.1)
    again = parse_table(table_text(data)).dataset(task=data.task)
    assert again.X.tobytes() == data.X.tobytes()
    if name != "yin_yang":  # its classes come back in the order of their names
        assert again.y.tobytes() == data.y.tobytes()
    assert (again.feature_names, set(again.class_names)) == (data.feature_names, set(data.class_names))


@pytest.mark.parametrize("mark", [";", "|", "\t", " ", ","])
def test_texts_with_other_delimiters_in_them_are_read_back_as_they_were(mark):
    rows = [("a", "b", "c", "d"), *(("1", f"{n % 2}", "5", f"{n % 3}") for n in range(6))]
    text = "\n".join(f'"{mark.join(row[:2])}";"{mark.join(row[2:])}"' for row in rows)
    data = parse_table(text, form=TableFormat(";", ".", True)).dataset(task="classification")
    table = parse_table(table_text(data))
    assert table.delimiter == ","
    assert table.dataset(task="classification").X.tolist() == data.X.tolist()


def test_a_mark_that_stands_in_quoted_cells_is_not_the_delimiter():
    table = parse_table('"a|b","a|b|c"\n"1|2","1|2|0"\n"3|4","3|4|1"\n')
    assert [column.name for column in table.columns] == ["a|b", "a|b|c"]


ODD_CELLS = {
    "header": "_,,;1;2;\n0,,;n",
    "numbers": ",_,;;2;0\n,,\n,1,;9;8;n",
    "tabs": "'\t;4;l;\t;\n;\t;\t;",
    "quotes": 'a|b|"c"",d"\n1|2|"x|""y"\n',
    "minus zero": "3;'-0",
    "minus zero and two": "2;-0\n3;2",
    "a label that is a number and one that is none": "n|'3\na|nan\nb|'3",
}


@pytest.mark.parametrize("text", ODD_CELLS.values(), ids=ODD_CELLS)
def test_what_is_written_is_read_back_whatever_stands_in_its_cells(text):
    table, found = parse_table(text), []
    for _ in range(2):
        *inputs, target = (column.name for column in table.columns)
        data = table.dataset(target, inputs, "classification")
        found.append((sorted(data.X.T.tolist()), [data.class_names[index] for index in data.classes]))
        table = parse_table(table_text(data))
    assert found[0] == found[1]


def test_the_delimiter_is_the_one_between_quoted_cells_also_where_another_stands_in_them_more_often():
    assert parse_table('_,";1;2;"\n0.0,";n"\n').delimiter == ","
    assert parse_table('3.5" disk;1\n5.25" disk;2\n').delimiter == ";"


def test_the_delimiter_of_rows_that_are_longer_than_what_is_looked_at_is_the_one_between_quoted_cells():
    numbers = [",".join(f"{number % 7 / digits!r}" for number in range(900)) for digits in (3, 7, 9)]
    header = ",".join(["n", '"one ""first"" text"', *(f"x{number}" for number in range(900))])
    assert parse_table("\n".join([header, *(f'1,"a ""b"" c",{row}' for row in numbers)])).delimiter == ","


@pytest.mark.parametrize(
    ("text", "delimiter", "decimal", "names"),
    [
        ("1,5;A\n2,5;B\n", ";", ",", "x1 label"),
        ("size, cm;kind\n1,5;A\n2,5;B\n", ";", ",", "size, cm kind"),
        ("1,5\tA\tx\n2,5\tB\ty\n", "\t", ",", "x1 x2 label"),
        ("a b;c d\n1 234;2 345\n3 456;4 567\n", ";", ".", "a b c d"),
        ("long leaf,wide leaf,kind\n5.1 cm,3.5 cm,one\n5 cm,3 cm,two\n", ",", ".", "long leaf wide leaf kind"),
        ("sales 2019\tsales 2020\n1 234\t2 678\n2 345\t1 234\n", "\t", ".", "sales 2019 sales 2020"),
        ('"x","n","k"\n"1,5",3,A\n"2,5",4,B\n', ",", ",", "x n k"),
        ("p;a;k\n1.234;1,5;A\n2.345;2,5;B\n", ";", ",", "p a k"),
        ("1,5 2,5 A\n2,5 3,5 B\n", " ", ",", "x1 x2 label"),
        ("sep=;\na;b\n1,5;2\n2,5;3\n", ";", ",", "a b"),
        ("0,1,2,3\n5.1,3.5,0.2,1\n4.9,3.0,0.1,2\n", ",", ".", "column 0 column 1 column 2 column 3"),
        (",0,1\n0,5.1,3.5\n1,4.9,3.0\n", ",", ".", "column 1 column 0 column 1 (2)"),
        ("country,1990,1995,2000\nA,5,6,7\nB,1,2,3\n", ",", ".", "country column 1990 column 1995 column 2000"),
        ("5.1,6.1,7.1,setosa\n4.9,3.0,1.4,setosa\n", ",", ".", "x1 x2 x3 label"),
        ("0,1,2\n3,5,7\n", ",", ".", "x1 x2 label"),
        ("1999,2000,a\n2001,2005,b\n", ",", ".", "x1 x2 label"),
        ("1,2,a;b\n2,3,c;d\n4,5,e;f\n", ",", ".", "x1 x2 label"),
        ("g|h,val\na|b,1\nc|d,2\n", ",", ".", "g|h val"),
        ("name\tage\nSmith, John\t3\nDoe, Jane\t4\n", "\t", ".", "name age"),
        ('SEP=;;;\na;b;c\n1;2;3\n', ";", ".", "a b c"),
        ("label,0,1,2\n3,0,255,7\n1,4,9,0\n", ",", ".", "label column 0 column 1 column 2"),
        ("land;2019;2020\nA;5,5;6,5\nB;1,5;2,5\n", ";", ",", "land column 2019 column 2020"),
        ("0,1\n1,0\n", ",", ".", "x1 label"),
    ],
)  # fmt: skip
def test_tables_of_spreadsheets_and_programs_are_read_as_they_are_meant(text, delimiter, decimal, names):
    table = parse_table(text)
    assert (table.delimiter, table.decimal) == (delimiter, decimal)
    assert " ".join(column.name for column in table.columns) == names


@pytest.mark.parametrize(
    ("names", "row", "target"),
    [
        ("x,y,label", "1.5,2.5,0", "label"),
        ("X,Y,group", "1.5,2.5,a", "group"),
        ("x,y,z", "1.5,2.5,3.5", "z"),
        ("x,y", "1.5,2.5", "y"),
        ("y,x", "1.5,2.5", "y"),
        ("x1,y,x2", "1.5,2.5,3.5", "y"),
        ("a,b,empty", "1.5,2.5,NA", "b"),
        ("y,x,x2", "1.5,2.5,3.5", "y"),
    ],
)
def test_the_target_is_the_column_that_a_reader_would_take(names, row, target):
    assert parse_table(f"{names}\n{row}\n{row}\n").suggested_target() == target


def test_columns_of_a_session_count_although_they_hold_numbers_alone():
    table = parse_table("a,label,kind\n1.5,2.5,u\n2.5,3.5,v\n")
    numbers = [Column.of_numbers(column.name, column.numbers) for column in table.columns[:2]]
    assert replace(table, columns=(*numbers, table.columns[2])).suggested_target() == "label"


def test_a_column_of_many_different_texts_is_no_label():
    text = "time,a,b\n" + "".join(f"{hour}:00,{hour / 2},{hour / 3}\n" for hour in range(12))
    assert parse_table(text).suggested_target() == "b"


def test_what_may_be_meant_in_another_way_is_noted():
    assert "means thousands" in " ".join(parse_table("p\tk\n1,234\tA\n2,345\tB\n").notes)
    assert "counts up" in " ".join(parse_table("k,0,1\n5.1,3.5,0.2\n").notes)
    assert "'?' is a class of its own." in parse_table("a,k\n1,A\n2,?\n3,A\n").dataset().notes
    assert parse_table('"x","y"\n5.5,1.25\n').notes == ()


def test_classes_that_are_large_numbers_keep_their_names():
    data = parse_table("a,k\n1,1000001\n2,1000002\n3,0.12345678\n").dataset(task="classification")
    assert data.class_names == ("0.12345678", "1000001", "1000002")
    assert parse_table(table_text(data)).dataset(task="classification").class_names == data.class_names


def test_row_names_of_r_are_not_joined_with_numbers():
    with pytest.raises(DatasetError, match="row 2 has 3 cells where 2"):
        parse_table('"x","y"\n"1",2,3\n"2",4,5\n')


def test_extreme_numbers_survive_writing():
    numbers = np.array([-0.0, 5e-324, 1.7976931348623157e308, 0.1 + 0.2])
    written = table_text(from_arrays(numbers, [0, 1, 0, 1]))
    assert parse_table(written).dataset().X.tobytes() == numbers.tobytes()


def test_texts_a_spreadsheet_would_run_are_written_harmless():
    data = parse_table("a,label\n1,=1+1\n2,-1\n3,@SUM\n").dataset()
    assert table_text(data).splitlines() == ["a,label", "1.0,'=1+1", "2.0,'-1", "3.0,'@SUM"]
    assert parse_table(table_text(data)).dataset().class_names == data.class_names  # without the quotation mark
    quoted = parse_table("a,label\n1,''=1+1\n2,''-1\n3,it's\n").dataset()
    assert set(quoted.class_names) == {"'=1+1", "'-1", "it's"}
    assert set(parse_table(table_text(quoted)).dataset().class_names) == set(quoted.class_names)


def test_labels_that_look_like_numbers_stay_labels():
    data = parse_table("a,label\n1,2.50\n2,2.5\n3,x\n").dataset(skip_bad_rows=True)
    kept = parse_table(table_text(data)).dataset()
    assert (kept.class_names, kept.y.tolist()) == (data.class_names, data.y.tolist())
    with pytest.raises(DatasetError, match="row 3, column 'a': 7 has an apostrophe before it: that is a label"):
        parse_table("a,label\n1,0\n'7,1\n3,1\n").dataset()
    with pytest.raises(DatasetError, match="row 3, column 'a': 'x' is not a number, the column can only be a label"):
        parse_table("a,label\n1,0\nx,1\ny,1\n").dataset("label")


class TestFiles:
    def test_a_file_is_read_and_gives_its_name(self, tmp_path):
        file = tmp_path / "mine.csv"
        file.write_bytes(b"\xef\xbb\xbf" + PLAIN.encode())
        assert read_table(file).dataset().name == "mine.csv"
        assert read_table(str(file)).n_rows == 3

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"", "the file is empty"),
            (b"\xff\xfe1\x00,\x002\x00", "UTF-16"),
            (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "not a text file"),
            (b"1,2\n3,\x004\n", "not a text file"),
            (b"a,label\n1,caf\xe9\n", "not UTF-8 text (byte 14)"),
        ],
    )
    def test_a_file_that_is_no_text_is_refused(self, tmp_path, data, message):
        file = tmp_path / "odd.csv"
        file.write_bytes(data)
        with pytest.raises(DatasetError) as raised:
            read_table(file)
        assert message in str(raised.value)

    def test_latin_1_is_read_when_it_is_asked_for(self, tmp_path):
        file = tmp_path / "old.csv"
        file.write_bytes("a,label\n1,café\n2,thé\n".encode("latin-1"))
        assert read_table(file, encoding="latin-1").dataset().class_names == ("café", "thé")

    def test_what_is_no_regular_file_is_refused_without_being_opened(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(tmp_path / "socket"))
            for path in (tmp_path, tmp_path / "pipe", tmp_path / "socket", "/dev/zero"):
                with pytest.raises(DatasetError, match="not a regular file"):
                    read_table(path)

    def test_a_file_that_is_too_large_is_refused_by_its_size(self, tmp_path):
        file = tmp_path / "large.csv"
        with file.open("wb") as stream:
            stream.truncate(500_000_000)
        with pytest.raises(DatasetError, match="at most 16,000,000 bytes, not 500,000,000"):
            read_table(file)

    @pytest.mark.parametrize("name", ["gone.csv", "n" * 5_000, "zero\0byte"])
    def test_a_file_that_cannot_be_read_is_refused_with_the_reason(self, tmp_path, name):
        with pytest.raises(DatasetError, match="cannot be read: "):
            read_table(tmp_path / name)

    def test_a_link_to_nowhere_is_refused(self, tmp_path):
        (tmp_path / "link.csv").symlink_to(tmp_path / "nowhere")
        with pytest.raises(DatasetError, match=r"link.csv cannot be read: No such file"):
            read_table(tmp_path / "link.csv")
