"""A program text as tokens with places: limits, strange characters, brackets.

Everything here is linear in the length of the text and without recursion, so no text can hang or crash what follows: a
text that passes has at most 20,000 characters, 500 lines and 200 open brackets. Offsets in the cleaned text are offsets
in the text as typed, because cleaning replaces characters one by one.
"""

from __future__ import annotations

import ast
import re
import unicodedata
from bisect import bisect_right
from typing import NamedTuple

from engine.language.errors import Fix, ProgramError
from engine.language.hidden import is_hidden

MAX_CHARACTERS = 20_000
MAX_LINES = 500
MAX_BRACKETS = 200
MAX_NAME = 64

_BLANKS = dict.fromkeys((0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000, 0x0B, 0x0C, 0x85), " ")
_BLANKS |= {0x2028: "\n", 0x2029: "\n"}

_QUOTED = r"""\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|["'][^\n]*"""
PATTERN = re.compile(
    rf"""(?P<newline>\n)
    |(?P<space>\A\ufeff|[ \t]+|\\\n)
    |(?P<comment>\#[^\n]*)
    |(?P<string>[rRbBfFuU]{{0,2}}(?:{_QUOTED}))
    |(?P<number>0[xX]\w*|\.?[0-9](?:[eE][+-][0-9]|\w|\.)*)
    |(?P<name>[^\W\d]\w*)
    |(?P<operator>\*\*=|//=|<<=|>>=|\*\*|//|<<|>>|[-+*/%@&|^=!<>:]=|->|\.\.\.|[-+*/%@&|^~=<>(){{}}\[\],:;.!])
    |(?P<bad>[\s\S])""",
    re.VERBOSE,
)
"""One token of the language; whatever fits nothing is a `bad` character. It never fails to match."""

_CLOSER = {"(": ")", "[": "]", "{": "}"}


class Token(NamedTuple):
    """A piece of the text: kind (a group of `PATTERN`, or `end`), text (names in NFKC form), offsets."""

    kind: str
    text: str
    start: int
    end: int


class Source:
    """A program text that is within the limits, with the means to name places in it.

    Attributes:
        text: the text with line ends and blanks made uniform; as long as the one typed.
    """

    def __init__(self, text: str) -> None:
        start = text[: MAX_CHARACTERS + 1]  # of a text that is longer only this is looked at
        plain = start.replace("\r\n", " \n").replace("\r", "\n")
        if plain.startswith("\ufeff"):
            plain = "\f" + plain[1:]  # Python passes over a form feed at the start of a line, and over no mark
        blank = plain.translate(_BLANKS)
        self.text = plain if plain == blank or _parses(plain) else blank
        self._line_starts = [0]
        self._line_starts += [found.end() for found in re.finditer("\n", self.text)]
        self._refuse_too_much(len(text))

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line_start(self, offset: int) -> int:
        """Offset of the start of the line that `offset` is in."""
        return self._line_starts[bisect_right(self._line_starts, offset) - 1]

    def start_of_line(self, line: int) -> int:
        """Offset of the start of a line, from 1; of one behind the last the end of the text."""
        return self._line_starts[line - 1] if line <= len(self._line_starts) else len(self.text)

    def line_end(self, offset: int) -> int:
        """Offset of the end of the line that `offset` is in."""
        end = self.text.find("\n", offset)
        return len(self.text) if end < 0 else end

    def span_of_line(self, line: int) -> tuple[int, int]:
        """Offsets of where the text of a line, from 1, begins behind its blanks, and where it ends."""
        start = self.start_of_line(line)
        end = self.line_end(start)
        return end - len(self.text[start:end].lstrip()), end

    def error(self, message: str, start: int, end: int | None = None, *fixes: Fix | None) -> ProgramError:
        """An error that underlines the text from `start` to `end`, with the edits that repair it."""
        line, column = self.place(start)
        return ProgramError(message, line, column, column + max((end or start) - start, 1), fixes)

    def _refuse_too_much(self, characters: int) -> None:
        lines = self.text.removesuffix("\n").count("\n") + 1
        if characters > MAX_CHARACTERS:
            message = f"the text is too long: {characters:,} characters, at most {MAX_CHARACTERS:,}"
            raise self.error(message, MAX_CHARACTERS)
        if lines > MAX_LINES:
            message = f"the text has too many lines: {lines:,}, at most {MAX_LINES:,}"
            raise self.error(message, self._line_starts[MAX_LINES])


def tokenize(source: Source) -> list[Token]:
    """The tokens of a text, ending in one of kind `end`; line ends inside brackets, blanks and comments left out.

    Raises:
        ProgramError: for brackets that do not match or nest more than 200 deep.
    """
    tokens: list[Token] = []
    brackets: list[Token] = []
    for found in PATTERN.finditer(source.text):
        kind = found.lastgroup
        if kind in ("space", "comment") or (kind == "newline" and brackets):
            continue
        token = Token(kind or "bad", found.group(), found.start(), found.end())
        if kind == "name" and not token.text.isascii():
            token = _normalised(token)
        elif kind == "operator" and token.text in "()[]{}":
            _match(source, brackets, token)
        tokens.append(token)
    if brackets:
        raise source.error(f"{brackets[-1].text} was never closed", brackets[-1].start)
    tokens.append(Token("end", "", len(source.text), len(source.text)))
    return tokens


def _match(source: Source, brackets: list[Token], token: Token) -> None:
    if token.text in _CLOSER:
        brackets.append(token)
        if len(brackets) > MAX_BRACKETS:
            raise source.error(f"too many nested parentheses ({MAX_BRACKETS})", token.start)
    elif not brackets:
        raise source.error(f"{token.text} closes nothing: there is no {_opener(token.text)} before it", token.start)
    elif _CLOSER[(opener := brackets.pop()).text] != token.text:
        line, column = source.place(opener.start)
        raise source.error(f"{token.text} cannot close the {opener.text} of line {line}, column {column}", token.start)


def _opener(closer: str) -> str:
    return next(opener for opener, partner in _CLOSER.items() if partner == closer)


def _parses(text: str) -> bool:
    """Return True for a program: what stands in its strings is then kept as it is."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def may_stand_in_name(letter: str) -> bool:
    """Whether a character may be part of a name: a letter, a digit or _ that can be seen."""
    return ("_" + letter).isidentifier() and not is_hidden(letter)


def _normalised(token: Token) -> Token:
    """The name in the form in which Python would compare it (NFKC): `µ` is one name however it is typed."""
    name = unicodedata.normalize("NFKC", token.text)
    if all(map(may_stand_in_name, token.text)) and name.isidentifier():
        return token._replace(text=name)
    return token._replace(kind="bad")
