"""Rules of random operations of one to three inputs, right and wrong, in several styles: each is judged right."""

import math
import random

import pytest

from engine.language import evaluate

UNARY = [
    ("x * x", "2 * x"),
    ("x ** 3 - x", "3 * x ** 2 - 1"),
    ("math.sin(x)", "math.cos(x)"),
    ("math.exp(-x * x)", "-2 * x * math.exp(-x * x)"),
    ("math.tanh(x)", "1 - math.tanh(x) ** 2"),
    ("1 / (1 + math.exp(-x))", "math.exp(-x) / (1 + math.exp(-x)) ** 2"),
    ("math.log(1 + x * x)", "2 * x / (1 + x * x)"),
    ("(x if x > 0 else {k} * x)", "(1.0 if x > 0 else {k})"),
    ("min(max(x, -1.0), 1.0)", "(1.0 if -1 < x < 1 else 0.0)"),
    ("min(max(x, 0.0), 6.0)", "(1.0 if 0 < x < 6 else 0.0)"),
    ("{k} * x + 1", "{k}"),
    ("math.sqrt(x * x + {k})", "x / math.sqrt(x * x + {k})"),
    ("0.5 * x * (1 + math.erf(x / math.sqrt(2)))",
     "0.5 * (1 + math.erf(x / math.sqrt(2))) + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)"),
    ("abs(x)", "(1.0 if x > 0 else -1.0)"),
    ("x / (1 + abs(x))", "1 / (1 + abs(x)) ** 2"),
]  # fmt: skip
BINARY = [
    ("x * y", "y", "x"),
    ("x - y", "1.0", "-1.0"),
    ("x + {k} * y", "1.0", "{k}"),
    ("x / (y * y + 1)", "1 / (y * y + 1)", "-2 * x * y / (y * y + 1) ** 2"),
    ("max(x, y)", "(1.0 if x > y else 0.0)", "(0.0 if x > y else 1.0)"),
    ("math.sin(x * y)", "y * math.cos(x * y)", "x * math.cos(x * y)"),
    ("(x - y) ** 2", "2 * (x - y)", "-2 * (x - y)"),
    ("math.hypot(x, y)", "x / math.hypot(x, y)", "y / math.hypot(x, y)"),
]
TERNARY = [
    ("x * y + z", "y", "x", "1.0"),
    ("x * y * z", "y * z", "x * z", "x * y"),
    ("(x if x > y else y) * z", "(z if x > y else 0.0)", "(0.0 if x > y else z)", "max(x, y)"),
    ("math.tanh(x * y + z)", "y * (1 - math.tanh(x * y + z) ** 2)", "x * (1 - math.tanh(x * y + z) ** 2)",
     "1 - math.tanh(x * y + z) ** 2"),
]  # fmt: skip
MISTAKES = ("-({0})", "({0}) * 1.01", "({0}) + 0.02", "1.7", "0.0", "2 * ({0})", "({0}) ** 2 + 0.3")

CLOSURES = """
    def op{n}(self{others}):
        {names} = {datas}
        out = V({value}, ({nodes},))
        def rule():
{adds}
        out.rule = rule
        return out
"""
RETURNED = """
    def op{n}(self{others}):
        {names} = {datas}
        return V({value}, ({nodes},), lambda g: ({returned},))
"""
LOCAL = """
    def op{n}(self{others}):
        {names} = {datas}
        return V({value}, ({nodes},), None, [{partials}])
"""
STYLES = {"closures": CLOSURES, "returned": RETURNED, "local": LOCAL}
CLASS = """import math
class V:
    def __init__(self, data, prev=(), rule=None, local_grads=()):
        self.data = data
        self.grad = 0.0
        self.prev = prev
        self.rule = rule
        self.local_grads = local_grads
    def __add__(self, other):
        return self.op0(other)
"""


def operation(rng, n, style, wrong):
    """Return the text of a method, and how many inputs it has; one of its partials is wrong where asked."""
    value, *partials = rng.choice(rng.choice([UNARY, UNARY, BINARY, BINARY, TERNARY]))
    k = repr(round(rng.uniform(0.05, 3.0), 2))
    value, partials = value.format(k=k), [partial.format(k=k) for partial in partials]
    if wrong:
        position = rng.randrange(len(partials))
        partials[position] = rng.choice(MISTAKES).format(partials[position])
    letters = "xyz"[: len(partials)]
    nodes = ["self", "b", "c"][: len(partials)]
    text = STYLES[style].format(
        n=n,
        others="".join(f", {node}" for node in nodes[1:]),
        names=", ".join(letters),
        datas=", ".join(f"{node}.data" for node in nodes),
        nodes=", ".join(nodes),
        value=value,
        adds="\n".join(
            f"            {node}.grad += ({partial}) * out.grad" for node, partial in zip(nodes, partials, strict=True)
        ),
        returned=", ".join(f"({partial}) * g" for partial in partials),
        partials=", ".join(partials),
    )
    return text, len(partials), value, partials


def is_really_wrong(value, partials, points):
    """Return True when a partial differs from the difference quotient at one of the points, by more than rounding."""
    for point in points:
        names = dict(zip("xyz", point, strict=False))
        for letter, partial in zip("xyz", partials, strict=False):
            ends = []
            for step in (1e-6, -1e-6):
                moved = names | {letter: names[letter] + step}
                ends.append(eval(value, {"math": math}, moved))
            slope = (ends[0] - ends[1]) / 2e-6
            if abs(slope - eval(partial, {"math": math}, names)) > 1e-4 * max(1.0, abs(slope)):
                return True
    return False


def check(seed, count):
    """Judge operations of one program; return those that were judged wrongly."""
    rng = random.Random(seed)
    style = rng.choice(list(STYLES))
    text, uses, expected = CLASS, "", {}
    for n in range(count):
        wrong = rng.random() < 0.5
        method, arity, value, partials = operation(rng, n, style, wrong)
        text += method
        points = [[round(rng.uniform(-2.0, 2.0), 3) for _ in range(arity)] for _ in range(3)]
        for point in points:
            first, *others = (f"V({number})" for number in point)
            uses += f"r{n} = {first}.op{n}({', '.join(others)})\n"
        expected[f"op{n}"] = is_really_wrong(value, partials, points)
    rows = evaluate(text + uses).engine_check
    judged = {f"op{n}": False for n in range(count)}
    for row in rows:
        method = row.message.partition("`")[2].partition("`")[0]
        if method:
            judged[method] = judged.get(method, False) or not row.ok
            assert "not compared" not in row.message, row.message
    assert len(rows) >= count
    return [(seed, style, name) for name in expected if judged[name] != expected[name]]


@pytest.mark.parametrize("seed", range(3))
def test_random_rules_are_judged_right(seed):
    assert check(seed, 20) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 150))
def test_a_thousand_random_rules_are_judged_right(seed):
    assert check(seed, 20) == []
