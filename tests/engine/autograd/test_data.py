"""Whatever number is put into a Value, at any time, it is a float or a float64 array, or refused in our words."""

import copy
import decimal
import fractions
import gc
import pickle

import numpy as np
import pytest

from engine.autograd import (
    OPS,
    Constant,
    Op,
    ShapeError,
    Value,
    ValueDataError,
    apply,
    check_gradients,
    contributions,
    logsumexp,
    recompute,
    topological_order,
    weighted_sum,
)
from engine.language import evaluate
from engine.network import Neuron
from engine.teaching import Explainer

KINDS = [np.float16, np.float32, np.float64, np.longdouble, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16]
KINDS += [np.uint32, np.uint64, int, fractions.Fraction, decimal.Decimal, np.array, lambda x: np.array(x, dtype="f4")]
OF_NUMBERS = [op for op in OPS.values() if op.elementwise or op.variadic]


def inputs_of(op):
    return [Value(1.25, name) for name in "abc"[: op.arity or 3]]


@pytest.mark.parametrize("op", OF_NUMBERS, ids=lambda op: op.name)
def test_any_number_set_as_data_is_a_float_for_every_operation(op):
    expected = inputs_of(op)
    expected[0] = Value(2.0, "a")
    plain = apply(op, *expected)
    plain.backward()
    for kind in KINDS:
        values = inputs_of(op)
        values[0].data = kind(2)
        assert type(values[0].data) is float, kind
        found = apply(op, *values)
        found.backward()
        assert type(found.data) is float and found.data == plain.data, kind
        assert [value.grad for value in values] == [value.grad for value in expected], kind
        assert repr(found) == repr(plain), kind
        assert Explainer(found).explain(values[0]).text == Explainer(plain).explain(expected[0]).text, kind
        assert [row.ok for row in check_gradients(found)] == [row.ok for row in check_gradients(plain)], kind


@pytest.mark.parametrize("op", OF_NUMBERS, ids=lambda op: op.name)
def test_data_set_after_the_forward_pass_goes_through_backward_and_forward_again(op):
    values = inputs_of(op)
    root = apply(op, *values)
    values[0].data = 2
    root.backward()
    recompute(topological_order(root))
    assert root.data == apply(op, *[Value(value.data) for value in values]).data
    assert type(values[0].data) is float


def test_the_loops_of_the_tutorials_take_numpy_numbers():
    w, x = Value(2.0), Value(np.array([1.0, 2.0]))
    for _ in range(3):
        w.grad, x.grad = 0, 0
        ((w * x).tanh()).sum().backward()
        w.data -= np.float64(0.1) * w.grad
        x.data -= np.float32(0.1) * x.grad
    assert type(w.data) is float
    assert x.data.dtype == np.float64


def test_numpy_numbers_in_grad_are_shown_and_added_to():
    a = Value(3)
    a.grad = np.float64(1)
    assert repr(a) == "Value(data=3.0000, grad=1.0000)"
    (a * 2).backward()
    assert a.grad == 3.0
    a.grad = 0
    assert repr(a) == "Value(data=3.0000, grad=0.0000)"


def test_an_array_set_as_data_is_copied_and_one_changed_in_place_stays():
    x, numbers = Value([1.0, 2.0]), np.array([3.0, 4.0])
    x.data = numbers
    numbers[0] = 9.0
    assert x.data.tolist() == [3.0, 4.0]
    held = x.data
    x.data += 1
    assert x.data is held and held.tolist() == [4.0, 5.0]


@pytest.mark.parametrize("data", ["2", b"2", None, True, 1j, np.complex64(1), [1j], np.array(["1"]), ["1", "2"], [None],
                                  np.array(["1"], dtype=object), np.array([1j], dtype=object), object(), [[1], [1, 2]],
                                  np.array("2020-01-01", dtype="datetime64[D]"), 10**400, {}, [Value(1.0)], Value(1.0),
                                  [1, "a"]])  # fmt: skip
def test_what_is_not_made_of_real_numbers_is_refused_wherever_it_comes_in(data):
    a = Value(1.0)
    with pytest.raises(ValueDataError, match=r"real numbers|holds numbers"):
        Value(data)
    with pytest.raises(ValueDataError, match=r"real numbers|holds numbers"):
        a.data = data
    assert a.data == 1.0


def test_what_is_refused_is_named_in_a_few_words():
    with pytest.raises(ValueDataError) as refused:
        Value("x" * 100_000)
    assert len(str(refused.value)) < 200
    with pytest.raises(ValueDataError, match="complex numbers"):
        Value(np.array([1 + 2j]))
    with pytest.raises(ValueDataError, match="rows of an array"):
        Value([[1, 2], [3]])


def test_numbers_of_every_kind_in_arrays():
    assert Value([True, False]).data.tolist() == [1.0, 0.0]
    assert (Value([1.0, 2.0]) * (np.array([1, 5]) > 3)).data.tolist() == [0.0, 2.0]
    assert Value(np.array([fractions.Fraction(1, 2), 3], dtype=object)).data.tolist() == [0.5, 3.0]
    assert Value(np.array([2**60])).data.tolist() == [2.0**60]
    assert np.isnan(Value([np.nan, 1.0]).sum().data)


def test_empty_arrays_go_through():
    x = Value(np.zeros((0, 3)))
    total = (x * 2).tanh().sum() + 1
    total.backward()
    assert total.data == 1.0 and x.grad.shape == (0, 3)
    assert np.isnan(x.mean().data)
    assert (x @ Value(np.ones((3, 2)))).shape == (0, 2)
    assert all(row.ok for row in check_gradients(total))
    with pytest.raises(ShapeError, match=r"no elements; the shape is \(0, 3\)"):
        x.max(axis=0)
    assert x.max(axis=1).shape == (0,)


def test_not_a_number_goes_through_and_raises_nothing():
    a, b = Value(float("nan"), "a"), Value([np.nan, 2.0], "b")
    root = (a * b).max() + a.max(1.0) + b.sum()
    root.backward()
    assert np.isnan(root.data)
    assert not any(row.ok for row in check_gradients(root))
    assert "nan" in repr(root)


def test_data_of_another_shape_before_backward_is_an_error_that_says_so():
    a = Value(1.0, "a")
    root = (a * 2).sum()
    a.data = np.ones(3)
    with pytest.raises(ShapeError, match="shape"):
        root.backward()
    x = Value(np.ones(3), "x")
    root = x.sum()
    x.grad = np.ones(4)
    with pytest.raises(ShapeError, match=r"'x' has the shape \(3,\) and a gradient of the shape \(4,\)"):
        root.backward()


def test_item_is_the_number_of_a_single_element():
    assert Value(3).item() == Value([[3.0]]).item() == Value([5.0, 3.0])[1].item() == 3.0
    assert type(Value([3]).item()) is float
    with pytest.raises(ValueDataError, match=r"single number; this value has the shape \(2,\)"):
        Value([1.0, 2.0]).item()


def test_zero_grad_resets_a_value_and_everything_it_was_computed_from():
    x, w = Value([1.0, 2.0]), Value(3.0)
    root = (x * w).sum()
    root.backward()
    root.zero_grad()
    assert (root.grad, w.grad, x.grad.tolist()) == (0.0, 0.0, [0.0, 0.0])
    root.backward()
    assert (w.grad, x.grad.tolist()) == (3.0, [3.0, 3.0])
    w.zero_grad()
    assert w.grad == 0.0 and x.grad.tolist() == [3.0, 3.0]


def test_a_value_is_true_whatever_its_number():
    assert Value(0.0) and Value(np.zeros(0))


@pytest.mark.parametrize("bad, words", [
    (lambda: weighted_sum([1.0, 2.0], [Value(1.0)], 0.0), "2 weights and 1 inputs"),
    (lambda: weighted_sum([1.0], [Value([1.0, 2.0])], 0.0), r"single numbers; input 2 has the shape \(2,\)"),
    (lambda: weighted_sum([1.0], ["x"], 0.0), "real numbers"),
    (lambda: logsumexp([]), "one value or more; it was given 0"),
    (lambda: apply(OPS["weighted_sum"], 1.0, 2.0), "pairs of a weight and an input"),
    (lambda: apply(OPS["tanh"], 1.0, 2.0), "tanh takes 1 input, not 2"),
    (lambda: apply(OPS["add"], 1.0), "add takes 2 inputs, not 1"),
    (lambda: Value(1.0).max("x"), "not a number"),
])  # fmt: skip
def test_wrong_inputs_are_said_in_our_words(bad, words):
    with pytest.raises((ValueError, TypeError), match=words):
        bad()


def test_plain_numbers_may_stand_in_a_weighted_sum():
    x = Value(3.0)
    total = weighted_sum([2, np.float32(1)], [x, 4.0], 1)
    total.backward()
    assert (total.data, x.grad) == (11.0, 2.0)
    assert all(isinstance(value, Constant) for value in total.inputs if value is not x)
    assert weighted_sum([], [], 5.0).data == 5.0


def graph():
    x, w = Value([1.0, 2.0], "x"), Value(3.0, "w")
    neuron = weighted_sum([w, w], [x[0], x[-1]], 1.0).tanh()
    root = (x * w).max(axis=0) + neuron + logsumexp([w, 2 * w]) + x.mean(axis=0, keepdims=True)[0]
    root.label = "root"
    root.backward()
    return root


def shape_of(root):
    order = topological_order(root)
    places = {id(value): place for place, value in enumerate(order)}
    return [(type(value), value.op and value.op.name, [places[id(source)] for source in value.inputs], value.label,
             np.asarray(value.data).tolist(), np.asarray(value.grad).tolist()) for value in order]  # fmt: skip


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda root: pickle.loads(pickle.dumps(root)),
                                    lambda root: pickle.loads(pickle.dumps(root, protocol=0))])  # fmt: skip
def test_a_copied_graph_is_the_same_and_shares_nothing(copied):
    root = graph()
    twin = copied(root)
    assert shape_of(twin) == shape_of(root)
    assert not {id(value) for value in topological_order(twin)} & {id(value) for value in topological_order(root)}
    twin.zero_grad()
    twin.backward()
    root.zero_grad()
    root.backward()
    assert shape_of(twin) == shape_of(root)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda things: pickle.loads(pickle.dumps(things))])
def test_values_copied_together_share_what_they_shared(copied):
    x = Value([2.0, 3.0], "x")
    y, z = x * x, x.tanh()
    first, again, twin_z, leaf = copied((y, y, z, x))
    assert first is again
    assert first.inputs == (leaf, leaf) and twin_z.inputs == (leaf,)
    assert leaf is not x and leaf.data is not x.data
    leaf, first = copied([x, y])
    assert first.inputs == (leaf, leaf)


@pytest.mark.slow
def test_twenty_thousand_nodes_are_copied_without_recursion():
    x = Value(1.0)
    total = x
    for _ in range(20_000):
        total = total + x
    for twin in (copy.deepcopy(total), pickle.loads(pickle.dumps(total))):
        twin.backward()
        assert twin.data == twin.inputs[1].grad == 20_001.0
    both = pickle.loads(pickle.dumps(topological_order(total)))
    assert both[-1].inputs == (both[-2], both[0])


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda root: pickle.loads(pickle.dumps(root))])
def test_copied_neurons_share_their_parameters_as_before(copied):
    """The backward pass looks at a tuple that many nodes share once; copies must not be slower than what they copy."""
    neuron = Neuron(2, "linear")
    root = copied(neuron([1.0, 2.0]) + neuron([3.0, 4.0]) + neuron([5.0, 6.0]))
    sums = [value for value in topological_order(root) if value.op is OPS["weighted_sum"]]
    held = [{id(thing) for thing in gc.get_referents(value) if type(thing) is tuple} for value in sums]
    assert len(sums) == 3 and len(set.intersection(*held)) == 1


def test_a_shallow_copy_has_the_same_inputs_and_numbers_of_its_own():
    x = Value([1.0, 2.0], "x")
    y = x * 2
    twin = copy.copy(y)
    assert twin.inputs == y.inputs and twin.op is y.op and twin is not y
    twin.data += 1
    assert y.data.tolist() == [2.0, 4.0]
    twin.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_subclasses_and_what_they_hold_are_copied():
    twin = pickle.loads(pickle.dumps(Mine(2.0)))
    assert (type(twin), twin.data, twin.colour) == (Mine, 2.0, "red")
    assert copy.deepcopy(twin).colour == copy.copy(twin).colour == "red"


class Mine(Value):
    def __init__(self, data):
        super().__init__(data)
        self.colour = "red"


def test_operations_pickle_by_name_or_whole():
    assert pickle.loads(pickle.dumps(OPS["tanh"])) is OPS["tanh"]
    assert copy.deepcopy(OPS["tanh"]) is copy.copy(OPS["tanh"]) is OPS["tanh"]
    assert b"1 - y**2" not in pickle.dumps(Value(1.0).tanh())
    cube = Op("cube", "x**3", ("3 * x**2",))
    root = pickle.loads(pickle.dumps(apply(cube, Value(2.0))))
    root.backward()
    assert root.inputs[0].grad == 12.0
    unknown = pickle.dumps(OPS["tanh"]).replace(b"tanh", b"tahn")
    with pytest.raises(LookupError, match="no operation 'tahn'"):
        pickle.loads(unknown)


def test_indexed_and_reduced_values_form_no_reference_cycles():
    for _ in range(2):  # the first time formulas are compiled, too
        gc.collect()
        x = Value([[1.0, 2.0], [3.0, 4.0]])
        root = x[0].max() + x.sum(axis=1)[[0, 0]].sum()
        root.backward()
        copy.deepcopy(root)
        pickle.dumps(root)
        del x, root
        cycles = gc.collect()
    assert cycles == 0


def test_values_have_slots_and_nothing_else():
    assert not hasattr(Value(1.0), "__dict__")
    assert not hasattr(Value(1.0) * 2, "__dict__")


def test_programs_and_their_contributions_are_pickled_too():
    result = evaluate("x = 2.0\ny = tanh(x*x) + x")
    names = pickle.loads(pickle.dumps(dict(result.names)))
    assert names["y"].data == result.root.data
    assert [edge.amount for edge in contributions(names["y"])] == [edge.amount for edge in contributions(result.root)]
