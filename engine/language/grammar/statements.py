"""Statements: which kind one is, what it binds, and which lines of a tutorial have nothing to do here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from engine.language import words
from engine.language.advice.notes import Note
from engine.language.errors import ProgramError
from engine.language.failures import diagnostics
from engine.language.grammar.builder import Builder
from engine.language.grammar.parser import MAX_DEPTH, Parser, SetAside
from engine.language.source import MAX_NAME, Source, Token

_AUGMENTED = ("+=", "-=", "*=", "/=", "**=")
_CLOSING = {"(": ")", "[": "]"}
_SOFT_KEYWORDS = ("match", "case", "type")


class StatementReader:
    """Looks at the statements of a text one by one.

    Attributes:
        builder: the names that have a value.
        notes: what is worth telling.
    """

    def __init__(self, source: Source, tokens: list[Token]) -> None:
        bindings: dict[str, list[int]] = {}
        for token in _bound_names(tokens):
            bindings.setdefault(token.text, []).append(token.start)
        self.source = source
        self.builder = Builder()
        self.parser = Parser(source, tokens, self.builder, bindings)
        self.notes: list[Note] = []
        self._indentation: int | None = None

    def run(self) -> None:
        """Reads every statement.

        Raises:
            ProgramError: at the first thing that is wrong.
        """
        parser = self.parser
        fresh_line = True
        while parser.token.kind != "end":
            if parser.token.kind == "newline":
                parser.advance()
                fresh_line = True
            elif parser.follows(";"):
                parser.advance()
            else:
                if fresh_line:
                    self._check_indentation(parser.token)
                    fresh_line = False
                self._guarded_statement(parser.token)

    def _check_indentation(self, token: Token) -> None:
        start = self.source.line_start(token.start)
        blanks = self.source.text[start : token.start].removeprefix("\ufeff").replace("\\\n", "")
        width = len(blanks.expandtabs(4))
        if self._indentation is None:
            self._indentation = width
        elif width != self._indentation:
            raise self.source.error("this line is indented differently: start it below the line before", token.start)

    def _guarded_statement(self, first: Token) -> None:
        self.parser.statement = first
        try:
            self._statement(first)
            if not self.parser.at_end():
                raise diagnostics.unexpected(self.parser, first.start)
        except ProgramError as error:
            raise self._worst(first, error) from None
        except SetAside:
            self.parser.skip_statement()
        except RecursionError:
            raise self.parser.error(f"nested too deeply ({MAX_DEPTH})", first) from None

    def _worst(self, first: Token, error: ProgramError) -> ProgramError:
        """A character or word that cannot be part of any program is told before what follows from it."""
        tokens = self.parser.statement_of(first)
        for token in tokens:
            if token.kind == "bad":
                self.parser.go_to(token)
                return diagnostics.bad_character(self.parser, token)
        known = words.KEYWORDS - words.NAMED_CONSTANTS
        foreign = [token for token in tokens if token.kind == "name" and token.text in known]
        return diagnostics.keyword(self.parser, foreign[0]) if foreign else error

    def _note(self, message: str, token: Token) -> None:
        self.notes.append(Note(message, *self.source.place(token.start)))

    def _statement(self, first: Token) -> None:
        parser = self.parser
        if self._gives_several(first):
            return self._several_assignments(first)
        if first.kind == "name":
            self._refuse_keyword(first)
            shows = first.text in words.DISPLAY_FUNCTIONS and first.text not in self.builder.names
            if shows and parser.follows("(", 1):
                raise SetAside
            if parser.peek().kind == "operator" and self._named_statement(first, parser.peek().text):
                return
        elif first.text in ("%", "!") and parser.peek().kind == "name":
            raise SetAside
        self._expression_statement(first)

    def _refuse_keyword(self, first: Token) -> None:
        following = self.parser.peek()
        if first.text in ("import", "from") and following.text != "=":
            raise SetAside
        soft = first.text in _SOFT_KEYWORDS and following.kind in ("name", "number")
        if soft or first.text in words.KEYWORDS - words.NAMED_CONSTANTS:
            raise diagnostics.keyword(self.parser, first)

    def _named_statement(self, first: Token, symbol: str) -> bool:
        """A statement that begins with a name and an operator, where that is more than an expression."""
        if symbol == "=":
            self._assignment(first)
        elif symbol in _AUGMENTED:
            self._augmented_assignment(first, symbol[:-1])
        elif symbol == ":":
            raise self.parser.error("no type annotations: write the name, = and its value", self.parser.peek())
        elif symbol == "," and self._line_has_equals():
            raise self._one_name(self.parser.peek())
        elif symbol == ".":
            return self._attribute_statement(first)
        else:
            return False
        return True

    def _assignment(self, first: Token) -> None:
        parser = self.parser
        targets: list[str] = []
        while parser.token.kind == "name" and parser.follows("=", 1):
            targets.append(self._target(parser.advance()))
            parser.advance()
        value = parser.expression()
        for target in dict.fromkeys(targets):
            self._note_hidden_function(target, first)
            self.builder.bind(target, value, first.start)

    def _gives_several(self, first: Token) -> bool:
        """Whether names in brackets or with commas stand before the `=`: `x1, x2 = 2.0, 0.5`, `(a, b), c = ...`."""
        texts = [token.text for token in self.parser.statement_of(first)]
        left = texts[: texts.index("=")] if "," in texts and "=" in texts else []
        signs = [text for text in left if not text.isidentifier()]
        is_closed = sum((sign in _CLOSING) - (sign in _CLOSING.values()) for sign in signs) == 0
        return is_closed and "," in signs and set(signs) <= {",", *_CLOSING, *_CLOSING.values()}

    def _several_assignments(self, first: Token) -> None:
        texts = [token.text for token in self.parser.statement_of(first)]
        targets = self._targets("=")
        if _is_enclosed(texts[: texts.index("=")]):
            targets = targets[0]
        texts = texts[texts.index("=") + 1 :]
        for name, value in self._values_for(targets, _CLOSING[texts[0]] if _is_enclosed(texts) else ""):
            self._note_hidden_function(name, first)
            self.builder.bind(name, value, first.start)

    def _targets(self, closer: str) -> list[Any]:
        """The names up to a bracket or `=`, those in brackets as a list of their own."""
        parser, found = self.parser, []
        while not parser.follows(closer):
            token = parser.advance()
            if token.text not in _CLOSING and token.kind != "name":
                raise self._one_name(token)
            found.append(self._targets(_CLOSING[token.text]) if token.text in _CLOSING else self._target(token))
            if parser.follows(","):
                parser.advance()
            elif not parser.follows(closer):
                raise self._one_name(parser.token)
        parser.advance()
        return found

    def _values_for(self, targets: list[Any], closer: str) -> list[tuple[str, Any]]:
        """Each name with its value: as many expressions with commas between them, in brackets if there is a closer."""
        parser = self.parser
        found: list[tuple[str, Any]] = []
        if closer:
            parser.advance()
        for place, target in enumerate(targets):
            if place:
                self._expect(",")
            if isinstance(target, list):
                if parser.token.text not in _CLOSING:
                    raise self._one_name(parser.token)
                found += self._values_for(target, _CLOSING[parser.token.text])
            else:
                found.append((target, parser.expression()))
        if parser.follows(","):
            parser.advance()
        if closer:
            self._expect(closer)
        elif not parser.at_end():
            raise self._one_name(parser.token)
        return found

    def _expect(self, text: str) -> None:
        if not self.parser.follows(text):
            raise self._one_name(self.parser.token)
        self.parser.advance()

    def _one_name(self, token: Token) -> ProgramError:
        return self.parser.error("one name on the left: write a line for each", token)

    def _note_hidden_function(self, name: str, first: Token) -> None:
        if name in words.FUNCTION_NAMES and name not in self.builder.names:
            self._note(f"{name} is a number from here on: the function {name} cannot be called any more", first)

    def _augmented_assignment(self, first: Token, symbol: str) -> None:
        parser = self.parser
        name = self._target(parser.advance())
        if name not in self.builder.names:
            raise diagnostics.no_value(parser, first)
        parser.advance()
        value = self.builder.infix(symbol, self.builder.names[name], parser.expression())
        self.builder.bind(name, value, first.start)

    def _target(self, token: Token) -> str:
        if token.text in words.KEYWORDS:
            raise diagnostics.keyword(self.parser, token)
        if len(token.text) > MAX_NAME:
            raise self.parser.error(f"name too long ({len(token.text):,} letters, at most {MAX_NAME})", token)
        return token.text

    def _expression_statement(self, first: Token) -> None:
        parser = self.parser
        parser.expression()
        if _mentions(self.parser.statement_of(first), ("data", "item")):
            raise SetAside
        if not parser.at_end():
            raise diagnostics.unexpected(parser, first.start)

    def _attribute_statement(self, first: Token) -> bool:
        """`L.backward()`, `x.requires_grad = True`, `x.data += 1`, `x.label = 'a'`, `torch.manual_seed(1)`."""
        tokens = self.parser.statement_of(first)
        names = [token.text for token in tokens if token.kind == "name"]
        attribute = names[1] if len(names) > 1 else ""
        known = first.text in self.builder.names or first.text in words.MODULES | {"plt", "random"}
        if not known or (attribute not in words.SET_ASIDE and attribute != "label"):
            return self._seeded(first, tokens)
        if attribute in ("data", "item", "numpy", "tolist") and not any("=" in token.text for token in tokens):
            return False
        raise SetAside

    def _seeded(self, first: Token, tokens: Sequence[Token]) -> bool:
        """`np.random.seed(1)`: two dots, and nothing to do."""
        if first.text in words.MODULES and _mentions(tokens, ("seed", "manual_seed")):
            raise SetAside
        return False

    def _line_has_equals(self) -> bool:
        return any(token.text == "=" for token in self.parser.statement_of(self.parser.token))


def _is_enclosed(texts: Sequence[str]) -> bool:
    """Whether the bracket that a statement's tokens begin with is closed by the last of them."""
    depth = 0
    for place, text in enumerate(texts):
        depth += (text in _CLOSING) - (text in _CLOSING.values())
        if depth == 0:
            return place > 0 and place == len(texts) - 1
    return False


def _mentions(tokens: Iterable[Token], attributes: tuple[str, ...]) -> bool:
    return any(token.kind == "name" and token.text in attributes for token in tokens)


def _bound_names(tokens: list[Token]) -> Iterable[Token]:
    """Names given a value somewhere: those before `=` at the start of a statement, or before `+=` and the like."""
    starts = True
    for token, following in pairwise(tokens):
        gives = following.kind == "operator" and (following.text == "=" or following.text in _AUGMENTED)
        if starts and gives and token.kind == "name":
            yield token
        chained = starts and (gives or token.text == "=")
        starts = token.kind == "newline" or token.text == ";" or chained
