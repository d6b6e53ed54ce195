"""The contract that every entry of the table of operations keeps: a new entry is tested the moment it is there."""

import dataclasses
import math
import random

import numpy as np
import pytest

from engine.autograd import OPS, Value, apply, check_gradients, contributions, local_derivatives
from engine.autograd.contributions import local_derivatives as derivatives
from engine.autograd.ops import along_axis
from engine.teaching.wording import partial_in_words

SCALAR = [op for op in OPS.values() if op.elementwise or op.variadic]
ELEMENTWISE = [op for op in OPS.values() if op.elementwise]
ARRAY = [op for op in OPS.values() if op.vjps]
VARIADIC_INPUTS = 5


def by_name(ops):
    return pytest.mark.parametrize("op", ops, ids=lambda op: op.name)


def points(op, count=40):
    """Points of the domain, at least 1e-3 from every kink, always the same ones."""
    chance = random.Random(op.name)
    found = []
    while len(found) < count:
        arity = op.arity or VARIADIC_INPUTS
        ranges = [op.domain.samples[min(i, len(op.domain.samples) - 1)] for i in range(arity)]
        point = [chance.uniform(*ends) for ends in ranges]
        if not op.elementwise or abs(op.distance_to_kink(*point)) > 1e-3:
            found.append(point)
    return found


def node_at(op, point):
    return apply(op, *[Value(x) for x in point])


@by_name(OPS.values())
def test_entry_has_a_value_a_rule_and_a_symbol(op):
    assert op.value
    assert op.rule.endswith(".")
    assert len(op.rule) < 120
    assert op.text
    assert bool(op.partials) != bool(op.vjps)
    assert bool(op.kink) == bool(op.at_kink)
    assert not op.domain.condition or op.domain.problem


@by_name(OPS.values())
def test_name_in_the_table_is_the_name_of_the_entry(op):
    assert OPS[op.name] is op
    assert op.name.isidentifier()


@by_name(SCALAR)
def test_results_and_partials_are_floats(op):
    node = node_at(op, points(op, 1)[0])
    assert type(node.data) is float
    assert all(type(partial) is float for partial in local_derivatives(node))
    assert len(local_derivatives(node)) == len(node.inputs)


@by_name(SCALAR)
def test_partials_agree_with_complex_step_and_central_difference(op):
    for point in points(op):
        for row in check_gradients(node_at(op, point)):
            assert row.ok, (op, point, row)
            assert row.complex_step == pytest.approx(row.backward, rel=1e-12, abs=1e-14)
            assert row.central_difference == pytest.approx(row.backward, rel=1e-7, abs=1e-8)


@by_name(ELEMENTWISE)
def test_array_path_gives_what_the_scalar_path_gives(op):
    sampled = points(op, 12)
    columns = [np.array(column) for column in zip(*sampled, strict=True)]
    arrays = [Value(column) for column in columns]
    node = apply(op, *arrays)
    node.sum().backward()
    for row, point in enumerate(sampled):
        scalar = node_at(op, point)
        assert node.data[row] == pytest.approx(scalar.data, rel=1e-14, abs=1e-15)
        for array, partial in zip(arrays, derivatives(scalar), strict=True):
            assert array.grad[row] == pytest.approx(partial, rel=1e-13, abs=1e-15)


@by_name(ELEMENTWISE)
def test_method_or_operator_of_value_is_the_entry(op):
    point = points(op, 1)[0]
    names = {"add": "__add__", "sub": "__sub__", "mul": "__mul__", "div": "__truediv__", "pow": "__pow__",
             "neg": "__neg__"}  # fmt: skip
    values = [Value(x) for x in point]
    node = getattr(Value, names.get(op.name, op.name))(*values)
    assert node.op is op
    assert node.data == node_at(op, point).data
    assert node.inputs == tuple(values)


@by_name([op for op in ELEMENTWISE if op.kink])
def test_at_a_kink_the_stated_subgradient_is_finite_and_between_the_slopes(op):
    node = node_at(op, [0.0, 0.0][: op.arity])
    for row in check_gradients(node)[:-1]:
        assert math.isfinite(row.backward)
        assert row.ok is row.defined, row
        assert row.defined or op.domain.condition  # a nudge of a power may leave its domain


def test_the_subgradients_that_are_written_down():
    def slopes(name, *point):
        return local_derivatives(node_at(OPS[name], point))

    assert slopes("relu", 0.0) == [0.0]
    assert slopes("leaky_relu", 0.0) == [0.01]
    assert slopes("abs", 0.0) == [0.0]
    assert slopes("max", 1.0, 1.0) == slopes("min", 1.0, 1.0) == [0.5, 0.5]
    assert slopes("pow", 0.0, 2.0) == [0.0, 0.0]
    assert slopes("pow", 0.0, 0.0) == [0.0, 0.0]
    assert slopes("pow", 0.0, 1.0)[0] == 1.0


@by_name([op for op in ELEMENTWISE if op.domain.condition])
def test_outside_the_domain_nothing_raises_and_nothing_is_complex(op):
    for point in ([0.0, 0.0], [-1.5, 0.5], [-1.5, 0.0], [0.0, -1.0], [-8.0, 1 / 3]):
        node = node_at(op, point[: op.arity])
        assert type(node.data) is float
        assert op.defined(*point[: op.arity]) or not math.isfinite(node.data)


@by_name(ELEMENTWISE)
def test_extreme_inputs_never_raise(op):
    sizes, signs = (0.0, 1.0, 40.0, 1e3, 1e154, 1e308, math.inf), ((1, 1), (1, -1), (-1, 1), (-1, -1))
    for point in [(a * size, b * size) for size in sizes for a, b in signs]:
        node = node_at(op, list(point[: op.arity]))
        assert type(node.data) is float, point
        assert all(type(partial) is float for partial in local_derivatives(node)), point
        assert len(list(contributions(node))) <= len(node.inputs), point


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [("sigmoid", -1000.0, 0.0), ("sigmoid", 1000.0, 1.0), ("tanh", 1e308, 1.0), ("softplus", 1000.0, 1000.0),
     ("softplus", -1000.0, 0.0), ("elu", -1000.0, -1.0), ("elu", 1000.0, 1000.0), ("swish", -1000.0, 0.0),
     ("gelu", 100.0, 100.0), ("exp", -1e308, 0.0)],
)  # fmt: skip
def test_saturated_activations_reach_their_limit(name, x, y):
    assert node_at(OPS[name], [x]).data == y


@pytest.mark.slow
def test_a_partial_wrong_by_a_twentieth_of_a_percent_is_found():
    for op in SCALAR:
        for place, partial in enumerate(op.partials):
            partials = [*op.partials]
            partials[place] = f"({partial}) * 1.0005"
            wrong = dataclasses.replace(op, partials=tuple(partials))
            nodes = [node_at(wrong, point) for point in points(op, 5)]
            assert [row for node in nodes for row in check_gradients(node) if not row.ok], (op, place)


@by_name(SCALAR)
def test_backward_and_contributions_use_the_partials_of_the_table(op):
    """Nonsense in the table comes out of the engine unchanged: no derivative is stated anywhere else."""
    count = 3 if op.paired else 1 if op.variadic else op.arity
    nonsense = dataclasses.replace(op, partials=tuple(str(17.0 + place) for place in range(count)))
    values = [Value(x) for x in points(op, 1)[0]]
    node = apply(nonsense, *values)
    node.backward()
    places = [*([0, 1] * (len(values) // 2)), 2] if op.paired else [0] * len(values) if op.variadic else range(count)
    assert [value.grad for value in values] == [17.0 + place for place in places]
    assert [edge.amount for edge in contributions(node)] == [value.grad for value in values]
    assert [partial_in_words(node, index)[2] for index in range(len(values))] == [value.grad for value in values]


ARRAY_POINTS = {
    "matmul": [
        *(((2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,))),
        *(((2, 4, 3), (2, 3, 2)), ((4, 3), (2, 3, 2)), ((2, 4, 3), (3, 2)), ((1, 4, 3), (5, 3, 2))),
        *(((3,), (2, 3, 2)), ((2, 4, 3), (3,)), ((2, 1, 4, 3), (5, 3, 1)), ((1,), (2, 1, 3))),
    ],
    "transpose": [((2, 3),)],
    "sum": [((2, 3),), ((4,),)],
    "mean": [((2, 3),), ((4,),)],
    "amax": [((2, 3),), ((4,),)],
    "amin": [((2, 3),), ((4,),)],
    "getitem": [((2, 3),), ((4,),)],
    "logsumexp_rows": [((3, 4),), ((4,),)],
}


@by_name(ARRAY)
def test_products_of_array_operations_agree_with_central_differences(op):
    chance = np.random.default_rng(1)
    for shapes in ARRAY_POINTS[op.name]:
        inputs = [Value(chance.normal(size=shape)) for shape in shapes]
        node = apply(op, *inputs)
        weights = Value(chance.normal(size=node.shape)) if node.shape else Value(1.7)
        for row in check_gradients((node * weights).sum() if node.shape else node * weights):
            assert row.ok, row
            assert row.agreeing_digits >= 6


@pytest.mark.parametrize("name", ["sum", "mean"])
@pytest.mark.parametrize("axis", [0, 1])
def test_reductions_along_an_axis(name, axis):
    x = Value(np.random.default_rng(2).normal(size=(3, 4)))
    root = (apply(along_axis(OPS[name], axis), x).tanh()).sum()
    assert all(row.ok for row in check_gradients(root))


@by_name([op for op in ELEMENTWISE if not op.kink and op.arity == 1 and op.defined(-0.1) and op.defined(0.1)])
def test_smooth_operations_are_right_at_zero_too(op):
    (row, _) = check_gradients(node_at(op, [0.0]))
    assert row.ok and row.note == ""
    assert row.complex_step == pytest.approx(row.backward, rel=1e-14)
