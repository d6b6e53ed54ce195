"""`lessons list` and `lessons check`, and the lesson that `lessons print` is asked for."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.command import DONE, FAILED, LESSON, Command, Completion, WrongUse, completed_by
from engine.commands.json_output import error_object, keys, say_json
from engine.messages import did_you_mean, quoted
from engine.terminal import Progress, say, say_error

if TYPE_CHECKING:
    from engine.lessons.lesson_file import Lesson


def list_lessons(options: argparse.Namespace) -> int:
    """Print number, title, minutes and summary of each lesson of a folder, or of Gradstep's own; 1 for bad files."""
    from engine.lessons.lesson_file import OWN_LESSONS, read_folder

    folder = options.folder or OWN_LESSONS
    _check_folder(folder)
    lessons, errors = read_folder(folder)
    for error in errors:
        say_error(str(error))
    if not lessons and not errors:
        raise WrongUse(f"{folder} has no lessons (*.md)")
    if options.json:
        fields = ("name", "title", "minutes", "summary")
        objects = [
            {"number": number, **{field: getattr(lesson, field) for field in fields}}
            for number, lesson in enumerate(lessons, start=1)
        ]
        faults = [{"file": error.file, "line": error.line, "message": error.reason} for error in errors]
        say_json(not errors, error_object(str(errors[0])) if errors else None, lessons=objects, faults=faults)
        return FAILED if errors else DONE
    width = max((len(lesson.title) for lesson in lessons), default=0)
    for number, lesson in enumerate(lessons, start=1):
        say(f"{number:>3}  {lesson.title:<{width}}  {lesson.minutes:>2} min  {lesson.summary}".rstrip())
    return FAILED if errors else DONE


def check_lessons(options: argparse.Namespace) -> int:
    """Read lessons and play every step of them; print each error with its file and line, and at the end the counts."""
    from engine.autograd.notation import counted
    from engine.lessons.lesson_file import OWN_LESSONS, examine_file
    from engine.lessons.rehearsal import rehearse

    counts = {"lesson": 0, "step": 0, "goal": 0, "error": 0}
    found: list[dict[str, object]] = []
    paths = _named_files(options.files or [OWN_LESSONS])
    with Progress("Playing lessons") as progress:
        for number, path in enumerate(paths):
            progress.show(number / len(paths), path.name)
            lesson, errors = examine_file(path)
            faults = [(error.line, error.reason) for error in errors]
            if lesson is not None:
                counts["step"] += len(lesson.steps)
                counts["goal"] += sum(step.goal is not None for step in lesson.steps)
                faults = list(rehearse(lesson))
            for line, reason in faults:
                found.append({"file": str(path), "line": line, "message": reason})
                if not options.json:
                    progress.clear()
                    say(f"{path}:{line}: {reason}")
            counts["lesson"] += 1
            counts["error"] += len(faults)
    totals = ", ".join(counted(count, thing) for thing, count in counts.items())
    if options.json:
        numbers = {f"{thing}s": counts[thing] for thing in ("lesson", "step", "goal")}
        say_json(not found, error_object(totals) if found else None, **numbers, faults=found)
    else:
        say(totals)
    return FAILED if found else DONE


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
    words = "folder of lessons (Gradstep's own)"
    completed_by(
        parser.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help=words), Completion(folders=True)
    )


def check_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `lessons check`."""
    words = "lesson (.md), or a folder of lessons (Gradstep's own)"
    completed_by(parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help=words), Completion((LESSON,)))


def lesson_names() -> list[str]:
    """Return the names of Gradstep's own lessons, for completion."""
    from engine.lessons.lesson_file import OWN_LESSONS, lesson_files

    return [path.stem for path in lesson_files(OWN_LESSONS)]


FAULTS = {
    "faults": "array: errors in files of lessons",
    "faults__file": "string: its name",
    "faults__line": "integer: from 1",
    "faults__message": "string: one sentence",
}
LIST = Command(
    list_lessons,
    "number, title and minutes of each lesson",
    "learn",
    list_options,
    examples=(
        ("lessons list", "Gradstep's own lessons"),
        ("lessons list course --json", "those in the folder `course`, as JSON"),
    ),
    failed="a file of the folder is not a lesson",
    json=keys(
        lessons="array: one object for each lesson, in their order",
        lessons__number="integer: from 1",
        lessons__name="string: for `--lesson` and `lessons print`",
        lessons__title="string: of the lesson",
        lessons__minutes="integer: how long it takes",
        lessons__summary="string: one sentence, or empty",
        **FAULTS,
    ),
)
CHECK = Command(
    check_lessons,
    "read lessons and play every step of them, for authors",
    "learn",
    check_options,
    examples=(
        ("lessons check course", "every error in the folder `course`, with its file and line"),
        ("lessons check course/first.md --json", "those of one file, as JSON"),
    ),
    failed="a lesson has an error",
    json=keys(
        lessons="integer: files that were read",
        steps="integer: in all lessons",
        goals="integer: in all lessons",
        **FAULTS,
    ),
)
