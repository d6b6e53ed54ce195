"""The tree of a program text and the places of its parts, guarded: limits of size and depth come before any walk.

Python's own parser makes it (`ast.parse`, which runs nothing).
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from engine.language.source import Source

_WARNED_OF = re.compile(r"\\| is |[0-9.][a-z]")
MAX_PARTS = 60_000
MAX_DEPTH = 150

LEAD = "if 1:\n"
"""The line that is put before a text that is indented as a whole."""


class Places:
    """Offsets of the parts of a tree in the text as typed."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def offset(self, node: ast.AST, end: bool = False) -> int:
        """Where a part begins, or ends."""
        line = getattr(node, "end_lineno" if end else "lineno")
        column = getattr(node, "end_col_offset" if end else "col_offset")  # in bytes
        text = self._source.text
        start = self._source.start_of_line(line) + (line == 1 and text[:1] == "\ufeff")
        piece = text[start : start + column]
        if not piece.isascii():
            piece = piece.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore")
        return start + len(piece)

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Where a part begins and ends."""
        return self.offset(node), self.offset(node, end=True)


def parse(source: Source, text: str) -> ast.Module:
    """The tree of a text; of one that is indented as a whole, too.

    Raises:
        SyntaxError: with places of the text as typed, when Python refuses it.
        ProgramError: when it is too large or nested too deeply.
    """
    body = text.removeprefix("\ufeff")
    indented = _is_indented(body)
    try:
        with _silently(text):
            tree = ast.parse((LEAD if indented else "") + body)
    except SyntaxError as error:
        if indented and error.lineno is not None:
            error.lineno -= 1
        raise
    except (RecursionError, MemoryError):
        raise source.error("this formula is too long: give parts of it names", _longest_line(source)) from None
    except (ValueError, UnicodeError):
        raise source.error("this text holds characters that no program can hold", 0) from None
    if indented:
        lead, *others = ast.increment_lineno(tree, -1).body
        assert isinstance(lead, ast.If)
        tree.body = [*lead.body, *others]
    return tree


def is_indented(tree: ast.Module) -> bool:
    """Whether the program is indented as a whole."""
    return bool(tree.body) and tree.body[0].col_offset > 0


def _longest_line(source: Source) -> int:
    """Offset of the line that has the most letters."""
    lines = source.text.split("\n")
    return source.start_of_line(max(range(len(lines)), key=lambda index: len(lines[index])) + 1)


def _is_indented(text: str) -> bool:
    for line in text.split("\n"):
        stripped = line.strip(" \t\\")
        if stripped and not stripped.startswith("#"):
            return line[:1] in (" ", "\t")
    return False


@contextmanager
def _silently(text: str) -> Iterator[None]:
    """Python warns of escapes such as `\\d` and of `1else` while it reads; that is for nobody here."""
    if not _WARNED_OF.search(text):
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def check_size(tree: ast.Module, source: Source, places: Places) -> None:
    """Refuses what is too large or too deep, before anything walks it.

    Raises:
        ProgramError: at the first part that is nested too deeply, or at the start.
    """
    stack: list[tuple[ast.AST, int, int]] = [(tree, 0, 0)]
    parts = 0
    while stack:
        node, depth, blocks = stack.pop()
        parts += 1
        if parts > MAX_PARTS:
            raise source.error(f"the program has too many parts, at most {MAX_PARTS:,}", 0)
        if depth > MAX_DEPTH or blocks > 20:
            place = places.offset(node) if hasattr(node, "lineno") else 0
            raise source.error(f"nested too deeply ({MAX_DEPTH})", place)
        for name, child in ast.iter_fields(node):
            chained = isinstance(node, ast.BinOp) and name == "left" and isinstance(child, ast.BinOp)
            for each in child if isinstance(child, list) else (child,):
                if isinstance(each, ast.stmt):
                    stack.append((each, 0, blocks + 1))
                elif isinstance(each, ast.AST):
                    stack.append((each, depth if chained else depth + 1, blocks))
