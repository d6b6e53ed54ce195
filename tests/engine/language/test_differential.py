"""Programs print in the sandbox what they print in CPython, to the letter, and end in an error at the same line.

Written ones stand in `everyday_programs.txt` and, of NumPy, in `array_programs.txt`; generated ones come from
`python_programs.py`.
"""

import random

import pytest
from hypothesis import HealthCheck, example, given, settings

from engine.language import ProgramError, evaluate
from tests.engine.language.make_outputs import PROGRAMS, for_python
from tests.engine.language.python_programs import (
    FIRST,
    CPython,
    formula_programs,
    programs,
    where_they_differ,
    written_programs,
)

WRITTEN = {**written_programs("everyday_programs.txt"), **written_programs("array_programs.txt")}
BROKEN = [*"():='],+$", "if", "\n", "    ", "def", "1a", "else:", "return", "in", "."]


@pytest.fixture(scope="module")
def cpython():
    process = CPython()
    yield process
    process.close()


def run_here(program):
    """What it prints, and the line of its error."""
    try:
        result = evaluate(program)
    except ProgramError as error:
        return "".join(piece.text for piece in error.output), error.line
    return "".join(piece.text for piece in result.output), None


def assert_alike(cpython, program):
    ours, line = run_here(program)
    theirs, error = cpython.run(program)
    assert ours == theirs, where_they_differ(ours, theirs)
    if error is None or error[0] not in ("UnboundLocalError", "SystemExit"):
        assert line == (error and error[1]), (line, error)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITTEN)
def test_a_written_program_does_what_it_does_in_cpython(cpython, name):
    assert_alike(cpython, WRITTEN[name])


@pytest.mark.slow
@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
@example(FIRST + "print(u * v + u, d, e, a[::-1], -7 // 2, -7 % 3, 1e16, f'{x:>8.2f}')\n")
def test_a_generated_program_does_what_it_does_in_cpython(cpython, program):
    assert_alike(cpython, program)


@pytest.mark.slow
@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(formula_programs())
def test_a_generated_program_of_named_numbers_does_what_it_does_in_cpython(cpython, program):
    assert_alike(cpython, program)


@pytest.mark.long
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs() | formula_programs())
def test_a_random_program_does_what_it_does_in_cpython(cpython, program):
    assert_alike(cpython, program)


@pytest.mark.long
@pytest.mark.parametrize("part", range(3))
def test_a_text_that_cpython_refuses_is_refused_at_the_same_line(cpython, part):
    paths, refused = sorted(PROGRAMS.glob("*.py")), 0
    for seed in range(30 * part, 30 * (part + 1)):
        text = broken(chance := random.Random(seed), for_python(chance.choice(paths).read_text(encoding="utf-8")))
        _, error = cpython.run(text)
        if error is not None and error[0] in ("SyntaxError", "IndentationError"):
            refused += 1
            with pytest.raises(ProgramError) as caught:
                evaluate(text)
            names_it = f"of line {error[1]}," in caught.value.message  # the other of two brackets that do not fit
            assert caught.value.line == error[1] or names_it, (seed, caught.value.message)
    assert refused > 10


def broken(chance, text):
    """The text with one letter or word exchanged or put in."""
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    column = chance.randrange(len(lines[at]) + 1)
    lines[at] = lines[at][:column] + chance.choice(BROKEN) + lines[at][column + chance.choice((0, 1)) :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    ["return 1", "x = 1\nbreak", "def f(a, a): pass", "def f():\n    nonlocal x", "f(a=1, a=2)", "None = 1", "x = 08"],
)
def test_what_cpython_refuses_though_it_is_well_formed_is_refused_at_its_line(cpython, text):
    with pytest.raises(ProgramError) as caught:
        evaluate(text)
    assert caught.value.line == cpython.run(text)[1][1]
