"""The grammar: statements and expressions of the little language, read token by token into a Builder.

Precedence climbing (M. Richards' method as described by T. Norvell, "Parsing expressions by recursive descent"): one
function for expressions, one for operands. A chain `a + a + ...` is a loop; nesting is counted and limited before it
is entered, so no text exhausts Python's stack. Nothing a user typed is ever compiled or evaluated by Python.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping

from engine.language import words
from engine.language.errors import Fix, ProgramError
from engine.language.failures import diagnostics
from engine.language.failures.diagnostics import shown
from engine.language.grammar.builder import Builder, Made
from engine.language.source import MAX_NAME, Source, Token

MAX_DEPTH = 100
MAX_DIGITS = 1_000

_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 4}
_SIGN = 3
_DIGITS = "[0-9](?:_?[0-9])*"
_NUMBER = re.compile(
    r"0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+"
    rf"|(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?"
)
_ENDS = ("newline", "end")


class SetAside(Exception):
    """This statement has nothing to say about a graph."""


class Parser:
    """Reads the tokens of one program into a builder.

    Attributes:
        token: the token to be read next.
        statement: the first token of the statement being read.
    """

    def __init__(
        self, source: Source, tokens: list[Token], builder: Builder, assigned: Mapping[str, list[int]]
    ) -> None:
        """`assigned`: every name the program gives a value to, and the offsets where it does."""
        self.source = source
        self.builder = builder
        self.assigned = assigned
        self._tokens = tokens
        self._next = 0
        self._depth = 0
        self.token = tokens[0]
        self.statement = tokens[0]
        self.previous_end = 0

    # Reading

    def advance(self) -> Token:
        """Takes the next token."""
        token = self.token
        self.previous_end = token.end
        self._next += 1
        if token.kind != "end":
            self.token = self._tokens[self._next]
        return token

    def peek(self, ahead: int = 1) -> Token:
        """A token further on."""
        return self._tokens[min(self._next + ahead, len(self._tokens) - 1)]

    def follows(self, text: str, ahead: int = 0) -> bool:
        """Whether this operator stands `ahead` tokens further on."""
        token = self.peek(ahead)
        return token.text == text and token.kind == "operator"

    def at_end(self) -> bool:
        """Whether the statement ends here."""
        return self.token.kind in _ENDS or self.follows(";")

    def go_to(self, token: Token) -> None:
        """Makes `token` the next one."""
        self._next = self._tokens.index(token)
        self.token = token

    def statement_of(self, first: Token) -> list[Token]:
        """The tokens of the statement that begins with `first`."""
        index = end = bisect_left(self._tokens, first.start, key=lambda token: token.start)
        while self._tokens[end].kind not in _ENDS and self._tokens[end].text != ";":
            end += 1
        return self._tokens[index:end]

    def can_stand_here(self, start: int, end: int) -> bool:
        """Whether the line from `start` to `end` is complete and needs no name that has no value yet."""
        first = bisect_left(self._tokens, start, key=lambda token: token.start)
        behind = bisect_left(self._tokens, end, key=lambda token: token.start)
        line = self._tokens[first:behind]
        complete = self._tokens[behind].kind in _ENDS and (first == 0 or self._tokens[first - 1].kind == "newline")
        missing = self.assigned.keys() - self.builder.names.keys()
        return complete and not any(token.text in missing for token in line[1:] if token.kind == "name")

    def skip_statement(self) -> None:
        """Goes to the end of the statement."""
        while not self.at_end():
            self.advance()

    def skip_arguments(self) -> None:
        """Goes to the bracket that closes the one just read."""
        depth = 0
        while depth or not (self.token.kind == "operator" and self.token.text in ")]}"):
            taken = self.advance()
            if taken.kind == "operator":
                depth += (taken.text in "([{") - (taken.text in ")]}")

    def error(self, message: str, token: Token) -> ProgramError:
        """An error that underlines `token`."""
        return self.source.error(message, token.start, token.end)

    def expect_closing(self, bracket: str, start: int) -> None:
        """Takes the closing bracket or says what stands there instead."""
        if not self.follows(bracket):
            raise diagnostics.unexpected(self, start)
        self.advance()

    # Expressions

    def expression(self, least: int = 0) -> Made:
        """An expression of operators that bind at least as tightly as `least`."""
        left = self.operand()
        while self.token.kind == "operator":
            symbol = self.token.text
            precedence = _PRECEDENCE.get(symbol, -1)
            if precedence < least or precedence < 0:
                break
            at = self.advance().start
            if symbol == "**":
                right = self._deeper(lambda: self.expression(_SIGN), at)
            else:
                right = self.expression(precedence + 1)
            left = self.builder.infix(symbol, left, right)
        return left

    def operand(self) -> Made:
        """A number, name, call or bracket, with its signs before and its methods behind."""
        token = self.token
        if token.kind == "number":
            value = self._number(self.advance())
        elif token.kind == "name":
            value = self._named(self.advance())
        elif self.follows("("):
            self.advance()
            value = self.expression()
            self.expect_closing(")", token.start)
        elif self.follows("-") or self.follows("+"):
            return self._signed()
        else:
            raise diagnostics.no_operand(self)
        return self._behind(value, token.start) if self.token.kind == "operator" else value

    def _signed(self) -> Made:
        signs: list[Token] = []
        while self.follows("-") or self.follows("+"):
            signs.append(self.advance())
            if len(signs) + self._depth > MAX_DEPTH:
                raise self.error(f"nested too deeply ({MAX_DEPTH})", signs[-1])
        value = self._deeper(lambda: self.expression(_SIGN), signs[-1].start)
        for sign in reversed(signs):
            if sign.text == "-":
                value = self.builder.negative(value)
        return value

    def _deeper(self, read: Callable[[], Made], at: int) -> Made:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.source.error(f"nested too deeply ({MAX_DEPTH})", at)
        value = read()
        self._depth -= 1
        return value

    def _number(self, token: Token) -> Made:
        text = token.text
        if len(text) > MAX_DIGITS:
            raise self.error(f"number too long ({len(text):,} characters, at most {MAX_DIGITS:,})", token)
        if not _NUMBER.fullmatch(text):
            raise diagnostics.bad_number(self, token)
        if text[0] == "0" and text.isdigit() and text.strip("0"):
            number = text.lstrip("0")
            fix = Fix(f"write {shown(number)}", token.start, token.end, number)
            raise self.source.error(f"leading zero: write {shown(number)}", token.start, token.end, fix)
        return self.builder.number(_number_of(text))

    def _named(self, token: Token) -> Made:
        name = token.text
        if len(name) > MAX_NAME:
            raise self.error(f"name too long ({len(name):,} letters, at most {MAX_NAME})", token)
        if self.follows("("):
            if name in self.builder.names:
                raise diagnostics.not_callable(self, token)
            return self._called(token)
        if name in self.builder.names:
            return self.builder.names[name]
        if name in words.MODULES and self.follows("."):
            return self._in_module()
        if name in words.FUNCTIONS and self.follows("."):
            raise diagnostics.unknown_attribute(self, self.peek())
        if name == "pi" and name not in self.assigned:
            return self.builder.number(math.pi)
        raise diagnostics.no_value(self, token)

    def _in_module(self) -> Made:
        """What stands behind `torch.`, `math.`, `torch.nn.functional.` ..."""
        self.advance()
        token = self.advance()
        if self.follows("("):
            return self._called(token)
        if token.text in words.MODULES and self.follows("."):
            return self._in_module()
        if token.text in words.CONSTANTS:
            return self.builder.number(words.CONSTANTS[token.text])
        raise diagnostics.unknown_attribute(self, token)

    def _called(self, token: Token) -> Made:
        name = words.SYNONYMS.get(token.text, token.text)
        if name in words.LEAF_MAKERS:
            return self._deeper(lambda: self._leaf(token), token.start)
        if name != "sum" and name not in words.FUNCTIONS:
            raise diagnostics.not_callable(self, token)
        self.advance()
        arguments = self._arguments(token)
        return self._apply(name, token, arguments)

    def _apply(self, name: str, token: Token, arguments: list[Made]) -> Made:
        if name == "sum":
            return self._sum(token, arguments)
        op = words.FUNCTIONS[name]
        expected, given = op.arity, len(arguments)
        odd = op.paired and (given < 3 or given % 2 == 0)
        if odd or not given or (expected is not None and expected != given):
            raise diagnostics.wrong_count(self, token, op, given)
        return self.builder.call(op, arguments)

    def _sum(self, token: Token, arguments: list[Made]) -> Made:
        if not arguments:
            raise self.error("sum needs at least 1 input, 0 given", token)
        total = arguments[0]
        for value in arguments[1:]:
            total = self.builder.infix("+", total, value)
        return total

    def _arguments(self, function: Token) -> list[Made]:
        """The arguments up to the closing bracket; functions of any number of inputs also take them as one list."""
        op = words.FUNCTIONS.get(function.text)
        listed = function.text == "sum" or (op is not None and op.variadic and not op.paired)
        if listed and (self.follows("[") or (self.follows("(") and self._bracket_holds_comma())):
            closer = "]" if self.advance().text == "[" else ")"
            arguments = self._comma_separated(function, closer)
            self.expect_closing(")", function.start)
            return arguments
        return self._comma_separated(function, ")")

    def _comma_separated(self, function: Token, closer: str) -> list[Made]:
        arguments: list[Made] = []
        while not self.follows(closer):
            if self.follows("*") or self.follows("**") or (self.token.kind == "name" and self.follows("=", 1)):
                raise self.error(f"{function.text} takes positional arguments only", self.token)
            arguments.append(self._deeper(self.expression, self.token.start))
            if self.follows(","):
                self.advance()
            elif not self.follows(closer):
                raise diagnostics.unexpected(self, function.start)
        self.advance()
        return arguments

    def _bracket_holds_comma(self) -> bool:
        depth, ahead = 0, 0
        while self.peek(ahead).kind != "end":
            token = self.peek(ahead)
            if token.kind == "operator":
                depth += (token.text in "([{") - (token.text in ")]}")
                if depth == 1 and token.text == ",":
                    return True
            if depth == 0:
                return False
            ahead += 1
        return False

    def _leaf(self, maker: Token) -> Made:
        """`Value(2.0, label='a')`, `torch.tensor([2.0], requires_grad=True)`: the number, nothing else."""
        self.advance()
        if self.token.kind == "name" and self.follows("=", 1):
            self.advance(), self.advance()
        listed = self.follows("[")
        if listed:
            self.advance()
        number = self.expression()
        if listed:
            self._close_list(maker)
        if self.follows(","):
            self.skip_arguments()
        self.expect_closing(")", maker.start)
        return number

    def _close_list(self, maker: Token) -> None:
        if self.follows(","):
            raise self.error("one number only: values here are single numbers, not arrays", self.token)
        self.expect_closing("]", maker.start)

    def _behind(self, value: Made, start: int) -> Made:
        """Methods and attributes: `x.relu()`, `x.data`."""
        while self.token.kind == "operator":
            if self.follows("("):
                raise diagnostics.call_of_number(self, start)
            if self.follows("["):
                raise self.error(words.OPERATORS["["], self.token)
            if not self.follows("."):
                return value
            self.advance()
            value = self._attribute(value, self.advance())
        return value

    def _attribute(self, value: Made, token: Token) -> Made:
        name = words.SYNONYMS.get(token.text, token.text)
        if name in words.NUMBER_ATTRIBUTES or (name in words.UNCHANGED and self.follows("(") and self.follows(")", 1)):
            self._empty_call()
            return value
        if name == "requires_grad_" and self.follows("("):
            self.advance()
            self.skip_arguments()
            self.advance()
            return value
        if name in words.SET_ASIDE:
            raise SetAside
        if name not in words.FUNCTIONS:
            raise diagnostics.unknown_attribute(self, token)
        if not self.follows("("):
            raise self.error(f"{name} is a method: write .{name}(…)", token)
        self.advance()
        return self._apply(name, token, [value, *self._comma_separated(token, ")")])

    def _empty_call(self) -> None:
        if self.follows("(") and self.follows(")", 1):
            self.advance(), self.advance()


def _number_of(text: str) -> float:
    """The float nearest to a literal; inf when it is too large."""
    if text[:2].lower() in ("0x", "0b", "0o"):
        try:
            return float(int(text, 0))
        except OverflowError:
            return math.inf
    return float(text)
