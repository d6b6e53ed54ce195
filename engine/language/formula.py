"""One formula of x1 and x2 as a function of points: what a data set is made of, in the words of the language.

It is read by the grammar of `parser`, never by Python, and computed by the table of operations for all points at once.
A comparison at its outermost level, `x1**2 + x2**2 < 4`, parts the points into two classes.
"""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.autograd import Value, topological_order
from engine.autograd.ops import INFIX, Op
from engine.autograd.replay import computed_columns
from engine.autograd.value import Constant, apply
from engine.language import words
from engine.language.errors import ProgramError
from engine.language.failures import diagnostics
from engine.language.grammar.builder import Builder
from engine.language.grammar.parser import Parser, SetAside
from engine.language.source import Source, Token, tokenize
from engine.messages import visible
from engine.quick_dataclass import dataclass

NAMES = (("x1", "x"), ("x2",))
"""What the first and the second input are called."""
COMPARISONS = {"<": -1.0, "<=": -1.0, ">": 1.0, ">=": 1.0}
"""The sign of left - right where the comparison is true."""


class _FormulaBuilder(Builder):
    """Makes values, which can be computed for other inputs: `x1.data` and `Value(x1)` are x1."""

    def number(self, data: float) -> Value:
        """A number written in the text."""
        return Constant(data)

    def infix(self, symbol: str, left: Value, right: Value) -> Value:
        """`left symbol right`."""
        return apply(INFIX[symbol], left, right)

    def negative(self, x: Value) -> Value:
        """`-x`."""
        return -x

    def call(self, op: Op, arguments: Sequence[Value]) -> Value:
        """`op(arguments)`."""
        return apply(op, *arguments)


@dataclass(frozen=True, eq=False)
class Formula:
    """A formula that was read.

    Attributes:
        text: as it was typed.
        n_inputs: 2 where x2 stands in it, else 1.
        parts_classes: whether it is a comparison: its value is above 0 where that is true.
    """

    text: str
    n_inputs: int
    parts_classes: bool
    _inputs: Sequence[Sequence[Value]] = field(repr=False)
    _sides: Sequence[Value] = field(repr=False)
    _sign: float = field(repr=False)

    def __call__(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values (n,) at points (n, n_inputs); nan or inf where it has none."""
        data: dict[Value, Any] = {}
        for names, column in zip(self._inputs, X.T, strict=False):
            data |= dict.fromkeys(names, column)
        with np.errstate(all="ignore"):
            sides = [np.broadcast_to(_computed(side, data), len(X)) for side in self._sides]
            values = sides[0] if len(sides) == 1 else self._sign * (sides[0] - sides[1])
        return np.array(values, dtype=np.float64)


def read_formula(text: str) -> Formula:
    """Reads a formula such as `sin(x1) * x2` or `x1 * x2 > 0`.

    Raises:
        ProgramError: with the column of what is wrong.
    """
    source = Source(text)
    tokens = tokenize(source)
    builder = _FormulaBuilder()
    inputs = [[Value(1.0, name) for name in names] for names in NAMES]
    builder.names.update({value.label: value for values in inputs for value in values})
    parser = Parser(source, tokens, builder, {})
    for before, token, behind in zip([parser.token, *tokens], tokens, tokens[1:], strict=False):
        if token.kind == "name" and before.text != "." and not _is_known(token, behind, builder):
            raise parser.error(f"a formula is made of x1 and x2, not of {visible(token.text, 40)}", token)
    start = parser.token
    try:
        sides, sign = [parser.expression()], 1.0
        if parser.token.kind == "operator" and parser.token.text in COMPARISONS:
            sign = COMPARISONS[parser.advance().text]
            sides.append(parser.expression())
    except SetAside:
        raise parser.error("a formula is one expression of x1 and x2", start) from None
    if parser.token.kind != "end":
        raise diagnostics.unexpected(parser, start.start)
    used = {value for side in sides for value in topological_order(side)}
    n_inputs = 2 if used.intersection(inputs[1]) else 1
    return Formula(text, n_inputs, len(sides) == 2, inputs, sides, sign)


def formula_problem(text: str) -> str:
    """What is wrong with a formula, with its column; "" when nothing is."""
    try:
        read_formula(text)
    except ProgramError as error:
        return f"cannot be read at column {error.column}: {error.message}"
    return ""


def _is_known(name: Token, behind: Token, builder: Builder) -> bool:
    """Whether the parser has something better to say of a name than that it is not an input."""
    known = (*builder.names, *words.MODULES, *words.FUNCTIONS, *words.CONSTANTS, "sum")
    return behind.text == "(" or name.text in known or keyword.iskeyword(name.text)


def _computed(root: Value, data: dict[Value, Any]) -> Any:
    for value in topological_order(root):
        if value not in data:
            data[value] = (  # numpy's numbers divide by 0 without an error
                np.float64(value.data)
                if value.op is None
                else computed_columns(value.op, [data[x] for x in value.inputs])
            )
    return data[root]
