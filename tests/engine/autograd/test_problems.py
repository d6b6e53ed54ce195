"""Mathematical trouble is found at the node that causes it, from data alone."""

import math

import numpy as np
import pytest

from engine.autograd import OPS, Value, apply, problem_of
from engine.autograd.problems import OVERFLOW, UNDERFLOW


def problem(name, *inputs):
    return problem_of(apply(OPS[name], *[Value(x) for x in inputs]))


@pytest.mark.parametrize(
    ("name", "inputs", "words"),
    [
        ("log", [0.0], OPS["log"].domain.problem),
        ("log", [-1.0], OPS["log"].domain.problem),
        ("sqrt", [-1.0], OPS["sqrt"].domain.problem),
        ("div", [1.0, 0.0], "division by zero"),
        ("div", [0.0, 0.0], "division by zero"),
        ("pow", [-8.0, 1 / 3], OPS["pow"].domain.problem),
        ("pow", [0.0, -1.0], OPS["pow"].domain.problem),
        ("pow", [0.0, -0.5], OPS["pow"].domain.problem),
        ("pow", [-2.0, -3.0], None),
        ("pow", [0.0, 0.5], None),
        ("pow", [0.0, 0.0], None),
        ("pow", [math.nan, 0.0], None),
        ("exp", [1000.0], OVERFLOW),
        ("mul", [1e308, 10.0], OVERFLOW),
        ("add", [1.7e308, 1.7e308], OVERFLOW),
        ("pow", [10.0, 400.0], OVERFLOW),
        ("mul", [1e-200, 1e-200], UNDERFLOW),
        ("div", [5e-324, 2.0], UNDERFLOW),
        ("exp", [-1000.0], UNDERFLOW),
        ("pow", [0.1, 400.0], UNDERFLOW),
        ("sub", [math.inf, math.inf], "not a number: inf - inf"),
        ("mul", [0.0, math.inf], "not a number: 0.0 × inf"),
        ("sin", [math.inf], "not a number: sin(inf)"),
    ],
)
def test_trouble_is_named(name, inputs, words):
    assert problem(name, *inputs) == words


@pytest.mark.parametrize(
    ("name", "inputs"),
    [("mul", [0.0, 5.0]), ("exp", [0.0]), ("sigmoid", [-1000.0]), ("relu", [-3.0]), ("pow", [0.0, 2.0]),
     ("pow", [-2.0, 3.0]), ("pow", [0.0, 0.0]), ("sqrt", [0.0]), ("sub", [2.0, 2.0]), ("tanh", [1e308]),
     ("div", [0.0, 3.0]), ("log", [1.0])],
)  # fmt: skip
def test_ordinary_results_are_no_trouble(name, inputs):
    assert problem(name, *inputs) is None


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_trouble_of_an_input_is_not_blamed_on_the_node(bad):
    assert problem("add", bad, 1.0) is None
    assert problem("exp", bad) is None
    assert problem("max", bad, 1.0) is None


def test_leaves_that_are_no_numbers():
    assert problem_of(Value(math.inf)) == OVERFLOW
    assert problem_of(Value(math.nan)) == "not a number"
    assert problem_of(Value(1.0)) is None


def test_arrays():
    x = Value(np.array([1.0, 0.0]))
    assert problem_of(x) is None
    assert problem_of(x.log()) == OVERFLOW
    assert problem_of((x - 1).log()) == "not a number"
    assert problem_of(x.log() + 1) is None
    assert problem_of(Value([1e308, 1e308]).sum()) == OVERFLOW
    assert problem_of(Value([math.inf, 1.0]).sum()) is None
