"""A loss that rises over a program's own loop is judged from what the loop did."""

import math

import pytest

from engine.autograd import short
from engine.language import evaluate
from engine.language.rising_loss import direction, rising_loss

LOOP = """\
class Optimizer:
    def __init__(self, parameters, rate):
        self.parameters, self.rate = parameters, rate

    def step(self):
        gradients = [p.grad for p in self.parameters]
        for p, g in zip(self.parameters, gradients):
            p.data {sign}= self.rate * g


w, b = Value(0.5), Value(-1.0)
optimizer = Optimizer([w, b], {rate})
for k in range({steps}):
    loss = (w * 2.0 + b - 3.0) ** 2
    w.grad = b.grad = 0.0
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    "sign, rate, kind", [("+", 0.01, "climbs"), ("-", -0.01, "climbs"), ("-", 0.5, "too far"), ("-", 0.01, None)]
)
def test_the_wrong_sign_and_a_rate_that_is_too_high_are_told_apart_and_the_update_is_named(sign, rate, kind):
    text = LOOP.format(sign=sign, rate=rate, steps=8)
    found = rising_loss(evaluate(text), text)
    assert (found and found.kind) == kind
    if found is not None:
        assert f"rises from {short(found.first)} to {short(found.last)}" in found.text
        assert text.splitlines()[found.line - 1].strip().startswith("p.data")
        w, b, loss = 0.5, -1.0, []
        for _ in range(8):  # as the program does
            slope = 2 * (2 * w + b - 3)
            loss.append((2 * w + b - 3) ** 2)
            step = rate if sign == "+" else -rate
            w, b = w + step * 2 * slope, b + step * slope
        assert (found.first, found.last) == (pytest.approx(loss[0]), pytest.approx(loss[-1]))


@pytest.mark.slow
@pytest.mark.parametrize("rate, kind", [(0.01, "climbs"), (-0.5, "too far"), (-0.01, None)])
def test_a_long_loop_that_ends_at_nan_is_judged_by_its_first_passes(rate, kind):
    text = LOOP.format(sign="+", rate=rate, steps=2000)
    found = rising_loss(evaluate(text), text)
    assert (found and found.kind) == kind
    assert found is None or f" to {'nan' if math.isnan(found.last) else short(found.last)} " in found.text


def test_the_direction_of_an_update():
    leaves = [(1.0, 2.0), (0.0, -4.0), (5.0, 0.0)]
    assert direction(leaves, [1.2, -0.4, 5.0]) == "along"
    assert direction(leaves, [0.8, 0.4, 5.0]) == "against"
    assert direction(leaves, [0.8, 0.1, 5.0]) == ""  # no common rate
    assert direction(leaves, [1.0, 0.0, 5.0]) == ""  # nothing moved


def test_a_loop_over_other_data_in_each_pass_is_not_judged():
    loop = "for x in (1.0, 5.0):\n    loss = (w * x - 3.0) ** 2\n    loss.backward()\n    w.data += w.grad\n"
    text = f"w = Value(1.0)\n{loop}"
    assert rising_loss(evaluate(text), text) is None


@pytest.mark.parametrize(
    "passes",
    [
        "loss = (w + 3.0) ** 2\n    loss.backward()\n    (w * w).backward()",
        "loss = (w + 3.0) ** 2 if k == 0 else (w + 3.0) ** 2 + 1.0\n    loss.backward()",
    ],
)
def test_passes_that_cannot_be_compared_are_not_judged(passes):
    text = f"w = Value(1.0)\nfor k in range(4):\n    {passes}\n    w.data += 0.1 * w.grad\n"
    assert rising_loss(evaluate(text), text) is None
