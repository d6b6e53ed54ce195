"""What an editor needs while the text is still wrong: colours of its tokens and completions of names.

Works on any text, token by token, without looking for errors; pure functions, fast enough for every key press.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from typing import NamedTuple

from engine.language import words
from engine.language.source import MAX_CHARACTERS, PATTERN, Token
from engine.quick_dataclass import dataclass

_BUILT_IN = frozenset(name for name in dir(builtins) if name.islower() and callable(getattr(builtins, name)))
_WORD_BEFORE = re.compile(r"(\.?)([^\W\d]\w*)?$")
_BOUND = re.compile(r"(?:^|;|\n)[ \t]*([^\W\d]\w*)[ \t]*(?:[-+*/]|\*\*)?=(?!=)")


class Span(NamedTuple):
    """A stretch of one line in one colour.

    Attributes:
        line: from 1.
        column: from 1.
        length: number of characters.
        kind: `number`, `function`, `name`, `operator`, `comment`, `string`, `keyword`, `set-aside` or `bad`.
    """

    line: int
    column: int
    length: int
    kind: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A word that could stand at the caret.

    Attributes:
        text: the whole word.
        kind: `name`, `function` or `method`.
        detail: one sentence about it.
    """

    text: str
    kind: str
    detail: str


def highlight(text: str) -> list[Span]:
    """The coloured stretches of a text in its order, whether or not it is a program; the first 20,000 characters."""
    spans: list[Span] = []
    line, line_start = 1, 0
    for statement in _statements(text[:MAX_CHARACTERS]):
        aside = _is_set_aside([token for token in statement if token.kind not in ("space", "comment")])
        for index, token in enumerate(statement):
            kind = "set-aside" if aside and token.kind != "comment" else _kind(token, statement, index)
            for part in token.text.split("\n"):
                if part and token.kind != "space":
                    spans.append(Span(line, token.start - line_start + 1, len(part), kind))
                if len(part) != len(token.text):
                    line += 1
                    line_start = token.start + len(part) + 1
                    token = token._replace(start=line_start, text=token.text[len(part) + 1 :])
    return spans


def _statements(text: str) -> Iterator[list[Token]]:
    """All tokens, blanks included, statement by statement; brackets join lines."""
    statement: list[Token] = []
    depth = 0
    for found in PATTERN.finditer(text):
        token = Token(found.lastgroup or "bad", found.group(), found.start(), found.end())
        statement.append(token)
        if token.kind == "operator":
            depth = max(0, depth + (token.text in "([{") - (token.text in ")]}"))
        if (token.kind == "newline" and not depth) or token.text == ";":
            yield statement
            statement = []
    yield statement


def _kind(token: Token, statement: list[Token], index: int) -> str:
    if token.kind != "name" or not token.text.isidentifier():
        return "bad" if token.kind == "name" else token.kind
    if token.text in words.KEYWORDS:
        return "keyword"
    if token.text not in words.FUNCTION_NAMES and token.text not in words.LEAF_MAKERS and token.text not in _BUILT_IN:
        return "name"
    behind = (statement[at] for at in range(index + 1, len(statement)))
    following = next((other for other in behind if other.kind != "space"), None)
    return "function" if following is not None and following.text == "(" else "name"


def _is_set_aside(tokens: list[Token]) -> bool:
    """Whether it is a command of a notebook: `%matplotlib inline`, `!pip install`."""
    return bool(tokens) and tokens[0].text[0] in "%!"


def completions(text: str, at: int | str) -> list[Completion]:
    """What could stand at a place: methods after a dot, else names bound in the text, then functions.

    Args:
        text: the whole program.
        at: offset of the caret, or the beginning of the word itself.
    """
    found = _WORD_BEFORE.search(at if isinstance(at, str) else text[max(0, at - 65) : at])
    dot, prefix = (found[1], found[2] or "") if found else ("", "")
    if dot:
        return [completion for completion in _functions("method") if completion.text.startswith(prefix)]
    bound = dict.fromkeys(name for name in _BOUND.findall(text[:MAX_CHARACTERS]) if name != prefix)
    known = [Completion(name, "name", "a value of this program") for name in bound]
    matching = (c for c in (*known, *_functions("function")) if c.text.lower().startswith(prefix.lower()))
    return list(matching)


def _functions(kind: str) -> Iterator[Completion]:
    for op in words.FUNCTIONS.values():
        if not op.infix and (kind == "function" or not op.variadic):
            yield Completion(op.name, kind, op.rule)
    if kind == "function":
        yield Completion("sum", kind, "Adds any number of values.")
        yield Completion("Value", kind, "Makes a leaf of a number: Value(2.0, label='a').")
