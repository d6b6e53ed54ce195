"""A training loop whose updates go along the gradient is told so, whoever's engine it is; one that goes down is not."""

from pathlib import Path

import pytest

from engine.language import evaluate

LOOP = """a, b, lr = Value(2.0), Value(-1.0), {rate}
for k in range(4):
    loss = (a - 3)**2 + b*b
    a.grad = b.grad = 0.0
    loss.backward()
    for p in (a, b):
        {update}
"""
RISES = "loss rises from 2 to 4.1472 in 2 steps; to make it fall, "
ADDS = f"adding the gradient climbs: {RISES}subtract it: p.data -= lr * p.grad"
MOVES = f"this moves the data along their gradients, so {RISES}move them the other way: the rate has the wrong sign"


@pytest.mark.parametrize(
    ("rate", "update", "told"),
    [
        (0.1, "p.data += lr * p.grad", [ADDS]),
        (-0.1, "p.data -= lr * p.grad", [MOVES]),
        (0.1, "p.data = p.data + lr * p.grad", [MOVES]),
        (0.1, "p.data -= lr * p.grad", []),
        (-0.1, "p.data += lr * p.grad", []),
        (2.0, "p.data -= lr * p.grad", []),  # too long steps: the loss rises, but not along the gradient
    ],
)
def test_an_update_that_climbs_is_named_at_its_line(rate, update, told):
    notes = evaluate(LOOP.format(rate=rate, update=update)).notes
    assert [(note.line, note.column, note.message) for note in notes] == [(7, 9, message) for message in told]


def test_it_is_named_for_an_engine_of_ones_own_beside_the_check_of_its_rules():
    program = Path(__file__).parents[1] / "programs" / "evening_engine.py"
    wrong = program.read_text(encoding="utf-8").replace("w.data -= 0.1", "w.data += 0.1")
    evaluation = evaluate(wrong)
    assert [note.message for note in evaluation.notes] == [
        "adding the gradient climbs: loss rises from 5.8165 to 102.7252 in 2 steps; to make it fall, subtract it: "
        "w.data -= 0.1 * w.grad"
    ]
    assert all(row.ok for row in evaluation.engine_check)
