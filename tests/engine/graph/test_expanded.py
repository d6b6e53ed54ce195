"""Operations opened in place: the same numbers, names carried over."""

import math

import pytest

from engine.autograd import topological_order
from engine.graph import GraphNames
from engine.graph.expanded import expand_operations
from engine.language import evaluate


def opened(text, *names):
    result = evaluate(text)
    result.root.backward()
    given = GraphNames(keys={id(value): origin.key for value, origin in result.origins.items()})
    return result, expand_operations([result.root], given, names)


def keys(in_primitives):
    return {in_primitives.names.keys[id(v)]: v for v in topological_order(in_primitives.roots[0])}


@pytest.mark.parametrize("op", ["tanh", "sigmoid", "softplus", "swish", "gelu"])
def test_an_opened_operation_has_the_same_data_and_gradients(op):
    result, in_primitives = opened(f"x = 0.7; w = -1.3\nn = x*w\no = {op}(n)\ny = o * n", "op:o")
    in_primitives.roots[0].backward()
    for old, new in in_primitives.now.items():
        assert new.data == pytest.approx(old.data, rel=1e-12)
        assert new.grad == pytest.approx(old.grad, rel=1e-12)
    assert len(in_primitives.parts[result.names["o"]]) > 1


def test_only_the_named_one_is_opened_and_all_keys_stay():
    result, in_primitives = opened("a = tanh(0.5)\nb = tanh(a)\nc = tanh(b)", "op:b")
    old = {origin.key for origin in result.origins.values()}
    assert old <= set(keys(in_primitives))
    assert keys(in_primitives)["a"].op.name == keys(in_primitives)["c"].op.name == "tanh"
    assert {key for key in keys(in_primitives) if key.startswith("b:")} == {f"b:{index}" for index in range(7)}


def test_the_parts_form_a_group_around_the_value():
    _, in_primitives = opened("n = 0.5\no = tanh(n)", "op:o")
    groups = {key: in_primitives.names.groups.get(id(value), ()) for key, value in keys(in_primitives).items()}
    assert groups["o"] == groups["o:2"] == ("op:o",)
    assert groups["n"] == ()
    assert in_primitives.names.texts["op:o"].title == "o: tanh"


def test_what_an_operation_became_can_be_opened_again():
    _, once = opened("n = 0.5\no = gelu(n)", "op:o")
    inner = next(key for key, value in keys(once).items() if value.op is not None and value.op.name == "tanh")
    result, twice = opened("n = 0.5\no = gelu(n)", "op:o", f"op:{inner}")
    twice.roots[0].backward()
    assert "tanh" not in {value.op.name for value in topological_order(twice.roots[0]) if value.op}
    assert keys(twice)["n"].grad == pytest.approx(result.names["n"].grad, rel=1e-12)
    assert ("op:o", f"op:{inner}") in twice.names.groups.values()
    assert twice.now[result.root] is twice.roots[0]
    assert set(twice.parts[result.root]) <= set(topological_order(twice.roots[0]))


def test_an_operation_whose_primitives_overflow_stays_closed():
    assert opened("x = 400\no = tanh(x)", "op:o")[1] is None
    _, in_primitives = opened("x = 400; z = 1\no = tanh(x)\np = tanh(z)\nq = o + p", "op:o", "op:p")
    assert keys(in_primitives)["o"].op.name == "tanh"
    assert keys(in_primitives)["p"].op.name == "div"
    assert all(math.isfinite(value.data) for value in keys(in_primitives).values())


def test_names_of_what_is_no_operation_are_ignored():
    assert opened("a = 1\nb = a + 2", "op:b", "op:a", "op:nowhere", "L1")[1] is None


def test_values_beside_the_output_are_carried_along():
    result = evaluate("a = 0.5\nb = tanh(a)\nc = a * 2")
    names = GraphNames(keys={id(value): origin.key for value, origin in result.origins.items()})
    in_primitives = expand_operations([result.root, result.names["b"]], names, ["op:b"])
    shared = in_primitives.now[result.names["a"]]
    assert shared in topological_order(in_primitives.roots[0])
    assert shared in topological_order(in_primitives.roots[1])
