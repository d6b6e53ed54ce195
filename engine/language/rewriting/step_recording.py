"""What lets each statement of a program say that it was run: for the walk line by line.

A statement says so behind itself, with what it gave its names; one that leaves its block, and the head of a loop or of
an `if`, before what follows. Classes and functions say nothing where they are defined, engines of learners nothing at
all: their operations are one step of the program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.language.nodes import argument_names, target_names, walk
from engine.language.rewriting.draft import Draft
from engine.language.words import FUNCTION_NAMES, OWN
from engine.quick_dataclass import dataclass

_HARMLESS = {
    *FUNCTION_NAMES,
    "print", "len", "range", "float", "int", "str", "bool", "abs", "sum", "min", "max", "round", "zip", "enumerate",
    "list", "tuple", "dict", "set", "sorted", "isinstance", "Value",
}  # fmt: skip
"""Functions that change nothing that is there already, unless the program gives the name to something of its own."""
_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_SILENT = (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)


@dataclass(frozen=True, slots=True)
class StepPlace:
    """Where a statement stands that says when it was run.

    Attributes:
        line: from 1.
        start: offset of the statement, or of the head of a compound one, in the text as typed.
        end: offset behind it.
        function: the function that it stands in, such as `Neuron.__call__`; "" outside.
    """

    line: int
    start: int
    end: int
    function: str


class _Scope(NamedTuple):
    """A function or class: what it is called, the names in it that belong to the program, whether it says nothing."""

    name: str = ""
    outer: frozenset[str] = frozenset()
    is_silent: bool = False


class Recording:
    """Puts what says that a statement was run into the edits of a draft.

    Attributes:
        steps: the places of what says so, in the order of their numbers.
    """

    def __init__(self, draft: Draft, tree: ast.Module) -> None:
        self._harmless = _HARMLESS - set(_own_names(tree))
        self.steps: list[StepPlace] = []
        self._draft = draft
        self._scopes = [_Scope()]

    # Functions

    def enter(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        """What is told from now on stands in a function, or in a class and then in its methods."""
        around = self._scopes[-1]
        name = f"{around.name}.{node.name}" if around.name else node.name
        outer = frozenset(each for part in walk(node) if isinstance(part, ast.Global) for each in part.names)
        first = next((each for each in node.body if not isinstance(each, _SILENT) and not _is_text(each)), None)
        is_silent = around.is_silent or first is None
        self._scopes.append(_Scope(name, outer, is_silent))
        if first is not None and not is_silent and not isinstance(node, ast.ClassDef):
            self._draft.before(first, f"{OWN}call = {OWN}call_begins()")
            start, end = self._draft.start(node), self._end_of_signature(node)
            self._draft.before(first, self._said(node.args, start, end, argument_names(node)))

    def _end_of_signature(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
        """The offset behind the line, or lines, that name the function and its arguments."""
        start = self._draft.start(node)
        body = self._draft.text.rfind(":", start, self._draft.start(node.body[0]))
        return max(body, start + 1)

    def leave(self) -> None:
        """The function or class is over."""
        self._scopes.pop()

    # Statements

    def simple(self, node: ast.stmt) -> None:
        """A statement that holds no others."""
        if self._scopes[-1].is_silent or isinstance(node, _SILENT) or _is_text(node):
            return
        start, end = self._draft.places.span(node)
        if isinstance(node, _LEAVES):
            self._draft.before(node, self._said(node, start, end, ()))
        else:
            self._draft.edits.insert(end, f"; {self._said(node, start, end, _names_of(node))}")

    def head(self, node: ast.For | ast.While | ast.If | ast.With | ast.Try) -> None:
        """The first line of a statement that holds others."""
        if self._scopes[-1].is_silent or isinstance(node, ast.Try):
            return
        start, last = self._draft.start(node), _last_of_head(node)
        end = self._draft.end(last)
        if isinstance(node, (ast.For, ast.While)) or self._draft.text.startswith("elif", start):
            names = target_names(node.target) if isinstance(node, ast.For) else []
            asked = node.target if isinstance(node, ast.For) else last  # what a loop goes through is asked for once
            self._draft.before(node.body[0], self._said(asked, start, end, names))
        else:
            self._draft.before(node, self._said(last, start, end, ()))

    def _may_change(self, node: ast.AST) -> bool:
        """Whether it may change the numbers of values that are there, or what a collection holds."""
        if any(map(_may_be_changed, [*getattr(node, "targets", ()), getattr(node, "target", None)])):
            return True
        calls = (each.func for each in walk(node) if isinstance(each, ast.Call))
        return any(not isinstance(called, ast.Name) or called.id not in self._harmless for called in calls)

    def _said(self, node: ast.AST, start: int, end: int, names: Sequence[str]) -> str:
        function, outer, _is_silent = self._scopes[-1]
        number = len(self.steps)
        self.steps.append(StepPlace(self._draft.source.place(start)[0], start, end, function))
        own = [name for name in dict.fromkeys(names) if name not in outer]
        told = f"{tuple(own)!r}, ({''.join(f'{name}, ' for name in own)})"
        said = f"{OWN}step({number}, {f'{OWN}call' if function else '0'}, {self._may_change(node)}, {told})"
        others = [name for name in dict.fromkeys(names) if name in outer]
        return "; ".join([said, *(f"{OWN}step_outside({name!r}, {name})" for name in others)])


def _may_be_changed(target: ast.AST | None) -> bool:
    return isinstance(target, (ast.Attribute, ast.Subscript, ast.Tuple, ast.List))


def _names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return []
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    return [name for target in targets if target is not None for name in target_names(target)]


def _last_of_head(node: ast.For | ast.While | ast.If | ast.With) -> ast.expr:
    if isinstance(node, ast.For):
        return node.iter
    return node.items[-1].context_expr if isinstance(node, ast.With) else node.test


def _own_names(tree: ast.Module) -> Iterator[str]:
    for node in walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
