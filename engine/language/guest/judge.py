"""The judge of a learner's own engine: finite differences of its forward calls beside what its own rules hand on.

A call that was noted is made again with copies of its inputs, which are leaves: their data are moved, and the rule of
the result is asked what it gives them. So nothing of the program is touched, and any operation can be judged, known or
not. What cannot be repeated or asked alone is left to the comparison of the whole pass; the judge says why.

Afterwards the host (`engine/language/engine_check.py`) puts the numbers into words.
"""

from __future__ import annotations

import inspect
import io
import math
import random
import sys
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.autograd.ops import OPS
from engine.language.guest.calls import Call, Calls
from engine.language.guest.engines import ClassWatch, attributes, is_number
from engine.language.guest.program import PROGRAM

OFFSET, UPSTREAM = 0.8125, 3.0
"""Each rule is asked twice: for the upstream gradient 1, and for UPSTREAM with OFFSET already in the inputs."""
MOST_OF_A_METHOD = 10
"""Calls of one method that are judged: those with the smallest and largest data, and some between."""
MOST_MEASURED = 400
SECONDS, SECONDS_OF_A_CASE = 2.0, 0.3
_RULE_WORDS = ("back", "grad", "vjp", "pull", "chain", "rule", "prop", "adj", "deriv")
_LOCAL_WORDS = (
    "local",
    "grad",
    "deriv",
    "partial",
    "weight",
    "jac",
    "slope",
    "coef",
    "parents",
    "prev",
    "child",
    "depend",
)


class _TimeIsUp(BaseException):
    pass


class _CannotJudge(Exception):
    """A call cannot be repeated, or its rule cannot be asked alone; the message says why."""


class _RuleRaised(Exception):
    pass


@dataclass
class _Case:
    """One application of an operation.

    Attributes:
        call: that made it, or one of the same kind.
        out: the node.
        inputs: for nodes among the arguments of `call`, by id, the nodes that stand for them.
        repeats: whether the call, made again, gives the same number; None where it was not tried.
    """

    call: Call
    out: Any
    inputs: dict[int, Any] = field(default_factory=dict)
    repeats: bool | None = None


@dataclass
class _Run:
    """A call that was repeated: the result, the copies of its inputs, and records that it added to tapes."""

    out: Any
    copies: list[Any]
    records: list[Any]


class Judge:
    """Judges the operations of one run."""

    def __init__(
        self, watch: ClassWatch, calls: Calls, space: dict[str, Any], numbers: dict[int, int], order: list[Any]
    ) -> None:
        self._watch, self._calls, self._space = watch, calls, space
        self._numbers, self._order = numbers, order
        self._templates: dict[type, Any] = {}
        self._initial: dict[type, Any] = {}
        self._methods: dict[type, str] = {}
        self._forward: dict[type, bool] = {}
        self._lists: list[list[Any]] = []
        self._found_nodes: dict[int, list[tuple[Any, str]]] = {}
        self._places: dict[tuple[types.CodeType, ...], int] = {}
        self._deadline = self._limit = math.inf
        self._vectors = random.Random(1)

    # The report

    def report(self, seconds: float) -> dict[str, Any]:
        """Return the judged applications, the measured derivatives of nodes, and what could not be judged.

        Returns:
            `cases`: for each application `method`, `line`, `node`, `op`, `y`, `exact`, `error`, `form`, and `inputs`: for
            each `node`, `name`, `times`, `data`, `expected`, `low`, `high`, `given`, `later`, `line`. `partials`: by
            node the derivatives by its inputs. `backward`: name and line of the function that runs the backward pass.
            `chosen`: as
            `partials`, of nodes at a kink, as their own rules have chosen. `forward`: nodes that carry their derivatives with them.
        """
        self._deadline = self._limit = time.monotonic() + min(seconds, SECONDS)
        cases: list[dict[str, Any]] = []
        partials: dict[int, list[float]] = {}
        chosen: dict[int, list[float]] = {}
        outputs, state = (sys.stdout, sys.stderr), random.getstate()
        sys.stdout = sys.stderr = io.StringIO()
        try:
            self._watch_time()
            self._find_templates()
            self._lists = self._tapes()
            by_method = self._cases()
            for found in by_method.values():
                for case in self._selected(found):
                    try:
                        self._limit = min(self._deadline, time.monotonic() + SECONDS_OF_A_CASE)
                        told = self._told(case)
                    except _TimeIsUp:
                        if time.monotonic() > self._deadline:
                            raise
                        told = self._nothing_of(case) | {"reason": "its rule did not end in time"}
                    if told is not None:
                        cases.append(told)
                    if told is not None and told["reason"]:
                        break
            self._limit = self._deadline
            right = {
                told["node"]: {row["node"]: row["given"] for row in told["inputs"] if row["node"] >= 0}
                for told in cases
                if told["node"] >= 0 and all(row["given"] is not None and _fits(row) for row in told["inputs"])
            }
            self._measure(by_method, right, partials)
            chosen = self._chosen_at_kinks(cases)
        except _TimeIsUp:
            pass
        finally:
            self._end_watching()
            sys.stdout, sys.stderr = outputs
            random.setstate(state)
        return {
            "cases": cases,
            "partials": partials,
            "chosen": chosen,
            "backward": self._backward(),
            "forward": [number for number, node in enumerate(self._order) if self._forward.get(type(node))],
        }

    def _chosen_at_kinks(self, cases: list[dict[str, Any]]) -> dict[int, list[float]]:
        """Return by node which of the derivatives that are right at a kink its rule has chosen, input by input."""
        found = {}
        for told in cases:
            rows = {row["node"]: row for row in told["inputs"]}
            if told["node"] < 0 or told["y"] is None or -1 in rows or not rows:
                continue
            if not any(row["high"] - row["low"] > 1e-3 for row in rows.values()) or not all(map(_fits, rows.values())):
                continue
            numbers = [self._numbers.get(id(node), -1) for node in self._watch.inputs_of(self._order[told["node"]])]
            given = {number: row["given"] for number, row in rows.items()}
            found[told["node"]] = [given.pop(number, 0.0) for number in numbers]
        return found

    def _backward(self) -> tuple[str, int] | None:
        """Return name and line of the program's backward pass."""
        for kind in self._watch.classes:
            for name in sorted(_methods(kind), key=lambda name: name.startswith("_")):
                rule = inspect.unwrap(getattr(kind, name))
                if "back" in name and _needed(rule) == 1:
                    return name, _line_of(rule)
        for name, thing in self._space.items():
            if "back" in name and isinstance(thing, types.FunctionType):
                return name, _line_of(thing)
        return None

    def _watch_time(self) -> None:
        if hasattr(sys, "monitoring"):
            monitoring, events = sys.monitoring, sys.monitoring.events
            monitoring.use_tool_id(_TOOL, "time limit")
            for event in (events.PY_START, events.JUMP, events.BRANCH_LEFT, events.BRANCH_RIGHT):
                monitoring.register_callback(_TOOL, event, self._check_time)
            monitoring.set_events(_TOOL, events.PY_START | events.JUMP)

    def _end_watching(self) -> None:
        if hasattr(sys, "monitoring") and sys.monitoring.get_tool(_TOOL) is not None:
            sys.monitoring.set_events(_TOOL, 0)
            sys.monitoring.free_tool_id(_TOOL)

    def _check_time(self, code: types.CodeType, *_places: int) -> Any:
        if code.co_filename != PROGRAM:
            return sys.monitoring.DISABLE
        if time.monotonic() > self._limit:
            raise _TimeIsUp
        return None

    # Which calls

    def _find_templates(self) -> None:
        """Find a leaf of each class: copies of inputs are made like it."""
        nodes = list(self._order)
        for found in self._calls.of.values():
            for call in found:
                nodes += [each for each, _ in _things(call.names, self._is_node)]
        for node in nodes:
            if self._is_node(node) and not self._watch.inputs_of(node):
                self._templates.setdefault(type(node), node)
        self._leaf = next(iter(self._templates.values()), None)

    def _is_node(self, thing: Any) -> bool:
        return self._watch.is_node(thing)

    def _cases(self) -> dict[Any, list[_Case]]:
        """Return the applications by method: calls that were noted, and nodes of the graph made by the same ones."""
        found: dict[Any, list[_Case]] = {}
        signatures: dict[Any, Call] = {}
        for calls in list(self._calls.of.values()):
            call = self._maker(calls)
            if call is not None:
                found.setdefault(self._key(call), []).append(_Case(call, call.out))
                signatures.setdefault(self._signature(call.out), call)
        for node in reversed(self._order):
            if id(node) in self._calls.of or not self._is_node(node):
                continue
            inputs = self._watch.inputs_of(node)
            call = signatures.get(self._signature(node)) if inputs else None
            if call is None:
                continue
            places = self._watch.inputs_of(call.out)
            key = self._key(call)
            if len(places) == len(inputs) and len(found[key]) < 1_000:
                mapping = {id(place): each for place, each in zip(places, inputs, strict=True)}
                found[key].append(_Case(call, node, mapping))
        return found

    def _signature(self, node: Any) -> Any:
        shape = self._watch.shape(node)
        rules = [part.__code__ for _, part in attributes(node) if isinstance(part, types.FunctionType)]
        kinds = [type(part) for _, part in attributes(node) if self._is_operation(part)]
        op = getattr(node, shape.op, "") if shape is not None and shape.op else ""
        return (
            type(node),
            op if isinstance(op, str) else "",
            tuple(rules),
            tuple(kinds),
            len(self._watch.inputs_of(node)),
        )

    def _key(self, call: Call) -> Any:
        """Return what calls of one method for one operation have in common."""
        kinds = [type(part) for _, part in attributes(call.out) if self._is_operation(part)]
        return call.code, call.line, tuple(kinds)

    def _is_operation(self, thing: Any) -> bool:
        """Return True for an object or class of the program that is no node, such as a context or a function object."""
        if isinstance(thing, type):
            return thing.__module__ == "__main__" and thing not in self._watch.linked
        return type(thing).__module__ == "__main__" and not self._is_node(thing)

    def _maker(self, calls: list[Call]) -> Call | None:
        """Return the innermost call that computed an object's data from those of nodes."""
        out = calls[0].out
        linked = self._watch.inputs_of(out)
        if not linked:
            return None
        codes = tuple(call.code for call in calls)
        if codes in self._places:
            place = self._places[codes]
            return calls[place] if place >= 0 and self._is_whole(calls[place], linked) else None
        starts = [call for call in calls if call.code.co_name in ("__init__", "__post_init__")]
        for call in [*starts[-1:], *(call for call in calls if call not in starts)]:
            if any(call.names.get(name) is out for name in call.arguments[1:]):
                continue
            if self._is_whole(call, linked) and self._computes(call, out):
                self._places[codes] = calls.index(call)
                return call
        return None

    def _is_whole(self, call: Call, linked: tuple[Any, ...]) -> bool:
        """Return True for a call that has all of the inputs; otherwise it is put together of other operations."""
        nodes = [each for each, _ in self._nodes_of(call)]
        return bool(nodes) and all(
            any(each is one for one in nodes) or not self._watch.inputs_of(each) for each in linked
        )

    def _computes(self, call: Call, out: Any) -> bool:
        """Return True when moving the data of the inputs moves the result, as far as that can be tried."""
        data = self._data(out)
        case = _Case(call, out)
        nodes = self._nodes_in_order(case)
        moved = [_moved(self._start(case, node), 0.03125) for node in nodes]
        try:
            if not _same(self._data(self._run(case).out), data):
                return False
        except Exception:
            return False
        if call.code.co_name not in ("__init__", "__post_init__"):
            return True
        try:  # `__init__` of a class whose methods compute gets the result as an argument
            return not _same(self._data(self._run(case, moved).out), data)
        except Exception:
            return True

    def _selected(self, cases: list[_Case]) -> list[_Case]:
        """Return cases with the smallest and largest data of each input, and some between."""
        if len(cases) <= MOST_OF_A_METHOD:
            return cases
        chosen: dict[int, _Case] = {id(case): case for case in cases[:2]}
        for position in range(2):
            sized = []
            for case in cases:
                inputs = self._watch.inputs_of(case.out)
                data = self._data(inputs[position]) if position < len(inputs) else 0.0
                sized.append((float(data) if isinstance(data, (int, float)) else 0.0, len(sized)))
            ordered = [cases[index] for _, index in sorted(sized)]
            step = max(1, (len(ordered) - 1) // 3)
            for case in [*ordered[::step], ordered[-1]]:
                chosen[id(case)] = case
        return list(chosen.values())[:MOST_OF_A_METHOD]

    # A call, made again

    def _nodes_of(self, call: Call) -> list[tuple[Any, str]]:
        """Return the nodes among the arguments of a call, each once, with the name of the parameter."""
        if id(call) in self._found_nodes:
            return self._found_nodes[id(call)]
        found: dict[int, tuple[Any, str]] = {}
        for name, thing in self._arguments(call).items():
            for each, _ in _things({name: thing}, self._is_node):
                if each is not call.out:
                    found.setdefault(id(each), (each, name))
        self._found_nodes[id(call)] = list(found.values())
        return self._found_nodes[id(call)]

    def _arguments(self, call: Call) -> dict[str, Any]:
        names = call.arguments
        if call.code.co_name == "__init__":
            names = names[1:]
        return {name: call.names[name] for name in names if name in call.names}

    def _nodes_in_order(self, case: _Case) -> list[Any]:
        return [case.inputs.get(id(each), each) for each, _ in self._nodes_of(case.call)]

    def _run(self, case: _Case, data: list[Any] | None = None, grad: Any = 0.0) -> _Run:
        """Make the call again with copies of its inputs, whose data and gradients are given."""
        call = case.call
        copies: dict[int, Any] = {}
        standing: dict[int, Any] = {}
        for position, (each, _) in enumerate(self._nodes_of(call)):
            node = case.inputs.get(id(each), each)
            if id(node) not in standing:
                moved = None if data is None else data[position]
                standing[id(node)] = self._copy(
                    node, self._start(case, node) if moved is None else moved, grad, position
                )
            copies[id(each)] = standing[id(node)]
        lists = self._lists
        lengths = [len(each) for each in lists]
        arguments = {name: _with(thing, copies) for name, thing in self._arguments(call).items()}
        if call.code.co_name == "__init__":
            out = _called(type(call.out), call.code, arguments, skip=1)
        elif call.code.co_name == "__post_init__":
            out = _raw(type(call.out), [(name, _with(part, copies)) for name, part in attributes(call.out)])
            out.__post_init__()
        else:
            out = _called(_function(call, copies), call.code, arguments)
        records = []
        for each, length in zip(lists, lengths, strict=True):
            records += each[length:]
            del each[length:]
        return _Run(out, list(copies.values()), records)

    def _tapes(self) -> list[list[Any]]:
        """Return the lists to which operations may add records: of the program, of its classes, of its objects."""
        found: dict[int, list[Any]] = {}
        for thing in list(self._space.values()):
            parts = [thing]
            if isinstance(thing, type) and thing.__module__ == "__main__":
                parts += list(vars(thing).values())
            elif type(thing).__module__ == "__main__" and not self._is_node(thing):
                parts += [part for _, part in attributes(thing)]
            for part in parts:
                if type(part) is list:
                    found[id(part)] = part
        return list(found.values())

    def _copy(self, node: Any, data: Any, grad: Any, position: int) -> Any:
        """Return a leaf with the number of a node."""
        template = self._templates.get(type(node), self._leaf)
        if template is None:
            raise _CannotJudge("the program makes no leaf")
        shape, own = self._watch.shape(template), dict(attributes(node))
        own_shape = self._watch.shape(node)
        assert shape is not None and own_shape is not None
        parts = []
        for name, part in attributes(template):
            mine = own.get(name)
            if name == shape.data:
                part = _copied(getattr(node, own_shape.data) if data is None else data)
            elif name == shape.grad:
                part = _filled(self._initial.get(type(node), 0.0), grad[position] if isinstance(grad, list) else grad,
                               self._data(node))  # fmt: skip
            elif isinstance(mine, (bool, int, float, str)) and isinstance(part, (bool, int, float, str)):
                part = mine
            else:
                part = _emptied(part, self._is_node)
            parts.append((name, part))
        return _raw(type(template), parts)

    def _start(self, case: _Case, node: Any) -> Any:
        """Return the data that a node had when the call was made."""
        data = case.call.data.get(id(node)) if case.out is case.call.out else None
        return self._data(node) if data is None else data

    def _is_stale(self, case: _Case) -> bool:
        """Return True where the program has changed the data of an input since, as an update of parameters does."""
        return any(not _same(self._start(case, node), self._data(node)) for node in self._nodes_in_order(case))

    def _data(self, node: Any) -> Any:
        shape = self._watch.shape(node)
        if shape is None:
            raise _CannotJudge("its result is no node")
        return getattr(node, shape.data)

    def _grad(self, node: Any) -> Any:
        shape = self._watch.shape(node)
        found = getattr(node, shape.grad, None) if shape is not None and shape.grad else None
        return self._data(found) if self._is_node(found) else found

    def _set_grad(self, node: Any, grad: Any) -> None:
        shape = self._watch.shape(node)
        if shape is not None and shape.grad:
            object.__setattr__(node, shape.grad, grad)

    # What is told of one application

    def _nothing_of(self, case: _Case) -> dict[str, Any]:
        """Return what is told of an application before its rule has been asked."""
        call = case.call
        return {
            "method": call.code.co_name,
            "kind": call.code.co_qualname,
            "first": call.code.co_firstlineno,
            "line": call.line,
            "node": self._numbers.get(id(case.out), -1),
            "op": self._op(case.out),
            "y": _plain(self._data(case.out)),
            "error": "",
            "reason": "",
            "form": "",
            "inputs": [],
            "attributes": self._names_of(case.out),
        }

    def _told(self, case: _Case) -> dict[str, Any] | None:
        nodes = self._nodes_of(case.call)
        linked = {id(each) for each in self._watch.inputs_of(case.out)}
        told = self._nothing_of(case)
        try:
            if not self._repeats(case):
                return None
            if type(case.out) not in self._initial:
                self._initial[type(case.out)] = self._grad(self._run(case).out)
            asked = _Asked(self, case)
            if self._is_forward(case, len(nodes)):
                first, later = asked.forward(len(nodes), 1.0), asked.forward(len(nodes), UPSTREAM)
            else:
                first, later = asked.ask(1.0, None), asked.ask(UPSTREAM, OFFSET)
            told |= {"form": asked.form, "method": asked.method or told["method"], "rule_line": asked.line}
        except _RuleRaised as raised:
            return told | {"error": str(raised)}
        except _TimeIsUp:
            raise
        except Exception as raised:
            return told | {"reason": str(raised) or type(raised).__name__}
        lines: dict[int, int] | None = None
        standing: dict[int, int] = {}
        for position, (each, name) in enumerate(nodes):
            node = case.inputs.get(id(each), each)
            if id(node) not in linked and not (self._is_constant(node) and _size(first[position])):
                if id(node) not in linked:
                    continue
            if id(node) in standing:
                continue
            standing[id(node)] = position
            at = [index for index, (other, _) in enumerate(nodes) if case.inputs.get(id(other), other) is node]
            given, again = _projected(first[position]), _projected(later[position])
            expected, low, high = self._slope(case, at, given)
            times = sum(one is node for one in self._watch.inputs_of(case.out)) or 1
            if self._in_set(case.out):
                times = max(times, self._times_in(case, node))
            row = {
                "node": self._numbers.get(id(node), -1), "name": self._parameter(nodes, position), "data": _plain(self._start(case, node)),
                "times": times, "all": asked.all, "lost": times > 1 and self._in_set(case.out),
                "expected": expected, "low": low, "high": high, "given": given, "later": again, "line": 0,
                "shapes": _shapes(first[position], self._data(node)), "offset": 0.0 if asked.form == "forward" else self.along_ones(self._data(node), OFFSET),
            }  # fmt: skip
            if given is None or not _fits(row) or not _close(again, row["offset"] + UPSTREAM * given):
                lines = asked.lines() if lines is None else lines
                row["line"] = lines.get(position, 0)
                if given is not None and not isinstance(self._data(node), (int, float)):
                    row["element"] = self._element(case, asked, position, at)
            told["inputs"].append(row)
        return told

    def _is_forward(self, case: _Case, count: int) -> bool:
        """Return True for numbers that carry their derivative with them: it comes out of the operation itself."""
        kind = type(case.out)
        if kind in self._watch.linked or not isinstance(self._data(case.out), (int, float)):
            return False
        if kind not in self._forward:
            asked = _Asked(self, case)
            self._forward[kind] = any(
                isinstance(each, (int, float)) and each != 0.0 for each in asked.forward(count, 1.0)
            )
        return self._forward[kind]

    def _names_of(self, node: Any) -> tuple[str, str]:
        shape = self._watch.shape(node)
        return (shape.data.lstrip("_"), shape.grad.lstrip("_") or "grad") if shape is not None else ("data", "grad")

    def _parameter(self, nodes: list[tuple[Any, str]], position: int) -> str:
        """Return the name of the parameter that an input came in by, with its number where several came in by it."""
        name = nodes[position][1]
        return name if sum(other == name for _, other in nodes) == 1 else f"input {position + 1}"

    def _times_in(self, case: _Case, node: Any) -> int:
        """Return how often a node stands among the arguments."""
        things = _things(self._arguments(case.call), self._is_node)
        return sum(case.inputs.get(id(each), each) is node for each, _ in things) or 1

    def _in_set(self, node: Any) -> bool:
        shape = self._watch.shape(node)
        held = [getattr(node, name, None) for name in shape.inputs] if shape is not None else []
        return any(isinstance(part, (set, frozenset)) for part in held)

    def _is_constant(self, node: Any) -> bool:
        return not self._watch.inputs_of(node)

    def _op(self, node: Any) -> str:
        shape = self._watch.shape(node)
        found = getattr(node, shape.op, "") if shape is not None and shape.op else ""
        return found if isinstance(found, str) and found else self._watch.op_of(node)

    def _element(
        self, case: _Case, asked: _Asked, position: int, at: list[int]
    ) -> tuple[list[int], float, float] | None:
        """Return an element of an array that gets something wrong: its place, what it gets and should, for ones above."""
        node = self._nodes_in_order(case)[at[0]]
        shape = tuple(self._data(node).shape)
        kept, worst = dict(_DIRECTIONS), None
        try:
            out_shape = getattr(self._data(case.out), "shape", ())
            _DIRECTIONS[tuple(out_shape)] = _array([1.0] * _count(out_shape), tuple(out_shape))
            for place in range(min(_count(shape), 24)):
                flat = [1.0 if each == place else 0.0 for each in range(_count(shape))]
                if shape == tuple(out_shape):
                    return None  # the direction of the output and of this input are one
                _DIRECTIONS[shape] = _array(flat, shape)
                given = _projected(asked.ask(1.0, None)[position])
                slope = self._slope(case, at, given)[0]
                if given is not None and (worst is None or abs(given - slope) > abs(worst[1] - worst[2])):
                    worst = place, given, slope
        finally:
            _DIRECTIONS.clear()
            _DIRECTIONS.update(kept)
        if worst is None:
            return None
        index, rest = [], worst[0]
        for size in reversed(shape):
            index.append(rest % size)
            rest //= size
        return index[::-1], worst[1], worst[2]

    # Finite differences

    def _slope(self, case: _Case, at: list[int], given: float | None) -> tuple[float, float, float]:
        """Return the derivative by an input, and the ends of the range that is right: more than a point at a kink."""
        nodes = self._nodes_in_order(case)
        start = self._start(case, nodes[at[0]])
        way = self._direction(start)
        against = self._direction(self._data(case.out))

        def value(step: float) -> float:
            data: list[Any] = [None] * len(nodes)
            for position in at:
                data[position] = start + step * way
            try:
                found = _dot(self._data(self._run(case, data).out), against)
            except _TimeIsUp:
                raise
            except Exception:
                return math.nan
            return found if isinstance(found, (int, float)) else math.nan

        scale = max(1.0, abs(start)) if isinstance(start, (int, float)) else 1.0
        middle = value(0.0)
        here = (value(1e-5 * scale) - value(-1e-5 * scale)) / (2e-5 * scale)
        if given is not None and abs(here - given) <= 1e-8 * max(1.0, abs(here), abs(middle)):
            one_sided = (value(1e-5 * scale) - middle) / (1e-5 * scale)
            if abs(one_sided - here) <= 1e-3 * max(1.0, abs(here)):
                return given, given, given
        if given is None:
            finer = (value(1e-4 * scale) - value(-1e-4 * scale)) / (2e-4 * scale)
            one_sided = (value(1e-5 * scale) - middle) / (1e-5 * scale)
            if abs(finer - here) <= 1e-7 * max(1.0, abs(here)) and abs(one_sided - here) <= 1e-3 * max(1.0, abs(here)):
                return here, here, here
        estimates, sides = [], []
        for exponent in range(2, 9):
            for size in {scale, abs(start) if isinstance(start, (int, float)) and start else scale}:
                step = size * 10.0**-exponent
                right, left = (value(step) - middle) / step, (middle - value(-step)) / step
                estimates.append((right + left) / 2)
                sides.append((right, left))
        pairs = [(abs(a - b), b) for a, b in zip(estimates, estimates[1:], strict=False) if math.isfinite(a - b)]
        known = [side for side in sides if any(map(math.isfinite, side))]
        if not known:
            return math.nan, math.nan, math.nan
        right, left = known[-3] if len(known) > 2 else known[-1]
        if not math.isfinite(right) or not math.isfinite(left):
            one = right if math.isfinite(right) else left
            return one, one - 1e-3 * max(1.0, abs(one)), one + 1e-3 * max(1.0, abs(one))
        jump = abs(right - left)
        earlier = [abs(r - l) for r, l in sides[:4] if math.isfinite(r - l)]
        if jump > 1e-3 * max(1.0, abs(right)) and (not earlier or jump > 0.3 * min(earlier)):
            return (
                (right + left) / 2,
                min(right, left) - 1e-4 * abs(left) - 1e-6,
                max(right, left) + 1e-4 * abs(right) + 1e-6,
            )
        error, best = min(pairs) if pairs else (1e-3, (right + left) / 2)
        slack = max(10 * error, 1e-7 * max(1.0, abs(best), abs(middle) * 1e-3))
        return best, best - slack, best + slack

    def _direction(self, data: Any) -> Any:
        if isinstance(data, (int, float)):
            return 1.0
        key = tuple(data.shape)
        if key not in _DIRECTIONS:
            numbers = random.Random(len(key) + sum(key))
            flat = [numbers.uniform(-1.0, 1.0) for _ in range(_count(key))]
            _DIRECTIONS[key] = _array(flat, key)
        return _DIRECTIONS[key]

    def direction(self, data: Any) -> Any:
        """Return 1 for a number, else an array of its shape with random elements."""
        return self._direction(data)

    def along_ones(self, data: Any, number: float) -> float:
        """Return the part of an offset in every element along the direction of an array."""
        return number if isinstance(data, (int, float)) else number * float(self._direction(data).sum())

    # Derivatives of nodes that the host may not know

    def _measure(
        self, by_method: dict[Any, list[_Case]], told: dict[int, dict[int, float]], partials: dict[int, list[float]]
    ) -> None:
        """Measure the derivatives of nodes; `told`: for nodes whose rule was judged right what it gives each input."""
        count = 0
        for cases in by_method.values():
            judged = [case for case in self._selected(cases) if self._repeats(case)]
            if judged and all(self._is_of_table(case) for case in judged):
                continue
            sure = all(self._numbers.get(id(case.out), -1) in told for case in judged)
            for case in cases:
                number = self._numbers.get(id(case.out), -1)
                is_number = isinstance(self._data(case.out), (int, float))
                if (
                    number < 0
                    or not is_number
                    or count >= MOST_MEASURED
                    or self._is_stale(case)
                    or not self._repeats(case)
                ):
                    continue
                count += 1
                nodes, inputs = self._nodes_in_order(case), self._watch.inputs_of(case.out)
                asked = _Asked(self, case).ask(1.0, None) if sure and number not in told else None
                found: dict[int, float] = {}
                for each in inputs:
                    at = [index for index, node in enumerate(nodes) if node is each]
                    known = told.get(number, {}).get(self._numbers.get(id(each), -1))
                    if known is not None or not at:
                        found[id(each)] = known or 0.0
                    elif asked is not None:
                        found[id(each)] = asked[at[0]]
                    else:
                        slope, low, high = self._slope(case, at, None)
                        is_smooth = high - low <= 1e-3 * max(1.0, abs(slope))
                        found[id(each)] = float(f"{slope:.9g}") if is_smooth else math.nan
                if all(isinstance(each, float) and math.isfinite(each) for each in found.values()):
                    partials[number] = [found.pop(id(each), 0.0) for each in inputs]

    def _repeats(self, case: _Case) -> bool:
        """Return True where the call, made again, gives the same number."""
        if case.repeats is None:
            try:
                case.repeats = _same(self._data(self._run(case).out), self._data(case.out))
            except Exception:
                case.repeats = False
        return case.repeats

    def _is_of_table(self, case: _Case) -> bool:
        """Return True for a result that the table's operation of this name gives, too."""
        name = self._op(case.out).strip("_").lower()
        if name.startswith("**") or name in ("pow", "rpow"):
            return True
        data = [self._start(case, node) for node in self._watch.inputs_of(case.out)]
        op = _TABLE.get((name, len(data)))
        if op is None or not all(isinstance(each, (int, float)) for each in [*data, self._data(case.out)]):
            return False
        try:
            return _same(float(op.scalar(*map(float, data))), self._data(case.out))
        except (ArithmeticError, ValueError):
            return False


_TABLE = {
    (name, op.arity): op
    for op in OPS.values()
    if op.elementwise
    for name in (op.name, op.infix, *op.synonyms, *(("truediv",) if op.name == "div" else ()))
    if name
}


class _Asked:
    """The rule of one application, asked.

    Attributes:
        form: how it was asked.
        method: what is to be named; "" for the method that made the object.
        line: where it stands; 0 where it is the method's.
        all: whether several upstream gradients could be tried.
    """

    def __init__(self, judge: Judge, case: _Case) -> None:
        self._judge, self._case = judge, case
        self.form, self.method, self.line, self.all = "", "", 0, True

    def ask(self, upstream: float, before: float | None) -> list[Any]:
        """Return what each input is handed for an upstream gradient, projected on a direction for arrays."""
        judge, case = self._judge, self._case
        run = judge._run(case, grad=before if before is not None else None)
        wanted = upstream * judge.direction(judge._data(run.out))
        befores = [_copied(judge._grad(copy)) for copy in run.copies]
        returned = self._rule(run, wanted)
        found = []
        if returned is not None and (before is None or not self._changed(run, befores)):
            for copy in run.copies:
                parts = [part for node, part in returned if node is copy and part is not None]
                total = parts[0] if parts else 0.0
                for part in parts[1:]:
                    total = total + part
                found.append(self._seen(total, copy, befores, run, before))
            return found
        for copy, was in zip(run.copies, befores, strict=True):
            now = judge._grad(copy)
            if before is None:
                now = 0.0 if now is None or (now is was and not is_number(was)) else now
            found.append(self._along(now, copy))
        return found

    def forward(self, count: int, tangent: float) -> list[Any]:
        """Return the derivatives that the result carries when one input after the other carries a derivative."""
        judge = self._judge
        self.form = "forward"
        found = []
        for position in range(count):
            out = judge._run(self._case, grad=[tangent if at == position else 0.0 for at in range(count)]).out
            found.append(judge._grad(out))
        return found

    def _seen(self, total: Any, copy: Any, befores: list[Any], run: _Run, before: float | None) -> Any:
        """Return a gradient that is returned, as if it were added to what was there."""
        along = self._along(total, copy)
        if before is None or not isinstance(along, (int, float)):
            return along
        return along + self._judge.along_ones(self._judge._data(copy), before)

    def _changed(self, run: _Run, befores: list[Any]) -> bool:
        return any(not _same(self._judge._grad(copy), was) for copy, was in zip(run.copies, befores, strict=True))

    def _along(self, gradient: Any, copy: Any) -> Any:
        data = self._judge._data(copy)
        if gradient is None:
            return 0.0
        if self._judge._is_node(gradient):
            gradient = self._judge._data(gradient)
        if isinstance(data, (int, float)):
            return float(gradient) if _count_of(gradient) == 1 else gradient
        if tuple(getattr(gradient, "shape", ())) not in ((), tuple(data.shape)):
            return gradient
        return _dot(gradient, self._judge.direction(data))

    def lines(self) -> dict[int, int]:
        """Return for each input, by position, the line that handed it its gradient."""
        judge = self._judge
        try:
            run = judge._run(self._case, grad=None)
            wanted = UPSTREAM * judge.direction(judge._data(run.out))
        except Exception:
            return {}
        before = [_copied(judge._grad(copy)) for copy in run.copies]
        found: dict[int, int] = {}
        run_lines: list[int] = []
        returned_at = [0]
        last = [0]

        def look(frame: types.FrameType, event: str, _argument: Any) -> Any:
            if frame.f_code.co_filename != PROGRAM:
                return None
            if last[0]:
                for position, copy in enumerate(run.copies):
                    if position not in found and not _same(judge._grad(copy), before[position]):
                        found[position] = last[0]
            if event in ("line", "return"):
                last[0] = frame.f_lineno
            if event == "line" and frame.f_lineno not in run_lines:
                run_lines.append(frame.f_lineno)
            if event == "return":
                returned_at[0] = frame.f_lineno
            return look

        tracer = sys.gettrace()
        sys.settrace(look)
        try:
            returned = self._rule(run, wanted)
        except Exception:
            returned = None
        finally:
            sys.settrace(tracer)
        if self.form == "local":
            return dict.fromkeys(range(len(run.copies)), self._case.call.line)
        if returned is not None:
            return dict.fromkeys(range(len(run.copies)), returned_at[0])
        for position, copy in enumerate(run.copies):
            if position not in found and not _same(judge._grad(copy), before[position]):
                found[position] = last[0]
        left = [line for line in run_lines if line not in found.values()]
        for position in range(len(run.copies)):
            if position not in found and left:
                found[position] = left[0]
        return found

    # Forms of rules

    def _rule(self, run: _Run, upstream: Any) -> list[tuple[Any, Any]] | None:
        """Ask the rule of a result; return (input, gradient) where it returns them, None where it has added them."""
        judge, out = self._judge, run.out
        judge._set_grad(out, _copied(upstream))
        for form in (self._of_function, self._of_operation, self._of_local, self._of_tape, self._of_method):
            found = form(run, upstream)
            if found is not NotImplemented:
                return found
        judge._set_grad(out, judge._initial.get(type(out), 0.0))
        found = self._of_pass(run)
        if found is not NotImplemented:
            return found
        raise _CannotJudge("its rule was not found")

    def _inputs(self, run: _Run) -> list[Any]:
        """Return the copies in the order in which the result holds them."""
        held = [each for each in self._judge._watch.inputs_of(run.out) if any(each is copy for copy in run.copies)]
        return held or run.copies

    def _of_function(self, run: _Run, upstream: Any) -> Any:
        """A function or a bound method that the result holds."""
        rules = [
            (name, part)
            for name, part in attributes(run.out)
            if isinstance(part, (types.FunctionType, types.MethodType)) or type(part).__name__ == "partial"
        ]
        rules.sort(key=lambda rule: not any(word in rule[0] for word in _RULE_WORDS))
        if not rules:
            return NotImplemented
        self.form = "function"
        name, rule = rules[0]
        return self._given_by(rule, run, upstream, sure=True)

    def _given_by(self, rule: Any, run: _Run, upstream: Any, sure: bool = False) -> Any:
        needed = _needed(rule)
        attempts: list[tuple[Any, ...]] = (
            [()]
            if needed == 0
            else [(upstream,), (run.out,)]
            if needed == 1
            else [(run.out, upstream), (upstream, run.out)]
        )
        for index, arguments in enumerate(attempts):
            try:
                returned = rule(*arguments)
            except Exception as raised:
                if index + 1 < len(attempts):
                    continue
                if sure and needed == 0:
                    raise _RuleRaised(f"{type(raised).__name__}: {raised}") from None
                raise _CannotJudge(f"its rule raised {type(raised).__name__}: {raised}") from None
            return self._distributed(returned, run)
        return NotImplemented

    def _distributed(self, returned: Any, run: _Run) -> list[tuple[Any, Any]] | None:
        """Return which input gets which of the gradients that a rule has returned."""
        judge = self._judge
        if returned is None:
            return None
        inputs = self._inputs(run)
        if isinstance(returned, dict):
            pairs = [(node, part) for node, part in returned.items() if any(node is copy for copy in run.copies)]
            if pairs:
                return pairs
            returned = list(returned.values())
        if is_number(returned) or judge._is_node(returned) or isinstance(returned, bool):
            returned = [returned]
        if not isinstance(returned, (list, tuple)):
            return None
        if returned and all(isinstance(part, tuple) and len(part) == 2 for part in returned):
            pairs = [(node, part) for node, part in returned if any(node is copy for copy in run.copies)]
            if pairs:
                return pairs
        parts = list(returned)
        if len(parts) != len(inputs):
            parts = [part for part in parts if part is not None]
        if len(parts) != len(inputs):
            raise _CannotJudge(f"its rule returned {len(returned)} gradients for {len(inputs)} inputs")
        return list(zip(inputs, parts, strict=True))

    def _of_operation(self, run: _Run, upstream: Any) -> Any:
        """An object or class of the operation with a method for the backward pass, such as `ctx` or `creator`."""
        judge = self._judge
        parts = [part for _, part in attributes(run.out) if judge._is_operation(part)]
        contexts = [part for part in parts if not isinstance(part, type)]
        found = [
            (part, kind, name)
            for part in parts
            for kind in [part if isinstance(part, type) else type(part)]
            for name in _methods(kind)
            if any(word in name for word in _RULE_WORDS[:4]) and not name.startswith("save")
        ]
        found.sort(key=lambda row: row[2] != "backward")
        for part, kind, name in found:
            rule = _plain_function(getattr(part, name))
            needed = _needed(rule)
            arguments: tuple[Any, ...] = () if needed == 0 else (upstream,)
            if needed == 2:
                context = next((one for one in contexts if one is not part), part)
                arguments = context, upstream
            self.form, self.method = "operation", f"{kind.__name__}.{name}"
            self.line = _line_of(rule)
            return self._distributed(rule(*arguments), run)
        return NotImplemented

    def _of_local(self, run: _Run, upstream: Any) -> Any:
        """Local derivatives that the result holds: pairs with the inputs, or a list beside them."""
        judge, inputs = self._judge, self._inputs(run)
        shape = judge._watch.shape(run.out)
        assert shape is not None
        for name, part in attributes(run.out):
            if isinstance(part, dict):
                part = list(part.items())
            if not isinstance(part, (list, tuple)) or not part:
                continue
            pairs = [_pair(each, run.copies) for each in part]
            if all(pair is not None for pair in pairs):
                self.form = "local"
                return [(node, _times(local, upstream)) for node, local in pairs]  # type: ignore[misc]
            if (
                name not in shape.inputs and len(part) == len(inputs) and any(word in name for word in _LOCAL_WORDS)
                and all(is_number(each) or isinstance(each, (bool, types.FunctionType)) for each in part)
            ):  # fmt: skip
                self.form = "local"
                return [(node, _times(local, upstream)) for node, local in zip(inputs, part, strict=True)]
        return NotImplemented

    def _of_tape(self, run: _Run, upstream: Any) -> Any:
        """Records that the call added to a list."""
        if not run.records:
            return NotImplemented
        self.form = "tape"
        for record in run.records:
            parts = [record, *(record if isinstance(record, (tuple, list)) else ()), *_values(record)]
            for part in parts:
                if isinstance(part, (types.FunctionType, types.MethodType)):
                    return self._given_by(part, run, upstream)
            for name in _methods(type(record)):
                if any(word in name for word in _RULE_WORDS):
                    return self._given_by(getattr(record, name), run, upstream)
            pairs = [
                pair
                for part in parts
                if isinstance(part, (list, tuple))
                for pair in map(lambda each: _pair(each, run.copies), part)
            ]
            if pairs and all(pair is not None for pair in pairs):
                return [(node, _times(local, upstream)) for node, local in pairs]  # type: ignore[misc]
            numbers = [part for part in parts if isinstance(part, (list, tuple)) and part and all(map(is_number, part))]
            held = [
                part
                for part in parts
                if isinstance(part, (list, tuple))
                and part
                and all(any(each is copy for copy in run.copies) for each in part)
            ]
            if numbers and held and len(numbers[0]) == len(held[0]):
                return [(node, _times(local, upstream)) for node, local in zip(held[0], numbers[0], strict=True)]
        return NotImplemented

    def _of_method(self, run: _Run, upstream: Any) -> Any:
        """A method of the result's class that passes its gradient on."""
        judge, kind = self._judge, type(run.out)
        names = judge._methods.get(kind)
        candidates = [names] if names else [
            name for name in sorted(_methods(kind), key=lambda name: (not name.startswith("_"), name))
            if any(word in name for word in _RULE_WORDS) and name != self._case.call.code.co_name
        ]  # fmt: skip
        for name in candidates:
            copy_run = run if names else judge._run(self._case, grad=None)
            out = copy_run.out
            rule = _plain_function(getattr(out, name))
            needed, most = _needed(rule), _accepted(rule)
            if needed > 1:
                continue
            before = [_copied(judge._grad(copy)) for copy in copy_run.copies]
            takes = needed == 1 or most >= 1
            given = upstream if names else UPSTREAM * judge.direction(judge._data(out))
            judge._set_grad(out, judge._initial.get(kind, 0.0) if takes else _copied(given))
            try:
                returned = rule(given) if takes else rule()
            except Exception:
                continue
            if not names:
                if not takes and not _same(judge._grad(out), given):
                    continue  # a pass of its own, which seeds the output
                if not self._changed(copy_run, before) and not (isinstance(returned, (tuple, list)) and returned):
                    continue
                judge._methods[kind] = name
                return self._of_method(run, upstream)
            self.form = "method"
            self.method = f"{kind.__name__}.{name}" if self._case.call.code.co_name.startswith("__init") else name
            self.line = _line_of(rule)
            if not isinstance(returned, (tuple, list)):
                return None
            pairs = self._distributed(returned, run)
            if pairs is None or takes:
                return pairs
            judge._set_grad(out, _copied(given) * 2.0)
            if repr(rule()) != repr(returned):
                return pairs
            return [(node, _times(local, upstream)) for node, local in pairs]  # local derivatives
        return NotImplemented

    def _of_pass(self, run: _Run) -> Any:
        """The whole backward pass of a graph of this one operation."""
        judge, kind = self._judge, type(run.out)
        rules = [_plain_function(getattr(run.out, name)) for name in _methods(kind) if "back" in name]
        rules = [rule for rule in rules if _needed(rule) == 0]
        for name, thing in list(judge._space.items()):
            if "back" in name and isinstance(thing, types.FunctionType) and _needed(thing) == 1:
                rules.append(lambda thing=thing: thing(run.out))
        for rule in rules:
            before = [_copied(judge._grad(copy)) for copy in run.copies]
            try:
                rule()
            except Exception:
                continue
            if self._changed(run, before):
                self.form, self.all = "pass", False
                return None
        return NotImplemented


_TOOL = 3
_DIRECTIONS: dict[tuple[int, ...], Any] = {}


def _things(names: dict[str, Any], wanted: Callable[[Any], bool], depth: int = 3) -> Iterator[tuple[Any, str]]:
    """Yield the nodes in variables, collections and objects of operations, and the names of the variables."""
    for name, thing in names.items():
        for each in _inside(thing, wanted, depth):
            yield each, name


def _inside(thing: Any, wanted: Callable[[Any], bool], depth: int) -> Iterator[Any]:
    if wanted(thing):
        yield thing
    elif depth and isinstance(thing, (list, tuple, set, frozenset)):
        for each in thing:
            yield from _inside(each, wanted, depth - 1)
    elif depth and isinstance(thing, dict):
        for each in thing.values():
            yield from _inside(each, wanted, depth - 1)
    elif depth and type(thing).__module__ == "__main__" and not isinstance(thing, type):
        for _, each in attributes(thing):
            yield from _inside(each, wanted, depth - 1)


def _with(thing: Any, copies: dict[int, Any], depth: int = 3) -> Any:
    """Return an argument with copies in place of the nodes in it."""
    if id(thing) in copies:
        return copies[id(thing)]
    if not depth:
        return thing
    if type(thing) in (list, tuple, set, frozenset):
        return type(thing)(_with(each, copies, depth - 1) for each in thing)
    if type(thing) is dict:
        return {key: _with(each, copies, depth - 1) for key, each in thing.items()}
    if type(thing).__module__ == "__main__" and not isinstance(thing, type):
        try:
            return _raw(type(thing), [(name, _with(part, copies, depth - 1)) for name, part in attributes(thing)])
        except TypeError:
            return thing
    return thing


def _raw(kind: type, parts: list[tuple[str, Any]]) -> Any:
    """Return an object with these attributes, made without calling anything of its class."""
    made = object.__new__(kind)
    for name, part in parts:
        object.__setattr__(made, name, part)
    return made


def _function(call: Call, copies: dict[int, Any]) -> Callable[..., Any]:
    around = tuple(types.CellType(_with(call.names[name], copies)) if name in call.names else types.CellType()
                   for name in call.code.co_freevars)  # fmt: skip
    return types.FunctionType(call.code, call.space, call.code.co_name, None, around)


def _called(function: Callable[..., Any], code: types.CodeType, arguments: dict[str, Any], skip: int = 0) -> Any:
    names = code.co_varnames
    positional = [arguments[name] for name in names[skip : code.co_argcount] if name in arguments]
    end = code.co_argcount + code.co_kwonlyargcount
    keywords = {name: arguments[name] for name in names[code.co_argcount : end] if name in arguments}
    if code.co_flags & 4:
        positional += list(arguments.get(names[end], ()))
        end += 1
    if code.co_flags & 8:
        keywords |= arguments.get(names[end], {})
    return function(*positional, **keywords)


def _emptied(part: Any, is_node: Callable[[Any], bool]) -> Any:
    if isinstance(part, (list, tuple, set, frozenset, dict)):
        return type(part)() if any(True for _ in _inside(part, is_node, 2)) or not isinstance(part, tuple) else part
    return None if is_node(part) else _copied(part)


def _copied(thing: Any) -> Any:
    return thing.copy() if type(thing).__name__ == "ndarray" else thing


def _filled(initial: Any, grad: Any, data: Any) -> Any:
    """Return a gradient for a copy: as a fresh object has it for None, else a number, in an array's shape."""
    if grad is None:
        return _copied(initial) if not is_number(initial) or isinstance(initial, (int, float)) else data * 0.0
    return grad if isinstance(data, (int, float)) else data * 0.0 + grad


def _moved(data: Any, step: float) -> Any:
    return data * (1.0 + step) + step


def _same(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or (a != a and b != b) or abs(a - b) <= 1e-12 * max(abs(a), abs(b))
    if a is None or b is None or not (hasattr(a, "tolist") and hasattr(b, "tolist")):
        return False
    return bool(a.tolist() == b.tolist())


def _dot(a: Any, b: Any) -> float:
    found = a * b
    return float(found) if isinstance(found, (int, float)) else float(found.sum())


def _count(shape: tuple[int, ...]) -> int:
    return math.prod(shape)


def _count_of(thing: Any) -> int:
    return math.prod(getattr(thing, "shape", ())) if not isinstance(thing, (int, float)) else 1


def _array(flat: list[float], shape: tuple[int, ...]) -> Any:
    import numpy

    return numpy.array(flat).reshape(shape)


def _size(given: Any) -> bool:
    return isinstance(given, (int, float)) and given != 0.0


def _projected(given: Any) -> float | None:
    return float(given) if isinstance(given, (int, float)) else None


def _shapes(given: Any, data: Any) -> list[list[int]] | None:
    """Return the shapes of a gradient and its data where they differ."""
    return (
        None
        if isinstance(given, (int, float))
        else [list(getattr(given, "shape", ())), list(getattr(data, "shape", ()))]
    )


def _close(a: float | None, b: float) -> bool:
    return a is not None and (abs(a - b) <= 1e-7 * max(1.0, abs(a), abs(b)) or (a != a and b != b))


def _fits(row: dict[str, Any]) -> bool:
    return row["given"] is not None and (
        row["low"] <= row["given"] <= row["high"] or row["expected"] != row["expected"]
    )


def _plain(number: Any) -> float | None:
    return float(number) if isinstance(number, (int, float)) else None


def _plain_function(function: Any) -> Any:
    """Return the program's own function behind one that is watched."""
    bound = function.__self__ if isinstance(function, types.MethodType) else None
    inner = inspect.unwrap(function.__func__ if bound is not None else function)
    return types.MethodType(inner, bound) if bound is not None else inner


def _needed(function: Any) -> int:
    """Return how many arguments a function has to be given."""
    if type(function).__name__ == "partial":
        return max(0, _needed(function.func) - len(function.args))
    code = getattr(function, "__code__", None)
    if code is None:
        return 0
    bound = isinstance(function, types.MethodType)
    return int(code.co_argcount - bound - len(function.__defaults__ or ()))


def _accepted(function: Any) -> int:
    code = getattr(function, "__code__", None)
    return int(code.co_argcount - isinstance(function, types.MethodType)) if code is not None else 0


def _line_of(function: Any) -> int:
    code = getattr(function, "__code__", None)
    return int(code.co_firstlineno) if code is not None else 0


def _methods(kind: type) -> list[str]:
    """Return the names of the program's own methods of a class, special ones left out."""
    found: dict[str, None] = {}
    for base in kind.__mro__:
        if base.__module__ == "__main__":
            for name, part in vars(base).items():
                if isinstance(part, (types.FunctionType, staticmethod, classmethod)) and not name.endswith("__"):
                    found[name] = None
    return list(found)


def _values(record: Any) -> list[Any]:
    return [part for _, part in attributes(record)] if type(record).__module__ == "__main__" else []


def _pair(each: Any, copies: list[Any]) -> tuple[Any, Any] | None:
    """Return an input and its local derivative, or the function that gives it, from a pair of them."""
    parts = list(each) if isinstance(each, (tuple, list)) else _values(each)
    if len(parts) != 2:
        return None
    for node, local in (parts, parts[::-1]):
        if any(node is copy for copy in copies) and (is_number(local) or isinstance(local, (bool, types.FunctionType))):
            return node, local
    return None


def _times(local: Any, upstream: Any) -> Any:
    return local(upstream) if isinstance(local, types.FunctionType) else local * upstream
