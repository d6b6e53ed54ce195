"""The judge of a learner's own engine: finite differences of its forward calls beside what its own rules hand on.

A call that was noted is made again with copies of its inputs, which are leaves: their data are moved, and the rule of
the result is asked what it gives them. So nothing of the program is touched, and any operation can be judged, known or
not. What cannot be repeated or asked alone is left to the comparison of the whole pass; the judge says why.

Afterwards the host (`engine/language/engine_check.py`) puts the numbers into words.
"""

from __future__ import annotations

import inspect
import io
import itertools
import math
import random
import sys
import time
import types
from typing import Any

from engine.autograd.kernels import methods_of
from engine.autograd.ops import OPS
from engine.language.guest import replay
from engine.language.guest.calls import Call, Calls
from engine.language.guest.engines import ClassWatch, attributes, copied
from engine.language.guest.program import PROGRAM
from engine.language.guest.replay import Case, Run
from engine.language.guest.rules import OFFSET, UPSTREAM, Asked, CannotJudgeError, RuleRaisedError

MOST_OF_A_METHOD = 10
"""Calls of one method that are judged: those with the smallest and largest data, and some between."""
MOST_MEASURED = 400
SECONDS, SECONDS_OF_A_CASE = 2.0, 0.3
_TOOL = 3
_MONITORING: Any = getattr(sys, "monitoring", None)
_DIRECTIONS: dict[tuple[int, ...], Any] = {}


class TimeIsUp(BaseException):
    """The time for one case, or for all of them, is over."""


class Judge:
    """Judges the operations of one run."""

    def __init__(
        self, watch: ClassWatch, calls: Calls, space: dict[str, Any], numbers: dict[int, int], order: list[Any]
    ) -> None:
        self.watch, self._calls, self.space = watch, calls, space
        self._numbers, self._order = numbers, order
        self._templates: dict[type, Any] = {}
        self.initial: dict[type, Any] = {}
        self.rule_methods: dict[type, str] = {}
        self._forward: dict[type, bool] = {}
        self._further: set[int] = set()
        self._lists: list[list[Any]] = []
        self._found_nodes: dict[int, list[tuple[Any, str]]] = {}
        self._places: dict[tuple[types.CodeType, ...], int] = {}
        self._deadline = self._limit = math.inf
        self._vectors = random.Random(1)

    # The report

    def report(self, seconds: float) -> dict[str, Any]:
        """Return the judged applications, the measured derivatives of nodes, and what could not be judged.

        Returns:
            `cases`: for each application `method`, `line`, `node`, `op`, `y`, `error`, `reason`, `form`, and `inputs`,
            for each `node`, `name`, `times`, `data`, `expected`, `low`, `high`, `given`, `later`, `line`.
            `partials`: by node the derivatives by its inputs. `chosen`: the same, of nodes at a kink, as their own
            rules have chosen. `backward`: name and line of the function that runs the backward pass. `forward`: nodes
            that carry their derivatives with them. `further`: True with operations that the table does not have;
            `unknown`: those of their nodes whose derivatives could not be measured.
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
                    except TimeIsUp:
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
                if told["node"] >= 0 and all(row["given"] is not None and replay.fits(row) for row in told["inputs"])
            }
            self._measure(by_method, right, partials)
            chosen = self._chosen_at_kinks(cases)
        except TimeIsUp:
            pass
        finally:
            self._end_watching()
            sys.stdout, sys.stderr = outputs
            random.setstate(state)
        return {
            "cases": cases,
            "partials": partials,
            "chosen": chosen,
            "further": bool(self._further),
            "unknown": sorted(self._further - partials.keys() - chosen.keys() - {-1}),
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
            if not any(row["high"] - row["low"] > 1e-3 for row in rows.values()) or not all(
                map(replay.fits, rows.values())
            ):
                continue
            numbers = [self._numbers.get(id(node), -1) for node in self.watch.inputs_of(self._order[told["node"]])]
            given = {number: row["given"] for number, row in rows.items()}
            found[told["node"]] = [given.pop(number, 0.0) for number in numbers]
        return found

    def _backward(self) -> tuple[str, int] | None:
        """Return name and line of the program's backward pass."""
        for kind in self.watch.classes:
            for name in sorted(replay.methods(kind), key=lambda name: name.startswith("_")):
                rule = inspect.unwrap(getattr(kind, name))
                if "back" in name and replay.needed(rule) == 1:
                    return name, replay.line_of(rule)
        for name, thing in self.space.items():
            if "back" in name and isinstance(thing, types.FunctionType):
                return name, replay.line_of(thing)
        return None

    def _watch_time(self) -> None:
        if _MONITORING is not None:
            monitoring, events = _MONITORING, _MONITORING.events
            monitoring.use_tool_id(_TOOL, "time limit")
            for event in (events.PY_START, events.JUMP, events.BRANCH_LEFT, events.BRANCH_RIGHT):
                monitoring.register_callback(_TOOL, event, self._check_time)
            monitoring.set_events(_TOOL, events.PY_START | events.JUMP)

    def _end_watching(self) -> None:
        if _MONITORING is not None and _MONITORING.get_tool(_TOOL) is not None:
            _MONITORING.set_events(_TOOL, 0)
            _MONITORING.free_tool_id(_TOOL)

    def _check_time(self, code: types.CodeType, *_places: int) -> Any:
        if code.co_filename != PROGRAM:
            return _MONITORING.DISABLE
        if time.monotonic() > self._limit:
            raise TimeIsUp
        return None

    # Which calls

    def _find_templates(self) -> None:
        """Find a leaf of each class: copies of inputs are made like it."""
        nodes = list(self._order)
        for found in self._calls.of.values():
            for call in found:
                nodes += [each for each, _ in replay.things(call.names, self.is_node)]
        for node in nodes:
            if self.is_node(node) and not self.watch.inputs_of(node):
                self._templates.setdefault(type(node), node)
        self._leaf = next(iter(self._templates.values()), None)

    def is_node(self, thing: Any) -> bool:
        """Return True for a node of a graph."""
        return self.watch.is_node(thing)

    def _cases(self) -> dict[Any, list[Case]]:
        """Return the applications by method: calls that were noted, and nodes of the graph made by the same ones."""
        found: dict[Any, list[Case]] = {}
        signatures: dict[Any, Call] = {}
        for calls in list(self._calls.of.values()):
            call = self._maker(calls)
            if call is not None:
                found.setdefault(self._key(call), []).append(Case(call, call.out))
                signatures.setdefault(self._signature(call.out), call)
        for node in reversed(self._order):
            if id(node) in self._calls.of or not self.is_node(node):
                continue
            inputs = self.watch.inputs_of(node)
            call = signatures.get(self._signature(node)) if inputs else None
            if call is None:
                continue
            places = self.watch.inputs_of(call.out)
            key = self._key(call)
            if len(places) == len(inputs) and len(found[key]) < 1_000:
                mapping = {id(place): each for place, each in zip(places, inputs, strict=True)}
                found[key].append(Case(call, node, mapping))
        return found

    def _signature(self, node: Any) -> Any:
        shape = self.watch.shape(node)
        rules = [part.__code__ for _, part in attributes(node) if isinstance(part, types.FunctionType)]
        kinds = [type(part) for _, part in attributes(node) if self.is_operation(part)]
        op = getattr(node, shape.op, "") if shape is not None and shape.op else ""
        return (
            type(node),
            op if isinstance(op, str) else "",
            tuple(rules),
            tuple(kinds),
            len(self.watch.inputs_of(node)),
        )

    def _key(self, call: Call) -> Any:
        """Return what calls of one method for one operation have in common."""
        kinds = [type(part) for _, part in attributes(call.out) if self.is_operation(part)]
        return call.code, call.line, tuple(kinds)

    def is_operation(self, thing: Any) -> bool:
        """Return True for an object or class of the program that is no node, such as a context or a function object."""
        if isinstance(thing, type):
            return thing.__module__ == "__main__" and thing not in self.watch.linked
        return type(thing).__module__ == "__main__" and not self.is_node(thing)

    def _maker(self, calls: list[Call]) -> Call | None:
        """Return the innermost call that computed an object's data from those of nodes."""
        out = calls[0].out
        linked = self.watch.inputs_of(out)
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
                self._places[codes] = next(at for at, one in enumerate(calls) if one is call)
                return call
        return None

    def _is_whole(self, call: Call, linked: tuple[Any, ...]) -> bool:
        """Return True for a call that has all of the inputs; otherwise it is put together of other operations."""
        nodes = [each for each, _ in self._nodes_of(call)]
        return bool(nodes) and all(
            any(each is one for one in nodes) or not self.watch.inputs_of(each) for each in linked
        )

    def _computes(self, call: Call, out: Any) -> bool:
        """Return True when moving the data of the inputs moves the result, as far as that can be tried."""
        data = self.data_of(out)
        case = Case(call, out)
        nodes = self._nodes_in_order(case)
        moved = [replay.moved(self._start(case, node), 0.03125) for node in nodes]
        try:
            if not replay.same(self.data_of(self.run(case).out), data):
                return False
        except Exception:
            return False
        if call.code.co_name not in ("__init__", "__post_init__"):
            return True
        try:  # `__init__` of a class whose methods compute gets the result as an argument
            return not replay.same(self.data_of(self.run(case, moved).out), data)
        except Exception:
            return True

    def _selected(self, cases: list[Case]) -> list[Case]:
        """Return cases with the smallest and largest data of each input, and some between."""
        if len(cases) <= MOST_OF_A_METHOD:
            return cases
        chosen: dict[int, Case] = {id(case): case for case in cases[:2]}
        for position in range(2):
            sized: list[tuple[float, int]] = []
            for case in cases:
                inputs = self.watch.inputs_of(case.out)
                data = self.data_of(inputs[position]) if position < len(inputs) else 0.0
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
            for each, _ in replay.things({name: thing}, self.is_node):
                if each is not call.out:
                    found.setdefault(id(each), (each, name))
        self._found_nodes[id(call)] = list(found.values())
        return self._found_nodes[id(call)]

    def _arguments(self, call: Call) -> dict[str, Any]:
        names = call.arguments
        if call.code.co_name == "__init__":
            names = names[1:]
        return {name: call.names[name] for name in names if name in call.names}

    def _nodes_in_order(self, case: Case) -> list[Any]:
        return [case.inputs.get(id(each), each) for each, _ in self._nodes_of(case.call)]

    def run(self, case: Case, data: list[Any] | None = None, grad: Any = 0.0) -> Run:
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
        arguments = {name: replay.with_copies(thing, copies) for name, thing in self._arguments(call).items()}
        if call.code.co_name == "__init__":
            out = replay.called(type(call.out), call.code, arguments, skip=1)
        elif call.code.co_name == "__post_init__":
            out = replay.raw(
                type(call.out), [(name, replay.with_copies(part, copies)) for name, part in attributes(call.out)]
            )
            out.__post_init__()
        else:
            out = replay.called(replay.function_of(call, copies), call.code, arguments)
        records = []
        for each, length in zip(lists, lengths, strict=True):
            records += each[length:]
            del each[length:]
        return Run(out, list(copies.values()), records)

    def _tapes(self) -> list[list[Any]]:
        """Return the lists to which operations may add records: of the program, of its classes, of its objects."""
        found: dict[int, list[Any]] = {}
        for thing in list(self.space.values()):
            parts = [thing]
            if isinstance(thing, type) and thing.__module__ == "__main__":
                parts += list(vars(thing).values())
            elif type(thing).__module__ == "__main__" and not self.is_node(thing):
                parts += [part for _, part in attributes(thing)]
            for part in parts:
                if type(part) is list:
                    found[id(part)] = part
        return list(found.values())

    def _copy(self, node: Any, data: Any, grad: Any, position: int) -> Any:
        """Return a leaf with the number of a node."""
        template = self._templates.get(type(node), self._leaf)
        if template is None:
            raise CannotJudgeError("the program makes no leaf")
        shape, own = self.watch.shape(template), dict(attributes(node))
        own_shape = self.watch.shape(node)
        assert shape is not None and own_shape is not None
        parts = []
        for name, part in attributes(template):
            mine = own.get(name)
            if name == shape.data:
                part = copied(getattr(node, own_shape.data) if data is None else data)
            elif name == shape.grad:
                wanted = grad[position] if isinstance(grad, list) else grad
                part = replay.filled(self.initial.get(type(node), 0.0), wanted, self.data_of(node))
            elif isinstance(mine, (bool, int, float, str)) and isinstance(part, (bool, int, float, str)):
                part = mine
            else:
                part = replay.emptied(part, self.is_node)
            parts.append((name, part))
        return replay.raw(type(template), parts)

    def _start(self, case: Case, node: Any) -> Any:
        """Return the data that a node had when the call was made."""
        data = case.call.data.get(id(node)) if case.out is case.call.out else None
        return self.data_of(node) if data is None else data

    def _is_stale(self, case: Case) -> bool:
        """Return True where the program has changed the data of an input since, as an update of parameters does."""
        return any(not replay.same(self._start(case, node), self.data_of(node)) for node in self._nodes_in_order(case))

    def data_of(self, node: Any) -> Any:
        """Return the number or array of a node."""
        shape = self.watch.shape(node)
        if shape is None:
            raise CannotJudgeError("its result is no node")
        return getattr(node, shape.data)

    def grad_of(self, node: Any) -> Any:
        """Return the gradient of a node; None where it has none."""
        shape = self.watch.shape(node)
        found = getattr(node, shape.grad, None) if shape is not None and shape.grad else None
        return self.data_of(found) if self.is_node(found) else found

    def set_grad(self, node: Any, grad: Any) -> None:
        """Set the gradient of a copy; nothing of the program is called."""
        shape = self.watch.shape(node)
        if shape is not None and shape.grad:
            object.__setattr__(node, shape.grad, grad)

    # What is told of one application

    def _nothing_of(self, case: Case) -> dict[str, Any]:
        """Return what is told of an application before its rule has been asked."""
        call = case.call
        return {
            "method": call.code.co_name,
            "kind": call.code.co_qualname,
            "first": call.code.co_firstlineno,
            "line": call.line,
            "node": self._numbers.get(id(case.out), -1),
            "op": self._op(case.out),
            "y": replay.plain_number(self.data_of(case.out)),
            "error": "",
            "reason": "",
            "form": "",
            "inputs": [],
            "attributes": self._names_of(case.out),
        }

    def _told(self, case: Case) -> dict[str, Any] | None:
        nodes = self._nodes_of(case.call)
        linked = {id(each) for each in self.watch.inputs_of(case.out)}
        told = self._nothing_of(case)
        try:
            if not self._repeats(case):
                return None
            if type(case.out) not in self.initial:
                self.initial[type(case.out)] = self.grad_of(self.run(case).out)
            asked = Asked(self, case)
            if self._is_forward(case, len(nodes)):
                first, later = asked.forward(len(nodes), 1.0), asked.forward(len(nodes), UPSTREAM)
            else:
                first, later = asked.ask(1.0, None), asked.ask(UPSTREAM, OFFSET)
            told |= {"form": asked.form, "method": asked.method or told["method"], "rule_line": asked.line}
        except RuleRaisedError as raised:
            return told | {"error": str(raised)}
        except TimeIsUp:
            raise
        except Exception as raised:
            return told | {"reason": str(raised) or type(raised).__name__}
        lines: dict[int, int] | None = None
        standing: dict[int, int] = {}
        for position, (each, _) in enumerate(nodes):
            node = case.inputs.get(id(each), each)
            if id(node) not in linked or id(node) in standing:
                continue  # not linked: a constant for the learner, as in detach()
            standing[id(node)] = position
            at = [index for index, (other, _) in enumerate(nodes) if case.inputs.get(id(other), other) is node]
            given, again = replay.projected(first[position]), replay.projected(later[position])
            expected, low, high = self._slope(case, at, given)
            times = sum(one is node for one in self.watch.inputs_of(case.out)) or 1
            if self._in_set(case.out):
                times = max(times, self._times_in(case, node))
            is_forward = asked.form == "forward"
            row: dict[str, Any] = {
                "node": self._numbers.get(id(node), -1),
                "name": self._parameter(nodes, position),
                "data": replay.plain_number(self._start(case, node)),
                "times": times,
                "all": asked.all,
                "lost": times > 1 and self._in_set(case.out),
                "expected": expected,
                "low": low,
                "high": high,
                "given": given,
                "later": again,
                "line": 0,
                "shapes": replay.shapes_of(first[position], self.data_of(node)),
                "offset": 0.0 if is_forward else self.along_ones(self.data_of(node), OFFSET),
            }
            if given is None or not replay.fits(row) or not replay.close(again, row["offset"] + UPSTREAM * given):
                lines = asked.lines() if lines is None else lines
                row["line"] = lines.get(position, 0)
                if given is not None and not isinstance(self.data_of(node), (int, float)):
                    row["element"] = self._element(case, asked, position, at)
            told["inputs"].append(row)
        return told

    def _is_forward(self, case: Case, count: int) -> bool:
        """Return True for numbers that carry their derivative with them: it comes out of the operation itself."""
        kind = type(case.out)
        if kind in self.watch.linked or not isinstance(self.data_of(case.out), (int, float)):
            return False
        if kind not in self._forward:
            asked = Asked(self, case)
            self._forward[kind] = any(
                isinstance(each, (int, float)) and each != 0.0 for each in asked.forward(count, 1.0)
            )
        return self._forward[kind]

    def _names_of(self, node: Any) -> tuple[str, str]:
        shape = self.watch.shape(node)
        return (shape.data.lstrip("_"), shape.grad.lstrip("_") or "grad") if shape is not None else ("data", "grad")

    def _parameter(self, nodes: list[tuple[Any, str]], position: int) -> str:
        """Return the name of the parameter that an input came in by, with its number where several came in by it."""
        name = nodes[position][1]
        return name if sum(other == name for _, other in nodes) == 1 else f"input {position + 1}"

    def _times_in(self, case: Case, node: Any) -> int:
        """Return how often a node stands among the arguments."""
        things = replay.things(self._arguments(case.call), self.is_node)
        return sum(case.inputs.get(id(each), each) is node for each, _ in things) or 1

    def _in_set(self, node: Any) -> bool:
        shape = self.watch.shape(node)
        held = [getattr(node, name, None) for name in shape.inputs] if shape is not None else []
        return any(isinstance(part, (set, frozenset)) for part in held)

    def _op(self, node: Any) -> str:
        shape = self.watch.shape(node)
        found = getattr(node, shape.op, "") if shape is not None and shape.op else ""
        return found if isinstance(found, str) and found else self.watch.op_of(node)

    def _element(self, case: Case, asked: Asked, position: int, at: list[int]) -> tuple[list[int], float, float] | None:
        """Return an element that gets something wrong: its place, what it gets and should get, for ones above."""
        node = self._nodes_in_order(case)[at[0]]
        shape = tuple(self.data_of(node).shape)
        kept, worst = dict(_DIRECTIONS), None
        try:
            out_shape = getattr(self.data_of(case.out), "shape", ())
            _DIRECTIONS[tuple(out_shape)] = replay.array_of([1.0] * replay.n_elements(out_shape), tuple(out_shape))
            for place in range(min(replay.n_elements(shape), 24)):
                flat = [1.0 if each == place else 0.0 for each in range(replay.n_elements(shape))]
                if shape == tuple(out_shape):
                    return None  # the direction of the output and of this input are one
                _DIRECTIONS[shape] = replay.array_of(flat, shape)
                given = replay.projected(asked.ask(1.0, None)[position])
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

    def _slope(self, case: Case, at: list[int], given: float | None) -> tuple[float, float, float]:
        """Return the derivative by an input, and the ends of the range that is right: more than a point at a kink."""
        nodes = self._nodes_in_order(case)
        start = self._start(case, nodes[at[0]])
        way = self._direction(start)
        against = self._direction(self.data_of(case.out))

        def value(step: float) -> float:
            data: list[Any] = [None] * len(nodes)
            for position in at:
                data[position] = start + step * way
            try:
                found = replay.dot(self.data_of(self.run(case, data).out), against)
            except TimeIsUp:
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
        pairs = [(abs(a - b), b) for a, b in itertools.pairwise(estimates) if math.isfinite(a - b)]
        known = [side for side in sides if any(map(math.isfinite, side))]
        if not known:
            return math.nan, math.nan, math.nan
        right, left = known[-3] if len(known) > 2 else known[-1]
        if not math.isfinite(right) or not math.isfinite(left):
            one = right if math.isfinite(right) else left
            return one, one - 1e-3 * max(1.0, abs(one)), one + 1e-3 * max(1.0, abs(one))
        jump = abs(right - left)
        earlier = [abs(after - before) for after, before in sides[:4] if math.isfinite(after - before)]
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
            flat = [numbers.uniform(-1.0, 1.0) for _ in range(replay.n_elements(key))]
            _DIRECTIONS[key] = replay.array_of(flat, key)
        return _DIRECTIONS[key]

    def direction(self, data: Any) -> Any:
        """Return 1 for a number, else an array of its shape with random elements."""
        return self._direction(data)

    def along_ones(self, data: Any, number: float) -> float:
        """Return the part of an offset in every element along the direction of an array."""
        return number if isinstance(data, (int, float)) else number * float(self._direction(data).sum())

    # Derivatives of nodes that the host may not know

    def _measure(
        self, by_method: dict[Any, list[Case]], told: dict[int, dict[int, float]], partials: dict[int, list[float]]
    ) -> None:
        """Measure the derivatives of nodes; `told`: for nodes whose rule was judged right what it gives each input."""
        count = 0
        for cases in by_method.values():
            judged = [case for case in self._selected(cases) if self._repeats(case)]
            if judged and all(self._is_of_table(case) for case in judged):
                continue
            self._further |= {self._numbers.get(id(case.out), -1) for case in cases}
            sure = all(self._numbers.get(id(case.out), -1) in told for case in judged)
            for case in cases:
                number = self._numbers.get(id(case.out), -1)
                is_number = isinstance(self.data_of(case.out), (int, float))
                if (
                    number < 0
                    or not is_number
                    or count >= MOST_MEASURED
                    or self._is_stale(case)
                    or not self._repeats(case)
                ):
                    continue
                count += 1
                nodes, inputs = self._nodes_in_order(case), self.watch.inputs_of(case.out)
                asked = Asked(self, case).ask(1.0, None) if sure and number not in told else None
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

    def _repeats(self, case: Case) -> bool:
        """Return True where the call, made again, gives the same number."""
        if case.repeats is None:
            try:
                case.repeats = replay.same(self.data_of(self.run(case).out), self.data_of(case.out))
            except Exception:
                case.repeats = False
        return case.repeats

    def _is_of_table(self, case: Case) -> bool:
        """Return True for a result that the table's operation of this name gives, too."""
        name = self._op(case.out).strip("_").lower()
        if name.startswith("**") and name != "**":
            return True
        data = [self._start(case, node) for node in self.watch.inputs_of(case.out)]
        op = _TABLE.get((name, len(data)))
        if op is None or not all(isinstance(each, (int, float)) for each in [*data, self.data_of(case.out)]):
            return False
        try:
            return replay.same(float(op.scalar(*map(float, data))), self.data_of(case.out))
        except (ArithmeticError, ValueError):
            return False


_TABLE = {
    (name, op.arity): op
    for op in OPS.values()
    if op.elementwise
    for name in (op.name, op.infix, *op.synonyms, *(method.strip("_") for method, _ in methods_of(op)))
    if name
}
