"""What an editor needs while the text is still wrong: colours of its tokens and completions of names.

Works on any text: Python's own `tokenize` reads it, line by line from where it stops. Pure functions, fast enough for
every key press.
"""

from __future__ import annotations

import builtins
import io
import keyword
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from engine.autograd.ops import OPS, Op
from engine.language.source import MAX_CHARACTERS
from engine.quick_dataclass import dataclass

_FUNCTIONS: Mapping[str, Op] = {op.name: op for op in OPS.values() if (op.elementwise or op.variadic) and not op.infix}
_SYNONYMS = frozenset(name for op in _FUNCTIONS.values() for name in op.synonyms)
_ENGINE_NAMES = {
    "Value": "Makes a leaf of a number: Value(2.0, label='a').",
    "Neuron": "A neuron with random weights: Neuron(2).",
    "Layer": "Neurons side by side: Layer(2, 4).",
    "MLP": "A network of layers: MLP(2, [4, 1]).",
}
_LEAF_MAKERS = frozenset({"tensor", "Tensor", "array", "float64"})
_BUILT_IN = frozenset(name for name in dir(builtins) if name.islower() and callable(getattr(builtins, name)))
_CALLABLE = frozenset(_FUNCTIONS) | _SYNONYMS | _BUILT_IN | _LEAF_MAKERS | frozenset(_ENGINE_NAMES)
_WORD_BEFORE = re.compile(r"((?:[^\W\d]\w*)?\.)?([^\W\d]\w*)?$")
_BOUND = re.compile(
    r"(?:^|;|\n)[ \t]*(?:([^\W\d]\w*)[ \t]*(?:[-+*/]|\*\*)?=(?!=)"
    r"|(?:def|class|for)[ \t]+([^\W\d]\w*)|import[ \t]+([^\W\d]\w*))"
)
MOST_STOPS = 20
"""Python's tokenizer begins again behind so many lines that it does not take."""
_COMMAND = re.compile(r"^[ \t]*[%!]")
_SIGN = re.compile(r"\*\*=|//=|<<=|>>=|\*\*|//|<<|>>|[-+*/%@&|^=!<>:]=|->|\.\.\.|[-+*/%@&|^~=<>(){}\[\],:;.!]")
_PIECE = re.compile(
    r"[ \t\f\r]+|#.*|[^\W\d]\w*|\d[\w.]*|(?P<string>'[^']*'?|\"[^\"]*\"?)|" + _SIGN.pattern + r"|[\s\S]"
)
_STRINGS = frozenset(
    number for number, name in tokenize.tok_name.items() if name == "STRING" or name.startswith(("FSTRING", "TSTRING"))
)


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


class _Token(NamedTuple):
    """A piece of one line: kind of its colour, text, line from 1 and column from 0."""

    kind: str
    text: str
    line: int
    column: int


def highlight(text: str) -> list[Span]:
    """Return the coloured stretches of a text in its order, whether or not it is a program; of its first 20,000
    characters.
    """
    tokens = list(_tokens(text[:MAX_CHARACTERS].split("\n")))
    spans: list[Span] = []
    for index, token in enumerate(tokens):
        kind = token.kind
        if kind == "name":
            following = tokens[index + 1].text if index + 1 < len(tokens) else ""
            kind = _kind_of_name(token.text, called=following[:1] == "(")
        spans.append(Span(token.line, token.column + 1, len(token.text), kind))
    return spans


def _kind_of_name(name: str, called: bool) -> str:
    if not name.isidentifier():
        return "bad"
    if keyword.iskeyword(name):
        return "keyword"
    return "function" if called and name in _CALLABLE else "name"


def _tokens(lines: list[str]) -> Iterator[_Token]:
    """Yield the tokens of a text; where Python's tokenizer stops, that line is taken to pieces and it begins again."""
    at, stops = 0, 0
    while at < len(lines):
        if stops >= MOST_STOPS:
            yield from _line_in_pieces(lines[at], at + 1)
            at += 1
            continue
        if _COMMAND.match(lines[at]):
            yield from _set_aside(lines[at], at + 1)
            at += 1
            continue
        end = next((i for i in range(at + 1, len(lines)) if _COMMAND.match(lines[i])), len(lines))
        read: list[_Token] = []
        complete = at
        try:
            for token in tokenize.generate_tokens(io.StringIO("\n".join(lines[at:end]) + "\n").readline):
                if token.type == tokenize.NEWLINE or (token.type == tokenize.NL and not token.line.strip()):
                    complete = at + token.start[0]
                if token.type == tokenize.ERRORTOKEN and token.string.strip():
                    raise SyntaxError(token.string)
                read.extend(_pieces(token, lines, at))
            complete = end
        except (tokenize.TokenError, SyntaxError, IndentationError):
            pass
        yield from (token for token in read if token.line <= complete)
        at = max(complete, at)
        if at < end:
            stops += 1
            yield from _line_in_pieces(lines[at], at + 1)
            at += 1


def _pieces(token: tokenize.TokenInfo, lines: list[str], offset: int) -> Iterator[_Token]:
    """Yield a token line by line."""
    kind = _kind(token)
    if kind:
        (first, begin), (last, end) = token.start, token.end
        for number in range(first, last + 1):
            line = lines[offset + number - 1] if offset + number <= len(lines) else ""
            start, stop = begin if number == first else 0, end if number == last else len(line)
            if line[start:stop]:
                yield _Token(kind, line[start:stop], offset + number, start)


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.OP:
        return "operator" if _SIGN.fullmatch(token.string) else "bad"
    if token.type in _STRINGS:
        return "string"
    kinds = {tokenize.NAME: "name", tokenize.NUMBER: "number", tokenize.COMMENT: "comment", tokenize.ERRORTOKEN: "bad"}
    kind = kinds.get(token.type, "")
    return "" if kind == "bad" and not token.string.strip() else kind


def _set_aside(line: str, number: int) -> Iterator[_Token]:
    code, sign, _ = line.partition("#")
    if code.strip():
        lead = len(code) - len(code.lstrip())
        yield _Token("set-aside", code.strip(), number, lead)
    if sign:
        yield _Token("comment", line[len(code) :], number, len(code))


def _line_in_pieces(line: str, number: int) -> Iterator[_Token]:
    """Yield the tokens of one line that Python's tokenizer does not take."""
    for found in _PIECE.finditer(line):
        piece = found.group()
        if piece.isspace():
            continue
        if piece[0] == "#":
            kind = "comment"
        elif found["string"]:
            kind = "string"
        elif piece[0].isdecimal():
            kind = "number"
        elif piece[0].isalpha() or piece[0] == "_":
            kind = "name"
        else:
            kind = "operator" if _SIGN.fullmatch(piece) else "bad"
        yield _Token(kind, piece, number, found.start())


def completions(
    text: str, at: int | str, names: Iterable[str] = (), attributes: Mapping[str, Iterable[str]] | None = None
) -> list[Completion]:
    """Return what could stand at a place: methods after a dot, else names of the program, then functions.

    Args:
        text: the whole program.
        at: offset of the caret, or the beginning of the word itself.
        names: of the last run.
        attributes: of the last run's variables, by the variable's name.
    """
    found = _WORD_BEFORE.search(at if isinstance(at, str) else text[max(0, at - 130) : at])
    owner, prefix = (found[1] or "", found[2] or "") if found else ("", "")
    if owner:
        own = (attributes or {}).get(owner[:-1], ())
        known = [Completion(name, "method", f"of {owner[:-1]}") for name in own if not name.startswith("_")]
        known += [each for each in _functions("method") if each.text not in own]
        return [completion for completion in known if completion.text.startswith(prefix)]
    bound = ["".join(groups) for groups in _BOUND.findall(text[:MAX_CHARACTERS])]
    own = dict.fromkeys(name for name in (*bound, *names) if name != prefix and not name.startswith("__"))
    known = [Completion(name, "name", "a value of this program") for name in own]
    return [c for c in (*known, *_functions("function")) if c.text.lower().startswith(prefix.lower())]


def _functions(kind: str) -> Iterator[Completion]:
    for op in _FUNCTIONS.values():
        if kind == "function" or not op.variadic:
            yield Completion(op.name, kind, op.rule)
    if kind == "function":
        yield Completion("sum", kind, "Adds any number of values.")
        for name, detail in _ENGINE_NAMES.items():
            yield Completion(name, kind, detail)
