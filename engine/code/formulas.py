"""Formulas of the operation table rewritten as expressions of another program."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from engine.autograd.formula import scalar_function


def rewritten(formula: str, operands: Mapping[str, str], words: Mapping[str, str], prefix: str, choices: bool) -> str:
    """Return a formula with its arguments and functions replaced.

    Args:
        formula: of the operation table, or an expression of the target library.
        operands: source text for each argument name.
        words: source text for each function name.
        prefix: put before the other functions, such as `np.`.
        choices: write `where(c, a, b)` as `a if c else b`.
    """
    tree = ast.parse(formula, mode="eval")
    return ast.unparse(ast.fix_missing_locations(_Rewriting(operands, words, prefix, choices).visit(tree)))


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class _Rewriting(ast.NodeTransformer):
    """Replaces names; parts without any name are computed: `2.0 - 1`, `sqrt(2 / pi)`."""

    def __init__(self, operands: Mapping[str, str], words: Mapping[str, str], prefix: str, choices: bool) -> None:
        self._operands, self._words, self._prefix, self._choices = operands, words, prefix, choices

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.BinOp, ast.Call, ast.Compare)) and self._number(node) is not None:
            return ast.Constant(self._number(node))
        return super().visit(node)

    def _number(self, node: ast.expr) -> float | bool | None:
        """Value of a part made of numbers only, the operands included."""
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        called = {
            part.func.id for part in ast.walk(node) if isinstance(part, ast.Call) and isinstance(part.func, ast.Name)
        }
        numbers = {name: self._operands.get(name, "") for name in names - called - {"pi"}}
        plain = not any(isinstance(part, (ast.Attribute, ast.Subscript, ast.keyword)) for part in ast.walk(node))
        if not plain or (called & {"sum", "count"}) or not all(map(_is_number, numbers.values())):
            return None
        found = scalar_function(ast.unparse(node), ", ".join(numbers))(*map(float, numbers.values()))
        return found if isinstance(found, bool) else float(found)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._operands:
            return _expression(self._operands[node.id])
        return _expression(self._prefix + "pi") if node.id == "pi" else node

    def visit_Call(self, node: ast.Call) -> Any:
        if not isinstance(node.func, ast.Name):
            return self.generic_visit(node)
        name = node.func.id
        if name == "where":
            decided = self._number(node.args[0])
            if decided is not None:
                return self.visit(node.args[1 if decided else 2])
        arguments = [self.visit(argument) for argument in node.args]
        if name == "where" and self._choices:
            return ast.IfExp(arguments[0], arguments[1], arguments[2])
        return ast.Call(_expression(self._words.get(name, self._prefix + name)), arguments, node.keywords)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
