"""Parts of the guest that need no sandbox: names in a text, and notes."""

import ast

import pytest

from engine.language.guest import notes
from engine.language.guest.bindings import bindings


def at(text, span):
    line, column, end_line, end_column = span
    lines = text.split("\n")[line - 1 : end_line]
    lines[-1] = lines[-1][: end_column - 1]
    return "\n".join(lines)[column - 1 :]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a = 2.0", [("a", "2.0", 2.0)]),
        ("a = b = -3", [("a", "-3", -3.0), ("b", "-3", -3.0)]),
        ("é, (b, c) = Value(1.5), [2, f(3)]", [("é", "1.5", 1.5), ("b", "2", 2.0), ("c", None, None)]),
        ("a, b = f()", []),
        ("xs[0] = p.data = 2.0", []),
        ("rate: float = +0.5\nn: int", [("rate", "+0.5", 0.5)]),
        ("a += 2", [("a", "2", 2.0)]),
        ("w = torch.tensor([2.0]).double()", [("w", "2.0", 2.0)]),
        ("w = Value(data=7, label='w')\nv = Value()", [("w", "7", 7.0), ("v", None, None)]),
        (
            "w = np.array([1.0, 2.0])\nv = round(2.5)\nu = f()(3)",
            [("w", None, None), ("v", None, None), ("u", None, None)],
        ),
        ("w = Value(x)\nv = -x", [("w", None, None), ("v", None, None)]),
        (f"big = {'9' * 400}", [("big", None, None)]),
        ("def f():\n    a = 1\nclass A:\n    b = 2\n", []),
        (
            "try:\n    a = 1\nexcept E:\n    b = 2\nfinally:\n    c = 3",
            [("a", "1", 1.0), ("c", "3", 3.0), ("b", "2", 2.0)],
        ),
        ("match x:\n    case 1:\n        a = 1\n", [("a", "1", 1.0)]),
    ],
)
def test_names_are_found_with_the_numbers_that_are_written_for_them(text, found):
    names = bindings(ast.parse(text), text)
    assert [(each["name"], each["number"] and at(text, each["number"]), each["written"]) for each in names] == found
    assert not any(each["in_loop"] for each in names)


def test_names_bound_in_a_loop_are_marked_and_an_update_has_the_place_of_its_statement():
    text = "a = 1\nfor k in range(3):\n    if k:\n        b = 2\n    a *= b\nwhile a:\n    pass\nelse:\n    c = 3\n"
    names = bindings(ast.parse(text), text)
    assert [(each["name"], each["in_loop"]) for each in names] == [("a", False), ("b", True), ("a", True), ("c", True)]
    assert [at(text, each["value"]) for each in names] == ["1", "2", "a *= b", "3"]
    assert at(text, names[0]["statement"]) == "a = 1"


def test_a_note_is_given_once():
    notes.clear()
    for line in (3, 5):
        notes.note("twice", line)
    notes.note("of no line")
    assert notes.report() == [("twice", 3), ("of no line", 0)]
    notes.clear()
    assert notes.report() == []
