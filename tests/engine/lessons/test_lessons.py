"""The lessons that come with the program: each step is played, the mistakes and the solutions of its author."""

import re
from pathlib import Path

import pytest

from engine.lessons import read_folder
from engine.lessons.rehearsal import rehearse

LESSONS, ERRORS = read_folder(Path(__file__).resolve().parents[3] / "resources" / "lessons")


def test_every_file_is_a_lesson():
    assert ERRORS == ()
    assert len({lesson.order for lesson in LESSONS}) == len(LESSONS)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_goal_is_met_by_its_solution_alone(lesson):
    assert list(rehearse(lesson)) == []


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_has_a_prediction_something_to_break_and_a_question(lesson):
    kinds = [step.goal.kind for step in lesson.steps if step.goal is not None]
    assert "answer" in kinds
    assert any("Break it" in step.title for step in lesson.steps)
    assert any(
        "predict" in f"{step.title} {step.text}".lower() or "before you" in step.text.lower() for step in lesson.steps
    )


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_code_in_questions_choices_and_hints_is_marked_so_that_paper_shows_all_of_it(lesson):
    for step in lesson.steps:
        texts = list(step.hints)
        if step.goal is not None:
            texts += [step.goal.fields.get("question", ""), *(says for _, says in step.goal.wrong)]
            texts += [choice["text"] for choice in step.goal.fields.get("choices", ())]
        for text in texts:
            assert not re.search(r"__\w|\w\*+\w", re.sub(r"`[^`]*`", "", text)), text
