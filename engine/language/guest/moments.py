"""Moments of a run: the graph, with its numbers, right after each call of `backward()`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

from engine.language.guest import deadline
from engine.language.guest.graphs import Graph, Nodes
from engine.language.guest.program import PROGRAM

MOST_MOMENTS, MOST_NODES = 64, 60_000
"""Kept in all; when there are more, every second one is let go."""

MOST_COMPARED = 4
"""Passes before which gradients are looked at."""


class Moments:
    """The moments of one run; of many calls not every one is kept."""

    def __init__(self, nodes: Nodes, loop_label: Callable[[Any, int], str]) -> None:
        self._nodes = nodes
        self._loop_label = loop_label
        self._kept: list[tuple[int, int, str, Any]] = []
        self._before: dict[int, float] = {}
        self._left_over: dict[int, float] = {}
        self._leaves: dict[int, tuple[Any, Any, Any]] = {}
        self._calls, self._stride, self._n_nodes = 0, 1, 0
        self._depth = 0

    def watched(self, backward: Callable[..., Any]) -> Callable[..., Any]:
        """Return a `backward` method that leaves a moment when it has been called from outside."""

        @functools.wraps(backward)
        def call(root: Any, *arguments: Any, **keywords: Any) -> Any:
            if not self._depth and self._calls < MOST_COMPARED and self._nodes.is_node(root):
                self._note_before(root)
            self._depth += 1
            try:
                result = backward(root, *arguments, **keywords)
            finally:
                self._depth -= 1
            if not self._depth:
                deadline.check()
                self._keep(root, sys._getframe(1))
            return result

        return call

    def _keep(self, root: Any, frame: Any) -> None:
        while frame is not None and frame.f_code.co_filename != PROGRAM:
            frame = frame.f_back
        line = frame.f_lineno if frame is not None else 0
        number = self._calls
        label = self._loop_label(frame, line) or f"backward() {number + 1}"
        self._calls += 1
        if number % self._stride or not self._nodes.is_node(root):
            return
        graph = Graph(self._nodes)
        graph.number_of(root)
        before, left = (
            {place: found[id(node)] for place, node in enumerate(graph.order) if id(node) in found}
            for found in (self._before, self._left_over)
        )
        self._before, self._left_over = {}, {}
        if number < MOST_COMPARED:
            self._note_leaves(graph.order)
        if len(graph.order) > MOST_NODES:
            return
        self._kept.append((number, line, label, (graph.columns(), graph.order, before, left)))
        self._n_nodes += len(graph.order)
        while len(self._kept) > MOST_MOMENTS or (self._n_nodes > MOST_NODES and len(self._kept) > 1):
            self._stride *= 2
            self._kept = [moment for moment in self._kept if moment[0] % self._stride == 0]
            self._n_nodes = sum(len(moment[3][1]) for moment in self._kept)

    def _note_before(self, root: Any) -> None:
        """Note which gradients are not 0 before a pass, and which of them are those of the pass before."""
        nodes = self._nodes
        self._before, self._left_over = {}, {}
        for node in nodes.order(root):
            grad, data = nodes.grad(node), nodes.data(node)
            if not isinstance(grad, (int, float)) or not grad:
                continue
            self._before[id(node)] = float(grad)
            known = self._leaves.get(id(node))
            if known is not None and known[1] != data and known[2] == grad:
                self._left_over[id(node)] = float(grad)

    def _note_leaves(self, order: list[Any]) -> None:
        nodes = self._nodes
        leaves = [node for node in order if not nodes.inputs(node) and isinstance(nodes.data(node), (int, float))]
        self._leaves = {id(node): (node, nodes.data(node), nodes.grad(node)) for node in leaves}

    def report(self, numbers: Mapping[int, int]) -> list[dict[str, Any]]:
        """Return the moments as plain data; `numbers`: of the nodes that the program still has, by id."""
        return [
            {
                "line": line,
                "label": label,
                "graph": columns,
                "number": number + 1,
                "before": before,
                "left_over": left,
                "known": {place: numbers[id(node)] for place, node in enumerate(order) if id(node) in numbers},
            }
            for number, line, label, (columns, order, before, left) in self._kept
        ]
