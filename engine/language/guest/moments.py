"""Moments of a run: the graph, with its numbers, right after each call of `backward()`."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.language.guest import deadline, monitoring
from engine.language.guest.graphs import Graph, Nodes
from engine.language.guest.program import PROGRAM
from engine.language.guest.recording import as_float

MOST_MOMENTS, MOST_NODES = 64, 16_000
"""Moments, and nodes in all of them, that are kept; of more, every second one is let go, but for the first."""

MOST_COMPARED = 4
"""Passes before which gradients are looked at."""

FIRST_PASSES = 3
"""Passes at the start that are kept together: consecutive ones show what the updates between them did."""

PASS_WORDS = ("back", "grad", "prop")
"""Parts of names of functions that run a backward pass."""


@dataclass
class _Moment:
    """One moment.

    Attributes:
        left_over: gradients of the pass before, by ids of nodes.
        seed: a number that the pass was given, and the name of the parameter.
    """

    number: int
    root: Any
    nodes: list[Any]
    before: list[Any]
    left_over: dict[int, float]
    line: int = 0
    label: str = ""
    data: list[Any] = field(default_factory=list)
    grads: list[Any] = field(default_factory=list)
    seed: tuple[float, str] | None = None

    def as_data(self, nodes: Nodes, numbers: Mapping[int, int]) -> dict[str, Any]:
        """Return the moment as plain data; see `Moments.report`."""
        graph = Graph(nodes)
        graph.number_of(self.root)
        at = {id(node): place for place, node in enumerate(self.nodes)}
        places = [at.get(id(node), -1) for node in graph.order]
        now = nodes.numbers(graph.order) if -1 in places else ([], [])  # plain numbers among the inputs
        data, grads = (
            [then[place] if place >= 0 else rest[index] for index, place in enumerate(places)]
            for then, rest in ((self.data, now[0]), (self.grads, now[1]))
        )
        before = {index: self.before[place] for index, place in enumerate(places) if place >= 0}
        return {
            "line": self.line,
            "label": self.label,
            "graph": graph.columns((data, grads)),
            "number": self.number + 1,
            "seed": self.seed,
            "before": {index: as_float(grad) for index, grad in before.items() if _is_number(grad) and grad},
            "left_over": {graph.numbers[node]: grad for node, grad in self.left_over.items()},
            "known": {place: numbers[id(node)] for place, node in enumerate(graph.order) if id(node) in numbers},
        }


def _seed_among(arguments: Iterable[tuple[str, Any]]) -> tuple[float, str] | None:
    """Return the number that a pass was given for the gradient of its output, and the name of the parameter."""
    return next(((as_float(each), name) for name, each in arguments if _is_number(each)), None)


def _is_number(thing: Any) -> bool:
    return thing.__class__ in (float, int)


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
        self._last: _Moment | None = None
        self._leaf_nodes: list[Any] | None = None
        self._leaves: dict[int, tuple[Any, Any, Any]] = {}
        self._calls, self._stride, self._n_nodes = 0, 1, 0
        self._depth = 0
        self._function: tuple[Any, _Moment] | None = None

    # Which calls

    def watched(self, backward: Callable[..., Any]) -> Callable[..., Any]:
        """Return a `backward` method that leaves a moment when it has been called from outside."""

        @functools.wraps(backward)
        def call(root: Any, *arguments: Any, **keywords: Any) -> Any:
            if self._depth or not self._nodes.is_node(root):
                return backward(root, *arguments, **keywords)
            moment = self._begun(root)
            names = inspect.unwrap(backward).__code__.co_varnames[1:]
            moment.seed = _seed_among([*zip(names, arguments, strict=False), *keywords.items()])
            self._depth += 1
            try:
                result = backward(root, *arguments, **keywords)
            finally:
                self._depth -= 1
            deadline.check()
            if moment.number + 1 == self.last:
                raise MomentReached
            self._ended(moment, sys._getframe(1))
            return result

        return call

    def watch_functions(self, code: types.CodeType) -> None:
        """Watch the functions of a module that run a backward pass, by their names."""
        functions = [each for each in code.co_consts if isinstance(each, types.CodeType) and each.co_argcount]
        functions = [each for each in functions if any(word in each.co_name.lower() for word in PASS_WORDS)]
        if functions:
            callbacks: dict[str, Any] = {"PY_START": self._function_begun, "PY_RETURN": self._function_ended}
            monitoring.PASSES.begin(callbacks, functions)

    def end(self) -> None:
        """Stop watching functions."""
        monitoring.PASSES.end()

    def _function_begun(self, code: types.CodeType, _offset: int) -> None:
        if self._function is not None and self._function[0].f_back is None:
            self._function, self._depth = None, 0  # it was left by an exception
        frame = sys._getframe(1)
        root = frame.f_locals.get(code.co_varnames[0])
        if not self._depth and self._nodes.is_node(root):
            self._function, self._depth = (frame, self._begun(root)), 1
            names = code.co_varnames[1 : code.co_argcount]
            self._function[1].seed = _seed_among((name, frame.f_locals.get(name)) for name in names)

    def _function_ended(self, _code: types.CodeType, _offset: int, _value: Any) -> None:
        frame = sys._getframe(1)
        if self._function is None or self._function[0] is not frame:
            return
        moment = self._function[1]
        self._function, self._depth = None, 0
        if moment.number + 1 == self.last:
            raise MomentReached
        data, grads = self._nodes.numbers(moment.nodes)
        if data == moment.data and grads != moment.before:  # it is a pass, and updates nothing
            self._ended(moment, frame.f_back)

    # Moments

    def _begun(self, root: Any) -> _Moment:
        """Note the gradients before a recorded pass, and which of them stem from the pass before."""
        number, self._calls = self._calls, self._calls + 1
        if number % self._stride:
            return _Moment(number, root, [], [], {})
        nodes = self._nodes.reached(root)
        data, grads = self._nodes.numbers(nodes)
        left_over = {}
        for node, number_then, grad in zip(nodes, data, grads, strict=True) if self._leaves else ():
            known = self._leaves.get(id(node))
            if known is not None and known[1] != number_then and _is_number(grad) and grad and known[2] == grad:
                left_over[id(node)] = as_float(grad)
        return _Moment(number, root, nodes, grads, left_over, data=data)

    def _ended(self, moment: _Moment, frame: Any) -> None:
        while frame is not None and frame.f_code.co_filename != PROGRAM:
            frame = frame.f_back
        moment.line = frame.f_lineno if frame is not None else 0
        moment.label = self._loop_label(frame, moment.line) or f"backward() {moment.number + 1}"
        if moment.nodes:
            data, moment.grads = self._nodes.numbers(moment.nodes)
            moment.data = [  # a pass may update the leaves that it was called for
                now if then is None or then is now or self._nodes.inputs(node) else then
                for node, then, now in zip(moment.nodes, moment.data, data, strict=True)
            ]
            self._keep(moment)
        elif self._leaf_nodes is not None:
            self._note_last(moment)

    def _keep(self, moment: _Moment) -> None:
        """Keep a moment, or of one for which there is no room its leaves, as long as it is the last."""
        self._leaves = {}
        if moment.number < MOST_COMPARED:
            self._leaves = {
                id(node): (node, data, grad)
                for node, data, grad in zip(moment.nodes, moment.data, moment.grads, strict=True)
                if _is_number(data) and not self._nodes.inputs(node)
            }
        self._leaf_nodes = [node for node in moment.nodes if not self._nodes.inputs(node)]
        if len(moment.nodes) <= MOST_NODES:
            self._kept.append(moment)
            self._n_nodes += len(moment.nodes)
        while len(self._kept) > MOST_MOMENTS or (self._n_nodes > MOST_NODES and len(self._kept) > 1):
            self._stride *= 2
            n_first = FIRST_PASSES
            if sum(len(kept.nodes) for kept in self._kept[:n_first]) > MOST_NODES // 2:
                n_first = 1
            self._kept = [kept for kept in self._kept if kept.number % self._stride == 0 or kept.number < n_first]
            self._n_nodes = sum(len(kept.nodes) for kept in self._kept)
        if not self._kept or self._kept[-1] is not moment:
            self._note_last(moment)

    def _note_last(self, moment: _Moment) -> None:
        """Note a moment that is let go unless it is the last, with the numbers of the leaves that are known."""
        assert self._leaf_nodes is not None
        moment.nodes = self._leaf_nodes
        moment.data, moment.grads = self._nodes.numbers(moment.nodes)
        moment.before = [None] * len(moment.nodes)
        self._last = moment

    def report(self, numbers: Mapping[int, int]) -> list[dict[str, Any]]:
        """Return the moments as plain data; `numbers`: of the nodes that the program still has, by id.

        The last pass is among them; but for its leaves, with the numbers that the program has left.
        """
        if self._last is not None and (not self._kept or self._last.number > self._kept[-1].number):
            self._kept.append(self._last)
        return [moment.as_data(self._nodes, numbers) for moment in self._kept]
