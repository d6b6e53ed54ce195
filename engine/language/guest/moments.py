"""Moments of a run: the graph, with its numbers, right after each call of `backward()`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

from engine.language.guest.graphs import Graph, Nodes
from engine.language.guest.program import PROGRAM

MOST_MOMENTS, MOST_NODES = 64, 60_000
"""Kept in all; when there are more, every second one is let go."""


class Moments:
    """The moments of one run; of many calls not every one is kept."""

    def __init__(self, nodes: Nodes, loop_label: Callable[[Any, int], str]) -> None:
        self._nodes = nodes
        self._loop_label = loop_label
        self._kept: list[tuple[int, int, str, Any]] = []
        self._calls, self._stride, self._n_nodes = 0, 1, 0
        self._depth = 0

    def watched(self, backward: Callable[..., Any]) -> Callable[..., Any]:
        """Return a `backward` method that leaves a moment when it has been called from outside."""

        @functools.wraps(backward)
        def call(root: Any, *arguments: Any, **keywords: Any) -> Any:
            self._depth += 1
            try:
                result = backward(root, *arguments, **keywords)
            finally:
                self._depth -= 1
            if not self._depth:
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
        if len(graph.order) > MOST_NODES:
            return
        self._kept.append((number, line, label, (graph.columns(), graph.order)))
        self._n_nodes += len(graph.order)
        while len(self._kept) > MOST_MOMENTS or (self._n_nodes > MOST_NODES and len(self._kept) > 1):
            self._stride *= 2
            self._kept = [moment for moment in self._kept if moment[0] % self._stride == 0]
            self._n_nodes = sum(len(moment[3][1]) for moment in self._kept)

    def report(self, numbers: Mapping[int, int]) -> list[dict[str, Any]]:
        """Return the moments as plain data; `numbers`: of the nodes that the program still has, by id."""
        return [
            {
                "line": line,
                "label": label,
                "graph": columns,
                "known": {place: numbers[id(node)] for place, node in enumerate(order) if id(node) in numbers},
            }
            for _, line, label, (columns, order) in self._kept
        ]
