"""The table's formulas as a learner reads them say what runs."""

import math
import re

import pytest

from engine.autograd import OPS
from engine.autograd.formula import scalar_function
from engine.teaching.readable import OTHERWISE, cases_of, mathematics
from engine.teaching.wording import with_texts

POINTS = (-2.5, -1.0, 0.0, 0.5, 2.0)
INFINITE = {"sqrt": 0.0}


def test_choices_are_cases():
    assert [tuple(case) for case in cases_of("where(x > 0, 1.0, where(x < 0, -1.0, 0.0))")] == [
        ("1", "x > 0"), ("−1", "x < 0"), ("0", OTHERWISE),
    ]  # fmt: skip
    assert mathematics("where(b == 0, 0.0, b * a**(b - 1))") == "0 if b = 0, b·a^(b − 1) otherwise"


@pytest.mark.parametrize(
    "formula, text",
    [
        ("-a / b**2", "−a / b²"),
        ("a - (b - 1)", "a − (b − 1)"),
        ("a * (b + 1)", "a·(b + 1)"),
        ("a * -b", "a·(−b)"),
        ("b == b // 1 and (a != 0 or b >= 0)", "b is a whole number and (a ≠ 0 or b ≥ 0)"),
        ("abs(x) + sqrt(2 / pi)", "|x| + √(2 / π)"),
    ],
)
def test_operators_are_written_as_in_mathematics(formula, text):
    assert mathematics(formula) == text


@pytest.mark.parametrize("name", [op.name for op in OPS.values() if op.partials and not op.variadic])
def test_what_is_written_has_the_value_of_what_runs(name):
    """Read back as Python, at some points; conditions are tried in their order."""
    op = OPS[name]
    letters = ", ".join((*op.arguments, "y"))
    for formula in op.partials:
        runs = scalar_function(formula, letters)
        for a in POINTS:
            inputs = (a, 1.5)[: len(op.arguments)]
            if op.defined(*inputs) and INFINITE.get(name) != a:
                values = (*inputs, op.scalar(*inputs))
                assert read_back(formula, dict(zip(letters.split(", "), values, strict=True))) == pytest.approx(
                    runs(*values), nan_ok=True
                )


def read_back(formula, names):
    known = {**names, "σ": lambda x: 1 / (1 + math.exp(-x)), "π": math.pi, "root": math.sqrt, "__builtins__": {}}
    known |= {name: getattr(math, name) for name in ("log", "exp", "tanh", "sin", "cos")} | {"min": min, "max": max}
    for case in cases_of(formula):
        if case.condition in ("", OTHERWISE) or eval(_python(case.condition), known):
            return eval(_python(case.value), known)
    raise AssertionError("no case holds")


def _python(text):
    text = re.sub("[²³]", lambda found: f"**{'²³'.index(found[0]) + 2}", text)
    text = text.replace("√", "root")
    for sign, operator in (("·", "*"), ("−", "-"), ("^", "**"), (" = ", " == "), ("≥", ">="), ("≤", "<="), ("≠", "!=")):
        text = text.replace(sign, operator)
    return text


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("where(x > 0, 0.0, x + 1)", "0.0 if n > 0 else n + 1"),
        ("where(x == 0, 0.0, 1 / x)", "1 / n"),
        ("where(x == 0, 0.0, log(x))", "0.0 if n == 0 else log(n)"),
    ],
)
def test_a_formula_of_the_table_becomes_python_without_the_guard_of_a_case_that_does_not_occur(formula, text):
    assert with_texts(formula, {"x": "n"}) == text
