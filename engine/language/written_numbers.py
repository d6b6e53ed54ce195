"""The numbers that are written in a program, and the program with another number in the place of one of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from engine.language.source import offsets, parse

NUMBER = re.compile(r"[-+]?(\d[\d_]*\.?[\d_]*|\.\d+)([eE][-+]?\d{1,3})?")
"""A number as it can be written in the place of another one."""


class WrittenNumber(NamedTuple):
    """A number of a program.

    Attributes:
        start: offset in the text; of its sign where it has one and is given to a name.
        end: offset behind it.
        line: from 1.
        name: that it is given to by `name = 0.1`, by a keyword or as a default; "" for none.
        text: as it is written.
    """

    start: int
    end: int
    line: int
    name: str
    text: str

    @property
    def title(self) -> str:
        """Its name, such as `lr`, or `0.05 in line 12`."""
        return self.name or f"{self.text} in line {self.line}"


def written_numbers(text: str) -> list[WrittenNumber]:
    """Return the numbers of a program in the order of its text; none of a text that is no program."""
    tree, offset, found = parse(text), offsets(text), []
    try:
        for node, name in _numbers(tree, "") if tree is not None else ():
            start = offset(node.lineno, node.col_offset)
            end = offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
            found.append(WrittenNumber(start, end, node.lineno, name, text[start:end]))
    except RecursionError:
        return []
    return sorted(each for each in found if NUMBER.fullmatch(each.text.replace(" ", "")))


def _numbers(node: ast.AST, name: str) -> Iterator[tuple[ast.expr, str]]:
    """Yield the numbers below a node, each with the name it is given to."""
    if isinstance(node, ast.expr) and _is_number(node):
        yield (node if name else (node.operand if isinstance(node, ast.UnaryOp) else node)), name
        return
    names: dict[ast.AST, str] = {}
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        names[node.value] = target.id if isinstance(target, ast.Name) else ""
    elif isinstance(node, ast.keyword):
        names[node.value] = node.arg or ""
    elif isinstance(node, ast.arguments):
        given = [*node.posonlyargs, *node.args][::-1]
        names |= {default: argument.arg for default, argument in zip(node.defaults[::-1], given, strict=False)}
        names |= {value: each.arg for value, each in zip(node.kw_defaults, node.kwonlyargs, strict=True) if value}
    for child in ast.iter_child_nodes(node):
        yield from _numbers(child, names.get(child, ""))


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return isinstance(node.operand, ast.Constant) and _is_number(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def number_at(text: str, offset: int) -> WrittenNumber | None:
    """Return the number at a place of a program, or None; one that ends there counts."""
    return next((each for each in written_numbers(text) if each.start <= offset <= each.end), None)


def with_number(text: str, number: WrittenNumber, written: str) -> str:
    """Return the program with another number in the place of one of its own.

    Raises:
        ValueError: when what is written is no number.
    """
    if not NUMBER.fullmatch(written):
        raise ValueError(f"{written!r} is not a number")
    written = f"({written})" if written[0] in "+-" and number.text[0] not in "+-" else written
    return text[: number.start] + written + text[number.end :]
