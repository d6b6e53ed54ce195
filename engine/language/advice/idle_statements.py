"""Statements that do nothing although they look as if they did: a method that is named and not called, `==` for `=`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.autograd.ops import OPS
from engine.language.advice.notes import Note
from engine.language.nodes import walk
from engine.language.reading import Reading

METHODS = frozenset({"backward", "zero_grad", "step"})
"""Methods of the built-in classes that are called for what they do."""
NOT_CALLED = "this does nothing: it only names the method; write {text}()"
NO_PASS = (
    "this does nothing: it only names the method; write {text}(); the program's gradients stay as they are, and the "
    "canvas shows those that Gradstep computes"
)
EQUALS = "this does nothing: == compares; write {target} = {text}"
COMPARES = "this does nothing: it compares, and nothing is done with the answer"


def idle_notes(reading: Reading, passes: bool) -> list[Note]:
    """A note at each statement that only names a method, or only compares.

    Args:
        reading: of the program; a comparison in its last line is shown, and is no mistake.
        passes: whether a backward pass was run.
    """
    methods = METHODS | OPS.keys() | set(_own_methods(reading.tree))
    places, place = reading.places, reading.source.place
    found = [(each, _text(each.value, methods, passes)) for each in walk(reading.tree)
             if isinstance(each, ast.Expr) and each is not reading.last_statement]  # fmt: skip
    last = reading.last_statement
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Attribute):
        found.append((last, _text(last.value, methods, passes)))
    return [Note(text, *place(places.offset(each))) for each, text in found if text]


def _text(value: ast.expr, methods: frozenset[str], passes: bool) -> str:
    """What is to be said of an expression that stands by itself; "" for nothing."""
    if isinstance(value, ast.Attribute) and value.attr in methods:
        kind = NOT_CALLED if passes or value.attr != "backward" else NO_PASS
        return kind.format(text=ast.unparse(value))
    if not isinstance(value, ast.Compare):
        return ""
    may_be_target = isinstance(value.left, (ast.Name, ast.Attribute, ast.Subscript))
    if may_be_target and len(value.ops) == 1 and isinstance(value.ops[0], ast.Eq):
        return EQUALS.format(target=ast.unparse(value.left), text=ast.unparse(value.comparators[0]))
    return COMPARES


def _own_methods(tree: ast.Module) -> Iterator[str]:
    """Names of the methods of the program's classes, properties left out."""
    for each in walk(tree):
        if isinstance(each, ast.ClassDef):
            yield from (
                part.name for part in each.body if isinstance(part, ast.FunctionDef) and not part.decorator_list
            )
