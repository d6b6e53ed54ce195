"""Loops of a program: what their variables were in each iteration, and which iteration a call was made in.

Python's own monitoring reports the lines of a program's first level; every line but the heads of loops is switched off
when it is first seen, so that only iterations cost time.
"""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass, field
from typing import Any

from engine.language.guest import deadline, monitoring
from engine.language.guest.graphs import Nodes
from engine.language.guest.program import PROGRAM

MOST_POINTS = 1_000
MOST_ITERATIONS = 200_000
"""After which a loop is no longer watched."""


@dataclass
class _Loop:
    """A loop outside of functions; `rows`: per variable (iteration, number)."""

    line: int
    last_line: int
    counter: str
    names: tuple[str, ...]
    outer: _Loop | None
    begun: int = 0
    iteration: int = -1
    outer_iteration: int = -1
    stride: int = 1
    rows: dict[str, list[tuple[int, float]]] = field(default_factory=dict)


class Loops:
    """The loops of one program."""

    def __init__(self, tree: ast.Module, nodes: Nodes) -> None:
        self._nodes = nodes
        self._all: list[_Loop] = []
        self._find(tree.body, None)
        holding = {id(loop.outer) for loop in self._all}
        self._by_line = {
            loop.line: loop for loop in self._all if loop.names or not loop.counter or id(loop) in holding
        }  # of the others the counter says everything
        self._namespace: dict[str, Any] = {}

    def _find(self, body: list[ast.stmt], outer: _Loop | None) -> None:
        for statement in body:
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            inside = outer
            if isinstance(statement, (ast.For, ast.While)):
                target = getattr(statement, "target", None)
                counter = target.id if isinstance(target, ast.Name) else ""
                stored = {
                    node.id: None
                    for part in statement.body
                    for node in ast.walk(part)
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
                }
                last = statement.end_lineno or statement.lineno
                inside = _Loop(statement.lineno, last, counter, tuple(stored), outer)
                self._all.append(inside)
            for name in ("body", "orelse", "finalbody"):
                self._find(getattr(statement, name, []), inside)
            for part in (*getattr(statement, "handlers", []), *getattr(statement, "cases", [])):
                self._find(part.body, inside)

    # Watching

    def watch(self, code: types.CodeType, namespace: dict[str, Any]) -> None:
        """Begin to watch the loops of the module's code."""
        self._namespace = namespace
        if self._all:
            on_one_line = any(loop.line == loop.last_line for loop in self._all)
            monitoring.LOOPS.begin({"LINE": self._line} | ({"JUMP": self._jump} if on_one_line else {}), [code])

    def end(self) -> None:
        """Stop watching, and note the numbers of the last iterations."""
        monitoring.LOOPS.end()
        for loop in self._all:
            known = [self._number(self._namespace.get(name)) for name in loop.names]
            noted = [rows[-1][1] if (rows := loop.rows.get(name)) else None for name in loop.names]
            if loop.iteration >= 0 and loop.stride == 1 and known != noted:  # a loop that ended by `break`
                self._note(loop)

    def _jump(self, code: types.CodeType, begin: int, end: int) -> Any:
        """Note the iterations of a loop on one line, in which no other line begins."""
        line = next((first for start, stop, first in code.co_lines() if start <= begin < stop and first), 0)
        loop = self._by_line.get(line)
        if loop is None or loop.last_line != line or end > begin:
            return monitoring.DISABLE
        return self._line(code, line)

    def _line(self, _code: types.CodeType, line: int) -> Any:
        loop = self._by_line.get(line)
        if loop is None or loop.iteration >= MOST_ITERATIONS:
            return monitoring.DISABLE
        if not loop.iteration & 63:
            deadline.check()
        outer = loop.outer.iteration if loop.outer is not None else 0
        if outer != loop.outer_iteration:
            loop.outer_iteration, loop.iteration, loop.stride, loop.rows = outer, -1, 1, {}
        if loop.iteration >= 0 and loop.iteration % loop.stride == 0:
            self._note(loop)
        loop.iteration += 1
        return None

    def _note(self, loop: _Loop) -> None:
        for name in loop.names:
            number = self._number(self._namespace.get(name))
            rows = loop.rows.setdefault(name, [])
            if number is not None and (not rows or rows[-1][0] < loop.iteration):
                rows.append((loop.iteration, number))
        if any(len(rows) > MOST_POINTS for rows in loop.rows.values()):
            loop.stride *= 2
            loop.rows = {name: [row for row in rows if row[0] % loop.stride == 0] for name, rows in loop.rows.items()}

    def _number(self, thing: Any) -> float | None:
        if self._nodes.is_node(thing):
            thing = self._nodes.data(thing)
        if isinstance(thing, (int, float)) and not isinstance(thing, bool):
            try:
                return float(thing)
            except OverflowError:
                return None
        return None

    # Labels and the report

    def label(self, frame: Any, line: int) -> str:
        """Return `k = 3` for a call inside a loop over k, `iteration 3` in another loop, else ""."""
        while frame is not None:
            if frame.f_code.co_filename == PROGRAM and frame.f_code.co_name == "<module>":
                around = [loop for loop in self._all if loop.line <= frame.f_lineno <= loop.last_line]
                if around:
                    loop = max(around, key=lambda each: each.line)
                    value = frame.f_locals.get(loop.counter)
                    if loop.counter and isinstance(value, (int, float, str)):
                        return f"{loop.counter} = {str(value)[:20]}"
                    return f"iteration {max(loop.iteration, 0)}"
            frame = frame.f_back
        return ""

    def report(self) -> list[dict[str, Any]]:
        """Return the series: `name`, `line`, `counter`, `iterations`, `numbers`."""
        return [
            {
                "name": name,
                "line": loop.line,
                "counter": loop.counter,
                "iterations": [iteration for iteration, _ in rows],
                "numbers": [number for _, number in rows],
            }
            for loop in self._all
            for name, rows in loop.rows.items()
            if rows
        ]
