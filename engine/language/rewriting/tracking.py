"""Which numbers of a program of formulas become values of its graph, and which are printed as numbers."""

from __future__ import annotations

import ast
from collections.abc import Container

from engine.language import imports
from engine.language.nodes import assigned_parts, last_name, number_of, walk
from engine.language.rewriting.draft import Draft
from engine.language.words import CONSTANTS, FUNCTION_NAMES, MODULES, OWN


class Tracking:
    """Looks at statements and puts what makes values of their numbers into the edits.

    Args:
        draft: what is put into the text.
        names: what the program has given a value so far; looked at when a statement is.
    """

    def __init__(self, draft: Draft, names: Container[str]) -> None:
        self._draft = draft
        self._names = names

    def track(self, node: ast.stmt) -> None:
        """Wraps the numbers of a statement outside of functions."""
        if isinstance(node, ast.Expr) and _shows(node.value):
            self._plain_arguments(node.value)
            return
        for target, part in assigned_parts(node):
            if isinstance(target, ast.Name):
                self._track_bound(part)
        value = getattr(node, "value", None)
        if not isinstance(value, ast.expr) or any(not isinstance(t, ast.Name) for t in getattr(node, "targets", ())):
            return
        if isinstance(node, ast.AugAssign) and not isinstance(node.target, ast.Name):
            return
        if isinstance(node, ast.Assign):
            self._track_bound(value)
        else:
            self._track_parts(value)

    def _track_bound(self, value: ast.expr) -> None:
        """Wraps what one name is given: a number is a leaf of that name."""
        if number_of(value) is not None:
            self._wrap(value, "named")
        else:
            self._track_parts(value)

    def _track_parts(self, node: ast.expr) -> None:
        stack: list[ast.AST] = [node]
        while stack:
            each = stack.pop()
            if isinstance(each, ast.expr) and (number_of(each) is not None or self._is_constant(each)):
                self._wrap(each, "tracked")
            elif isinstance(each, ast.Call) and imports.makes_leaf(each.func):
                if imports.makes_array(each.func):
                    self._wrap(each, "named")
            elif isinstance(each, ast.Call) and last_name(each.func) not in FUNCTION_NAMES:
                stack.append(each.func)
            elif not isinstance(each, (ast.JoinedStr, ast.Lambda)):
                stack.extend(ast.iter_child_nodes(each))

    def _is_constant(self, node: ast.expr) -> bool:
        """Whether it is a number that has a name: `pi`, `math.e`."""
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id in MODULES and node.attr in CONSTANTS
        return isinstance(node, ast.Name) and node.id == "pi" and "pi" not in self._names

    def _wrap(self, node: ast.expr, function: str) -> None:
        self._draft.wrap(node, f"{OWN}{function}(")

    def _plain_arguments(self, node: ast.expr) -> None:
        """In `print(...)` numbers with a format are printed as numbers."""
        for each in walk(node):
            if isinstance(each, ast.JoinedStr) and any(
                isinstance(part, ast.FormattedValue) and part.format_spec is not None for part in each.values
            ):
                self._draft.replace(each, ast.unparse(_PlainNumbers().visit(each)))
            elif isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr == "format":
                for argument in each.args:
                    self._wrap(argument, "plain")


class _PlainNumbers(ast.NodeTransformer):
    """In an f-string with formats, numbers instead of what stands for them."""

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        if node.format_spec is not None:
            node.value = ast.Call(ast.Name(f"{OWN}plain", ast.Load()), [node.value], [])
        return node


def _shows(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
