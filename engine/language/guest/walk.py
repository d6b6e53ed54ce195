"""The walk line by line: what each statement that was run gave its names, and which numbers it changed.

Recorded with `sys.settrace` in a run of its own of the same program; random numbers are the same in every run.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from typing import Any, NamedTuple

from engine.language.guest.engines import ClassWatch, copied
from engine.language.guest.graphs import Graph, Nodes, encode
from engine.language.guest.program import PROGRAM
from engine.language.guest.recording import is_recorded

MOST_STEPS = 2_000
MOST_NODES = 20_000
MOST_NUMBERS = 100_000
MOST_COMPARED = 2_000_000
"""Statements, nodes, changed numbers and comparisons that are kept; of further statements only the number is."""

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
"""Expressions that are run in the frame of their statement."""
DELETED = ["object", "<deleted>"]
"""Placeholder for a name that was deleted."""


class Statement(NamedTuple):
    """A statement, or the head of a compound one.

    Attributes:
        span: line, column, last line, end column, from 1; the end column is 1 for the end of the line.
        body: line of the first statement of a loop; 0 for other statements.
        comprehends: it has a comprehension, whose every item comes back to its line; false behind the head of a loop
            in the same line, to which the loop comes back, too.
    """

    span: tuple[int, int, int, int]
    body: int
    comprehends: bool = False


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
        self._statements, self._heads = _statements(tree)
        self._steps: list[dict[str, Any]] = []
        self._keeps, self._n_numbers = True, 0
        self._calls = 0
        self._call_of: dict[int, int] = {}
        self._pending: dict[int, Statement] = {}
        self._began_at: dict[int, int] = {}  # offset of the pending statement's first instruction
        self._known: dict[int, dict[str, Any]] = {}
        self._raised: Any = None
        self._numbers: list[tuple[Any, Any]] = []
        self._changing: list[int] = []
        self._n_compared = 0

    def trace(self, frame: types.FrameType, event: str, _argument: Any) -> Any:
        """Trace function for `sys.settrace`."""
        code = frame.f_code
        if code.co_filename != PROGRAM or event != "call" or _is_quiet(frame, self._watch):
            return None
        if code.co_name != "<module>":
            self._calls += 1
            self._call_of[id(frame)] = self._calls
            if code.co_firstlineno in self._heads and not code.co_flags & inspect.CO_GENERATOR:
                self._pending[id(frame)] = self._heads[code.co_firstlineno]
                self._began_at[id(frame)] = frame.f_lasti
        return self._follow

    def _follow(self, frame: types.FrameType, event: str, _argument: Any) -> Any:
        if event == "exception":
            self._raised = frame
            return self._follow
        is_left, self._raised = event == "return" and self._raised is frame, None
        if is_left:  # by an exception: the statement has not come to its end
            self._pending.pop(id(frame), None)
        if event == "line":
            statement = self._statements.get(frame.f_lineno)
            pending = self._pending.get(id(frame))
            if (
                pending is not None
                and pending.comprehends
                and pending == statement
                and frame.f_lasti > self._began_at[id(frame)]
            ):
                return self._follow  # the next item of a comprehension
            if pending is not None and (pending != statement or frame.f_lineno == pending.span[0]):
                if not pending.body or pending.body == frame.f_lineno:
                    self._finish(frame)
                else:
                    del self._pending[id(frame)]  # a loop has come to its end
            if statement is not None and id(frame) not in self._pending:
                self._pending[id(frame)] = statement
                self._began_at[id(frame)] = frame.f_lasti
        elif event == "return":
            if (pending := self._pending.get(id(frame))) is not None and not pending.body:
                self._finish(frame)
            self._pending.pop(id(frame), None)
            self._call_of.pop(id(frame), None)
        return self._follow

    def _finish(self, frame: types.FrameType) -> None:
        """Note the effects of a finished statement."""
        pending = self._pending.pop(id(frame), None)
        if pending is None:
            return
        self.count += 1
        if not self._keeps:
            return
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
        self._n_numbers += _size(numbers) + _size(changes)
        too_many = len(self.graph.order) > MOST_NODES or self._n_numbers > MOST_NUMBERS
        if len(self._steps) >= MOST_STEPS or too_many or self._n_compared > MOST_COMPARED:
            self._keeps = False
            return
        function = "" if frame.f_code.co_name == "<module>" else frame.f_code.co_qualname.replace(".<locals>", "")
        self._steps.append(
            {"span": pending.span, "function": function, "call": call, "changes": changes, "numbers": numbers,
             "printed": self._printed()}
        )  # fmt: skip

    def _changes(self, frame: types.FrameType, call: int) -> list[tuple[int, str, Any]]:
        """Return the names that are bound to other objects than before, here and outside of functions."""
        found = []
        spaces = [(call, frame.f_locals)] if call else []
        spaces.append((0, frame.f_globals))  # `f_locals` of a module has no names of it inside of a comprehension
        for number, space in spaces:
            known = self._known.setdefault(number, {})
            found += [(number, name, DELETED) for name in [*known] if name not in space and known.pop(name)]
            for name, thing in list(space.items()):
                if name.startswith("__") or isinstance(thing, (types.ModuleType, types.FunctionType, type)):
                    continue
                told = encode(thing, self.graph, 2, with_attributes=False)
                if known.get(name) != told:
                    known[name] = told
                    found.append((number, name, told))
        return found

    def _changed_numbers(self) -> list[tuple[int, Any, Any]]:
        """Return number, data and gradient of the nodes whose numbers have changed."""
        found = []
        order, begin = self.graph.order, len(self._numbers)
        self._n_compared += len(self._changing)
        for index in (*self._changing, *range(begin, len(order))):
            node = order[index]
            data, grad = self._nodes.data(node), self._nodes.grad(node)
            if index < len(self._numbers):
                known = self._numbers[index]
                if _same(data, known[0]) and _same(grad, known[1]):
                    continue
            now = data if self._nodes.inputs(node) else copied(data), copied(grad)
            self._numbers[index : index + 1] = [now]
            found.append((index, _sent(data), _sent(grad)))
        self._changing += [index for index in range(begin, len(order)) if not is_recorded(order[index])]
        return found

    def report(self) -> list[dict[str, Any]]:
        """Return the statements that were kept."""
        return self._steps


def _size(told: Any) -> int:
    """Return how many numbers and texts there are in plain data."""
    if isinstance(told, (list, tuple)):
        return sum(map(_size, told)) + 1
    return 1


def _statements(tree: ast.Module) -> tuple[dict[int, Statement], dict[int, Statement]]:
    """Return for each line the innermost statement that it belongs to, and heads of functions by their first lines."""
    found: dict[int, Statement] = {}
    heads: dict[int, Statement] = {}
    loop_lines = {node.lineno for node in ast.walk(tree) if isinstance(node, (ast.For, ast.While))}
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        last = max(node.lineno, body[0].lineno - 1 if body else node.end_lineno or node.lineno)
        end_column = 1 if body else (node.end_col_offset or 0) + 1
        loop = isinstance(node, (ast.For, ast.While)) and body[0].lineno > node.lineno  # type: ignore[index]
        span = node.lineno, node.col_offset + 1, last, end_column
        is_alone = body is None and node.lineno not in loop_lines
        comprehends = is_alone and any(isinstance(each, _COMPREHENSIONS) for each in ast.walk(node))
        statement = Statement(span, body[0].lineno if loop else 0, comprehends)  # type: ignore[index]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            heads[first] = statement
            continue
        if body is None and isinstance(node, ast.Expr) and _is_text(node):
            continue
        for line in range(node.lineno, last + 1):
            if line not in found or found[line].span[0] <= node.lineno:
                found[line] = statement
    return found, heads


def _is_text(node: ast.Expr) -> bool:
    return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_quiet(frame: types.FrameType, watch: ClassWatch) -> bool:
    """Return True inside of methods of a learner's own engine, whose operations are one step of the program."""
    code = frame.f_code
    if code.co_name != "<module>" and not code.co_flags & inspect.CO_OPTIMIZED:
        return True  # the body of a class
    if code.co_name in ("<listcomp>", "<genexpr>", "<lambda>", "<dictcomp>", "<setcomp>"):
        return True
    name = code.co_qualname.partition(".")[0]
    return any(kind.__name__ == name for kind in watch.classes)


def _same(now: Any, before: Any) -> bool:
    if now is before:
        return True
    if isinstance(now, (int, float)) and isinstance(before, (int, float)):
        if isinstance(now, int) != isinstance(before, int):  # 3 and 3.0 are written differently
            return False
        return now == before or (now != now and before != before)
    if not hasattr(now, "tolist") or not hasattr(before, "tolist") or now.shape != before.shape:
        return False
    return bool((now == before).all()) or now.tolist() == before.tolist()


def _sent(number: Any) -> Any:
    if number is None or isinstance(number, (int, float)):
        return number
    return [list(number.shape), number.ravel().tolist()] if hasattr(number, "tolist") else None
