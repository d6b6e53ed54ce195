"""Moments of a run: the graph, with its numbers, right after each call of `backward()`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.language.guest import deadline
from engine.language.guest.graphs import Graph, Nodes
from engine.language.guest.program import PROGRAM

MOST_MOMENTS, MOST_NODES = 64, 16_000
"""Moments, and nodes in all of them, that are kept; when there are more, every second moment but the last is let go."""

MOST_COMPARED = 4
"""Passes before which gradients are looked at."""


@dataclass
class _Moment:
    """One moment; `before`, `left_over`: gradients before the pass by place, see `Pass` of the window's half."""

    number: int
    line: int
    label: str
    graph: Graph
    numbers: tuple[list[Any], list[Any]]
    before: dict[int, float]
    left_over: dict[int, float]


class MomentReached(BaseException):
    """The program is not to run further than this call of `backward()`."""


class Moments:
    """The moments of one run; of many calls not every one is kept.

    Attributes:
        last: number of the call after which the program ends, from 1; 0: none.
    """

    last = 0

    def __init__(self, nodes: Nodes, loop_label: Callable[[Any, int], str]) -> None:
        self._nodes = nodes
        self._loop_label = loop_label
        self._kept: list[_Moment] = []
        self._last: tuple[int, int, str, Any, list[tuple[Any, Any, Any]]] | None = None
        self._leaves: dict[int, tuple[Any, Any, Any]] = {}
        self._calls, self._stride, self._n_nodes = 0, 1, 0
        self._depth = 0

    def watched(self, backward: Callable[..., Any]) -> Callable[..., Any]:
        """Return a `backward` method that leaves a moment when it has been called from outside."""

        @functools.wraps(backward)
        def call(root: Any, *arguments: Any, **keywords: Any) -> Any:
            if self._depth:
                return backward(root, *arguments, **keywords)
            number, self._calls = self._calls, self._calls + 1
            if self._calls == self.last:
                backward(root, *arguments, **keywords)
                raise MomentReached
            is_node = self._nodes.is_node(root)
            moment = self._before(number, root) if is_node and not number % self._stride else None
            self._depth += 1
            try:
                result = backward(root, *arguments, **keywords)
            finally:
                self._depth -= 1
            deadline.check()
            if moment is not None:
                moment.line, moment.label = self._place(number, sys._getframe(1))
                self._keep(moment)
            elif is_node and self._kept:
                self._note_last(number, root, *self._place(number, sys._getframe(1)))
            return result

        return call

    def _before(self, number: int, root: Any) -> _Moment:
        """Note which gradients are not 0 before a pass, and which of them are those of the pass before."""
        graph = Graph(self._nodes)
        graph.number_of(root)
        before, left_over = {}, {}
        for place, grad in enumerate(map(self._nodes.grad, graph.order)):
            if grad.__class__ in (float, int) and grad:
                before[place] = float(grad)
        for place in before if self._leaves else ():
            node = graph.order[place]
            known = self._leaves.get(id(node))
            if known is not None and known[1] != self._nodes.data(node) and known[2] == before[place]:
                left_over[place] = before[place]
        return _Moment(number, 0, "", graph, ([], []), before, left_over)

    def _place(self, number: int, frame: Any) -> tuple[int, str]:
        """Return the line of a call of `backward()`, and its label."""
        while frame is not None and frame.f_code.co_filename != PROGRAM:
            frame = frame.f_back
        line = frame.f_lineno if frame is not None else 0
        return line, self._loop_label(frame, line) or f"backward() {number + 1}"

    def _note_last(self, number: int, root: Any, line: int, label: str) -> None:
        """Note a moment that is let go unless it is the last: numbers of the leaves that the kept one has, too."""
        nodes, graph = self._nodes, self._kept[-1].graph
        leaves = [node for node, inputs in zip(graph.order, graph.inputs, strict=True) if not inputs]
        self._last = number, line, label, root, [(leaf, nodes.data(leaf), nodes.grad(leaf)) for leaf in leaves]

    def _keep_last(self) -> None:
        """Keep the last moment, too: as the program has left it, but for the leaves."""
        if self._last is None or not self._kept or self._last[0] < self._kept[-1].number:
            return
        number, line, label, root, leaves = self._last
        graph = Graph(self._nodes)
        graph.number_of(root)
        data, grads = graph.numbers_now()
        for leaf, then, grad in leaves:
            if id(leaf) in graph.numbers and then.__class__ in (float, int):
                place = graph.numbers[id(leaf)]
                data[place], grads[place] = then, grad
        self._kept.append(_Moment(number, line, label, graph, (data, grads), {}, {}))

    def _keep(self, moment: _Moment) -> None:
        graph = moment.graph
        moment.numbers = graph.numbers_now()
        self._leaves = {}
        if moment.number < MOST_COMPARED:
            self._leaves = {
                id(node): (node, data, grad)
                for node, data, grad, inputs in zip(graph.order, *moment.numbers, graph.inputs, strict=True)
                if not inputs and data.__class__ in (float, int)
            }
        if len(graph.order) > MOST_NODES:
            return
        self._kept.append(moment)
        self._n_nodes += len(graph.order)
        while len(self._kept) > MOST_MOMENTS or (self._n_nodes > MOST_NODES and len(self._kept) > 1):
            self._stride *= 2
            self._kept = [kept for kept in self._kept if kept.number % self._stride == 0]
            self._n_nodes = sum(len(kept.graph.order) for kept in self._kept)

    def report(self, numbers: Mapping[int, int]) -> list[dict[str, Any]]:
        """Return the moments as plain data; `numbers`: of the nodes that the program still has, by id."""
        self._keep_last()
        return [
            {
                "line": moment.line,
                "label": moment.label,
                "graph": moment.graph.columns(moment.numbers),
                "number": moment.number + 1,
                "before": moment.before,
                "left_over": moment.left_over,
                "known": {
                    place: numbers[id(node)] for place, node in enumerate(moment.graph.order) if id(node) in numbers
                },
            }
            for moment in self._kept
        ]
