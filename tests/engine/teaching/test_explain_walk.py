"""An explanation follows the walk: only what is computed by then is explained, and of the rest it says why not."""

import sys

import pytest

from engine.autograd import OPS, Constant, Replay, Value, topological_order
from engine.language import evaluate
from engine.teaching import Explainer, Walk

DIAMOND = "a = -2.0\nb = 3.0\nd = a*b\ne = a + b\nf = d*e"
TWICE = "a = 3.0\nb = a + a"


@pytest.fixture
def diamond():
    return evaluate(DIAMOND)


def at(result, name, position):
    """The explanation of a name after some steps of the walk."""
    return Explainer(result.root).explain(result.names[name], Walk(result.root), position)


def texts(lines):
    return [line.text for line in lines]


def test_data_that_forward_has_not_reached_are_said_to_be_missing(diamond):
    explanation = at(diamond, "f", 1)
    assert texts(explanation.why_data) == [
        "Why does f have no data yet?",
        "Forward has not reached f: it is computed in step 3 of 3; the walk is at step 1.",
        "f = d × e",
    ]
    assert "-6" not in "".join(texts(explanation.why_data + explanation.why_grad))


def test_before_backward_there_is_no_gradient_and_no_check(diamond):
    for position, reason in (
        (2, "Backward has not begun: it sets f.grad to 1 after forward; the walk is at forward step "
            "2 of 3."),
        (3, "Forward is done. The next step begins backward: it sets f.grad to 1."),
        (4, "Backward has not reached b: its first contribution comes from e, in backward step 5 of 7; the walk "
            "is at step 1."),
    ):  # fmt: skip
        explanation = at(diamond, "b", position)
        assert texts(explanation.why_grad) == ["Why does b have no grad yet?", reason]
        assert explanation.gradient is None and explanation.check is None


def test_a_sum_that_is_under_way_says_what_has_arrived_and_what_is_still_to_come(diamond):
    explanation = at(diamond, "b", 8)
    assert texts(explanation.why_grad) == [
        "Why is b.grad = -6 so far?",
        "∂e/∂b = 1",
        "b.grad so far = df/de × ∂e/∂b",
        "= -6 × 1 = -6",
        "So far 1 of 2 contributions: -6. Pending: from d in backward step 7.",
    ]
    assert explanation.check is None and explanation.gradient == -6.0
    whole = at(diamond, "b", 10)
    assert whole.gradient == -8.0 and whole.check is not None


def test_of_many_contributions_to_come_the_first_are_named_and_the_others_counted():
    result = evaluate("x = 2.0\ny = " + " + ".join(f"x*{n}" for n in range(1, 8)))
    walk = Walk(result.root)
    line = texts(at(result, "x", walk.arrivals(result.names["x"])[0]).why_grad)[-1]
    assert line.startswith("So far 1 of 7 contributions") and line.endswith("and 3 more.")


def test_a_step_that_adds_to_an_array_tells_the_sum_in_shapes():
    w = Value([1.0, 2.0], "W")
    root = (w * 2 + w * 3).sum()
    walk = Walk(root)
    lines = texts(Explainer(root).explain(w, walk, walk.arrivals(w)[-1]).why_step)
    assert "W.grad = [2] + [2] = [2]" in lines


def test_the_step_that_touches_a_value_is_told_with_its_own_numbers(diamond):
    assert texts(at(diamond, "b", 10).why_step) == [
        "This step adds a contribution of d to b.grad",
        "∂d/∂b = a = -2",
        "b.grad += d.grad × ∂d/∂b = 1 × (-2) = -2",
        "b.grad = -6 + (-2) = -8",
        OPS["mul"].rule,
    ]
    for name in "abdef":
        assert texts(at(diamond, name, 10).why_step) == texts(at(diamond, "b", 10).why_step)
    assert texts(at(diamond, "a", 1).why_step) == ["This step computes d", "d = a × b = -2 × 3 = -6"]
    assert at(diamond, "a", 0).why_step == ()
    assert texts(at(diamond, "f", 4).why_step)[:2] == ["This step sets f.grad to 1", "f.grad = df/df = 1"]


def test_the_same_value_as_both_operands_is_told_apart_and_added_up():
    result = evaluate(TWICE)
    assert texts(Explainer(result.root).explain(result.names["a"]).why_grad)[1:8] == [
        "∂b/∂a (1st operand) = 1",
        "from b: db/db × ∂b/∂a (1st operand) = 1 × 1 = 1",
        "∂b/∂a (2nd operand) = 1",
        "from b: db/db × ∂b/∂a (2nd operand) = 1 × 1 = 1",
        "db/da = db/db × ∂b/∂a (1st operand) + db/db × ∂b/∂a (2nd operand)",
        "= 1 × 1 + 1 × 1 = 2",
        "= 1 + 1 = 2",
    ]
    assert texts(at(result, "a", 3).why_step) == [
        "This step adds a contribution of b to a.grad",
        "∂b/∂a (1st operand) = 1",
        "a.grad += b.grad × ∂b/∂a (1st operand) = 1 × 1 = 1",
        OPS["add"].rule,
    ]


def test_at_every_step_the_explanation_holds_what_the_walk_knows(diamond):
    steps = Walk(diamond.root)
    for position in range(len(steps) + 1):
        state = steps.state(position)
        for value in topological_order(diamond.root):
            explanation = Explainer(diamond.root).explain(value, steps, position)
            assert explanation.gradient == state.grads.get(value)
            assert ("no data yet" in explanation.why_data[0].text) == (value not in state.known)
            assert (explanation.check is not None) == (position >= steps.arrivals(value)[-1])


def test_a_constant_is_explained_alike_at_every_step():
    result = evaluate("x = 2.0\ny = 3*x")
    constant = next(value for value in topological_order(result.root) if isinstance(value, Constant))
    steps = Walk(result.root)
    told = {Explainer(result.root).explain(constant, steps, position).why_grad for position in range(len(steps) + 1)}
    assert len(told) == 1 and Explainer(result.root).explain(constant).check is None


def test_an_undefined_slope_says_which_operation_is_undefined_beside_the_value():
    result = evaluate("x = 0.0\ny = sqrt(x)")
    lines = texts(Explainer(result.root).explain(result.names["x"]).why_grad)
    assert lines[-1].startswith("There is no slope to compare with: when x is a little smaller, sqrt(x) is undefined (")


def test_a_sum_that_does_not_add_up_in_four_digits_is_shown_with_more():
    result = evaluate("a = 1.0\nu = 0.33335*a\nv = 0.33335*a\nc = u + v")
    lines = texts(Explainer(result.root).explain(result.names["a"]).why_grad)
    assert "= 0.33335 + 0.33335 = 0.6667" in lines


@pytest.mark.slow
def test_explaining_one_value_computes_only_what_lies_between_it_and_the_root(monkeypatch):
    lines = [f"y{i} = tanh(x*{i + 1}.0)" for i in range(200)]
    result = evaluate(
        "x = 0.1\nw = 2.0\n" + "\n".join(lines) + "\nL = w*y0 + " + " + ".join(f"y{i}" for i in range(200))
    )
    asked = []
    module = sys.modules["engine.autograd.contributions"]
    edges = module.edges_of
    monkeypatch.setattr(module, "edges_of", lambda node, upstream: asked.append(node) or edges(node, upstream))
    explainer = Explainer(result.root)
    first = explainer.explain(result.names["w"])
    n_between = len(Replay(result.root).downstream([result.names["w"]]))
    assert len(asked) <= n_between <= 202 < 800 < len(topological_order(result.root))
    assert explainer.explain(result.names["w"]).text == first.text


def test_an_explainer_reads_the_numbers_anew(diamond):
    explainer = Explainer(diamond.root)
    explainer.explain(diamond.names["b"])
    diamond.names["a"].data = 5.0
    for value in topological_order(diamond.root):
        if value.op is not None:
            value.data = value.op.scalar(*[source.data for source in value.inputs])
    again = explainer.explain(diamond.names["b"])
    assert again.text == Explainer(diamond.root).explain(diamond.names["b"]).text
    assert again.check is not None and again.check.ok
