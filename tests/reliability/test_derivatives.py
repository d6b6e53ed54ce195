"""Derivatives at random points; a wrong one is found, and so is an operation that is not tried."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from engine.autograd import OPS, Op
from tests.reliability.derivatives import ARRAYS, LISTS, NUMBERS, compare, drawn_case, forms, main

EVERY_FORM = [pytest.param(op, form, id=f"{op.name}-{form}") for op in OPS.values() for form in forms(op)]


def compared_wrong(name, form, **formulas):
    """Compare an operation of the table with other derivatives."""
    return compare(replace(OPS[name], **formulas), form, 60)


@pytest.mark.parametrize(("op", "form"), EVERY_FORM)
def test_each_derivative_is_the_slope_at_random_points(op, form):
    found = compare(op, form, 20, seed=1)
    assert found.ok, str(found)
    assert found.complex is not None


@pytest.mark.long
@pytest.mark.parametrize(("op", "form"), EVERY_FORM)
def test_each_derivative_is_the_slope_at_ten_thousand_points(op, form):
    found = compare(op, form, 10_000)
    assert found.ok, str(found)
    assert found.points == 10_000 * (op.arity if form == NUMBERS else 1)


@pytest.mark.parametrize("form", [NUMBERS, ARRAYS])
def test_a_derivative_that_is_wrong_by_a_millionth_is_found(form):
    assert not compared_wrong("tanh", form, partials=("(1 - y**2) * 1.000001",)).ok


@pytest.mark.parametrize(
    ("name", "form", "formulas"),
    [
        ("weighted_sum", LISTS, {"partials": ("x", "w", "1.000001")}),
        ("logsumexp", LISTS, {"partials": ("exp(x - y) * 1.000001",)}),
        ("matmul", ARRAYS, {"vjps": ("matmul_left(g, a, b)", "1.000001 * matmul_right(g, a, b)")}),
        ("mean", ARRAYS, {"vjps": ("spread(g, x, axis, keepdims) / (count(x, axis) + 1)",)}),
        ("amax", ARRAYS, {"vjps": ("spread(g, x, axis, keepdims) / count(x, axis)",)}),
        ("getitem", ARRAYS, {"vjps": ("scatter(g, x, index) / max(scatter(g / g, x, index), 1.0)",)}),
        ("logsumexp_rows", ARRAYS, {"vjps": ("column(g) * exp(x)",)}),
    ],
)
def test_a_wrong_derivative_of_lists_or_arrays_is_found(name, form, formulas):
    found = compared_wrong(name, form, **formulas)
    assert not found.ok
    assert not found.problem


def test_a_derivative_that_is_no_number_is_found():
    assert not compared_wrong("relu", NUMBERS, partials=("where(x > 0, 1.0, log(x))",)).ok


@pytest.mark.parametrize("form", [NUMBERS, ARRAYS])
def test_points_at_kinks_are_replaced_by_others(form):
    mostly_kinks = replace(OPS["mul"], kink="max(a - 1.0, 0.0)")
    found = compare(mostly_kinks, form, 20)
    assert found.ok, str(found)
    assert found.points == (40 if form == NUMBERS else 20)


@pytest.mark.slow
def test_shapes_of_every_kind_that_an_operation_allows_are_drawn():
    rng = np.random.default_rng(0)
    shapes = [[np.shape(data) for data in drawn_case(OPS["matmul"], ARRAYS, rng).datas] for _ in range(250)]
    axes = Counter(tuple(map(len, pair)) for pair in shapes)
    assert set(axes) == {(left, right) for left in range(1, 5) for right in range(1, 5)}
    shapes = [[np.shape(data) for data in drawn_case(OPS["mul"], ARRAYS, rng).datas] for _ in range(100)]
    stretched = [pair for pair in shapes if len(pair[0]) == len(pair[1]) and pair[0] != pair[1]]
    assert len(stretched) > 5 and any(() in pair for pair in shapes)
    settings = [dict(drawn_case(OPS["amax"], ARRAYS, rng).op.settings) for _ in range(100)]
    assert {(type(each["axis"]), each["keepdims"]) for each in settings} == {
        (kind, kept) for kind in (int, tuple, type(None)) for kept in (True, False)
    }


@pytest.mark.parametrize(
    "op",
    [
        Op("cumulated", "cumsum(x, by)", vjps=("g",), settings=(("by", 0),)),
        Op("solved", "solve(a, b, 1, 2, 3)", vjps=("g", "g")),
        Op("constant", "abs(x) - abs(x)", ("0 * x",), kink="0 * x"),
        Op("doubled", "2 * x", vjps=("g",)),
    ],
    ids=lambda op: op.name,
)
def test_a_new_operation_that_is_wrong_or_cannot_be_tried_fails_the_check(op, monkeypatch, capsys):
    kept = {"tanh": OPS["tanh"], op.name: op}
    monkeypatch.setattr("tests.reliability.derivatives.OPS", kept)
    assert main(["5"]) == 1
    lines = capsys.readouterr().out.splitlines()
    complaint = "DIFFERS" if op.name == "doubled" else "CANNOT BE TRIED"
    assert any(line.startswith(op.name) and complaint in line for line in lines)


def test_the_command_prints_its_help(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    assert "POINTS" in capsys.readouterr().out
