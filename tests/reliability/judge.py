"""The judge of a learner's own engine on random rules, right and wrong, in engines of many styles.

    python -m tests.reliability.judge [RULES]

A rule's derivatives are those of a table, written differently (and right), or changed (and wrong): sign, factor,
constant, another variable, another number on a part of the domain. Others have right derivatives and leave out the
upstream gradient, take its size alone, or replace gradients of values that are used twice. The truth is known from the
table, apart from the judge: right and written derivative are computed at every point that the program uses. A rule that
is wrong only where the program has no point is right there, and no number of the program can show otherwise: it must
not be called wrong.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import Counter
from functools import partial
from random import Random

from tests.engine.language.own_engine.engine_styles import STYLES, judged
from tests.engine.language.own_engine.random_operations import (
    BENDS,
    BOTH,
    FORGETS,
    FREQUENCIES,
    N_POINTS,
    OPERATIONS,
    REPLACES,
    Operation,
)

RULES_OF_A_PROGRAM, ATTEMPTS = 10, 3
NOT_JUDGED = "is not judged"
WRITTEN_DIFFERENTLY = (
    "{0}", "-(-({0}))", "1.0 * ({0})", "0.0 + ({0})", "({0}) / 2 + ({0}) / 2", "(({0}) + 3.0) - 3.0",
    "sum([({0}) / 4] * 4)", "({0}) * (math.sin({1}) ** 2 + math.cos({1}) ** 2)",
    "({0}) * ({1} * {1} + 1) / (1 + {1} ** 2)",
    "(({0}) if {1} > 0 else ({0}))", "2 * ({0}) - ({0})", "math.fsum([{0}])", "({0}) * math.exp({1}) * math.exp(-{1})",
    "({0}) * math.log(math.e)", "(lambda d: d)({0})", "({0}) - 0.0 * {1}", "abs({0}) * math.copysign(1.0, {0})",
)  # fmt: skip
"""Of a derivative and an input: the same number."""
MISTAKES = (
    "-({0})", "({0}) * 1.001", "({0}) + 0.001", "({0}) - 1.0", "2 * ({0})", "0.5 * ({0})", "({0}) / 3", "0.0", "1.0",
    "({0}) ** 2", "abs({0})", "({0}) * {1}", "({0}) / ({1} + 3.0)", "{1}", "(({0}) if {1} < {2} else -({0}))",
    "(({0}) if {1} > {2} else 0.0)", "(({0}) if {1} > {2} else ({0}) + 0.01)",
    "({0}) * (1 + 1e-3 * {1})", "math.tanh({0})",
)  # fmt: skip
"""Of a derivative, an input, and a number that splits the domain: another number, everywhere or at some points."""
SAME, OTHER = 1e-9, 1e-4
"""Relative differences of a right and of a wrong derivative; a rule that has one between them is not used."""
counted: Counter[str] = Counter()


def random_rule(rng: Random, with_manners: bool) -> Operation:
    """Return an operation and its rule, right or wrong in one of many ways, with the truth."""
    while True:
        row = rng.choice(rng.choices(OPERATIONS, FREQUENCIES)[0])
        k = round(rng.uniform(0.05, 3.0), 2)
        value, *right = (text.format(k=k) for text in row)
        letters = "wxyz" if len(right) == 4 else "xyz"[: len(right)]
        points = [[round(rng.uniform(-2.0, 2.0), 3) for _ in letters] for _ in range(N_POINTS)]
        written = [rng.choice(WRITTEN_DIFFERENTLY).format(each, rng.choice(letters)) for each in right]
        kind, manner = rng.choice(("right", "right", "wrong", "wrong", "manner")), ""
        if kind == "wrong":
            place = rng.randrange(len(right))
            split = round(rng.uniform(-2.5, 2.5), 2)
            written[place] = rng.choice(MISTAKES).format(right[place], rng.choice(letters), split)
        elif kind == "manner" and with_manners:
            manner = rng.choice((FORGETS, REPLACES, BOTH, BENDS))
        try:
            pairs = list(zip(right, written, strict=True))
            differences = [difference(*pair, letters, point) for pair in pairs for point in points]
            smallest = min(abs(number(each, letters, point)) for each in right for point in points)
        except (ArithmeticError, ValueError):
            continue
        if any(SAME < each < OTHER for each in differences) or (manner and smallest < 1e-2):
            continue
        is_wrong = bool(manner) or max(differences) >= OTHER
        counted[manner or ("wrong" if is_wrong else "wrong only elsewhere" if kind == "wrong" else "right")] += 1
        return Operation(letters, value, written, points, is_wrong, manner)


def number(text: str, letters: str, point: list[float]) -> float:
    """Return a derivative at a point; the text is one of this file's and of the table of operations."""
    return float(eval(text, {"math": math}, dict(zip(letters, point, strict=True))))


def difference(right: str, written: str, letters: str, point: list[float]) -> float:
    """Return the difference of two derivatives at a point, relative where the right one is above 1."""
    expected = number(right, letters, point)
    return abs(number(written, letters, point) - expected) / max(1.0, abs(expected))


def misjudged_rules(style: str, seed: int, count: int = RULES_OF_A_PROGRAM) -> list[str]:
    """Return the rules of a program that are called wrong and are right, or the other way round, or are not judged.

    The judge has some seconds for a program. On a loaded machine they may be over before it comes to the last rule, so
    that a program is judged again before a rule counts.
    """
    make = partial(random_rule, with_manners="{add:" in STYLES[style].operation + STYLES[style].rule)
    before = counted.copy()
    for _attempt in range(ATTEMPTS):
        counted.clear()
        counted.update(before)
        rules = judged(style, seed, count, make)
        if all(verdict is not None for _, verdict in rules.values()):
            break
    words = {True: "is right, and called wrong", False: "is wrong, and called right", None: NOT_JUDGED}
    return [f"{style} {seed}: {each} {words[found]}" for each, (truth, found) in rules.items() if found is not truth]


def main(arguments: list[str]) -> int:
    """Judge the rules; return 1 when one is judged wrongly."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules", nargs="?", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first program, of ten rules")
    options = parser.parse_args(arguments)
    counted.clear()
    styles, found = list(STYLES), list[str]()
    for seed in range(options.first, options.first - (-options.rules // RULES_OF_A_PROGRAM)):
        new = misjudged_rules(styles[seed % len(styles)], 10_000 + seed)
        found += new
        for each in new:
            print(each, flush=True)
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(counted.items()))
    late = sum(each.endswith(NOT_JUDGED) for each in found)
    print(
        f"{sum(counted.values())} rules in {len(styles)} styles of engines ({kinds}): "
        f"{len(found) - late} misjudged, {late} not judged in time"
    )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
