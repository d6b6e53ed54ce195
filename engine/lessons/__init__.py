"""Lessons: Markdown files whose goals are read from the state of the program.

`lesson_file.read_lesson` reads and checks a file, `goals.GOALS` is the table of the kinds of goals, `state.LessonState`
the facts that goals read, and `actions.ACTIONS` the table of what a solution does. To add a kind of goal or an action,
add an entry to its table.
"""

from engine.lessons.goals import GOALS, Finding, Goal
from engine.lessons.lesson_file import Lesson, LessonError, Step, lesson_called, read_folder, read_lesson
from engine.lessons.state import LessonState

__all__ = [
    "GOALS",
    "Finding",
    "Goal",
    "Lesson",
    "LessonError",
    "LessonState",
    "Step",
    "lesson_called",
    "read_folder",
    "read_lesson",
]
