"""Texts that look odd and are programs: blanks, letters and numbers of other places, and what a notebook shows."""

import pytest

from engine.language import ProgramError, evaluate

# What Python gives for what was refused when programs had formulas alone
PYTHON = [
    ("x = 2.0\nx == 3", "False"),
    ("a, b = 1, 2\na - b", "-1"),
    ("x: float = 3.0\nx", "3.0"),
    ("True + 1", "2"),
    ("...", "Ellipsis"),
    ("exp(*[0])", "1.0"),
    ("max(1, 2, 3)", "3"),
    ("7 // 2", "3"),
    ("7 % 2", "1"),
    ("~3", "-4"),
    ("2.0 and 3.0", "3.0"),
    ("not 1.0", "False"),
    ("1.0 if 2.0 else 3.0", "1.0"),
    ("[1, 2]", "[1, 2]"),
    ("{}", "{}"),
    ("(a := 2)", "2"),
    ("x = 'text'\nx", "'text'"),
    ("s = 0\nfor i in range(4): s += i\ns", "6"),
    ("def f(x): return 2*x\nf(3)", "6"),
    ("[i*i for i in range(3)]", "[0, 1, 4]"),
    ("x = [1.5, 2]\nx[0]", "1.5"),
    ("class A:\n    def f(self): return 'a'\nA().f()", "'a'"),
    ("import math\nmath.floor(2.5)", "2"),
    ("try:\n    1/0\nexcept ZeroDivisionError: x = 'zero'\nx", "'zero'"),
    ("x = 3\nwhile x > 1: x -= 1\nx", "1"),
]


@pytest.mark.parametrize(("text", "shown"), PYTHON)
def test_what_python_has_is_run_and_shown_as_a_notebook_does(text, shown):
    assert evaluate(text).displayed.text == shown


@pytest.mark.parametrize("text", ["", "  \n\t\n", "# only a comment", "\n\n", "\ufeff"])
def test_empty_text_is_an_empty_program(text):
    """A001, A002."""
    result = evaluate(text)
    assert result.root is None
    assert not result.names
    assert not result.notes


def test_several_statements_on_a_line():
    """A029."""
    assert evaluate("a = 1; b = a + 2;").root.data == 3.0


@pytest.mark.parametrize("text", ["  a = 1", "\ta = 1\n\tb = a", "   a = 1\n\n   # comment\n   b = a"])
def test_a_text_indented_as_a_whole_is_accepted(text):
    """A031."""
    assert evaluate(text).root.data == 1.0


def test_behind_a_text_that_begins_indented_the_last_line_is_the_last_one():
    run = evaluate("  a = Value(1.0)\n  b = a + 1.0\nprint(a)\na.data == 1.0\n")
    assert [note.message for note in run.notes if "does nothing" in note.message] == []


@pytest.mark.parametrize("text", ["\ufeffa = 2.0", "a\u00a0=\u00a02.0", "a =\u20032.0", "a = 2.0\r\n", "a = 2.0\r\r"])
def test_invisible_blanks_of_other_programs_are_blanks(text):
    """A034, A035."""
    assert evaluate(text).names["a"].data == 2.0


def test_columns_are_right_behind_a_byte_order_mark():
    with pytest.raises(ProgramError) as refusal:
        evaluate("\ufeffa = ")
    assert refusal.value.line == 1


def test_fullwidth_letters_are_the_letters():
    """A040: accepted as exp, in the form in which Python compares names."""
    assert evaluate("ｘ = 0\nｅｘｐ(x)").root.op.name == "exp"


def test_two_code_points_of_one_letter_are_one_name():
    """A041: micro sign and Greek mu."""
    assert evaluate("\u00b5 = 1\ny = \u03bc + 1").root.data == 2.0


@pytest.mark.parametrize(
    ("literal", "number"),
    [("0x1F", 31), ("0b11", 3), ("0o7", 7), ("1_000", 1000), ("1e3", 1000), (".5", 0.5), ("5.", 5), ("1E-2", 0.01),
     ("0", 0), ("00.5", 0.5), ("1_0.0_1e1_0", 10.01e10)],
)  # fmt: skip
def test_numbers_of_python_are_numbers(literal, number):
    """A046."""
    assert evaluate(f"a = {literal}").root.data == pytest.approx(number, rel=1e-15)


def test_a_byte_order_mark_moves_no_place_of_its_line():
    text = "\ufeffa = 2.0\nb = a * a"
    leaf = evaluate(text).leaves[0]
    assert (leaf.line, leaf.column, text[leaf.start : leaf.end]) == (1, 6, "2.0")
