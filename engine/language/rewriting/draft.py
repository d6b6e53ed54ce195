"""A program's text while pieces are put into it for the sandbox, each at a place where the text allows it."""

from __future__ import annotations

import ast

from engine.language.errors import ProgramError
from engine.language.nodes import is_compound
from engine.language.program_tree import Places
from engine.language.rewriting.edits import FIRST, INNERMOST, LAST, Edits
from engine.language.source import Source
from engine.language.words import OWN

LONGEST_CHAIN = 120
"""Operators side by side that the sandbox reads in one go."""


class Draft:
    """A program's text and what is to be put into it.

    Attributes:
        source: the text as typed.
        text: the same, with what was set aside blanked out.
        places: offsets of the tree's parts.
        edits: what is put into the text.
    """

    def __init__(self, source: Source, text: str, places: Places) -> None:
        self.source, self.text, self.places, self.edits = source, text, places, Edits()

    def start(self, node: ast.AST) -> int:
        """Where a part begins."""
        return self.places.offset(node)

    def end(self, node: ast.AST) -> int:
        """Where a part ends."""
        return self.places.offset(node, end=True)

    def line_of(self, node: ast.AST) -> int:
        """The line in which a part begins, from 1."""
        return self.source.place(self.start(node))[0]

    def error(self, message: str, node: ast.AST) -> ProgramError:
        """An error at a part: all of it where it is on one line."""
        if not hasattr(node, "lineno"):
            return self.source.error(message, 0)
        start, end = self.places.span(node)
        return self.source.error(message, start, end if node.lineno == getattr(node, "end_lineno", 0) else start + 1)

    def replace(self, node: ast.AST, text: str) -> None:
        """Puts a text in the place of a part."""
        self.edits.replace(*self.places.span(node), text)

    def wrap(self, node: ast.AST, opening: str, closing: str = ")") -> None:
        """Puts a part between two texts."""
        self.edits.insert(self.start(node), opening, INNERMOST)
        self.edits.insert(self.end(node), closing, FIRST)

    def indentation(self, node: ast.AST) -> str:
        """What stands before a part in its line: blanks, or a statement and more."""
        start = self.start(node)
        return self.text[self.source.line_start(start) : start].replace("\ufeff", "")

    def list_arguments(self, call: ast.Call) -> None:
        """`f(a, b, ...)` of very many arguments is called as `f(*[a, b, ...])`."""
        opening = self.text.index("(", self.end(call.func))
        self.edits.insert(opening + 1, "*[")
        self.edits.insert(self.end(call) - 1, "]", LAST)

    def normalise(self, node: ast.Name) -> None:
        """Python compares names in their NFKC form; the sandbox is given that."""
        start, end = self.places.span(node)
        if self.text[start:end] != node.id:
            self.edits.replace(start, end, node.id)

    def before(self, node: ast.stmt, text: str) -> None:
        """Puts a statement before another one, where there is room for it."""
        start, blanks = self.start(node), self.indentation(node)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return
        if not is_compound(node):
            self.edits.insert(start, f"{text}; ")
        elif not blanks.strip(" \t"):
            decorators = [self.start(each) - 1 for each in getattr(node, "decorator_list", [])]
            self.edits.insert(min([start, *decorators]), f"{text}\n{blanks}")

    def behind(self, node: ast.stmt, text: str) -> None:
        """Puts a statement behind another one, on a line of its own."""
        end, blanks = self.end(node), self.indentation(node)
        if not blanks.strip(" \t") and not self.text[end:].lstrip(" \t").startswith(";"):
            self.edits.insert(end, f"\n{blanks}{text}", LAST)

    def break_chain(self, node: ast.stmt) -> None:
        """`a + b + c + ...` of many terms is computed in pieces, the first terms before the statement."""
        value = getattr(node, "value", None)
        chain: list[ast.BinOp] = []
        while isinstance(value, ast.BinOp):
            chain.append(value)
            value = value.left
        if len(chain) <= LONGEST_CHAIN:
            return
        chain.reverse()
        cuts = [self.end(chain[i]) for i in range(LONGEST_CHAIN, len(chain) - 1, LONGEST_CHAIN)]
        self.edits.hoist(self.start(node), self.start(chain[0]), cuts, f"{OWN}terms_before")
