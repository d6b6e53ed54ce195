"""Formulas as executable text: one string becomes float, array and complex functions.

The table of operations (`ops.py`) states each value and derivative once, as a string. This module hides how such a
string is made executable in three arithmetics: Python floats (fast scalars), numpy arrays, and complex numbers (for the
complex-step check). All follow IEEE 754: `1 / 0` is inf, `log(-1)` is nan, nothing raises and nothing becomes complex.

A formula consists of numbers, names, `+ - * / // % ** @`, comparisons, `and`, `or`, `not`, and calls. `vocabulary.py`
lists the functions it may call; it may also call any other function of `math` and numpy by its bare name, `arctan(x)`.

Only literals of this package come here; text typed by a user never does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from engine.autograd.vocabulary import (
    ARRAY,
    COMPLEX,
    SCALAR,
    FormulaError,
    Function,
    array_named,
    complex_named,
    scalar_named,
)


class _SafePower(ast.NodeTransformer):
    """Rewrite `a**b` as `power(a, b)` unless b is a number: a variable exponent may leave the real line."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow) and not isinstance(node.right, ast.Constant):
            return ast.Call(ast.Name("power", ast.Load()), [node.left, node.right], [])
        return node


class _Choices(ast.NodeTransformer):
    """Rewrite choices as Python expressions: `where(c, a, b)` as `a if c else b`, `max(x, 0.0)` as a comparison.

    Saves the call, and evaluates only the branch that is taken. As in IEEE 754, a nan stays one.
    """

    _COMPARISONS: Mapping[str, ast.cmpop] = MappingProxyType({"max": ast.Gt(), "min": ast.Lt()})

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name, arguments = getattr(node.func, "id", ""), node.args
        if name == "where":
            return ast.IfExp(*arguments)
        if name == "dot":
            products = ast.Call(ast.Name("_map", ast.Load()), [ast.Name("_mul", ast.Load()), *arguments], [])
            return ast.Call(ast.Name("_sum", ast.Load()), [products], [])
        if name in self._COMPARISONS and isinstance(arguments[0], ast.Name) and isinstance(arguments[1], ast.Constant):
            x, bound = arguments
            wins = ast.Compare(x, [self._COMPARISONS[name]], [bound])
            is_nan = ast.Compare(x, [ast.NotEq()], [x])
            return ast.IfExp(ast.BoolOp(ast.Or(), [wins, is_nan]), x, bound)
        return node


class _RealConditions(ast.NodeTransformer):
    """Make comparisons use the real part: complex numbers have no order."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        sides = [ast.Attribute(side, "real", ast.Load()) for side in (node.left, *node.comparators)]
        return ast.Compare(sides[0], node.ops, list(sides[1:]))


_GRAMMAR = (ast.Constant, ast.Name, ast.UnaryOp, ast.BinOp, ast.Compare, ast.BoolOp, ast.Call, ast.expr_context)
_SIGNS = (ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
KEPT_FORMULAS = 1024
"""Formulas whose functions are cached: all of the table, and the newest of measured operations, which hold numbers."""


@lru_cache(KEPT_FORMULAS)
def _parsed(formula: str) -> ast.Expression:
    """Return the formula as an immutable syntax tree; raises FormulaError for anything else than a formula."""
    try:
        tree = ast.parse(formula, mode="eval")
    except SyntaxError as error:
        raise FormulaError(f"the formula {formula!r} cannot be read: {error.msg}") from error
    for node in ast.walk(tree.body):
        plain = isinstance(node, _GRAMMAR + _SIGNS) and not getattr(node, "keywords", None)
        number = not isinstance(node, ast.Constant) or isinstance(node.value, (int, float))
        if not (plain and number) or (isinstance(node, ast.Call) and not isinstance(node.func, ast.Name)):
            part = ast.unparse(node)
            raise FormulaError(
                f"the formula {formula!r} holds {part!r}: a formula is made of numbers, names, operators and calls of "
                f"functions by their bare names; arctan(x), where(x > 0, x, 0.0)"
            )
    return tree


def _rewritten(formula: str, *rewriting: ast.NodeTransformer) -> str:
    _parsed(formula)  # compile() reports errors; parsing again takes a tenth of the time of a copy
    tree: ast.AST = ast.parse(formula, mode="eval")
    for transformer in rewriting:
        tree = transformer.visit(tree)
    return ast.unparse(ast.fix_missing_locations(tree))


@lru_cache(KEPT_FORMULAS)
def python_source(formula: str) -> str:
    """The formula as an executable expression, with safe powers."""
    return _rewritten(formula, _SafePower())


@lru_cache(KEPT_FORMULAS)
def scalar_source(formula: str) -> str:
    """The formula as an executable expression for floats."""
    return _rewritten(formula, _SafePower(), _Choices())


def scalar_names(*formulas: str) -> dict[str, Any]:
    """All names these formulas may use in the arithmetic of floats, except their arguments."""
    return _names(formulas, SCALAR, scalar_named)


def letters(*formulas: str) -> set[str]:
    """The names in these formulas, called functions included."""
    return {node.id for text in formulas for node in ast.walk(_parsed(text)) if isinstance(node, ast.Name)}


def _names(formulas: Iterable[str], known: dict[str, Any], named: Callable[[str], Any]) -> dict[str, Any]:
    """The known names, and the functions of math and numpy that the formulas call in addition."""
    calls = [node for formula in formulas for node in ast.walk(_parsed(formula)) if isinstance(node, ast.Call)]
    called = {node.func.id for node in calls if isinstance(node.func, ast.Name)}
    return {**known, **{name: named(name) for name in called - known.keys()}}


@lru_cache(KEPT_FORMULAS)
def scalar_function(formula: str, arguments: str) -> Function:
    """Return `formula` as a function of floats.

    Args:
        formula: an expression of the table's vocabulary, such as `"1 - y**2"`.
        arguments: the names it may use, comma-separated, in call order.

    Raises:
        FormulaError: when it is not a formula, or uses a name that is neither an argument nor a function.
    """
    names = scalar_names(formula)
    fast = _define(scalar_source(formula), arguments, names)
    if unknown := set(fast.__code__.co_names) - names.keys():
        raise FormulaError(
            f"the formula {formula!r} names {min(unknown)}, which is not one of its inputs ({arguments})"
        )
    if "/" not in formula and "**" not in formula:
        return fast
    careful = array_function(formula, arguments)

    def function(*values: Any) -> Any:
        try:
            return fast(*values)
        except (ZeroDivisionError, OverflowError):
            return float(careful(*map(np.float64, values)))

    return function


@lru_cache(KEPT_FORMULAS)
def array_function(formula: str, arguments: str) -> Function:
    """Return `formula` as a function of numpy arrays (or numpy scalars), without floating-point warnings."""
    raw = _define(python_source(formula), arguments, _names((formula,), ARRAY, array_named))

    def function(*values: Any, **settings: Any) -> Any:
        with np.errstate(all="ignore"):
            return raw(*values, **settings)

    return function


@lru_cache(KEPT_FORMULAS)
def complex_function(formula: str, arguments: str) -> Function:
    """Return `formula` as a function of complex numbers, analytic around real arguments away from kinks."""
    source = _rewritten(formula, _SafePower(), _RealConditions())
    return _define(source, arguments, _names((formula,), COMPLEX, complex_named))


def library_function(formula: str, arguments: str, names: Mapping[str, Any]) -> Function:
    """Return `formula` in the arithmetic of another library, given its functions by name."""
    return _define(python_source(formula), arguments, dict(names))


def _define(expression: str, arguments: str, names: dict[str, Any]) -> Function:
    return define(f"def function({arguments}):\n    return {expression}\n", names, "function")


SIGMOID = "1 / (1 + exp(-x))"
"""`sigmoid(x)` of the vocabulary, in every arithmetic: where exp is too large for a float it is infinite, and this 0;
`0.5 + 0.5 * tanh(0.5 * x)` has no digits left at -36."""


def define(source: str, names: dict[str, Any], name: str) -> Function:
    """Run the definition `source`, written by this package from its own table, and return its function `name`."""
    space = dict(names)
    exec(compile(source, f"<operation table: {name}>", "exec"), space)
    function: Function = space.pop(name)  # as a global the function would refer to itself, a cycle
    return function


SCALAR["sigmoid"] = scalar_function(SIGMOID, "x")
ARRAY["sigmoid"] = array_function(SIGMOID, "x")
COMPLEX["sigmoid"] = complex_function(SIGMOID, "x")
