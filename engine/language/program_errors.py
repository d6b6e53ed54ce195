"""Errors of programs: CPython's own words, at their place, with edits that repair them.

CPython says well what is wrong. This module adds what a beginner needs beyond it: the edit that CPython suggests as a
`Fix`, a lost indentation, a pasted page, typographic characters, letters of another alphabet, and which modules there
are.
"""

from __future__ import annotations

import ast
import difflib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.language.errors import Call, Fix, ProgramError
from engine.language.indentation import restore_indentation
from engine.language.limits import Limits
from engine.language.pasted_text import is_program, keep_only_code, straighten_typography
from engine.language.source import Source
from engine.messages import visible

LONGEST_MESSAGE = 1000
MOST_CALLS = 20
TYPOGRAPHY = "Put typographic characters right"

_SUGGESTION = re.compile(r"Did you mean:? '([^'\n]+)'")
_WRONG_NAME = re.compile(r"name '([^']+)' is not defined|has no attribute '([^']+)'|cannot import name '([^']+)'")
_PLAIN_OPERAND = re.compile(r"'(?:int|float)' object has no attribute '(\w+)'")
_POWER = re.compile(r"unsupported operand type\(s\) for (\^=?):.*\b(?:float|Value)\b")
_LATIN = str.maketrans(
    "аеорсухіјѕԁАВЕКМНОРСТХІЈЅοανρυικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsdABEKMHOPCTXIJSoavpuikABEZHIKMNOPTYX"
)
"""Cyrillic and Greek letters that look Latin."""


_SMALL_DIGITS = str.maketrans("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹", "01234567890123456789")
"""Subscripts and superscripts."""


_LIMITS: Mapping[str, Callable[[Limits], str]] = {
    "MemoryError": lambda limits: (
        f"MemoryError: the program needs more memory than {limits.memory_bytes // 1_000_000} MB"
    ),
    "OutputLimitReached": lambda limits: f"stopped: the program printed more than {limits.output_bytes / 1e6:g} MB",
    "LimitReached": lambda limits: f"stopped after {limits.seconds:g} s: this line was still running",
    "TooManyValues": lambda limits: f"stopped: the graph has too many nodes ({limits.values:,})",
    "InterpreterFailed": lambda _limits: "the interpreter stopped, probably for want of memory",
    "StackOverflow": lambda _limits: "stopped: calls or brackets are nested too deeply",
}
"""What is said of a program that reached a limit."""


def error_of(source: Source, told: Mapping[str, Any], limits: Limits) -> ProgramError:
    """Return the error of a report (`guest/errors.py`).

    Args:
        source: the program.
        told: its `error`.
        limits: of the run.
    """
    kind, message = str(told["kind"]), visible(str(told["message"]), LONGEST_MESSAGE)
    calls = tuple(
        Call("" if name == "<module>" else visible(str(name), 64), int(line))
        for name, line in told["calls"][-MOST_CALLS:]
    )
    start, end = _span(source, told)
    words = f"{kind}: {message}" if message else kind
    fixes: list[Fix] = []
    if kind == "MemoryError" and not calls:
        kind = "StackOverflow"  # the parser's words for brackets inside each other
    at_limit = kind in _LIMITS or kind == "RecursionError"
    if kind in _LIMITS:
        words = _LIMITS[kind](limits)
    elif kind in ("SyntaxError", "IndentationError", "TabError"):
        more, fixes = _syntax_help(source, message, start, end)
        words += more
    elif "modules" in told:
        more, fixes = _module_help(source, told, start, end)
        words += more
    else:
        more, fixes = _name_help(source, message, start, end)
        words += more
    error = source.error(words, start, end, *fixes)
    error.calls = calls
    error.at_limit = at_limit
    return error


def _span(source: Source, told: Mapping[str, Any]) -> tuple[int, int]:
    """Return the offsets of what is underlined: on one line, and never empty."""
    line, column = int(told.get("line", 0)), int(told.get("column", 0))
    if line < 1:
        return source.span_of_line(1)
    if column < 1:
        return source.span_of_line(line)
    start = min(source.start_of_line(line) + column - 1, source.line_end(source.start_of_line(line)))
    end = source.line_end(start)
    if told.get("end_line") == line and told.get("end_column", 0) > column:
        end = min(end, start + told["end_column"] - column)
    return start, max(end, start + 1)


def _syntax_help(source: Source, message: str, start: int, end: int) -> tuple[str, list[Fix]]:
    """Return what is added to the message of a syntax error, and edits after which the text parses."""
    text = source.text
    fixes = [Fix(title, 0, len(text), new, preview=True) for title, new in _whole_texts(text) if new != text]
    fixes += [fix for fix in _small_edits(source, message, start, end) if _gets_further(text, fix)]
    strange = re.search(r"invalid (?:non-printable )?character", message)
    if strange is None and (found := next(_foreign_letters(text[start:end]), None)):
        return _foreign(found), fixes
    return "", fixes


def _whole_texts(text: str) -> Iterator[tuple[str, str]]:
    """Yield edits of the whole text that make a program of it."""
    straight = straighten_typography(text)
    if straight != text and is_program(straight):
        yield TYPOGRAPHY, straight
        return
    restored = restore_indentation(straight)
    if restored is not None:
        yield "Restore indentation", restored
        return
    code = keep_only_code(text)
    if code is not None:
        yield "Keep only the code", code
    elif _first_error(straight) > _first_error(text):
        yield TYPOGRAPHY, straight


def _small_edits(source: Source, message: str, start: int, end: int) -> Iterator[Fix]:
    text = source.text
    piece = text[start:end]
    line_start, line_end = source.line_start(start), source.line_end(start)
    line = text[line_start:line_end]
    if found := _SUGGESTION.search(message):
        words = {each.group(): each for each in re.finditer(r"\w+", line)}
        for near in difflib.get_close_matches(found[1], [*words], 1):
            at = line_start + words[near].start()
            yield Fix(f"write {found[1]}", at, at + len(near), found[1])
    if "expected ':'" in message:
        at = line_start + len(line.rstrip())
        yield Fix("write :", start, start, ":")
        yield Fix("write : at the end of the line", at, at, ":")
    if "instead of '='" in message and (found := re.search(r"(?<![=<>!:])=(?!=)", line)):
        yield Fix("write ==", line_start + found.start(), line_start + found.end(), "==")
    if "Did you mean print(...)" in message and piece.startswith("print"):
        yield Fix("write print(...)", start, end, f"print({piece[5:].strip()})")
    if line.rstrip().endswith("\\"):
        at = line_start + len(line.rstrip()) - 1
        yield Fix("leave \\ out", at, at + 1, "")
    if found := re.search(r"\w*[₀-₉⁰¹²³⁴-⁹]+", line):
        plain = found.group().translate(_SMALL_DIGITS)
        yield Fix(f"write {plain}", line_start + found.start(), line_start + found.end(), plain)
    latin = piece.translate(_LATIN)
    if latin != piece:
        yield Fix(f"write {visible(latin, 40)}", start, end, latin)


def _gets_further(text: str, fix: Fix) -> bool:
    """Return True when the text parses after an edit, or its first error is on a later line."""
    return _first_error(fix.apply(text)) > _first_error(text)


def _first_error(text: str) -> float:
    try:
        ast.parse(text)
    except SyntaxError as error:
        return float(error.lineno or 0)
    except (ValueError, RecursionError, MemoryError):
        return 0.0
    return float("inf")


def _module_help(source: Source, told: Mapping[str, Any], start: int, end: int) -> tuple[str, list[Fix]]:
    """Return which modules there are, and the one that may be meant."""
    wrong = str(told["module"])
    modules = [str(name) for name in told["modules"]]
    packages = [str(name) for name in told["packages"]]
    near = difflib.get_close_matches(wrong, [*packages, *modules], 1, 0.75)
    fix = _replaced_name(source, wrong, near[0], start, end) if near else None
    listed = ", ".join(packages)
    more = f"\nThere are {listed}, and {len(modules)} modules of Python's standard library, none that reaches outside."
    return more, [fix] if fix is not None else []


def _name_help(source: Source, message: str, start: int, end: int) -> tuple[str, list[Fix]]:
    """Return what is added for a wrong name or operator, and the edit that CPython suggests."""
    text = source.text
    if _POWER.search(message):
        at = _operator_place(text, start, end)
        fix = Fix("write **", at, at + 1, "**") if at is not None else None
        return ". Powers are written **", [fix] if fix is not None else []
    names = _WRONG_NAME.search(message)
    wrong = next(filter(None, names.groups()), "") if names else ""
    suggested = _SUGGESTION.search(message)
    right = suggested[1] if suggested else ""
    foreign = next(_foreign_letters(wrong), None)
    if foreign is not None:
        right = wrong.translate(_LATIN)
    fix = _replaced_name(source, wrong, right, start, end) if wrong and right else None
    if foreign is not None or not names or names[1] is None:
        more = _foreign(foreign) if foreign is not None else _wrap_help(source, message, start)
        return more, [fix] if fix is not None else []
    more, moved = _bound_below(source, wrong, start)
    return more, [each for each in (moved, fix) if each is not None]


def _bound_below(source: Source, name: str, start: int) -> tuple[str, Fix | None]:
    """Return what is added where a line below binds a name that is missing, and the edit that moves that line up."""
    try:
        body = ast.parse(source.text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "", None
    line = source.place(start)[0]
    user = next((node for node in body if node.lineno <= line <= (node.end_lineno or 0)), None)
    for node in body:
        if user is None or node.lineno <= (user.end_lineno or 0) or name not in _names_bound(node):
            continue
        fix = None
        first, last = source.start_of_line(node.lineno), source.start_of_line((node.end_lineno or 0) + 1)
        alone = [
            each for each in body if each.lineno <= (node.end_lineno or 0) and (each.end_lineno or 0) >= node.lineno
        ]
        if alone == [node]:
            to, text = source.start_of_line(user.lineno), source.text
            moved, between = text[first:last].rstrip("\n"), text[to:first]
            end = "\n" if text[:last].endswith("\n") else ""
            fix = Fix(f"move line {node.lineno} above", to, last, f"{moved}\n{between.rstrip(chr(10))}{end}")
        return f". Line {node.lineno} defines it, but runs later", fix
    return "", None


def _names_bound(statement: ast.stmt) -> set[str]:
    """Return the names that a statement of the top level binds itself."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.For, ast.With, ast.Import, ast.ImportFrom)):
        bound = {
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        aliases = getattr(statement, "names", [])
        return bound | {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
    return set()


def _wrap_help(source: Source, message: str, start: int) -> str:
    """Return how a class of the program takes numbers, where one of its methods was given a plain number."""
    found = _PLAIN_OPERAND.search(message)
    line = source.text.count("\n", 0, start) + 1
    try:
        classes = [node for node in ast.walk(ast.parse(source.text)) if isinstance(node, ast.ClassDef)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    around = next((node.name for node in classes if node.lineno <= line <= (node.end_lineno or 0)), "")
    written = source.text[start : source.line_end(start)]
    name = re.match(rf"(?:.*\W)?(\w+)\.{found[1]}\b", written) if found else None
    if not around or name is None or name[1] == "self":
        return ""
    operand, kind = visible(name[1], 40), visible(around, 40)
    return f". Wrap numbers first: {operand} = {operand} if isinstance({operand}, {kind}) else {kind}({operand})"


def _replaced_name(source: Source, wrong: str, right: str, start: int, end: int) -> Fix | None:
    """Return the edit that writes another name, at its last place in what is underlined."""
    pattern = re.compile(rf"(?<!\w){re.escape(wrong)}(?!\w)")
    places = [found.span() for found in pattern.finditer(source.text, start, end)]
    places = places or [found.span() for found in pattern.finditer(source.text, start, source.line_end(start))][:1]
    return Fix(f"write {visible(right, 40)}", *places[-1], right) if places else None


def _operator_place(text: str, start: int, end: int) -> int | None:
    """Return the offset of the ^ of the expression or statement that is underlined."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    offset = _offsets(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitXor):
            begins = offset(node.lineno, node.col_offset)
            left, right = node.left, node.right
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.BitXor):
            begins = offset(node.lineno, node.col_offset)
            left, right = node.target, node.value
        else:
            continue
        if begins == start and offset(node.end_lineno or 0, node.end_col_offset or 0) >= end:
            between = offset(left.end_lineno or 0, left.end_col_offset or 0), offset(right.lineno, right.col_offset)
            at = text.find("^", *between)
            if at >= 0:
                return at
    return None


def _offsets(text: str) -> Callable[[int, int], int]:
    """Return a function from a line and a column in bytes, as in `ast`, to an offset."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def offset(line: int, column: int) -> int:
        characters = lines[line - 1].encode()[:column].decode(errors="ignore") if line <= len(lines) else ""
        return starts[line - 1] + len(characters)

    return offset


def _foreign_letters(piece: str) -> Iterator[str]:
    """Yield letters that look Latin and are not, in a piece that has Latin ones, or only such letters."""
    for letter in piece:
        if ord(letter) in _LATIN and unicodedata.name(letter, "").startswith(("CYRILLIC", "GREEK")):
            yield letter


def _foreign(letter: str) -> str:
    alphabet = unicodedata.name(letter).partition(" ")[0].capitalize()
    return f". Its {letter} is a {alphabet} letter that looks Latin"
