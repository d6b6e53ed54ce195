"""Right engines on numbers that many operations give, such as 2 * 2 and 2 + 2: none is drawn or judged as another."""

import random
import re

import pytest

from engine.language import evaluate
from tests.engine.language.own_engine.own_engine_cases import engine as own_engine

TEXT = own_engine("closures")
NAMELESS = re.sub(r', f?"[-+*/a-z{}]+"\)', ")", TEXT)
RENAMED = TEXT.replace('"*"', '"times"').replace('"+"', '"plus"').replace('"relu"', '"rectify"')
NUMBERS = ("0.0", "1.0", "2.0", "-1.0")


def expression(chance, depth):
    """Write a random expression of p, q and r."""
    if not depth:
        return chance.choice(["p", "q", "r", "2", "1"])
    a, b = expression(chance, depth - 1), expression(chance, chance.randrange(depth))
    return chance.choice([
        f"({a} + {b})", f"({a} * {b})", f"({a} - {b})", f"({a} * p)**{chance.choice('123')}", f"({a} + q).relu()",
        f"({a} + p * 0).tanh()",
    ])  # fmt: skip


@pytest.mark.parametrize("kept", ["_children", "set(_children)"])
@pytest.mark.parametrize("engine", [TEXT, NAMELESS, RENAMED], ids=["named", "nameless", "renamed"])
def test_a_right_engine_is_right_for_numbers_that_many_operations_give(engine, kept):
    chance = random.Random(f"{len(engine)} {kept}")
    text = engine.replace("self._prev = _children", f"self._prev = {kept}")
    for _ in range(8):
        leaves = "".join(f"\n{name} = Value({chance.choice(NUMBERS)})" for name in "pqr")
        program = f"{text}{leaves}\ny = p * q + {expression(chance, 3)}\ny.backward()\n"
        assert [row.message for row in evaluate(program).engine_check if not row.ok] == [], program[len(text) :]
