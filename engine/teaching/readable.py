"""Formulas of the table of operations as a learner reads them: `where(x > 0, 1.0, 0.0)` is `1 if x > 0`, `0 otherwise`.

Reads the text that runs (`ops.py`), so nothing is written twice. Operators and powers are written as in mathematics,
choices as cases, and functions of arrays in words.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

OTHERWISE = "otherwise"

SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4
"""Binding strengths of parts of a formula, the weakest first."""
OPERATORS: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: (" + ", SUM),
    ast.Sub: (" − ", SUM),
    ast.Mult: ("·", PRODUCT),
    ast.Div: (" / ", PRODUCT),
    ast.MatMult: (" @ ", PRODUCT),
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Gt: ">", ast.Lt: "<", ast.GtE: "≥", ast.LtE: "≤", ast.Eq: "=", ast.NotEq: "≠",
}  # fmt: skip
WORDS = {
    "abs": "|{0}|",
    "sigmoid": "σ({0})",
    "sqrt": "√({0})",
    "log1p": "log(1 + {0})",
    "dot": "Σ {0}·{1}",
    "transpose": "{0}ᵀ",
    "matmul_left": "{0} @ {2}ᵀ",
    "matmul_right": "{1}ᵀ @ {0}",
    "sum": "sum of {0}",
    "count": "number of elements",
    "amax": "largest of {0}",
    "amin": "smallest of {0}",
    "spread": "{0} for every element",
    "share": "{0} shared by the elements that are {2}",
    "take": "{0}[{1}]",
    "scatter": "{0} at the places taken",
    "column": "{0}",
}
"""Functions that are not written as calls, by name; `{0}` is the first argument."""
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Case(NamedTuple):
    """Value of a formula under a condition.

    Attributes:
        value: a formula.
        condition: its condition; "" everywhere, `OTHERWISE` if no earlier case applies.
    """

    value: str
    condition: str = ""

    @property
    def text(self) -> str:
        """Both on one line."""
        condition = self.condition if self.condition in ("", OTHERWISE) else f"if {self.condition}"
        return f"{self.value}  {condition}".rstrip()


def cases_of(formula: str) -> tuple[Case, ...]:
    """Return the cases of a formula of the table, one where it makes no choice."""
    return tuple(_cases(ast.parse(formula, mode="eval").body))


def mathematics(formula: str) -> str:
    """Return a formula of the table, or a condition, on one line."""
    return ", ".join(case.text.replace("  ", " ") for case in cases_of(formula))


def _cases(node: ast.expr) -> list[Case]:
    if _name(node) != "where":
        return [Case(_written(node)[0])]
    assert isinstance(node, ast.Call)
    condition, value, otherwise = node.args
    first = Case(_written(value)[0], _written(condition)[0])
    rest = [Case(case.value, case.condition or OTHERWISE) for case in _cases(otherwise)]
    return [first, *rest]


def _name(node: ast.expr) -> str:
    """Return the name of the called function; "" if it is no name."""
    return getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""


def _written(node: ast.expr) -> tuple[str, int]:
    """Return the text of a formula and its binding strength."""
    match node:
        case ast.Constant(int() | float() as value):
            return f"{value:g}", ATOM
        case ast.Name(name):
            return {"pi": "π"}.get(name, name), ATOM
        case ast.UnaryOp(ast.USub(), operand):
            return f"−{_inside(operand, PRODUCT)}", PRODUCT
        case ast.BinOp(left, ast.Pow(), right):
            return _power(left, right), POWER
        case ast.BinOp(left, operator, right):
            sign, binding = OPERATORS[type(operator)]
            after = _inside(right, binding + (not isinstance(operator, ast.Add | ast.Mult)))
            after = f"({after})" if after.startswith("−") else after
            return f"{_inside(left, binding)}{sign}{after}", binding
        case ast.BoolOp(operator, values):
            word, binding = (" and ", PRODUCT) if isinstance(operator, ast.And) else (" or ", SUM)
            return word.join(_inside(value, binding + 1) for value in values), binding
        case ast.Compare(left, [ast.Eq()], [ast.BinOp(_, ast.FloorDiv(), ast.Constant(1))]):
            return f"{_written(left)[0]} is a whole number", ATOM
        case ast.Compare(left, [operator], [right]):
            return f"{_written(left)[0]} {COMPARISONS[type(operator)]} {_written(right)[0]}", ATOM
    assert isinstance(node, ast.Call)  # nothing else stands in the table
    return _called(_name(node), node.args)


def _inside(node: ast.expr, binding: int) -> str:
    text, own = _written(node)
    return text if own >= binding else f"({text})"


def _power(base: ast.expr, exponent: ast.expr) -> str:
    text = _inside(base, ATOM)
    if isinstance(exponent, ast.Constant) and isinstance(exponent.value, int):
        return text + str(exponent.value).translate(_SUPERSCRIPTS)
    return f"{text}^{_inside(exponent, ATOM)}"


def _called(name: str, arguments: Sequence[ast.expr]) -> tuple[str, int]:
    texts = [_written(argument)[0] for argument in arguments]
    return WORDS[name].format(*texts) if name in WORDS else f"{name}({', '.join(texts)})", ATOM
