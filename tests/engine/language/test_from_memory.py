"""What learners type from memory and the sandbox lacks is refused in words, at its line."""

import pytest

from engine.language import ProgramError, after_statements, evaluate
from engine.language.generators import NOT_AHEAD

REFUSED = {
    "print(\n    'a',\n    'b,\n)": (3, "has no closing quote"),
    "def f():\n    print(1)\n    yield 1\nf()": (3, NOT_AHEAD),
    "def f():\n    while True:\n        yield 1\nf()": (3, NOT_AHEAD),
    "def f(g):\n    yield g(1)\nf(abs)": (2, NOT_AHEAD),
    "def f():\n    x = yield 1\nf()": (2, NOT_AHEAD),
    "w = [1]\ndef f():\n    yield w[0]\nfor x in f():\n    w = [2]": (3, NOT_AHEAD),
    "class E(Exception):\n    pass": (1, "exceptions cannot be a base class here"),
    "x = float(input('x? '))": (1, "nothing can be typed while a program runs"),
    "x = 2.0\ncallable(x)": (2, "unknown function 'callable': Python has it, programs here have not"),
    "x = 2.5\nprint(x // 2)": (2, "// is computed of whole numbers here"),
    "import math\nx = 8.0\nprint(math.log2(x))": (3, "write math.log(x) / math.log(2)"),
    "class C:\n    @property\n    def r(self):\n        return 1\n    @r.setter\n    def r(self, r):\n        pass\n"
    "c = C()\nc.r += 1": (9, "write x.r = ..."),
}


@pytest.mark.parametrize("text", REFUSED)
def test_it_is_refused_at_its_line(text):
    line, words = REFUSED[text]
    with pytest.raises(ProgramError) as refusal:
        evaluate(text)
    assert refusal.value.line == line and words in str(refusal.value)


def test_a_function_that_yields_is_walked_line_by_line():
    text = "def f(n):\n    for i in range(n):\n        yield i * i\ntotal = sum(f(3))\nprint(total)"
    recorded = evaluate(text, record=True)
    assert recorded.output[0].text == "5\n" and after_statements(recorded, 3) is not None


def test_a_table_turned_over_is_one():
    text = "import numpy as np\na = np.array([[1.0, 2.0], [3.0, 4.0]])\nprint(a.T[0], np.transpose(a)[1], np.eye(2)[0])"
    assert evaluate(text).output[0].text == "[1. 3.] [2. 4.] [1. 0.]\n"
