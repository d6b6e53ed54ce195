"""Numbers of a program are found where they are written, and replaced without touching anything else."""

import pytest

from engine.language.written_numbers import number_at, with_number, written_numbers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("lr = 0.05", [("0.05", "lr")]),
        ("x = -2", [("-2", "x")]),
        ("p.data += -0.05 * p.grad", [("0.05", "")]),
        ("y = x-1", [("1", "")]),
        ("y = f(steps=20)\nz = 1e-3", [("20", "steps"), ("1e-3", "z")]),
        ("def f(a, lr=0.1, *, k=3): return a ** 2", [("0.1", "lr"), ("3", "k"), ("2", "")]),
        ("t = 'é 5'; u = 7", [("7", "u")]),
        ("a = True", []),
        ("a = 2j", []),
        ("a = (", []),
        ("a = 0x10", []),
        ("for k in range(1_000): pass", [("1_000", "")]),
        (f"x = {' + '.join(['1'] * 2_000)}", []),  # nested too deeply to look into
    ],
)
def test_numbers_are_found_with_the_names_they_are_given_to(text, found):
    numbers = written_numbers(text)
    assert [(each.text, each.name) for each in numbers] == found
    assert all(text[each.start : each.end] == each.text for each in numbers)


def test_the_number_at_the_caret_is_the_one_it_touches():
    text = "a = 1\nlr = 0.05 * 3\n"
    assert number_at(text, text.index("0.05") + 2).text == "0.05"
    assert number_at(text, text.index("3") + 1).text == "3"
    assert number_at(text, text.index("lr")) is None


@pytest.mark.parametrize(
    ("text", "at", "written", "after"),
    [
        ("lr = 0.05\n", 6, "1.0", "lr = 1.0\n"),
        ("x = -2\n", 4, "3", "x = 3\n"),
        ("y = x-1\n", 6, "-2", "y = x-(-2)\n"),
        ("y = -2.0**2\n", 6, "-3", "y = -(-3)**2\n"),
        ("range(4)\n", 6, "8", "range(8)\n"),
    ],
)
def test_another_number_stands_in_its_place(text, at, written, after):
    assert with_number(text, number_at(text, at), written) == after


@pytest.mark.parametrize("written", ["", "a", "1+1", "__import__('os')", "1;2", "nan"])
def test_only_a_number_is_put_into_a_program(written):
    text = "a = 1"
    with pytest.raises(ValueError, match="not a number"):
        with_number(text, number_at(text, 4), written)
