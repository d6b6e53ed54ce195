"""`lessons list` and `lessons check`, and the lesson that `lessons print` is asked for."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.inputs import WrongUse
from engine.messages import did_you_mean, quoted
from engine.terminal import say, say_error

if TYPE_CHECKING:
    from engine.lessons.lesson_file import Lesson


def list_lessons(options: argparse.Namespace) -> int:
    """Print number, title, minutes and summary of each lesson of a folder, or of Gradstep's own; 1 for bad files."""
    from engine.lessons.lesson_file import OWN_LESSONS, read_folder

    folder = options.folder or OWN_LESSONS
    _check_folder(folder)
    lessons, errors = read_folder(folder)
    width = max((len(lesson.title) for lesson in lessons), default=0)
    for number, lesson in enumerate(lessons, start=1):
        say(f"{number:>3}  {lesson.title:<{width}}  {lesson.minutes:>2} min  {lesson.summary}".rstrip())
    for error in errors:
        say_error(str(error))
    if not lessons and not errors:
        raise WrongUse(f"{folder} has no lessons (*.md)")
    return 1 if errors else 0


def check_lessons(options: argparse.Namespace) -> int:
    """Read lessons and play every step of them; print each error with its file and line, and at the end the counts."""
    from engine.autograd.notation import counted
    from engine.lessons.lesson_file import OWN_LESSONS, examine_file
    from engine.lessons.rehearsal import rehearse

    counts = {"lesson": 0, "step": 0, "goal": 0, "error": 0}
    for path in _named_files(options.files or [OWN_LESSONS]):
        lesson, errors = examine_file(path)
        faults = [(error.line, error.reason) for error in errors]
        if lesson is not None:
            counts["step"] += len(lesson.steps)
            counts["goal"] += sum(step.goal is not None for step in lesson.steps)
            faults = list(rehearse(lesson))
        for line, reason in faults:
            say(f"{path}:{line}: {reason}")
        counts["lesson"] += 1
        counts["error"] += len(faults)
    say(", ".join(counted(count, thing) for thing, count in counts.items()))
    return 1 if counts["error"] else 0


def _named_files(named: list[Path]) -> list[Path]:
    """Return the files that are named, and those of the folders that are named."""
    from engine.lessons.lesson_file import MOST_LESSONS, LessonError, lesson_files

    found: list[Path] = []
    for path in named:
        if not path.is_dir():
            if not path.exists():
                raise WrongUse(f"{path}: there is no such file or folder")
            found.append(path)
            continue
        try:
            inside = lesson_files(path)
        except LessonError as error:
            raise WrongUse(f"{path}: {error.reason}") from None
        if not inside:
            raise WrongUse(f"{path} has no lessons (*.md)")
        if len(inside) > MOST_LESSONS:
            raise WrongUse(f"{path} has {len(inside):,} lessons; a folder has at most {MOST_LESSONS}")
        found += inside
    return found


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise WrongUse(f"{folder} is no folder" if folder.exists() else f"{folder}: there is no such folder")


def chosen_lesson(name: str) -> tuple[Lesson, Path]:
    """Return the lesson of a file, or one of Gradstep's own by number, name or title, and the path of its file."""
    from engine.lessons.lesson_file import OWN_LESSONS, LessonError, lesson_called, read_folder, read_lesson

    path = Path(name)
    if path.is_file() or path.suffix == ".md":
        try:
            return read_lesson(path), path
        except LessonError as error:
            raise WrongUse(f"{path}:{error.line}: {error.reason}") from None
    lessons = read_folder(OWN_LESSONS)[0]
    lesson = lesson_called(name, lessons)
    if lesson is None:
        known = did_you_mean(name, [word for each in lessons for word in (each.name, each.title)])
        raise WrongUse(f"there is no lesson {quoted(name)}{known} (`lessons list` shows all; or name a file)")
    return lesson, OWN_LESSONS / f"{lesson.name}.md"


def list_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lessons list`."""
    parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="folder of lessons (Gradstep's own)")


def check_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lessons check`."""
    words = "lesson (.md), or a folder of lessons (Gradstep's own)"
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help=words)
