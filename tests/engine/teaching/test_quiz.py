"""Answers for gradients: what is read, what is right, what is said of a wrong one, and a hint without numbers."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.autograd import OPS, Replay, Value
from engine.language import evaluate
from engine.teaching.quiz import SENTENCES, hint, judge, read_answer

X = Value(1.0, "x")


@pytest.mark.parametrize("text, number", [
    ("-1.5", -1.5), (" 1/3 ", 1 / 3), ("2e-3", 0.002), ("−4", -4.0), (".5", 0.5), ("3.", 3.0), ("-1/-2", 0.5),
    ("", None), ("x", None), ("1/0", None), ("1+1", None), ("nan", None), ("__import__", None), ("1e", None),
    ("9" * 20_000 + "x", None),
])  # fmt: skip
def test_numbers_and_quotients_are_read_and_nothing_else(text, number):
    assert read_answer(text) == number


@pytest.mark.slow
@given(st.floats(-1e6, 1e6))
def test_the_gradient_as_a_box_shows_it_is_right(gradient):
    shown = f"{gradient:.4f}" if abs(gradient) > 1 else f"{gradient:.4e}"
    assert judge(shown, X, gradient).right
    assert not judge(f"{gradient + 0.01 * max(1.0, abs(gradient)):.6f}", X, gradient).right


def test_what_is_said_of_a_wrong_answer_says_what_is_wrong_with_it():
    assert judge("8", X, -8.0, (-6.0, -2.0)).text == SENTENCES["sign"]
    assert "one consumer: x is used 2 times" in judge("-6", X, -8.0, (-6.0, -2.0)).text
    assert judge("5", X, -8.0, (-6.0, -2.0)).text == "Not yet: 5 is not x.grad. The hint shows the rule."
    assert judge("abc", X, 1.0).is_number is False


def test_a_hint_has_the_rule_of_each_consumer_and_no_number():
    result = evaluate("a = -2.0\nb = 3.0\nd = a*b\ne = a + b\nf = d*e")
    b = result.names["b"]
    lines = [line.text for line in hint(b, result.root, Replay(result.root).uses(b))]
    assert lines == [
        "Hint for b.grad",
        "b is used 2 times: add up the contributions of all uses.",
        "from e: e.grad × ∂e/∂b",
        "from d: d.grad × ∂d/∂b",
        OPS["add"].rule,
        OPS["mul"].rule,
    ]
    assert not re.search(r"-?\d\.\d|-8|-6", " ".join(lines))
    assert [
        line.text for line in hint(result.names["e"], result.root, Replay(result.root).uses(result.names["e"]))
    ] == [
        "Hint for e.grad",
        "from f: f.grad × ∂f/∂e",
        OPS["mul"].rule,
    ]
    assert hint(result.root, result.root, ())[1].text == SENTENCES["root"]
    assert "does not depend on a" in hint(result.names["a"], Value(1.0), ())[1].text
