"""A formula of x1 and x2: what it gives at points, and where it is wrong."""

import numpy as np
import pytest

from engine.language import ProgramError
from engine.language.formula import formula_problem, read_formula

POINTS = np.array([[0.5, -2.0], [3.0, 0.25], [-1.0, 1.0]])
X1, X2 = POINTS.T


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sin(x1) * x2", np.sin(X1) * X2),
        ("x1**2 - x2**2/4", X1**2 - X2**2 / 4),
        ("max(x1, x2)", np.maximum(X1, X2)),
        ("relu(x2) + exp(-x1)", np.maximum(X2, 0) + np.exp(-X1)),
        ("x1.tanh() + math.cos(x2)", np.tanh(X1) + np.cos(X2)),
        ("x1.data * Value(x2)", X1 * X2),
        ("x2 * 0 + 3", np.full(3, 3.0)),
        ("x1 * math.pi + x2 * +e", X1 * np.pi + X2 * np.e),
        ("logsumexp(x1, x2)", np.logaddexp(X1, X2)),
        ("sum([x1, x2, 2]) + sum([])", X1 + X2 + 2),
    ],
)
def test_a_formula_is_computed_for_all_points_at_once(text, expected):
    formula = read_formula(text)
    assert formula.n_inputs == 2 and not formula.parts_classes
    assert formula(POINTS) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("text", ["x**3", "x1**3", "x ** 3"])
def test_without_x2_there_is_one_input(text):
    formula = read_formula(text)
    assert formula.n_inputs == 1
    assert formula(POINTS[:, :1]) == pytest.approx(X1**3)


@pytest.mark.parametrize(("sign", "above"), [("<", X1 < X2), ("<=", X1 <= X2), (">", X1 > X2), (">=", X1 >= X2)])
def test_a_comparison_parts_two_classes(sign, above):
    formula = read_formula(f"x1 {sign} x2")
    assert formula.parts_classes
    assert (formula(POINTS) > 0).tolist() == above.tolist()


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "expression expected"),
        ("x1 +", 5, "expression expected"),
        ("x1 + x3", 6, "made of x1 and x2, not of x3"),
        ("sin x1", 1, "write sin"),
        ("x1 < 2 < 3", 8, "compares"),
        ("x1 ^ 2", 4, r"x1 \*\* 2"),
        ("x1; x2", 3, "expression expected"),
        ("y = x1", 1, "not of y"),
        ("import os", 8, "not of os"),
        ("__import__('os')", 1, "unknown function"),
        ("x1.backward()", 1, "one expression"),
        ("-" * 300 + "x1", 101, "too deeply"),
        ("sin(x1", 4, "never closed"),
        ("-" * 15_000 + "x1", 1, "too deeply"),
        ("x1 + 1" + "0" * 400, 6, "too large"),
        ("x1 + tanh", 6, r"write tanh\(x1\)"),
        ("x1 // x2", 4, "// is not available"),
        ("x1 + (x1 + 1)(x2)", 6, "one expression"),
    ],
)
def test_what_is_no_formula_is_refused_at_its_place(text, column, words):
    with pytest.raises(ProgramError, match=words) as caught:
        read_formula(text)
    assert caught.value.column == column
    assert f"at column {column}: " in formula_problem(text)


def test_where_a_formula_has_no_value_it_is_not_finite():
    assert not np.isfinite(read_formula("log(x1) + 0*x2")(np.array([[-1.0, 0.0]]))).any()
    assert formula_problem("log(x1)") == ""


@pytest.mark.parametrize(
    "text",
    ["x1 if x2 else 1", "[x1]", "lambda: x1", "x1.__class__", "x1 and x2", "(" * 5000, "max(x1)", "'x1'", "1e999j"],
)
def test_what_only_a_program_may_have_is_refused(text):
    assert formula_problem(text)
