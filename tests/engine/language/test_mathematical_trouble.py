"""Programs whose numbers have no value, or an extreme one: which node is marked, and what depends on it."""

import pytest

from engine.language import ProgramError, evaluate

V = "x = Value(-1.0)\nz = Value(0.0)\n"


@pytest.mark.parametrize(
    ("text", "words", "line", "column"),
    [
        ("x = 1e308\ny = x * 10", "overflow", 2, 5),
        ("x = 1000.0\ny = exp(x)", "overflow", 2, 5),
        ("x = Value(1000.0)\ny = x.exp()", "overflow", 2, 5),
        ("a = 1e400", "overflow", 1, 5),
        (V + "y = log(z)", "positive", 3, 5),
        (V + "y = log(x)", "positive", 3, 5),
        (V + "y = sqrt(x)", "from 0 up", 3, 5),
        (V + "y = x ** (1/3)", "positive base", 3, 5),
        (V + "y = 1 / z", "division by zero", 3, 5),
        (V + "y = z ** -1", "power", 3, 5),
        ("x = 5e-324\ny = x / 2", "became 0", 2, 5),
        ("x = 5e-324\ny = x * 0.1", "became 0", 2, 5),
    ],
)
def test_mathematical_trouble_marks_the_node_that_caused_it(text, words, line, column):
    result = evaluate(text)
    (problem,) = result.problems
    assert words in problem.message
    assert (problem.line, problem.column) == (line, column)
    assert problem.value is result.root


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("x = 1\ny = 1/(x-x)", 2, "ZeroDivisionError"),
        ("a = 1/0", 1, "ZeroDivisionError"),
        ("y = 10.0**400", 1, "OverflowError"),
        ("import math\nx = -1.0\ny = math.log(x)", 3, "ValueError"),
        ("import math\ny = math.exp(1000)", 2, "OverflowError"),
        ("asin(2)", 1, "NameError"),
    ],
)
def test_numbers_have_the_errors_of_python(text, line, words):
    with pytest.raises(ProgramError, match=words) as caught:
        evaluate(text)
    assert caught.value.line == line


def test_what_depends_on_trouble_is_not_computed():
    """C001."""
    result = evaluate("x = Value(2.0)\na = 1/(x - x)\nb = a + 1\nc = x + 1\nd = b*c")
    assert [problem.value.label for problem in result.problems] == ["a"]
    assert result.not_computed == {result.names["b"], result.names["d"]}


def test_infinity_minus_infinity_is_marked_too():
    """C007."""
    result = evaluate("x = 1e308\na = x*10\nb = a - a")
    problems = [(problem.value.label, problem.message.split(":")[0]) for problem in result.problems]
    assert problems == [("a", "overflow"), ("b", "not a number")]


@pytest.mark.parametrize(
    ("text", "number"),
    [("x = 0\nx ** 0", 1), ("x = 0.0\n0.0 ** x", 1), ("x = -1000\nsigmoid(x)", 0), ("x = 1000\nsigmoid(x)", 1),
     ("x = 1e308\ntanh(x)", 1), ("x = 1000\nsoftplus(x)", 1000), ("x = 2\nx ** -1", 0.5), ("x = 2\n-x ** 2", -4),
     ("x = 2\nx ** 3 ** 2", 512), ("x = -3\n-x", 3)],
)  # fmt: skip
def test_extreme_arguments_give_the_limit(text, number):
    """C004, C008."""
    result = evaluate(text)
    assert result.root.data == number
    assert not result.problems


def test_a_negative_base_with_a_whole_exponent_is_fine():
    """C005."""
    result = evaluate("x = -2.0\ny = 3.0\nz = x ** y")
    assert result.root.data == -8.0
    assert not result.problems


def test_a_number_alone_is_a_result():
    """C013."""
    result = evaluate("y = 3")
    assert result.root.data == 3.0
    assert result.root.op is None
