"""The walk line by line: after each statement the program is what it is when it ends there."""

import numpy as np
import pytest

from engine.autograd import topological_order
from engine.language import Limits, ProgramError, after_statements, evaluate
from tests.engine.language.make_outputs import PROGRAMS

STRAIGHT = """a = Value(2.0)
b = Value(-3.0)
c = a * b
c.backward()
xs = [1, a]
xs.append(c.data)
same = xs
same[0] = 5
a.data = 4.0
a.grad = 0.0
c += a
d = tanh(c) + b
print('d', 3)
d.backward()
n = len(xs)
del n
"""
CALLS = """def square(x):
    "of a number"
    y = x * x
    return y

class Neuron:
    def __init__(self, w):
        self.w = w
    def __call__(self, x):
        global calls
        calls = calls + 1
        if x.data > 0:
            return self.w * x
        return x

calls = 0
n = Neuron(Value(3.0))
for k in range(2):
    z = n(square(Value(2.0)))
while calls < 3:
    calls += 1
else:
    done = True
"""


def numbers(evaluation):
    """Data and gradients of the variables that are Values, texts of all others."""
    shown = evaluation.variables
    return {name: (thing.data, thing.grad) if hasattr(thing, "grad") else repr(thing) for name, thing in shown.items()}


def plain(thing):
    return getattr(thing, "data", thing)


@pytest.mark.slow
def test_after_each_statement_the_program_is_what_it_is_when_it_ends_there():
    walked = evaluate(STRAIGHT, record=True)
    lines = STRAIGHT.splitlines(keepends=True)
    assert [step.line for step in walked.statements] == list(range(1, len(lines) + 1))
    for count in (*range(len(lines) + 1), *range(len(lines), -1, -1)):  # and on the way back
        ended, then = evaluate("".join(lines[:count])), after_statements(walked, count)
        assert numbers(then) == numbers(ended)
        assert "".join(piece.text for piece in then.output) == "".join(piece.text for piece in ended.output)
        if ended.root is not None and count != 3:
            made = [(value.data, value.grad) for value in topological_order(then.root)]
            assert made == [(value.data, value.grad) for value in topological_order(ended.root)]


def test_the_values_that_are_shown_are_shared_with_no_other_place_of_the_walk():
    walked = evaluate(STRAIGHT, record=True)
    one, other = after_statements(walked, 4), after_statements(walked, 4)
    assert not set(one.origins) & set(other.origins) and not set(one.origins) & set(walked.origins)
    assert one.own_gradients and one.variables["a"] is one.names["a"]


def test_it_goes_into_functions_methods_and_loops():
    walked = evaluate(CALLS, record=True)
    square, call = [1, 3, 4], [9, 11, 12, 13]
    lap = [18, *square, *call, 19]  # a statement is done when what it calls has returned
    assert [step.line for step in walked.statements] == [16, 7, 8, 17, *lap, *lap, 20, 21, 23]
    calls = [(step.function, step.call) for step in walked.statements if step.function]
    assert list(dict.fromkeys(calls)) == [
        ("Neuron.__init__", 1), ("square", 2), ("Neuron.__call__", 3), ("square", 4), ("Neuron.__call__", 5)
    ]  # fmt: skip


def test_in_a_function_its_own_variables_are_known_and_what_it_does_to_those_outside():
    walked = evaluate(CALLS, record=True)
    lines = [step.line for step in walked.statements]
    there = after_statements(walked, lines.index(3) + 1)
    assert there.variables["y (in square)"].data == 4.0 and there.root is there.variables["y (in square)"]
    assert "x (in square)" not in after_statements(walked, lines.index(11) + 1).variables
    assert after_statements(walked, lines.index(11) + 1).variables["calls"] == 1


@pytest.mark.parametrize("text", ["y = zzz(2)", "xs = [1]\ny = xs[3]"])
def test_a_program_with_an_error_is_walked_up_to_it(text):
    with pytest.raises(ProgramError) as refusal:
        evaluate("a = 1\nb = [a]\n" + text, record=True)
    assert [step.line for step in refusal.value.evaluation.statements][:2] == [1, 2]
    assert after_statements(refusal.value.evaluation, 2).variables["b"] == [1]


@pytest.mark.long
def test_of_a_long_program_the_first_statements_are_kept_and_all_are_counted():
    walked = evaluate("s = 0\nfor k in range(5000):\n    s = s + k\n", record=True)
    assert (len(walked.statements), walked.n_statements) == (2000, 10_001)
    assert after_statements(walked, 2000).variables["s"] == sum(range(999)) + 999 * (walked.statements[-1].line == 3)


@pytest.mark.long
def test_a_program_that_makes_too_many_values_for_a_walk_runs_all_the_same():
    text = "w = Value(1.0)\nfor k in range(40):\n    s = w\n    for i in range(1000):\n        s = s + w\n"
    walked = evaluate(text, limits=Limits(seconds=600), record=True)
    assert walked.root.data == 1001.0 and 0 < len(walked.statements) < walked.n_statements
    assert after_statements(walked, len(walked.statements)).root is not None


def test_values_made_by_one_statement_again_and_again_keep_their_places():
    walked = evaluate("w = Value(3.0)\nfor k in range(3):\n    loss = w * w\n    w.data -= 1\n", record=True)
    made = [after_statements(walked, 1 + 3 * lap + 2) for lap in range(3)]
    assert [[origin.key for origin in each.origins.values()] for each in made] == [["w", "loss"]] * 3
    assert [each.root.data for each in made] == [9.0, 4.0, 1.0]


@pytest.mark.long
@pytest.mark.parametrize("text", [
    "x = np.linspace(0, 1, 5000)\nfor k in range(900):\n    x = x * 1.01\n",
    "xs = []\nfor k in range(1900):\n    xs.append([k, (k, k)])\n",
    "w = torch.zeros(40, 40)\nfor k in range(200):\n    w = w + 1.0\n",
])  # fmt: skip
def test_large_collections_and_arrays_end_the_walk_and_not_the_program(text):
    walked = evaluate(text, record=True)
    assert 0 < len(walked.statements) < walked.n_statements
    first = evaluate(text.split("\n")[0]).variables
    then = after_statements(walked, 1).variables
    np.testing.assert_equal(
        [*map(np.asarray, map(plain, then.values()))], [*map(np.asarray, map(plain, first.values()))]
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["closures_and_recursion", "operations_as_classes", "special_methods", "containers"])
def test_a_program_that_is_recorded_prints_what_it_prints(name):
    path = PROGRAMS / f"{name}.py"
    text = path.read_text(encoding="utf-8")
    walked = evaluate(text, record=True)
    assert "".join(piece.text for piece in walked.output) == path.with_suffix(".out").read_text(encoding="utf-8")
    for position in {0, 1, len(walked.statements) // 2, len(walked.statements)}:
        after_statements(walked, position)


def test_a_function_that_yields_is_walked_line_by_line():
    text = "def f(n):\n    for i in range(n):\n        yield i * i\ntotal = sum(f(3))\nprint(total)"
    recorded = evaluate(text, record=True)
    assert recorded.output[0].text == "5\n"
    assert [step.line for step in recorded.statements] == [2, 3, 2, 3, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "made",
    ["[double(x) for x in xs]", "{x: double(x) for x in xs}", "[\n    double(x)\n    for x in xs\n]"],
)
def test_a_comprehension_is_one_statement_and_leaves_all_other_names(made):
    loop = "for k in range(2):\n    zs = [k for _ in xs]\n"
    text = f"xs = [1.0, 2.0, 3.0]\ndef double(x):\n    return x + x\nys = {made}\n{loop}"
    ran = evaluate(text, record=True)
    outside = [step for step in ran.statements if not step.function]
    assert [tuple(step.changed) for step in outside if step.line == 4] == [("ys",)]
    head = text.count("\n") - 1
    assert [name for step in outside if step.line >= head for name in step.changed] == ["k", "zs", "k", "zs"]
    for position in range(1, len(ran.statements) + 1):
        assert "xs" in after_statements(ran, position).variables


def test_gradients_that_pile_up_are_those_of_each_line():
    text = "a = Value(2.0)\nfor k in range(2):\n    y = a * 3\n    y.backward()\na.grad = 0.0\n"
    walked = evaluate(text, record=True)
    grads = [after_statements(walked, count).names["a"].known_grad for count in range(1, len(walked.statements) + 1)]
    assert grads == [None, None, None, 3.0, 3.0, 3.0, 6.0, 0.0]
