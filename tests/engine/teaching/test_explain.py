"""Why this number: the chain rule with names, then with the numbers put in."""

import math
import re
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.autograd import OPS, Value, ValueDataError, expand, topological_order, weighted_sum
from engine.language import evaluate
from engine.teaching import Explainer, Walk
from engine.teaching.paths import paths_between
from engine.teaching.substep import SubStep
from engine.views.graph_view import show_expression
from tests.equations import assert_true

NEURON = "x1 = 2.0\nx2 = 0.0\nw1 = -3.0\nw2 = 1.0\nb = 6.8813735870195432\nn = x1*w1 + x2*w2 + b\no = tanh(n)"


def explained(text, name, root=None):
    result = evaluate(text)
    return Explainer(result.names[root] if root else result.root).explain(result.names[name])


def texts(lines):
    return [line.text for line in lines]


def test_a_weight_of_a_neuron():
    *lines, nudged, by_complex_step = explained(NEURON, "w1").text.split("\n")
    assert lines == [
        "Why is w1.data = -3?",
        "w1 is a leaf: it is not computed.",
        "Why is w1.grad = 1?",
        "∂x1w1/∂w1 = x1 = 2",
        "do/dw1 = do/dx1w1 × ∂x1w1/∂w1",
        "= 0.5 × 2 = 1",
        OPS["mul"].rule,
        "∂ is the slope of one operation, d the slope over all paths to o.",
        "Path to the output: w1 → × → x1w1 → + → x1w1+x2w2 → + → n → tanh → o",
        "Local derivatives along it: 2 × 1 × 1 × 0.5 = 1",
    ]
    slope = re.fullmatch(
        r"Nudging w1 up and down a little moves o with a slope of (.*): agrees to (.*) digits.", nudged
    )
    assert abs(float(slope[1]) - 1.0) < 10.0 ** -int(slope[2])
    assert re.fullmatch(
        r"A complex step, which subtracts nothing, gives 1: agrees to (15 digits|every digit).", by_complex_step
    )


def test_a_computed_value_shows_its_formula_and_the_numbers():
    explanation = explained(NEURON, "n")
    assert texts(explanation.why_data) == [
        "Why is n.data = 0.8814?",
        "n = x1w1+x2w2 + b",
        "= -6 + 6.8814 = 0.8814",
    ]
    assert "∂o/∂n = 1 - o² = 1 - 0.7071² ≈ 0.5" in texts(explanation.why_grad)


@pytest.mark.parametrize(("label", "count"), [("tanh(a·b)", 2), ("out", 3)])
def test_a_name_that_is_the_formula_of_its_value_stands_once_in_a_step(label, count):
    out = (Value(0.5, "a") * Value(2.0, "b")).tanh()
    out.label = label
    out.inputs[0].label = "a·b"
    step = SubStep("forward", out)
    assert len(re.split(" [=≈] ", step.sum_line)) == count + 1


def test_contributions_of_several_consumers_add_up():
    explanation = explained("a = -2.0\nb = 3.0\nd = a*b\ne = a + b\nf = d*e", "b")
    lines = texts(explanation.why_grad)
    assert explanation.gradient == -8.0
    assert "df/db = df/de × ∂e/∂b + df/dd × ∂d/∂b" in lines
    assert "= -6 × 1 + 1 × (-2) = -8" in lines
    assert "= -6 + (-2) = -8" in lines
    assert "b is used 2 times: the contributions add up." in lines
    assert [line for line in lines if line.startswith("from ")] == [
        "from e: df/de × ∂e/∂b = -6 × 1 = -6",
        "from d: df/dd × ∂d/∂b = 1 × (-2) = -2",
    ]
    assert lines[-4].startswith("The shortest of 2 paths to the output: b → ")


def test_both_edges_of_a_square_are_told():
    explanation = explained("x = 3.0\ny = x*x", "x")
    assert "= 1 × 3 + 1 × 3 = 6" in texts(explanation.why_grad)


def test_an_equals_sign_is_true_to_the_digits_shown():
    explanation = explained("a = 0.3\nb = 0.7\nc = a*b/3\nL = c**3", "a")
    for line in texts(explanation.lines):
        left, equals, right = line.rpartition(" = ")
        if equals and "×" in left and not any(letter.isalpha() for letter in left.replace("e-", "")):
            products = [math.prod(map(float, term.replace("(", "").replace(")", "").split(" × ")))
                        for term in left.removeprefix("= ").split(" + ")]  # fmt: skip
            assert sum(products) == pytest.approx(float(right), abs=1e-12)


def test_the_root_explains_itself():
    explanation = explained(NEURON, "o")
    assert "The root changes one for one with itself." in texts(explanation.why_grad)
    assert explanation.gradient == 1.0
    assert not any(line.startswith("Path to the output") for line in texts(explanation.why_grad))


def test_what_is_not_part_of_the_result_has_gradient_zero():
    explanation = explained("x = 2\nunused = 5\ny = x*x", "unused")
    assert explanation.gradient == 0.0
    assert "y does not depend on unused, so nudging it changes nothing." in texts(explanation.why_grad)
    assert explanation.check is None and not any("path" in line.lower() for line in texts(explanation.why_grad))


def test_the_path_is_a_chain_of_consumers():
    explanation = explained(NEURON, "w1")
    lines = texts(explanation.why_grad)
    assert "Path to the output: w1 → × → x1w1 → + → x1w1+x2w2 → + → n → tanh → o" in lines
    assert "Local derivatives along it: 2 × 1 × 1 × 0.5 = 1" in lines and explanation.gradient == pytest.approx(1.0)


def test_the_slope_and_its_agreeing_digits():
    explanation = explained(NEURON, "b")
    assert explanation.check.central_difference == pytest.approx(0.5, rel=1e-9)
    assert explanation.check.agreeing_digits >= 9


def test_at_a_kink_the_subgradient_is_named():
    lines = texts(explained("x = 0.0\ny = relu(x)", "x").why_grad)
    assert any("kink" in line and "0 at x = 0" in line for line in lines)
    assert any("at a kink of relu" in line and "slope" in line for line in lines)
    assert "∂y/∂x = 1 if x > 0 else 0 = 1 if 0 > 0 else 0 = 0" in lines


def test_a_square_has_no_kink_at_0_but_its_exponent_has():
    assert "kink" not in explained("x = 0.0\ny = x**2", "x").text
    lines = texts(explained("x = 0.0; n = 2.0\ny = x**n", "n").why_grad)
    assert any("pow" in line and "kink" in line for line in lines)


def test_a_very_long_formula_is_told_once():
    (line,) = (
        line for line in texts(explained("n = 0.5\ny = gelu(n)", "n").why_grad) if line.startswith("∂y/∂n = 0.5")
    )
    assert line.count("sqrt(2 / pi)") == 3
    assert line.endswith("≈ 0.8674")


def test_trouble_is_told():
    explanation = explained("x = -1.0\ny = log(x)", "y")
    assert texts(explanation.why_data)[-1] == f"Problem: {OPS['log'].domain.problem}."
    assert any("undefined" in line for line in texts(explained("x = -1.0\ny = log(x)", "x").why_grad))


def test_an_explanation_begins_at_a_single_number():
    with pytest.raises(ValueDataError, match=r"\(2,\)"):
        Explainer(Value([1.0, 2.0]))


def test_of_data_that_changed_after_they_were_used_no_slope_is_told():
    names = evaluate("a = 2.0\nb = exp(a)\nc = b*3").names
    names["a"].data = 5.0
    assert "b was computed before" in Explainer(names["c"]).explain(names["a"]).text


def test_gradients_of_arrays_that_were_not_zeroed_are_told_without_a_sum_of_numbers():
    graph_view = show_expression(evaluate("W = Value([1.0, 2.0])\n" + "y = sum(W * 3)\ny.backward()\n" * 2))
    (found,) = (value for value in graph_view.values if value.label == "W")
    lines = texts(Explainer(graph_view.root, graph_view.program_gradients).explain(found).why_grad)
    assert lines[0] == "Why is W.grad = [2]?"
    assert "W.grad = [2] + [2]" not in "".join(lines) and "not zeroed" in lines[1]


def test_a_gradient_that_the_program_took_away_is_none():
    graph_view = show_expression(evaluate("x = Value(2.0)\ny = x * 3\ny.backward()\nx.grad = None\n"))
    (found,) = (value for value in graph_view.values if value.label == "x")
    lines = texts(Explainer(graph_view.root, graph_view.program_gradients).explain(found).why_grad)
    assert lines[0] == "Why is x.grad = None?" and "3" in lines[2]


def test_a_constant_is_called_one_and_has_no_gradient_as_on_the_canvas():
    result = evaluate("x = 2.0\ny = x*3")
    explanation = Explainer(result.root).explain(result.root.inputs[1])
    assert "3 is a number written in the formula." in texts(explanation.why_data)
    assert texts(explanation.why_grad) == [
        "Why does 3 have no grad?",
        "3 is a number written in the formula: it never changes, so it has no gradient.",
    ]


def test_a_slope_that_cannot_tell_is_not_said_to_agree():
    assert (
        "a slope of 0: the central difference is not reliable; the complex step agrees."
        in explained("a = 1.0; b = 1e17\ny = a + b", "a").text
    )
    assert ": undefined: the gradient is too large (over 1.8e308)." in explained("x = 1e-160\ny = 1/x", "x").text


def test_nothing_is_said_about_gradients_of_a_result_that_is_undefined():
    text = "a = 1.0\nb = log(a - 2)\nc = b * 2"
    for name in "abc":
        explanation = explained(text, name)
        assert texts(explanation.why_grad)[0] == f"Why does {name} have no grad?"
        assert texts(explanation.why_grad)[-1] == f"The problem began at b: {OPS['log'].domain.problem}."
    assert texts(explained(text, "c").why_data)[-1] == f"The problem began at b: {OPS['log'].domain.problem}."
    assert texts(explained(text, "a").why_data)[-1] == "a is a leaf: it is not computed."


def test_one_of_several_ways_is_not_taken_for_the_whole_gradient():
    lines = texts(explained("a = -2.0\nb = 3.0\nd = a*b\ne = a + b\nf = d*e", "b").why_grad)
    assert "1 × (-6) = -6" in lines[-3] and "part of the gradient" in lines[-3]


def test_a_long_way_is_cut_short_and_its_factors_of_1_left_out():
    text = "x = 2.0\ny = 3*x" + "".join(f"\ny = y + {i}.5" for i in range(12)) + "\nz = y * 0.5"
    lines = texts(explained(text, "x").why_grad)
    way = next(line for line in lines if line.startswith("Path"))
    assert way.startswith("Path to the output: x → × → y₁ → + → y₂ → ")
    assert "→ … 7 more … →" in way and way.endswith("→ × → z")
    assert "Local derivatives along it (except factors of 1): 3 × 0.5 = 1.5" in lines


def test_a_neuron_as_one_node():
    w, x = [Value(0.5, "w1"), Value(-1.0, "w2")], [Value(2.0, "x1"), Value(3.0, "x2")]
    n = weighted_sum(w, x, Value(1.0, "b"))
    n.label = "n"
    lines = texts(Explainer(n).explain(w[1]).why_grad)
    assert "∂n/∂w2 = x2 = 3" in lines
    assert texts(Explainer(n).explain(n).why_data)[1:] == [
        "n = w1 × x1 + w2 × x2 + b",
        "= 0.5 × 2 + (-1) × 3 + 1 = -1",
    ]


def test_many_consumers_are_cut_short_but_summed_whole():
    explanation = explained("x = 1.0\ny = x" + " + x*2" * 20, "x")
    line = next(text for text in texts(explanation.why_grad) if text.startswith("= 1 × "))
    assert line.endswith("+ … = 41")
    assert line.count("×") == 6


def test_runs_tell_names_and_numbers_apart():
    explanation = explained(NEURON, "n")
    kinds = {run.kind for line in explanation.lines for run in line.runs}
    assert kinds == {"word", "math", "number", "fraction"}
    assert {line.kind for line in explanation.lines} == {"heading", "formula", "text"}
    assert [run.text for run in explanation.why_grad[0].runs] == ["Why is n.grad = ", "0.5", "?"]


def test_arrays_are_explained_by_their_shapes():
    w, x = Value(np.ones((2, 3)), "W"), Value(np.ones(3), "x")
    root = (w @ x).tanh().sum()
    explanation = Explainer(root).explain(w)
    assert explanation.gradient.shape == (2, 3)
    assert texts(explanation.why_grad)[0] == "Why is W.grad = [2×3]?"
    assert OPS["matmul"].rule in texts(explanation.why_grad)


@pytest.mark.parametrize("method", ["sum", "mean", "max", "min"])
def test_a_sum_or_mean_of_a_single_number_is_told_with_it(method):
    explanation = explained(f"x = Value(2.5)\ny = x.{method}()", "y")
    assert texts(explanation.why_data)[-1].endswith("(2.5) = 2.5")
    x = explained(f"x = Value(2.5)\ny = x.{method}()", "x")
    assert x.gradient == 1.0 and x.check.ok


def test_numbers_that_are_made_an_array_are_told_with_its_shape():
    result = evaluate("import torch\nx = torch.tensor(2.0, requires_grad=True)\ny = torch.stack([x, x]).sum()\n")
    lines = [step.sum_line for step in Walk(result.root).script]
    assert lines[0] == "reshape(x) = reshape(2) = [1]"
    assert next(line for line in lines if line.startswith("y = ")).endswith(" = 4")


@pytest.mark.parametrize("op", [op for op in OPS.values() if op.elementwise or op.variadic], ids=lambda op: op.name)
def test_every_operation_can_be_explained(op):
    arity = op.arity or 3
    names = ["x1", "x2", "x3"][:arity]
    call = f"{op.name}({', '.join(names)})"
    result = evaluate("x1 = 0.7; x2 = 1.3; x3 = -0.4\n" + f"y = {call}\nL = y*y")
    for name in names:
        explanation = Explainer(result.root).explain(result.names[name])
        assert explanation.check is not None and explanation.check.ok
        assert op.rule in texts(explanation.why_grad)
        assert "where(" not in explanation.text


def test_explaining_leaves_the_graph_as_it_was():
    result = evaluate(NEURON)
    Explainer(result.root).explain(result.names["w1"])
    assert all(not value.grad_computed for value in result.origins)


PIECES = [
    "{a}*{b}",
    "{a} + {b}*{c}",
    "{a} - ({b} - {c})",
    "tanh({a}*{b}) + {c}",
    "{a}/({b}**2 + 1)",
    "({a} + {b})**2",
    "max({a}, {b})*{c}",
    "gelu({a}) - {b}",
    "logsumexp({a}, {b}, {c})",
    "weighted_sum({a}, {b}, {b}, {c}, {a})",
    "-{a}**3",
    "softplus({a})*sigmoid({b})",
    "relu({a}) + elu({b})",
    "sin({a})*cos({b})",
    "exp({a}*0.1)",
]


@pytest.mark.long
@given(st.lists(st.tuples(st.sampled_from(PIECES), *[st.integers(0, 9)] * 3), min_size=1, max_size=5), st.booleans(),
       st.lists(st.floats(-3, 3), min_size=3, max_size=3))  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_every_equation_of_every_explanation_is_true_to_the_digits_shown(pieces, opened, numbers):
    names = ["a", "b", "x1"]
    lines = [f"{name} = {number!r}" for name, number in zip(names, numbers, strict=True)]
    for index, (piece, *which) in enumerate(pieces):
        chosen = [names[-1 - place % len(names)] for place in which]
        lines.append(f"v{index} = " + piece.format(**dict(zip("abc", chosen, strict=True))))
        names.append(f"v{index}")
    root = evaluate("\n".join(lines)).root
    root = expand(root).root if opened else root
    walk = Walk(root)
    for place, value in enumerate(topological_order(root)):
        assert_true(Explainer(root).explain(value).text)
        assert_true(Explainer(root).explain(value, walk, len(walk) * (place % 7) // 7).text)
        assert_true(paths_between(value, root).text)


@pytest.mark.slow
def test_of_hundreds_of_consumers_each_is_told_with_what_it_adds():
    names = [f"y{i}" for i in range(300)]
    text = "x = 0.5\n" + "".join(f"{name} = x*{i + 1}.0\n" for i, name in enumerate(names))
    explanation = explained(text + "L = weighted_sum(" + ", ".join(f"0.5, {name}" for name in names) + ", 0.0)", "x")
    listed = [line for line in texts(explanation.why_grad) if line.startswith("from ")]
    assert len(listed) == 300
    assert sum(float(line.rpartition("= ")[2]) for line in listed) == pytest.approx(explanation.gradient)


@pytest.mark.slow
def test_of_thousands_of_consumers_those_that_are_not_listed_are_told_as_one_sum():
    x = Value(2.0, label="x")
    lines = texts(Explainer(sum((x * float(i) for i in range(1, 1001)), Value(0.0))).explain(x).why_grad)
    listed = [float(line.rpartition("= ")[2]) for line in lines if line.startswith("from ")]
    rest = next(line for line in lines if "more contributions" in line)
    count, amount = re.fullmatch(r"([\d,]+) more contributions add up to (\d+)\.", rest).groups()
    assert len(listed) + int(count) == 1000 and sum(listed) + int(amount) == 500500


@pytest.mark.slow
def test_of_thousands_of_terms_only_those_that_are_shown_are_written_and_added(monkeypatch):
    rounded = []
    module = sys.modules["engine.teaching.explain_terms"]
    monkeypatch.setattr(module, "shown", lambda number, decimals: rounded.append(number) or number)
    x = Value(0.1, label="x")
    lines = texts(Explainer(sum(x * x for _ in range(300))).explain(x).why_grad)
    assert sum("+ …" in line for line in lines) == 3
    assert lines[-1]
    assert len(rounded) < 100
