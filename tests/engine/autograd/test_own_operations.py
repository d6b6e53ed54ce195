"""Operations of one's own, and formulas that call whatever math and numpy have."""

import doctest
import math

import numpy as np
import pytest

from engine.autograd import OPS, FormulaError, Op, Value, add_operation, apply, check_gradients, contributions, ops
from engine.autograd.expand import expand
from engine.teaching import Explainer, Walk

CUBE = Op("cube", "x**3", ("3 * x**2",), rule="A cube multiplies the upstream gradient by 3·x².")
HYPOT = Op("hypot", "hypot(a, b)", ("a / y", "b / y"), rule="The longer side of a right triangle.")
NORM = Op("norm", "sqrt(dot(x, x))", ("x / y",), variadic=True, rule="The length of a vector.")
PAIRS = Op("pairs", "2 * dot(w, x) + b", ("2 * x", "2 * w", "1"), variadic=True, paired=True, rule="Twice the pairs.")


@pytest.fixture
def table():
    """The table as it was, whatever a test puts into it."""
    before = dict(OPS)
    yield
    for name in OPS.keys() - before.keys():
        del OPS[name]
        delattr(Value, name)


@pytest.mark.parametrize("op, numbers", [(CUBE, [2.0]), (HYPOT, [3.0, -4.0]), (NORM, [1.0, 2.0, 2.0]),
                                         (PAIRS, [1.0, 2.0, 3.0, 4.0, 5.0])], ids=lambda thing: str(thing))  # fmt: skip
def test_an_operation_outside_the_table_goes_everywhere_a_value_goes(op, numbers):
    values = [Value(number, f"v{i}") for i, number in enumerate(numbers)]
    root = apply(op, *values) * 2
    root.backward()
    assert all(row.ok and row.agreeing_digits >= 6 for row in check_gradients(root))
    assert {edge.input: edge.amount for edge in contributions(root) if edge.node is not root}.keys() == set(values)
    assert Explainer(root).explain(values[0]).text and len(Walk(root)) == 2 + 1 + len(values) + 1
    assert expand(root).root.data == root.data
    before = values[0].grad
    values[0].data = 2
    root.backward()
    assert values[0].grad != before


@pytest.mark.parametrize("op", [CUBE, HYPOT], ids=str)
def test_an_operation_outside_the_table_takes_arrays(op):
    arrays = [Value(np.array([1.5, -2.0, 0.5])), Value(np.array([[1.0], [2.0]]))][: op.arity]
    assert all(row.ok for row in check_gradients(apply(op, *arrays).sum()))


def test_in_the_table_it_is_a_method(table):
    add_operation(CUBE)
    x = Value(2.0)
    x.cube().backward()
    assert (x.cube().data, x.grad) == (8.0, 12.0)
    assert Value([1.0, 2.0]).cube().data.tolist() == [1.0, 8.0]
    add_operation(HYPOT)
    assert x.hypot(1.5).data == 2.5
    assert "hypot(a, b)" in Value.hypot.__doc__


@pytest.mark.parametrize("name", ["tanh", "backward", "data", "two words", ""])
def test_a_name_that_is_taken_is_refused(name):
    with pytest.raises(ValueError, match="cannot be called"):
        add_operation(Op(name, "x", ("1",)))


def test_an_entry_put_into_the_table_by_hand_can_be_applied(table):
    OPS["cube"] = CUBE
    Value.cube = None  # for the fixture
    x = Value(2.0)
    apply(OPS["cube"], x).backward()
    assert x.grad == 12.0


@pytest.mark.slow
def test_the_example_of_the_documentation_runs(table):
    found = doctest.testmod(ops)
    assert found.attempted > 8 and found.failed == 0


@pytest.mark.parametrize("formula, partial, point", [
    ("arctan(x)", "1 / (1 + x**2)", 0.7),
    ("atan(x)", "1 / (1 + x**2)", 0.7),
    ("sinh(x)", "cosh(x)", -1.2),
    ("log10(x)", "1 / (x * log(10.0))", 3.0),
    ("erf(x)", "2 / sqrt(pi) * exp(-x**2)", 0.4),
    ("sinc(x)", "where(x == 0, 0.0, (cos(pi * x) - sinc(x)) / x)", 0.3),
    ("logaddexp(x, 0.0)", "sigmoid(x)", -0.3),
    ("expm1(x)", "exp(x)", 0.2),
    ("cbrt(x)", "1 / (3 * cbrt(x)**2)", 2.0),
    ("nan_to_num(x) * x", "2 * x", 1.5),
])  # fmt: skip
def test_a_formula_calls_any_function_of_math_and_numpy(formula, partial, point):
    op = Op("own", formula, (partial,))
    x = Value(point, "x")
    root = apply(op, x) * 3
    root.backward()
    assert type(root.data) is type(x.grad) is float
    assert all(row.ok and row.agreeing_digits >= 7 for row in check_gradients(root))
    array = Value(np.array([point, point]))
    apply(op, array).sum().backward()
    assert array.grad[1] * 3 == pytest.approx(x.grad, rel=1e-14)
    assert apply(op, array).data[0] * 3 == pytest.approx(root.data, rel=1e-14)


def test_functions_from_outside_follow_ieee_754():
    def value(formula, *numbers):
        return apply(Op("own", formula, ("1",) * len(numbers)), *map(Value, numbers)).data

    assert value("acosh(x)", 0.0) != value("acosh(x)", 0.0)
    assert value("cosh(x)", 1e4) == math.inf
    assert value("gamma(x)", 1e4) != 0 and value("lgamma(x)", 0.0) != 0
    assert value("fmod(a, b)", 1.0, 0.0) != value("fmod(a, b)", 1.0, 0.0)


@pytest.mark.parametrize("formula, words", [
    ("artcan(x)", "artcan, which neither math nor numpy has, did you mean arctan"),
    ("float64(x)", "neither math nor numpy has"),
    ("np.arctan(x)", "calls of functions by their bare names"),
    ("x.data", "bare names"),
    ("x if x > 0 else 0", "made of numbers, names, operators"),
    ("max(x, default=1)", "made of numbers"),
    ("'x'", "made of numbers"),
    ("x +", "cannot be read"),
    ("a + x", "names a, which is not one of its inputs"),
])  # fmt: skip
def test_a_formula_that_cannot_run_says_why(formula, words):
    with pytest.raises(FormulaError, match=words):
        apply(Op("own", formula, ("1",)), 1.0)


def test_an_operation_needs_a_derivative_for_each_input():
    for settings in ({}, {"partials": ("1", "1", "1")}, {"partials": ("1",), "vjps": ("g",)},
                     {"partials": ("1", "1"), "variadic": True}, {"partials": ("1", "1"), "paired": True}):  # fmt: skip
        with pytest.raises(ValueError, match="one for each of its one or two inputs"):
            Op("own", "x", **settings)
