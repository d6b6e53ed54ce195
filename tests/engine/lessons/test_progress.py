"""Progress in lessons: it is kept, belongs to a text, and a damaged file is an empty one."""

import json

import pytest

from engine.lessons.lesson_file import parse_lesson
from engine.lessons.progress import LessonProgress, progress_in, read_opened, read_progress, write_progress
from tests.engine.lessons.lesson_texts import LESSON

KEPT = LessonProgress("abc", step=2, met=frozenset({0, 2}), skipped=frozenset({1}))


def test_progress_comes_back_as_it_was_written(tmp_path):
    path = tmp_path / "new" / "progress.json"
    write_progress(path, {"06_why": KEPT, "é": LessonProgress("x")})
    assert read_progress(path) == {"06_why": KEPT, "é": LessonProgress("x")}
    assert read_opened(path) == frozenset()
    write_progress(path, {"06_why": KEPT}, opened={"A13", "C1"})
    assert (read_progress(path), read_opened(path)) == ({"06_why": KEPT}, {"A13", "C1"})


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b'{"format": 2, "lessons": {}}',
        b'{"format": 1, "lessons": []}',
        b'{"format": 1, "lessons": {}, "examples": [1]}',
        b"[" * 10_000,
    ],
)
def test_a_damaged_file_is_an_empty_progress(tmp_path, content):
    path = tmp_path / "progress.json"
    path.write_bytes(content)
    assert (read_progress(path), read_opened(path)) == ({}, frozenset())


@pytest.mark.parametrize(("key", "value"), [("step", -1), ("step", "2"), ("met", [99]), ("met", 1), ("digest", None)])
def test_a_damaged_entry_loses_itself_alone(tmp_path, key, value):
    path = tmp_path / "progress.json"
    write_progress(path, {"a": KEPT, "b": KEPT})
    content = json.loads(path.read_text())
    content["lessons"]["a"][key] = value
    path.write_text(json.dumps(content))
    assert read_progress(path) == {"b": KEPT}


def test_goals_stay_met_when_the_text_of_a_lesson_changes_and_it_begins_again():
    lesson = parse_lesson(LESSON, "06_why.md")
    kept = {lesson.name: LessonProgress("another text", step=3, met=frozenset({1, 2, 30}))}
    found = progress_in(lesson, kept)
    assert (found.step, found.met, found.digest) == (0, {1, 2}, lesson.digest)


def test_a_lesson_is_done_when_all_its_goals_are_met():
    lesson = parse_lesson(LESSON, "06_why.md")
    goals = frozenset(index for index, step in enumerate(lesson.steps) if step.goal is not None)
    assert LessonProgress(lesson.digest, met=goals).is_done(lesson)
    assert not LessonProgress(lesson.digest, met=goals - {1}).is_done(lesson)
