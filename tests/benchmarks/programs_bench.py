"""Programs in the sandbox beside the same text under CPython: tutorials with training, what a key press costs.

The ratio is CPython's time over ours, so 0.5 is twice CPython's time; graph, moments and variables fetched included.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import io
import os
from collections.abc import Callable
from pathlib import Path

from engine.language import evaluate
from tests.benchmarks.measure import Row, compared, interleaved

BUILT_IN_REACH, OWN_REACH = 1.0, 0.5
"""No slower than CPython with micrograd, and at most twice CPython's time with the same class."""
KEYSTROKE_MS, LONG_MS = 40.0, 150.0
NUMPY_MICROSECONDS, NUMPY_NETWORK_MS = 40.0, 1000.0
KEPT_MB = 5.0
"""Memory that a run of 100 MB may leave behind."""

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

NUMPY_OPERATIONS = "import numpy as np\na = np.ones(8)\nfor i in range({n}):\n    b = a + a\n"
NUMPY_NETWORK = """
import numpy as np
rng = np.random.default_rng(0)
X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
y = np.array([[0.0], [1.0], [1.0], [0.0]])
W1, b1 = rng.normal(size=(2, 4)), np.zeros(4)
W2, b2 = rng.normal(size=(4, 1)), np.zeros(1)
for step in range(500):
    h = np.tanh(X @ W1 + b1)
    p = 1 / (1 + np.exp(-(h @ W2 + b2)))
    d = (p - y) / len(X)
    dh = (d @ W2.T) * (1 - h ** 2)
    W2 -= 1.0 * (h.T @ d)
    b2 -= 1.0 * d.sum(axis=0)
    W1 -= 1.0 * (X.T @ dh)
    b1 -= 1.0 * dh.sum(axis=0)
print(np.mean((p - y) ** 2))
"""
LARGE = """
import numpy as np
words = ["x" * 1000 + str(i) for i in range(50_000)]
a = np.ones(6_000_000)
print(len(words), len(a))
del words, a
"""


def rows() -> list[Row]:
    """Tutorials beside CPython, NumPy, then what one edit costs and what a run leaves behind."""
    evaluate("a = 1")  # Python is prepared once
    found = _beside("8 ms of the learner's own class, 400 steps", ENGINE, "", OWN_REACH)
    network = (Path(__file__).parents[1] / "engine/language/programs/own_network.py").read_text(encoding="utf-8")
    network = network.replace("range(6)", "range(60)")
    found += _beside("network of the learner's own class, 60 steps", network, "", OWN_REACH)
    if importlib.util.find_spec("micrograd"):
        head = "from micrograd.engine import Value\nfrom micrograd.nn import MLP\n"
        found += _beside("tutorial, Value and MLP built in", NETWORK, head, BUILT_IN_REACH)
    found += [_numpy_operation(), _edit("NumPy, 500 steps of a 2-4-1 network", NUMPY_NETWORK, NUMPY_NETWORK_MS)]
    found += [_edit("20 lines, text to graph", TWENTY, KEYSTROKE_MS), _edit("500 lines", LONG, LONG_MS)]
    return [*found, *_memory()]


def _beside(case: str, text: str, head: str, reach: float) -> list[Row]:
    works: dict[str, Callable[[], object]] = {"Gradstep": lambda: evaluate(text), "CPython": lambda: _run(head + text)}
    return compared(case, interleaved(works, 7), {"CPython": reach})


def _run(text: str) -> None:
    """Runs a text of this file under CPython."""
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, "<benchmark>", "exec"), {"__name__": "benchmark"})


def _numpy_operation() -> Row:
    """Microseconds of one operation on a small array, the start of the program taken off."""
    few, many = NUMPY_OPERATIONS.format(n=1_000), NUMPY_OPERATIONS.format(n=6_000)
    took = interleaved({"few": lambda: evaluate(few), "many": lambda: evaluate(many)}, 5)
    each = (took["many"] - took["few"]) / 5_000 * 1e6
    return Row("NumPy, one operation", "Gradstep", each, "µs", NUMPY_MICROSECONDS / each, 1.0)


def _memory() -> list[Row]:
    """Megabytes that this process has more after runs of 100 MB than before; only on Linux."""
    status = Path("/proc/self/statm")
    if not status.exists():
        return []
    evaluate(LARGE)
    before = _resident_mb(status)
    for _ in range(5):
        evaluate(LARGE)
    kept = max(_resident_mb(status) - before, 0.1)
    return [Row("memory kept after five runs of 100 MB", "Gradstep", kept, "MB", KEPT_MB / kept, 1.0)]


def _resident_mb(status: Path) -> float:
    gc.collect()
    return int(status.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _edit(case: str, text: str, reach: float) -> Row:
    """Milliseconds from a text to its graph; the ratio is the time allowed over the time taken."""
    took = interleaved({"Gradstep": lambda: evaluate(text)}, 7)["Gradstep"] * 1e3
    return Row(case, "Gradstep", took, "ms", reach / took, 1.0)
