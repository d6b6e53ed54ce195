"""From formulas of the table of operations to numpy calls that write into buffers.

A `Tape` evaluates a formula not with numbers but with terms, factor * rows of a buffer, and writes down the calls that
would compute it: factors and constants are folded, equal calls are made once, `x**2` is a square, a condition that is
known is decided. It knows the vocabulary of formulas and nothing about single operations.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from engine.autograd import formula
from engine.autograd.vocabulary import SCALAR, is_ufunc
from engine.network.errors import UntranslatableError


class Buffer:
    """A matrix (rows, n_samples) that calls read and write; memory is bound to it later.

    Attributes:
        rows: how many.
        boolean: of truth values.
        ones: has one more row of ones below, so that a layer's bias is one more weight.
        source: passed in from outside: "input", "target", "parameters", "gradients"; empty: own memory.
        home: a larger buffer it is part of, and from which row on; None: it stands alone.
        shared: it is such a home.
    """

    __slots__ = ("boolean", "home", "ones", "rows", "shared", "source")

    home: tuple[Buffer, int] | None

    def __init__(self, rows: int, boolean: bool = False, source: str = "") -> None:
        self.rows, self.boolean, self.ones, self.source = rows, boolean, False, source
        self.home, self.shared = None, False


class BufferView(NamedTuple):
    """View of a buffer for a call.

    For `source` "parameters" and "gradients" `start` and `stop` are places in the flat array and `shape` says how
    they are arranged; `form` is "" (the rows), "augmented" (with the row of ones) or "transposed" (the whole matrix,
    row of ones or column of biases included).
    """

    buffer: Buffer
    start: int
    stop: int
    form: str = ""
    shape: tuple[int, int] | None = None

    @property
    def rows(self) -> int:
        return self.shape[0] if self.shape else self.stop - self.start


class Term(NamedTuple):
    """factor * view; a number where there is no view."""

    factor: float
    view: BufferView | None = None

    @property
    def number(self) -> bool:
        """True for a plain number."""
        return self.view is None


class Call(NamedTuple):
    """One numpy call: the function's name, its operands and its output."""

    function: str
    inputs: tuple[BufferView | float, ...]
    output: BufferView


ZERO, ONE = Term(0.0), Term(1.0)
_COMPARISONS: dict[type, str] = {
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}
_DECISIONS: dict[str, Callable[[float, float], bool]] = {
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
}
_FUNCTIONS = {"abs": "absolute", "max": "maximum", "min": "minimum"}


@cache
def parsed(text: str) -> ast.expr:
    """Return the formula as a syntax tree."""
    return ast.parse(text, mode="eval").body


class Tape:
    """Recorder of numpy calls.

    Attributes:
        calls: so far, in order.
    """

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._made: dict[tuple[object, ...], BufferView] = {}

    def call(self, function: str, *inputs: BufferView | float, rows: int, boolean: bool = False) -> BufferView:
        """Return the result of a call in a new buffer; an equal earlier call is not made again."""
        key = (function, *inputs)
        if key not in self._made:
            output = BufferView(Buffer(rows, boolean), 0, rows)
            self.calls.append(Call(function, inputs, output))
            self._made[key] = output
        return self._made[key]

    def write(self, function: str, *inputs: BufferView | float, output: BufferView) -> None:
        """A call that writes into rows of a given buffer."""
        self.calls.append(Call(function, inputs, output))

    def evaluate(self, text: str, names: Mapping[str, Term]) -> Term:
        """Return the value of a formula for terms by name.

        Raises:
            UntranslatableError: for a formula that is more than numpy calls that write into buffers.
        """
        return self._visit(parsed(text), names)

    def _visit(self, node: ast.expr, names: Mapping[str, Term]) -> Term:
        match node:
            case ast.Constant(value=float() | int() as number):
                return Term(float(number))
            case ast.Name(id="pi"):
                return Term(SCALAR["pi"])
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return scaled(self._visit(operand, names), -1.0)
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, self._visit(left, names), self._visit(right, names))
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
                return self._compare(_COMPARISONS[type(op)], self._visit(left, names), self._visit(right, names))
            case ast.Call(func=ast.Name(id="where"), args=[condition, yes, no]):
                return self._where(self._visit(condition, names), yes, no, names)
            case ast.Call(func=ast.Name(id=function), args=arguments):
                return self._apply(function, [self._visit(argument, names) for argument in arguments])
        raise UntranslatableError(f"the formula {ast.unparse(node)} has no numpy calls")

    def _binary(self, op: ast.operator, a: Term, b: Term) -> Term:
        match op:
            case ast.Add():
                return self.add(a, b)
            case ast.Sub():
                return self.add(a, scaled(b, -1.0))
            case ast.Mult():
                return self.multiply(a, b)
            case ast.Div():
                return self._divide(a, b)
            case ast.Pow():
                return self._power(a, b)
        raise UntranslatableError(f"the operator {type(op).__name__} of a formula has no numpy call here")

    def multiply(self, a: Term, b: Term) -> Term:
        """a * b."""
        if a.factor == 0.0 or b.factor == 0.0:
            return ZERO
        if a.view is None or b.view is None:
            return Term(a.factor * b.factor, a.view or b.view)
        if a.view.buffer.boolean and b.view.buffer.boolean:
            a = Term(1.0, self.rows_of(a))
        assert a.view is not None
        if a.view == b.view:
            return Term(a.factor * b.factor, self.call("square", a.view, rows=a.view.rows))
        rows = max(a.view.rows, b.view.rows)
        return Term(a.factor * b.factor, self.call("multiply", a.view, b.view, rows=rows))

    def add(self, a: Term, b: Term) -> Term:
        """a + b; a common factor stays outside."""
        if a.view is None and b.view is None:
            return Term(a.factor + b.factor)
        if a.factor == 0.0 or b.factor == 0.0:
            return b if a.factor == 0.0 else a
        if a.view is None or (b.view is not None and b.factor > 0.0 > a.factor):
            a, b = b, a
        assert a.view is not None
        if b.view is None:
            return self._add_number(a, b.factor)
        rows = max(a.view.rows, b.view.rows)
        boolean = a.view.buffer.boolean or b.view.buffer.boolean
        if abs(a.factor) == abs(b.factor) and not boolean:
            function = "add" if a.factor == b.factor else "subtract"
            return Term(a.factor, self.call(function, a.view, b.view, rows=rows))
        if b.factor == -1.0 and not boolean:
            return Term(1.0, self.call("subtract", self.rows_of(a), b.view, rows=rows))
        return Term(1.0, self.call("add", self.rows_of(a), self.rows_of(b), rows=rows))

    def _add_number(self, a: Term, number: float) -> Term:
        assert a.view is not None
        if a.factor == -1.0 and not a.view.buffer.boolean:
            return Term(1.0, self.call("subtract", number, a.view, rows=a.view.rows))
        return Term(1.0, self.call("add", self.rows_of(a), number, rows=a.view.rows))

    def _divide(self, a: Term, b: Term) -> Term:
        if b.view is None and b.factor != 0.0:
            return Term(a.factor / b.factor, a.view)
        if a.view is None and b.view is None:
            return Term(formula.scalar_function("a / b", "a, b")(a.factor, b.factor))
        over, under = self.operand(Term(1.0, a.view)), b.factor if b.view is None else self.operand(Term(1.0, b.view))
        if b.view is None:
            return Term(a.factor, self.call("divide", over, under, rows=_rows(over)))
        return Term(a.factor / b.factor, self.call("divide", over, under, rows=_rows(over, under)))

    def _power(self, a: Term, b: Term) -> Term:
        if a.view is None and b.view is None:
            return Term(SCALAR["power"](a.factor, b.factor))
        if b.view is None and b.factor in (1.0, 2.0, 3.0, 4.0):
            half = a if b.factor == 1.0 else self.multiply(a, a)
            return half if b.factor < 3.0 else self.multiply(half, a if b.factor == 3.0 else half)
        if b.view is None and b.factor == 0.0:
            return ONE
        base, exponent = self.operand(a), self.operand(b)
        return Term(1.0, self.call("power", base, exponent, rows=_rows(base, exponent)))

    def _compare(self, comparison: str, a: Term, b: Term) -> Term:
        if a.view is None and b.view is None:
            return Term(float(_DECISIONS[comparison](a.factor, b.factor)))
        left, right = self.operand(a), self.operand(b)
        return Term(1.0, self.call(comparison, left, right, rows=_rows(left, right), boolean=True))

    def _where(self, condition: Term, yes: ast.expr, no: ast.expr, names: Mapping[str, Term]) -> Term:
        if condition.view is None:
            return self._visit(yes if condition.factor else no, names)
        a, b = self._visit(yes, names), self._visit(no, names)
        if a.view is None and b.view is None:
            return self.add(Term(a.factor - b.factor, condition.view), b)
        left, right = self.operand(a), self.operand(b)
        rows = _rows(condition.view, left, right)
        return Term(1.0, self.call("where", condition.view, left, right, rows=rows))

    def _apply(self, function: str, arguments: list[Term]) -> Term:
        if function == "sigmoid":
            return self.evaluate(formula.SIGMOID, {"x": arguments[0]})
        if function == "logsumexp":
            return self._log_sum_exp(arguments[0])
        if all(argument.number for argument in arguments):
            known = formula.scalar_names(f"{function}(0)")
            return Term(float(known[function](*(argument.factor for argument in arguments))))
        call = _FUNCTIONS.get(function, function)
        if not is_ufunc(call, len(arguments)):
            raise UntranslatableError(f"{function} is not one of numpy's universal functions")
        operands = [self.operand(argument) for argument in arguments]
        return Term(1.0, self.call(call, *operands, rows=_rows(*operands)))

    def _log_sum_exp(self, x: Term) -> Term:
        """log(sum(exp(x))) down the rows, shifted by the largest so that it does not overflow."""
        rows = self.rows_of(x)
        largest = self.call("largest_row", rows, rows=1)
        shares = self.call("exp", self.call("subtract", rows, largest, rows=rows.rows), rows=rows.rows)
        total = self.call("log", self.call("sum_of_rows", shares, rows=1), rows=1)
        return Term(1.0, self.call("add", total, largest, rows=1))

    def operand(self, term: Term) -> BufferView | float:
        """Return a term as something a call can read."""
        return term.factor if term.view is None else self.rows_of(term)

    def rows_of(self, term: Term) -> BufferView:
        """Return a term with its factor multiplied in, as floating-point rows."""
        assert term.view is not None
        if term.factor == 1.0 and not term.view.buffer.boolean:
            return term.view
        if term.factor == -1.0 and not term.view.buffer.boolean:
            return self.call("negative", term.view, rows=term.view.rows)
        return self.call("multiply", term.view, term.factor, rows=term.view.rows)


def scaled(term: Term, factor: float) -> Term:
    """factor * term."""
    return Term(term.factor * factor, term.view)


def _rows(*operands: BufferView | float) -> int:
    return max(operand.rows for operand in operands if not isinstance(operand, float))
