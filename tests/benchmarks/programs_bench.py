"""Programs in the sandbox beside the same text under CPython: tutorials with training, what a key press costs.

The ratio is CPython's time over ours, so 0.5 is twice CPython's time; graph, moments and variables fetched included.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
from collections.abc import Callable

from engine.language import evaluate
from tests.benchmarks.measure import Row, compared, interleaved

BUILT_IN_REACH, OWN_REACH = 0.5, 0.4
"""At most twice CPython with micrograd, and two and a half times CPython with the same class."""
KEYSTROKE_MS, LONG_MS = 60.0, 150.0

ENGINE = """
class Value:
    def __init__(self, data, children=()):
        self.data, self.grad, self._prev, self._backward = data, 0.0, set(children), lambda: None
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out
    def backward(self):
        order, seen = [], set()
        def visit(v):
            if v not in seen:
                seen.add(v)
                for child in v._prev: visit(child)
                order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order): v._backward()
ws = [Value(0.1 * i) for i in range(4)]
for step in range(400):
    out = ws[0] * 0.5 + ws[1] * -1.0 + ws[2] * 2.0 + ws[3]
    loss = (out + -1.0) * (out + -1.0)
    for w in ws: w.grad = 0.0
    loss.backward()
    for w in ws: w.data -= 0.05 * w.grad
print(loss.data)
"""

NETWORK = """
import random
random.seed(4)
xs = [[2.0, 3.0, -1.0], [3.0, -1.0, 0.5], [0.5, 1.0, 1.0], [1.0, 1.0, -1.0]]
ys = [1.0, -1.0, -1.0, 1.0]
net = MLP(3, [4, 4, 1])
for k in range(100):
    predictions = [net(x) for x in xs]
    loss = sum((p - y)**2 for y, p in zip(ys, predictions))
    net.zero_grad()
    loss.backward()
    for p in net.parameters(): p.data += -0.05 * p.grad
print(loss.data)
"""

TWENTY = "a = 2.0\nb = -3.0\n" + "\n".join(f"c{i} = a*b + tanh(a*{i}) - b**2" for i in range(18))
LONG = "a0 = 1.0\n" + "\n".join(f"a{i} = a{i - 1}*0.5 + {i}" for i in range(1, 500))


def rows() -> list[Row]:
    """Tutorials beside CPython, then what one edit costs."""
    evaluate("a = 1")  # the pool starts once
    found = _beside("tutorial, the learner's own class", ENGINE, "", OWN_REACH)
    if importlib.util.find_spec("micrograd"):
        head = "from micrograd.engine import Value\nfrom micrograd.nn import MLP\n"
        found += _beside("tutorial, Value and MLP built in", NETWORK, head, BUILT_IN_REACH)
    return [*found, _edit("20 lines, text to graph", TWENTY, KEYSTROKE_MS), _edit("500 lines", LONG, LONG_MS)]


def _beside(case: str, text: str, head: str, reach: float) -> list[Row]:
    works: dict[str, Callable[[], object]] = {"Gradstep": lambda: evaluate(text), "CPython": lambda: _run(head + text)}
    return compared(case, interleaved(works, 7), {"CPython": reach})


def _run(text: str) -> None:
    """Runs a text of this file under CPython."""
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, "<benchmark>", "exec"), {"__name__": "benchmark"})


def _edit(case: str, text: str, reach: float) -> Row:
    """Milliseconds from a text to its graph; the ratio is the time allowed over the time taken."""
    took = interleaved({"Gradstep": lambda: evaluate(text)}, 7)["Gradstep"] * 1e3
    return Row(case, "Gradstep", took, "ms", reach / took, 1.0)
