"""The mutation tester makes the faults that it says, one at a time."""

import pytest

from tests.reliability.mutants import MODULES, ROOT, explained, mutants_of

TEXT = '''"""Sum."""
LIMIT = 5


def total(numbers: list[int]) -> int:
    """Sum of the small ones."""
    found = 0
    for number in numbers:
        if not number < LIMIT or number == 3:
            continue
        found += number * 2
    return found
'''


@pytest.mark.parametrize(("change", "line"), [
    ("5 -> 6", 2), ("number < LIMIT -> number <= LIMIT", 9), ("not number < LIMIT -> number < LIMIT", 9),
    ("number == 3 -> number != 3", 9), ("continue -> pass", 10), ("found += number * 2 -> found = number * 2", 11),
    ("number * 2 -> number / 2", 11), ("found += number * 2 -> pass", 11), ("return found -> return None", 12),
    ("not number < LIMIT or number == 3 -> not number < LIMIT and number == 3", 9),
])  # fmt: skip
def test_each_kind_of_fault_is_made_at_its_line_and_changes_what_is_computed(change, line):
    (mutant,) = (each for each in mutants_of("engine/x.py", TEXT) if each.change == change)
    assert mutant.line == line
    mutant.put()
    space = {}
    exec(compile(mutant.whole, "x", "exec"), space)
    assert space["total"]([1, 5, 3, 4, 9]) != 10


def test_formulas_of_the_table_are_changed_too_and_texts_are_not():
    found = mutants_of("engine/ops.py", 'op("cube", ("3 * x**2",), rule="A cube, as x.")\n')
    assert {each.change for each in found} >= {"'3 * x**2' -> '4 * x ** 2'", "'3 * x**2' -> '3 * x ** 3'"}
    assert not any("cube" in each.change and "op(" not in each.change for each in found)


def test_every_explained_mutant_is_one_that_there_is():
    keys = {each.key for path in MODULES for each in mutants_of(path, (ROOT / path).read_text(encoding="utf-8"))}
    assert explained().keys() <= keys
