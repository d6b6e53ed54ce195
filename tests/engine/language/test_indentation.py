"""Programs whose indentation was lost come back as they were, or are left alone."""

import ast
from pathlib import Path

import pytest

from engine.language import ProgramError, evaluate, restore_indentation
from tests.engine.language.python_programs import written_programs

ROOT = Path(__file__).parents[3]
PROGRAMS = sorted(
    [
        *(ROOT / "resources/examples").glob("*/*.py"),
        *(ROOT / "tests/engine/language/programs").glob("*.py"),
        *(ROOT / "tests/engine/language/own_engines").glob("*.py"),
    ]
)


def flat(text, blank_lines=True):
    lines = [line.lstrip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line or blank_lines)


def structure(text):
    """The syntax tree; what a text lost of its indentation inside of strings is gone."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = "\n".join(line.strip() for line in node.value.split("\n"))
    return ast.dump(tree)


@pytest.mark.slow
@pytest.mark.parametrize("blank_lines", [True, False])
def test_no_everyday_program_comes_back_as_another_one(blank_lines):
    results = []
    for name, text in written_programs("everyday_programs.txt").items():
        restored = restore_indentation(flat(text, blank_lines))
        results.append(restored)
        assert restored is None or structure(restored) == structure(text), name
    assert sum(restored is not None for restored in results) > 25


@pytest.mark.long
@pytest.mark.parametrize("blank_lines", [True, False])
def test_no_program_comes_back_as_another_one_and_most_come_back(blank_lines):
    results = []
    for path in PROGRAMS:
        text = "\n".join(line for line in path.read_text().split("\n") if line.lstrip()[:1] not in ("%", "!"))
        restored = restore_indentation(flat(text, blank_lines))
        results.append(restored)
        assert restored is None or structure(restored) == structure(text), path
    assert sum(restored is not None for restored in results) > len(PROGRAMS) * 0.6


ENGINE = """
class Value:
    def __init__(self, data, _children=()):
        self.data = data
        self.grad = 0.0
        self._prev = set(_children)
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = _backward
        return out

    def backward(self):
        topo = []
        visited = set()
        def build_topo(v):
            if v not in visited:
                visited.add(v)
                for child in v._prev:
                    build_topo(child)
                topo.append(v)
        build_topo(self)
        self.grad = 1.0
        for node in reversed(topo):
            node._backward()

a = Value(2.0)
b = a + 3
b.backward()
print(a.grad)
"""


@pytest.mark.parametrize("blank_lines", [True, False])
def test_nested_functions_stay_in_their_methods(blank_lines):
    restored = restore_indentation(flat(ENGINE, blank_lines))
    assert restored is not None and structure(restored) == structure(ENGINE)


def test_the_steps_of_a_training_loop_stay_in_it():
    text = """\
n = MLP(2, [4, 1])
for k in range(20):
    loss = sum((n(x) - y) ** 2 for x, y in data)
    for p in n.parameters():
        p.grad = 0.0
    loss.backward()
    for p in n.parameters():
        p.data -= 0.1 * p.grad
    print(k, loss.data)
"""
    assert restore_indentation(flat(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def f(self): return A()\n    def g(self): return 2\nprint(A().f().g())\n",
        "def visit(n, seen):\n    if n in seen: return\n    seen.add(n)\nvisit(1, set())\n",
        "tape = []\ndef run(out):\n    out.d = 1.0\n    for f in reversed(tape): f()\ntape.append(print)\n",
        "while True:\n    i = 1\n    if i > 6:\n        break\n    print(i)\nprint('end', i)\n",
        "for x in [1, 2]:\n    if x > 1:\n        break\nelse:\n    print('none')\n",
    ],
)
def test_bodies_of_one_line_and_loops_that_end_early_never_become_another_program(text):
    restored = restore_indentation(flat(text))
    assert restored is None or structure(restored) == structure(text)


COMMENTED = """\
import random

# a sum
def total(numbers):
    # begin at nothing
    result = 0
    for each in numbers:
        # one after the other
        result += each
    return result


print(total([1, 2]))
# the end
"""
SPACED = """\
class Point:
    def __init__(self, x):
        self.x = x

    def twice(self):
        return Point(2 * self.x)


def norm(point):
    return abs(point.x)


print(norm(Point(3).twice()))
"""
BRACKETS = """\
def f(a, b):
    numbers = [
        a,
        b,
    ]
    return sum(
        numbers
    )
print(f(1, 2))
"""
ERROR = """\
def f(x):
    try:
        return 1 / x
    except ZeroDivisionError as error:
        print('no')
        print(error)
f(0)
"""


@pytest.mark.parametrize(
    "text",
    [
        *(COMMENTED, SPACED, BRACKETS, ERROR),
        "match = 3\nfor k in range(3):\n    print(k, match)\n",
        "x = 1\nfor k in range(3):\n    x = x * k\nx\n",
        "for k in range(3):\n    pass\nprint('end')\n",
    ],
)
def test_a_program_comes_back_with_its_comments_blank_lines_and_brackets(text):
    assert restore_indentation(flat(text)) == text


def test_methods_of_one_line_come_back_into_their_class():
    text = "class A:\n    def f(self): return A()\n    def g(self): return 2\nprint(A().f().g())"
    assert restore_indentation(flat(text)) == text


def test_what_could_be_two_programs_is_left_alone():
    assert restore_indentation("for x in range(3):\nprint(x)\nprint('more')\nprint(x * x)\nprint('end')") is None
    assert restore_indentation("if a:\nb = 1\nc = 2\nprint(b, c)") is None
    heads = "".join(f"if a{level}:\nprint({level})\n" for level in range(10))
    assert restore_indentation(heads + "print('x')\n" * 470) is None  # more programs than are followed


@pytest.mark.parametrize(
    "text",
    [
        *("x = 1\ny = x", "", "x = (", "for x in range(3):\n    y = x", "def f(:\nreturn 1", "if x\ny", "@f\nx = 1"),
        *("try:\nx = 1", "for x in range(3):\nprint(x)\nfor y in range(3):", "if x:\n\\\n# y\ny = (1)"),
    ],
)
def test_what_needs_something_else_or_nothing_is_left_alone(text):
    assert restore_indentation(text) is None


def test_a_program_that_stands_too_far_to_the_right_is_moved():
    assert restore_indentation("    x = 1\n    y = x") == "x = 1\ny = x"
    assert restore_indentation("x = 1\n    y = x") == "x = 1\ny = x"


@pytest.mark.parametrize("separator", "\x1c\x1d\x1e\x85\u2028")
def test_what_is_no_end_of_a_line_for_python_is_none_here(separator):
    text = f"def f():\nreturn '{separator}'\nprint(f())"
    assert restore_indentation(text) == text.replace("return", "    return")
    with pytest.raises(ProgramError):
        evaluate(f"if True:\ny = 1{separator}\nx = 2\nz = (")


def test_text_inside_of_strings_is_kept():
    text = 'def f():\nreturn """one\n   two\n"""\nprint(f())'
    assert restore_indentation(text) == 'def f():\n    return """one\n   two\n"""\nprint(f())'


@pytest.mark.long
def test_as_many_lines_as_are_looked_at_come_to_an_end():
    """A search without bounds would take years: each of these lines may stand in every block that is open."""
    assert restore_indentation(flat("\n".join([ENGINE] * 11))) is None
