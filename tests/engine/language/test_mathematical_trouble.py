"""Programs whose numbers have no value, or an extreme one: which node is marked, and what depends on it."""

import pytest

from engine.language import ProgramError, evaluate


@pytest.mark.parametrize(
    ("text", "words", "line", "column"),
    [
        ("9**9**9", "number too large", 1, 2),
        ("10.0**400", "overflow", 1, 5),
        ("y = exp(1000)", "overflow", 1, 5),
        ("1e308 * 10", "overflow", 1, 7),
        ("a = 1e400", "overflow", 1, 5),
        ("a = 0x" + "f" * 900, "overflow", 1, 5),
        ("a = 1e-400", "became 0", 1, 5),
        ("a = 1/0", "division by zero", 1, 6),
        ("x = 1\ny = 1/(x-x)", "division by zero", 2, 6),
        ("0.0 ** -1", "power", 1, 5),
        ("log(0)", "positive", 1, 1),
        ("x = -1\ny = log(x)", "positive", 2, 5),
        ("sqrt(-1)", "from 0 up", 1, 1),
        ("(-8.0)**(1/3)", "positive base", 1, 7),
        ("5e-324 / 2", "became 0", 1, 8),
        ("x = 5e-324\nx * 0.1", "became 0", 2, 3),
    ],
)
def test_mathematical_trouble_marks_the_node_that_caused_it(text, words, line, column):
    """B013, B014, B025, C001, C002, C007, C020."""
    result = evaluate(text)
    (problem,) = result.problems
    assert words in problem.message
    assert (problem.line, problem.column) == (line, column)
    assert problem.value is result.root


def test_what_depends_on_trouble_is_not_computed():
    """C001."""
    result = evaluate("x = 2.0\na = 1/(x - x)\nb = a + 1\nc = x + 1\nd = b*c")
    assert [problem.value.label for problem in result.problems] == ["a"]
    assert result.not_computed == {result.names["b"], result.names["d"]}


def test_infinity_minus_infinity_is_marked_too():
    """C007."""
    result = evaluate("a = 1e308*10\nb = a - a")
    problems = [(problem.value.label, problem.message.split(":")[0]) for problem in result.problems]
    assert problems == [("a", "overflow"), ("b", "not a number")]


def test_unknown_functions_of_mathematics_are_errors():
    """C002: asin is not in the table."""
    with pytest.raises(ProgramError, match="no function 'asin'"):
        evaluate("asin(2)")


@pytest.mark.parametrize(
    ("text", "number"),
    [("0 ** 0", 1), ("x = 0.0\n0.0 ** x", 1), ("sigmoid(-1000)", 0), ("sigmoid(1000)", 1), ("tanh(1e308)", 1),
     ("softplus(1000)", 1000), ("2 ** -1", 0.5), ("-2 ** 2", -4), ("2 ** 3 ** 2", 512), ("- -3", 3), ("+3", 3)],
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


def test_an_unused_leaf_is_noted():
    """C014."""
    result = evaluate("x = 2\ny = 5")
    assert [(n.message, n.line, n.column) for n in result.notes] == [("x is not part of the result y", 1, 1)]
