"""Every path between two values, and their sum."""

import math

import pytest

from engine.autograd import Constant, Value, gradients_of, topological_order
from engine.language import evaluate
from engine.teaching.paths import MOST_PATHS, paths_between
from tests.programs import README_OF_MICROGRAD

DIAMOND = "a = -2.0\nb = 3.0\nd = a*b\ne = a + b\nf = d*e"


def between(text, one, other):
    names = evaluate(text).names
    return paths_between(names[one], names[other])


def test_the_products_along_both_ways_of_a_diamond_are_summed():
    assert between(DIAMOND, "b", "f").text.split("\n") == [
        "Every path from b to f",
        "There are 2 paths; the derivative is the sum of their products.",
        "b → + → e → × → f",
        "∂f/∂e × ∂e/∂b = -6 × 1 = -6",
        "b → × → d → × → f",
        "∂f/∂d × ∂d/∂b = 1 × (-2) = -2",
        "df/db = -6 + (-2) = -8",
    ]


def test_a_single_path_is_the_derivative():
    assert between(DIAMOND, "a", "d").text.split("\n") == [
        "Every path from a to d",
        "There is one path, so its product is the whole derivative.",
        "a → × → d",
        "∂d/∂a = 3",
        "dd/da = 3",
    ]


def test_which_of_the_two_was_chosen_first_does_not_matter():
    assert between(DIAMOND, "f", "b").text == between(DIAMOND, "b", "f").text


def test_values_between_the_ends_need_not_be_leaf_and_root():
    found = between("x = 2.0\ny = x*x\nz = y*y*x\nw = z + 1", "y", "z")
    assert found.number == 2 and found.total == 16.0 == math.fsum(path.product for path in found.paths)


def test_a_square_has_two_paths():
    found = between("x = 3.0\ny = x*x", "x", "y")
    assert found.text.split("\n")[1:] == [
        "There are 2 paths; the derivative is the sum of their products.",
        "x → × → y",
        "∂y/∂x (1st operand) = 3",
        "x → × → y",
        "∂y/∂x (2nd operand) = 3",
        "dy/dx = 3 + 3 = 6",
    ]


def test_values_without_a_path_between_them_say_so():
    assert between(DIAMOND, "a", "b").text.endswith("There is no path between a and b: neither is computed from "
                                                    "the other.")  # fmt: skip
    assert between(DIAMOND, "a", "a").total == 1.0


def test_of_a_million_paths_the_first_are_walked_and_the_rest_summed_all_the_same():
    text = "y = 1.0\nx = y\n" + "y = y + y\n" * 20
    names = evaluate(text)
    found = paths_between(names.names["x"], names.root)
    assert found.number == 2**20 and len(found.paths) == MOST_PATHS
    assert found.total == 2.0**20
    assert f"{2**20 - MOST_PATHS:,} more paths add up to {2**20 - MOST_PATHS}." in found.text


@pytest.mark.parametrize("root", ["g", "e", "d"])
def test_the_sum_over_the_paths_is_the_gradient_of_backward(root):
    names = evaluate(README_OF_MICROGRAD).names
    gradients = gradients_of(names[root])
    for value in topological_order(names[root]):
        if not isinstance(value, Constant):
            assert paths_between(value, names[root]).total == pytest.approx(gradients[value], abs=1e-12)


def test_arrays_on_the_way_have_paths_and_no_product():
    x = Value(2.0, "x")
    found = paths_between(x, (x * Value([1.0, 2.0])).sum())
    assert found.number == 1 and found.paths[0].partials == ()
    assert "arrays" in found.text
