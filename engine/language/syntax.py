"""Colours of tokens and completions of names for an editor, whose text is often wrong.

Works on any text: one pattern reads its tokens, because Python's own `tokenize` stops at the first error. Pure
functions, fast enough for every key press.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from engine.autograd.ops import OPS, Op
from engine.language.results import KnownNames
from engine.language.source import MAX_CHARACTERS

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
_AT_HAND = {
    "math": "module", "random": "module", "np": "the module numpy", "plt": "the module matplotlib.pyplot",
    "torch": "module", "pi": "number 3.1416",
}  # fmt: skip
"""Names available without an import, besides functions and classes."""
_IN_TEXT = "a name of this program"
_WORD = re.compile(r"\w*$")
_DOTTED = re.compile(r"(?<![\w.\])])([^\W\d]\w*(?:\.\w+|\[[^\[\]]*\])*)\.(\w*)$")
_INDEX = re.compile(r"\[[^\[\]]*\]")
_IMPORTED = re.compile(
    r"[ \t]*(?:from[ \t]+(?P<module>[\w.]+)[ \t]+import[ \t]+\(?(?:[\w ,]*[ ,])?(?P<name>\w*)"
    r"|(?:from|import)[ \t]+(?:[\w. ,]*,[ ]*)?(?P<path>[\w.]*))$"
)
_IN_BRACES = re.compile(r"\b[fF][rR]?(['\"]).*\{[^{}]*$")
LONGEST_PATH = 200
"""Characters before the caret among which a word and the owner of an attribute are looked for."""
LONGEST_LINE = 2_000
"""Characters before the caret that are read: the time of the patterns grows with the square of the line."""
_OPENING = re.compile(r"#|\'\'\'|\"\"\"|'|\"")
_CLOSING = {
    "#": re.compile(r"[^\n]*\n"),
    "'": re.compile(r"(?:\\[\s\S]|[^\\'\n])*['\n]"),
    '"': re.compile(r"(?:\\[\s\S]|[^\\\"\n])*[\"\n]"),
    "'''": re.compile(r"(?:\\[\s\S]|[^\\])*?'''"),
    '"""': re.compile(r'(?:\\[\s\S]|[^\\])*?"""'),
}
"""Rest of a comment or string behind its beginning."""
_TOKEN = re.compile(
    r"""(?P<set_aside>^[ \t]*(?:[%!][^\n#]*|(?:\?+[\w.]+|[\w.]+\?+)[ \t]*$))
    |(?P<space>[^\S\n]+|\n|\\\n)
    |(?P<comment>\#[^\n]*)
    |(?P<string>[rRbBfFuU]{0,2}(?:\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''
        |"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'|["'][^\n]*))
    |(?P<number>0[xXbBoO]\w*|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?[jJ]?)
    |(?P<name>[^\W\d]\w*)
    |(?P<operator>\*\*=|//=|<<=|>>=|\*\*|//|<<|>>|[-+*/%@&|^=!<>:]=|->|\.\.\.|[-+*/%@&|^~=<>(){}\[\],:;.!])
    |(?P<bad>[\s\S])""",
    re.VERBOSE | re.MULTILINE,
)
"""One token of a text that may be no program yet; one group always fits. Notebook commands are skipped."""


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
        kind: `name`, `function`, `method` or `keyword`.
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
    tokens = list(_tokens(text[:MAX_CHARACTERS]))
    spans: list[Span] = []
    for index, token in enumerate(tokens):
        kind = token.kind
        if kind == "name":
            following = tokens[index + 1].text if index + 1 < len(tokens) else ""
            kind = _kind_of_name(token.text, called=following[:1] == "(")
        spans.append(Span(token.line, token.column + 1, len(token.text), kind))
    return spans


def highlight_line(line: str, opened: str = "") -> tuple[list[Span], str]:
    """Return the coloured stretches of one line, and the quotes of the string that goes on behind it.

    Args:
        line: without its end.
        opened: the quotes of the string in which the line begins; "" for none.
    """
    goes_on = open_at_end(line + "\n", opened)
    spans = []
    for span in highlight(f"{opened}{line}\n{goes_on}" if goes_on else opened + line):
        start, end = max(span.column - len(opened), 1), span.column - len(opened) + span.length
        if span.line == 1 and end > start:
            spans.append(Span(1, start, end - start, span.kind))
    return spans, goes_on


def _kind_of_name(name: str, called: bool) -> str:
    if not name.isidentifier():
        return "bad"
    if keyword.iskeyword(name):
        return "keyword"
    return "function" if called else "name"


def _tokens(text: str) -> Iterator[_Token]:
    """Yield the tokens of a text; one of several lines in a piece for each line."""
    number, start = 1, 0
    for found in _TOKEN.finditer(text):
        kind, at = (found.lastgroup or "bad").replace("_", "-"), found.start()
        for index, piece in enumerate(found.group().split("\n")):
            if index:
                number, start = number + 1, at
            if kind != "space" and (bare := piece if kind == "string" else piece.strip()):
                yield _Token(kind, bare, number, at - start + piece.index(bare))
            at += len(piece) + 1


def open_at_end(text: str, opened: str = "") -> str:
    """Return the quotes of the string, or the # of the comment, that is not closed at the end of a text; "" for none.

    Args:
        text: of a program, up to some place.
        opened: the quotes of a string in which the text begins.
    """
    at = 0
    while True:
        if not opened:
            found = _OPENING.search(text, at)
            if found is None:
                return ""
            opened, at = found.group(), found.end()
        closed = _CLOSING[opened].match(text, at)
        if closed is None:
            return opened
        opened, at = "", closed.end()


def completions(
    text: str, at: int | str, variables: Mapping[str, str] | None = None, known: KnownNames | None = None
) -> list[Completion]:
    """Return completions at a place: modules in an import, attributes behind a dot, else names and keywords.

    Nothing of the text is run or evaluated.

    Args:
        text: the whole program, which may have errors.
        at: offset of the caret, or the line up to the caret.
        variables: of the last run, with a few words about each.
        known: names of the last run.
    """
    variables, known = variables or {}, known or KnownNames()
    before = at if isinstance(at, str) else text[:at]
    opened = open_at_end(before)
    line = before[before.rfind("\n") + 1 :][-LONGEST_LINE:]
    if opened and not (_IN_BRACES.search(line) and opened != "#"):
        return []
    imported = _IMPORTED.match(line)
    if imported is not None:
        return _in_import(imported, known)
    dotted = _DOTTED.search(line[-LONGEST_PATH:])
    if dotted is not None:
        return _behind_dot(dotted[1], dotted[2], text, known)
    prefix = _word(line[-LONGEST_PATH:])
    owner = line.removesuffix(prefix)
    if owner.endswith("."):
        return _starting(_functions("method"), prefix) if owner[-2:-1] in ")]" else []
    return [] if prefix[:1].isdigit() else _plain_names(text, prefix, variables)


def _plain_names(text: str, prefix: str, variables: Mapping[str, str]) -> list[Completion]:
    tokens = [token.text for token in _tokens(text[:MAX_CHARACTERS]) if token.kind in ("name", "operator")]
    written = Counter(name for before, name in pairwise(["", *tokens]) if name.isidentifier() and before != ".")
    written[prefix] -= 1
    own = dict.fromkeys(name for name in variables if not name.startswith("__"))
    own |= dict.fromkeys(name for name, count in written.items() if count > 0 and not keyword.iskeyword(name))
    at_hand = {*_CALLABLE, *_AT_HAND}
    found = [
        Completion(name, "name", variables.get(name, _IN_TEXT))
        for name in own
        if name in variables or name not in at_hand
    ]
    found += _functions("function")
    found += [Completion(name, "name", detail) for name, detail in _AT_HAND.items()]
    found += [Completion(name, "function", "Python's own function") for name in sorted(_BUILT_IN)]
    found += [Completion(name, "keyword", "a word of Python") for name in keyword.kwlist]
    return _starting(found, prefix)


def _starting(found: Iterable[Completion], prefix: str) -> list[Completion]:
    """Return the completions of a word; of several with the same text the first."""
    fitting: dict[str, Completion] = {}
    for each in found:
        if each.text.lower().startswith(prefix.lower()):
            fitting.setdefault(each.text, each)
    return [*fitting.values()]


def _word(line: str) -> str:
    found = _WORD.search(line)
    return found.group() if found else ""


def _in_import(imported: re.Match[str], known: KnownNames) -> list[Completion]:
    """Return modules, or what the module gives behind `from module import`."""
    if imported["module"]:
        return _attributes(imported["module"], known.attributes.get(imported["module"], ()), imported["name"])
    package, dot, part = imported["path"].rpartition(".")
    inside = (name.removeprefix(package + dot) for name in known.importable if name.startswith(package + dot))
    parts = dict.fromkeys(name.partition(".")[0] for name in inside)
    return _starting((Completion(name, "name", "module") for name in parts), part)


def _behind_dot(path: str, prefix: str, text: str, known: KnownNames) -> list[Completion]:
    plain = _INDEX.sub("[]", path)
    own = known.attributes.get(plain)
    if own is None:
        written = re.findall(rf"(?<![\w.]){re.escape(path)}\.([^\W\d]\w*)", text)
        used = Counter(written)
        used[prefix] -= 1
        found = [Completion(name, "method", f"of {path}") for name, count in used.items() if count > 0]
        return _starting([*found, *([] if path == "self" else _functions("method"))], prefix)
    found = _attributes(path, own)
    if "backward(" in own or "is_integer(" in own:
        found = [each for each in found if each.text not in _FUNCTIONS] + [*_functions("method")]
    return _starting(found, prefix)


def _attributes(path: str, names: Iterable[str], prefix: str = "") -> list[Completion]:
    found = [(name.rstrip("("), "method" if name.endswith("(") else "name") for name in names]
    return _starting((Completion(name, kind, f"of {path}") for name, kind in found if name[0] != "_"), prefix)


def _functions(kind: str) -> Iterator[Completion]:
    for op in _FUNCTIONS.values():
        if kind == "function" or not op.variadic:
            yield Completion(op.name, kind, op.rule)
    if kind == "function":
        for name, detail in _ENGINE_NAMES.items():
            yield Completion(name, kind, detail)
