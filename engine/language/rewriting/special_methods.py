"""Methods of a program's classes that the sandbox never asks: lengths, truth, comparisons, order and `+=`.

Where a class of the program has one of them, the places of the text that would ask it call a function instead, which
does. Programs without such a class are left as they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.language.nodes import walk
from engine.language.rewriting.draft import Draft
from engine.language.rewriting.edits import FIRST, INNERMOST
from engine.language.words import OWN

_IN_PLACE: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("__iadd__", "+="), ast.Sub: ("__isub__", "-="), ast.Mult: ("__imul__", "*="),
    ast.Div: ("__itruediv__", "/="), ast.Pow: ("__ipow__", "**="), ast.FloorDiv: ("__ifloordiv__", "//="),
    ast.Mod: ("__imod__", "%="), ast.MatMult: ("__imatmul__", "@="),
}  # fmt: skip
_COMPARED: dict[type[ast.cmpop], tuple[str, str, str]] = {
    ast.Lt: ("__lt__", "__gt__", "<"), ast.Gt: ("__gt__", "__lt__", ">"),
    ast.LtE: ("__le__", "__ge__", "<="), ast.GtE: ("__ge__", "__le__", ">="),
}  # fmt: skip

_ORDERING = {"sorted": "sorted_by", "min": "least", "max": "greatest"}
"""Functions of Python that compare, and those that do the same with objects of the program's classes."""


class SpecialMethods:
    """Puts the calls into the edits of a draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft

    def build(self, tree: ast.Module) -> None:
        """Looks for methods of that kind in the classes, and for where they would be asked."""
        parts = walk(tree)
        classes = (node for node in parts if isinstance(node, ast.ClassDef))
        has = {item.name for node in classes for item in node.body if isinstance(item, ast.FunctionDef)}
        has_truth = bool(has & {"__len__", "__bool__"})
        has_order = any(name in has for name, _, _ in _COMPARED.values())
        in_place = {name for name, _ in _IN_PLACE.values()} & has
        if not (has_truth or has_order or in_place):
            return
        own = {node.id for node in parts if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        own |= {node.name for node in parts if isinstance(node, ast.FunctionDef)} - has
        for node in _outside_of_texts(tree):
            if has_truth:
                self._truth(node)
            if has_order and isinstance(node, ast.Compare) and len(node.ops) == 1:
                self._comparison(node)
            if has_order and isinstance(node, ast.Call):
                self._ordered(node, own)
            if in_place and isinstance(node, ast.AugAssign):
                self._in_place(node)

    def _truth(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("len", "bool"):
            self._draft.replace(node.func, f"{OWN}{'length' if node.func.id == 'len' else 'truth'}")
            if node.func.id == "bool" and node.args and isinstance(node.args[0], ast.BoolOp):
                self._tested(node.args[0])
        elif isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            self._tested(node.test)
        elif isinstance(node, ast.comprehension):
            for test in node.ifs:
                self._tested(test)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._tested(node.operand)

    def _tested(self, test: ast.expr) -> None:
        """Wraps what is asked whether it is true; of `a and b` each."""
        if isinstance(test, ast.BoolOp):
            for each in test.values:
                self._tested(each)
        elif not isinstance(test, (ast.Compare, ast.Constant)) and not (
            isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        ):
            self._draft.wrap(test, f"{OWN}truth(")

    def _comparison(self, node: ast.Compare) -> None:
        known = _COMPARED.get(type(node.ops[0]))
        if known is None:
            return
        name, reflected, sign = known
        at = self._draft.text.index(sign, self._draft.end(node.left))
        self._draft.wrap(node, f"{OWN}compared({name!r}, {reflected!r}, ")
        self._draft.edits.replace(at, at + len(sign), ",")

    def _ordered(self, node: ast.Call, own: set[str]) -> None:
        """`sorted(xs)`, `xs.sort()`, `min(a, b)` and `max(xs)` ask the objects which of two is less."""
        start, end = self._draft.places.span(node.func)
        if isinstance(node.func, ast.Name) and node.func.id in _ORDERING and node.func.id not in own:
            self._draft.edits.replace(start, end, OWN + _ORDERING[node.func.id])
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "sort":
            opening = self._draft.text.index("(", end)
            self._draft.edits.insert(start, f"{OWN}sort(", INNERMOST)
            comma = ", " if node.args or node.keywords else ""
            self._draft.edits.replace(self._draft.end(node.func.value), opening + 1, comma)

    def _in_place(self, node: ast.AugAssign) -> None:
        known = _IN_PLACE.get(type(node.op))
        start, end = self._draft.places.span(node.target)
        if known is None or any(isinstance(each, ast.Call) for each in walk(node.target)):
            return
        name, sign = known
        at = self._draft.text.index(sign, end)
        self._draft.edits.replace(at, at + len(sign), f"= {OWN}inplace({name!r}, {self._draft.text[start:end]},")
        self._draft.edits.insert(self._draft.end(node), ")", FIRST)


def _outside_of_texts(tree: ast.AST) -> Iterator[ast.AST]:
    """Every part but those inside f-strings, of which Python 3.11 does not say where they stand."""
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, ast.JoinedStr):
            stack += reversed(list(ast.iter_child_nodes(node)))
