"""Statements: which kind one is, what it binds, and which lines of a tutorial have nothing to do here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from engine.autograd.value import Value
from engine.language import diagnostics, words
from engine.language.builder import Builder
from engine.language.errors import ProgramError
from engine.language.notes import Note
from engine.language.parser import MAX_DEPTH, Parser, SetAside, unquoted
from engine.language.source import MAX_NAME, Source, Token

_AUGMENTED = ("+=", "-=", "*=", "/=", "**=")
_SOFT_KEYWORDS = ("match", "case", "type")


class StatementReader:
    """Runs the statements of a text one by one.

    Attributes:
        builder: the values made.
        root: value of the last assignment or expression; None when there was none.
        notes: what was set aside.
        unnamed: values of statements that give them no name, and where those stand.
    """

    def __init__(self, source: Source, tokens: list[Token]) -> None:
        bindings: dict[str, list[int]] = {}
        for token in _bound_names(tokens):
            bindings.setdefault(token.text, []).append(token.start)
        self.source = source
        self.builder = Builder(bindings)
        self.parser = Parser(source, tokens, self.builder, bindings)
        self.root: Value | None = None
        self.notes: list[Note] = []
        self.unnamed: list[tuple[Value, Token]] = []
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
            self._note_ignored()
        except ProgramError as error:
            raise self._worst(first, error) from None
        except SetAside as reason:
            self.builder.discard()
            self.parser.skip_statement()
            self._note(f"set aside: {reason}", first)
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

    def _note_ignored(self) -> None:
        for token in self.parser.ignored:
            self._note(f"set aside: {words.NOT_NEEDED[token.text]}", token)
        self.parser.ignored.clear()

    def _note(self, message: str, token: Token) -> None:
        self.notes.append(Note(message, *self.source.place(token.start)))

    def _statement(self, first: Token) -> None:
        parser = self.parser
        if first.kind == "name":
            self._refuse_keyword(first)
            shows = first.text in words.DISPLAY_FUNCTIONS and first.text not in self.builder.names
            if shows and parser.follows("(", 1):
                raise SetAside("the graph shows every value")
            if parser.peek().kind == "operator" and self._named_statement(first, parser.peek().text):
                return
        elif first.text in ("%", "!") and parser.peek().kind == "name":
            raise SetAside("a notebook command")
        self._expression_statement(first)

    def _refuse_keyword(self, first: Token) -> None:
        following = self.parser.peek()
        if first.text in ("import", "from") and following.text != "=":
            raise SetAside("nothing needs to be imported here")
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
            raise self.parser.error("one name on the left: write a line for each", self.parser.peek())
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
        self.root = self.builder.bind(targets, value, (first.start, parser.previous_end))

    def _note_hidden_function(self, name: str, first: Token) -> None:
        if name in words.FUNCTION_NAMES and name not in self.builder.names:
            self._note(f"{name} is a number from here on: the function {name} cannot be called any more", first)

    def _augmented_assignment(self, first: Token, symbol: str) -> None:
        parser = self.parser
        name = self._target(parser.advance())
        if name not in self.builder.names:
            raise diagnostics.no_value(parser, first)
        at = parser.advance().start
        right = parser.expression()
        place = (first.start, parser.previous_end, at)
        value = self.builder.infix(symbol, self.builder.names[name], right, place)
        self.root = self.builder.bind([name], value, (first.start, parser.previous_end))

    def _target(self, token: Token) -> str:
        if token.text in words.KEYWORDS:
            raise diagnostics.keyword(self.parser, token)
        if len(token.text) > MAX_NAME:
            raise self.parser.error(f"name too long ({len(token.text):,} letters, at most {MAX_NAME})", token)
        return token.text

    def _expression_statement(self, first: Token) -> None:
        parser = self.parser
        value = parser.expression()
        if _mentions(self.parser.statement_of(first), ("data", "item")):
            raise SetAside(words.NOT_NEEDED["data"])
        if not parser.at_end():
            raise diagnostics.unexpected(parser, first.start)
        self.builder.express(value, (first.start, parser.previous_end))
        self.unnamed.append((value, first))
        self.root = value

    def _attribute_statement(self, first: Token) -> bool:
        """`L.backward()`, `x.requires_grad = True`, `x.data += 1`, `x.label = 'a'`, `torch.manual_seed(1)`."""
        tokens = self.parser.statement_of(first)
        names = [token.text for token in tokens if token.kind == "name"]
        attribute = names[1] if len(names) > 1 else ""
        known = first.text in self.builder.names or first.text in words.MODULES | {"plt", "random"}
        if not known or (attribute not in words.NOT_NEEDED and attribute != "label"):
            return self._seeded(first, tokens)
        if attribute == "label" and self._relabelled(first, tokens):
            return True
        if attribute in ("data", "item", "numpy", "tolist") and not any("=" in token.text for token in tokens):
            return False
        raise SetAside(words.NOT_NEEDED.get(attribute, "a label is text in quotes"))

    def _seeded(self, first: Token, tokens: Sequence[Token]) -> bool:
        """`np.random.seed(1)`: two dots, and nothing to do."""
        if first.text in words.MODULES and _mentions(tokens, ("seed", "manual_seed")):
            raise SetAside(words.NOT_NEEDED["seed"])
        return False

    def _relabelled(self, first: Token, tokens: Sequence[Token]) -> bool:
        texts = [token.text for token in tokens[1:4]]
        if texts != [".", "label", "="] or len(tokens) != 5 or tokens[4].kind != "string":
            return False
        self.builder.relabel(self.builder.names[first.text], unquoted(tokens[4].text))
        self.parser.skip_statement()
        return True

    def _line_has_equals(self) -> bool:
        return any(token.text == "=" for token in self.parser.statement_of(self.parser.token))


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
