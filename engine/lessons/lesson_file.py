"""Reading of lessons: Markdown with TOML in front and in fenced blocks. Errors name the file and the line.

A file begins with its front matter between lines of `+++`. Text before the first `## Title` introduces the lesson; each
`## Title` begins a step. Fenced blocks named `start`, `goal`, `hint`, `solution` and `mistake` belong to the step they
stand in; all else is the text of the step. Text is plain Markdown without HTML and images. Its links are of one kind:
`[the slider](show:nudge.h)` points at a control. `{a.grad}` and `{a.data}` are live numbers.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from engine.document import Document, DocumentError, fields, replace_section
from engine.document.document import LONGEST_PROGRAM, MOST_PROGRAM_LINES
from engine.experiment.consistency import check_consistent
from engine.file_access import FileProblem, reason_of
from engine.language.syntax import open_at_end
from engine.lessons.actions import checked_actions
from engine.lessons.controls import CONTROLS
from engine.lessons.goals import Goal, GoalError
from engine.lessons.lesson_text import FENCE, LONGEST_STEP_TEXT, live_nodes, text_errors
from engine.messages import did_you_mean, nearest, quoted, visible
from engine.session_file.files import read_text

OWN_LESSONS = Path(__file__).resolve().parents[2] / "resources" / "lessons"
"""Folder of the lessons that come with Gradstep."""
FORMAT = 1
LARGEST_FILE, LONGEST_TITLE = 200_000, 80  # characters
MOST_STEPS, MOST_HINTS, MOST_LESSONS = 40, 3, 200
SECTIONS = ("data", "network", "training", "view")
"""Tables of the front matter with settings of the lesson's document."""

Actions = tuple[tuple[str, Any], ...]
_NO_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffc]")
_PART = r"(?:[\w-]+|\"[^\"]*\"|'[^']*')[ \t]*"
_LONG_KEY = re.compile(rf"(?<![\w-]){_PART}(?:\.[ \t]*{_PART}){{20}}")

_FRONT: Mapping[str, fields.Rule] = {
    "format": fields.integer(1, 10**6),
    "title": fields.text(LONGEST_TITLE, 1),
    "summary": fields.text(120, 1),
    "order": fields.number(0, 10_000),
    "minutes": fields.integer(1, 60),
    "program": fields.text(LONGEST_PROGRAM, MOST_PROGRAM_LINES),
    "show": fields.sequence(fields.one_of(lambda: CONTROLS), 0, 40),
}
_NEEDED = ("format", "title", "order", "minutes")


class LessonError(ValueError):
    """A lesson that cannot be used.

    Attributes:
        file: its name, without folders.
        line: from 1.
        reason: one line for the author.
    """

    def __init__(self, file: str, line: int, reason: str) -> None:
        self.file, self.line, self.reason = visible(file, 100), line, visible(reason, 500)
        super().__init__(f"{self.file}, line {line}: {self.reason}")

    def without_traceback(self) -> LessonError:
        """Return an equal error to be kept: it keeps nothing alive of where it came up."""
        return LessonError(self.file, self.line, self.reason)


@dataclass(frozen=True)
class Step:
    """A step of a lesson.

    Attributes:
        title: its heading.
        text: Markdown.
        line: of its heading in the file, from 1.
        start: actions that prepare the step when it is entered for the first time.
        goal: None for a step that is only read.
        hints: in the order in which they are shown, each stronger than the one before.
        solution: actions that meet the goal.
        mistake: actions that a learner may take and that do not meet it; empty where the goal names wrong answers.
        live: the nodes whose live numbers stand in text and hints, each with its line.
        lines: the line of each block by its name ("goal"), and of each of its keys ("goal.node", "solution.select").
    """

    title: str
    text: str
    line: int
    start: Actions = ()
    goal: Goal | None = None
    hints: tuple[str, ...] = ()
    solution: Actions = ()
    mistake: Actions = ()
    live: tuple[tuple[int, str], ...] = field(default=(), repr=False)
    lines: Mapping[str, int] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Attributes:
        name: of its file, without the ending; progress is kept under it.
        title: of the lesson.
        summary: one line for lists; "" for none.
        order: lessons of a folder are sorted by it.
        minutes: a learner needs, about.
        show: names of the panels and controls that are visible; others wait behind "Show everything".
        document: the lesson begins with.
        steps: at least one.
        digest: of the text of the file; progress made with another text may not fit.
    """

    name: str
    title: str
    summary: str
    order: float
    minutes: int
    show: tuple[str, ...]
    document: Document
    steps: tuple[Step, ...]
    digest: str = field(repr=False)

    @property
    def beginning(self) -> str:
        """Hash of its program, its settings and what its steps set up; other words leave it as it is."""
        sections = [(getattr(self.document, name), getattr(Document(), name)) for name in ("expression", *SECTIONS)]
        settings = [
            (type(own).__name__, item.name, value)
            for own, usual in sections
            for item in dataclasses.fields(own)
            if (value := getattr(own, item.name)) != getattr(usual, item.name)
        ]
        return hashlib.sha256(repr((settings, [step.start for step in self.steps])).encode()).hexdigest()[:16]

    @property
    def programs(self) -> tuple[str, ...]:
        """The program that the lesson begins with, and those that its steps bring."""
        actions = (action for step in self.steps for action in (*step.start, *step.solution))
        return (self.document.expression.text, *(text for name, text in actions if name == "program"))


def read_lesson(path: Path) -> Lesson:
    """Read and check a lesson.

    Raises:
        LessonError: for a file that cannot be read, and for the first thing in it that is wrong.
    """
    return _lesson_or_raise(*examine_file(path))


def read_folder(folder: Path) -> tuple[tuple[Lesson, ...], tuple[LessonError, ...]]:
    """Read the lessons (`*.md`) of a folder, README files left out.

    Returns:
        The lessons in their order, and an error for each file that is none.
    """
    lessons, errors = [], []
    try:
        paths = lesson_files(folder)
    except LessonError as error:
        return (), (error.without_traceback(),)
    for path in paths[:MOST_LESSONS]:
        lesson, wrong = examine_file(path)
        if lesson is None:
            errors.append(wrong[0])
        else:
            lessons.append(lesson)
    if len(paths) > MOST_LESSONS:
        errors.append(LessonError(folder.name, 1, f"has {len(paths):,} lessons; {MOST_LESSONS} are read"))
    return tuple(sorted(lessons, key=lambda lesson: (lesson.order, lesson.name))), tuple(errors)


def lesson_called(wanted: str, lessons: Iterable[Lesson]) -> Lesson | None:
    """Return the lesson with a number (from 1), a name or a title; None when there is none."""
    for number, lesson in enumerate(lessons, start=1):
        if wanted.casefold() in (str(number), lesson.name.casefold(), lesson.title.casefold()):
            return lesson
    return None


def lesson_files(folder: Path) -> list[Path]:
    """Return the files of a folder that are lessons by their names, sorted.

    Raises:
        LessonError: for a folder that cannot be read.
    """
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".md" and path.stem.lower() != "readme")
    except OSError as error:
        raise LessonError(folder.name, 1, f"cannot be read: {reason_of(error)}") from None


def examine_file(path: Path) -> tuple[Lesson | None, tuple[LessonError, ...]]:
    """Read a lesson; return it, or None and everything that is wrong with its file, by lines."""
    try:
        if path.is_file() and (size := path.stat().st_size) > 4 * LARGEST_FILE:  # no character has more than 4 bytes
            raise FileProblem(f"it has {size:,} bytes; a lesson has at most {LARGEST_FILE:,} characters")
        text = read_text(path)
    except (OSError, FileProblem) as error:
        return None, (LessonError(path.name, 1, f"cannot be read: {reason_of(error)}"),)
    return examine_lesson(text, path.name)


def parse_lesson(text: str, file: str) -> Lesson:
    """Return the lesson that a text describes; `file` names it in errors.

    Raises:
        LessonError: for the first thing that is wrong.
    """
    return _lesson_or_raise(*examine_lesson(text, file))


def _lesson_or_raise(lesson: Lesson | None, errors: Sequence[LessonError]) -> Lesson:
    """Return the lesson, or raise the first error: a new one, since the errors are cached without a traceback."""
    if lesson is None:
        raise errors[0].without_traceback()
    return lesson


@lru_cache(maxsize=64)  # windows and sessions of one process read the same lessons
def examine_lesson(text: str, file: str) -> tuple[Lesson | None, tuple[LessonError, ...]]:
    """Return the lesson that a text describes; or None and everything that is wrong with it, by lines.

    Of a block of TOML that is no lesson's the first error is found, and of a line of text.
    """
    errors: list[LessonError] = []
    lesson = None
    with _kept_in(errors):
        lesson = _lesson_of(text, file, errors)
    kept = (error.without_traceback() for error in errors)
    return (None if errors else lesson), tuple(sorted(kept, key=lambda error: error.line))


@contextmanager
def _kept_in(errors: list[LessonError]) -> Iterator[None]:
    """Keep the error of a part of a lesson, so that the other parts are looked at as well."""
    try:
        yield
    except LessonError as error:
        errors.append(error)


def _lesson_of(text: str, file: str, errors: list[LessonError]) -> Lesson:
    """Return a lesson, which is of no use when there are errors; the first error that hides all else is raised."""
    if len(text) > LARGEST_FILE:
        raise LessonError(file, 1, f"has {len(text):,} characters; a lesson has at most {LARGEST_FILE:,}")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if found := _NO_TEXT.search(text):
        raise LessonError(file, text.count("\n", 0, found.start()) + 1, "contains characters that are not text")
    lines = text.split("\n")
    if lines[0].strip() != "+++":
        raise LessonError(file, 1, "a lesson begins with a line +++, its settings, and another line +++")
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.strip() == "+++"), None)
    if end is None:
        raise LessonError(file, 1, "the settings have no second line +++")
    front = _Block(file, 1, lines[1:end])
    content, settings = {}, {}
    with _kept_in(errors):
        content = front.read()
        if isinstance(content.get("format"), int) and content["format"] > FORMAT:
            errors.clear()
            raise LessonError(file, front.line_of("format"), "was made for a newer version of Gradstep")
        settings = _settings(front, content, errors)
    document = replace_section(Document(), "expression", text=settings.get("program", ""))
    for section in SECTIONS:
        with _kept_in(errors):
            document = _with_settings(document, section, content.get(section, {}), front)
    with _kept_in(errors):
        try:
            check_consistent(document)
        except DocumentError as error:
            table, _, key = error.path.rpartition(".")
            raise LessonError(file, front.line_of(key, table), str(error)) from None
    return Lesson(
        name=file.rpartition(".")[0] or file,
        title=settings.get("title", ""),
        summary=settings.get("summary", ""),
        order=settings.get("order", 0.0),
        minutes=settings.get("minutes", 1),
        show=settings.get("show", ()),
        document=document,
        steps=_read_steps(file, lines, end + 1, settings.get("title", "lesson"), document, errors),
        digest=hashlib.sha256(text.encode()).hexdigest()[:16],
    )


def _settings(front: _Block, content: Mapping[str, Any], errors: list[LessonError]) -> dict[str, Any]:
    """Return the settings of the front matter that are right, without those of the document's sections."""
    allowed = (*_FRONT, *SECTIONS)
    settings: dict[str, Any] = {}
    for key, value in content.items():
        with _kept_in(errors):
            if key not in allowed:
                raise front.error(key, f"is not a setting of a lesson{did_you_mean(key, allowed)}")
            if key in SECTIONS:
                continue
            try:
                settings[key] = _FRONT[key](value)
            except ValueError as error:
                raise front.error(key, str(error)) from None
            if key in ("title", "summary"):
                settings[key] = visible(settings[key])
                _check_text(front.file, [(front.line_of(key), settings[key])], errors)
    misspelt = {nearest(key, allowed) for key in content if key not in allowed}
    for key in _NEEDED:
        if key not in content and key not in misspelt:
            errors.append(LessonError(front.file, 1, f"the setting {key} is missing"))
    return settings


def _with_settings(document: Document, section: str, changes: Any, block: _Block) -> Document:
    if not isinstance(changes, dict):
        raise block.error(section, f"must be a table of settings, not {quoted(changes)}")
    for name in ("document", "section"):
        if name in changes:
            raise LessonError(block.file, block.line_of(name, section), f"{name} is not a setting of {section}")
    try:
        return replace_section(document, section, **changes)
    except DocumentError as error:
        name = error.path.rpartition(".")[2]
        line = block.line_of(name, section)
        raise LessonError(block.file, line, f"{section}.{name} {error.reason}") from None


@dataclass
class _Block:
    """A piece of TOML in a lesson.

    Attributes:
        file: of the lesson.
        line: of the fence, or of the +++, before it.
        lines: of the piece.
    """

    file: str
    line: int
    lines: list[str]

    def read(self) -> dict[str, Any]:
        for number, line in enumerate(self.lines, start=self.line + 1):
            if _LONG_KEY.search(line):  # tomllib takes 30 seconds for a key of 40,000 parts
                raise LessonError(self.file, number, "has a key of too many parts")
        try:
            return tomllib.loads("\n".join(self.lines))
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"\(at line (\d+), column \d+\)", str(error))
            wrong = self.line + (int(found[1]) if found else len(self.lines))
            raise LessonError(self.file, wrong, str(error).partition(" (at ")[0]) from None
        except RecursionError:
            raise LessonError(self.file, self.line, "is nested too deeply") from None
        except ValueError:
            raise LessonError(self.file, self.line, "has a number of too many digits") from None

    def line_of(self, key: str, table: str = "") -> int:
        """Return the line at which a key, or the head of a table, stands; that of the fence where it is not found.

        A key of a table stands below its head, or as `table.key`; elsewhere the line of the table is returned.
        """
        lines = self._lines_outside_texts()
        wanted = re.compile(rf"\s*(?:\[{re.escape(key)}\]|[\"']?{re.escape(key)}[\"']?\s*=)")
        if table:
            start = self.line_of(table)
            dotted = re.compile(rf"\s*{re.escape(table)}\s*\.\s*{re.escape(key)}\s*=")
            below = takewhile(lambda one: not one[1].lstrip().startswith("["), (one for one in lines if one[0] > start))
            found = [number for number, line in lines if dotted.match(line)]
            return next((number for number, line in below if wanted.match(line)), found[0] if found else start)
        return next((number for number, line in lines if wanted.match(line)), self.line)

    def _lines_outside_texts(self) -> list[tuple[int, str]]:
        """Return the lines, with their numbers, that do not begin inside a text of several lines, such as a program."""
        lines, opened = [], ""
        for number, line in enumerate(self.lines, start=self.line + 1):
            if not opened:
                lines.append((number, line))
            opened = open_at_end(line + "\n", opened)
        return lines

    def lines_of(self, name: str, keys: Iterable[str]) -> dict[str, int]:
        """Return the line of the block under its name, and that of each of its keys under `name.key`."""
        return {name: self.line} | {f"{name}.{key}": self.line_of(key) for key in keys}

    def error(self, key: str, reason: str) -> LessonError:
        return LessonError(self.file, self.line_of(key), f"{visible(key, 60)} {reason}")


@dataclass
class _StepText:
    """Parts of a step: its text with the number of each line, its blocks, its hints."""

    title: str
    line: int
    text: list[tuple[int, str]] = field(default_factory=list)
    blocks: dict[str, _Block] = field(default_factory=dict)
    hints: list[list[tuple[int, str]]] = field(default_factory=list)


_BLOCKS = ("start", "goal", "hint", "solution", "mistake")


def _read_steps(
    file: str, lines: list[str], begin: int, title: str, document: Document, errors: list[LessonError]
) -> tuple[Step, ...]:
    """Return the steps of the lines from `begin` on; text before the first heading is a step of the lesson's title."""
    steps = [_StepText(title, begin + 1)]
    number = begin
    while number < len(lines):
        line, step = lines[number], steps[-1]
        fence = FENCE.fullmatch(line)
        if fence is None:
            if line.startswith("## "):
                title = line[3:].strip()
                if not 0 < len(title) <= LONGEST_TITLE:
                    reason = f"has a title of more than {LONGEST_TITLE} characters" if title else "has no title"
                    errors.append(LessonError(file, number + 1, f"the step {reason}"))
                _check_text(file, [(number + 1, title[:LONGEST_TITLE])], errors)
                steps.append(_StepText(title, number + 1))
            elif re.match(r"#{1,2}(?!#)", line):
                errors.append(LessonError(file, number + 1, "headings of steps begin with ## and a space"))
            else:
                step.text.append((number + 1, line))
            number += 1
            continue
        mark, name = fence[1], fence[2]
        end = next((n for n in range(number + 1, len(lines)) if lines[n].startswith(mark)), None)
        if end is None or lines[end].strip() != mark:
            raise LessonError(file, number + 1, f"the block {mark}{name} is not closed")
        inside = lines[number + 1 : end]
        if name not in _BLOCKS:
            if did_you_mean(name, _BLOCKS):
                errors.append(LessonError(file, number + 1, f"there is no block {name!r}{did_you_mean(name, _BLOCKS)}"))
            step.text += [(n + 1, lines[n]) for n in range(number, end + 1)]
        elif name == "hint":
            step.hints.append(list(enumerate(inside, start=number + 2)))
            if len(step.hints) > MOST_HINTS:
                errors.append(LessonError(file, number + 1, f"a step has at most {MOST_HINTS} hints"))
        elif name in step.blocks:
            errors.append(LessonError(file, number + 1, f"a step has one {name} only"))
        else:
            step.blocks[name] = _Block(file, number + 1, inside)
        number = end + 1
    if not any(line.strip() for _, line in steps[0].text) and not steps[0].blocks:
        del steps[0]
    if not steps:
        raise LessonError(file, min(begin + 1, len(lines)), "has no steps")
    if len(steps) > MOST_STEPS:
        raise LessonError(file, steps[MOST_STEPS].line, f"has more than {MOST_STEPS} steps")
    read = []
    for step in steps:
        with _kept_in(errors):
            read.append(_step(file, step, document, errors))
    return tuple(read)


def _step(file: str, step: _StepText, document: Document, errors: list[LessonError]) -> Step:
    live: list[tuple[int, str]] = []
    for lines in (step.text, *step.hints):
        if (length := sum(len(line) for _, line in lines)) > LONGEST_STEP_TEXT:
            reason = f"the text has {length:,} characters; a step has at most {LONGEST_STEP_TEXT:,}"
            errors.append(LessonError(file, step.line, reason))
            continue
        _check_text(file, lines, errors)
        live += live_nodes(lines)
    goal: Goal | None = None
    actions: dict[str, Actions] = {}
    lines_of: dict[str, int] = {}
    for name, block in step.blocks.items():
        with _kept_in(errors):
            if name == "goal":
                goal = _goal(block, errors)
                lines_of |= block.lines_of(name, ("wrong", *goal.fields))
            else:
                actions[name] = _actions(block, document)
                lines_of |= block.lines_of(name, dict(actions[name]))
    if "goal" not in step.blocks:
        if step.hints or step.blocks.keys() - {"start"}:
            errors.append(LessonError(file, step.line, "hints, solution and mistake need a goal in the same step"))
    elif "solution" not in step.blocks:
        errors.append(LessonError(file, step.blocks["goal"].line, "the goal has no solution"))
    elif "mistake" not in step.blocks and goal is not None and not goal.wrong:
        reason = "the goal has neither wrong answers nor a mistake"
        errors.append(LessonError(file, step.blocks["goal"].line, reason))
    return Step(
        title=step.title,
        text="\n".join(line for _, line in step.text).strip(),
        line=step.line,
        start=actions.get("start", ()),
        goal=goal,
        hints=tuple("\n".join(line for _, line in lines).strip() for lines in step.hints),
        solution=actions.get("solution", ()),
        mistake=actions.get("mistake", ()),
        live=tuple(live),
        lines=lines_of,
    )


def _goal(block: _Block, errors: list[LessonError]) -> Goal:
    try:
        goal = Goal.checked(block.read())
    except GoalError as error:
        raise LessonError(block.file, block.line_of(error.key), str(error)) from None
    says = [*(says for _, says in goal.wrong), goal.fields.get("question", "")]
    says += [choice["text"] for choice in goal.fields.get("choices", ())]
    line = block.line_of("choices" if "choices" in goal.fields else "wrong" if goal.wrong else "question")
    _check_text(block.file, [(line, each) for text in says for each in text.split("\n")], errors)
    return goal


def _actions(block: _Block, document: Document) -> Actions:
    try:
        actions = checked_actions(block.read())
    except ValueError as error:
        if isinstance(error, LessonError):
            raise
        key, _, reason = str(error).partition(" ")
        raise block.error(key, reason) from None
    for name, value in actions:
        if name in ("data", "network", "training"):
            _with_settings(document, name, value, block)
    if not actions:
        raise LessonError(block.file, block.line, "has no actions")
    return actions


def _check_text(file: str, lines: Iterable[tuple[int, str]], errors: list[LessonError]) -> None:
    errors += (LessonError(file, number, reason) for number, reason in text_errors(lines))
