"""Names in a program's text: which statement gives which name to which expression, and where numbers are written."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

Span = tuple[int, int, int, int]
"""Line, column, end line, end column, all from 1; columns count characters, the end is exclusive."""

_MAKERS = frozenset({"Value", "tensor", "Tensor", "float64", "array"})


def bindings(tree: ast.Module, text: str) -> list[dict[str, Any]]:
    """Return the names bound by statements outside of functions and classes, in the order of the text.

    Returns:
        For each: `name`, `value` (span of the expression), `statement` (span), `number` (span of a written number that
        a slider may change, or None), `written` (that number), `in_loop`.
    """
    spans = _Spans(text)
    found = []
    for statement, in_loop in statements(tree.body):
        for name, value in bound(statement):
            number = _written_number(value)
            found.append(
                {
                    "name": name,
                    "value": spans.of(statement if isinstance(statement, ast.AugAssign) else value),
                    "statement": spans.of(statement),
                    "number": spans.of(number) if number is not None else None,
                    "written": _number(number),
                    "in_loop": in_loop,
                }
            )
    return found


class _Spans:
    """Places of nodes in characters; `ast` counts bytes of UTF-8."""

    def __init__(self, text: str) -> None:
        self._lines = [line.encode() for line in text.split("\n")]

    def of(self, node: ast.AST) -> Span:
        line, column, end_line, end_column = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
        return line, self._characters(line, column) + 1, end_line, self._characters(end_line, end_column) + 1

    def _characters(self, line: int, column: int) -> int:
        return len(self._lines[line - 1][:column].decode("utf-8", "replace"))


def statements(body: list[ast.stmt], in_loop: bool = False) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield the statements outside of functions and classes, each with True if it stands in a loop."""
    for statement in body:
        yield statement, in_loop
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        inside = in_loop or isinstance(statement, (ast.For, ast.While))
        for name in ("body", "orelse", "finalbody"):
            yield from statements(getattr(statement, name, []), inside)
        for part in (*getattr(statement, "handlers", []), *getattr(statement, "cases", [])):
            yield from statements(part.body, inside)


def bound(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that an assignment binds, each with its expression."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from pairs(target, statement.value)
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)) and statement.value is not None:
        yield from pairs(statement.target, statement.value)


def pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names of an assignment, each with its expression; `(a, b), c = (1, 2), 3` has three."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
        for part, each in zip(target.elts, value.elts, strict=False):
            yield from pairs(part, each)


def _written_number(value: ast.expr) -> ast.expr | None:
    """Return the number in `2.0`, `-3`, `Value(2.0)`, `torch.tensor([2.0])`."""
    if _number(value) is not None:
        return value
    if isinstance(value, ast.Call):
        function = value.func
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Call):
            return _written_number(function.value)  # torch.tensor(2.0).double()
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        given = [*value.args[:1], *(keyword.value for keyword in value.keywords if keyword.arg == "data")]
        if given and (name in _MAKERS or name[:1].isupper()):
            first = given[0].elts[0] if isinstance(given[0], ast.List) and len(given[0].elts) == 1 else given[0]
            return first if _number(first) is not None else None
    return None


def _number(node: ast.expr | None) -> float | None:
    sign = 1.0
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        sign = -1.0 if isinstance(node.op, ast.USub) else 1.0
        node = node.operand
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        try:
            return sign * float(node.value)  # type: ignore[arg-type]
        except OverflowError:
            return None
    return None
