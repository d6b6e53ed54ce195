"""Arrays: indices, axes and products, each with its gradient, or with an error in our words."""

import dataclasses
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from engine.autograd import ShapeError, Value, apply, check_gradients, name_of, recompute, topological_order
from engine.teaching import Explainer

MATRIX = np.arange(12.0).reshape(3, 4) / 7.0
MASK = MATRIX > 0.6

INDICES = [0, -1, np.int64(2), slice(1, 3), slice(None, None, -2), (1, 2), (slice(None), 1), (..., 0), None, ...,
           [0, 2], [0, 0, 2], ([0, 0, 1], [1, 1, 3]), (slice(1, None), [3, 3, 0]), np.array([[0, 1], [1, 1]]), MASK,
           (MASK[:, 0], slice(None)), [True, False, True], [], (1, None, slice(0, 2))]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_an_index_takes_what_numpy_takes_and_its_gradient_goes_back_there(index):
    x = Value(MATRIX, "x")
    taken = x[index]
    assert np.array_equal(taken.data, MATRIX[index])
    weights = np.random.default_rng(0).normal(size=np.shape(taken.data))
    root = (taken * weights).sum()
    root.backward()
    expected = np.zeros_like(MATRIX)
    np.add.at(expected, index, weights)
    assert x.grad == pytest.approx(expected, abs=1e-15)
    assert all(row.ok for row in check_gradients(root))


def test_a_single_element_is_a_number():
    x = Value(MATRIX)
    assert type(x[1, 2].data) is float and x[1, 2].shape == ()
    total = x[1, 2] * x[1, 2] + x[0][1]
    total.backward()
    assert x.grad[1, 2] == 2 * MATRIX[1, 2] and x.grad[0, 1] == 1.0


def test_elements_taken_are_copies_and_follow_a_new_forward_pass():
    x = Value([1.0, 2.0, 3.0])
    row = x[:2]
    row.data += 1
    assert x.data.tolist() == [1.0, 2.0, 3.0]
    x.data = [5.0, 6.0, 7.0]
    recompute(topological_order(row))
    assert row.data.tolist() == [5.0, 6.0]


def test_an_index_that_is_changed_later_changes_nothing():
    x, places = Value([1.0, 2.0]), np.array([0, 0])
    taken = x[places]
    places[:] = 1
    taken.sum().backward()
    assert x.grad.tolist() == [2.0, 0.0]


def test_values_of_an_array_can_be_walked_over_and_counted():
    x = Value([[1.0, 2.0], [3.0, 4.0]])
    first, second = x
    assert (first.data.tolist(), second.data.tolist(), len(x)) == ([1.0, 2.0], [3.0, 4.0], 2)
    (first * second).sum().backward()
    assert x.grad.tolist() == [[3.0, 4.0], [1.0, 2.0]]
    for bad in (len, list):
        with pytest.raises(TypeError, match="single number has no length"):
            bad(Value(1.0))


@pytest.mark.parametrize("index, text", [
    (0, "0"), (np.array(1), "1"), (slice(1, 2), "1:2"), (slice(None, None, 2), "::2"), ((..., 1), "..., 1"),
    ((slice(1, None), 0), "1:, 0"), (np.array([1, 0]), "[1, 0]"), ([1, 0, 1, 2], "[1, 0, 1, 2]"),
    (np.array([True, False, True]), "…"), ([0, 1] * 20, "…"),
])  # fmt: skip
def test_an_index_is_written_as_in_the_program_and_a_mask_or_many_numbers_as_dots(index, text):
    assert Value(MATRIX)[index].op.index_text == text


@pytest.mark.parametrize("index, words", [
    (3, r"the index 3 does not fit the shape \(3, 4\)"),
    ((0, 0, 0), "too many indices"),
    (1.0, "only integers, slices"),
    ("a", "only integers, slices"),
    ([True, False], "boolean index did not match"),
    (Value(1.0), "not of a Value"),
    ([0, 7], "out of bounds"),
])  # fmt: skip
def test_an_index_that_does_not_fit_says_so(index, words):
    with pytest.raises(IndexError, match=words):
        Value(MATRIX)[index]


def test_a_single_number_has_no_elements():
    with pytest.raises(IndexError, match="single number has no elements"):
        Value(1.0)[0]


AXES = [None, 0, 1, 2, -1, (0, 1), (0, 2), (-1, 0), (0, 1, 2), ()]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min"])
def test_reductions_along_any_axes(name):
    data = np.random.default_rng(1).normal(size=(2, 3, 4))
    for axis, keepdims in product(AXES, (False, True)):
        x, case = Value(data, "x"), f"axis={axis}, keepdims={keepdims}"
        reduced = getattr(x, name)(axis=axis, keepdims=keepdims)
        expected = getattr(np, name)(data, axis=axis, keepdims=keepdims)
        assert reduced.data == pytest.approx(expected, rel=1e-15), case
        assert np.shape(reduced.data) == np.shape(expected), case
        root = (reduced.sin() * np.arange(1.0, 1.0 + np.size(reduced.data)).reshape(np.shape(reduced.data))).sum()
        root.backward()
        assert x.grad.shape == data.shape, case
        assert all(row.ok for row in check_gradients(root)), case


def test_reductions_of_a_single_number_are_that_number():
    x = Value(3.0, "x")
    for reduced in (x.sum(), x.mean(), x.max(), x.min(), x.T):
        root = reduced * 2
        x.grad = None
        root.backward()
        assert (root.data, x.grad) == (6.0, 2.0)
        assert all(row.ok for row in check_gradients(root))
        assert "x" in Explainer(root).explain(x).text


@pytest.mark.parametrize("name", ["max", "min"])
def test_equal_elements_share_the_gradient_as_amax_of_pytorch_does(name):
    x = Value([[1.0, 1.0, 0.5], [2.0, 2.0, 2.0]] if name == "max" else [[1.0, 1.0, 1.5], [2.0, 2.0, 2.0]])
    getattr(x, name)(axis=1).sum().backward()
    assert x.grad[0].tolist() == [0.5, 0.5, 0.0]
    assert x.grad[1] == pytest.approx([1 / 3] * 3)
    a, b = Value(1.0), Value(1.0)
    getattr(a, name)(b).backward()
    assert (a.grad, b.grad) == (0.5, 0.5)


def test_max_with_another_value_stays_the_larger_of_two():
    assert Value([1.0, 5.0]).max(Value([3.0, 2.0])).data.tolist() == [3.0, 5.0]
    assert Value(-2.0).max(0).data == 0.0
    assert Value([1.0, 5.0]).min(2).data.tolist() == [1.0, 2.0]


def test_the_largest_that_is_not_a_number_gets_the_gradient():
    x = Value([np.nan, 1.0])
    total = x.max()
    assert np.isnan(total.data)
    total.backward()
    assert x.grad.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("axis, words", [
    (5, r"sum: there is no axis 5 in the shape \(3, 4\), whose axes are from 0 to 1"),
    (-3, "no axis -3"),
    ((0, 2), "no axis 2"),
    ((0, 0), "named twice"),
    ((0, -2), "named twice"),
    (1.5, "no axis 1.5"),
    (True, "no axis True"),
    ("0", "no axis '0'"),
])  # fmt: skip
def test_an_axis_that_is_not_there_is_named(axis, words):
    with pytest.raises(ShapeError, match=words):
        Value(MATRIX).sum(axis=axis)
    with pytest.raises(ShapeError, match="whose axes are none"):
        Value(1.0).mean(axis=0)


@pytest.mark.parametrize("left, right, shapes", [
    (Value(MATRIX), Value(MATRIX), r"\(3, 4\) and \(3, 4\) do not fit"),
    (Value(np.ones((2, 3, 4))), Value(np.ones((3, 4, 2))), r"\(2, 3, 4\) and \(3, 4, 2\) do not fit"),
    (Value(2.0), Value(MATRIX), r"write \* for a single number"),
    (Value(MATRIX), 2.0, r"write \* for a single number"),
    (3, Value(2.0), r"the shapes \(\) and \(\)"),
])  # fmt: skip
def test_products_that_do_not_fit_name_both_shapes(left, right, shapes):
    with pytest.raises(ShapeError, match=shapes):
        left @ right


def test_text_beside_a_product_is_a_type_error():
    with pytest.raises(TypeError):
        Value(MATRIX) @ "a"
    with pytest.raises(TypeError):
        None @ Value(MATRIX)


def test_stacks_of_matrices_are_multiplied_and_broadcast():
    chance = np.random.default_rng(3)
    a, b = Value(chance.normal(size=(5, 1, 2, 3)), "a"), Value(chance.normal(size=(4, 3, 2)), "b")
    product = a @ b
    assert product.shape == (5, 4, 2, 2)
    assert product.data == pytest.approx(a.data @ b.data)
    (product * product.data).sum().backward()
    assert a.grad == pytest.approx(np.sum(product.data @ np.swapaxes(b.data, -1, -2), axis=1, keepdims=True))
    assert b.grad == pytest.approx(np.sum(np.swapaxes(a.data, -1, -2) @ product.data, axis=0))


def test_elements_are_called_as_they_are_written():
    x = Value(MATRIX, "x")
    assert name_of(x[0]) == "x[0]"
    assert name_of(x[1:3, ::2]) == "x[1:3, ::2]"
    assert name_of(x[..., None]) == "x[..., None]"
    assert name_of(x[[0, 2]]) == "x[[0, 2]]"
    assert name_of(x[MASK]) == "x[…]"
    assert name_of((x + 1)[0]) == "(x+1)[0]"
    assert name_of(x.max(axis=0)) == "amax(x)"


numbers = st.floats(-2, 2, allow_nan=False).map(lambda x: round(x, 2) + 0.003)


@st.composite
def expressions(draw):
    """A function of some arrays that may be broadcast together, and the arrays."""
    shapes = draw(arrays.mutually_broadcastable_shapes(num_shapes=3, min_dims=0, max_dims=3, max_side=3)).input_shapes
    leaves = [draw(arrays.arrays(np.float64, shape, elements=numbers)) for shape in shapes]
    steps = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 50), st.integers(0, 50)), min_size=1, max_size=7))

    def build(values):
        values = list(values)
        for rule, i, j in steps:
            a, b = values[i % len(values)], values[j % len(values)]
            values.append(_rule(rule, j, a, b))
        return sum(value.sum() for value in values)

    return build, leaves


def _rule(rule, pick, a, b):
    """One more value from two: elementwise, an index, a reduction, a product; always of shapes that go together."""
    n = len(a.shape)
    if rule == 0 and n:
        return a[pick % a.shape[0]].sum() * b
    if rule == 1 and n and a.shape[0]:
        return a[[pick % a.shape[0], 0, 0]].mean() * b
    if rule == 2 and n:
        return a[::-1].sin().sum() * b
    if rule == 3 and n:
        return a.sum(axis=pick % n, keepdims=True) * b.tanh()
    if rule == 4 and n:
        return (a - a.mean(axis=-1, keepdims=True)) * b
    if rule == 5 and n and np.all(np.diff(np.sort(a.data, axis=None)) > 1e-3):
        return a.max(axis=pick % n, keepdims=True) * b
    if rule == 6 and n > 1:
        return (a.sigmoid() @ np.ones((a.shape[-1], 2))).mean() * b
    if rule == 7 and n == 2:
        return (a.sigmoid() @ a.T.cos()).mean() + b
    return (a * b, a + b.tanh(), a / (b * b + 1.0), a.sigmoid() - b)[rule % 4]


@pytest.mark.long
@settings(max_examples=80, deadline=None)
@given(expressions())
def test_random_array_expressions_agree_with_finite_differences(made):
    build, leaves = made
    values = [Value(leaf, f"x{i}") for i, leaf in enumerate(leaves)]
    root = build(values)
    root.backward()
    h = 1e-6
    for place, value in enumerate(values):
        assert np.shape(value.grad) == value.shape
        for index in np.ndindex(value.shape):
            sides = []
            for step in (h, -h):
                moved = [leaf.copy() for leaf in map(np.asarray, leaves)]
                moved[place][index] += step
                sides.append(build([Value(leaf) for leaf in moved]).data)
            slope = (sides[0] - sides[1]) / (2 * h)
            assert np.asarray(value.grad)[index] == pytest.approx(slope, rel=1e-5, abs=1e-6 * max(1.0, abs(root.data)))


def test_the_result_of_an_operation_shares_no_memory_with_its_input():
    x = Value(np.arange(6.0).reshape(2, 3))
    results = [x.T, x[0], x[:, 1:], x + 0.0, x.sum(axis=0)]
    x.data[:] = -1.0
    assert all(np.all(result.data >= 0.0) for result in results)


@pytest.mark.parametrize("shape", [(), (2, 3)])
def test_a_rule_of_ones_own_replaces_that_of_an_array_as_it_does_that_of_a_number(shape):
    x = Value(np.full(shape, 2.0))
    y = x * 3
    y._backward = lambda: setattr(x, "grad", x.grad + 10.0 * y.grad)
    (y.sum() if shape else y * 1.0).backward()
    assert np.array_equal(x.grad, np.full(shape, 10.0))
    y.grad = y.data * 0.0 + 2.0
    y._backward()
    assert np.array_equal(x.grad, np.full(shape, 30.0))


def test_behind_a_rule_that_passes_nothing_on_the_gradient_is_zero_in_every_element():
    x = Value(np.ones((2, 3)))
    y = x * 3
    y._backward = lambda: None
    y.sum().backward()
    assert np.array_equal(x.grad, np.zeros((2, 3)))


def test_the_rule_of_one_array_called_alone_undoes_the_broadcasting():
    x, factor = Value(np.array([1.0, 2.0, 3.0])), Value(2.0)
    y = x * factor
    y.grad = np.ones(3)
    y._backward()
    assert factor.grad == 6.0 and x.grad.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("data", "n_right"),
    [([-1.0, -3.0, -1.0], 3), ([1.0, 2.0, 2.0], 3), ([1.0, 2.0, -2.0], 2), ([-3.0, -1.0, -2.0], 2)],
)
def test_where_elements_tie_for_the_largest_every_share_is_right_and_elsewhere_one_is(data, n_right):
    largest = Value(data).max().op
    shared = dataclasses.replace(largest, vjps=("g * where(x == y, 0.7, 0.0)",))
    rows = check_gradients(apply(shared, Value(data)))[:3]
    assert sum(row.ok for row in rows) == n_right
    assert any(row.note.startswith("at a kink of amax") for row in rows) == (n_right == 3)


@pytest.mark.parametrize(
    ("data", "axis", "right"),
    [([[1.0, 1.0], [4.0, 3.0]], 1, [True, False, True]), ([[1.0, 4.0], [1.0, 3.0]], 0, [True, True, True]),
     ([[1.0, 2.0], [2.0, 1.0]], 0, [True, False, True]), ([[1.0, 2.0], [2.0, 1.0]], None, [True, True, True])],
)  # fmt: skip
def test_elements_tie_along_the_axis_of_a_reduction_alone(data, axis, right):
    largest = Value(data).max(axis=axis).op
    chosen = "where(x == spread(y, x, axis, keepdims), 0.7, 0.0)"
    shared = dataclasses.replace(largest, vjps=(f"spread(g, x, axis, keepdims) * {chosen}",))
    rows = check_gradients(apply(shared, Value(data)).sum())[:3]  # the elements [0, 0], [1, 0], [1, 1]
    assert [row.ok for row in rows] == right
