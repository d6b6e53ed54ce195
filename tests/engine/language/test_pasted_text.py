"""Text as it is pasted from pages, notebooks and word processors."""

import pytest

from engine.language import cells, keep_only_code, straighten_typography

CODE = "x = 2.0\nfor k in range(3):\n    x = x * 2\nprint(x)\n"


@pytest.mark.parametrize(
    "page",
    [
        f"Here is the program:\n\n```python\n{CODE}```\n\nIt prints 16.0.",
        f"First install it:\n```bash\npip install x\n```\nThen\n~~~py\n{CODE}~~~\nDone.",
        ">>> x = 2.0\n>>> for k in range(3):\n...     x = x * 2\n...\n>>> print(x)\n16.0",
        "In [1]: x = 2.0\n\nIn [2]: for k in range(3):\n   ...:     x = x * 2\n   ...: print(x)\n16.0\n",
        "1 x = 2.0\n2 for k in range(3):\n3     x = x * 2\n4 print(x)",
        f"Example: doubling\n\n{CODE}\nThat was it!",
        "1: x = 2.0\n2: for k in range(3):\n3:     x = x * 2\n4: print(x)\n",
        "We begin with a number.\n\nx = 2.0\n\nThen we double it, three times over:\n\n"
        "for k in range(3):\n    x = x * 2\nprint(x)\n\n16.0\n\nThat was easy!",
    ],
)
def test_only_the_code_of_a_page_is_kept(page):
    kept = keep_only_code(page)
    assert kept is not None
    assert [line for line in kept.split("\n") if line.strip()] == [line for line in CODE.split("\n") if line]


@pytest.mark.parametrize(
    "text",
    [
        *(CODE, "", "Only words stand here.", "x = (1\ny = 2"),
        "1\n2\n3\n4\n5\nBye all!",  # numbers of no lines
        "Steps to do now:\n1 x = 1\n2 y = 2\nand then you wait\nfor the kettle\nto boil over",
    ],
)
def test_where_there_is_nothing_to_take_out_nothing_is_proposed(text):
    assert keep_only_code(text) is None


def test_cells_of_a_notebook_with_output_keep_their_lines():
    page = "In [1]:\nx = 1\ny = x + 1\nIn [2]:\nprint(y)\nOut[2]:\n2\n"
    assert keep_only_code(page).split() == ["x", "=", "1", "y", "=", "x", "+", "1", "print(y)"]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("print(“hello”)", 'print("hello")'),
        ("print(‘it’)", "print('it')"),
        ("a = 3 − 1", "a = 3 - 1"),
        ("a = 3 – 1 — 2", "a = 3 - 1 - 2"),
        ("a = 2 × 3 ÷ 4", "a = 2 * 3 / 4"),
        ("a\u00a0=\u20091\u200b", "a = 1"),
        ("if a ≤ 2:\n\u00a0\u00a0print(“a – b”)", 'if a <= 2:\n  print("a – b")'),
        ("s = 'a – b'; t = 1 – 2", "s = 'a – b'; t = 1 - 2"),
        ("print(“it's”)", 'print("it\'s")'),
    ],
)
def test_typographic_characters_are_put_right(typed, expected):
    assert straighten_typography(typed) == expected


def test_a_program_that_parses_keeps_its_characters():
    text = "s = '“quoted” – text'  # a – b\n"
    assert straighten_typography(text) == text


def test_cells_begin_at_their_marks():
    assert cells("import math\n# %%\na = 1\n\nb = 2\n# %% plot\nc = 3") == [(1, 1), (2, 5), (6, 7)]
    assert cells("a = 1\n\nb = 2") == [(1, 3)]


def test_blocks_between_blank_lines_are_cells_on_request():
    text = "a = 1\n\n# then\ndef f():\n    b = 2\n\n    return b\nf()\n\n@g\ndef h(): pass"
    assert cells(text, blank_lines=True) == [(1, 2), (3, 9), (10, 11)]
    assert cells("a = (\n\nb", blank_lines=True) == [(1, 3)]
