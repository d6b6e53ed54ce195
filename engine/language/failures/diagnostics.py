"""What is said about text that does not fit the grammar: one sentence, the place, and a way out where there is one."""

from __future__ import annotations

import builtins
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Protocol

from engine.autograd.ops import Op
from engine.language import words
from engine.language.advice.other_languages import name_of_another_language
from engine.language.errors import Fix, ProgramError
from engine.language.grammar.builder import Builder
from engine.language.hidden import hidden_name, is_hidden
from engine.language.source import Source, Token, may_stand_in_name
from engine.messages import nearest, visible


class ParserState(Protocol):
    """What a diagnostic needs of the parser that met something wrong."""

    source: Source
    builder: Builder
    token: Token
    statement: Token
    previous_end: int

    @property
    def assigned(self) -> Mapping[str, Any]:
        """For each name the places in the whole text that give it a value."""

    def peek(self, ahead: int = 1) -> Token:
        """A token further on."""

    def follows(self, text: str, ahead: int = 0) -> bool:
        """Whether a token of this text is there."""

    def can_stand_here(self, start: int, end: int) -> bool:
        """Whether what stands there may stand at the present place."""

    def error(self, message: str, token: Token) -> ProgramError:
        """An error at a token."""


_LONGEST_SHOWN = 20


def shown(text: str) -> str:
    """A piece of the user's text, cut to a length that fits in a message, and nothing in it that cannot be seen."""
    text = visible(" ".join(text.split()))
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def unexpected(parser: ParserState, start: int) -> ProgramError:
    """Something stands behind a complete operand that began at `start`, where an operator or the end should be."""
    token = parser.token
    if token.kind == "string":
        return _no_text(parser, token)
    if token.kind == "bad":
        return bad_character(parser, token)
    if token.kind == "name" and token.text in words.KEYWORDS:
        return keyword(parser, token)
    if token.kind in ("name", "number") or parser.follows("("):
        return _side_by_side(parser, token)
    if parser.follows(","):
        return _comma(parser, token)
    if token.kind in ("newline", "end") or token.text in ")]};":
        return parser.error("expression expected", token)
    return _operator(parser, token, start)


def no_operand(parser: ParserState) -> ProgramError:
    """Something stands where a number, name or bracket should be."""
    token = parser.token
    if token.kind == "string":
        return _no_text(parser, token)
    if token.kind == "bad":
        return bad_character(parser, token)
    if token.kind in ("newline", "end") or token.text in ("=", ")", "]", "}", ";", ",", "*", "/", "**"):
        return _expected(parser, token)
    return _operator(parser, token, token.start)


def _expected(parser: ParserState, token: Token) -> ProgramError:
    """At the end of a line the place is behind what stands there, never on the next line."""
    if token.kind in ("newline", "end"):
        text, end = parser.source.text, parser.previous_end
        while end < token.start and text[end] in " \t":
            end += 1
        return parser.source.error("expression expected", end)
    return parser.error("expression expected", token)


def _operator(parser: ParserState, token: Token, start: int) -> ProgramError:
    text = parser.source.text
    left = shown(text[start : token.start].split("\n")[-1]) or "a"
    following = parser.peek()
    right = following.text if following.kind in ("name", "number") else "b"
    message = words.OPERATORS.get(token.text, f"{token.text} is not available")
    fix = None
    if token.text == "^":
        fix = Fix("write **", token.start, token.end, "**")
    elif token.text == "==":
        fix = Fix("write =", token.start, token.end, "=")
    message = message.replace("LEFT", left).replace("RIGHT", shown(right))
    return parser.source.error(message, token.start, token.end, fix)


def _side_by_side(parser: ParserState, token: Token) -> ProgramError:
    """`a b`, `2 x`, `(a) (b)`: a multiplication sign is missing."""
    before = parser.peek(-1)
    left = before.text if before.kind in ("name", "number") else "(…)"
    right = token.text if token.kind != "operator" else "(…)"
    message = f"an operator is missing: did you mean {shown(left)} * {shown(right)}?"
    fix = Fix("insert *", before.end, token.start, " * ")
    return parser.source.error(message, token.start, token.end, fix)


def _comma(parser: ParserState, comma: Token) -> ProgramError:
    pieces = [parser.peek(-1)]
    ahead = 0
    while parser.follows(",", ahead) and parser.peek(ahead).start == pieces[-1].end:
        if parser.peek(ahead + 1).kind != "number" or parser.peek(ahead + 1).start != parser.peek(ahead).end:
            break
        pieces.append(parser.peek(ahead + 1))
        ahead += 2
    numbers = _without_commas([piece.text for piece in pieces if piece.kind == "number"])
    if not numbers:
        return parser.error("a comma is not allowed here: write one value", comma)
    start, end = pieces[0].start, pieces[-1].end
    fixes = [Fix(f"write {shown(number)}", start, end, number) for number in numbers]
    other = f" (or {shown(numbers[1])})" if len(numbers) > 1 else ""
    kind = "decimal comma" if "." in numbers[0] and len(pieces) == 2 else "no commas within a number"
    return parser.source.error(f"{kind}: write {shown(numbers[0])}{other}", start, end, *fixes)


def _without_commas(pieces: list[str]) -> list[str]:
    """What `1,000` or `3,14` can mean, the likelier first; nothing where it looks like a list."""
    if len(pieces) < 2:
        return []
    first, *groups, last = pieces
    thousands = re.compile(r"[0-9]{3}")
    whole, point, decimals = last.partition(".")
    grouped = bool(re.fullmatch("[1-9][0-9]{0,2}", first)) and all(map(thousands.fullmatch, [*groups, whole]))
    numbers = ["".join([first, *groups, whole]) + point + decimals] if grouped else []
    if not groups and last.isdigit() and last.isascii() and re.fullmatch(r"[0-9.]+", first):
        numbers.append(f"{first.replace('.', '')}.{last}")
    return numbers


def _no_text(parser: ParserState, token: Token) -> ProgramError:
    return parser.error("text is not allowed, only numbers and names", token)


def bad_character(parser: ParserState, token: Token) -> ProgramError:
    """A character the language does not have, inside a name (`x²`) or by itself (`√`)."""
    index = next((i for i, letter in enumerate(token.text) if not may_stand_in_name(letter)), 0)
    start = token.start + index
    fix = _replacement(token.text, index, start)
    return parser.source.error(_about_character(parser, token.text, index), start, start + 1, fix)


def _about_character(parser: ParserState, text: str, index: int) -> str:
    letter, before = text[index], text[:index]
    digits, script = _small_digits(text, index)
    following = parser.peek()
    operand = following.text if following.kind in ("name", "number") else "x"
    if letter in "“”„«»‘’‚`´":
        return f"{letter} is not known here: write \" or '"
    if letter in words.CHARACTERS:
        return f"{letter} is not known here: write {words.CHARACTERS[letter]}"
    if letter == "√":
        return f"√ is not known here: write sqrt({shown(operand)})"
    if script == "super":
        return f"{letter} is not known here: write {shown(before) or 'x'} ** {shown(digits)}"
    if script == "sub" and not before[:1].isdigit():
        return f"{letter} is not known here: write {shown((before or 'x') + digits)}"
    if letter.isdigit() and unicodedata.decimal(letter, None) is not None:
        return f"{letter} is not known here: write {unicodedata.decimal(letter)}"
    code = f"U+{ord(letter):04X}"
    if is_hidden(letter):
        return f"invisible character {code}{hidden_name(letter)}: delete it"
    return f"invalid character {code}" if not letter.isprintable() else f"invalid character {letter} ({code})"


def _small_digits(text: str, index: int) -> tuple[str, str]:
    """The digits that are written small from `index` on, and whether they are `super`- or `sub`scripts; else ""."""
    digits, script = "", ""
    for letter in text[index:]:
        form = unicodedata.decomposition(letter).partition(" ")[0]
        digit = unicodedata.normalize("NFKC", letter)
        if form not in ("<super>", "<sub>") or (script and form != f"<{script}>") or not digit.isdecimal():
            break
        digits, script = digits + digit, form[1:-1]
    return digits, script


def _replacement(text: str, index: int, start: int) -> Fix | None:
    letter = text[index]
    digits, script = _small_digits(text, index)
    if letter in words.CHARACTERS:
        return Fix(f"write {words.CHARACTERS[letter]}", start, start + 1, words.CHARACTERS[letter])
    if script == "super":
        return Fix(f"write ** {shown(digits)}", start, start + len(digits), f" ** {digits}")
    if script == "sub" and text[:1].isidentifier():
        return Fix(f"write {shown(text[:index] + digits)}", start, start + len(digits), digits)
    if is_hidden(letter):
        return Fix("delete it", start, start + 1, "")
    return None


def bad_number(parser: ParserState, token: Token) -> ProgramError:
    """`2x`, `2²`, `1.2.3`, `1__0`, `0x`."""
    found = re.match(r"((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([^\W\d]\w*)$", token.text)
    if found is None or not found[2].isidentifier() or re.fullmatch(r"[eE]|_\w*", found[2]):
        return _odd_number(parser, token)
    if re.match("0[xXbBoO]", token.text):
        return _odd_number(parser, token)
    number, name = found.groups()
    if name in "jJ":
        return parser.error("complex numbers are not allowed", token)
    fix = Fix(f"write {shown(number)} * {shown(name)}", token.start, token.end, f"{number} * {name}")
    return parser.source.error(f"write {shown(number)} * {shown(name)}", token.start, token.end, fix)


def _odd_number(parser: ParserState, token: Token) -> ProgramError:
    index = next((i for i, letter in enumerate(token.text) if not letter.isascii()), None)
    if index is not None:
        start = token.start + index
        message = _about_character(parser, token.text, index)
        return parser.source.error(message, start, start + 1, _replacement(token.text, index, start))
    return parser.error(f"'{shown(token.text)}' is not a number", token)


def keyword(parser: ParserState, token: Token) -> ProgramError:
    """A reserved word of Python where it has no meaning here."""
    after = parser.source.text[token.end :].lstrip(" \t")
    if after[:1] == "=" and after[:2] != "==":
        return parser.error(f"'{token.text}' is a reserved word: choose another name", token)
    if token.text in words.NAMED_CONSTANTS:
        return parser.error(f"'{token.text}' is a reserved word, not a number: only numbers and names", token)
    return parser.error(f"'{token.text}' is a reserved word that is not available here", token)


def no_value(parser: ParserState, token: Token) -> ProgramError:
    """A name that stands for nothing at this place."""
    name = token.text
    if name in words.KEYWORDS:
        return keyword(parser, token)
    if name in words.FUNCTIONS or name in words.SYNONYMS or name in ("sum", "Value"):
        if parser.token.kind not in ("name", "number"):
            return parser.error(f"{name} is a function: write {name}(…)", token)
        called = f"{name}({parser.token.text})"
        fix = Fix(f"write {shown(called)}", token.start, parser.token.end, called)
        return parser.source.error(f"{name} is a function: write {shown(called)}", token.start, token.end, fix)
    if parser.follows(".") and parser.peek().text not in {*words.FUNCTIONS, *words.SET_ASIDE, *words.UNCHANGED}:
        return unknown_attribute(parser, parser.peek())
    below = next((start for start in parser.assigned.get(name, ()) if start > token.start), None)
    if below is not None:
        return _value_below(parser, token, below)
    if name in parser.assigned:
        message = f"{shown(name)} is used before it has a value: write {shown(name)} = 1.0 above"
        return parser.source.error(message, token.start, token.end, _value_above(parser, name))
    if (elsewhere := name_of_another_language(name)) is not None:
        return parser.source.error(elsewhere, token.start, token.end)
    similar = nearest(name, parser.builder.names) if len(name) > 2 else None
    hint = f" (or did you mean {shown(similar)}?)" if similar else ""
    other = Fix(f"write {shown(similar)}", token.start, token.end, similar) if similar else None
    message = f"{shown(name)} has no value: write {shown(name)} = 1.0 above{hint}"
    return parser.source.error(message, token.start, token.end, _value_above(parser, name), other)


def _value_above(parser: ParserState, name: str) -> Fix:
    start = _line_of_statement(parser)
    indentation = re.match(r"[ \t]*", parser.source.text[start:])
    blanks = indentation[0] if indentation else ""
    return Fix(f"insert {shown(name)} = 1.0", start, start, f"{blanks}{name} = 1.0\n")


def _line_of_statement(parser: ParserState) -> int:
    """Where the line begins in which the statement does, behind the mark that may stand at the start of a file."""
    start = parser.source.line_start(parser.statement.start)
    return start + (parser.source.text[start : start + 1] == "\ufeff")


def _value_below(parser: ParserState, token: Token, below: int) -> ProgramError:
    """The name is given its value further down; the way out is to move that line, where it can stand here."""
    source, name = parser.source, shown(token.text)
    line, column = source.place(below)
    here, start = _line_of_statement(parser), source.line_start(below)
    if start <= here:
        message = f"{name} has no value yet: it is given its value behind this, in column {column}: move that in front"
        return source.error(message, token.start, token.end)
    message = f"{name} has no value yet: it is given its value in line {line}, below"
    end = source.text.find("\n", start)
    end = len(source.text) if end < 0 else end
    moved = source.text[start:end]
    fix = Fix(f"move line {line} above", here, end, f"{moved}\n{source.text[here : start - 1]}")
    if not parser.can_stand_here(start, end):
        return source.error(message, token.start, token.end)
    return source.error(f"{message}: move that line above", token.start, token.end, fix)


def not_callable(parser: ParserState, token: Token) -> ProgramError:
    """`name(...)` where the name is not a function."""
    name = shown(token.text)
    if token.text in words.KEYWORDS:
        return keyword(parser, token)
    if token.text in parser.builder.names:
        line, _ = parser.source.place(parser.builder.bound_at[token.text])
        hides = token.text in words.FUNCTION_NAMES or token.text in words.DISPLAY_FUNCTIONS
        way_out = "give that number another name" if hides else f"write {name} * (…)"
        return parser.error(f"{name} is a number here (line {line}), not a function: {way_out}", token)
    similar = nearest(token.text, words.FUNCTION_NAMES) if not hasattr(builtins, token.text) else None
    if similar is None:
        return parser.error(f"unknown function '{name}'", token)
    fix = Fix(f"write {similar}", token.start, token.end, similar)
    return parser.source.error(f"no function '{name}', did you mean '{similar}'?", token.start, token.end, fix)


def call_of_number(parser: ParserState, start: int) -> ProgramError:
    """`(a)(b)`, `2(x)`: a multiplication sign is missing."""
    left = shown(parser.source.text[start : parser.token.start].strip())
    ahead = 1
    while parser.peek(ahead).kind not in ("newline", "end") and not parser.follows(")", ahead):
        ahead += 1
    right = shown(parser.source.text[parser.token.start : parser.peek(ahead).end])
    fix = Fix("insert *", parser.previous_end, parser.token.start, " * ")
    return parser.source.error(f"write {left} * {right}", parser.token.start, parser.token.end, fix)


def unknown_attribute(parser: ParserState, token: Token) -> ProgramError:
    """`x.something` that is neither a method of the language nor a line to set aside."""
    if token.kind != "name":
        return parser.error("a name is expected after the dot", token)
    name = shown(token.text)
    if token.text in words.FUNCTION_NAMES:
        return parser.error(f"{name} is a function: write {name}(…)", token)
    similar = None if token.text.startswith("_") else nearest(token.text, words.FUNCTION_NAMES)
    if similar is None:
        return parser.error(f"attributes are not allowed: '.{name}'", token)
    fix = Fix(f"write {similar}", token.start, token.end, similar)
    message = f"no method '{name}', did you mean '{similar}'?"
    return parser.source.error(message, token.start, token.end, fix)


def wrong_count(parser: ParserState, token: Token, op: Op, given: int) -> ProgramError:
    """Too few or too many arguments."""
    arity = op.arity
    expected = "3, 5, 7, … (weight, input, …, bias)" if op.paired else str(arity or "at least 1")
    plural = "" if arity == 1 else "s"
    return parser.error(f"{token.text} takes {expected} input{plural}, {given} given", token)
