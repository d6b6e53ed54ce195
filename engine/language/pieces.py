"""Statements and forms of calls that are put into a program's text, each at the place where the text allows it."""

from __future__ import annotations

import ast
from typing import NamedTuple

from engine.language.edits import Edits
from engine.language.nodes import is_compound
from engine.language.program_tree import Places
from engine.language.source import Source
from engine.language.words import OWN

LONGEST_CHAIN = 120
"""Operators side by side that the sandbox reads in one go."""


class Draft(NamedTuple):
    """A program's text and what is to be put into it.

    Attributes:
        source: the text as typed.
        text: the same, with what was set aside blanked out.
        places: offsets of the tree's parts.
        edits: what is put into the text.
    """

    source: Source
    text: str
    places: Places
    edits: Edits


class Pieces:
    """Puts pieces into the edits of a draft."""

    def __init__(self, draft: Draft) -> None:
        self._source, self._text, self._places, self._edits = draft

    def list_arguments(self, call: ast.Call) -> None:
        """`f(a, b, ...)` of very many arguments is called as `f(*[a, b, ...])`."""
        opening = self._text.index("(", self._places.offset(call.func, end=True))
        self._edits.insert(opening + 1, "*[")
        self._edits.insert(self._places.offset(call, end=True) - 1, "]", last=True)

    def normalise(self, node: ast.Name) -> None:
        """Python compares names in their NFKC form; the sandbox is given that."""
        start, end = self._places.offset(node), self._places.offset(node, end=True)
        if self._text[start:end] != node.id:
            self._edits.replace(start, end, node.id)

    def before(self, node: ast.stmt, text: str) -> None:
        """Puts a statement before another one, where there is room for it."""
        start = self._places.offset(node)
        line_start = self._source.line_start(start)
        blanks = self._text[line_start:start]
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return
        if is_compound(node) and not blanks.strip(" \t\ufeff"):
            decorators = [self._places.offset(each) - 1 for each in getattr(node, "decorator_list", [])]
            start = min([start, *decorators])
            self._edits.insert(start, f"{text}\n{blanks.replace(chr(0xFEFF), '')}")
        elif not is_compound(node):
            self._edits.insert(start, f"{text}; ")

    def behind(self, node: ast.stmt, text: str) -> None:
        """Puts a statement behind another one, on a line of its own."""
        start, end = self._places.offset(node), self._places.offset(node, end=True)
        blanks = self._text[self._source.line_start(start) : start].replace("\ufeff", "")
        rest = self._text[end:].lstrip(" \t")
        if not blanks.strip(" \t") and not rest.startswith(";"):
            self._edits.insert(end, f"\n{blanks}{text}", last=True)

    def break_chain(self, node: ast.stmt) -> None:
        """`a + b + c + ...` of many terms is computed in pieces, the first terms before the statement."""
        value = getattr(node, "value", None)
        chain: list[ast.BinOp] = []
        while isinstance(value, ast.BinOp):
            chain.append(value)
            value = value.left
        if len(chain) <= LONGEST_CHAIN:
            return
        statement = self._places.offset(node)
        chain.reverse()
        begin = self._places.offset(chain[0])
        cuts = [self._places.offset(chain[i], end=True) for i in range(LONGEST_CHAIN, len(chain) - 1, LONGEST_CHAIN)]
        self._edits.hoist(statement, begin, cuts, f"{OWN}terms_before")
