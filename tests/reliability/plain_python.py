"""Runs programs in plain CPython, one JSON line each: the reference for the sandbox.

Reads a program from each line of the standard input, and writes what it printed, its error (kind, message, line) and
its variables of plain kinds. It stands alone, so that any CPython can run it. Programs find a `Value` with the
interface and the arithmetic of Gradstep's, and its functions of numbers.
"""

import contextlib
import io
import json
import math
import random
import sys
import traceback
import warnings


class Value:
    """A number of a graph, as in micrograd; `backward()` adds to leaves, and replaces the gradients of the others."""

    __slots__ = ("_prev", "_rule", "data", "grad", "label")

    def __init__(self, data, _children=(), _op="", label=""):
        self.data = float(data)
        self.grad = 0.0
        self.label = label
        self._prev = _children
        self._rule = None

    def _made(self, data, children, rule):
        out = Value(data, children)
        out._rule = lambda: rule(out)
        return out

    def __add__(self, other):
        if (other := wrapped(other)) is None:
            return NotImplemented

        def rule(out):
            self.grad += out.grad
            other.grad += out.grad

        return self._made(self.data + other.data, (self, other), rule)

    def __sub__(self, other):
        if (other := wrapped(other)) is None:
            return NotImplemented

        def rule(out):
            self.grad += out.grad
            other.grad += -out.grad

        return self._made(self.data - other.data, (self, other), rule)

    def __mul__(self, other):
        if (other := wrapped(other)) is None:
            return NotImplemented

        def rule(out):
            self.grad += out.grad * other.data
            other.grad += out.grad * self.data

        return self._made(self.data * other.data, (self, other), rule)

    def __pow__(self, other):
        if type(other) not in (int, float):
            return NotImplemented
        n = float(other)

        def rule(out):
            self.grad += out.grad * (n * self.data ** (n - 1))

        return self._made(self.data**n, (self,), rule)

    def __neg__(self):
        def rule(out):
            self.grad += -out.grad

        return self._made(-self.data, (self,), rule)

    def __radd__(self, other):
        return NotImplemented if (other := wrapped(other)) is None else other + self

    def __rsub__(self, other):
        return NotImplemented if (other := wrapped(other)) is None else other - self

    def __rmul__(self, other):
        return NotImplemented if (other := wrapped(other)) is None else other * self

    def tanh(self):
        def rule(out):
            self.grad += out.grad * (1 - out.data**2)

        return self._made(math.tanh(self.data), (self,), rule)

    def exp(self):
        def rule(out):
            self.grad += out.grad * out.data

        return self._made(math.exp(self.data), (self,), rule)

    def relu(self):
        def rule(out):
            self.grad += out.grad if self.data > 0 else 0.0

        return self._made(max(0.0, self.data), (self,), rule)

    def backward(self):
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            value, is_done = stack.pop()
            if is_done:
                order.append(value)
            elif id(value) not in seen:
                seen.add(id(value))
                stack.append((value, True))
                stack += [(child, False) for child in reversed(value._prev)]
        for value in order:
            if value._rule is not None:
                value.grad = 0.0
        self.grad = 1.0 if self._rule is not None else self.grad + 1.0
        for value in reversed(order):
            if value._rule is not None:
                value._rule()

    def __repr__(self):
        return f"Value(data={self.data:.4f}, grad={self.grad:.4f})"


def wrapped(other):
    return other if isinstance(other, Value) else Value(other) if type(other) in (int, float) else None


def tanh(x):
    return x.tanh() if isinstance(x, Value) else math.tanh(x)


def exp(x):
    return x.exp() if isinstance(x, Value) else math.exp(x)


def plain(thing, depth=3):
    """Return True for what JSON holds without loss."""
    if thing is None or type(thing) in (bool, str):
        return True
    if type(thing) is int:
        return abs(thing) < 2**53
    if type(thing) is float:
        return math.isfinite(thing)
    if type(thing) is list and depth:
        return all(plain(each, depth - 1) for each in thing)
    return type(thing) is dict and bool(depth) and all(type(k) is str and plain(v, depth - 1) for k, v in thing.items())


def shown(problem):
    """Return what a terminal shows behind the kind of an exception, with its suggestions."""
    with warnings.catch_warnings(action="ignore"):
        lines = "".join(traceback.TracebackException.from_exception(problem).format_exception_only()).strip("\n")
    return (lines.rpartition("\n")[2] if isinstance(problem, SyntaxError) else lines).partition(": ")[2]


def run(text):
    """Return the output, the error and the plain variables of a program."""
    out, error = io.StringIO(), None
    random.seed(1)
    names = {"__name__": "__main__", "Value": Value, "np": None, "math": math, "random": random}
    names |= {"tanh": tanh, "exp": exp}  # np, too, may be suggested for a mistyped name
    before = set(names)
    try:
        with contextlib.redirect_stderr(out):
            code = compile(text, "<program>", "exec")
    except SyntaxError as problem:
        error = [type(problem).__name__, shown(problem), problem.lineno]
    else:
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                exec(code, names)
        except BaseException as problem:
            places = [f.lineno for f in traceback.extract_tb(problem.__traceback__) if f.filename == "<program>"]
            error = [type(problem).__name__, shown(problem), places[-1]]
    values = {
        name: thing
        for name, thing in names.items()
        if name not in before and not name.startswith("__") and plain(thing)
    }
    return json.dumps([out.getvalue(), error, values])


warnings.simplefilter("ignore")
warnings.simplefilter("always", SyntaxWarning)
if __name__ == "__main__" and "pyodide" not in sys.modules:
    for _line in sys.stdin:
        print(run(json.loads(_line)), flush=True)
