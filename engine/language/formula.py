"""One formula of x1 and x2 as a function of points, for data sets, in the syntax of programs.

Python's parser reads it; it is never run. A visitor makes a graph of the few kinds of expressions that a formula may
have, and the graph is computed for all points at once. A comparison at its outermost level, `x1**2 + x2**2 < 4`, parts
the points into two classes.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Value, topological_order
from engine.autograd.ops import INFIX, OPS
from engine.autograd.replay import computed_columns
from engine.autograd.value import Constant, apply
from engine.language.errors import ProgramError
from engine.language.source import Source
from engine.messages import visible

NAMES = (("x1", "x"), ("x2",))
"""Names of the first and the second input."""
COMPARISONS = {ast.Lt: -1.0, ast.LtE: -1.0, ast.Gt: 1.0, ast.GtE: 1.0}
"""Sign of left - right where the comparison is true."""
MAX_DEPTH = 100

_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_FUNCTIONS = {op.name: op for op in OPS.values() if (op.elementwise or op.variadic) and not op.infix}
_FUNCTIONS |= {synonym: op for op in [*_FUNCTIONS.values()] for synonym in op.synonyms}
_MODULES = frozenset({"math", "np", "numpy", "torch"})
_CONSTANTS = {"pi": math.pi, "e": math.e}
_SAME = frozenset({"data", "item", "Value"})
"""Attributes, methods and functions that give a number again."""
_STRING = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*(?!\w*\s*\()")


@dataclass(frozen=True, eq=False)
class Formula:
    """A formula that was read.

    Attributes:
        text: as typed.
        n_inputs: 2 where x2 stands in it, else 1.
        parts_classes: it is a comparison: its value is above 0 where that is true.
    """

    text: str
    n_inputs: int
    parts_classes: bool
    _inputs: Sequence[Sequence[Value]] = field(repr=False)
    _sides: Sequence[Value] = field(repr=False)
    _sign: float = field(repr=False)

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values (n,) at points (n, n_inputs); nan or inf where there is none."""
        data: dict[Value, Any] = {}
        for names, column in zip(self._inputs, X.T, strict=False):
            data |= dict.fromkeys(names, column)
        with np.errstate(all="ignore"):
            sides = [np.broadcast_to(_computed(side, data), len(X)) for side in self._sides]
            values = sides[0] if len(sides) == 1 else self._sign * (sides[0] - sides[1])
        return np.array(values, dtype=np.float64)


def read_formula(text: str) -> Formula:
    """Read a formula such as `sin(x1) * x2` or `x1 * x2 > 0`.

    Raises:
        ProgramError: with the column of the mistake.
    """
    source = Source(text)
    reader = _Reader(source)
    sides, sign = reader.read()
    used = {value for side in sides for value in topological_order(side)}
    n_inputs = 2 if used.intersection(reader.inputs[1]) else 1
    return Formula(text, n_inputs, len(sides) == 2, reader.inputs, sides, sign)


def formula_problem(text: str) -> str:
    """Return a sentence about the error of a formula, with its column; "" without one."""
    try:
        read_formula(text)
    except ProgramError as error:
        return f"cannot be read at column {error.column}: {error.message}"
    return ""


class _Reader:
    """Reader of the syntax tree of a formula; an unknown expression is an error at its place."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.inputs = [[Value(1.0, name) for name in names] for names in NAMES]
        self.names = {value.label: value for values in self.inputs for value in values}

    def read(self) -> tuple[list[Value], float]:
        """Return the formula's value, or the two sides of its comparison and the comparison's sign."""
        text = self.source.text
        known = {*self.names, *_FUNCTIONS, *_CONSTANTS, *_MODULES, *_SAME, "sum"}
        for found in _NAME.finditer(_STRING.sub(lambda string: " " * len(string.group()), text)):
            name = found.group()
            if name not in known and not keyword.iskeyword(name):
                message = f"a formula is made of x1 and x2, not of {visible(name, 40)}"
                raise self.source.error(message, found.start(), found.end())
        lead = len(text) - len(text.lstrip())
        try:
            body = ast.parse(text[lead:], mode="eval").body
        except SyntaxError as error:
            raise self._unreadable(error, lead) from None
        except (ValueError, RecursionError, MemoryError):
            raise self.source.error(f"nested too deeply ({MAX_DEPTH})", 0) from None
        self._lead = lead
        if not isinstance(body, ast.Compare):
            return [self._value(body, 0)], 1.0
        if len(body.ops) > 1 or type(body.ops[0]) not in COMPARISONS:
            last = min(len(body.ops) - 1, 1)
            left = body.comparators[last - 1] if last else body.left
            start = self._end(left)
            start += len(text[start:]) - len(text[start:].lstrip())
            raise self.source.error("a formula compares once, with <, <=, > or >=", start)
        sides = [self._value(side, 0) for side in (body.left, body.comparators[0])]
        return sides, COMPARISONS[type(body.ops[0])]

    def _unreadable(self, error: SyntaxError, lead: int) -> ProgramError:
        text = self.source.text
        called = re.search(r"\b([^\W\d]\w*)\s+([\w.]+)", text)
        if called is not None and called[1] in _FUNCTIONS:
            return self.source.error(f"write {called[1]}({called[2]})", *called.span())
        at = min(lead + error.offset - 1, len(text)) if error.offset else len(text)  # without one it ends too early
        message = "expression expected" if error.msg.startswith(("invalid syntax", "unexpected EOF")) else error.msg
        return self.source.error(message, at)

    def _start(self, node: ast.expr) -> int:
        return self._lead + len(self.source.text[self._lead :].encode()[: node.col_offset].decode())

    def _end(self, node: ast.expr) -> int:
        return self._lead + len(self.source.text[self._lead :].encode()[: node.end_col_offset].decode())

    def _error(self, message: str, node: ast.expr) -> ProgramError:
        return self.source.error(message, self._start(node), self._end(node))

    def _value(self, node: ast.expr, depth: int) -> Value:
        if depth >= MAX_DEPTH:
            raise self._error(f"nested too deeply ({MAX_DEPTH})", node)
        match node:
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                try:
                    return Constant(float(number))
                except OverflowError:
                    raise self._error("the number is too large", node) from None
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="math" | "np" | "numpy"), attr=name) if (
                name in _CONSTANTS
            ):
                return Constant(_CONSTANTS[name])
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                value = self._value(operand, depth + 1)
                return -value if isinstance(sign, ast.USub) else value
            case ast.BinOp(left=left, op=operator, right=right):
                return self._infix(left, operator, right, depth)
            case ast.Attribute(value=of, attr="data"):
                return self._value(of, depth + 1)
            case ast.Call(keywords=[]):
                return self._call(node, depth)
            case ast.Name(id=name) if name in _FUNCTIONS:
                raise self._error(f"write {name}(x1)", node)
        raise self._error("a formula is one expression of x1 and x2", node)

    def _infix(self, left: ast.expr, operator: ast.operator, right: ast.expr, depth: int) -> Value:
        symbol = _OPERATORS.get(type(operator))
        if symbol is None:
            text = self.source.text
            first, last = self._end(left), self._start(right)
            at = first + next((i for i, letter in enumerate(text[first:last]) if letter not in " )"), 0)
            symbol = text[at:last].strip(" (")
            if isinstance(operator, ast.BitXor):
                sides = text[self._start(left) : first], text[last : self._end(right)]
                message = "^ is not power here: write {} ** {}".format(*(visible(side, 40) for side in sides))
            else:
                message = f"{symbol} is not available in a formula"
            raise self.source.error(message, at, at + len(symbol))
        return apply(INFIX[symbol], self._value(left, depth + 1), self._value(right, depth + 1))

    def _call(self, node: ast.Call, depth: int) -> Value:
        match node.func:
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="math" | "np" | "numpy" | "torch"), attr=name):
                arguments = node.args
            case ast.Attribute(value=of, attr=name):
                arguments = [of, *node.args]
            case _:
                raise self._error("a formula is one expression of x1 and x2", node)
        if name in _SAME and len(arguments) == 1:
            return self._value(arguments[0], depth + 1)
        if name == "sum":
            values = [self._value(each, depth + 1) for each in self._elements(arguments)]
            return sum(values[1:], values[0]) if values else Constant(0.0)
        op = _FUNCTIONS.get(name)
        if op is None:
            if isinstance(node.func, ast.Attribute):
                raise self._error("a formula is one expression of x1 and x2", node)
            raise self._error(f"unknown function '{visible(name, 40)}'", node)
        terms = self._elements(arguments) if op.variadic else arguments
        if not terms or (op.arity is not None and op.arity != len(terms)):
            raise self._error(f"{op.name} takes {op.arity or 'one or more'} numbers, not {len(terms)}", node)
        return apply(op, *(self._value(each, depth + 1) for each in terms))

    @staticmethod
    def _elements(arguments: Sequence[ast.expr]) -> Sequence[ast.expr]:
        if len(arguments) == 1 and isinstance(arguments[0], (ast.List, ast.Tuple)):
            return arguments[0].elts
        return arguments


def _computed(root: Value, data: dict[Value, Any]) -> Any:
    for value in topological_order(root):
        if value not in data:
            data[value] = (  # numpy's numbers divide by 0 without an error
                np.float64(value.data)
                if value.op is None
                else computed_columns(value.op, [data[x] for x in value.inputs])
            )
    return data[root]
