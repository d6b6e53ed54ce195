"""An update that moves nothing, or gives a name to another value, is told so at its line."""

import pytest

from engine.language import evaluate
from engine.language.advice.idle_statements import COMPARES, EQUALS, NO_PASS, NOT_CALLED
from engine.language.advice.updates import NOTHING, RENAMES

LOOP = """a = Value(2.0)
for k in range(4):
    loss = (a - 3)**2
    a.grad = 0.0
    loss.backward()
    {update}
"""
MOVES_A_NAME = RENAMES.format(name="a", mended="a.data -= 0.1 * a.grad")


@pytest.mark.parametrize(
    ("update", "told"),
    [
        ("a.data -= 0.1 * a.grad", []),
        ("a.data -= 0.0 * a.grad", [(5, NOTHING)]),
        ("a.grad = 0.0; a.data -= 0.1 * a.grad", [(19, NOTHING)]),
        ("a -= 0.1 * a.grad", [(5, MOVES_A_NAME)]),
        ("with torch.no_grad(): a -= 0.1 * a.grad", []),
        ("print(a.grad)", []),
        (
            "a.data =- 0.1 * a.grad",
            [
                (
                    5,
                    "=- puts -0.1 * a.grad in a.data, it takes nothing from what was there: "
                    "write a.data -= 0.1 * a.grad",
                )
            ],
        ),
        (
            "a.data =+ -0.1 * a.grad",
            [(5, "=+ puts +-0.1 * a.grad in a.data, it adds nothing to what was there: write a.data += -0.1 * a.grad")],
        ),
        ("a.data = a.data -0.1 * a.grad", []),
    ],
)
def test_an_update_that_is_none_is_named_at_its_line(update, told):
    notes = evaluate(LOOP.format(update=update)).notes
    assert [(note.line, note.column, note.message) for note in notes] == [(6, *each) for each in told]


def test_a_name_that_is_given_a_new_value_is_shown_the_line_that_moves_the_old_one():
    notes = evaluate(LOOP.format(update="a = a - 0.1 * a.grad")).notes
    assert [note.message for note in notes] == [RENAMES.format(name="a", mended="a.data -= lr * a.grad")]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("loss.backward", NO_PASS.format(text="loss.backward")),
        (
            "loss.backward(); a.data == a.data - a.grad",
            EQUALS.format(target="a.data", text="a.data - a.grad"),
        ),
        ("loss.backward(); a.data < 3", COMPARES),
        ("loss.backward(); loss.tanh", NOT_CALLED.format(text="loss.tanh")),
        ("loss.backward(); a.grad", None),
    ],
)
def test_a_statement_that_does_nothing_is_named_at_its_line(line, told):
    notes = evaluate(f"a = Value(2.0)\nloss = a**2\nfor k in range(2):\n    {line}\n").notes
    assert [(note.line, note.message) for note in notes] == ([] if told is None else [(4, told)])
    assert evaluate("a = Value(2.0)\na.data == 2.0\n").notes == []  # the last line is shown
