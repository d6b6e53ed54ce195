"""What Python has and the sandbox lacks: written in another way where that is right, refused at its place elsewhere."""

from __future__ import annotations

import ast
from typing import Any

from engine.language.edits import Edits
from engine.language.errors import ProgramError
from engine.language.prelude import OWN
from engine.language.source import Source

_OF_NUMBERS = {
    "item": "item_of",
    "zero_": "zero",
    "numpy": "same",
    "tolist": "listed",
    "clone": "same",
    "float": "same",
}
"""Methods that tensors have and numbers have not, and the functions that stand for them."""


class Bridges:
    """Looks at a tree and puts what is needed into the edits.

    Args:
        source: the text as typed.
        text: the same, with what was set aside blanked out.
        places: offsets of the tree's parts.
        edits: what is put into the text.
    """

    def __init__(self, source: Source, text: str, places: Any, edits: Edits) -> None:
        self._source = source
        self._text = text
        self._places = places
        self._edits = edits

    def build(self, tree: ast.Module) -> None:
        """Bridges what can be, and refuses the rest.

        Raises:
            ProgramError: at the first part that the sandbox cannot run.
        """
        for node in ast.walk(tree):
            self._refuse(node)
            if isinstance(node, ast.ClassDef):
                self._class(node)
            elif isinstance(node, ast.Delete):
                self._delete(node)
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                self._method_of_number(node, node.func)

    def _refuse(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            raise self._error("yield is not available here: make a list and return it", node)
        if isinstance(node, (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)):
            raise self._error("async and await are not available here: write a plain function", node)

    def _class(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            if not (isinstance(base, ast.Name) and base.id == "object"):
                raise self._error("a base class is not available here: write its methods into this class", base)
        if node.keywords:
            raise self._error("a metaclass is not available here", node.keywords[0].value)
        if node.bases:
            start, end = self._places.offset(node), self._places.offset(node, end=True)
            opening = self._text.index("(", start)
            closing = self._text.index(")", opening)
            assert closing < end
            self._edits.replace(opening, closing + 1, "")
        for item in node.body:
            if isinstance(item, ast.FunctionDef):
                self._method(node, item)

    def _method(self, owner: ast.ClassDef, method: ast.FunctionDef) -> None:
        for decorator in method.decorator_list:
            name = decorator.id if isinstance(decorator, ast.Name) else ""
            if name != "staticmethod" or len(method.decorator_list) > 1:
                raise self._error("of decorators of methods only @staticmethod is available here", decorator)
            start, end = self._places.offset(decorator), self._places.offset(decorator, end=True)
            self._edits.replace(start - 1, end, "pass")
            behind = self._places.offset(owner, end=True)
            line = self._source.line_start(self._places.offset(owner))
            blanks = self._text[line : self._places.offset(owner)]
            blanks = blanks if not blanks.strip() else blanks[: len(blanks) - len(blanks.lstrip())]
            text = f"{owner.name}.{method.name} = {OWN}static({owner.name}.{method.name})"
            self._edits.insert(behind, f"\n{blanks}{text}", last=True)

    def _method_of_number(self, call: ast.Call, method: ast.Attribute) -> None:
        """`x.data.item()`, `x.grad.zero_()`: data and grad are plain numbers here."""
        held = method.value
        function = _OF_NUMBERS.get(method.attr)
        if function is None or not isinstance(held, ast.Attribute) or held.attr not in ("data", "grad") or call.args:
            return
        start, end = self._places.offset(held), self._places.offset(held, end=True)
        whole = self._places.offset(call, end=True)
        if self._text[end : end + 1] != ".":
            return
        owner = self._places.offset(held.value, end=True)
        if method.attr == "zero_" and held.attr == "grad":
            self._edits.insert(start, f"{OWN}zero(", inner=True)
            self._edits.replace(owner, whole, ")")
        else:
            self._edits.insert(start, f"{OWN}{function}(", inner=True)
            self._edits.replace(end, whole, ")")

    def _delete(self, node: ast.Delete) -> None:
        raise self._error("del is not available here: give the name another value", node)

    def _error(self, message: str, node: ast.AST) -> ProgramError:
        start = self._places.offset(node)
        same_line = getattr(node, "lineno", 0) == getattr(node, "end_lineno", 0)
        return self._source.error(message, start, self._places.offset(node, end=True) if same_line else start + 1)
