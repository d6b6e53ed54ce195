"""Text of lessons: Markdown that shows no HTML, no picture and no address, and links to controls only.

Code may contain anything, and readers of Markdown differ in what they take for code. So a lesson keeps to a part of
Markdown in which there is no doubt: a block of code stands between two lines of ``` at the left margin, and a span of
code begins and ends on one line. All else is looked at as text, indented lines included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from engine.lessons.controls import CONTROLS
from engine.messages import quoted, unknown_name

LIVE_NUMBER = re.compile(r"\{([^\W\d][\w.\[\]]*)\.(data|grad)\}")
POINTER = re.compile(r"show:([a-z_]+(?:\.[a-z_]+)?)")
LONGEST_STEP_TEXT, DEEPEST = 10_000, 40
"""Limits of a step's text, and of the marks and blanks before the text of a line, in characters."""

FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*([\w+#.-]*)[ \t]*")
"""A whole line that opens a block, or closes one."""
_BEFORE_TEXT = re.compile(r"(?:[ \t>]|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*")
_ADDRESS = re.compile(r"(?:https?|ftp)://|www\.\S|[\w.+-]@[\w-]", re.IGNORECASE)
_NEARLY_LIVE = re.compile(r"\{[^\W\d][\w.\[\]]*\.(\w+)\}")
_CODE = "\ufffc"
"""Stands for a span of code in a line that is looked at."""


def text_errors(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield what is wrong with the lines of a text, given with their numbers: each number with a reason."""
    lines = list(lines)
    first, begin = next((each for each in lines if each[1].strip()), (0, ""))
    if begin.lstrip().startswith("---"):  # Qt hides what stands between it and the next such line
        yield first, "a text does not begin with a line of ---"
    for number, line in _outside_blocks(lines):
        if reason := _line_error(line):
            yield number, reason


def live_nodes(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the nodes whose live numbers stand in a text, each with the number of its line."""
    for number, line in _outside_blocks(lines):
        for node, _which in LIVE_NUMBER.findall(without_code(line) or ""):
            yield number, node


def with_live_numbers(text: str, write: Callable[[str, str], str]) -> str:
    """Return a text in which `write(node, "data" or "grad")` replaces each live number; code stays as it is."""
    lines = list(enumerate(text.split("\n")))
    written = dict(lines)
    for number, line in _outside_blocks(lines):
        pieces = _pieces(line) or [(line, False)]
        written[number] = "".join(
            piece if is_code else LIVE_NUMBER.sub(lambda found: write(found[1], found[2]), piece)
            for piece, is_code in pieces
        )
    return "\n".join(written.values())


def _outside_blocks(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the lines outside of blocks of code.

    A mark of a block that does not stand at the left margin is text, and so is one in a paragraph with |: it may be a
    table, to which the mark belongs as a row.
    """
    mark, may_be_table = "", False
    for number, line in lines:
        may_be_table = bool(line.strip()) and (may_be_table or "|" in line) and not mark
        if mark:
            if line.startswith(mark) and line.strip() == mark:
                mark = ""
            elif line.lstrip().startswith(mark):
                yield number, line
        elif (fence := FENCE.fullmatch(line)) and not may_be_table:
            mark = fence[1]
        else:
            yield number, line


def _line_error(line: str) -> str:
    """Return what is wrong with a line outside of blocks of code; "" for nothing."""
    before = _BEFORE_TEXT.match(line)
    begin = before.end() if before else 0
    if begin > DEEPEST:
        return "is nested too deeply"
    text = without_code(line)
    if line.startswith("```", begin) or "~~~" in (text or ""):
        return "a block of code begins and ends with a line of ``` at the left margin, after an empty line"
    if text is None:
        return "a ` has no second one on its line: code stands between two of them"
    if re.search(r"<[A-Za-z/!?]", text):
        return "HTML is not allowed in a lesson; write < in code as `<`"
    if found := re.search(r"&#?\w+;", text):
        return f"write the character itself, not {quoted(found[0])}"
    if "![" in text:
        return "pictures are not allowed in a lesson"
    if "]:" in text or (line.startswith("[", begin) and "]:" in line):
        return "links by reference are not allowed in a lesson"
    for target, closed in re.findall(r"\]\(([^)]*)(\)?)", text):
        pointer = POINTER.fullmatch(target) if closed else None
        if pointer is None:
            return f"links go to a control, [text](show:control), not to {quoted(target)}"
        if pointer[1] not in CONTROLS:
            return f"show: {unknown_name('control', pointer[1], CONTROLS)}"
    if found := _ADDRESS.search(text):
        return f"addresses are not allowed in a lesson, but in code: {quoted(text[found.start() : found.start() + 30])}"
    for which in _NEARLY_LIVE.findall(text):
        if which not in ("data", "grad"):
            return f"a live number ends in .data or .grad, not in {quoted('.' + which)}"
    return ""


def without_code(line: str) -> str | None:
    """Return a line with a placeholder for each span of code; None when a ` has no second one."""
    pieces = _pieces(line)
    return None if pieces is None else "".join(_CODE if is_code else piece for piece, is_code in pieces)


def _pieces(line: str) -> list[tuple[str, bool]] | None:
    """Return the pieces of a line, each with True for a span of code; None when a ` has no second one.

    A span ends at the next run of as many ` as it begins with. A line with | in a span counts as text: in a table the
    span would end there.
    """
    pieces: list[tuple[str, bool]] = []
    has_bar = False
    position, runs = 0, iter(re.finditer("`+", line))
    for run in runs:
        begin = run.start()
        while begin > position and line[begin - 1] == "\\":
            begin -= 1
        end = next((other.end() for other in runs if len(other[0]) == len(run[0])), None)
        if end is None or (run.start() - begin) % 2:
            return None
        has_bar = has_bar or "|" in line[run.start() : end]
        pieces += [(line[position : run.start()], False), (line[run.start() : end], True)]
        position = end
    return [(line, False)] if has_bar else [*pieces, (line[position:], False)]
