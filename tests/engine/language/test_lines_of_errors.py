"""An error that no `except` takes is told at the line of the `try` that raised it."""

import pytest

from engine.language import ProgramError, evaluate


def line_of(text):
    with pytest.raises(ProgramError) as refusal:
        evaluate(text)
    return refusal.value.line


BROKEN = "(1, 2).replace('a')"
TRIES = [
    (f"try:\n    x = 1\n    {BROKEN}\nexcept (ZeroDivisionError, IndexError) as error:\n    print(error)", 3),
    (f"try:\n    {BROKEN}\nexcept ZeroDivisionError:\n    y = 1\nfinally:\n    z = 2", 2),
    (f"try:\n    for k in range(3):\n        if k:\n            {BROKEN}\nexcept IndexError:\n    pass", 4),
    (f"try:\n    x = [1][2]\nexcept IndexError:\n    y = 3\n    {BROKEN}", 5),
    (f"try:\n    x = 1\nexcept IndexError:\n    pass\n{BROKEN}", 5),
    (f"def f():\n    try:\n        {BROKEN}\n    except IndexError:\n        return 2\nf()", 3),
    (f"try:\n    try:\n        {BROKEN}\n    except IndexError:\n        pass\nexcept KeyError:\n    pass", 3),
    (f"try:\n    x = 1\nexcept IndexError:\n    pass\nelse:\n    {BROKEN}", 6),
    ("try:\n    x = 1\n    raise ValueError('no')\nexcept IndexError:\n    pass", 3),
    ("try:\n    x = [1][2]\nexcept IndexError as error:\n    raise ValueError('no')", 4),
]


@pytest.mark.parametrize(("text", "line"), TRIES)
def test_the_line_of_an_error_that_nobody_takes_is_the_one_that_raised_it(text, line):
    assert line_of(text) == line


def test_errors_that_are_taken_are_none():
    text = "try:\n    x = [1][2]\nexcept IndexError:\n    x = 3\nfinally:\n    y = 4"
    assert evaluate(text).variables == {"x": 3, "y": 4}
