"""Errors of programs: where they are, what repairs them, what is known then."""

import pytest

from engine.language import ProgramError, evaluate
from engine.language.limits import Limits


def failure(text, **settings):
    with pytest.raises(ProgramError) as caught:
        evaluate(text, **settings)
    return caught.value


RULE_AT_ONCE = """class A:
    def __add__(self, other):
        out = A()
        def rule():
            pass
        out.rule = rule()
        return out
(A() + A()).rule()"""
TAPE = "tape = []\nA() + A()\ntape[0]"


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("x = 1.0\ny = tanhh(x)", "x = 1.0\ny = tanh(x)"),
        ("x = Value(2.0)\ny = x.tanhh()", "x = Value(2.0)\ny = x.tanh()"),
        ("a = Value(2.0)\ng = a * a\ng.data.backward()", "a = Value(2.0)\ng = a * a\ng.backward()"),
        ("a = [Value(2.0)]\nprint(1.0, a[0].data.grad)", "a = [Value(2.0)]\nprint(1.0, a[0].grad)"),
        ("a = Value(2.0)\na.backward()\nprint(a.grad())", "a = Value(2.0)\na.backward()\nprint(a.grad)"),
        ("n = MLP(1, [1])\nfor p in n.parameters: p", "n = MLP(1, [1])\nfor p in n.parameters(): p"),
        ("n = MLP(1, [1])\nprint(n.parameters[0])", "n = MLP(1, [1])\nprint(n.parameters()[0])"),
        (RULE_AT_ONCE, RULE_AT_ONCE.replace("rule()\n        return", "rule\n        return")),
        (
            RULE_AT_ONCE.replace("out.rule = rule()", "tape.append(rule())").replace("(A() + A()).rule", TAPE),
            RULE_AT_ONCE.replace("out.rule = rule()", "tape.append(rule)").replace("(A() + A()).rule", TAPE),
        ),
        ("a = [[Value(2.0)]]\na[0][-1].data.backward()", "a = [[Value(2.0)]]\na[0][-1].backward()"),
        ("n = [MLP(1, [1])]\nfor p in n[0].parameters: p", "n = [MLP(1, [1])]\nfor p in n[0].parameters(): p"),
        ("def f(x): return x\ny = f[2]", "def f(x): return x\ny = f(2)"),
        ("weight = 2\nprint(weigth)", "weight = 2\nprint(weight)"),
        ("from math import sqrtt", "from math import sqrt"),
        ("import mathh", "import math"),
        ("import nunpy as np", "import numpy as np"),
        ("x = 2.0\ny = x ^ 2", "x = 2.0\ny = x ** 2"),
        ("x = 2.0\nx ^= 2", "x = 2.0\nx **= 2"),
        ("x = 2\nif x == 2\n    y = 1", "x = 2\nif x == 2:\n    y = 1"),
        ("whille True:\n    break", "while True:\n    break"),
        ("x = 3\nif x = 3:\n    pass", "x = 3\nif x == 3:\n    pass"),
        ("print 'a'", "print('a')"),
        ("a = 1 \\", "a = 1 "),
        ("f(x) = 2 * x\ny = f(3.0)", "def f(x): return 2 * x\ny = f(3.0)"),
        ("a = b = 1\nif a аnd b:\n    pass", "a = b = 1\nif a and b:\n    pass"),
        ("a = 1\nprint(a іs 3)", "a = 1\nprint(a is 3)"),
        ("a = 2 ^ 3\nb = 2.0 ^ 2", "a = 2 ^ 3\nb = 2.0 ** 2"),
        ("f()\ndef f():\n    return 1", "def f():\n    return 1\nf()"),
        ("f(1)\n@staticmethod\ndef f(x):\n    return 1\n", "@staticmethod\ndef f(x):\n    return 1\nf(1)\n"),
        ("class A:\n    def f():\n        return 1\nA().f()", "class A:\n    def f(self):\n        return 1\nA().f()"),
        (
            "class A:\n    def g(self): return self.f(1)\n    def f(x): return x\nA().g()",
            "class A:\n    def g(self): return self.f(1)\n    def f(self, x): return x\nA().g()",
        ),
        ("a = 1\nb = а + 1", "a = 1\nb = a + 1"),
        ("print(“hi”)", 'print("hi")'),
        ("a = 3 − 1", "a = 3 - 1"),
        ("for k in range(3):\nj = k\nprint(j, k)", "for k in range(3):\n    j = k\n    print(j, k)"),
        (">>> a = 1\n>>> print(a)\n1", "a = 1\nprint(a)\n"),
    ],
)
def test_the_first_fix_repairs_the_program(text, repaired):
    error = failure(text)
    assert error.fix is not None and error.fix.apply(text) == repaired
    evaluate(repaired)


@pytest.mark.parametrize(
    ("text", "titles"),
    [("a = b = 1\nif a аnd b:\n    pass", ["write and"]), ("if х = 3:\n    pass", ["write =="]), ("print(х 2)", [])],
)
def test_a_letter_that_looks_latin_is_named_behind_what_python_says_and_each_fix_is_proposed_once(text, titles):
    error = failure(text)
    assert "? Its " in error.message and "Cyrillic" in error.message
    assert [fix.title for fix in error.fixes] == titles


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("print(a)\na = 2; b = 3", "Line 2 defines it"),
        ("from operator import xor\nxor(2.0, 2)", "Powers are written"),
        ("a = Value(1.0)\nloss = 3.0\nloss.backward()", "A plain number has no gradient"),
        (
            "class A:\n    def __add__(self, other):\n        out = A()\n(A() + A()) + 1",
            "__add__ in line 2 returns nothing",
        ),
        ("class A:\n    def __add__(self, other): return self\n2 + (A() + 1)", "A has no __radd__"),
        ("class A:\n    pass\n-A()", "A has no __neg__"),
        ("class A:\n    def f(self): return 1\nA().f(2)", "1 positional argument but 2 were given"),
    ],
)
def test_what_no_edit_repairs_is_said_in_words(text, words):
    error = failure(text)
    assert words in error.message and error.fixes == ()


@pytest.mark.parametrize(
    "text",
    [
        "def show():\n    def build(v):\n        pass\n    topo = build(1)\n    return reversed(topo)\nshow()",
        "class A:\n    def __add__(self, o): return NotImplemented\n    __radd__ = __add__\nsum([A(), A()])",
        "class A:\n    def __mul__(self, o): pass\nx = None * A()",
        "def log(m): print(m)\nbest = None\ny = best * 2.0",
        "def loss(): return 1.0\nfor k in range(2): loss = loss()",
        "(lambda: 1)[0]",
        "!pip install torch\ndef loss(): return 1.0\nloss[0]",
        "class A:\n    def f(self): pass\nA().f()()",
        "class A:\n    def f(self): pass\nclass B:\n    def __add__(self, o): return self\nA().f() * 2",
    ],
)
def test_no_other_cause_is_made_up(text):
    error = failure(text)
    assert error.fixes == () and not any(word in error.message for word in ("instead of", "returns", "has no", "Write"))


@pytest.mark.parametrize("text", ["x = (1\ny = 2", "x = unknown_thing()", "1 / 0", "raise ValueError('no')", "MLP(3)"])
def test_where_nothing_can_be_proposed_nothing_is(text):
    assert failure(text).fixes == ()


def test_an_error_in_a_function_has_its_place_its_calls_and_its_variables():
    error = failure("def f(n):\n    k = n + 1\n    return k / 0\ntop = 5\ndef g():\n    return f(3)\ng()")
    assert (error.line, error.column, error.end_column) == (3, 12, 17)
    assert [tuple(call) for call in error.calls] == [("", 7), ("g", 6), ("f", 3)]
    assert (error.variables["k"], error.variables["n"], error.variables["top"]) == (4, 3, 5)


def test_methods_of_our_own_are_not_among_the_calls():
    error = failure("x = Value(2.0)\ny = x + 'a'")
    assert [call.line for call in error.calls] == [2] and error.line == 2


def test_a_warning_of_the_compiler_is_printed_once():
    output = failure("first, *rest = range(9)\n(a, b), c = (7, -1.6if), 3\n").output
    assert "".join(piece.text for piece in output).count("SyntaxWarning") == 1


def test_a_module_that_is_missing_is_named_with_those_that_there_are():
    message = failure("import scipy").message
    assert "scipy" in message and "numpy" in message and "matplotlib" in message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nprint(a)\nwhile True:\n    print('x' * 1000)", 4),
        ("a = 1\nprint(a)\nb = bytearray(10**7)\nc = b * 30", 4),
        ("a = 1\nprint(a)\nwhile True: pass", 3),
    ],
)
def test_at_a_limit_what_was_printed_stays_and_the_program_may_run_on(text, line):
    for seconds in (0.2, 2.0, 20.0, 200.0):  # on a busy machine a program gets not far in a fifth of a second
        error = failure(text, limits=Limits(seconds=seconds))
        if error.line == line:
            break
    assert error.at_limit and error.line == line
    assert error.output[0].text == "1\n"


def test_notebook_commands_hidden_characters_and_unseeded_numbers_have_a_note():
    text = "%matplotlib inline\nimport random\n# \u202e hidden\nx = random.random()\n!pip install micrograd"
    assert [note.line for note in evaluate(text).notes] == [1, 3, 4, 5]
    assert evaluate("import random\nrandom.seed(3)\nx = random.random() % 2").notes == []
    assert evaluate("import numpy as np\nrng = np.random.default_rng(0)\nx = rng.random()").notes == []
    assert [note.line for note in evaluate("import numpy as np\nx = np.random.randn(2)").notes] == [2]
    noted = evaluate("from random import gauss as normal\né, x = 1, normal(0, 1)").notes
    assert [(note.line, note.column) for note in noted] == [(2, 11)]


def test_blanks_that_are_not_plain_stay_in_strings_and_do_no_harm_elsewhere():
    assert evaluate("print(len('a\u00a0\u3000b'), ord('\u00a0'))").output[0].text == "4 160\n"
    assert evaluate("a =\u00a01\nprint(a,\u3000ord('\u00a0'))").output[0].text.startswith("1 ")
