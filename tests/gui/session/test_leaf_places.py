"""Sliders find their numbers in a text that is newer than the program that is known."""

import pytest

from engine.language import evaluate
from gui.session.programs import leaves_in, same_but_for_numbers


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = 2.0\nb = 1\nc = a * b", "a = -2.5e-3\nb = 12.25\nc = a * b"),
        ("a = 2; b = 1.0\nc = a * b", "a = 200; b = -.5\nc = a * b"),
        ("x1 = 1.5\nx2 = -3\ny = x1 * 2 + x2", "x1 = -0.25\nx2 = 30.5\ny = x1 * 2 + x2"),
        ("a = Value(2.0, label='a1')\nb = a * 3", "a = Value(-14.0, label='a1')\nb = a * 3"),
    ],
)
def test_each_number_is_found_where_it_stands_in_the_newer_text(before, after):
    assert same_but_for_numbers(before, after)
    moved, true = leaves_in(after, evaluate(before).leaves, before), evaluate(after).leaves
    assert [(leaf.key, leaf.number, leaf.start, leaf.end) for leaf in moved] == [
        (leaf.key, leaf.number, leaf.start, leaf.end) for leaf in true
    ]


@pytest.mark.parametrize("after", ["a = 2.0\nc = 1", "a = 2.0 # b\nb = 1", "a = 2.0\n\nb = 1", "a1 = 2.0\nb = 1"])
def test_a_text_that_differs_otherwise_is_another_program(after):
    assert not same_but_for_numbers("a = 2.0\nb = 1", after)


def test_a_number_that_is_written_otherwise_stays_what_it_is():
    before = "a = 0x10\nb = 2.0\nc = a * b"
    leaves = evaluate(before).leaves
    moved = leaves_in(before.replace("2.0", "30.5"), leaves, before)
    assert [(leaf.name, leaf.number) for leaf in moved] == [("a", leaves[0].number), ("b", 30.5)]
