"""Numbers, gradients and names that are shown are those that the program has."""

from pathlib import Path

import pytest

from engine.language import after_statements, evaluate

ACCUMULATED = "a = Value(3.0)\nb = a * 2\nb.backward()\nb = a * 2\nb.backward()\n"
BY_HAND = "a = Value(2.0)\nb = Value(-3.0)\nc = a * b\nc.grad = 1.0\na.grad = 7.0\n"
LOOP_IN_FUNCTION = """
def trace(root):
    nodes = []
    for node in [root]:
        for child in (1, 2):
            nodes.append(child)
    return nodes

a = 2.0
b = -3.0
c = a * b
"""
RANDOM = "import random\nw = Value(random.uniform(-1, 1))\nloss = (w - 0.5) ** 2\n"


def test_gradients_of_two_passes_add_up():
    evaluation = evaluate(ACCUMULATED)
    assert evaluation.names["a"].grad == 4.0


def test_a_gradient_set_by_hand_is_kept_and_others_stay_unknown():
    names = evaluate(BY_HAND).names
    assert (names["a"].grad, names["c"].grad) == (7.0, 1.0)
    assert not names["b"].grad_computed and names["b"].grad == 0.0


@pytest.mark.parametrize(
    "text", ["print(7**400 % 10)", "a = 7**400\nprint(a % 10)", "a = 7\nb = a**400\nprint(b % 10)"]
)
def test_whole_numbers_stay_whole(text):
    assert evaluate(text).output[0].text == "1\n"


@pytest.mark.parametrize("text", ["a = 7**400\n", "a = 7\nb = a**400\n"])
def test_a_whole_number_that_no_float_can_be_is_no_overflow_of_the_program(text):
    (problem,) = evaluate(text).problems
    assert "whole number" in problem.message and "overflow" not in problem.message


def test_a_large_whole_number_keeps_its_last_digit():
    assert evaluate("a = 2**53\nprint(a + 1)").output[0].text == "9007199254740993\n"


def test_a_function_with_a_loop_above_the_leaves_leaves_the_sliders_alone():
    assert [leaf.name for leaf in evaluate(LOOP_IN_FUNCTION).leaves] == ["a", "b"]


def test_random_numbers_without_a_seed_are_said_to_repeat():
    (note,) = evaluate(RANDOM).notes
    assert note.line == 2 and "seed" in note.message
    assert evaluate(RANDOM).names["w"].data == evaluate(RANDOM).names["w"].data
    arrays = "import numpy as np\nprint(np.random.rand(), np.random.default_rng().random())"
    assert evaluate(arrays).output == evaluate(arrays).output
    assert not evaluate("import random\nrandom.seed(3)\n" + RANDOM.split("\n", 1)[1]).notes


def test_values_in_objects_and_lists_are_named_by_where_they_live():
    text = (
        "class Neuron2:\n    def __init__(self):\n        self.w = [Value(0.5), Value(-1.0)]\n"
        "n = Neuron2()\nout = n.w[0] * 2.0 + n.w[1] * 3.0\nout.backward()\n"
    )
    labels = {value.label for value in evaluate(text).origins}
    assert {"n.w[0]", "n.w[1]", "out"} <= labels


def test_a_parameter_that_becomes_a_float_reads_as_a_whole_number_before_that():
    engine = Path(__file__).parent.joinpath("own_engines", "closures.py").read_text(encoding="utf-8")
    ran = evaluate(f"{engine}\nw = Value(3)\ny = w * 2\ny.backward()\nw.data -= 1 * w.grad\nw.data = 4\n", record=True)
    read = []
    for position in range(len(ran.statements) + 1):
        after = after_statements(ran, position)
        if "w" in after.names:
            w = after.names["w"]
            read.append((w.data, w in after.whole_numbers))
    assert list(dict.fromkeys(read)) == [(3.0, True), (1.0, False), (4.0, True)]


def test_whole_numbers_stay_whole_at_the_end_at_moments_and_on_the_walk_by_lines():
    """An engine of the program's own has them as plain numbers do."""
    text = OWN_ENGINE + "a, b = Number(3), Number(2.0)\nc = a * 4\nd = c * b\nd.backward()\n"
    ran = evaluate(text, record=True)
    at_moment, after = ran.moments[0].whole_numbers, after_statements(ran, len(ran.statements))
    assert {value.data for value in ran.whole_numbers if value.label} == {3.0, 12.0}
    assert sorted(value.data for value in at_moment) == [3.0, 4.0, 12.0]
    assert {name for name, value in after.names.items() if value in after.whole_numbers} == {"a", "c"}


OWN_ENGINE = """
class Number:
    def __init__(self, data, inputs=()):
        self.data, self.grad, self.inputs, self._backward = data, 0.0, inputs, lambda: None
    def __mul__(self, other):
        other = other if isinstance(other, Number) else Number(other)
        out = Number(self.data * other.data, (self, other))
        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = _backward
        return out
    def backward(self):
        order, seen = [], set()
        def visit(node):
            if node not in seen:
                seen.add(node)
                for each in node.inputs:
                    visit(each)
                order.append(node)
        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
"""


@pytest.mark.parametrize(
    "line", ["self.place = 3", "self._place = (1, 2)", "def __getattr__(self, name):\n        return {}[name]"]
)
def test_a_learners_own_values_may_have_attributes_of_any_name(line):
    text = (Path(__file__).parent / "own_engines" / "closures.py").read_text(encoding="utf-8")
    if line.startswith("def"):
        text = text.replace("    def __add__(", f"    {line}\n\n    def __add__(")
    else:
        text = text.replace("        self.data = data\n", f"        self.data = data\n        {line}\n", 1)
    evaluation = evaluate(text + "a = Value(2.0)\nb = a * 3\nb.backward()\n")
    assert evaluation.names["a"].grad == 3.0 and evaluation.origins[evaluation.root].line == text.count("\n") + 2
