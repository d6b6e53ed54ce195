"""Functions that yield, which the sandbox has not: written as functions that make the whole list first.

That gives the same where the function ends by itself and nobody can notice when its parts are run: it prints nothing,
calls nothing that might, changes nothing from outside and reads nothing that the program gives another value. Any other
one is refused at its `yield`.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from engine.language.errors import ProgramError
from engine.language.nodes import walk
from engine.language.pieces import Draft, Pieces
from engine.language.words import OWN

Function = ast.FunctionDef
NOT_AHEAD = (
    "yield is available here only where the whole list can be made first (no print, no while True, no calls of other "
    "functions): make a list and return it"
)
_MADE = f"{OWN}made"
_FUNCTIONS = frozenset({
    "range", "len", "zip", "enumerate", "min", "max", "abs", "int", "float", "round", "list", "tuple", "set", "sum",
    "sorted", "reversed", "str", "isinstance",
})  # fmt: skip
"""What such a function may call: none of these prints or changes anything."""
_METHODS = frozenset({"items", "keys", "values", "append", "split", "get", "copy", "lower", "upper", "strip"})
_REFUSED = (
    ast.Global, ast.Nonlocal, ast.Try, ast.With, ast.Raise, ast.Assert, ast.Await, ast.NamedExpr, ast.Delete,
    ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.Lambda,
)  # fmt: skip


class Generators:
    """Puts what makes lists into the edits of a draft."""

    def __init__(self, draft: Draft) -> None:
        self._source, self._text, self._places, self._edits = draft
        self._pieces = Pieces(draft)

    def build(self, tree: ast.Module) -> None:
        """Rewrites every function that yields.

        Raises:
            ProgramError: at the first `yield` of one that cannot be run ahead.
        """
        if "yield" not in self._text:
            return
        functions = [(node, yields) for node in walk(tree) if isinstance(node, Function) and (yields := _yields(node))]
        names = {node.name for node, _ in functions}
        loops = [node for node in walk(tree) if isinstance(node, (ast.For, ast.While))]
        stored = Counter(name for part in (tree, *loops) for name in _stored(part))
        changing = {name for name, times in stored.items() if times > 1}
        for node, yields in reversed(functions):  # an inner one ends where the outer one does: before it
            if not _can_run_ahead(node, yields, names | (_FUNCTIONS - set(_stored(tree))), changing):
                raise self._error(yields[0])
            self._rewrite(node, yields)

    def _rewrite(self, node: Function, yields: Sequence[ast.expr]) -> None:
        for value in yields:
            start, end = self._places.offset(value), self._places.offset(value, end=True)
            word = re.compile(r"yield(\s+from\b)?").match(self._text, start)
            assert word is not None
            self._edits.replace(start, word.end(), f"{_MADE}.{'extend' if word[1] else 'append'}((")
            self._edits.insert(end, "None))" if getattr(value, "value", None) is None else "))", first=True)
        for each in _own_parts(node):
            if isinstance(each, ast.Return):
                self._edits.insert(self._places.offset(each, end=True), f" iter({_MADE})", first=True)
        first, end = node.body[0], self._places.offset(node, end=True)
        self._pieces.before(first, f"{_MADE} = []")
        at = self._places.offset(first)
        blanks = self._text[self._source.line_start(at) : at].replace("\ufeff", "")
        joined = f"\n{blanks}" if not blanks.strip() else "; "
        self._edits.insert(end, f"{joined}return iter({_MADE})", last=True)

    def _error(self, node: ast.expr) -> ProgramError:
        start = self._places.offset(node)
        return self._source.error(NOT_AHEAD, start, start + len("yield"))


def _own_parts(function: Function) -> Iterator[ast.AST]:
    """What belongs to a function itself, not to functions in it; those are named, not entered."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop(0)
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            stack += ast.iter_child_nodes(node)


def _yields(function: Function) -> list[ast.expr]:
    found = [each for each in _own_parts(function) if isinstance(each, (ast.Yield, ast.YieldFrom))]
    return sorted(found, key=lambda each: (each.lineno, each.col_offset))


def _stored(tree: ast.AST) -> list[str]:
    """Every name that is given a value somewhere, as often as it is."""
    names = [node.id for node in walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return names + [node.name for node in walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))]


def _can_run_ahead(
    function: Function, yields: Sequence[ast.expr], callable_names: set[str], changing: set[str]
) -> bool:
    """Whether nobody can notice that the function is run to its end when it is called."""
    parts = list(_own_parts(function))
    statements = [node.value for node in parts if isinstance(node, ast.Expr)]
    arguments = function.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    own = {each.arg for each in named if each is not None} | set(_stored(ast.Module(function.body, [])))
    return (
        not function.decorator_list
        and all(each in statements for each in yields)
        and not any(isinstance(node, _REFUSED) for node in parts)
        and all(_is_harmless(node, callable_names, changing - own) for node in parts)
    )


def _is_harmless(node: ast.AST, callable_names: set[str], changing: set[str]) -> bool:
    if isinstance(node, ast.Call):
        called = node.func
        is_method = isinstance(called, ast.Attribute) and (called.attr in _METHODS or called.attr in callable_names)
        return is_method or (isinstance(called, ast.Name) and called.id in callable_names)
    if isinstance(node, ast.While):
        return not isinstance(node.test, ast.Constant)
    if isinstance(node, ast.Return):
        return node.value is None
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return isinstance(node.ctx, ast.Load)
    return not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id not in changing
