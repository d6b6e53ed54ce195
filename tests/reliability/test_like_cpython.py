"""Programs in the sandbox do what CPython does: output, values, and kind and line of an error."""

import random
import sys

import pytest

from tests.reliability.like_cpython import Reference, broken, difference
from tests.reliability.python_texts import program


@pytest.fixture(scope="module")
def reference():
    process = Reference(sys.executable)
    yield process
    process.close()


@pytest.mark.slow
@pytest.mark.parametrize("first", [0, 10, 20])
def test_programs_of_learners_do_what_they_do_in_cpython(reference, first):
    found = {seed: difference(program(seed), reference) for seed in range(first, first + 10)}
    assert {seed: words for seed, words in found.items() if words} == {}


@pytest.mark.slow
def test_a_text_that_is_no_program_is_refused_where_cpython_refuses_it(reference):
    found = {seed: difference(broken(program(seed), random.Random(seed)), reference) for seed in range(10)}
    assert {seed: words for seed, words in found.items() if words} == {}
