"""Random programs print in the sandbox what they print in CPython, and end in an error at the same line."""

import pytest
from hypothesis import HealthCheck, given, settings

from engine.language import ProgramError, evaluate
from tests.engine.language.python_programs import CPython, programs, where_they_differ

MISTAKES = [
    ("round(2.675, 2)", "a number is rounded as it is written, not as it is held; formatting is exact"),
]
"""Differences that are known: an expression, and why it is so."""


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


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_a_random_program_does_what_it_does_in_cpython(cpython, program):
    ours, line = run_here(program)
    theirs, error = cpython.run(program)
    assert ours == theirs, where_they_differ(ours, theirs)
    assert line == (error and error[1]), (line, error)
