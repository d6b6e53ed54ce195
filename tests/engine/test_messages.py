"""What messages say about input that cannot be used: short and visible, with the nearest match and the range."""

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from datasets import DatasetError, make_dataset
from engine.messages import did_you_mean, quoted, unknown_name, visible, wrong_integer, wrong_number

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("swish", "'swish'"),
        ("a'b", '"a\'b"'),
        ("\x1b[31mred\x1b[0m", r"'\x1b[31mred\x1b[0m'"),
        ("a\nb\0", r"'a\nb\x00'"),
        ("\u202eabc\u200b", r"'\u202eabc\u200b'"),
        ("é∂", "'é∂'"),
        (0.1, "0.1"),
        (None, "None"),
        ([0.1, "a"], "[0.1, 'a']"),
        (10**30 - 1, "9" * 30),
        ([-(10**5000)], "[a number of more than 30 digits]"),
        ({"a": [10**5000]}, "{'a': [a number of more than 30 digits]}"),
    ],
)
def test_a_value_is_quoted_as_python_writes_it(value, shown):
    assert quoted(value) == shown


@pytest.mark.parametrize(
    "value",
    [["a" * 19_000_000], "\x1b" * 1000, "'\"" * 500, [["deep"] * 9] * 9, {"k" * 900: "v" * 900}, list(range(10**6))],
    ids=["long", "control", "quotes", "deep", "names", "list"],
)
@pytest.mark.parametrize("longest", [20, 60])
def test_no_value_is_quoted_at_length(value, longest):
    value = value[0] if isinstance(value, list) and len(value) == 1 else value
    assert len(quoted(value, longest)) <= longest
    assert quoted(value, longest).isprintable()


def test_what_deep_nesting_holds_is_not_looked_at():
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    assert quoted(nested) == "[[[[...]]]]"
    while nested:  # taken apart by hand: the interpreter would recurse
        nested = nested.pop()  # type: ignore[assignment]


@pytest.mark.parametrize(("text", "longest", "shown"), [("abc", 3, "abc"), ("abcd", 3, "..."), ("a\tb", 9, r"a\tb")])
def test_text_is_made_visible_and_cut(text, longest, shown):
    assert visible(text, longest) == shown


def test_a_message_about_data_is_one_short_visible_line():
    with pytest.raises(DatasetError) as raised:
        make_dataset("\x1b[2J" + "x" * 1_000_000)
    assert len(str(raised.value)) <= 500
    assert str(raised.value).isprintable()


def test_letters_without_ink_and_signs_of_direction_are_shown_as_their_numbers():
    assert visible("a\u3164b\u202ec\udcff") == r"a\u3164b\u202ec\udcff"
    assert quoted("a\u2800") == r"'a\u2800'"


def test_the_nearest_name_is_found_whatever_its_case_and_none_for_what_is_no_short_text():
    assert did_you_mean("Tahn", ["tanh", "relu"]) == ", did you mean 'tanh'?"
    assert did_you_mean("qqq", ["tanh"]) == did_you_mean(3, ["3"]) == did_you_mean("tanh" * 10**6, ["tanh"]) == ""
    assert unknown_name("loss", "hing", ["hinge"]) == "no loss 'hing', did you mean 'hinge'? (there are: hinge)"


@pytest.mark.parametrize("given", [True, "1", None, math.nan, math.inf, -0.1, 1.5, 10**400, np.float64("nan"), [0.5]])
def test_what_is_not_a_number_of_the_range_is_told_the_range(given):
    assert wrong_number(given, 0.0, 1.0) == "a finite number from 0 to 1"


def test_a_range_may_be_open_on_either_side():
    assert wrong_number(0.0, 0.0, above=True) == "a finite number above 0"
    assert wrong_number(1.0, 0.0, 1.0, below=True) == "a finite number at least 0 and below 1"
    assert wrong_number(10**400) == "a finite number"
    assert wrong_number(1, 0.0, 1.0) == wrong_number(np.float32(0.5), 0, 1) == wrong_number(np.int64(1), 0, 1) == ""


def test_whole_numbers_are_python_s_or_numpy_s():
    assert wrong_integer(5, 1, 10) == wrong_integer(np.uint8(5), 1, 10) == ""
    for given in (True, 5.0, "5", 11, None, 10**5000):
        assert wrong_integer(given, 1, 10) == "a whole number from 1 to 10"


def test_nothing_but_the_standard_library_is_loaded_for_a_message():
    code = "import sys, engine.messages; print(sorted({'numpy', 'datasets'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
