"""Reading of lessons: Markdown with TOML in front and in fenced blocks. Errors name the file and the line.

A file begins with its front matter between lines of `+++`. Text before the first `## Title` introduces the lesson; each
`## Title` begins a step. Fenced blocks named `start`, `goal`, `hint`, `solution` and `mistake` belong to the step they
stand in; all else is the text of the step. Text is plain Markdown without HTML and images. Its links are of one kind:
`[the slider](show:nudge.h)` points at a control. `{a.grad}` and `{a.data}` are live numbers.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.document import Document, DocumentError, fields, replace_section
from engine.document.document import LONGEST_PROGRAM, MOST_PROGRAM_LINES
from engine.experiment.consistency import check_consistent
from engine.lessons.actions import checked_actions
from engine.lessons.controls import CONTROLS
from engine.lessons.goals import Goal, GoalError
from engine.messages import did_you_mean, quoted, unknown_name, visible
from engine.session_file.files import FileProblem, read_text, reason_of

FORMAT = 1
LARGEST_FILE = 200_000  # characters
MOST_STEPS, MOST_HINTS, MOST_LESSONS = 40, 3, 200
SECTIONS = ("data", "network", "training", "view")
"""Tables of the front matter with settings of the lesson's document."""

Actions = tuple[tuple[str, Any], ...]
LIVE_NUMBER = re.compile(r"\{([^\W\d][\w.\[\]]*)\.(data|grad)\}")
POINTER = re.compile(r"show:([a-z_]+(?:\.[a-z_]+)?)")

_FRONT: Mapping[str, fields.Rule] = {
    "format": fields.integer(1, 10**6),
    "title": fields.text(80, 1),
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
    """

    title: str
    text: str
    line: int
    start: Actions = ()
    goal: Goal | None = None
    hints: tuple[str, ...] = ()
    solution: Actions = ()
    mistake: Actions = ()


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


def read_lesson(path: Path) -> Lesson:
    """Read and check a lesson.

    Raises:
        LessonError: for a file that cannot be read, and for the first thing in it that is wrong.
    """
    try:
        text = read_text(path)
    except (OSError, FileProblem) as error:
        raise LessonError(path.name, 1, f"cannot be read: {reason_of(error)}") from None
    if len(text) > LARGEST_FILE:
        raise LessonError(path.name, 1, f"has {len(text):,} characters; a lesson has at most {LARGEST_FILE:,}")
    text = text.replace("\r\n", "\n")
    return parse_lesson(text, path.name)


def read_folder(folder: Path) -> tuple[tuple[Lesson, ...], tuple[LessonError, ...]]:
    """Read the lessons (`*.md`) of a folder, README files left out.

    Returns:
        The lessons in their order, and an error for each file that is none.
    """
    lessons, errors = [], []
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".md" and path.stem.lower() != "readme")
    except OSError as error:
        return (), (LessonError(folder.name, 1, f"cannot be read: {reason_of(error)}"),)
    for path in paths[:MOST_LESSONS]:
        try:
            lessons.append(read_lesson(path))
        except LessonError as error:
            errors.append(error)
    if len(paths) > MOST_LESSONS:
        errors.append(LessonError(folder.name, 1, f"has {len(paths):,} lessons; {MOST_LESSONS} are read"))
    return tuple(sorted(lessons, key=lambda lesson: (lesson.order, lesson.name))), tuple(errors)


def parse_lesson(text: str, file: str) -> Lesson:
    """Return the lesson that a text describes; `file` names it in errors.

    Raises:
        LessonError: for the first thing that is wrong.
    """
    if "\0" in text:
        raise LessonError(file, text[: text.index("\0")].count("\n") + 1, "contains characters that are not text")
    lines = text.split("\n")
    if lines[0].strip() != "+++":
        raise LessonError(file, 1, "a lesson begins with a line +++, its settings, and another line +++")
    end = next((number for number, line in enumerate(lines[1:], start=1) if line.strip() == "+++"), None)
    if end is None:
        raise LessonError(file, 1, "the settings have no second line +++")
    front = _Block(file, 1, lines[1:end])
    content = front.read()
    if isinstance(content.get("format"), int) and content["format"] > FORMAT:
        raise LessonError(file, front.line_of("format"), "was made for a newer version of Gradstep")
    allowed = (*_FRONT, *SECTIONS)
    settings: dict[str, Any] = {}
    for key, value in content.items():
        if key not in allowed:
            raise front.error(key, f"is not a setting of a lesson{did_you_mean(key, allowed)}")
        if key in SECTIONS:
            continue
        try:
            settings[key] = _FRONT[key](value)
        except ValueError as error:
            raise front.error(key, str(error)) from None
    for key in _NEEDED:
        if key not in settings:
            raise LessonError(file, 1, f"the setting {key} is missing")
    document = replace_section(Document(), "expression", text=settings.get("program", ""))
    for section in SECTIONS:
        document = _with_settings(document, section, content.get(section, {}), front)
    try:
        check_consistent(document)
    except DocumentError as error:
        raise LessonError(file, front.line_of(error.path.rpartition(".")[2]), str(error)) from None
    return Lesson(
        name=file.rpartition(".")[0] or file,
        title=settings["title"],
        summary=settings.get("summary", ""),
        order=settings["order"],
        minutes=settings["minutes"],
        show=settings.get("show", ()),
        document=document,
        steps=tuple(_read_steps(file, lines, end + 1, settings["title"], document)),
        digest=hashlib.sha256(text.encode()).hexdigest()[:16],
    )


def _with_settings(document: Document, section: str, changes: Any, block: _Block) -> Document:
    if not isinstance(changes, dict):
        raise block.error(section, f"must be a table of settings, not {quoted(changes)}")
    try:
        return replace_section(document, section, **changes)
    except DocumentError as error:
        name = error.path.rpartition(".")[2]
        raise block.error(name, error.reason, f"{section}.{name}") from None


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
        try:
            return tomllib.loads("\n".join(self.lines))
        except tomllib.TOMLDecodeError as error:
            found = re.search(r"\(at line (\d+), column \d+\)", str(error))
            line = self.line + (int(found[1]) if found else len(self.lines))
            raise LessonError(self.file, line, str(error).partition(" (at ")[0]) from None
        except RecursionError:
            raise LessonError(self.file, self.line, "is nested too deeply") from None

    def line_of(self, key: str) -> int:
        """Return the line at which a key stands; that of the fence where it is not found."""
        key_line = re.compile(rf"\s*(?:\[{re.escape(key)}\]|[\"']?{re.escape(key)}[\"']?\s*=)")
        return self.line + next((n for n, line in enumerate(self.lines, start=1) if key_line.match(line)), 0)

    def error(self, key: str, reason: str, shown: str = "") -> LessonError:
        return LessonError(self.file, self.line_of(key), f"{shown or key} {reason}")


@dataclass
class _StepText:
    """Parts of a step: its text with the number of each line, its blocks, its hints."""

    title: str
    line: int
    text: list[tuple[int, str]] = field(default_factory=list)
    blocks: dict[str, _Block] = field(default_factory=dict)
    hints: list[str] = field(default_factory=list)


_BLOCKS = ("start", "goal", "hint", "solution", "mistake")


def _read_steps(file: str, lines: list[str], begin: int, title: str, document: Document) -> Iterator[Step]:
    """Yield the steps of the lines from `begin` on; text before the first heading is a step with the lesson's title."""
    steps = [_StepText(title, begin + 1)]
    number = begin
    while number < len(lines):
        line, step = lines[number], steps[-1]
        fence = re.match(r"(`{3,}|~{3,})\s*(\S*)", line)
        if fence is None:
            if line.startswith("## "):
                steps.append(_StepText(line[3:].strip(), number + 1))
            elif re.match(r"#{1,2}(?!#)", line):
                raise LessonError(file, number + 1, "headings of steps begin with ## and a space")
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
                raise LessonError(file, number + 1, f"there is no block {name!r}{did_you_mean(name, _BLOCKS)}")
            step.text += [(n + 1, lines[n]) for n in range(number, end + 1)]
        elif name == "hint":
            if len(step.hints) == MOST_HINTS:
                raise LessonError(file, number + 1, f"a step has at most {MOST_HINTS} hints")
            _check_markdown(file, enumerate(inside, start=number + 2))
            step.hints.append("\n".join(inside).strip())
        elif name in step.blocks:
            raise LessonError(file, number + 1, f"a step has one {name} only")
        else:
            step.blocks[name] = _Block(file, number + 1, inside)
        number = end + 1
    if not any(line.strip() for _, line in steps[0].text) and not steps[0].blocks:
        del steps[0]
    if not steps:
        raise LessonError(file, begin + 1, "has no steps")
    if len(steps) > MOST_STEPS:
        raise LessonError(file, steps[MOST_STEPS].line, f"has more than {MOST_STEPS} steps")
    for step in steps:
        yield _step(file, step, document)


def _step(file: str, step: _StepText, document: Document) -> Step:
    if not step.title:
        raise LessonError(file, step.line, "the step has no title")
    _check_markdown(file, step.text)
    text = "\n".join(line for _, line in step.text).strip()
    actions = {name: _actions(block, document) for name, block in step.blocks.items() if name != "goal"}
    goal_block = step.blocks.get("goal")
    if goal_block is None:
        if step.hints or actions.keys() - {"start"}:
            raise LessonError(file, step.line, "hints, solution and mistake need a goal in the same step")
        return Step(step.title, text, step.line, actions.get("start", ()))
    try:
        goal = Goal.checked(goal_block.read())
    except GoalError as error:
        raise LessonError(file, goal_block.line_of(error.key), str(error)) from None
    if "solution" not in actions:
        raise LessonError(file, goal_block.line, "the goal has no solution")
    if "mistake" not in actions and not goal.wrong:
        raise LessonError(file, goal_block.line, "the goal has neither wrong answers nor a mistake")
    return Step(
        title=step.title,
        text=text,
        line=step.line,
        start=actions.get("start", ()),
        goal=goal,
        hints=tuple(step.hints),
        solution=actions["solution"],
        mistake=actions.get("mistake", ()),
    )


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


def _check_markdown(file: str, lines: Iterable[tuple[int, str]]) -> None:
    """Refuse HTML, images, links to anything but a control, and links by reference.

    Raises:
        LessonError: with the line.
    """
    in_code = ""
    for number, written in lines:
        fence = re.match(r"\s*(`{3,}|~{3,})", written)
        if fence and (not in_code or written.strip() == in_code):
            in_code = "" if in_code else fence[1]
            continue
        if in_code or written.startswith("    "):
            continue
        text = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", written)
        if re.search(r"<[A-Za-z/!?]", text):
            raise LessonError(file, number, "HTML is not allowed in a lesson; write < in code as `<`")
        if "![" in text:
            raise LessonError(file, number, "pictures are not allowed in a lesson")
        if re.match(r"\s*\[[^\]]+\]:", text):
            raise LessonError(file, number, "links by reference are not allowed in a lesson")
        for target in re.findall(r"\]\(([^)]*)\)?", text):
            pointer = POINTER.fullmatch(target.strip())
            if pointer is None:
                raise LessonError(file, number, f"links go to a control (show:...) only, not to {quoted(target)}")
            if pointer[1] not in CONTROLS:
                raise LessonError(file, number, f"show: {unknown_name('control', pointer[1], CONTROLS)}")
