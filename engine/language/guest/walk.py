"""The walk line by line: what each statement that was run gave its names, and which numbers it changed.

Recorded with `sys.settrace` in a run of its own of the same program; random numbers are the same in every run.
"""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

from engine.language.guest.engines import ClassWatch
from engine.language.guest.graphs import Graph, Nodes, encode
from engine.language.guest.program import PROGRAM

MOST_STEPS = 2_000
MOST_NODES = 20_000
MOST_NUMBERS = 100_000
"""Statements, nodes and changed numbers that are kept; of further statements only the number is."""

Span = tuple[int, int, int, int]


class LineRecorder:
    """Records the statements of a run.

    Attributes:
        graph: every node that a statement reached.
        count: how many statements were run in all.
    """

    def __init__(self, tree: ast.Module, nodes: Nodes, printed: Any) -> None:
        self.graph = Graph(nodes)
        self.count = 0
        self._nodes, self._watch, self._printed = nodes, nodes.watch, printed
        self._statements = _statement_spans(tree)
        self._steps: list[dict[str, Any]] = []
        self._keeps, self._n_numbers = True, 0
        self._calls = 0
        self._call_of: dict[int, int] = {}
        self._pending: dict[int, tuple[Span, list[str]]] = {}
        self._known: dict[tuple[int, str], Any] = {}
        self._numbers: list[tuple[Any, Any]] = []

    def trace(self, frame: types.FrameType, event: str, _argument: Any) -> Any:
        """Trace function for `sys.settrace`."""
        if frame.f_code.co_filename != PROGRAM or event != "call" or _is_quiet(frame, self._watch):
            return None
        if frame.f_code.co_name != "<module>":
            self._calls += 1
            self._call_of[id(frame)] = self._calls
        return self._follow

    def _follow(self, frame: types.FrameType, event: str, _argument: Any) -> Any:
        if event == "line":
            statement = self._statements.get(frame.f_lineno)
            pending = self._pending.get(id(frame))
            if pending is not None and (
                statement is None or pending[0] != statement[0] or frame.f_lineno == statement[0][0]
            ):
                self._finish(frame)
            if statement is not None and id(frame) not in self._pending:
                self._pending[id(frame)] = statement
        elif event == "return":
            self._finish(frame)
            self._call_of.pop(id(frame), None)
        return self._follow

    def _finish(self, frame: types.FrameType) -> None:
        """Note what a statement did that has come to its end."""
        pending = self._pending.pop(id(frame), None)
        if pending is None:
            return
        self.count += 1
        if not self._keeps:
            return
        span, _names = pending
        call = self._call_of.get(id(frame), 0)
        tracer, recursion = sys.gettrace(), sys.getrecursionlimit()
        sys.settrace(None)
        sys.setrecursionlimit(recursion + 200)
        try:
            changes = self._changes(frame, call)
            numbers = self._changed_numbers()
        finally:
            sys.setrecursionlimit(recursion)
            sys.settrace(tracer)
        self._n_numbers += len(numbers) + len(changes)
        if len(self._steps) >= MOST_STEPS or len(self.graph.order) > MOST_NODES or self._n_numbers > MOST_NUMBERS:
            self._keeps = False
            return
        function = "" if frame.f_code.co_name == "<module>" else frame.f_code.co_qualname.replace(".<locals>", "")
        self._steps.append(
            {"span": span, "function": function, "call": call, "changes": changes, "numbers": numbers,
             "printed": self._printed()}
        )  # fmt: skip

    def _changes(self, frame: types.FrameType, call: int) -> list[tuple[int, str, Any]]:
        """Return the names whose things are others than before, here and outside of functions."""
        found = []
        spaces = [(call, frame.f_locals)] + ([(0, frame.f_globals)] if call else [])
        for number, space in spaces:
            for name, thing in list(space.items()):
                if name.startswith("__") or isinstance(thing, (types.ModuleType, types.FunctionType, type)):
                    continue
                told = encode(thing, self.graph, 2)
                if self._known.get((number, name)) != told:
                    self._known[number, name] = told
                    found.append((number, name, told))
        return found

    def _changed_numbers(self) -> list[tuple[int, Any, Any]]:
        """Return number, data and gradient of the nodes whose numbers are others than before."""
        found = []
        for index, node in enumerate(self.graph.order):
            now = _copied(self._nodes.data(node)), _copied(self._nodes.grad(node))
            if index >= len(self._numbers):
                self._numbers.append(now)
            elif _same(now[0], self._numbers[index][0]) and _same(now[1], self._numbers[index][1]):
                continue
            else:
                self._numbers[index] = now
            found.append((index, _sent(now[0]), _sent(now[1])))
        return found

    def report(self) -> list[dict[str, Any]]:
        """Return the statements that were kept."""
        return self._steps


def _statement_spans(tree: ast.Module) -> dict[int, tuple[Span, list[str]]]:
    """Return for each line the statement, or the head of a compound one, that it belongs to; the innermost."""
    found: dict[int, tuple[Span, list[str]]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
        last = max(last, node.lineno)
        end_column = node.end_col_offset if not body else 0
        span = (node.lineno, node.col_offset + 1, last, (end_column or 0) + 1)
        for line in range(node.lineno, last + 1):
            known = found.get(line)
            if known is None or known[0][0] <= node.lineno:
                found[line] = (span, [])
    return found


def _is_quiet(frame: types.FrameType, watch: ClassWatch) -> bool:
    """Return True inside of methods of a learner's own engine, whose operations are one step of the program."""
    code = frame.f_code
    if code.co_name in ("<listcomp>", "<genexpr>", "<lambda>", "<dictcomp>", "<setcomp>"):
        return True
    name = code.co_qualname.partition(".")[0]
    return any(kind.__name__ == name for kind in watch.classes)


def _copied(number: Any) -> Any:
    return number.copy() if hasattr(number, "tolist") and hasattr(number, "copy") else number


def _same(now: Any, before: Any) -> bool:
    if now is before:
        return True
    if isinstance(now, (int, float)) and isinstance(before, (int, float)):
        return now == before or (now != now and before != before)
    return hasattr(now, "tolist") and hasattr(before, "tolist") and now.tolist() == before.tolist()


def _sent(number: Any) -> Any:
    if number is None or isinstance(number, (int, float)):
        return number
    return [list(number.shape), number.ravel().tolist()] if hasattr(number, "tolist") else None
