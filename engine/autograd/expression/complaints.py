"""What is said about text that does not fit the grammar: one sentence, the place, and a way out where there is one."""

from __future__ import annotations

import builtins
import re
import unicodedata
from typing import TYPE_CHECKING

from engine.autograd.expression import words
from engine.autograd.expression.errors import ExpressionError, Fix, nearest
from engine.autograd.expression.source import Token
from engine.autograd.ops import Op

if TYPE_CHECKING:
    from engine.autograd.expression.parser import Parser

_LONGEST_SHOWN = 20


def shown(text: str) -> str:
    """A piece of the user's text, cut to a length that fits in a message."""
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def unexpected(parser: Parser, start: int) -> ExpressionError:
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


def no_operand(parser: Parser) -> ExpressionError:
    """Something stands where a number, name or bracket should be."""
    token = parser.token
    if token.kind == "string":
        return _no_text(parser, token)
    if token.kind == "bad":
        return bad_character(parser, token)
    if token.kind in ("newline", "end") or token.text in ("=", ")", "]", "}", ";", ",", "*", "/", "**"):
        return _expected(parser, token)
    return _operator(parser, token, token.start)


def _expected(parser: Parser, token: Token) -> ExpressionError:
    """At the end of a line the place is behind what stands there, never on the next line."""
    if token.kind in ("newline", "end"):
        text, end = parser.source.text, parser.previous_end
        while end < token.start and text[end] in " \t":
            end += 1
        return parser.source.error("expression expected", end)
    return parser.error("expression expected", token)


def _operator(parser: Parser, token: Token, start: int) -> ExpressionError:
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


def _side_by_side(parser: Parser, token: Token) -> ExpressionError:
    """`a b`, `2 x`, `(a) (b)`: a multiplication sign is missing."""
    before = parser.peek(-1)
    left = before.text if before.kind in ("name", "number") else "(…)"
    right = token.text if token.kind != "operator" else "(…)"
    message = f"an operator is missing: did you mean {shown(left)} * {shown(right)}?"
    fix = Fix("insert *", before.end, token.start, " * ")
    return parser.source.error(message, token.start, token.end, fix)


def _comma(parser: Parser, comma: Token) -> ExpressionError:
    before, after = parser.peek(-1), parser.peek()
    if before.kind == after.kind == "number" and before.end == comma.start and comma.end == after.start:
        number = f"{before.text}.{after.text}"
        fix = Fix(f"write {shown(number)}", before.start, after.end, number)
        whole = f" (or {shown(before.text + after.text)})" if len(after.text) == 3 else ""
        return parser.source.error(f"decimal comma: write {shown(number)}{whole}", before.start, after.end, fix)
    return parser.error("a comma is not allowed here: write one value", comma)


def _no_text(parser: Parser, token: Token) -> ExpressionError:
    return parser.error("text is not allowed, only numbers and names", token)


def bad_character(parser: Parser, token: Token) -> ExpressionError:
    """A character the language does not have, inside a name (`x²`) or by itself (`√`)."""
    index = next((i for i, letter in enumerate(token.text) if not ("_" + letter).isidentifier()), 0)
    letter, before = token.text[index], token.text[:index]
    start = token.start + index
    return parser.source.error(_about_character(parser, letter, before), start, start + 1, _replacement(letter, start))


def _about_character(parser: Parser, letter: str, before: str) -> str:
    plain = unicodedata.normalize("NFKC", letter)
    following = parser.peek()
    operand = following.text if following.kind in ("name", "number") else "x"
    if letter in "“”„«»‘’‚`´":
        return "text is not allowed, only numbers and names"
    if letter in words.CHARACTERS:
        return f"{letter} is not known here: write {words.CHARACTERS[letter]}"
    if letter == "√":
        return f"√ is not known here: write sqrt({shown(operand)})"
    if unicodedata.category(letter) == "No" and plain.isdecimal():
        return f"{letter} is not known here: write {shown(before) or 'x'} ** {plain}"
    if letter.isdigit() and unicodedata.decimal(letter, None) is not None:
        return f"{letter} is not known here: write {unicodedata.decimal(letter)}"
    code = f"U+{ord(letter):04X}"
    category = unicodedata.category(letter)
    if category == "Cf" or letter == "\ufeff":
        return f"invisible character {code}: delete it"
    return f"invalid character {code}" if category[0] == "C" else f"invalid character {letter} ({code})"


def _replacement(letter: str, start: int) -> Fix | None:
    if letter in words.CHARACTERS:
        return Fix(f"write {words.CHARACTERS[letter]}", start, start + 1, words.CHARACTERS[letter])
    if unicodedata.category(letter) == "No" and unicodedata.normalize("NFKC", letter).isdecimal():
        power = unicodedata.normalize("NFKC", letter)
        return Fix(f"write ** {power}", start, start + 1, f" ** {power}")
    if unicodedata.category(letter) == "Cf":
        return Fix("delete it", start, start + 1, "")
    return None


def bad_number(parser: Parser, token: Token) -> ExpressionError:
    """`2x`, `2²`, `1.2.3`, `1__0`, `0x`."""
    found = re.match(r"((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)([^\W\d]\w*)$", token.text)
    if found is None or not found[2].isidentifier() or re.fullmatch(r"[eE]|_\w*", found[2]):
        return _odd_number(parser, token)
    if re.match("0[xXbBoO]", token.text):
        return _odd_number(parser, token)
    number, name = found.groups()
    if name in "jJ":
        return parser.error("complex numbers are not allowed", token)
    fix = Fix(f"write {shown(number)} * {shown(name)}", token.start, token.end, f"{number} * {name}")
    return parser.source.error(f"write {shown(number)} * {shown(name)}", token.start, token.end, fix)


def _odd_number(parser: Parser, token: Token) -> ExpressionError:
    index = next((i for i, letter in enumerate(token.text) if not letter.isascii()), None)
    if index is not None:
        start = token.start + index
        message = _about_character(parser, token.text[index], token.text[:index])
        return parser.source.error(message, start, start + 1, _replacement(token.text[index], start))
    return parser.error(f"'{shown(token.text)}' is not a number", token)


def keyword(parser: Parser, token: Token) -> ExpressionError:
    """A reserved word of Python where it has no meaning here."""
    after = parser.source.text[token.end :].lstrip(" \t")
    if after[:1] == "=" and after[:2] != "==":
        return parser.error(f"'{token.text}' is a reserved word: choose another name", token)
    if token.text in words.NAMED_CONSTANTS:
        return parser.error(f"'{token.text}' is a reserved word, not a number: only numbers and names", token)
    return parser.error(f"'{token.text}' is a reserved word that is not available here", token)


def no_value(parser: Parser, token: Token) -> ExpressionError:
    """A name that stands for nothing at this place."""
    name = token.text
    if name in words.KEYWORDS:
        return keyword(parser, token)
    if name in words.FUNCTIONS or name in words.SYNONYMS or name in ("sum", "Value"):
        operand = parser.token.text if parser.token.kind in ("name", "number") else "…"
        return parser.error(f"{name} is a function: write {name}({shown(operand)})", token)
    if parser.follows(".") and parser.peek().text not in {*words.FUNCTIONS, *words.NOT_NEEDED, *words.UNCHANGED}:
        return unknown_attribute(parser, parser.peek())
    if name in parser.assigned:
        return parser.error(f"{name} is used before it has a value: {name} has no value yet", token)
    start = parser.source.line_start(parser.statement.start)
    indentation = re.match(r"\ufeff?([ \t]*)", parser.source.text[start:])
    blanks = indentation[1] if indentation else ""
    fix = Fix(f"insert {name} = 1.0", start, start, f"{blanks}{name} = 1.0\n")
    similar = nearest(name, parser.builder.names) if len(name) > 2 else None
    hint = f" (or did you mean {similar}?)" if similar else ""
    message = f"{name} has no value: write {name} = 1.0 above{hint}"
    return parser.source.error(message, token.start, token.end, fix)


def not_callable(parser: Parser, token: Token) -> ExpressionError:
    """`name(...)` where the name is no function."""
    name = shown(token.text)
    if token.text in words.KEYWORDS:
        return keyword(parser, token)
    if token.text in parser.builder.names:
        return parser.error(f"{name} is a number, not a function: write {name} * (…)", token)
    similar = nearest(token.text, words.FUNCTION_NAMES) if not hasattr(builtins, token.text) else None
    if similar is None:
        return parser.error(f"unknown function '{name}'", token)
    fix = Fix(f"write {similar}", token.start, token.end, similar)
    return parser.source.error(f"no function '{name}', did you mean '{similar}'?", token.start, token.end, fix)


def call_of_number(parser: Parser, start: int) -> ExpressionError:
    """`(a)(b)`, `2(x)`: a multiplication sign is missing."""
    left = shown(parser.source.text[start : parser.token.start].strip())
    ahead = 1
    while parser.peek(ahead).kind not in ("newline", "end") and not parser.follows(")", ahead):
        ahead += 1
    right = shown(parser.source.text[parser.token.start : parser.peek(ahead).end])
    fix = Fix("insert *", parser.previous_end, parser.token.start, " * ")
    return parser.source.error(f"write {left} * {right}", parser.token.start, parser.token.end, fix)


def unknown_attribute(parser: Parser, token: Token) -> ExpressionError:
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
    message = f"attributes are not allowed: no method '{name}', did you mean '{similar}'?"
    return parser.source.error(message, token.start, token.end, fix)


def wrong_count(parser: Parser, token: Token, op: Op, given: int) -> ExpressionError:
    """Too few or too many arguments."""
    arity = op.arity
    expected = "3, 5, 7, … (weight, input, …, bias)" if op.name == "weighted_sum" else str(arity or "at least 1")
    plural = "" if arity == 1 else "s"
    return parser.error(f"{token.text} takes {expected} input{plural}, {given} given", token)
