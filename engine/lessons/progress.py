"""A learner's progress in lessons, and the examples that were opened, kept in one small JSON file.

A damaged or foreign file is an empty progress: it never keeps the program from starting, and is replaced with the next
goal that is met.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.document import fields
from engine.file_access import FileProblem, make_private_folder, write_atomically
from engine.lessons.lesson_file import MOST_STEPS, Lesson
from engine.session_file.files import read_text

FORMAT = 1
MOST_LESSONS = MOST_EXAMPLES = 1000


@dataclass(frozen=True, slots=True)
class LessonProgress:
    """Progress in one lesson.

    Attributes:
        digest: of the lesson's text; steps of another text may be others.
        beginning: `Lesson.beginning` when the learner last opened it; "" where that is not known.
        step: index of the step that is open.
        met: indices of the steps whose goal was met.
        skipped: indices of the steps that the learner went past.
    """

    digest: str
    step: int = 0
    met: frozenset[int] = frozenset()
    skipped: frozenset[int] = frozenset()
    beginning: str = ""

    def is_done(self, lesson: Lesson) -> bool:
        """Return True when every goal of the lesson was met."""
        return all(step.goal is None or index in self.met for index, step in enumerate(lesson.steps))


def progress_in(lesson: Lesson, kept: Mapping[str, LessonProgress]) -> LessonProgress:
    """Return the kept progress in a lesson; from the beginning, but with its goals, where the text is another one.

    Goals of steps that the lesson no longer has are dropped.
    """
    progress = kept.get(lesson.name, LessonProgress(lesson.digest))
    steps = range(len(lesson.steps))
    same = progress.digest == lesson.digest
    return replace(
        progress,
        digest=lesson.digest,
        step=progress.step if same and progress.step in steps else 0,
        met=progress.met & frozenset(steps),
        skipped=progress.skipped & frozenset(steps),
    )


_indices = fields.sequence(fields.integer(0, MOST_STEPS - 1), 0, MOST_STEPS)
_names = fields.sequence(fields.text(200), 0, MOST_EXAMPLES)
_rules: Mapping[str, fields.Rule] = {
    "digest": fields.text(64),
    "beginning": fields.text(64),
    "step": fields.integer(0, MOST_STEPS - 1),
    "met": lambda value: frozenset(_indices(value)),
    "skipped": lambda value: frozenset(_indices(value)),
}


def read_progress(path: Path) -> dict[str, LessonProgress]:
    """Return the progress by lesson; of a file that cannot be read, nothing, and of a damaged entry nothing either."""
    try:
        entries = list(_content(path)["lessons"].items())[:MOST_LESSONS]
    except (LookupError, TypeError, AttributeError):
        return {}
    progress = {}
    for name, entry in entries:
        try:
            entry = {"beginning": "", **entry}  # earlier versions did not write it
            progress[name] = LessonProgress(**{key: rule(entry[key]) for key, rule in _rules.items()})
        except (ValueError, LookupError, TypeError):
            continue
    return progress


def read_opened(path: Path) -> frozenset[str]:
    """Return the names of the examples that were opened; nothing of a file that cannot be read."""
    try:
        return frozenset(_names(_content(path)["examples"]))
    except (LookupError, TypeError, ValueError):
        return frozenset()


def _content(path: Path) -> dict[str, Any]:
    """Return the content of the file; empty where it cannot be read, or is of another format."""
    try:
        content = json.loads(read_text(path))
    except (OSError, FileProblem, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) and content.get("format") == FORMAT else {}


def write_progress(path: Path, progress: Mapping[str, LessonProgress], opened: Collection[str] = ()) -> None:
    """Write the progress of all lessons, and the names of the examples that were opened, in one step.

    Raises:
        OSError: when it cannot be written; the file is the old one then.
    """
    lessons = {
        name: {
            "digest": each.digest, "beginning": each.beginning, "step": each.step, "met": sorted(each.met),
            "skipped": sorted(each.skipped),
        }
        for name, each in sorted(progress.items())
    }  # fmt: skip
    make_private_folder(path.parent)
    content = {"format": FORMAT, "lessons": lessons, "examples": sorted(opened)[:MOST_EXAMPLES]}
    write_atomically(path, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode(), private=True)
