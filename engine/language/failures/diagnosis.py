"""A first look at a text: whether it is a program of formulas, and what is best said where Python refuses a line.

A program of formulas consists of names, numbers, operators and calls of the table's functions alone, line after line.
Its numbers are values of the graph without being called so. The grammar of formulas (`../grammar/parser.py`) has better
words for a beginner's mistakes than Python, so where Python refuses a line, or a line raises, that grammar looks at it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from engine.language import words
from engine.language.advice.notes import Note
from engine.language.advice.other_languages import of_another_language
from engine.language.errors import ProgramError
from engine.language.grammar.statements import StatementReader
from engine.language.sandbox_session import ProgramFailed
from engine.language.source import Source, Token, tokenize
from engine.messages import visible

_OF_FORMULAS_ONLY = (
    "that is not available here", "not a number: only numbers", "attributes are not allowed", "[ ] is not available",
    "{ } is not available", "compares", "one name on the left", "no type annotations", "a comma is not allowed",
    "positional arguments only", "text is not allowed", "one number only", "single numbers",
    "unknown function", "is a reserved word that", "'False'", "only numbers are computed",
    "is a method: write",
)  # fmt: skip
"""Words of the messages about what Python has and a program of formulas has not."""

_NO_NAME = "a name is expected after the dot"
"""Said of a line that Python refuses as well; of one that it runs the message of the run says more."""

_OPERATORS_OF_PYTHON = ("//", "%", "@", "&", "~", "<<", ">>", ":", "->", "[", "{")

_NOT_MEANT = ("decimal comma", "no commas within a number", "^ is not power")

_FIRST = ("nested too deeply", "invalid character U+D", "invisible character")
"""Words of the messages that come before anything Python has to say."""


class Verdict:
    """What the grammar of formulas says about a text.

    Attributes:
        is_formulas: whether it is a program of formulas.
        notes: what is worth telling about it, if it is.
    """

    def __init__(self, source: Source, error: ProgramError | None, notes: Sequence[Note]) -> None:
        self._source = source
        self._error = error
        self.is_formulas = error is None
        self.notes = list(notes) if error is None else []

    def refuse_first(self) -> None:
        """Refuses what Python need not look at: what is nested too deeply, or holds characters of no program.

        Raises:
            ProgramError: at its place.
        """
        error = self._error
        if error is not None and (any(part in error.message for part in _FIRST)):
            raise error

    def refuse(self) -> None:
        """Refuses what Python takes for something else than was meant.

        Raises:
            ProgramError: for `3,14`, which is a pair of numbers to Python, and `x ^ 2`, which is not a power.
        """
        error = self._error
        if error is not None and error.message.startswith(_NOT_MEANT):
            raise error

    def of_syntax(self, refused: SyntaxError) -> ProgramError:
        """What is said about a line that Python refuses."""
        line = refused.lineno or 1
        if (other := of_another_language(self._source, line)) is not None:
            return other
        error = self._error
        if error is None or error.line != line:
            error = _look_at_line(self._source, line)
        if (refused.msg or "").startswith("unterminated string") and (error is None or error.line != line):
            return _in_words(self._source, refused)  # a bracket is open because the quote is
        if error is not None and not _is_of_formulas_only(error) and "has no value" not in error.message:
            return error
        if self._error is not None and self._error.line <= line and _is_bracket(self._error):
            return self._error
        return _in_words(self._source, refused)

    def better(self, error: ProgramError, failed: ProgramFailed) -> ProgramError:
        """The error of a run, or what the grammar of formulas says about the same line if that says more."""
        ours = self._error
        if ours is None or ours.line != error.line or _is_of_formulas_only(ours, strictly=True):
            return error
        if failed.kind not in ("NameError", "TypeError", "AttributeError", "UnboundLocalError"):
            return error
        return ProgramError(ours.message, ours.line, ours.column, ours.end_column, ours.fixes, error.calls)


def look_at(source: Source, without_commands: Source) -> Verdict:
    """Looks at a text as a program of formulas; the commands of a notebook are not looked at."""
    try:
        program = StatementReader(without_commands, tokenize(without_commands))
        program.run()
    except ProgramError as error:
        return Verdict(source, error, ())
    return Verdict(source, None, program.notes)


def _is_of_formulas_only(error: ProgramError, strictly: bool = False) -> bool:
    if error.message.startswith(_OPERATORS_OF_PYTHON) and "is not available" in error.message:
        return True
    return any(part in error.message for part in _OF_FORMULAS_ONLY) or (not strictly and _NO_NAME in error.message)


def _is_bracket(error: ProgramError) -> bool:
    return any(
        part in error.message for part in ("was never closed", "closes nothing", "cannot close", "too many nested")
    )


def _look_at_line(source: Source, line: int) -> ProgramError | None:
    """What the grammar of formulas says about one line, every name in it taken as known."""
    try:
        tokens = tokenize(source)
    except ProgramError as error:
        return error
    start = source.start_of_line(line)
    end = source.line_end(start)
    own = [token for token in tokens if start <= token.start <= end and token.kind != "newline"]
    own = [*own, Token("end", "", end, end)] if not own or own[-1].kind != "end" else own
    program = StatementReader(source, own)
    program.builder.names = _EveryName()
    program.builder.bound_at = defaultdict(int)
    try:
        program.run()
    except ProgramError as error:
        return None if "is a number here" in error.message else error
    return None


class _EveryName(dict[str, Any]):
    """Every name that is not a function stands for a number."""

    def __contains__(self, name: object) -> bool:
        return name not in words.FUNCTION_NAMES and name not in words.MODULES and name not in words.KEYWORDS

    def __getitem__(self, name: str) -> Any:
        return None


_PLAIN_WORDS = (
    ("expected ':'", "a : is missing here"),
    ("unterminated string literal", "the text that begins here has no closing quote"),
    ("unterminated triple-quoted", "the text that begins here has no closing quotes"),
    ("unterminated f-string", "the text that begins here has no closing quote"),
    ("expected an indented block after", "the lines that belong to the line above have to be indented"),
    ("unexpected indent", "this line is indented differently: start it below the line before"),
    ("unindent does not match", "this line is indented differently: start it below the line before"),
    ("inconsistent use of tabs", "this line is indented differently: start it below the line before"),
    ("invalid syntax. Perhaps you forgot a comma", "something is missing here: a comma, perhaps"),
    ("Maybe you meant '==' or ':='", "= gives a value to a name; to compare write =="),
    ("cannot assign to", "this cannot be given a value: a name is expected on the left of ="),
    ("'return' outside function", "return stands outside of a function"),
    ("'break' outside loop", "break stands outside of a loop"),
    ("'continue' not properly in loop", "continue stands outside of a loop"),
    ("invalid decimal literal", "this is not a number and not a name: names begin with a letter"),
    ("Missing parentheses in call to 'print'", "print needs brackets: write print(…)"),
    ("invalid non-printable character", "a character that cannot be seen stands here: delete it"),
    ("f-string", "the braces of this text do not hold an expression"),
    ("unmatched", "this bracket closes nothing"),
)


def _in_words(source: Source, refused: SyntaxError) -> ProgramError:
    message = refused.msg or "invalid syntax"
    said = next((words_ for part, words_ in _PLAIN_WORDS if part in message), None)
    line = max(refused.lineno or 1, 1)
    start = source.start_of_line(line)
    end = source.line_end(start)
    if "indent" in message and "block" not in message:
        at = source.span_of_line(line)[0]
    else:
        at = min(start + max((refused.offset or 1) - 1, 0), end)
    if said is None:
        rest = source.text[at:end].split()
        said = (
            f"Python does not understand this line from here on: {visible(rest[0][:20])}"
            if rest
            else "something is missing here"
        )
    return source.error(said, at, at + 1)
