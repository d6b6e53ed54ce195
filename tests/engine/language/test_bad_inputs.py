"""Every kind of text that is not a program: what is said, where, and what would mend it."""

import pytest

from engine.language import ProgramError, evaluate

AB = "a = 1.0; b = 2.0\n"
X = "x = 2.0\n"

# name of the case, text, line, column, words of the message
REFUSED = [
    ("A004 no value", "x", 1, 1, "x has no value: write x = 1.0 above"),
    ("A005 nothing after =", "a = ", 1, 5, "expression expected"),
    ("A007 nothing after +", AB + "a + \nb", 2, 5, "expression expected"),
    ("A008 open bracket", AB + "c = (a + b\nd = 1", 2, 5, "( was never closed"),
    ("A008 closing bracket", "a = 1)", 1, 6, ") closes nothing"),
    ("A008 wrong bracket", "a = (1]", 1, 7, "] cannot close the ( of line 1, column 5"),
    ("A010 side by side", AB + "a b", 2, 3, "did you mean a * b?"),
    ("A011 number and name", X + "2x", 2, 1, "write 2 * x"),
    ("A013 brackets", AB + "(a)(b)", 2, 4, "write (a) * (b)"),
    ("A013 number and bracket", "2(3)", 1, 2, "write 2 * (3)"),
    ("A013 value called", AB + "a(b)", 2, 1, "a is a number here (line 1), not a function: write a * (…)"),
    ("A014 caret", AB + "a ^ 2", 2, 3, "^ is not power here: write a ** 2"),
    ("A016 decimal comma", "3,14", 1, 1, "decimal comma: write 3.14"),
    ("A016 decimal comma in a statement", "a = 3,14", 1, 5, "decimal comma: write 3.14"),
    ("A016 thousands", "a = 1,000", 1, 5, "no commas within a number: write 1000 (or 1.000)"),
    ("A017 superscript", X + "x²", 2, 2, "write x ** 2"),
    ("A017 superscript of a number", "y = 3²", 1, 6, "write 3 ** 2"),
    ("A019 curly quotes", "“x”", 1, 1, '“ is not known here: write "'),
    ("A020 root", X + "√x", 2, 1, "sqrt(x)"),
    ("A020 bars", X + "|x|", 2, 1, "abs(x)"),
    ("A020 factorial", X + "x!", 2, 2, "factorial"),
    ("A020 function without brackets", X + "sin x", 2, 1, "sin(x)"),
    ("A031 mixed indentation", "  a = 1\n    b = 2", 2, 5, "indented differently"),
    ("A032 tab and blanks", "a = 1\n\tb = 2", 2, 2, "indented differently"),
    ("A037 NUL", "a\0b", 1, 2, "invalid character U+0000"),
    ("A038 surrogate", "a = 1 + \ud800", 1, 9, "invalid character U+D800"),
    ("A038 zero width", X + "x\u200b+ 1", 2, 2, "invisible character U+200B"),
    ("A040 fullwidth brackets", X + "exp（x）", 2, 4, "write ("),
    ("A043 class", "class = 1", 1, 1, "reserved word"),
    ("A043 lambda", "lambda = 1", 1, 1, "reserved word"),
    ("A043 None", "None = 1", 1, 1, "reserved word"),
    ("A043 True", "a = 1\nTrue = a", 2, 1, "reserved word"),
    ("A046 leading zero", "a = 0123", 1, 5, "leading zero: write 123"),
    ("A047 two underscores", "1__0", 1, 1, "'1__0' is not a number"),
    ("A047 no exponent", "a = 1e", 1, 5, "'1e' is not a number"),
    ("A047 no digits", "0x", 1, 1, "'0x' is not a number"),
    ("A047 two points", "1.2.3", 1, 1, "'1.2.3' is not a number"),
    ("A049 long name", "a" * 65 + " = 1", 1, 1, "name too long (65 letters, at most 64)"),
    ("A050 characters", "a" * 20_001, 1, 20_001, "20,001 characters, at most 20,000"),
    ("A050 lines", "a = 1\n" * 501, 501, 1, "501, at most 500"),
    ("B001 import call", "__import__('os').system('true')", 1, 1, "__import__ has no value"),
    ("B001 attribute of nothing", "os.system('true')", 1, 1, "os has no value"),
    ("B002 empty tuple", "().__class__.__bases__[0].__subclasses__()", 1, 2, "expression expected"),
    ("B002 attribute of a value", X + "x.__class__.__bases__", 2, 1, "has no attribute '__class__'"),
    ("B004 globals", "exp.__globals__", 1, 1, "a function has no attribute '__globals__'"),
    ("B004 self", "exp.__self__", 1, 1, "a function has no attribute '__self__'"),
    ("B005 format", X + '"{0.__class__.__bases__}".format(x)', 2, 1, "has no attribute '__class__'"),
    ("B005 f-string", X + 'f"{x.__class__.__bases__}"', 2, 4, "has no attribute '__class__'"),
    ("B008 list comprehension", "[i for i in range(10**9)]", 1, 1, "holds more than 200 MB"),
    ("B008 set comprehension", "{i for i in range(10**9)}", 1, 1, "holds more than 200 MB"),
    ("B008 generator", "sum(i for i in range(10**9))", 1, 1, "holds more than 200 MB"),
    ("B010 two stars", "exp(**{})", 1, 1, "exp takes 1 input, 0 given"),
    ("B010 keyword", "exp(x=1)", 1, 1, "exp() got an unexpected keyword argument"),
    ("B016 signs", "-" * 1_000 + "1", 1, 101, "nested too deeply (100)"),
    ("B017 many signs", "-" * 19_999 + "1", 1, 101, "nested too deeply (100)"),
    ("B017 more signs than characters", "-" * 100_000 + "1", 1, 20_001, "at most 20,000"),
    ("B019 brackets", X + "(" * 201 + "x" + ")" * 201, 2, 201, "too many nested parentheses"),
    ("B019 calls", X + "exp(" * 101 + "x" + ")" * 101, 2, 405, "nested too deeply (100)"),
    ("B019 powers", X + "**".join(["x"] * 102), 2, 302, "nested too deeply (100)"),
    ("B020 terms", X + "+".join(["x"] * 5_001), 2, 1, "this formula is too long"),
    ("B022 digits", "1" * 4_301, 1, 1, "number too long"),
    ("B023 hexadecimal", "0x" + "f" * 1_000_000, 1, 20_001, "at most 20,000"),
    ("B026 long text", "'" + "x" * 10_000_000 + "'", 1, 20_001, "at most 20,000"),
    ("C010 used in its own value", "a = a + 1", 1, 5, "a is used before it has a value"),
    ("C010 augmented", "c += 1", 1, 1, "c is used before it has a value"),
    ("C011 no cycle", "a = b\nb = a", 1, 5, "b has no value yet"),
    ("C016 none", "tanh()", 1, 1, "tanh takes 1 input, 0 given"),
    ("C016 two", "tanh(1, 2)", 1, 1, "tanh takes 1 input, 2 given"),
    ("C016 one", "max(1)", 1, 1, "max takes 2 inputs, 1 given"),
    ("C016 sum of none", "sum()", 1, 1, "sum needs at least 1 input"),
    ("C016 method", X + "x.max()", 2, 3, "max takes 2 inputs, 1 given"),
    ("C017 case", "Tanh(1)", 1, 1, "did you mean 'tanh'?"),
    ("C017 letters", "tahn(1)", 1, 1, "no function 'tahn', did you mean 'tanh'?"),
    ("C017 called", "a = 1.0\nprnt(a)", 2, 1, "no function 'prnt', did you mean 'print'?"),
    ("C017 called, none near", "xs = [1]\nfor x in xs:\n    y = zzz(x)", 3, 9, "unknown function 'zzz'"),
    ("C017 own function", "def double(x):\n    return 2 * x\ny = duoble(1)", 3, 5, "did you mean 'double'?"),
    ("C017 method", X + "x.rleu()", 2, 3, "did you mean 'relu'?"),
    ("C017 name", "weight = 1\nwieght + 1", 2, 1, "did you mean weight?"),
    ("C019 and sign", AB + "a & b", 2, 1, "& is not defined for a number and a number"),
    ("C019 matrix product", AB + "a @ b", 2, 1, "@ is not defined for a number and a number"),
    ("C019 shift", AB + "a << 2", 2, 1, "<< is not defined for a number and a whole number"),
    ("C019 index", AB + "a[0]", 2, 1, "not subscriptable"),
]

# What Python has and the sandbox has not, or what Python itself refuses: name, text, line, column, words
STATEMENTS = [
    ("del", "class A: pass\na = A()\ndel a.x", 3, 5, "del of an attribute is not available here"),
    ("async", "async def f(): x", 1, 1, "async and await are not available here"),
    ("await", "def f():\n    await x", 2, 5, "async and await are not available here"),
    ("yield", "def f():\n    while 1:\n        yield x", 3, 9, "yield is available here only where"),
    ("yield in a lambda", "f = lambda: (yield 1)", 1, 14, "a yield expression is not available here"),
    ("an exception of its own", "class B(Exception): pass", 1, 9, "raise one of them itself, such as ValueError"),
    ("base class", "class B(int): pass", 1, 9, "only a class of this program can be a base class here"),
    ("decorator", "class A:\n    @cache\n    def f(self): return 1", 2, 6, "only @staticmethod, @classmethod and"),
    ("break", "break", 1, 1, "'break' outside loop"),
    ("no colon", "for i in range(3)\n    i", 1, 18, "a : is missing here"),
    ("no block", "if True:\nx = 1", 2, 1, "have to be indented"),
    ("quote", "a = 'text", 1, 5, "no closing quote"),
    ("print of Python 2", "print 'a'", 1, 1, "print needs brackets"),
    ("name of Gradstep", "_gs_x = 1", 1, 1, "names that begin with _gs_ are Gradstep's own"),
    ("module", "import os", 1, 1, "a program here reaches no files and no system"),
    ("module of the net", "from requests import get", 1, 1, "reaches no network"),
    ("misspelt module", "import numpi", 1, 1, "did you mean numpy?"),
    ("all names", "from math import *", 1, 1, "write the names"),
]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"), [case[1:] for case in STATEMENTS], ids=[case[0] for case in STATEMENTS]
)
def test_statements_that_cannot_be_run_are_refused_at_their_place(text, line, column, words):
    with pytest.raises(ProgramError) as refusal:
        evaluate(text)
    assert words in refusal.value.message
    assert (refusal.value.line, refusal.value.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "line", "column", "words"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
def test_refused_with_place_and_reason(text, line, column, words):
    with pytest.raises(ProgramError) as refusal:
        evaluate(text)
    error = refusal.value
    assert words in error.message
    assert (error.line, error.column) == (line, column)
    assert error.end_column > error.column
    assert len(error.message) < 120
    assert str(error) == f"line {line}, column {column}: {error.message}"


def test_a_misspelt_function_of_a_running_program_is_mended_by_its_fix():
    with pytest.raises(ProgramError) as refusal:
        evaluate("class Net:\n    def __call__(self, x):\n        return x\nmodel = Net()\ny = modle(2.0)")
    text = refusal.value.fix.apply(
        "class Net:\n    def __call__(self, x):\n        return x\nmodel = Net()\ny = modle(2.0)"
    )
    assert evaluate(text).variables["y"] == 2.0


@pytest.mark.slow
def test_a_fix_repairs_the_text():
    for text, repaired in [
        ("x = 3,14", "x = 3.14"),
        ("x = 2\ny = 2x", "x = 2\ny = 2 * x"),
        ("x = 2\nx²", "x = 2\nx ** 2"),
        ("x = 2\nx ^ 2", "x = 2\nx ** 2"),
        ("x = 2\n(x)(x)", "x = 2\n(x) * (x)"),
        ("x = 2\ntahn(x)", "x = 2\ntanh(x)"),
        ("y = q + 1", "q = 1.0\ny = q + 1"),
        ("  a = 1; y = (a +\n q)", "  q = 1.0\n  a = 1; y = (a +\n q)"),
        ("x = 2\nx − 1", "x = 2\nx - 1"),
    ]:
        with pytest.raises(ProgramError) as refusal:
            evaluate(text)
        assert refusal.value.fix.apply(text) == repaired
        evaluate(repaired)


DANGEROUS = [
    "eval",
    "exec",
    "compile",
    "open",
    "input",
    "breakpoint",
    "exit",
    "quit",
    "help",
    "globals",
    "vars",
    "dir",
    "__import__",
    "memoryview",
    "super",
    "delattr",
    "copyright",
    "credits",
    "license",
    "__build_class__",
]


@pytest.mark.parametrize("name", DANGEROUS)
def test_functions_that_look_outside_are_not_there(name):
    """B007: what is left of Python's own functions runs inside the sandbox."""
    with pytest.raises(ProgramError, match=f"unknown function '{name}'|{name} has no value"):
        evaluate(f"x = 1\ny = {name}('1')")


def test_an_argument_of_print_that_reaches_outside_is_refused_at_its_place():
    with pytest.raises(ProgramError, match="unknown function 'open'") as refusal:
        evaluate("x = 1\nprint(open('/etc/passwd').read(), x.__class__)")
    assert (refusal.value.line, refusal.value.column) == (2, 7)
