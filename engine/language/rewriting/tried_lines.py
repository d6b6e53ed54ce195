"""Which line of a `try` raised: the sandbox forgets it when no `except` takes the error, and names one further down.

Each statement in the body of a `try` says its line before it is run, and each handler that nothing is to be remembered
any more. So an error that seems to come out of the handlers, while a line of the body is remembered, came from there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from engine.language.nodes import walk
from engine.language.program_tree import Places
from engine.language.rewriting.draft import Draft
from engine.language.source import Source
from engine.language.words import OWN


def remember_lines(tree: ast.Module, draft: Draft) -> None:
    """Puts what remembers lines into the edits of a draft."""
    for node in walk(tree):
        if isinstance(node, ast.Try):
            for statement in _statements(node.body):
                draft.before(statement, f"{OWN}TRIED[0] = {draft.line_of(statement)}")
            for first in [*(handler.body[0] for handler in node.handlers), *node.orelse[:1]]:
                draft.before(first, f"{OWN}TRIED[0] = 0")


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body that are run where they stand, those in its loops and branches included."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Try)):
            continue
        yield node
        for inner in (getattr(node, "body", []), getattr(node, "orelse", [])):
            yield from _statements(inner)


def raised_in(tree: ast.Module, source: Source, places: Places, at: int, remembered: int) -> bool:
    """Whether an error that seems to come from an offset was raised in the body of the `try` around it.

    Args:
        tree: the program.
        source: its text.
        places: offsets of its parts.
        at: where the error seems to come from.
        remembered: the line that was remembered last; 0 for none.
    """
    around = [
        node
        for node in walk(tree)
        if isinstance(node, ast.Try) and places.offset(node) <= at <= places.offset(node, end=True)
    ]
    if not around or not remembered:
        return False
    innermost = max(around, key=places.offset)
    behind = places.offset(innermost.body[-1], end=True)
    first, last = source.place(places.offset(innermost.body[0]))[0], source.place(behind)[0]
    return at >= behind and first <= remembered <= last
