"""A session under version control: an edit changes the lines that it is about, and nothing else ever differs."""

import difflib
import re

import pytest

from engine.document import Document, replace_section
from engine.document.frozen_floats import FrozenFloats
from engine.session_file import from_json, to_json

PROGRAM = "".join(f"a{n} = {n}.0\n" for n in range(40))
POINTS = tuple((n / 7, -n / 3, n % 2) for n in range(20))
SESSION = replace_section(Document(), "expression", text=PROGRAM)


def changed_lines(before, after):
    """(lines removed, lines added) between the files of two documents."""
    lines = list(difflib.ndiff(to_json(before).splitlines(), to_json(after).splitlines()))
    return sum(line[0] == "-" for line in lines), sum(line[0] == "+" for line in lines)


@pytest.mark.parametrize(
    ("section", "changes", "lines"),
    [
        ("expression", {"text": PROGRAM.replace("a7 = 7.0", "a7 = 7.5")}, (1, 1)),
        ("expression", {"text": PROGRAM.replace("a7 = 7.0\n", "")}, (1, 0)),
        ("training", {"learning_rate": 0.1}, (1, 1)),
        ("network", {"seed": 3}, (1, 1)),
        ("network", {"layer_sizes": (2, 5, 5, 1)}, (1, 1)),
        ("data", {"noise": 0.25}, (1, 1)),
        ("data", {"points": (*POINTS[:7], (9.0, 9.0, 1), *POINTS[8:])}, (1, 1)),
        ("view", {"moved": {"o": (1.5, -2.0), "n": (3.0, 4.0)}}, (0, 1)),
        ("trained", {"curves": {"accuracy": FrozenFloats([0.0, 0.5]), "lr": FrozenFloats([0.0, 0.1])}}, (1, 1)),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else None,
)
def test_an_edit_changes_its_own_lines_only(section, changes, lines):
    before = replace_section(SESSION, "data", points=POINTS)
    before = replace_section(before, "view", moved={"o": (1.5, -2.0)})
    before = replace_section(before, "trained", curves={"accuracy": FrozenFloats([0.0, 0.5])})
    removed, added = changed_lines(before, replace_section(before, section, **changes))
    assert removed <= lines[0] + 1 and added <= lines[1] + 1 and (removed, added) != (0, 0)
    assert abs(removed - lines[0]) + abs(added - lines[1]) <= 2  # a comma after the neighbour


@pytest.mark.parametrize("text", ["", "\n", "a = 1", "a = 1\n\n", "a\r\nb\rc\n", 'é "x" \\n \u2028 \t'])
def test_every_program_comes_back_to_the_letter(text):
    document = replace_section(Document(), "expression", text=text)
    assert from_json(to_json(document)) == document


def test_a_session_of_version_4_has_its_program_as_one_text():
    text = '{"gradstep": 4, "expression": {"text": "a = 1.0\\nb = a*2"}}'
    assert from_json(text).expression.text == "a = 1.0\nb = a*2"


def test_a_file_read_and_written_again_is_the_same_to_the_letter():
    text = to_json(SESSION)
    assert to_json(from_json(text)) == text
    assert not re.search(r"\d{4}-\d\d-\d\d|/home|/tmp", text)
