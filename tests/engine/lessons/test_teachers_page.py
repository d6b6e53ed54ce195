"""The page "Write a lesson" of CONTRIBUTING.md: its lesson works, and its tables are those of the code."""

import re
import tomllib
from pathlib import Path

import pytest

from engine.lessons.actions import ACTIONS, checked_actions
from engine.lessons.controls import CONTROLS
from engine.lessons.goals import GOALS
from engine.lessons.lesson_file import parse_lesson
from engine.lessons.rehearsal import rehearse

PAGE = (Path(__file__).resolve().parents[3] / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGE = PAGE[PAGE.index("## Write a lesson") : PAGE.index("\n## Habits")]
LESSON = re.search(r"^````markdown\n(.*?)^````$", PAGE, re.MULTILINE | re.DOTALL)[1]
NUMBER = ("is", "within", "above", "below")


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table that has this first heading, without its heading."""
    lines = PAGE[PAGE.index(f"\n| {heading} |") + 1 :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def names(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


def test_the_lesson_of_the_page_works():
    lesson = parse_lesson(LESSON, "product.md")
    assert list(rehearse(lesson)) == []
    assert [step.goal.kind for step in lesson.steps if step.goal] == ["predicted", "nudged", "answer"]


def test_the_settings_of_the_page_are_a_network():
    settings = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1]
    text = LESSON.replace('"why"]\n+++', f'"why"]\n\n{settings}+++')
    assert parse_lesson(text, "x.md").document.data.name == "xor"


def test_the_table_of_goals_has_every_kind_with_its_fields():
    table = rows("kind")
    assert [names(row[0])[0] for row in table] == list(GOALS)
    for kind, fields, _met in table:
        written = {*names(fields), *(NUMBER if "number" in fields else ())}
        assert written == set(GOALS[names(kind)[0]].fields), kind


def test_the_kinds_that_take_wrong_numbers_are_named():
    named = re.search(r"The kinds (.*?) take `wrong", PAGE, re.DOTALL)[1]
    assert names(named) == [kind for kind, entry in GOALS.items() if entry.takes_wrong]


def test_the_table_of_actions_has_every_action_with_an_example_that_is_right():
    table = rows("action")
    assert [names(row[0])[0] for row in table] == list(ACTIONS)
    for action, example, _done in table:
        actions = checked_actions(tomllib.loads(example.strip("`")))
        assert [name for name, _ in actions] == names(action)
        assert ACTIONS[actions[0][0]].words(actions[0][1])


@pytest.mark.parametrize("name", names(re.search(r"such as\n(.*?)\. A\nlesson", PAGE, re.DOTALL)[1]))
def test_the_controls_of_the_page_exist(name):
    assert name in CONTROLS
