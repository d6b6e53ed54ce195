"""Every kind of text that is no program, or hardly one: what is said, and where."""

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
    ("yield", "def f():\n    yield x", 2, 5, "yield is not available here: make a list and return it"),
    ("base class", "class B(Exception): pass", 1, 9, "only a class of this program can be a base class here"),
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

# What Python gives for what was refused when programs had formulas alone
PYTHON = [
    ("x = 2.0\nx == 3", "False"),
    ("a, b = 1, 2\na - b", "-1"),
    ("x: float = 3.0\nx", "3.0"),
    ("True + 1", "2"),
    ("...", "Ellipsis"),
    ("exp(*[0])", "1.0"),
    ("max(1, 2, 3)", "3"),
    ("7 // 2", "3"),
    ("7 % 2", "1"),
    ("~3", "-4"),
    ("2.0 and 3.0", "3.0"),
    ("not 1.0", "False"),
    ("1.0 if 2.0 else 3.0", "1.0"),
    ("[1, 2]", "[1, 2]"),
    ("{}", "{}"),
    ("(a := 2)", "2"),
    ("x = 'text'\nx", "'text'"),
    ("s = 0\nfor i in range(4): s += i\ns", "6"),
    ("def f(x): return 2*x\nf(3)", "6"),
    ("[i*i for i in range(3)]", "[0, 1, 4]"),
    ("x = [1.5, 2]\nx[0]", "1.5"),
    ("class A:\n    def f(self): return 'a'\nA().f()", "'a'"),
    ("import math\nmath.floor(2.5)", "2"),
    ("try:\n    1/0\nexcept ZeroDivisionError: x = 'zero'\nx", "'zero'"),
    ("x = 3\nwhile x > 1: x -= 1\nx", "1"),
]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"), [case[1:] for case in STATEMENTS], ids=[case[0] for case in STATEMENTS]
)
def test_statements_that_cannot_be_run_are_refused_at_their_place(text, line, column, words):
    with pytest.raises(ProgramError) as refusal:
        evaluate(text)
    assert words in refusal.value.message
    assert (refusal.value.line, refusal.value.column) == (line, column)


@pytest.mark.parametrize(("text", "shown"), PYTHON)
def test_what_python_has_is_run_and_shown_as_a_notebook_does(text, shown):
    assert evaluate(text).displayed.text == shown


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


@pytest.mark.parametrize("text", ["", "  \n\t\n", "# only a comment", "\n\n", "\ufeff"])
def test_empty_text_is_an_empty_program(text):
    """A001, A002."""
    result = evaluate(text)
    assert result.root is None
    assert not result.names
    assert not result.notes


def test_several_statements_on_a_line():
    """A029."""
    assert evaluate("a = 1; b = a + 2;").root.data == 3.0


@pytest.mark.parametrize("text", ["  a = 1", "\ta = 1\n\tb = a", "   a = 1\n\n   # comment\n   b = a"])
def test_a_text_indented_as_a_whole_is_accepted(text):
    """A031."""
    assert evaluate(text).root.data == 1.0


@pytest.mark.parametrize("text", ["\ufeffa = 2.0", "a\u00a0=\u00a02.0", "a =\u20032.0", "a = 2.0\r\n", "a = 2.0\r\r"])
def test_invisible_blanks_of_other_programs_are_blanks(text):
    """A034, A035."""
    assert evaluate(text).names["a"].data == 2.0


def test_columns_are_right_behind_a_byte_order_mark():
    with pytest.raises(ProgramError) as refusal:
        evaluate("\ufeffa = ")
    assert refusal.value.column == 6


def test_fullwidth_letters_are_the_letters():
    """A040: accepted as exp, from the same whitelist."""
    assert evaluate("ｘ = 0\nｅｘｐ(x)").root.op.name == "exp"
    with pytest.raises(ProgramError, match="unknown function 'eval'"):
        evaluate("ｅｖａｌ(1)")


def test_a_misspelt_function_of_a_running_program_is_mended_by_its_fix():
    with pytest.raises(ProgramError) as refusal:
        evaluate("class Net:\n    def __call__(self, x):\n        return x\nmodel = Net()\ny = modle(2.0)")
    text = refusal.value.fix.apply(
        "class Net:\n    def __call__(self, x):\n        return x\nmodel = Net()\ny = modle(2.0)"
    )
    assert evaluate(text).variables["y"] == 2.0


def test_two_code_points_of_one_letter_are_one_name():
    """A041: micro sign and Greek mu."""
    assert evaluate("\u00b5 = 1\ny = \u03bc + 1").root.data == 2.0


@pytest.mark.parametrize(
    ("literal", "number"),
    [("0x1F", 31), ("0b11", 3), ("0o7", 7), ("1_000", 1000), ("1e3", 1000), (".5", 0.5), ("5.", 5), ("1E-2", 0.01),
     ("0", 0), ("00.5", 0.5), ("1_0.0_1e1_0", 10.01e10)],
)  # fmt: skip
def test_numbers_of_python_are_numbers(literal, number):
    """A046."""
    assert evaluate(f"a = {literal}").root.data == pytest.approx(number, rel=1e-15)


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


@pytest.mark.parametrize(
    ("text", "words", "line", "column"),
    [
        ("9**9**9", "number too large", 1, 2),
        ("10.0**400", "overflow", 1, 5),
        ("y = exp(1000)", "overflow", 1, 5),
        ("1e308 * 10", "overflow", 1, 7),
        ("a = 1e400", "overflow", 1, 5),
        ("a = 0x" + "f" * 900, "overflow", 1, 5),
        ("a = 1e-400", "became 0", 1, 5),
        ("a = 1/0", "division by zero", 1, 6),
        ("x = 1\ny = 1/(x-x)", "division by zero", 2, 6),
        ("0.0 ** -1", "power", 1, 5),
        ("log(0)", "positive", 1, 1),
        ("x = -1\ny = log(x)", "positive", 2, 5),
        ("sqrt(-1)", "from 0 up", 1, 1),
        ("(-8.0)**(1/3)", "positive base", 1, 7),
        ("5e-324 / 2", "became 0", 1, 8),
        ("x = 5e-324\nx * 0.1", "became 0", 2, 3),
    ],
)
def test_mathematical_trouble_marks_the_node_that_caused_it(text, words, line, column):
    """B013, B014, B025, C001, C002, C007, C020."""
    result = evaluate(text)
    (problem,) = result.problems
    assert words in problem.message
    assert (problem.line, problem.column) == (line, column)
    assert problem.value is result.root


def test_what_depends_on_trouble_is_not_computed():
    """C001."""
    result = evaluate("x = 2.0\na = 1/(x - x)\nb = a + 1\nc = x + 1\nd = b*c")
    assert [problem.label for problem in result.problems] == ["a"]
    assert result.not_computed == {result.names["b"], result.names["d"]}


def test_infinity_minus_infinity_is_marked_too():
    """C007."""
    result = evaluate("a = 1e308*10\nb = a - a")
    assert [(p.label, p.message.split(":")[0]) for p in result.problems] == [("a", "overflow"), ("b", "not a number")]


def test_unknown_functions_of_mathematics_are_errors():
    """C002: asin is not in the table."""
    with pytest.raises(ProgramError, match="no function 'asin'"):
        evaluate("asin(2)")


@pytest.mark.parametrize(
    ("text", "number"),
    [("0 ** 0", 1), ("x = 0.0\n0.0 ** x", 1), ("sigmoid(-1000)", 0), ("sigmoid(1000)", 1), ("tanh(1e308)", 1),
     ("softplus(1000)", 1000), ("2 ** -1", 0.5), ("-2 ** 2", -4), ("2 ** 3 ** 2", 512), ("- -3", 3), ("+3", 3)],
)  # fmt: skip
def test_extreme_arguments_give_the_limit(text, number):
    """C004, C008."""
    result = evaluate(text)
    assert result.root.data == number
    assert not result.problems


def test_a_negative_base_with_a_whole_exponent_is_fine():
    """C005."""
    result = evaluate("x = -2.0\ny = 3.0\nz = x ** y")
    assert result.root.data == -8.0
    assert not result.problems


def test_a_number_alone_is_a_result():
    """C013."""
    result = evaluate("y = 3")
    assert result.root.data == 3.0
    assert result.root.op is None


def test_an_unused_leaf_is_noted():
    """C014."""
    result = evaluate("x = 2\ny = 5")
    assert [(n.message, n.line, n.column) for n in result.notes] == [("x is not part of the result y", 1, 1)]


def test_two_hundred_brackets_work():
    """B019."""
    assert evaluate(X + "(" * 200 + "x" + ")" * 200).root.data == 2.0
    assert evaluate(X + "-(" * 100 + "x" + ")" * 100).root.data == 2.0


def test_a_thousand_terms_work():
    """B020."""
    result = evaluate("x = 2.0\ny = " + " + ".join(["x"] * 1_000))
    result.root.backward()
    assert result.names["x"].grad == 1_000.0


def test_a_chain_of_five_hundred_statements_works():
    """B028."""
    result = evaluate("a0 = 1.0\n" + "\n".join(f"a{i} = a{i - 1} + 1" for i in range(1, 500)))
    result.root.backward()
    assert result.root.data == 500.0
    assert result.names["a0"].grad == 1.0


def test_doubling_thirty_times_stays_thirty_one_nodes():
    """B029."""
    result = evaluate("a0 = 1.0\n" + "; ".join(f"a{i} = a{i - 1} + a{i - 1}" for i in range(1, 31)))
    result.root.backward()
    assert len(result.origins) == 31
    assert result.root.data == result.names["a0"].grad == 2.0**30


LONG_TEXTS = [
    "'" * 19_998, '"""' * 6_666, "(" * 19_999, "a." * 9_999, "1e" * 9_999, "\\\n" * 499, "a=" * 9_999, ";" * 19_999,
    "a,b" * 6_000, "^" * 19_999, "²" * 19_999, "+".join(["f(1"] * 4_000), "print(" * 3_000, "a" + "\0" * 19_000,
]  # fmt: skip


@pytest.mark.parametrize("text", LONG_TEXTS, ids=range(len(LONG_TEXTS)))
def test_long_texts_of_one_kind_get_an_answer(text):
    """A quadratic or exponential step would show here as a test that does not end."""
    try:
        evaluate(text)
    except ProgramError as error:
        assert error.line >= 1


def test_refusal_needs_little_of_the_stack():
    """A caller that is deep in its own calls still gets a polite answer."""

    def deep(calls: int) -> str:
        if calls:
            return deep(calls - 1)
        with pytest.raises(ProgramError) as refusal:
            evaluate("y = " + "-(" * 99 + "q" + ")" * 99)
        return refusal.value.message

    assert deep(300) != ""


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
