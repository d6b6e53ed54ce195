"""What learners type from memory and the sandbox lacks is refused in words, at its line."""

import pytest
from engine.language.rewriting.generators import NOT_AHEAD

from engine.language import ProgramError, after_statements, evaluate

REFUSED = {
    "def f(a, b):\n    return a + b\ndef g():\n    return f(1)\ng()": (4, "f() needs 1 more input: 'b'"),
    "class A:\n    def __init__(self, x, y):\n        self.x = x\na = A(1)": (4, "A() needs 1 more input: 'y'"),
    "def f(a):\n    return a\nf(2)\nf(1, 2)": (4, "f() takes 1 positional argument but 2 were given"),
    "x = 10\ndef g():\n    y = 1\n    x += 1\n    return x\ng()": (4, "the local variable x is used before"),
    "x = 1\ndel x\nprint(x)": (3, "a name has no value after del"),
    "x = 1\ndel x\nprint(x + 1)": (3, "+ is not defined for a name that has no value after del"),
    "import numpy as np\nprint(np.array([1, 2]) > 1)": (2, "> does not compare arrays here"),
    "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2])\nplt.imshow([[1]])": (
        4,
        "plt.imshow is not available",
    ),
    "print(\n    'a',\n    'b,\n)": (3, "has no closing quote"),
    "def f():\n    print(1)\n    yield 1\nf()": (3, NOT_AHEAD),
    "def f():\n    while True:\n        yield 1\nf()": (3, NOT_AHEAD),
    "def f(g):\n    yield g(1)\nf(abs)": (2, NOT_AHEAD),
    "def f():\n    x = yield 1\nf()": (2, NOT_AHEAD),
    "w = [1]\ndef f():\n    yield w[0]\nfor x in f():\n    w = [2]": (3, NOT_AHEAD),
    "seen = []\ndef f():\n    for i in range(3):\n        seen.append(i)\n        yield i\nlist(f())": (5, NOT_AHEAD),
    "def f(xs):\n    for x in xs:\n        yield x\nl = [1]\nfor x in f(l):\n    if x < 9: l.append(x + 5)": (
        3,
        NOT_AHEAD,
    ),
    "def f(ps):\n    for p in ps:\n        yield p.d * 2\nclass P:\n    d = 1\nps = [P(), P()]\n"
    "for v in f(ps):\n    ps[1].d = v": (3, NOT_AHEAD),
    "w = [1, 2]\ndef f():\n    for i in range(2):\n        yield w[i]\ndef put(v):\n    w[1] = v\n"
    "for v in f():\n    put(v)": (4, NOT_AHEAD),
    "def f(xs):\n    for x in xs:\n        yield x\ndef use(them):\n    for x in them:\n        l.append(x)\n"
    "l = [1]\nuse(f(l))": (3, NOT_AHEAD),
    "def f(xs):\n    yield xs[0]\n    yield xs[1]\nxs = [1, 2]\ng = f(xs)\nnext(g)\nxs[1] = 5\nnext(g)": (2, NOT_AHEAD),
    "def f(n):\n    xs = []\n    for i in range(n):\n        xs.append(i)\n        yield xs\nfor x in f(3): print(x)": (
        5,
        NOT_AHEAD,
    ),
    "class E(Exception):\n    pass": (1, "exceptions cannot be a base class here"),
    "x = float(input('x? '))": (1, "nothing can be typed while a program runs"),
    "x = 2.0\ncallable(x)": (2, "unknown function 'callable': Python has it, programs here have not"),
    "import math\nx = 8.0\nprint(math.log2(x))": (3, "write math.log(x) / math.log(2)"),
    "class C:\n    @property\n    def r(self):\n        return 1\n    @r.setter\n    def r(self, r):\n        pass\n"
    "c = C()\nc.r += 1": (9, "write x.r = ..."),
}

CLASS = """class V:
    def __init__(self, x):
        self.x = x

    def __add__(other):
        return V(self.x + other.x)

a = V(1.0)
"""
LACKING = {
    "a + a": (5, "__add__() takes 1 input and was given 2 inputs: the first one of a method is the object itself, "
                 "write def __add__(self, other)"),
    "a * a": (9, "* is not defined for a V and a V: write a method __mul__(self, other) in class V"),
    "2 * a": (9, "* is not defined for a whole number and a V: write a method __rmul__(self, other) in class V"),
    "a ** 2": (9, "** is not defined for a V and a whole number: write a method __pow__(self, other) in class V"),
    "sum([a])": (9, "+ is not defined for a whole number and a V, and sum begins with 0: write a method "
                    "__radd__(self, other) in class V"),
    "-a": (9, "- is not defined before a V: write a method __neg__(self) in class V"),
    "f = a.__init__\nf.data": (10, "a function has no attribute 'data': call it, with ( ) behind its name"),
}  # fmt: skip


ENGINE = """class Value:
    def __init__(self, data, inputs=()):
        self.data, self.grad, self._prev = data, 0.0, inputs
        self._backward = lambda: None

    def __mul__(self, other):
        out = Value(self.data * other.data, (self, other))
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out

    def backward(self):
        self.grad = 1.0
        for value in (self, *self._prev):
            value._backward()

a, b = Value(2.0), Value(3.0)
c = a * b
(c * a).backward()
"""
FORGOTTEN = {
    "        self._backward = lambda: None\n": (16, "a Value has no attribute '_backward': only some get one, give it "
                                               "to each in __init__: self._backward = lambda: None"),
    "        return out\n": (20, "* is not defined for None: `__mul__`, line 6, gives nothing back, write return out"),
    "self.grad += other.data * out.grad->self.gard += 1": (9, "no attribute 'gard', did you mean 'grad'?"),
    "= _backward\n->= _backward()\n": (17, "line 11 calls _backward, and keeps what it gives, None; write "
                                        "out._backward = _backward without brackets"),
}  # fmt: skip
ELSEWHERE = {
    ">>> a = 2": (1, ">>> is the prompt of a Python shell: leave it out"),
    "In [1]: a = 2": (1, "In [1]: is the prompt of a notebook"),
    "```python\na = 2\n```": (1, "``` begins or ends the code in a text"),
    "i = 1\ni++": (2, "++ is not there in Python: write i += 1"),
    "a = 1 && 2": (1, "&& is not there in Python: write and"),
    "a = 1 || 2": (1, "|| is not there in Python: write or"),
    "a = !b": (1, "! is not there in Python: write not"),
    "if 1:\n    pass\nelse if 2:\n    pass": (3, "else if is elif in Python"),
    "function f(x) { return x }": (1, "a function begins with def: write def f(x):"),
    "let a = 2": (1, "a name needs no let: write a = ..."),
    "a = true": (1, "true has no value: did you mean True?"),
    "def f():\n    return null\nf()": (2, "null has no value: did you mean None?"),
}


@pytest.mark.parametrize("text", ELSEWHERE)
def test_what_belongs_to_another_language_or_a_shell_is_told_with_python_s_words(text):
    line, words = ELSEWHERE[text]
    with pytest.raises(ProgramError) as refusal:
        evaluate(text)
    assert refusal.value.line == line and words in str(refusal.value)


@pytest.mark.parametrize("forgotten", FORGOTTEN)
def test_what_an_engine_forgets_is_said_at_the_line_inside_its_backward(forgotten):
    line, words = FORGOTTEN[forgotten]
    evaluate(ENGINE)
    left, _, instead = forgotten.partition("->")
    with pytest.raises(ProgramError) as refusal:
        evaluate(ENGINE.replace(left, instead))
    assert words in str(refusal.value)
    assert refusal.value.line == line


def test_a_question_to_a_notebook_is_set_aside_and_shows_nothing():
    evaluation = evaluate("a = 2.0\nb = a*3\nb?\n?a\na??")
    assert [note.line for note in evaluation.notes] == [3, 4, 5] and evaluation.displayed is None


@pytest.mark.parametrize("use", LACKING)
def test_what_a_class_lacks_is_said_where_it_is_needed(use):
    line, words = LACKING[use]
    with pytest.raises(ProgramError) as refusal:
        evaluate(CLASS + use)
    assert refusal.value.line == line and words in str(refusal.value)


@pytest.mark.parametrize("text", REFUSED)
def test_it_is_refused_at_its_line(text):
    line, words = REFUSED[text]
    with pytest.raises(ProgramError) as refusal:
        evaluate(text)
    assert refusal.value.line == line and words in str(refusal.value)


def test_what_is_left_of_a_division_is_printed_as_python_does():
    text = "x = -7.5\ny = tanh(x)\nprint(x // 2, 2 // x, x % 2, 9 % x, divmod(x, 2), f'{x // 2:.3f}')\nx // 2"
    evaluation = evaluate(text)
    assert evaluation.output[0].text == "-4.0 -1.0 0.5 -6.0 (-4.0, 0.5) -4.000\n"
    assert evaluation.displayed.text == "-4.0"
    with pytest.raises(ProgramError, match="division by zero"):
        evaluate("x = 2.5\nprint(x // 0)")


def test_a_sum_of_very_many_terms_stands_by_itself_too():
    text = "a = 1\n" + " + ".join(["a"] * 300)
    assert evaluate(text).root.data == 300.0
    evaluate(f"class A:\n    pass\n{text}")


def test_a_function_that_yields_is_walked_line_by_line():
    text = "def f(n):\n    for i in range(n):\n        yield i * i\ntotal = sum(f(3))\nprint(total)"
    recorded = evaluate(text, record=True)
    assert recorded.output[0].text == "5\n" and after_statements(recorded, 3) is not None


def test_a_table_turned_over_is_one():
    text = "import numpy as np\na = np.array([[1.0, 2.0], [3.0, 4.0]])\nprint(a.T[0], np.transpose(a)[1], np.eye(2)[0])"
    assert evaluate(text).output[0].text == "[1. 3.] [2. 4.] [1. 0.]\n"
