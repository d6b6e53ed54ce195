"""Foreign values in messages: short and visible, whatever they are."""

import pytest

from datasets import DatasetError, make_dataset
from datasets.quoting import quoted, visible


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
