"""What a Value is: numbers and arrays, operators, backward and its sums."""

import gc
import weakref

import numpy as np
import pytest

from engine.autograd import (
    Constant,
    ShapeError,
    Value,
    ValueDataError,
    logsumexp,
    neuron_sum,
    topological_order,
    weighted_sum,
)


def test_reused_variable_accumulates():
    a = Value(3.0)
    b = a + a
    b.backward()
    assert a.grad == 2.0


def test_a_square_has_two_edges():
    x = Value(3.0)
    y = x * x
    assert y.inputs == (x, x)
    y.backward()
    assert x.grad == 6.0


def test_grad_is_none_until_it_is_computed():
    a = Value(1.0)
    b = a * 2
    assert not a.grad_computed and not b.grad_computed
    b.backward()
    assert (a.grad, b.grad) == (2.0, 1.0)


def test_a_gradient_of_zero_is_not_a_missing_one():
    a, b = Value(0.0), Value(5.0)
    (a * b).backward()
    assert b.grad == 0.0


def test_leaves_add_up_over_calls_and_can_be_reset():
    a = Value(2.0)
    loss = a * a
    loss.backward()
    loss.backward()
    assert a.grad == 8.0
    a.grad = None
    loss.backward()
    assert a.grad == 4.0


def test_the_gradient_of_a_leaf_by_itself_is_one():
    a = Value(2.0)
    a.backward()
    assert a.grad == 1.0


def test_numbers_on_either_side_become_constants():
    x = Value(3.0)
    for y, data in [(x + 1, 4), (1 + x, 4), (x - 1, 2), (1 - x, -2), (x * 2, 6), (2 * x, 6), (x / 2, 1.5), (6 / x, 2),
                    (x**2, 9), (2**x, 8), (-x, -3), (abs(-x), 3)]:  # fmt: skip
        assert y.data == data
        assert all(isinstance(source, Constant) or source is x or source.op for source in y.inputs)


def test_reflected_operators_keep_the_order_of_the_formula():
    x = Value(4.0)
    assert [source.data for source in (1 - x).inputs] == [1.0, 4.0]
    assert [source.data for source in (x - 1).inputs] == [4.0, 1.0]


def test_whole_numbers_become_floats():
    assert type(Value(2).data) is float
    assert type((Value(2) + 1).data) is float
    assert type(Value(np.float32(0.5)).data) is float


@pytest.mark.parametrize("data", ["2", None, True, 1j, object(), [1, "a"], Value(1.0)])
def test_only_real_numbers_are_data(data):
    with pytest.raises(ValueDataError, match=r"real numbers|holds numbers"):
        Value(data)


def test_text_beside_a_value_is_a_type_error():
    with pytest.raises(TypeError):
        Value(1.0) + "a"


def test_repr_is_the_one_of_the_tutorials():
    a = Value(4.0)
    assert repr(a) == "Value(data=4.0000, grad=0.0000)"
    a.backward()
    assert repr(a) == "Value(data=4.0000, grad=1.0000)"


def test_topological_order_puts_inputs_first_and_each_once():
    a, b = Value(1.0), Value(2.0)
    c = a * b
    root = (c + a) * c
    order = topological_order(root)
    assert order[-1] is root
    assert len(order) == len(set(order)) == 5
    place = {value: index for index, value in enumerate(order)}
    assert all(place[source] < place[value] for value in order for source in value.inputs)


@pytest.mark.slow
def test_a_chain_of_a_hundred_thousand_additions():
    x = Value(1.0)
    total = x
    for _ in range(100_000):
        total = total + x
    total.backward()
    assert total.data == x.grad == 100_001.0
    del total  # and a deep graph is freed without recursion


def test_thirty_doublings_are_exact():
    a = Value(1.0)
    b = a
    for _ in range(30):
        b = b + b
    b.backward()
    assert b.data == a.grad == 2.0**30


def test_values_form_no_reference_cycles():
    for _ in range(2):  # operators are compiled when they are first used, from trees that do form cycles
        gc.collect()
        x = Value(1.0)
        y = (x * 2 + x.tanh()).exp()
        y.backward()
        del x, y
    assert gc.collect() == 0


def test_weighted_sum_is_products_and_sums():
    w, x, b = [Value(0.5), Value(-2.0)], [Value(3.0), Value(4.0)], Value(1.0)
    neuron = weighted_sum(w, x, b)
    assert neuron.data == 0.5 * 3 - 2 * 4 + 1
    assert neuron.inputs == (w[0], x[0], w[1], x[1], b)
    neuron.backward()
    assert [value.grad for value in neuron.inputs] == [3.0, 0.5, 4.0, -2.0, 1.0]


def test_weighted_sum_with_a_shared_weight_accumulates():
    w, x = Value(2.0), Value(3.0)
    weighted_sum([w, w], [x, w], w).backward()
    assert w.grad == 3.0 + 2 * 2.0 + 1.0
    assert x.grad == 2.0


def test_logsumexp_of_huge_numbers():
    values = [Value(1000.0), Value(1000.0)]
    total = logsumexp(values)
    total.backward()
    assert total.data == pytest.approx(1000.0 + np.log(2), rel=1e-15)
    assert [value.grad for value in values] == pytest.approx([0.5, 0.5], rel=1e-12)


def test_broadcasting_is_undone():
    rows, column, number = Value(np.ones((3, 4))), Value(np.ones((3, 1))), Value(2.0)
    row = Value(np.ones(4))
    ((rows * column + row) * number).sum().backward()
    assert rows.grad.shape == (3, 4) and np.all(rows.grad == 2.0)
    assert column.grad.shape == (3, 1) and np.all(column.grad == 8.0)
    assert row.grad.shape == (4,) and np.all(row.grad == 6.0)
    assert number.grad == 24.0 and type(number.grad) is float


def test_numpy_arrays_beside_values_become_constants():
    x = Value(np.array([1.0, 2.0]))
    (np.array([3.0, 4.0]) * x).sum().backward()
    assert x.grad.tolist() == [3.0, 4.0]


def test_arrays_are_copied():
    data = np.array([1.0, 2.0])
    x = Value(data)
    data[0] = 9.0
    assert x.data[0] == 1.0


def test_backward_of_an_array_is_refused():
    with pytest.raises(ValueDataError, match="single number"):
        (Value(np.ones(3)) * 2).backward()


def test_shapes_that_do_not_fit_are_named():
    with pytest.raises(ShapeError, match=r"\(2,\) and \(3,\)"):
        Value(np.ones(2)) + Value(np.ones(3))
    with pytest.raises(ShapeError, match="matmul"):
        Value(np.ones((2, 3))) @ Value(np.ones((2, 3)))


def test_an_unused_branch_gets_no_gradient():
    x = Value(2.0)
    unused = x * 3
    (x * 2).backward()
    assert not unused.grad_computed
    assert x.grad == 2.0


def test_a_gradient_is_0_before_a_backward_pass_and_says_that_it_was_not_computed():
    a = Value(3.0)
    assert (a.grad, a.grad_computed, a.known_grad) == (0.0, False, None)
    a.grad += 1
    assert (a.grad, a.grad_computed, a.known_grad) == (1.0, True, 1.0)
    a.grad = None
    assert not a.grad_computed
    assert Value([1.0, 2.0]).grad.tolist() == [0.0, 0.0]


def test_micrograd_s_names_can_be_read():
    a, b = Value(2.0, label="a"), Value(3.0, label="b")
    assert (a * b)._prev == {a, b} and (a * b)._op == "*" and a._prev == set() and a._op == ""
    assert weakref.ref(a)() is a


def test_an_operation_made_by_hand_passes_gradients_on_by_its_own_rule():
    def product(x, y):
        out = Value(x.data * y.data, (x, y), "*")

        def backward():
            x.grad += y.data * out.grad
            y.grad += x.data * out.grad

        out._backward = backward
        return out

    a, b, c = Value(2.0), Value(3.0), Value(-1.5)
    product(product(a, b) + a, c).backward()
    assert (a.grad, b.grad, c.grad) == (-6.0, -3.0, 8.0)


def test_backward_can_be_practised_by_hand():
    x = Value(3.0)
    y = x * x + 1.0
    y.grad = 1.0
    for value in reversed(topological_order(y)):  # leaves too, which pass nothing on
        value._backward()
    assert x.grad == 6.0


def test_a_leaf_passes_nothing_on_whatever_rule_it_is_given():
    x = Value(3.0)
    x._backward = lambda: setattr(x, "grad", 100.0)
    (x * 2).backward()
    x._backward()
    assert x.grad == 2.0 and x.op is None


def test_a_neuron_with_computed_weights_is_differentiated_also_where_it_is_called_with_its_own_output():
    s, x = Value(0.5), Value(3.0)
    parameters = (s * 2, s * 3)
    first = neuron_sum(parameters, (x,), [x.data])
    neuron_sum(parameters, (first,), [first.data]).backward()  # 2s (2s x + 3s) + 3s
    assert (s.grad, x.grad) == (4 * 3.0 + 6.0 + 3.0, 1.0)


@pytest.mark.parametrize(("a", "b", "data", "grads"), [
    (1.0, 0.0, np.inf, (np.inf, -np.inf)), (-2.0, 0.0, -np.inf, (np.inf, np.inf)), (0.0, 4.0, 0.0, (0.25, -0.0)),
])  # fmt: skip
def test_a_division_by_zero_gives_what_ieee_754_says_in_both_directions(a, b, data, grads):
    a, b = Value(a), Value(b)
    quotient = a / b
    quotient.backward()
    assert (quotient.data, a.grad, b.grad) == (data, *grads)


def test_a_power_beyond_the_floats_is_infinite_and_so_is_its_slope():
    x = Value(1e200)
    power = x**3
    power.backward()
    assert power.data == np.inf and x.grad == np.inf
