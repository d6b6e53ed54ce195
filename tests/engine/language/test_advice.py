"""Programs that run and do something else than they seem to get a note at the line, and others get none."""

from pathlib import Path

import pytest

from engine.language import evaluate

CLIMBING = """a, b, lr = Value(2.0), Value(-1.0), {rate}
for k in range({steps}):
    loss = (a - 3)**2 + b*b
    a.grad = b.grad = 0.0
    loss.backward()
    for p in (a, b):
        {update}
"""
STAYING = """a = Value(2.0)
for k in range(4):
    loss = (a - 3)**2
    a.grad = 0.0
    loss.backward()
    {update}
"""


def noted(text):
    return [(note.line, note.column, note.message) for note in evaluate(text).notes]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rate", "update", "words"),
    [
        (
            0.1,
            "p.data += lr * p.grad",
            "climbs: loss rises from 2 to 4.1472 in 2 steps. To lower it, write p.data -=",
        ),
        (-0.1, "p.data -= lr * p.grad", "loss rises from 2 to 4.1472 in 2 steps"),
        (0.1, "p.data = p.data + lr * p.grad", "loss rises from 2 to 4.1472 in 2 steps"),
        (0.1, "p.data -= lr * p.grad", None),
        (-0.1, "p.data += lr * p.grad", None),
        (2.0, "p.data -= lr * p.grad", None),  # too long steps: the loss rises, but not along the gradient
    ],
)
@pytest.mark.parametrize("steps", [4, 300])  # of a long loop not every pass is kept
def test_an_update_that_climbs_is_named_at_its_line(rate, update, words, steps):
    notes = noted(CLIMBING.format(rate=rate, update=update, steps=steps))
    assert [note[:2] for note in notes] == ([(7, 9)] if words else [])
    assert not words or words in notes[0][2]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("loss.backward()", "loss"),
        ("a.data.__float__(); loss.backward()", "loss"),
        ("((a - 3)**2 + b*b).backward()", "the output"),
    ],
)
def test_the_output_that_climbs_is_called_as_the_program_calls_it(line, named):
    text = CLIMBING.format(rate=0.1, update="p.data += lr * p.grad", steps=4).replace("loss.backward()", line)
    assert f"climbs: {named} rises from 2 to 4.1472" in noted(text)[0][2]


def test_it_is_named_for_an_engine_of_ones_own_beside_the_check_of_its_rules():
    program = Path(__file__).parent / "programs" / "evening_engine.py"
    text = program.read_text(encoding="utf-8").replace("w.data -= 0.1", "w.data += 0.1")
    evaluation = evaluate(text)
    (note,) = evaluation.notes
    assert "climbs: loss rises" in note.message and "w.data +=" in text.splitlines()[note.line - 1]
    assert all(row.ok for row in evaluation.engine_check)


@pytest.mark.parametrize(
    ("update", "column", "words"),
    [
        ("a.data -= 0.1 * a.grad", 0, ""),
        ("a.data -= 0.0 * a.grad", 5, "This changes nothing"),
        ("a.grad = 0.0; a.data -= 0.1 * a.grad", 19, "This changes nothing"),
        ("a -= 0.1 * a.grad", 5, "write a.data -= 0.1 * a.grad"),
        ("a = a - 0.1 * a.grad", 5, "write a.data -= lr * a.grad"),
        ("print(a.grad)", 0, ""),
        ("a.data = -0.1 * a.grad", 5, "write a.data -= 0.1 * a.grad"),
        ("a.data = (a.data - 0.1 * a.grad) * 1.0", 0, ""),
        ("a.data =- 0.1 * a.grad", 5, "write a.data -= 0.1 * a.grad"),
        ("a.data =+ -0.1 * a.grad", 5, "write a.data += -0.1 * a.grad"),
        ("a.data = a.data -0.1 * a.grad", 0, ""),
    ],
)
def test_an_update_that_is_none_is_named_at_its_line(update, column, words):
    notes = noted(STAYING.format(update=update))
    assert [note[:2] for note in notes] == ([(6, column)] if column else [])
    assert not notes or words in notes[0][2].replace("Write", "write")


def test_a_loss_that_is_computed_before_the_loop_is_named_at_the_update_that_does_not_reach_it():
    text = "a = Value(2.0)\nloss = a * a\nfor k in range(4):\n    {}loss.backward()\n    a.data -= 0.1 * a.grad\n"
    ((line, _column, words),) = noted(text.format(""))
    assert line == 5 and "loss stays 4: some of its values were computed before the loop" in words
    assert noted(text.format("loss = a * a; ")) == []


def test_numbers_that_a_loop_counts_with_the_sign_on_the_wrong_side_are_named():
    assert [note[:2] for note in noted("i = 0\nfor k in range(3):\n    i =+ 1\n")] == [(3, 5)]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("loss.backward", "loss.backward()"),
        ("loss.backward(); a.data == a.data - a.grad", "a.data = a.data - a.grad"),
        ("loss.backward(); a.data < 3", "comparison"),
        ("loss.backward(); loss.tanh", "loss.tanh()"),
        ("loss.backward(); a * 3", "give it a name"),
        ("loss.backward(); a.grad", None),
    ],
)
def test_a_statement_that_does_nothing_is_named_at_its_line(line, words):
    notes = noted(f"a = Value(2.0)\nloss = a**2\nfor k in range(2):\n    {line}\n")
    assert [note[0] for note in notes] == ([4] if words else [])
    assert not words or words in notes[0][2]
    assert noted("a = Value(2.0)\na.data == 2.0\n") == []  # the last line is shown


@pytest.mark.parametrize(
    ("text", "column"), [("a = 3,14", 5), ("größe = 3,14", 9), ("a = 3, 14", 0), ("a = 1,2,3", 0), ("a, b = 1,2", 0)]
)
def test_a_decimal_comma_is_named(text, column):
    assert [note[1] for note in noted(text)] == ([column] if column else [])
    assert any(isinstance(each, tuple) for each in evaluate(text).variables.values()) or text.startswith("a, b")


def test_a_decimal_comma_is_named_where_it_is_added():
    assert noted("a = Value(1.0)\na += 1,000")[0][:2] == (2, 6)


OWN = """class Value:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0
    def __mul__(self, other):
        out = Value(self.data * other.data)
        def _backward():
            self.{name} += other.data * out.grad
        out._backward = _backward
        return out
    def backward(self):
        self.grad = 1.0
        self._backward()
a = Value(2.0)
(a * Value(3.0)).backward()
"""


def test_an_attribute_that_nothing_reads_and_is_nearly_called_like_another_is_named():
    text = OWN.format(name="grad").replace("self.grad = 1.0", "self.gard = 1.0")
    assert [note[0] for note in noted(text) if ".gard" in note[2] and ".grad" in note[2]] == [12]
    assert not [note for note in noted(OWN.format(name="grad")) if "did you mean" in note[2]]


def test_a_loop_that_trains_arrays_of_ones_own_engine_is_not_said_to_change_nothing():
    text = """
import numpy as np
class T:
    def __init__(self, data, prev=(), rule=None):
        self.data, self.grad, self.prev, self.rule = np.asarray(data, dtype=float), 0.0, prev, rule
    def __mul__(self, o): return T(self.data * o.data, (self, o), lambda g: (g * o.data, g * self.data))
    def sum(self): return T(self.data.sum(), (self,), lambda g: (g * np.ones_like(self.data),))
    def backward(self, g=1.0):
        self.grad = self.grad + g
        if self.rule:
            for p, part in zip(self.prev, self.rule(g)):
                p.backward(part)
w = T([1.0, 2.0])
for step in range(3):
    w.grad = 0.0
    loss = (w * w).sum() * T(0.5)
    loss.backward()
    w.data = w.data - 0.1 * w.grad
"""
    assert [note.message for note in evaluate(text).notes if "nothing" in note.message] == []
