"""Programs that try to get out of the sandbox or to take the machine: a ProgramError within the budget, and no harm.

Each is made of one or several attempts below, with an engine of the learner's or Gradstep's own Value around them.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from contextlib import chdir, suppress
from pathlib import Path

from engine.language import Limits, ProgramError, evaluate

LIMITS = Limits(seconds=1.0, memory_bytes=60_000_000, values=20_000, output_bytes=100_000, recursion=300)
TOO_LONG = 1.1
"""Of the seconds allowed: what takes longer is a finding."""
START_SECONDS = 0.15
"""For a new worker, where the last one had to be ended."""

ENGINE = """
class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        self.data = data
        self.grad = 0.0
        self._prev = _children
        self._op = _op
        self.label = label
        self._backward = lambda: None
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")
        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out
    def backward(self):
        order, stack = [], [self]
        while stack:
            v = stack.pop()
            order.append(v)
            stack.extend(v._prev)
        self.grad = 1.0
        for v in order:
            v._backward()
"""
USE = "\na, b = Value(2.0), Value(-3.0)\nc = a * b + a\nc.backward()\n"

GET_OUT = [
    "().__class__.__bases__[0].__subclasses__()",
    "'{0.__class__.__mro__}'.format(1)",
    "f'{(lambda: 0).__globals__}'",
    "__import__('os').system('touch touched')",
    "open('touched', 'w').write('x')",
    "import os\nos.system('touch touched')",
    "eval(\"__import__('os').getcwd()\")",
    "exec('import os')",
    "getattr(print, '__self__')",
    "type(1).__mro__",
    "import subprocess",
    "import socket",
    "import ctypes",
    "import sys\nsys.exit(3)",
    "from importlib import import_module",
    "globals()",
    "locals()",
    "vars()",
    "dir()",
    "breakpoint()",
    "input()",
    "exit()",
    "help()",
    "print.__self__.__dict__",
    "import builtins\nbuiltins.open('touched', 'w')",
    "math.__loader__",
    "(lambda: 0).__code__.co_consts",
    "compile('1', '', 'eval')",
    "__builtins__",
    "__file__",
    "__name__",
    "__loader__",
    "import pathlib\npathlib.Path('touched').write_text('x')",
    "import os\nprint(os.environ)",
    "from time import sleep\nsleep(1e9)",
    "from engine.autograd import Value",
    "import _gs_x",
    "_gs_x = 1",
    "import asyncio",
    "import signal, threading",
    "memoryview(b'x')",
    "import json, re\nre.match('(a+)+$', 'a' * 40 + 'b')",
    "object.__subclasses__()",
    "type('X', (), {})()",
    "setattr(Value, '__init__', None)",
    "delattr(Value, 'data')",
    "print(open)",
]
TAKE = [
    "x = 'x' * 10**10",
    "x = 10**10**10",
    "x = list(range(10**12))",
    "f'{1:>1000000000}'",
    "'%1000000000d' % 1",
    "s = 'a'\nwhile True: s += s",
    "x = [0] * 10**9",
    "x = 1 << 10**10",
    "x = str(10**100000)",
    "x = int('9' * 100000)",
    "sum(range(10**12))",
    "sorted(range(10**8))",
    "math.factorial(10**7)",
    "pow(7, 10**9)",
    "'ab'.join(['x' * 1000] * 10**7)",
    "'a'.replace('a', 'b' * 10**9)",
    "'x'.zfill(10**10)",
    "'x'.center(10**10)",
    "bytes(10**10)",
    "dict.fromkeys(range(10**9))",
    "set(range(10**9))",
    "random.choices([1], k=10**9)",
    "import numpy as np\nnp.zeros(10**10)",
    "import numpy as np\nnp.arange(0, 1, 1e-12)",
    "import matplotlib.pyplot as plt\nplt.plot(range(10**8))",
    "print('x' * 10**8)",
    "while True: print(1)",
    "while True: pass",
    "while True:\n try:\n  while True: pass\n except: pass",
    "sorted([3, 1, 2], key=lambda x: [0 for _ in range(10**9)])",
    "def f(): return f()\nf()",
    "def f(n): return g(n)\ndef g(n): return f(n)\nf(1)",
    "x = []\nfor _ in range(10**5): x = [x]\nprint(x)",
    "x = {}\nfor i in range(10**5): x = {i: x}\nx == x",
    "l = [1]\nfor i in l: l.append(i)",
    "l = []\nwhile True: l.append([0] * 1000)",
    "d = {}\ni = 0\nwhile True:\n d[i] = 'x' * 100\n i += 1",
    "max(range(10**11), key=lambda x: -x)",
    "[i for i in range(10**9) if i < 0]",
    "any(i < 0 for i in range(10**12))",
    "(lambda f: f(f))(lambda f: f(f))",
    "x = [1]\nx.append(x)\nprint(x)",
    "while True:\n a = Value(1.0)\n (a + 1).backward()",
    "v = Value(1.0)\nfor i in range(10**6): v = v + 1\nv",
    "v = Value(1.0)\nwhile True: v = v * v",
    "v = Value(1.0)\nfor i in range(3000): v = v + v\nv.backward()",
    "import time\nwhile time.time() > 0: pass",
    "m = MLP(100, [100] * 50)\nm([1.0] * 100)",
    "x = 1.0\nfor i in range(10**7): x = x * 1.0000001",
    "'a' * -10**30",
    "range(10**30)[10**29]",
    "list(map(list, [range(10**8)] * 3))",
]
REPLACE = [
    "len = id = getattr = isinstance = type = None",
    "list = dict = tuple = set = range = 3",
    "Value = 5",
    "print = lambda *args: 1 / 0",
    "sum = max = min = abs = None",
    "math = None",
    "Exception = TypeError = 3",
    "def isinstance(a, b): return True",
    "def id(x): return 1",
    "def getattr(*args): raise ValueError('no')",
    "def type(x): return x",
    "def str(x): return str(x)",
    "float = int = bool = lambda x: []",
    "def setattr(*args): pass",
    "import random\nrandom.random = 3",
    "math.tanh = lambda x: 'x'",
    "def len(x):\n while True: pass",
    "zip = enumerate = None",
]
METHODS = [
    "def __repr__(self): return repr(self)",
    "def __repr__(self):\n  while True: pass",
    "def __repr__(self): return 5",
    "def __eq__(self, other): return self == other",
    "def __hash__(self): return self",
    "def __bool__(self): raise ValueError('no truth')",
    "def __len__(self): return -1",
    "def __iter__(self): return self",
    "def __getattr__(self, name): return self",
    "def __call__(self, *args): return self(*args)",
    "def __float__(self): return 'x'",
    "def __add__(self, other): return self + other",
    "def _backward(self):\n  while True: pass",
    "def _backward(self): raise MemoryError",
    "def backward(self): self.backward()",
    "def __str__(self): return 'x' * 10**9",
]
LIES = [
    "c.data = [1, 2]",
    "c.data = None",
    "c.data = 'x' * 10**6",
    "c.data = 10**5000",
    "c.data = c",
    "c.data = lambda: 0",
    "c.data = float('nan')",
    "c.data = True",
    "c.grad = c",
    "c.grad = 'x'",
    "c.grad = [1.0]",
    "c.grad = None",
    "c._prev = c",
    "c._prev = [c]",
    "a._prev = (c,)",
    "c._prev = 5",
    "c._prev = [[[]]]",
    "c._prev = 'abc'",
    "c._prev = [a] * 10**6",
    "c._prev = (1, 2.5, None, 'x', a)",
    "c._prev = {a: b}",
    "c._prev = range(10**9)",
    "c._prev = [Value, len, c._backward]",
    "c._op = c",
    "c._op = 'x' * 10**6",
    "c._op = '\\x1b[31m'",
    "c.label = 'y' * 10**6",
    "c.label = c",
    "c.label = '\\ud800'",
    "c._backward = 5",
    "c._backward = c.backward",
    "c._backward = lambda: 1 / 0",
    "c._backward = lambda: c._backward()",
    "def loop():\n while True: pass\nc._backward = loop",
    "c._backward = lambda *args: [1] * 10**7",
    "c.backward = None",
    "Value.backward = None",
    "Value.data = 3",
    "Value.grad = property(lambda self: 1 / 0)",
    "c.children = c.parents = c.inputs = [c]",
    "a.data = b.data = c.data = 1e308",
    "del c.data",
    "c._prev = (a, b)\na._prev = (b,)\nb._prev = (a,)",
    "c.__class__ = 3",
    "c._prev = [type('X', (), {})]",
]
UNREADABLE = [
    "(" * 5000 + "1" + ")" * 5000,
    "-" * 100_000 + "1",
    "a" + ".a" * 10_000,
    "1" + " + 1" * 10_000,
    "lambda: " * 3000 + "1",
    "[" * 3000,
    "f'{" * 300 + "1" + "}'" * 300,
    "9" * 5000,
    "x = '\0'",
    "x = '\ud800'",
    "x = '''",
    "\n".join(" " * i + "if 1:" for i in range(150)),
    "match 1:\n case _: pass",
    "async def f(): await f()",
    "@f\ndef g(): pass",
    "(x := 5)",
    "def f(:",
    "class A(A): pass",
    "return 5",
    "yield 1",
    "break",
    "nonlocal x",
    "global x\nx = 1",
    "x = *a",
    "lambda x, x: 1",
    "def f(a, a): pass",
    "1 = 2",
    "f() = 3",
    "del 1",
    "with a: pass",
    "a" * 100_000 + " = 1",
    "x = 1\n" * 20_000,
    "if 1:\n\tx = 1\n        y = 2",
    "\\",
    "x = 0x" + "f" * 10_000,
    "a = b = " * 3000 + "1",
    "not " * 3000 + "1",
    "x[" * 2000 + "0" + "]" * 2000,
    "1 if 1 else " * 2000 + "1",
]
KINDS = (GET_OUT, TAKE, REPLACE, METHODS, LIES, UNREADABLE)
FIRST = ENGINE + USE


def make(chance: random.Random) -> str:
    """One or several attempts, inside or outside of functions, around a graph or not."""
    kinds = chance.choices((GET_OUT, TAKE, REPLACE, LIES, LIES, UNREADABLE), k=chance.choice((1, 1, 2, 3)))
    parts = [wrapped(chance.choice(kind), chance) for kind in kinds]
    engine = chance.choice((ENGINE, ENGINE, "")).rstrip("\n") + "\n"
    if engine.strip() and chance.random() < 0.4:
        engine += "    " + chance.choice(METHODS).replace("\n", "\n    ") + "\n"
    use = chance.choice((USE, USE, USE.replace("c.backward()\n", ""), ""))
    if LIES in kinds:  # which are about a graph that is there
        use = use or USE
    order = [engine, use, *parts] if LIES in kinds or chance.random() < 0.6 else [engine, *parts, use]
    return "\n".join(order) + chance.choice(("", "\nc\n", "\nprint(c)\n", "\nc.backward()\n") if use else ("",))


def wrapped(part: str, chance: random.Random) -> str:
    """An attempt as it stands, in a function, behind a try, in a loop, as a key of a sort."""
    inner = part.replace("\n", "\n    ")
    forms = [
        part,
        part,
        part,
        f"def attempt():\n    {inner}\nattempt()",
        f"try:\n    {inner}\nexcept Exception:\n    pass",
        f"try:\n    {inner}\nfinally:\n    print('on')",
        f"for _ in range(3):\n    {inner}",
    ]
    if "\n" not in part and "=" not in part:
        forms += [f"sorted([2, 1], key=lambda _: {part})", f"print({part})", f"x = [{part} for _ in range(2)]"]
    return chance.choice(forms)


def check(text: str) -> dict[str, float]:
    """Runs the program in an empty folder; gives the seconds where they are too many."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        began, before = time.monotonic(), waits()
        run(text)
        seconds = time.monotonic() - began - sum(after - before.get(name, 0.0) for name, after in waits().items())
        assert os.listdir(folder) == [], os.listdir(folder)  # noqa: PTH208
    assert_still_works()
    return {"over budget": seconds} if seconds > LIMITS.seconds * TOO_LONG + START_SECONDS else {}


def waits() -> dict[str, float]:
    """The seconds that each thread has waited for a processor that other programs used; empty where nobody says so."""
    found = {}
    for path in Path("/proc/self/task").glob("*/schedstat"):
        with suppress(OSError):  # a thread that has just ended
            found[path.parent.name] = int(path.read_text().split()[1]) / 1e9
    return found


def run(text: str) -> None:
    """A ProgramError that can be shown, or an evaluation."""
    try:
        result = evaluate(text, limits=LIMITS)
    except ProgramError as error:
        assert 1 <= error.line <= text.count("\n") + text.count("\r") + 1, error
        assert error.message.isprintable(), error.message
        assert len(error.message) <= 700, error.message
        printed = error.output
    else:
        printed = result.output
        for row in result.engine_check or ():
            assert row.message.isprintable(), row
            assert len(row.message) <= 600, row
    assert sum(len(piece.text.encode("utf-8", "replace")) for piece in printed) <= 2 * LIMITS.output_bytes


def assert_still_works() -> None:
    """The next program has its right result, whatever this one did to its worker."""
    result = evaluate("a = Value(2.0)\nb = a * a\nb.backward()\nprint(a.grad)", limits=LIMITS)
    assert "".join(piece.text for piece in result.output) == "4.0\n"
    assert Path.cwd().exists()
