"""Programs as learners write them print what CPython prints, to the last letter."""

from pathlib import Path

import pytest

from engine.examples.examples import examples
from engine.language import evaluate
from tests.engine.language.make_outputs import PROGRAMS, printed_by_python

FOR_PYTHON_ALONE = [one for one in examples() if one.name.startswith(("1_", "3_"))]
"""The examples that need nothing of Gradstep: engines that a learner builds."""


def printed(text):
    return "".join(piece.text for piece in evaluate(text).output)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.py")), ids=lambda path: path.stem)
def test_a_program_prints_what_cpython_prints(path):
    assert printed(path.read_text(encoding="utf-8")) == Path(path.with_suffix(".out")).read_text(encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("example", FOR_PYTHON_ALONE, ids=lambda example: example.name)
def test_an_example_without_gradstep_prints_what_cpython_prints(example):
    assert printed(example.text) == printed_by_python(example.text)
