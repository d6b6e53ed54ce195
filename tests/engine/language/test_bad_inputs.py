"""Texts that are no program, and programs that end in an error: where, in which words, and what mends them."""

import pytest

from engine.language import ProgramError, evaluate

AB = "a = 1.0; b = 2.0\n"
X = "x = 2.0\n"

# text, line, column, words of the message
REFUSED = [
    ("x", 1, 1, "name 'x' is not defined"),
    ("a = ", 1, 5, "missing at the end"),
    (AB + "a + \nb", 2, 5, "missing at the end"),
    (AB + "c = (a + b\nd = 1", 2, 5, "'(' was never closed"),
    ("a = 1)", 1, 6, "unmatched ')'"),
    ("a = (1]", 1, 7, "does not match"),
    (AB + "a b", 2, 3, "invalid syntax"),
    (X + "2x", 2, 1, "Write 2 * x"),
    (AB + "(a)(b)", 2, 1, "A product needs *"),
    ("2(3)", 1, 1, "A product needs *"),
    (AB + "a(b)", 2, 1, "A product needs *"),
    (AB + "a ^ 2", 2, 1, "Powers are written **"),
    (X + "x²", 2, 2, "Write x ** 2"),
    ("y = 3²", 1, 6, "Write 3 ** 2"),
    ("“x”", 1, 1, "invalid character '“'"),
    (X + "√x", 2, 1, "Write sqrt(x)"),
    (X + "|x|", 2, 1, "Write abs(x)"),
    (X + "x!", 2, 2, "invalid syntax"),
    (X + "sin x", 2, 5, "Write sin(x)"),
    ("  a = 1\n    b = 2", 1, 3, "unexpected indent"),
    ("a = 1\n\tb = 2", 2, 2, "unexpected indent"),
    ("a\0b", 1, 2, "invalid character U+0000"),
    ("a = 1 + \ud800", 1, 9, "invalid character U+D800"),
    (X + "x\u200b+ 1", 2, 2, "U+200B. It is invisible"),
    (X + "exp（x）", 2, 4, "U+FF08"),
    ("class = 1", 1, 7, "class is a keyword"),
    ("lambda = 1", 1, 8, "lambda is a keyword"),
    ("None = 1", 1, 1, "cannot assign to None"),
    ("a = 1\nTrue = a", 2, 1, "cannot assign to True"),
    ("a = 0123", 1, 5, "Write 123"),
    ("1__0", 1, 2, "invalid decimal literal"),
    ("a = 1e", 1, 5, "invalid decimal literal"),
    ("1.2.3", 1, 4, "invalid syntax"),
    ("a" * 20_001, 1, 20_001, "20,001 characters, at most 20,000"),
    ("a = 1\n" * 501, 501, 1, "501, at most 500"),
    ("__import__('os').system('true')", 1, 1, "other programs"),
    ("open('/etc/passwd')", 1, 1, "files"),
    ("x = float(input('x? '))", 1, 11, "input"),
    ("import threading\nthreading.Thread(target=print).start()", 2, 1, "Programs cannot start threads"),
    ("x = [i for i in range(10**9)]", 1, 6, "more memory than 120 MB"),
    ("-" * 19_999 + "1", 1, 1, "nested too deeply"),
    (X + "(" * 201 + "x" + ")" * 201, 2, 1, "nested too deeply"),
    (X + "+".join(["x"] * 5_001), 2, 1, "nested too deeply"),
    ("1" * 4_301, 1, 1, "Exceeds the limit"),
    ("'" + "x" * 10_000_000 + "'", 1, 20_001, "at most 20,000"),
    ("a = b\nb = a", 1, 5, "Line 2 defines it, but runs later"),
    ("def f():\n    return y\nf()\ny = 1", 2, 12, "Line 4 defines it, but runs later"),
    ("tanh()", 1, 1, "tanh() takes 1 input, 0 given"),
    ("tanh(1, 2)", 1, 1, "tanh() takes 1 input, 2 given"),
    ("Tanh(1)", 1, 1, "Did you mean: 'tanh'?"),
    ("tahn(1)", 1, 1, "Did you mean: 'tanh'?"),
    ("xs = [1]\nfor x in xs:\n    y = zzz(x)", 3, 9, "name 'zzz' is not defined"),
    ("def double(x):\n    return 2 * x\ny = duoble(1)", 3, 5, "Did you mean: 'double'?"),
    (X + "x.rleu()", 2, 1, "Did you mean: 'relu'?"),
    ("x = 1.0\nx.backwrd()", 2, 1, "Did you mean: 'backward'?"),
    ("x = Value(1.0)\nprint(x.gard)", 2, 7, "Did you mean: 'grad'?"),
    ("x = MLP(2, [1])\nx.paramters()", 2, 1, "Did you mean: 'parameters'?"),
    (AB + "a & b", 2, 1, "unsupported operand type(s) for &: 'float' and 'float'"),
    (AB + "a[0]", 2, 1, "'float' object is not subscriptable"),
    ("break", 1, 1, "'break' outside loop"),
    ("for i in range(3)\n    i", 1, 18, "expected ':'"),
    ("if True:\nx = 1", 2, 1, "expected an indented block"),
    ("a = 'text", 1, 5, "unterminated string"),
    ("print(\n    'a',\n    'b,\n)", 3, 5, "unterminated string"),
    ("print 'a'", 1, 1, "Missing parentheses"),
    ("from requests import get", 1, 1, "There are graphviz"),
    ("import numpi", 1, 1, "There are graphviz"),
    ("exp = 3\ny = exp(1)", 2, 5, "the name exp another value"),
    ("x = 1\nsum = 3\nsum([1, 2])", 3, 1, "the name sum another value"),
    ("x = 10\ndef g():\n    x += 1\ng()", 3, 5, "UnboundLocalError"),
    ("x = 1\ndel x\nprint(x)", 3, 7, "name 'x' is not defined"),
    ("def f(a, b):\n    return a + b\ndef g():\n    return f(1)\ng()", 4, 12, "positional argument: 'b'"),
    ("class A:\n    def __init__(self, x, y):\n        self.x = x\na = A(1)", 4, 5, "argument: 'y'"),
    ("a = Value(2.0)\na.data = 'x'", 2, 1, "a Value holds real numbers, not 'x'"),
    ("y = float('x')", 1, 5, "could not convert string to float"),
    ("let a = 2", 1, 5, "Write a = 2"),
    ("i = 1\ni++", 2, 4, "Write i += 1"),
    ("a = 1 && 2", 1, 8, "Write and"),
    ("a = 1 || 2", 1, 8, "Write or"),
    ("b = 1\na = !b", 2, 5, "Write not"),
    ("if 1:\n    pass\nelse if 2:\n    pass", 3, 6, "Write elif 2:"),
    ("function f(x) {\n  return x\n}", 1, 10, "Write def f(x):"),
    ("a = true", 1, 5, "Did you mean: 'True'?"),
    ("def f():\n    return null\nf()", 2, 12, "Python writes None"),
    ("a = 1.0\nb = a * nan", 2, 9, 'Python writes float("nan")'),
    ("x = inf", 1, 5, 'Python writes float("inf")'),
    ("\u0430 = 1.0\nb = a*2", 2, 5, "in line 1, \u0430 is a Cyrillic letter"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("text", "line", "column", "words"), REFUSED, ids=[repr(case[0][:40]) for case in REFUSED])
def test_it_is_refused_at_its_place_with_a_reason(text, line, column, words):
    with pytest.raises(ProgramError) as refusal:
        evaluate(text, seconds=10)
    error = refusal.value
    assert words in error.message
    assert (error.line, error.column) == (line, column)
    assert error.end_column > error.column
    assert str(error) == f"line {line}, column {column}: {error.message}"


FIXES = [
    ("x = 2\ny = 2x", "x = 2\ny = 2 * x"),
    ("x = 2\nx²", "x = 2\nx ** 2"),
    ("x = 2\nx¹²", "x = 2\nx ** 12"),
    ("w₁ = 2", "w1 = 2"),
    ("w1 = 2\ny = w₁₂\nw12 = 3", "w1 = 2\ny = w12\nw12 = 3"),
    ("x = 2\n(x)(x)", "x = 2\n(x) * (x)"),
    ("x = 2\ntahn(x)", "x = 2\ntanh(x)"),
    ("y = q + 1", "q = 1.0\ny = q + 1"),
    ("x = 2\nx − 1", "x = 2\nx - 1"),
    ("x = 2\ny = sin x", "x = 2\ny = sin(x)"),
    ("relu 3", "relu(3)"),
    ("a = 0123", "a = 123"),
    ("i = 1\ni++", "i = 1\ni += 1"),
    ("a = 1\nif a > 0 && !(a > 2):\n    pass", "a = 1\nif a > 0 and !(a > 2):\n    pass"),
    ("if 1:\n    pass\nelse if 2:\n    pass", "if 1:\n    pass\nelif 2:\n    pass"),
    ("let a = 2", "a = 2"),
    ("a = true", "a = True"),
    ("a = null", "a = None"),
    ("a = nothing", "a = None"),
    ("a = TRUE", "a = True"),
    ("x = 1.0\nx.backwrd()", "x = 1.0\nx.backward()"),
    ("weight = 1\nwieght + 1", "weight = 1\nweight + 1"),
    ("ab\u200bc = 1", "abc = 1"),
    ("ab\u202ec = 1", "abc = 1"),
]


@pytest.mark.parametrize(("text", "mended"), FIXES)
def test_the_first_fix_mends_it_or_goes_further(text, mended):
    with pytest.raises(ProgramError) as refusal:
        evaluate(text)
    assert refusal.value.fix.apply(text) == mended


def test_a_new_name_is_offered_where_none_is_near():
    for text, mended in [
        ("weight = 1\nwieght + 1", ["weight = 1\nweight + 1"]),
        ("a = 1\nb = a + qq", ["a = 1\nqq = 1.0\nb = a + qq"]),
    ]:
        with pytest.raises(ProgramError) as refusal:
            evaluate(text)
        assert [fix.apply(text) for fix in refusal.value.fixes] == mended


@pytest.mark.parametrize("text", ["a = 3₁", "a b", "x = )"])
def test_what_cannot_be_mended_surely_has_no_small_fix(text):
    with pytest.raises(ProgramError) as refusal:
        evaluate(text)
    assert not any(fix.title.startswith("write") for fix in refusal.value.fixes)


@pytest.mark.parametrize("text", ["a = '\x1b[31m' ^ 2", "x = 1\nx # \x1b]0;\x07\n(x # \x1b[2J\n)(x)", "\x1b[31m"])
def test_no_error_carries_a_control_character_of_the_text(text):
    with pytest.raises(ProgramError) as refusal:
        evaluate(text)
    assert refusal.value.message.isprintable()
    assert all(fix.title.isprintable() for fix in refusal.value.fixes)


def test_a_text_far_too_long_is_refused_by_a_look_at_its_start_only():
    class Watched(str):
        taken = 0

        def __getitem__(self, key):
            piece = super().__getitem__(key)
            Watched.taken += len(piece)
            return piece

        def replace(self, *_):
            raise AssertionError("the whole text was worked on")

        translate = replace

    with pytest.raises(ProgramError, match="600,000 characters"):
        evaluate(Watched("a = 1\n" * 100_000))
    assert Watched.taken <= 20_001


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
FORGOTTEN = [
    ("        self._backward = lambda: None\n", "", 16, "no attribute '_backward'"),
    ("        return out\n", "", 20, "'NoneType' and 'Value'"),
    ("self.grad += other.data * out.grad", "self.gard += 1", 9, "Did you mean: 'grad'?"),
    ("= _backward\n", "= _backward()\n", 17, "'NoneType' object is not callable"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "instead", "line", "words"), FORGOTTEN)
def test_what_an_engine_forgets_is_said_at_the_line_where_it_is_missed(left, instead, line, words):
    evaluate(ENGINE)
    with pytest.raises(ProgramError) as refusal:
        evaluate(ENGINE.replace(left, instead))
    assert words in refusal.value.message and refusal.value.line == line
