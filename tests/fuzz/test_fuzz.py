"""A seeded piece of the fuzzing of every target, and that the harness sees what it looks for."""

import logging
import random
import tomllib
from importlib import import_module

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication

from engine.language import ProgramError, evaluate
from engine.lessons.goals import GOALS, Goal
from tests.fuzz import lessons, programs, sessions, watch, window, worker
from tests.fuzz.campaign import readable
from tests.fuzz.shrinking import shrunk
from tests.fuzz.user import User

CASES = {
    "programs": 8,
    "attacks": 6,
    "sessions": 6,
    "tables": 15,
    "lessons": 10,
    "readers": 60,
    "commands": 12,
    "window": 1,
}
"""Number of cases in each of the two parts: about two seconds for a target."""


@pytest.mark.long
@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("name", CASES)
def test_a_seeded_piece_of_the_fuzzing_finds_nothing(name, part, qapp, monkeypatch):
    monkeypatch.setattr(programs, "LAYOUT_SECONDS", 0.1)  # campaigns wait for large ones
    target = import_module(f"tests.fuzz.{name}")
    for seed in range(part * CASES[name], (part + 1) * CASES[name]):
        target.check(worker.made(name, seed))


@pytest.mark.long
@pytest.mark.parametrize("kind", ["mutated", "of_words", "of_any_characters", "repeated", "structured"])
@pytest.mark.parametrize("seed", range(2))
def test_any_text_gives_a_graph_or_an_error_that_can_be_shown(kind, seed):
    chance = random.Random(f"{kind} {seed}")
    for _ in range({"repeated": 15, "structured": 8}.get(kind, 120)):
        programs.check_text(getattr(programs, kind)(chance))


@pytest.mark.long
@pytest.mark.parametrize("part", range(4))
def test_whatever_a_file_holds_it_is_a_session_or_refused_in_one_line(part):
    for seed in range(25 * part, 25 * (part + 1)):
        text = sessions.make(random.Random(seed))
        sessions.check_text(text)


@pytest.mark.parametrize("kind", GOALS)
def test_goals_of_every_kind_are_put_into_lessons(kind):
    for seed in range(20):
        lines = lessons.goal(kind, random.Random(seed))
        assert Goal.checked(tomllib.loads("\n".join(lines))).kind == kind


@pytest.mark.long
def test_most_structured_programs_run_and_half_of_them_differentiate():
    run, differentiated = 0, 0
    for seed in range(20):
        try:
            result = evaluate(programs.structured(random.Random(seed)), programs.RUN_SECONDS)
        except ProgramError:
            continue
        run += 1
        differentiated += any(value.grad for value in result.origins)
    assert run >= 12
    assert differentiated >= 4


def raising():
    raise ValueError("planted")


def taking_memory():
    assert bytearray(worker.LARGEST_GROWTH + 10_000_000)
    return {}


@pytest.mark.parametrize(
    ("check", "kind"), [(raising, "ValueError"), (taking_memory, "memory"), (lambda: {"here": 0.2}, "slow")]
)
def test_a_fault_that_was_planted_is_found(check, kind):
    (finding,) = worker.findings_of(check)
    assert finding["kind"] == kind


@pytest.mark.parametrize(
    "fault", [lambda: 1 / 0, lambda: QPainter().end(), lambda: logging.getLogger("gui").error("planted")]
)
def test_what_goes_wrong_in_the_event_loop_is_found(fault, qapp):
    raised = []
    with watch.Watch() as watched:
        QTimer.singleShot(0, fault)
        try:
            QApplication.processEvents()
        except ZeroDivisionError as error:  # PySide 6.9 hands it to who calls
            raised.append(error)
    assert len([*watched.found, *raised]) == 1


@pytest.mark.slow
def test_the_user_opens_lessons_of_their_own():
    with watch.Watch() as watched, window.opened() as (opened, folder):
        User(opened, folder, watched).do("own_lesson", 0.5, 0.0, 0.5, lessons.SMALLEST)
        assert opened.course.lesson.name == "lessons/own1"
    assert watched.found == []


def test_a_case_shrinks_to_what_makes_it_fail():
    case = {"files": {"a": "long", "b": "text with an x in it"}, "arguments": ["one", "two", "three"]}
    smallest = shrunk(case, lambda c: "x" in c["files"]["b"] and "two" in c["arguments"], lambda: False)
    assert smallest == {"files": {"a": "", "b": "x"}, "arguments": ["two"]}


@pytest.mark.parametrize(
    ("case", "lines"),
    [
        ("a = 1\nb = a", ["'a = 1\\n'", "'b = a'"]),
        ("", ["(an empty text)"]),
        ([["click", 0.5, "x"], ["undo", 0.1, ""]], ["'click' 0.5 'x'", "'undo' 0.1 ''"]),
        (
            {"files": {"a": "1,2"}, "arguments": ["train", "a"]},
            ["files:", "a:", "'1,2'", "arguments:", "'train'", "'a'"],
        ),
    ],
)
def test_a_case_is_printed_line_by_line(case, lines):
    assert [line.strip() for line in readable(case).splitlines()] == lines
