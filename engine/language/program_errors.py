"""Errors of programs: CPython's own words, at their place, with edits that repair them.

CPython says well what is wrong. This module adds what a beginner needs beyond it: the edit that CPython suggests as a
`Fix`, a lost indentation, a pasted page, typographic characters, letters of another alphabet, and which modules there
are.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import keyword
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.autograd.ops import OPS
from engine.language.errors import Call, Fix, ProgramError
from engine.language.hidden import is_hidden
from engine.language.indentation import restore_indentation
from engine.language.limits import Limits
from engine.language.pasted_text import keep_only_code, straighten_typography
from engine.language.slips import GRADIENT_OF_NUMBER, slip
from engine.language.source import Source, offsets, parse
from engine.messages import visible

LONGEST_MESSAGE = 400
MOST_CALLS = 20
TYPOGRAPHY = "Replace typographic characters"

_SUGGESTION = re.compile(r"Did you mean:? '([^'\n]+)'")
_WRONG_NAME = re.compile(r"name '([^']+)' is not defined|has no attribute '([^']+)'|cannot import name '([^']+)'")
_PLAIN_OPERAND = re.compile(r"'(?:int|float)' object has no attribute '(\w+)'")
_POWER = re.compile(r"unsupported operand type\(s\) for (\^=?):.*\b(?:float|Value)\b")
_UNENCODABLE = re.compile("[\0\ud800-\udfff]")
_LATIN = str.maketrans(
    "аеорсухіјѕԁАВЕКМНОРСТХІЈЅοανρυικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxijsdABEKMHOPCTXIJSoavpuikABEZHIKMNOPTYX"
)
"""Cyrillic and Greek letters that look Latin."""


def _large(digits: str) -> str:
    """Return subscripts and superscripts as letters on the line."""
    return unicodedata.normalize("NFKC", digits)


_FUNCTION_NAMES = "|".join(sorted(op.name for op in OPS.values() if op.elementwise and not op.infix))
_SMALL = "".join(chr(code) for code in (0x2070, 0xB9, 0xB2, 0xB3, *range(0x2074, 0x207A)))
_ELSEWHERE: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\b(?:let|var|const)[ \t]+(\w+[ \t]*=.*?);?$", r"\1"),
    (r"^([ \t]*)function[ \t]+(\w+[ \t]*\([^)]*\))[ \t]*\{?$", r"\1def \2:"),
    (
        r"^([ \t]*)([^\W\d]\w*)\(([^\W\d]\w*(?:,[ \t]*[^\W\d]\w*)*)\)[ \t]*=[ \t]*(?!=)(.+)$",
        lambda found: (
            found[0] if hasattr(builtins, found[2]) else f"{found[1]}def {found[2]}({found[3]}): return {found[4]}"
        ),
    ),
    (r"\b(?:else[ \t]+if|elseif|elsif)\b(.*?)[ \t]*\{?$", r"elif\1"),
    (r"(?<![\w.])([\w.\[\]]+)(\+|-)\2(?![\w(])", r"\1 \2= 1"),
    (r"[ \t]*&&[ \t]*", " and "),
    (r"[ \t]*\|\|[ \t]*", " or "),
    (r"!(?=[\w(])", "not "),
    (rf"([\w.]*[^\W{_SMALL}]|\))[ \t]*([{_SMALL}]+)", lambda found: f"{found[1]} ** {_large(found[2])}"),
    (r"[^\W\d_]\w*[\u2080-\u2089]+", lambda found: _large(found[0])),
    (r"(?<![\w.])0+([1-9]\d*)(?![\w.])", r"\1"),
    (r"(?<![\w.])(?!0[xXbBoO]|[\d.]+[eEjJ])(\d+\.?\d*)([^\W\d_\u2080-\u2089]\w*|\()", r"\1 * \2"),
    (rf"\b({_FUNCTION_NAMES})[ \t]+([\w.]+)", r"\1(\2)"),
    (r"\u221a[ \t]*(\w+|\([^()]*\))", lambda found: f"sqrt({found[1].strip('()')})"),
    (r"\|([^|]+)\|", r"abs(\1)"),
)
"""Spellings of other languages with Python's replacement; tried on the line of an error."""
_LONGEST_LINE = 1000
"""Characters; the time that a pattern takes grows with their square."""

_OUTSIDE = (
    (r"Errno 44|Errno 76|No such file", "Programs cannot open files: write the data into the program"),
    (r"EOF when reading a line", "Programs cannot read input: write the value into the program"),
    (r"can't start new thread", "Programs cannot start threads"),
    (r"'(?:system|popen|fork)'|Errno 58|Errno 52|subprocess|emscripten|wasi", "Programs cannot start other programs"),
)
"""Messages of missing system functions, and additions for the learner."""
_LIMITS: Mapping[str, Callable[[Limits], str]] = {
    "MemoryError": lambda limits: (
        f"MemoryError: the program needs more memory than {limits.object_bytes // 1_000_000} MB, without NumPy's arrays"
    ),
    "OutputLimitReached": lambda limits: f"stopped: the program printed more than {limits.output_bytes / 1e6:g} MB",
    "LimitReached": lambda limits: f"stopped after {limits.seconds:g} s: this line was still running",
    "TooManyValues": lambda limits: f"stopped: the graph has too many nodes ({limits.values:,})",
    "InterpreterFailed": lambda _limits: "the interpreter stopped",
    "NestedTooDeeply": lambda _limits: "stopped: brackets or operators are nested too deeply",
    "StackOverflow": lambda _limits: "stopped: calls or brackets are nested too deeply",
}
"""Messages about limits that a program reached."""
_LAST_LINE = ("MemoryError", "TooManyValues", "ReportFailed")
"""Errors that are shown at the last line where none is known: the program had ended, or no memory was left."""


def error_of(source: Source, reported: Mapping[str, Any], limits: Limits) -> ProgramError:
    """Return the error of a report (`guest/errors.py`).

    Args:
        source: the program.
        reported: the `error` of the report.
        limits: of the run.
    """
    kind, message = str(reported["kind"]), visible(str(reported["message"]), LONGEST_MESSAGE)
    calls = tuple(
        Call("" if name == "<module>" else visible(str(name), 64), int(line))
        for name, line in reported["calls"][-MOST_CALLS:]
    )
    if kind in ("NestedTooDeeply", "StackOverflow") and not reported["calls"] and not reported.get("line"):
        reported = {**reported, "line": 1 + max(enumerate(source.text.split("\n")), key=lambda each: len(each[1]))[0]}
    start, end = _span(source, reported)
    if found := _UNENCODABLE.search(source.text) if kind in ("SyntaxError", "UnicodeEncodeError") else None:
        kind, message = "SyntaxError", f"invalid character U+{ord(found[0]):04X}"
        start, end = found.span()
    words = f"{kind}: {message}" if message else kind
    more, fixes = "", list[Fix]()
    at_limit = kind in _LIMITS or kind == "RecursionError"
    if kind in _LIMITS:
        words = words if kind == "MemoryError" and message else _LIMITS[kind](limits)
    elif kind == "ReportFailed":
        words = f"the program came to its end, but not everything that it left can be shown ({message})"
    elif kind in ("SyntaxError", "IndentationError", "TabError"):
        more, fixes = _syntax_help(source, message, start, end)
    elif "modules" in reported:
        more, fixes = _module_help(source, reported, start, end)
    else:
        more, fixes = slip(source, message, start, end)
        if not more:
            more, fixes = _name_help(source, message, start, end)
        more = more or _call_help(source, message, start, end, fixes) or _self_help(source, message, fixes)
        more = more or next((f". {said}" for pattern, said in _OUTSIDE if re.search(pattern, message)), "")
    words += more.removeprefix(".") if words.endswith("?") else more
    error = source.error(words, start, end, *fixes)
    error.calls = calls
    error.at_limit = at_limit
    return error


def _span(source: Source, reported: Mapping[str, Any]) -> tuple[int, int]:
    """Return the offsets of what is underlined: on one line, and never empty."""
    line, column = int(reported.get("line", 0)), int(reported.get("column", 0))
    if line < 1:
        return source.span_of_line(1 + source.text.rstrip().count("\n") if reported["kind"] in _LAST_LINE else 1)
    if column < 1 or reported["kind"] == "IndentationError":
        return source.span_of_line(line)
    start = min(source.start_of_line(line) + column - 1, source.line_end(source.start_of_line(line)))
    end = source.line_end(start)
    if reported.get("end_line") == line and reported.get("end_column", 0) > column:
        end = min(end, start + reported["end_column"] - column)
    return start, max(end, start + 1)


def _syntax_help(source: Source, message: str, start: int, end: int) -> tuple[str, list[Fix]]:
    """Return the addition to the message of a syntax error, and edits after which the text parses."""
    text = source.text
    elsewhere = [fix for fix in _elsewhere(source, start) if _gets_further(text, fix)][:1]
    small = elsewhere + [fix for fix in _small_edits(source, message, start, end) if _gets_further(text, fix)]
    whole = [Fix(title, 0, len(text), new, preview=True) for title, new in _whole_texts(text, not small) if new != text]
    by_result: dict[str, Fix] = {}
    for fix in (*small, *whole):
        by_result.setdefault(fix.apply(text), fix)
    fixes = [by_result[result] for result in sorted(by_result, key=lambda result: parse(result) is None)]
    strange = re.search(r"invalid (?:non-printable )?character", message)
    if strange is not None and is_hidden(text[start]):
        return ". It is invisible", [Fix("remove it", start, start + 1, ""), *fixes]
    if strange is None and (found := next(_foreign_letters(text[start:end]), None)):
        return _foreign(found), fixes
    if elsewhere:
        return f". {elsewhere[0].title[:1].upper()}{elsewhere[0].title[1:]}", fixes
    if message == "invalid syntax" and keyword.iskeyword(word := _word_before(text, start)):
        return f". {word} is a keyword of Python and cannot be a name", fixes
    if message == "invalid syntax" and not text[start:end].strip():
        return ". Something is missing at the end of this line", fixes
    return "", fixes


def _word_before(text: str, at: int) -> str:
    """Return the word that begins a line and stands before an equals sign there."""
    line = text[text.rfind("\n", 0, at) + 1 : at].strip()
    return line if text[at : at + 1] == "=" else ""


def _whole_texts(text: str, may_drop: bool) -> Iterator[tuple[str, str]]:
    """Yield edits of the whole text that make a program of it; `may_drop`: lines that are no code, too."""
    straight = straighten_typography(text)
    if straight != text and parse(straight) is not None:
        yield TYPOGRAPHY, straight
        return
    restored = restore_indentation(straight)
    if restored is not None:
        yield "Restore indentation", restored
        return
    code = keep_only_code(text) if may_drop else None
    if code is not None and _is_page(text, code):
        yield "Keep only the code", code
    elif _first_error(straight) > _first_error(text):
        yield TYPOGRAPHY, straight


def _is_page(text: str, code: str) -> bool:
    """Return True where more than one short line, which may be just being typed, is no part of the code of a text."""
    kept = {line for line in map(str.strip, code.split("\n")) if line}
    left_out = [line for line in map(str.strip, text.split("\n")) if line and line not in kept]
    has_prompts = any(line.endswith(each) for line in left_out for each in kept)
    return has_prompts or len(left_out) > 1 or any(len(re.findall(r"[^\W\d]{2,}", line)) > 2 for line in left_out)


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
        if at != start:
            yield Fix("write : at the end of the line", at, at, ":")
    if "instead of '='" in message and (found := re.search(r"(?<![=<>!:])=(?!=)", line)):
        yield Fix("write ==", line_start + found.start(), line_start + found.end(), "==")
    if "Did you mean print(...)" in message and piece.startswith("print"):
        yield Fix("write print(...)", start, end, f"print({piece[5:].strip()})")
    if line.rstrip().endswith("\\"):
        at = line_start + len(line.rstrip()) - 1
        yield Fix("remove \\", at, at + 1, "")
    latin = piece.translate(_LATIN)
    if latin != piece:
        yield Fix(f"write {visible(latin, 40)}", start, end, latin)


def _elsewhere(source: Source, start: int) -> Iterator[Fix]:
    """Yield the edit that writes a line as Python does which is written as mathematics or other languages do."""
    line_start, line_end = source.line_start(start), source.line_end(start)
    line = source.text[line_start:line_end]
    if len(line) > _LONGEST_LINE:
        return
    for pattern, here in _ELSEWHERE:
        written = re.sub(pattern, here, line)
        if written != line and (found := re.search(pattern, line)):
            new = found.expand(here) if isinstance(here, str) else here(found)
            yield Fix(f"write {visible(new, 40).strip()}", line_start, line_end, written)


def _gets_further(text: str, fix: Fix) -> bool:
    """Return True when the text parses after an edit, or its first error stands further down or further right."""
    return _first_error(fix.apply(text)) > _first_error(text)


def _first_error(text: str) -> tuple[float, float]:
    try:
        ast.parse(text)
    except SyntaxError as error:
        return error.lineno or 0, error.offset or 0
    except (ValueError, RecursionError, MemoryError):
        return 0, 0
    return math.inf, math.inf


def _module_help(source: Source, reported: Mapping[str, Any], start: int, end: int) -> tuple[str, list[Fix]]:
    """Return which modules there are, and the one that may be meant."""
    wrong = str(reported["module"])
    modules = [str(name) for name in reported["modules"]]
    packages = [str(name) for name in reported["packages"]]
    near = difflib.get_close_matches(wrong, [*packages, *modules], 1, 0.75)
    fix = _replaced_name(source, wrong, near[0], start, end) if near else None
    listed = ", ".join(packages)
    more = f". There are {listed}, and {len(modules)} modules of Python's standard library, without files and network."
    return more, [fix] if fix is not None else []


def _name_help(source: Source, message: str, start: int, end: int) -> tuple[str, list[Fix]]:
    """Return the addition to the message for a wrong name or operator, and the edit that CPython suggests."""
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
    fixes = [fix] if fix is not None else []
    if foreign is not None:
        return _foreign(foreign), fixes
    if wrong in _WORDS_ELSEWHERE and (not right or wrong in _NUMBERS):
        word = _WORDS_ELSEWHERE[wrong]
        return f". Python writes {word}", [Fix(f"write {word}", start, end, word)]
    if not re.match(r"name '\w+' is not defined", message):
        plain = ". A plain number has no gradient" if GRADIENT_OF_NUMBER.search(message) else ""
        return _wrap_help(source, message, start) or plain, fixes
    if (alike := _look_alike(text, wrong)) is not None:
        name, letter = alike
        pattern = rf"(?<!\w){re.escape(name)}(?!\w)"
        fix = Fix(f"write {wrong} for every {name}", 0, len(text), re.sub(pattern, wrong, text), preview=True)
        return f"{_foreign(letter, f'the name {name} in line {source.place(text.index(name))[0]}')}", [fix]
    more, moved = _bound_below(source, wrong, start)
    if more:
        return more, [each for each in (moved, fix) if each is not None]
    at = source.line_start(start)
    if not fixes and not re.match(r"\s*[.(]", text[end:]) and not re.match(r"\s*(?:@|def |class )", text[at:]):
        blanks = text[at : at + len(text[at:]) - len(text[at:].lstrip(" \t"))]
        fixes.append(Fix(f"write {visible(wrong, 20)} = 1.0 above", at, at, f"{blanks}{wrong} = 1.0\n"))
    return "", fixes


_NUMBERS = dict.fromkeys(("NaN", "nan"), 'float("nan")') | dict.fromkeys(("Infinity", "inf"), 'float("inf")')
_NO_VALUE = ("null", "Null", "NULL", "nullptr", "nil", "none", "nothing", "Nothing", "undefined")
_WORDS_ELSEWHERE = dict.fromkeys(_NO_VALUE, "None") | {
    "true": "True", "TRUE": "True", "false": "False", "FALSE": "False",
    "this": "self", "puts": "print", "echo": "print",
} | _NUMBERS  # fmt: skip
"""Python's names for words of other languages."""


def _bound_below(source: Source, name: str, start: int) -> tuple[str, Fix | None]:
    """Return the addition where a line below binds a missing name, and the edit that moves that line up."""
    tree = parse(source.text)
    body = tree.body if tree is not None else []
    line = source.place(start)[0]
    user = next((node for node in body if node.lineno <= line <= (node.end_lineno or 0)), None)
    for node in body:
        if user is None or node.lineno <= (user.end_lineno or 0) or name not in _names_bound(node):
            continue
        fix = None
        first_line = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        first, last = source.start_of_line(first_line), source.start_of_line((node.end_lineno or 0) + 1)
        alone = [
            each for each in body if each.lineno <= (node.end_lineno or 0) and (each.end_lineno or 0) >= first_line
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
    """Return how to wrap numbers for a class of the program whose method was given a plain number."""
    found = _PLAIN_OPERAND.search(message)
    line = source.text.count("\n", 0, start) + 1
    tree = parse(source.text)
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)] if tree is not None else []
    around = next((node.name for node in classes if node.lineno <= line <= (node.end_lineno or 0)), "")
    written = source.text[start : source.line_end(start)]
    name = re.match(rf"(?:.*\W)?(\w+)\.{found[1]}\b", written) if found else None
    if not around or name is None or name[1] == "self":
        return ""
    operand, kind = visible(name[1], 40), visible(around, 40)
    return f". Wrap numbers first: {operand} = {operand} if isinstance({operand}, {kind}) else {kind}({operand})"


def _call_help(source: Source, message: str, start: int, end: int, fixes: list[Fix]) -> str:
    """Return the addition to the message for a call of an object that is no function."""
    if "object is not callable" not in message or (tree := parse(source.text)) is None:
        return ""
    offset = offsets(source.text)
    defined = {each.name for each in ast.walk(tree) if isinstance(each, (ast.FunctionDef, ast.ClassDef))}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or offset(node.lineno, node.col_offset) != start:
            continue
        if offset(node.end_lineno or 0, node.end_col_offset or 0) != end:
            continue
        if isinstance(node.func, ast.Name) and node.func.id in defined | OPS.keys() | vars(builtins).keys():
            return f". The program has given the name {node.func.id} another value"
        behind = offset(node.func.end_lineno or 0, node.func.end_col_offset or 0)
        if re.match("'(?:int|float|Value)'", message) and len(node.args) == 1 and not node.keywords:
            behind += re.match(r"[\s)]*", source.text[behind:end]).end()  # type: ignore[union-attr]
            fixes.append(Fix("write *", behind, behind, " * "))
            return ". A product needs *"
        has_arguments = node.args or node.keywords
        if re.match("'(?:int|float)'", message) and isinstance(node.func, ast.Attribute) and not has_arguments:
            fixes.append(Fix("remove ()", behind, end, ""))
            return ". It is a number: leave out the brackets"
    return ""


def _self_help(source: Source, message: str, fixes: list[Fix]) -> str:
    """Return the addition to the message for a method without its first parameter, self."""
    found = _ONE_ARGUMENT_MORE.search(message)
    tree = parse(source.text) if found and int(found[4]) == int(found[3]) + 1 else None
    classes = [each for each in ast.walk(tree) if isinstance(each, ast.ClassDef)] if tree is not None else []
    for method in [part for each in classes if found and each.name == found[1] for part in each.body]:
        if not isinstance(method, ast.FunctionDef) or not found or method.name != found[2] or method.decorator_list:
            continue
        parameters = method.args.posonlyargs + method.args.args
        if parameters and parameters[0].arg == "self":
            continue
        at = source.text.index("(", offsets(source.text)(method.lineno, method.col_offset)) + 1
        fixes.append(Fix("write self", at, at, "self, " if parameters else "self"))
        return ". The first parameter of a method is self"
    return ""


_ONE_ARGUMENT_MORE = re.compile(r"(\w+)\.(\w+)\(\) takes (\d+) positional arguments? but (\d+) (?:was|were) given")


def _replaced_name(source: Source, wrong: str, right: str, start: int, end: int) -> Fix | None:
    """Return the edit that writes another name, at its last place in what is underlined."""
    pattern = re.compile(rf"(?<!\w){re.escape(wrong)}(?!\w)")
    places = [found.span() for found in pattern.finditer(source.text, start, end)]
    places = places or [found.span() for found in pattern.finditer(source.text, start, source.line_end(start))][:1]
    return Fix(f"write {visible(right, 40)}", *places[-1], right) if places else None


def _operator_place(text: str, start: int, end: int) -> int | None:
    """Return the offset of the ^ of the expression or statement that is underlined."""
    tree, offset = parse(text), offsets(text)
    for node in ast.walk(tree) if tree is not None else ():
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
            return text.index("^", *between)
    return None


def _foreign_letters(piece: str) -> Iterator[str]:
    """Yield letters that look Latin and are not, in a piece that has Latin ones, or only such letters."""
    for letter in piece:
        if ord(letter) in _LATIN and unicodedata.name(letter, "").startswith(("CYRILLIC", "GREEK")):
            yield letter


def _foreign(letter: str, name: str = "") -> str:
    """Return the sentence on a letter that looks Latin, of the name that the message is of or another one."""
    alphabet = unicodedata.name(letter).partition(" ")[0].capitalize()
    whose = f"In {name}, {letter}" if name else f"Its {letter}"
    return f". {whose} is a {alphabet} letter that looks Latin"


def _look_alike(text: str, wrong: str) -> tuple[str, str] | None:
    """Return a name of the program that looks like a wrong one, and its first letter that is not Latin."""
    for name in re.findall(r"\b[^\W\d]\w*", text):
        if name != wrong and name.translate(_LATIN) == wrong and (letter := next(_foreign_letters(name), None)):
            return name, letter
    return None
