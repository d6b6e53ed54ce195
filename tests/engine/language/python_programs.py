"""Random small programs of plain Python, and CPython itself to run them, with which the sandbox is compared."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

NAMES = {"int": ("i", "j", "k"), "float": ("x", "y", "w"), "str": ("s", "t"), "list": ("a", "b"), "dict": ("d", "e")}
FIRST = """\
i, j, k = 3, -2, 7
x, y, w = 0.5, -1.25, 3.0
s, t = "ab", "Gradstep"
a, b = [1, 2, 3], [0.5, -2.0]
d, e = {"p": 1, "q": 2.5}, {}


class Value:
    made = 0

    def __init__(self, data, inputs=(), op=""):
        self.data = data
        self.inputs = inputs
        self.op = op
        Value.made += 1

    def __add__(self, other):
        return Value(self.data + other.data, (self, other), "+")

    def __mul__(self, other):
        return Value(self.data * other.data, (self, other), "*")

    def __neg__(self):
        return Value(-self.data, (self,), "-")

    def __repr__(self):
        return f"Value({self.data!r}, {self.op!r}, {len(self.inputs)})"


u, v = Value(2.0), Value(-3)
"""
"""What stands before every program: a value for every name, and a class."""

_numbers = st.sampled_from(["0", "1", "2", "3", "10", "-1", "255", "1000003"])
_floats = st.sampled_from(["0.0", "0.1", "2.5", "-0.75", "1e3", "1e-7", "3.14159", "100.0"])
_texts = st.sampled_from(["''", "'x'", '"it\'s"', "'a b c'", "'Ünïcode'", "'%'", "'{}'"])


def number(depth: int) -> st.SearchStrategy[str]:
    """An expression that is an int."""
    leaf = st.one_of(_numbers, st.sampled_from(NAMES["int"]))
    if depth == 0:
        return leaf
    inner = number(depth - 1)
    two = st.tuples(inner, inner)
    return st.one_of(
        leaf,
        two.map(lambda p: f"({p[0]} + {p[1]})"),
        two.map(lambda p: f"({p[0]} - {p[1]})"),
        two.map(lambda p: f"{p[0]} * {p[1]}"),
        two.map(lambda p: f"({p[0]} // {p[1]})"),
        two.map(lambda p: f"({p[0]} % {p[1]})"),
        two.map(lambda p: f"max({p[0]}, {p[1]})"),
        st.tuples(truth(depth - 1), inner, inner).map(lambda p: f"({p[1]} if {p[0]} else {p[2]})"),
        sequence(depth - 1).map(lambda p: f"len({p})"),
        text(depth - 1).map(lambda p: f"len({p})"),
        inner.map(lambda p: f"abs({p})"),
        real(depth - 1).map(lambda p: f"int({p})"),
        text(depth - 1).map(lambda p: f"{p}.count('a')"),
        inner.map(lambda p: f"-{p}"),
    )


def real(depth: int) -> st.SearchStrategy[str]:
    """An expression that is a float, or nearly always."""
    leaf = st.one_of(_floats, st.sampled_from(NAMES["float"]))
    if depth == 0:
        return leaf
    inner, either = real(depth - 1), st.one_of(real(depth - 1), number(depth - 1))
    two = st.tuples(inner, either)
    return st.one_of(
        leaf,
        two.map(lambda p: f"({p[0]} + {p[1]})"),
        two.map(lambda p: f"({p[0]} - {p[1]})"),
        two.map(lambda p: f"{p[0]} * {p[1]}"),
        two.map(lambda p: f"({p[0]} / {p[1]})"),
        two.map(lambda p: f"min({p[0]}, {p[1]})"),
        inner.map(lambda p: f"({p})**2"),
        inner.map(lambda p: f"abs({p})"),
        inner.map(lambda p: f"float({p})"),
        inner.map(lambda p: f"math.tanh({p})"),
        inner.map(lambda p: f"math.floor({p})"),
        st.just("u.data"),
        st.just("(u * v + u).data"),
    )


def truth(depth: int) -> st.SearchStrategy[str]:
    """An expression that is a condition."""
    either = st.one_of(number(max(0, depth - 1)), real(max(0, depth - 1)))
    signs = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
    plain = st.tuples(either, signs, either).map(lambda p: f"{p[0]} {p[1]} {p[2]}")
    if depth == 0:
        return plain
    inner = truth(depth - 1)
    return st.one_of(
        plain,
        st.tuples(inner, inner).map(lambda p: f"({p[0]} and {p[1]})"),
        st.tuples(inner, inner).map(lambda p: f"({p[0]} or {p[1]})"),
        inner.map(lambda p: f"not ({p})"),
        st.tuples(number(0), sequence(0)).map(lambda p: f"({p[0]} in {p[1]})"),
        st.tuples(text(0), text(0)).map(lambda p: f"({p[0]} in {p[1]})"),
        sequence(depth - 1).map(lambda p: f"bool({p})"),
        st.sampled_from(["isinstance(x, float)", "isinstance(i, (int, str))", "u is v", "d == e", "'p' in d"]),
    )


def text(depth: int) -> st.SearchStrategy[str]:
    """An expression that is a text."""
    leaf = st.one_of(_texts, st.sampled_from(NAMES["str"]))
    if depth == 0:
        return leaf
    inner = text(depth - 1)
    return st.one_of(
        leaf,
        st.tuples(inner, inner).map(lambda p: f"({p[0]} + {p[1]})"),
        st.tuples(inner, st.integers(0, 3)).map(lambda p: f"{p[0]} * {p[1]}"),
        inner.map(lambda p: f"{p}.upper()"),
        inner.map(lambda p: f"{p}.replace('a', 'bb')"),
        st.tuples(inner, st.sampled_from(["[::-1]", "[1:]", "[-2:]", "[:3]", "[0]"])).map("".join),
        st.one_of(number(depth - 1), real(depth - 1), sequence(0)).map(lambda p: f"str({p})"),
        st.one_of(number(0), real(0), text(0), sequence(0)).map(lambda p: f"repr({p})"),
        st.tuples(real(0), st.sampled_from([".2f", "8.3f", "+.1f", ".3e", "g", ".1%", "<9.4f", "^12.1f"])).map(
            lambda p: f"f'<{{{p[0]}:{p[1]}}}>'"
        ),
        st.tuples(number(0), st.sampled_from(["d", "5d", "<6d", "05d", ",", "x", "+d", "b"])).map(
            lambda p: f"f'<{{{p[0]}:{p[1]}}}>'"
        ),
        st.tuples(st.sampled_from(["s", "t"]), st.sampled_from(["!r", ":>6", ":*^9", "=", ":.2"])).map(
            lambda p: f"f'<{{{p[0]}{p[1]}}}>'"
        ),
        st.tuples(number(0), real(0)).map(lambda p: f"'%d and %.3f' % ({p[0]}, {p[1]})"),
        sequence(depth - 1).map(lambda p: f"', '.join([str(n) for n in {p}])"),
    )


def sequence(depth: int) -> st.SearchStrategy[str]:
    """An expression that is a list."""
    either = st.one_of(number(max(0, depth - 1)), real(max(0, depth - 1)))
    leaf = st.one_of(st.sampled_from(NAMES["list"]), st.lists(either, max_size=4).map(lambda p: f"[{', '.join(p)}]"))
    if depth == 0:
        return leaf
    inner = sequence(depth - 1)
    return st.one_of(
        leaf,
        st.tuples(inner, inner).map(lambda p: f"({p[0]} + {p[1]})"),
        inner.map(lambda p: f"sorted({p})"),
        inner.map(lambda p: f"[n * 2 for n in {p} if n > 0]"),
        inner.map(lambda p: f"list(reversed({p}))"),
        st.tuples(inner, st.sampled_from(["[::-1]", "[1:]", "[-2:]", "[:2]", "[::2]"])).map("".join),
        st.integers(0, 6).map(lambda n: f"list(range({n}))"),
        st.tuples(inner, inner).map(lambda p: f"[p * q for p, q in zip({p[0]}, {p[1]})]"),
        inner.map(lambda p: f"list(map(lambda n: n + 1, {p}))"),
        st.sampled_from(["sorted(d)", "list(d.values())", "[c for c in t]", "t.split('d')"]),
    )


def printed() -> st.SearchStrategy[str]:
    """Something that is printed."""
    others = st.sampled_from(["d", "e", "u", "u * v", "-v"])
    value = st.one_of(number(2), real(2), text(2), sequence(2), truth(1), others)
    plain = st.lists(value, min_size=1, max_size=3).map(lambda p: f"print({', '.join(p)})")
    ended = st.tuples(value, st.sampled_from(["end=' '", "sep='-'", "end=''"])).map(lambda p: f"print({p[0]}, {p[1]})")
    return st.one_of(plain, plain, ended)


def simple() -> st.SearchStrategy[str]:
    """A statement of one line."""

    def bound(kind: str, strategy: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(st.sampled_from(NAMES[kind]), strategy).map(lambda p: f"{p[0]} = {p[1]}")

    return st.one_of(
        printed(),
        bound("int", number(2).map(lambda p: f"{p} % 1009")),  # what is multiplied in loops has to stay small
        bound("float", real(2)),
        bound("str", text(1).map(lambda p: f"({p})[:12]")),
        bound("list", sequence(2).map(lambda p: f"({p})[:6]")),
        st.tuples(st.sampled_from(NAMES["int"]), st.sampled_from(["+=", "-="]), number(1)).map(" ".join),
        st.tuples(st.sampled_from(NAMES["float"]), st.sampled_from(["+=", "*=", "-=", "/="]), real(1)).map(" ".join),
        st.tuples(st.sampled_from(NAMES["list"]), number(1)).map(lambda p: f"{p[0]}.append({p[1]})"),
        st.tuples(st.sampled_from(NAMES["dict"]), text(0), real(1)).map(lambda p: f"{p[0]}[{p[1]}] = {p[2]}"),
        st.tuples(st.sampled_from(NAMES["list"]), st.integers(-3, 3), real(1)).map("{0[0]}[{0[1]}] = {0[2]}".format),
        st.sampled_from(
            ["u = u * v + v", "v.data += 1", "i, j = j, i", "print(Value.made)", "print(d['p'])", "print(a[2])",
             "x = d.get('q', 0.0)", "s = t = 'z'", "print(*a, sep='/')", "print(sum(a), max(a, default=None))"]
        ),
    )  # fmt: skip


def indented(lines: list[str]) -> str:
    return "\n".join(f"    {line}" for text in lines for line in text.split("\n"))


def block(depth: int) -> st.SearchStrategy[str]:
    """A statement that may hold others."""
    if depth == 0:
        return simple()
    body = st.lists(block(depth - 1), min_size=1, max_size=3).map(indented)
    return st.one_of(
        simple(),
        simple(),
        st.tuples(truth(1), body).map(lambda p: f"if {p[0]}:\n{p[1]}"),
        st.tuples(truth(1), body, body).map(lambda p: f"if {p[0]}:\n{p[1]}\nelse:\n{p[2]}"),
        st.tuples(st.integers(0, 4), body).map(lambda p: f"for i in range({p[0]}):\n{p[1]}"),
        st.tuples(sequence(0), body).map(lambda p: f"for n, x in enumerate({p[0]}[:4]):\n{p[1]}"),
        body.map(lambda p: f"for key, w in sorted(d.items()):\n{p}"),
        st.tuples(number(1), body).map(lambda p: f"m = 3\nwhile m > min(0, {p[0]}) and m > 0:\n    m -= 1\n{p[1]}"),
        st.tuples(body, real(1)).map(lambda p: f"def f(x, y=2.0):\n{p[0]}\n    return {p[1]}\nprint(f(0.25))"),
        st.tuples(real(1), real(1)).map(lambda p: f"g = lambda x: {p[0]}\nprint(g({p[1]}))"),
        body.map(lambda p: f"try:\n{p}\nexcept (ZeroDivisionError, IndexError) as error:\n    print('caught', error)"),
        body.map(
            lambda p: (
                f"try:\n{p}\nexcept Exception as error:\n    print(type(error).__name__)\nfinally:\n    print('.')"
            )
        ),
    )


def programs() -> st.SearchStrategy[str]:
    """A whole program."""
    blocks = st.lists(block(2), min_size=1, max_size=6)
    return blocks.map(lambda lines: "import math\n" + FIRST + "\n".join(lines) + "\n")


_OF_VALUES = (
    ("u = u * v + v", "x = x * y + y"),
    ("v.data += 1", "y += 1"),
    ("(u * v + u).data", "(x * y + x)"),
    ("u.data", "x"),
    ("print(Value.made)", "print(x)"),
    ("u is v", "x == y"),
    ("u * v", "x * y"),
    ("-v", "-y"),
)


def formula_programs() -> st.SearchStrategy[str]:
    """A whole program of named numbers, without a class: numbers remember how they were computed."""
    first = FIRST[: FIRST.index("class Value")]

    def without_values(program: str) -> str:
        rest = program.split("u, v = Value(2.0), Value(-3)\n")[1]
        for old, new in _OF_VALUES:
            rest = rest.replace(old, new)
        return "import math\n" + first + re.sub(r"\bu\b", "w", rest)

    return programs().map(without_values)


def written_programs(file: str) -> dict[str, str]:
    """The programs of a text file of this folder, by their names."""
    text = (Path(__file__).parent / file).read_text(encoding="utf-8")
    parts = re.split(r"^# ==== (.*)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


_SERVER = """
import contextlib, io, json, sys, traceback, warnings
warnings.simplefilter('ignore')
for line in sys.stdin:
    text, out, error = json.loads(line), io.StringIO(), None
    try:
        code = compile(text, "<program>", "exec")
    except SyntaxError as problem:
        error = ["SyntaxError", problem.lineno]
    else:
        try:
            with contextlib.redirect_stdout(out):
                exec(code, {"__name__": "__main__"})
        except BaseException as problem:
            places = [f.lineno for f in traceback.extract_tb(problem.__traceback__) if f.filename == "<program>"]
            error = [type(problem).__name__, places[-1]]
    print(json.dumps([out.getvalue(), error]), flush=True)
"""


class CPython:
    """One process of CPython that runs program after program."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-X", "utf8", "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            encoding="utf-8",
        )  # fmt: skip

    def run(self, program: str) -> tuple[str, tuple[str, int] | None]:
        """What it prints, and the kind and the line of its error."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(program) + "\n")
        self._process.stdin.flush()
        output, error = json.loads(self._process.stdout.readline())
        return output, None if error is None else (error[0], error[1])

    def close(self) -> None:
        """Ends it."""
        self._process.communicate()


def where_they_differ(ours: Any, theirs: Any) -> str:
    """The first line in which two outputs differ, for a message."""
    for number_of_line, (one, other) in enumerate(zip(ours.split("\n"), theirs.split("\n"), strict=False), start=1):
        if one != other:
            return f"line {number_of_line} of the output: {one!r} here, {other!r} by CPython"
    return "one output ends before the other"
