"""Operations opened in place: the same numbers, names carried over."""

import math

import pytest

from engine.autograd import topological_order
from engine.graph import Names
from engine.graph.unfold import unfold
from engine.language import evaluate


def opened(text, *names):
    result = evaluate(text)
    result.root.backward()
    given = Names(keys={id(value): origin.key for value, origin in result.origins.items()})
    return result, unfold([result.root], given, names)


def keys(unfolded):
    return {unfolded.names.keys[id(v)]: v for v in topological_order(unfolded.roots[0])}


@pytest.mark.parametrize("op", ["tanh", "sigmoid", "softplus", "swish", "gelu"])
def test_an_opened_operation_has_the_same_data_and_gradients(op):
    result, unfolded = opened(f"x = 0.7; w = -1.3\nn = x*w\no = {op}(n)\ny = o * n", "op:o")
    unfolded.roots[0].backward()
    for old, new in unfolded.now.items():
        assert new.data == pytest.approx(old.data, rel=1e-12)
        assert new.grad == pytest.approx(old.grad, rel=1e-12)
    assert len(unfolded.parts[result.names["o"]]) > 1


def test_only_the_named_one_is_opened_and_all_keys_stay():
    result, unfolded = opened("a = tanh(0.5)\nb = tanh(a)\nc = tanh(b)", "op:b")
    old = {origin.key for origin in result.origins.values()}
    assert old <= set(keys(unfolded))
    assert keys(unfolded)["a"].op.name == keys(unfolded)["c"].op.name == "tanh"
    assert {key for key in keys(unfolded) if key.startswith("b:")} == {f"b:{index}" for index in range(7)}


def test_the_parts_form_a_group_around_the_value():
    _, unfolded = opened("n = 0.5\no = tanh(n)", "op:o")
    groups = {key: unfolded.names.groups.get(id(value), ()) for key, value in keys(unfolded).items()}
    assert groups["o"] == groups["o:2"] == ("op:o",)
    assert groups["n"] == ()
    assert unfolded.names.texts["op:o"].title == "o: tanh"


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
    _, unfolded = opened("x = 400; z = 1\no = tanh(x)\np = tanh(z)\nq = o + p", "op:o", "op:p")
    assert keys(unfolded)["o"].op.name == "tanh"
    assert keys(unfolded)["p"].op.name == "div"
    assert all(math.isfinite(value.data) for value in keys(unfolded).values())


def test_names_of_what_is_no_operation_are_ignored():
    assert opened("a = 1\nb = a + 2", "op:b", "op:a", "op:nowhere", "L1")[1] is None


def test_values_beside_the_output_are_carried_along():
    result = evaluate("a = 0.5\nb = tanh(a)\nc = a * 2")
    names = Names(keys={id(value): origin.key for value, origin in result.origins.items()})
    unfolded = unfold([result.root, result.names["b"]], names, ["op:b"])
    shared = unfolded.now[result.names["a"]]
    assert shared in topological_order(unfolded.roots[0])
    assert shared in topological_order(unfolded.roots[1])
