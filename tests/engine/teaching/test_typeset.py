"""How lines of explanations are set: fractions, subscripts, superscripts, minus signs."""

import pytest

from engine.autograd import OPS, topological_order
from engine.language import evaluate
from engine.teaching import Explainer
from engine.teaching.explanation import formula, fraction, plain
from engine.teaching.typeset import Fraction, Glyphs, minus_in_formula, true_minus, typeset


def drawn(*parts):
    """A line as text again: subscripts as x_1, superscripts as x^2, fractions as [above|below]."""
    return "".join(map(text_of, typeset(formula(*parts))))


def text_of(box):
    if isinstance(box, Fraction):
        return f"[{''.join(map(text_of, box.above))}|{''.join(map(text_of, box.below))}]"
    return {1: "^", 0: "", -1: "_"}[box.raised] + box.text


@pytest.mark.parametrize("text, seen", [
    ("= 1 / b", "= [1|b]"),
    ("-a / b²", "[−a|b²]"),
    ("(e - 1) / (e + 1)", "[e − 1|e + 1]"),
    ("(a + b)·(c + d) / 2", "[(a + b)·(c + d)|2]"),
    ("(a)·(b) / 2", "[(a)·(b)|2]"),
    ("((a) / 2", "((a) / 2"),
    ("a / b / c", "[[a|b]|c]"),
    ("y = tanh(a / b) + a / b", "y = tanh(a / b) + [a|b]"),
    ("x1w1 + b2", "x_1w_1 + b_2"),
    ("w12 × L1N2.w1", "w_12 × L_1N_2.w_1"),
    ("log1p(x1)", "log1p(x_1)"),
    ("x1b + conv2d + 2x1", "x_1b + conv2d + 2x_1"),
    ("1e-7 × -2.5 + 2e10", "1e−7 × −2.5 + 2e10"),
    ("x^-2 + x^n + 2^0.5", "x^−2 + x^n + 2^0.5"),
    ("hidden_1 / 2", "[hidden_1|2]"),
    ("-2 / (-3)²", "[−2|(−3)²]"),
    ("", ""),
])  # fmt: skip
def test_a_formula_is_set(text, seen):
    assert drawn(text) == seen


def test_a_derivative_is_a_fraction_with_its_names_set():
    assert drawn(fraction("do", "dw1"), " = ", fraction("∂x1w1", "∂w1")) == "[do|dw_1] = [∂x_1w_1|∂w_1]"
    assert drawn(fraction("dd", "dx1b")) == "[dd|dx_1b]"
    assert typeset(formula(fraction("do", "dw1")))[0].text == "do/dw1"


def test_only_minus_signs_of_numbers_are_replaced_in_sentences():
    assert true_minus("a slope of -0.5: the two-branch form, -∞") == "a slope of −0.5: the two-branch form, −∞"
    assert true_minus("by 1/b and by -a/b² for b, -sin(x), wing-3") == "by 1/b and by −a/b² for b, −sin(x), wing-3"
    assert true_minus("value -1.5e-05") == "value −1.5e−05"


def test_in_names_and_lines_every_minus_sign_is_replaced_but_hyphens_and_python_stay():
    lines = {"o-t": "o−t", "(a-1.5).grad = -2 - (-3e-5)": "(a−1.5).grad = −2 − (−3e−5)",
             "w.data -= learning rate × w.grad": "w.data -= learning rate × w.grad", "petal-length": "petal-length",
             "exp(2n)-1": "exp(2n)−1"}  # fmt: skip
    assert {line: minus_in_formula(line) for line in lines} == lines
    assert typeset(plain("half-way to -3")) == (Glyphs("half-way to −3", "word"),)


@pytest.mark.parametrize("op", [op for op in OPS.values() if op.elementwise or op.variadic], ids=lambda op: op.name)
def test_nothing_of_an_explanation_is_lost_when_it_is_set(op):
    names = ["x1", "x2", "x3"][: op.arity or 3]
    root = evaluate(f"x1 = 0.7; x2 = 1.3; x3 = -0.4\ny = {op.name}({', '.join(names)})\nL = y*y").root
    for value in topological_order(root):
        for line in Explainer(root).explain(value).lines:
            set_text = "".join(box.text for box in typeset(line))
            for plain_text in (line.text, set_text):
                assert plain_text
            letters = str.maketrans("", "", "^/() −-")
            assert set_text.translate(letters) == line.text.translate(letters)
