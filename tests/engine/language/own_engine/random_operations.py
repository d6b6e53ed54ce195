"""Random operations of one to four inputs with their derivatives, right or wrong, as texts."""

import math
from random import Random
from typing import NamedTuple

OPERATIONS = [
    [
        ("x * x", "2 * x"),
        ("x ** 3 - x", "3 * x ** 2 - 1"),
        ("math.sin(x)", "math.cos(x)"),
        ("math.sin(20 * x)", "20 * math.cos(20 * x)"),
        ("math.exp(-x * x)", "-2 * x * math.exp(-x * x)"),
        ("math.exp(5 * x)", "5 * math.exp(5 * x)"),
        ("math.tanh(x)", "1 - math.tanh(x) ** 2"),
        ("math.cosh(x)", "math.sinh(x)"),
        ("math.atan({k} * x)", "{k} / (1 + {k} ** 2 * x * x)"),
        ("1 / (1 + math.exp(-x))", "math.exp(-x) / (1 + math.exp(-x)) ** 2"),
        ("math.log(1 + x * x)", "2 * x / (1 + x * x)"),
        ("math.log1p(math.exp(x))", "1 / (1 + math.exp(-x))"),
        ("(x if x > 0 else {k} * x)", "(1.0 if x > 0 else {k})"),
        ("(x if x > 0 else math.expm1(x))", "(1.0 if x > 0 else math.exp(x))"),
        ("(0.5 * x * x if abs(x) < 1 else abs(x) - 0.5)", "(x if abs(x) < 1 else (1.0 if x > 0 else -1.0))"),
        ("min(max(x, -1.0), 1.0)", "(1.0 if -1 < x < 1 else 0.0)"),
        ("{k} * x + 1", "{k}"),
        ("x + 1e6", "1.0"),
        ("1e-4 * x * x", "2e-4 * x"),
        ("x - math.floor(x)", "1.0"),
        ("math.sqrt(x * x + {k})", "x / math.sqrt(x * x + {k})"),
        ("0.5 * x * (1 + math.erf(x / math.sqrt(2)))",
         "0.5 * (1 + math.erf(x / math.sqrt(2))) + x * math.exp(-x * x / 2) / math.sqrt(2 * math.pi)"),
        ("abs(x)", "(1.0 if x > 0 else -1.0)"),
        ("x / (1 + abs(x))", "1 / (1 + abs(x)) ** 2"),
    ],
    [
        ("x * y", "y", "x"),
        ("x - y", "1.0", "-1.0"),
        ("x + {k} * y", "1.0", "{k}"),
        ("x / (y * y + 1)", "1 / (y * y + 1)", "-2 * x * y / (y * y + 1) ** 2"),
        ("max(x, y)", "(1.0 if x > y else 0.0)", "(0.0 if x > y else 1.0)"),
        ("min(x, y)", "(1.0 if x < y else 0.0)", "(0.0 if x < y else 1.0)"),
        ("math.sin(x * y)", "y * math.cos(x * y)", "x * math.cos(x * y)"),
        ("(x - y) ** 2", "2 * (x - y)", "-2 * (x - y)"),
        ("abs(x - y)", "(1.0 if x > y else -1.0)", "(-1.0 if x > y else 1.0)"),
        ("math.hypot(x, y)", "x / math.hypot(x, y)", "y / math.hypot(x, y)"),
        ("math.atan2(x, y)", "y / (x * x + y * y)", "-x / (x * x + y * y)"),
        ("math.log(math.exp(x) + math.exp(y))", "1 / (1 + math.exp(y - x))", "1 / (1 + math.exp(x - y))"),
        ("(x if y > 0 else 0.0)", "(1.0 if y > 0 else 0.0)", "0.0"),
        ("x * math.exp(y)", "math.exp(y)", "x * math.exp(y)"),
    ],
    [
        ("x * y + z", "y", "x", "1.0"),
        ("x * y * z", "y * z", "x * z", "x * y"),
        ("x * (1 - z) + y * z", "1 - z", "z", "y - x"),
        ("(x if x > y else y) * z", "(z if x > y else 0.0)", "(0.0 if x > y else z)", "max(x, y)"),
        ("(x if z > 0 else y)", "(1.0 if z > 0 else 0.0)", "(0.0 if z > 0 else 1.0)", "0.0"),
        ("math.tanh(x * y + z)", "y * (1 - math.tanh(x * y + z) ** 2)", "x * (1 - math.tanh(x * y + z) ** 2)",
         "1 - math.tanh(x * y + z) ** 2"),
    ],
    [
        ("w * x + y * z", "x", "w", "z", "y"),
        ("(w - x) * (y - z)", "(y - z)", "-(y - z)", "(w - x)", "-(w - x)"),
    ],
]  # fmt: skip
"""Value and derivatives by each input; by how many inputs there are."""
FREQUENCIES = (2, 2, 1, 1)
MISTAKES = (
    "-({0})", "({0}) * 1.01", "({0}) + 0.02", "1.7", "0.0", "2 * ({0})", "0.5 * ({0})", "({0}) / 3", "({0}) ** 2 + 0.3",
    "({0}) * {1}",
)  # fmt: skip
"""Wrong derivatives, of the right one and the first input."""
N_POINTS = 3
FORGETS, REPLACES = "leaves out the upstream gradient", "sets gradients with = where += is needed"
BOTH, BENDS = "leaves out the upstream gradient, and sets gradients with =", "takes the size of the upstream gradient"


class Operation(NamedTuple):
    """An operation with a rule.

    Attributes:
        letters: of its inputs.
        value: computed from them.
        partials: derivatives by each input, as the rule has them.
        points: the inputs with which it is used.
        is_wrong: a derivative is wrong at one of the points.
        manner: FORGETS, REPLACES, BOTH or BENDS for a rule that is wrong though its derivatives are right.
    """

    letters: str
    value: str
    partials: list[str]
    points: list[list[float]]
    is_wrong: bool
    manner: str = ""


def random_operation(rng: Random) -> Operation:
    """Return an operation with a rule that is wrong in half of the cases; never one between right and wrong."""
    while True:
        row = rng.choice(rng.choices(OPERATIONS, FREQUENCIES)[0])
        value, *partials = (text.format(k=round(rng.uniform(0.05, 3.0), 2)) for text in row)
        letters = "wxyz" if len(partials) == 4 else "xyz"[: len(partials)]
        points = [[round(rng.uniform(-2.0, 2.0), 3) for _ in letters] for _ in range(N_POINTS)]
        if rng.random() < 0.5:
            place = rng.randrange(len(partials))
            partials[place] = rng.choice(MISTAKES).format(partials[place], letters[0])
        verdicts = {_verdict(value, partials, dict(zip(letters, point, strict=True))) for point in points}
        if None not in verdicts:
            return Operation(letters, value, partials, points, True in verdicts)


def _verdict(value: str, partials: list[str], point: dict[str, float]) -> bool | None:
    """Return True where a derivative differs from the difference quotient; None where rounding may be the reason."""
    verdict: bool | None = False
    for letter, partial in zip(point, partials, strict=True):
        up, down = (eval(value, {"math": math}, point | {letter: point[letter] + step}) for step in (1e-6, -1e-6))
        slope = (up - down) / 2e-6
        difference = abs(slope - eval(partial, {"math": math}, point))
        if difference > 2e-3 * max(1e-3, abs(slope)):
            return True
        if difference > 1e-7 + 1e-5 * max(1.0, abs(slope), abs(up) * 1e-3):
            verdict = None
    return verdict
