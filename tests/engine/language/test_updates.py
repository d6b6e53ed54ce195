"""An update that moves nothing, or gives a name to another value, is told so at its line."""

import pytest

from engine.language import evaluate
from engine.language.updates import NOTHING, RENAMES

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
    ],
)
def test_an_update_that_is_none_is_named_at_its_line(update, told):
    notes = evaluate(LOOP.format(update=update)).notes
    assert [(note.line, note.column, note.message) for note in notes] == [(6, *each) for each in told]


def test_a_name_that_is_given_a_new_value_is_shown_the_line_that_moves_the_old_one():
    notes = evaluate(LOOP.format(update="a = a - 0.1 * a.grad")).notes
    assert [note.message for note in notes] == [RENAMES.format(name="a", mended="a.data -= lr * a.grad")]
