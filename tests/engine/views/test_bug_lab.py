"""The classic mistakes beside what the engine does: the published numbers, and the engine is left alone."""

import math

import pytest

from engine.autograd import Value, gradients_of, topological_order
from engine.examples.gallery import published_programs
from engine.language import evaluate
from engine.views.bug_lab import BUGS, FAR, N_STEPS, compare, differing_values

PROGRAMS = {case["id"]: case for case in published_programs()}
DIAMOND = "a = -2.0\nb = 3.0\nd = a*b\ne = a + b\nf = d*e"
NEVER_USED_TWICE = "a = 2.0\nb = tanh(a)"


def compared(name, text, rate=0.01):
    result = evaluate(text)
    comparison = compare(BUGS[name], result.root, rate)
    return {label: (comparison.right[id(value)], comparison.wrong[id(value)])
            for label, value in result.names.items()}, comparison  # fmt: skip


def gradients(numbers):
    return {name: (right[1], wrong[1]) for name, (right, wrong) in numbers.items()}


@pytest.mark.parametrize("name, mistake", [
    ("depth first", "recursion without topological order"), ("not reversed", "post-order that is not reversed"),
])  # fmt: skip
def test_the_published_wrong_orders_come_out(name, mistake):
    case = PROGRAMS["B11"]
    found = gradients(compared(name, case["program"])[0])
    for label, expected in case["wrong_orders"][mistake].items():
        assert found[label][1] == expected
    for label, expected in case["grad"].items():
        assert found[label][0] == expected


def test_without_zero_grad_the_published_2_becomes_4():
    result = evaluate("a = 3.0\nb = a*2")
    comparison = compare(BUGS["no zero_grad"], result.root, 0.01)
    key = id(result.names["a"])
    assert (comparison.right[key][1], comparison.wrong[key][1]) == (2.0, 4.0)
    assert [each.text for each in comparison.differences] == ["a.grad is 4; right is 2."]


def test_the_second_backward_of_micrograd_beside_that_of_pytorch_as_published():
    found = gradients(compared("second backward", "a = 3.0\nb = 2.0\nc = a + b\nd = 1.0\ne = c*d")[0])
    assert {name: found[name] for name in "abcd"} == {"a": (2.0, 3.0), "b": (2.0, 3.0), "c": (1.0, 2.0),
                                                      "d": (10.0, 10.0)}  # fmt: skip


def test_with_an_equals_sign_only_the_last_contribution_is_left():
    found = gradients(compared("overwrite", DIAMOND)[0])
    assert found["b"] == (-8.0, -2.0) and found["a"] == (-3.0, 3.0) and found["d"] == (1.0, 1.0)
    assert gradients(compared("overwrite", PROGRAMS["A17"]["program"])[0])["a"] == (2.0, 1.0)


def test_a_graph_that_is_kept_after_an_update_has_old_data_and_gradients_of_no_graph():
    numbers, comparison = compared("stale graph", "a = 2.0\nb = 3.0\nc = a*b", 0.1)
    assert numbers["a"][0][0] == numbers["a"][1][0] == pytest.approx(1.7)
    assert numbers["c"] == ((pytest.approx(1.7 * 2.8), 1.0), (6.0, 1.0))
    assert [(each.value.label, each.kind) for each in comparison.differences] == [("c", "data")]


def trained(a, rate):
    for _ in range(N_STEPS):
        a -= rate * 2 * (a - 3)
    return a


def test_learning_rates_far_too_high_and_too_low_beside_the_right_one():
    text = "a = 2.0\nloss = (a - 3)**2"
    high, _comparison = compared("rate too high", text, 0.1)
    assert high["a"][0][0] == pytest.approx(trained(2.0, 0.1)) and abs(high["a"][1][0]) > 1e20
    low, _comparison = compared("rate too low", text, 0.1)
    assert low["a"][1][0] == pytest.approx(trained(2.0, 0.1 / FAR))
    assert low["loss"][0][0] < 1e-3 < 0.9 < low["loss"][1][0] < 1.0


@pytest.mark.parametrize("mistake", ["rate too high", "rate of the wrong sign"])
def test_a_number_that_is_infinite_or_undefined_on_one_side_differs(mistake):
    text = "a = -2.0\nb = 3.0\nc = a*b\nd = c + a/b\ne = tanh(d/4)\nf = e*a - d**2\nL = f*e + a"
    numbers, comparison = compared(mistake, text, 0.05)
    found = {(each.value.label, each.kind) for each in comparison.differences}
    endless = {
        (label, kind)
        for label, pair in numbers.items()
        for kind, one, other in zip(("data", "grad"), *pair, strict=True)
        if math.isfinite(one) != math.isfinite(other)
    }
    assert ("L", "data") in endless <= found


@pytest.mark.parametrize("name, text, rate, outcome", [
    ("rate too high", "a = 2.0\nloss = (a - 3)**2", 0.1, "further each time: the output rises from 1 to "),
    ("rate too high", "a = 2.0\nloss = 3*a", 0.1, "the output goes from 6 to -1794; with the learning rate to -12."),
    ("rate too high", "a = 0.5\nloss = tanh(a)", 0.1, "flat"),
    ("rate too high", "a = 2.0\nloss = a**2*0.5", 0.015, "to and fro: the output ends at "),
    ("rate of the wrong sign", "a = 2.0\nloss = 3*a", 0.1, "from 6 to 24; with the right sign to -12."),
])  # fmt: skip
def test_what_comes_of_a_wrong_learning_rate_is_said_as_it_is_on_this_graph(name, text, rate, outcome):
    assert outcome.lower() in compared(name, text, rate)[1].outcome.lower()


@pytest.mark.parametrize("name", BUGS)
def test_what_is_called_right_is_what_the_engine_does_and_the_graph_stays_as_it_is(name):
    result = evaluate(DIAMOND)
    before = [(value.data, value.grad) for value in topological_order(result.root)]
    comparison = compare(BUGS[name], result.root, 0.01)
    assert [(value.data, value.grad) for value in topological_order(result.root)] == before
    if name in ("overwrite", "depth first", "not reversed"):
        gradients = gradients_of(result.root)
        assert all(comparison.right[id(v)] == (v.data, gradients[v]) for v in topological_order(result.root))
    if name in ("no zero_grad", "second backward"):
        for _ in range(2):
            result.root.backward()
        wrong = comparison.right if name == "second backward" else comparison.wrong
        assert all(wrong[id(v)][1] == v.grad for v in topological_order(result.root))


@pytest.mark.parametrize("name", ["overwrite", "depth first", "second backward"])
def test_where_a_mistake_changes_nothing_it_says_why(name):
    text = NEVER_USED_TWICE if name != "second backward" else "a = 2.0\nb = a + 1"
    _numbers, comparison = compared(name, text)
    assert comparison.differences == () == tuple(differing_values(comparison.differences)) and BUGS[name].none


def test_graphs_that_a_mistake_cannot_be_made_on_are_refused_with_the_reason():
    with pytest.raises(ValueError, match="arrays"):
        compare(BUGS["overwrite"], (Value([1.0, 2.0]) * 2).sum(), 0.1)
    deep = evaluate("y = 1.0\n" + "y = y + y\n" * 30).root
    with pytest.raises(ValueError, match=r"every path through the graph, .* \d+,"):
        compare(BUGS["depth first"], deep, 0.1)
