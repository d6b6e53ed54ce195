"""Functions that yield, which the sandbox has not: written as functions that make the whole list first.

That gives the same where the function ends by itself and nobody can notice when its parts are run: it prints nothing,
calls nothing that might, changes nothing but lists of its own, none of which it has yielded, and reads nothing that the
program changes meanwhile. Any other one is refused at its `yield`.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from engine.language.nodes import argument_names, walk
from engine.language.rewriting.draft import Draft
from engine.language.rewriting.edits import FIRST, LAST
from engine.language.rewriting.meanwhile import changed_by, changed_meanwhile, makes_list, passed_to
from engine.language.words import OWN

Function = ast.FunctionDef
NOT_AHEAD = (
    "yield is available here only where the whole list can be made first (no print, no while True, no calls of other "
    "functions, nothing that changes meanwhile): make a list and return it"
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
        self._draft = draft

    def build(self, tree: ast.Module) -> None:
        """Rewrites every function that yields.

        Raises:
            ProgramError: at the first `yield` of one that cannot be run ahead.
        """
        if "yield" not in self._draft.text:
            return
        functions = [(node, yields) for node in walk(tree) if isinstance(node, Function) and (yields := _yields(node))]
        names = {node.name for node, _ in functions}
        loops = [node for node in walk(tree) if isinstance(node, (ast.For, ast.While))]
        stored = Counter(name for part in (tree, *loops) for name in _stored(part))
        changed = changed_meanwhile(tree, names) if functions else set()
        changing = {name for name, times in stored.items() if times > 1} | changed
        for node, yields in reversed(functions):  # an inner one ends where the outer one does: before it
            can = _can_run_ahead(node, yields, names | (_FUNCTIONS - set(_stored(tree))), changing)
            if not can or not _grows_only_own(node) or changed & passed_to(tree, node.name):
                start = self._draft.start(yields[0])
                raise self._draft.source.error(NOT_AHEAD, start, start + len("yield"))
            self._rewrite(node, yields)

    def _rewrite(self, node: Function, yields: Sequence[ast.expr]) -> None:
        for value in yields:
            start, end = self._draft.places.span(value)
            word = re.compile(r"yield(\s+from\b)?").match(self._draft.text, start)
            assert word is not None
            self._draft.edits.replace(start, word.end(), f"{_MADE}.{'extend' if word[1] else 'append'}((")
            self._draft.edits.insert(end, "None))" if getattr(value, "value", None) is None else "))", FIRST)
        for each in _own_parts(node):
            if isinstance(each, ast.Return):
                self._draft.edits.insert(self._draft.end(each), f" iter({_MADE})", FIRST)
        first = node.body[0]
        self._draft.before(first, f"{_MADE} = []")
        blanks = self._draft.indentation(first)
        joined = f"\n{blanks}" if not blanks.strip() else "; "
        self._draft.edits.insert(self._draft.end(node), f"{joined}return iter({_MADE})", LAST)


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
    own = {*argument_names(function), *_stored(ast.Module(function.body, []))}
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
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, ast.Load) and f".{node.attr}" not in changing
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Load)
    return not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id not in changing


def _grows_only_own(function: Function) -> bool:
    """Whether all that is changed in place are lists that the function has made and not yielded yet."""
    parts = list(_own_parts(function))
    growing = [(name, node) for node in parts for name in changed_by(node)]
    return {name for name, _ in growing} <= _own_lists(function, parts) and not any(
        _is_changed_after(name, statement, following, [node for grown, node in growing if grown == name], parts)
        for statement, following in _in_turn(function, parts)
        for name in _yielded(statement)
    )


def _own_lists(function: Function, parts: Sequence[ast.AST]) -> set[str]:
    """Names that hold nothing but lists made in the function."""
    makers = [node for node in parts if isinstance(node, (ast.Assign, ast.AugAssign)) and makes_list(node.value)]
    made = Counter(name for node in makers for name in _stored(node))
    stored = Counter(_stored(ast.Module(function.body, [])))
    return {name for name, times in made.items() if times == stored[name]} - {*argument_names(function)}


def _is_changed_after(
    name: str, statement: ast.stmt, following: ast.stmt | None, growing: Sequence[ast.AST], parts: Sequence[ast.AST]
) -> bool:
    """Whether a list may be changed after the statement that yields it: not where the next one makes another."""
    if isinstance(following, ast.Assign) and name in _stored(following):
        return False
    loops = [set(walk(node)) for node in parts if isinstance(node, (ast.For, ast.While))]
    return any(
        getattr(node, "lineno", 0) > statement.lineno or any({statement, node} <= loop for loop in loops)
        for node in growing
    )


def _in_turn(function: Function, parts: Sequence[ast.AST]) -> Iterator[tuple[ast.stmt, ast.stmt | None]]:
    """Every statement of the function with the one that follows it in its block."""
    for node in (function, *parts):
        for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
            if isinstance(block, list) and block:
                yield from zip(block, [*block[1:], None], strict=True)


def _yielded(statement: ast.stmt) -> list[str]:
    """Names of what a statement yields as it is, by itself or in a tuple."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(value, ast.Yield) or value.value is None:
        return []
    inside = value.value.elts if isinstance(value.value, (ast.Tuple, ast.List)) else [value.value]
    return [each.id for each in inside if isinstance(each, ast.Name)]
