"""The judge of a learner's own engine: finite differences of its forward calls against its own rules.

A call that was noted is made again with copies of its inputs (`replay.py`): their data are moved, and the rule of the
result is asked what it gives them (`rules.py`). So any operation can be judged, known or not. What cannot be repeated
or asked alone is left to the comparison of the whole pass, with a reason.

Afterwards the host (`engine/language/engine_check.py`) puts the numbers into words.
"""

from __future__ import annotations

import inspect
import io
import math
import sys
import time
import types
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from engine.language.guest import monitoring, operators, replay
from engine.language.guest.calls import Call, Calls
from engine.language.guest.engines import STARTS, ClassWatch, attributes, is_number, mark
from engine.language.guest.graphs import Graph
from engine.language.guest.moments import PASS_WORDS
from engine.language.guest.program import PROGRAM
from engine.language.guest.recording import as_float
from engine.language.guest.replay import FAR, Case, Replayer
from engine.language.guest.rules import NO_RULE, OFFSET, UPSTREAM, Asked, RuleRaisedError
from engine.language.guest.slopes import Range, slope

MOST_OF_A_METHOD = 10
"""Calls of one method that are judged: those with the smallest and largest data, and some between."""
MOST_MEASURED = 400
MOST_NEAR = 64
"""Ancestors of a result after which the search for an operand goes no further."""
SECONDS, SECONDS_OF_A_CASE = 3.0, 1.0
_OFF = "called again, its result keeps no inputs: the program has switched gradients off"


class TimeIsUp(BaseException):
    """The time for one case, or for all of them, is over."""


class Judge:
    """Judges the operations of one run."""

    def __init__(self, watch: ClassWatch, calls: Calls, space: dict[str, Any], graph: Graph) -> None:
        self._watch, self._calls, self._graph = watch, calls, graph
        arguments = [
            each
            for found in calls.of.values()
            for call in found
            for each, _ in replay.things(call.names, watch.is_node)
        ]
        self._replayer = Replayer(watch, space, [*graph.leaves(), *arguments])
        self._forward: set[type] = set()
        self._is_off = False  # the program has switched gradients off since the calls were made
        self._kept: list[Case] = []
        self._further: set[int] = set()
        self._places: dict[tuple[Any, ...], int] = {}
        self._deadline = self._limit = math.inf

    # The report

    def report(self, seconds: float) -> dict[str, Any]:
        """Return the judged applications, the measured derivatives of nodes, and what could not be judged.

        Returns:
            `cases`: for each application `method`, `line`, `node`, `op`, `y`, `error`, `reason`, `form`, and `inputs`,
            for each `node`, `name`, `times`, `data`, `expected`, `low`, `high`, `given`, `later`, `line`, `choice`,
            `together`, `unasked`; or, of an operator with a fault, `operator`, `operands`, `right`, `dropped`.
            `partials`: by node the derivatives by its inputs. `chosen`: the same, of nodes at a kink, as their own
            rules have chosen. `backward`: name and line of the function that runs the backward pass. `constants`:
            leaves that have no gradient on purpose. `keeps_inputs`: see `ClassWatch`. `forward`: nodes that carry
            their derivatives with them. `further`: whether there are operations that the table does not have;
            `unknown`: those of their nodes whose derivatives could not be measured.
        """
        self._deadline = self._limit = time.monotonic() + min(seconds, SECONDS)
        cases: list[dict[str, Any]] = []
        partials: dict[int, list[float]] = {}
        chosen: dict[int, list[float]] = {}
        outputs = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = io.StringIO()
        try:
            monitoring.TIME_OF_RULES.begin({"JUMP": self._check_time})
            by_method = self._cases()
            self._forward = {type(found[0].out) for found in by_method.values() if self._carries_derivative(found[0])}
            judged = {key: self._judged(found) for key, found in by_method.items()}
            for key, rows in judged.items():
                if any(judgement["reason"] == NO_RULE for judgement in rows) and self._replayer.rule_methods:
                    rows = self._judged(by_method[key])  # another operation has shown which method it is
                cases += rows
            cases += self._operators()
            self._limit = self._deadline
            self._measure(by_method, replay.given_by_right_rules(cases), partials)
            for number in replay.bent(cases):
                self._further.add(number)
                partials.pop(number, None)
            chosen = self._chosen_at_kinks(cases)
        except TimeIsUp:
            pass
        finally:
            monitoring.TIME_OF_RULES.end()
            sys.stdout, sys.stderr = outputs
        return {
            "cases": cases,
            "partials": partials,
            "chosen": chosen,
            "further": bool(self._further),
            "unknown": sorted(self._further - partials.keys() - chosen.keys()),
            "backward": self._backward(),
            "keeps_inputs": self._watch.keeps_inputs(),
            "constants": self._constants(),
            "forward": [number for number, node in enumerate(self._graph.order) if type(node) in self._forward],
        }

    def _judged(self, cases: list[Case]) -> list[dict[str, Any]]:
        """Judge applications of one method, until one of them cannot be judged."""
        found: list[dict[str, Any]] = []
        selected = self._selected(cases)
        for case in selected:
            try:
                self._limit = min(self._deadline, time.monotonic() + SECONDS_OF_A_CASE)
                judgement = self._judgement(case)
            except TimeIsUp:
                judgement = self._not_judged(case) | {"reason": "its rule did not end in time"}
            if judgement is not None:
                found.append(judgement)
                if judgement["reason"]:
                    break
        if not found:
            found.append(self._not_judged(selected[0]) | {"reason": "called again, it gives another number"})
        return found

    def _chosen_at_kinks(self, cases: list[dict[str, Any]]) -> dict[int, list[float]]:
        """Return by node which of the derivatives that are right at a kink its rule has chosen, input by input."""
        found = {}
        for judgement in cases:
            rows = {row["node"]: row for row in judgement["inputs"]}
            at_kink = any(row["high"] - row["low"] > 1e-3 for row in rows.values())
            if judgement["node"] >= 0 and at_kink and all(map(replay.fits, rows.values())):
                given = {number: row["given"] for number, row in rows.items()}
                numbers = [self._number(node) for node in self._inputs_of(self._graph.order[judgement["node"]])]
                found[judgement["node"]] = [given.pop(number, 0.0) for number in numbers]
        return found

    def _backward(self) -> tuple[str, int] | None:
        """Return name and line of the program's backward pass."""
        for kind in sorted(self._watch.classes, key=lambda kind: kind not in self._watch.linked):
            for name in sorted(replay.methods(kind), key=lambda name: name.startswith("_")):
                rule = inspect.unwrap(getattr(kind, name))
                if "back" in name and replay.needed(rule) <= (2 if kind in self._watch.linked else 1):
                    return name, replay.line_of(rule)
        for name, thing in self._replayer.space.items():
            if isinstance(thing, types.FunctionType) and any(word in name.lower() for word in PASS_WORDS):
                return name, replay.line_of(thing)
        return None

    def _check_time(self, code: types.CodeType, *_places: int) -> Any:
        """Look at the clock where the program jumps back: a call that is made again may not end."""
        if code.co_filename != PROGRAM:
            return monitoring.DISABLE
        if time.monotonic() > self._limit:
            raise TimeIsUp
        return None

    def _operators(self) -> list[dict[str, Any]]:
        """Return the faults of Python's operators as judgements."""
        found, kept = [], [calls for calls in self._calls.of.values() if self._inputs_of(calls[0].out)]
        keeping = {call.code for calls in kept for call in calls}
        dropped = partial(self._dropped_input, kinds={replay.kind_of(calls[0].out) for calls in kept})
        for fault in operators.faults(self._calls, self._replayer, self._watch.classes, keeping, dropped):
            operands = [
                (self._number(thing) if self._replayer.is_node(thing) else None, parameter, replay.plain_number(data))
                for parameter, thing, data in fault.operands
            ]
            found.append(
                self._not_judged(Case(fault.call, fault.call.out))
                | {"method": fault.method, "right": replay.plain_number(fault.right)}
                | {"operator": fault.operator, "operands": operands, "dropped": fault.dropped}
            )
        return found

    def _dropped_input(self, call: Call, kinds: set[Any]) -> str:
        """Return the parameter of an input that a result in the graph depends on and does not keep; "" without one.

        Args:
            call: made the result.
            kinds: of results that keep inputs; others are constants, or asked for no gradient.
        """
        out, replayer, case = call.out, self._replayer, Case(call, call.out)
        if (
            self._is_off
            or self._number(out) < 0
            or replay.kind_of(out) not in kinds
            or time.monotonic() > self._deadline
        ):
            return ""
        self._limit = min(self._deadline, time.monotonic() + SECONDS_OF_A_CASE)
        try:
            kept = self._computed_from(out)
            for position, (each, name) in enumerate(replayer.nodes_of(call)):
                # the exponent of a power is usually a number that was wrapped
                is_exponent = call.code.co_name == "__pow__" and position and not self._inputs_of(each)
                is_asked = not replay.switches(each) or replay.kind_of(each) in kinds
                is_forward = any(one is out for one in self._inputs_of(each))  # operands hold their results
                if id(each) in kept or is_exponent or is_forward or not is_asked or not replayer.repeats(case):
                    continue
                # where the call keeps the input now, the result was made without gradients, as by no_grad
                again = replayer.run(case)
                is_kept = id(again.copies[position]) in self._computed_from(again.out)
                if not is_kept and replayer.depends(case, position):
                    return name
        except (Exception, TimeIsUp):  # it cannot be called for other numbers
            pass
        return ""

    def _computed_from(self, node: Any) -> set[int]:
        """Return the ids of a node, of its nearest ancestors, and of everything in its rule's closure."""
        found, seen = [node], {id(node)}
        for each in found:
            new = [other for other in self._inputs_of(each) if id(other) not in seen]
            seen |= set(map(id, new))
            found += new if len(found) < MOST_NEAR else []
        rules = (part for _, part in attributes(node) if isinstance(part, types.FunctionType))
        return seen | {id(each) for rule in rules for each in inspect.getclosurevars(rule).nonlocals.values()}

    # Which calls

    def _number(self, node: Any) -> int:
        return self._graph.numbers.get(id(node), -1)

    def _inputs_of(self, node: Any) -> tuple[Any, ...]:
        """Return the inputs of a node; for nodes of the graph they are known."""
        number = self._number(node)
        if number < 0:
            return self._watch.inputs_of(node)
        return tuple(self._graph.order[place] for place in self._graph.inputs[number] if place >= 0)

    def _cases(self) -> dict[Any, list[Case]]:
        """Return the applications by method: calls that were noted, and nodes of the graph made by the same ones.

        Where nodes of several methods look alike, a node belongs to the one whose call gives its number.
        """
        found: dict[Any, list[Case]] = {}
        signatures: dict[Any, dict[Any, tuple[Call, tuple[Any, ...]]]] = {}
        for calls in list(self._calls.of.values()):
            case = self._maker(calls)
            if case is not None:
                call, key = case.call, self._key(case.call)
                found.setdefault(key, []).append(case)
                places = self._inputs_of(call.out)
                signatures.setdefault(self._signature(call.out, len(places)), {}).setdefault(key, (call, places))
        for node in reversed(self._graph.order):
            inputs = self._inputs_of(node)
            if not inputs or id(node) in self._calls.of or not self._replayer.is_node(node):
                continue
            made = signatures.get(self._signature(node, len(inputs)), {})
            cases = {
                key: Case(call, node, {id(place): each for place, each in zip(places, inputs, strict=True)})
                for key, (call, places) in made.items() if len(found[key]) < 1_000
            }  # fmt: skip
            if len(made) > 1:
                cases = {key: case for key, case in cases.items() if self._replayer.repeats(case)}
            for key, case in cases.items() if len(cases) == 1 else ():
                found[key].append(case)
        return found

    def _signature(self, node: Any, n_inputs: int) -> Any:
        """Return what nodes have in common that were made by the same call."""
        shape = self._watch.shape(node)
        if shape is None:
            return None
        op = getattr(node, shape.op, "") if shape.op else ""
        marks = [mark(getattr(node, name, None)) for name in shape.makers]
        return type(node), op if isinstance(op, str) else "", n_inputs, *marks

    def _key(self, call: Call) -> Any:
        """Return what calls of one method for one operation have in common."""
        shape = self._watch.shape(call.out)
        parts = [getattr(call.out, name, None) for name in shape.makers] if shape is not None else []
        return call.code, call.line, call.marks, *(mark(part) for part in parts if self._replayer.is_operation(part))

    def _maker(self, calls: list[Call]) -> Case | None:
        """Return the innermost call that computed an object's data from nodes.

        Without one, return a call that gives the same number for all data, or another one each time.
        """
        out = calls[0].out
        linked = self._inputs_of(out)
        if not linked:
            return None
        codes = tuple((call.code, call.marks) for call in calls)
        if codes in self._places:
            call = calls[self._places[codes]]
            return Case(call, out) if self._is_whole(call, linked) else None
        starts = [call for call in calls if call.code.co_name in STARTS]
        others: list[Case] = []  # they give another number each time, or the same one for all data
        for call in [*starts, *(call for call in calls if call not in starts)]:
            case = Case(call, out)
            if not self._is_whole(call, linked):
                continue
            if self._computes(case):
                self._places[codes] = next(at for at, one in enumerate(calls) if one is call)
                return case
            if call not in starts and not self._is_given(case):
                others.append(case)
        return max(others, key=self._replayer.repeats, default=None)

    def _is_given(self, case: Case) -> bool:
        """Return True for a call that gets its result's number as an argument, as a factory of all nodes does."""
        given = (case.call.names.get(name) for name in case.call.arguments)
        data = self._replayer.data_of(case.out)
        return any(replay.same(each, data) for each in given if type(each) in (int, float, type(data)))

    def _is_whole(self, call: Call, linked: tuple[Any, ...]) -> bool:
        """Return True for a call that has all of the inputs; otherwise it is put together of other operations."""
        nodes = {id(each) for each, _ in self._replayer.nodes_of(call)}
        return bool(nodes) and all(id(each) in nodes or not self._inputs_of(each) for each in linked)

    def _computes(self, case: Case) -> bool:
        """Return True when moving the data of the inputs moves the result, as far as that can be tried.

        A constructor, and a function that makes all results, may get the number as an argument.
        """
        if not self._replayer.repeats(case):
            return False
        try:
            return self._replayer.depends(case)
        except Exception:
            return True

    def _selected(self, cases: list[Case]) -> list[Case]:
        """Return cases with the smallest and largest data of each input, and some between."""
        if len(cases) <= MOST_OF_A_METHOD:
            return cases
        chosen: dict[int, Case] = {id(case): case for case in cases[:2]}
        inputs = [self._inputs_of(case.out) for case in cases]
        for position in range(2):
            sized: list[tuple[float, int]] = []
            for index, nodes in enumerate(inputs):
                data = self._replayer.data_of(nodes[position]) if position < len(nodes) else 0.0
                sized.append((as_float(data) if isinstance(data, (int, float)) else 0.0, index))
            ordered = [cases[index] for _, index in sorted(sized)]
            for case in [*ordered[:: max(1, (len(ordered) - 1) // 3)], ordered[-1]]:
                chosen[id(case)] = case
        return list(chosen.values())[:MOST_OF_A_METHOD]

    # Judgement of one application

    def _not_judged(self, case: Case) -> dict[str, Any]:
        """Return the judgement of an application before its rule has been asked."""
        call, shape = case.call, self._watch.shape(case.out)
        return {
            "method": call.code.co_name,
            "kind": call.code.co_qualname,
            "first": call.code.co_firstlineno,
            "line": call.line,
            "node": self._number(case.out),
            "op": self._op(case.out),
            "y": replay.plain_number(self._replayer.data_of(case.out)),
            "error": "",
            "unlinked": "",
            "reason": "",
            "form": "",
            "inputs": [],
            "n_arguments": len(call.arguments),
            "attributes": (shape.data.lstrip("_"), shape.grad.lstrip("_") or "grad") if shape else ("data", "grad"),
        }

    def _judgement(self, case: Case) -> dict[str, Any] | None:
        nodes = self._replayer.nodes_of(case.call)
        linked = {id(each) for each in self._inputs_of(case.out)}
        found = {id(each) for each in self._watch.found_by_pass(case.out)}
        judgement = self._not_judged(case)
        try:
            if not self._replayer.repeats(case):
                return None
            if any(map(replay.is_beyond_float, map(self._replayer.data_of, (*self._inputs_of(case.out), case.out)))):
                return judgement | {"reason": "its whole numbers are larger than a float can be"}
            if type(case.out) not in self._replayer.initial:
                self._replayer.initial[type(case.out)] = self._replayer.grad_of(self._replayer.run(case).out)
            asked = Asked(self._replayer, case)
            if type(case.out) in self._forward:
                first, later = asked.forward(len(nodes), 1.0), asked.forward(len(nodes), UPSTREAM)
            else:
                first, later = asked.ask(1.0, None), asked.ask(UPSTREAM, OFFSET)
            judgement |= {"form": asked.form, "method": asked.method or judgement["method"], "rule_line": asked.line}
            judgement["adds_itself"] = asked.adds_itself
            unasked = self._switched_off(case, first)
            again = self._replayer.run(case)
            if again.records:  # the pass of a tape looks for no inputs
                found = set(map(id, self._replayer.nodes_in(case)))
            elif type(case.out) in self._watch.linked and not any(map(replay.plain_number, first)):
                self._is_off |= not self._watch.inputs_of(again.out)
                if self._is_off:
                    return judgement | {"reason": _OFF}
        except RuleRaisedError as raised:
            return judgement | {"error": str(raised)}
        except TimeIsUp:
            raise
        except Exception as raised:
            return judgement | {"reason": str(raised) or type(raised).__name__}
        seen: set[int] = set()
        for position, (each, _) in enumerate(nodes):
            node = case.inputs.get(id(each), each)
            if id(node) in seen:
                continue
            seen.add(id(node))
            if id(node) in linked:
                row = self._row(case, asked, position, first[position], later[position])
                judgement["inputs"].append(row | {"unasked": id(node) in unasked})
            # a leaf that is not kept is a constant for the learner, as in detach()
            if id(node) not in found and replay.plain_number(first[position]) and self._inputs_of(node):
                judgement["unlinked"] = self._parameter(nodes, position)
        self._look_at_kinks(case, asked, judgement["inputs"])
        return judgement

    def _switched_off(self, case: Case, given: list[Any]) -> set[int]:
        """Return the inputs, by id, that get nothing because they ask for nothing, as by `requires_grad=False`.

        They would get something if their switches, attributes that are True or False, stood the other way round. It
        is on purpose where other leaves have their switches otherwise, but all that the input is computed from as it.
        """
        nodes = self._replayer.nodes_in(case)
        off = {id(node) for node, each in zip(nodes, given, strict=True) if replay.plain_number(each) == 0.0}
        off = {id(node) for node in nodes if id(node) in off and replay.switches(node) and self._switches_below(node)}
        if not off or len(set(map(replay.switches, self._graph.leaves()))) < 2:
            return set()
        self._replayer.switched = off
        try:
            then = Asked(self._replayer, case).ask(1.0, None)
        except Exception:  # it may be an attribute of another kind
            return set()
        finally:
            self._replayer.switched = set()
        return off & {id(node) for node, each in zip(nodes, then, strict=True) if replay.plain_number(each)}

    def _switches_below(self, node: Any) -> bool:
        """Return True where all that a node is computed from has the same switches."""
        found, seen = [node], {id(node)}
        for each in found:
            if replay.switches(each) != replay.switches(node):
                return False
            found += [other for other in self._inputs_of(each) if id(other) not in seen]
            seen |= set(map(id, found))
        return True

    def _constants(self) -> list[int]:
        """Return the leaves that have no gradient as all of their kind, where those of other kinds have one."""
        replayer = self._replayer
        kinds = {self._number(leaf): replay.kind_of(leaf) for leaf in self._graph.leaves()}
        with_gradient = {
            kinds[self._number(leaf)]
            for leaf in self._graph.leaves()
            if replayer.is_node(leaf) and is_number(grad := replayer.grad_of(leaf)) and replay.any_of(grad)
        }
        return [number for number, kind in kinds.items() if with_gradient and kind not in with_gradient]

    def _row(self, case: Case, asked: Asked, position: int, first: Any, later: Any) -> dict[str, Any]:
        """Return the judgement of one input: its gradients, first and later, and the right one."""
        replayer, nodes = self._replayer, self._replayer.nodes_in(case)
        node = nodes[position]
        data, at = replayer.data_of(node), [index for index, other in enumerate(nodes) if other is node]
        given, again = replay.plain_number(first), replay.plain_number(later)
        expected, low, high = self._slope(case, at, given)
        times, shape = sum(one is node for one in self._inputs_of(case.out)), self._watch.shape(case.out)
        in_set = any(
            isinstance(getattr(case.out, name, None), (set, frozenset)) for name in (shape.inputs if shape else ())
        )
        if in_set:  # it holds nothing twice: the arguments are counted
            arguments = replay.things(replay.arguments_of(case.call), replayer.is_node)
            times = max(times, sum(case.inputs.get(id(each), each) is node for each, _ in arguments))
        row: dict[str, Any] = {
            "node": self._number(node),
            "at": at,
            "name": self._parameter(replayer.nodes_of(case.call), position),
            "data": replay.plain_number(replayer.start(case, node)),
            "times": times,
            "all": asked.all,
            "lost": times > 1 and in_set,
            "expected": expected,
            "low": low,
            "high": high,
            "given": given,
            "upstream": UPSTREAM,
            "later": again,
            "line": 0,
            "choice": "",
            "together": None,
            "shapes": replay.shapes_of(first, data),
            "offset": 0.0 if asked.form == "forward" else replayer.along_ones(data, OFFSET),
        }
        if given is None or not replay.fits(row) or not replay.close(again, row["offset"] + UPSTREAM * given):
            row["line"] = asked.lines().get(position, 0)
            if given is not None:
                row["choice"] = self._choice(case, at, expected)
            if given is not None and not isinstance(data, (int, float)):
                row["element"] = self._element(case, asked, position, at)
        return row

    def _carries_derivative(self, case: Case) -> bool:
        """Return True for numbers of forward mode: their derivative comes out of the operation itself."""
        if type(case.out) in self._watch.linked or not isinstance(self._replayer.data_of(case.out), (int, float)):
            return False
        try:
            carried = Asked(self._replayer, case).forward(len(self._replayer.nodes_of(case.call)), 1.0)
        except Exception:
            return False
        return any(isinstance(each, (int, float)) and each != 0.0 for each in carried)

    def _parameter(self, nodes: list[tuple[Any, str]], position: int) -> str:
        """Return the name of the parameter that an input came in by, with its number where several came in by it."""
        name = nodes[position][1]
        return name if sum(other == name for _, other in nodes) == 1 else f"input {position + 1}"

    def _op(self, node: Any) -> str:
        shape = self._watch.shape(node)
        found = getattr(node, shape.op, "") if shape is not None else ""
        return found if isinstance(found, str) and found else self._watch.op_of(node)

    def _element(self, case: Case, asked: Asked, position: int, at: list[int]) -> tuple[list[int], float, float] | None:
        """Return an element that gets something wrong: its place, what it gets and should get, for ones above."""
        replayer = self._replayer
        node, directions = replayer.nodes_in(case)[at[0]], replayer.directions
        shape = tuple(replayer.data_of(node).shape)
        out_shape = tuple(getattr(replayer.data_of(case.out), "shape", ()))
        kept, found = dict(directions), []
        try:
            directions[out_shape, True] = replay.array_of([1.0] * math.prod(out_shape), out_shape)
            for place in range(min(math.prod(shape), 24)):
                flat = [1.0 if each == place else 0.0 for each in range(math.prod(shape))]
                directions[shape, False] = replay.array_of(flat, shape)
                given = replay.plain_number(asked.ask(1.0, None)[position])
                if given is not None:
                    found.append((place, given, self._slope(case, at, given)[0]))
        except Exception:  # a rule may fail for some gradients
            return None
        finally:
            directions.update(kept)
        found = [row for row in found if not replay.close(row[1], row[2])]
        if not found:
            return None
        rest, given, expected = max(found, key=lambda row: abs(row[1] - row[2]))
        index = []
        for size in reversed(shape):
            index.append(rest % size)
            rest //= size
        return index[::-1], given, expected

    # Finite differences

    def _moving(self, case: Case, at: list[int], away: dict[int, float] | None = None) -> Callable[[float], float]:
        """Return the result as a function of a step of the inputs at these positions; nan where there is none.

        Args:
            case: the application.
            at: positions of what moves, along the direction of the first one where it is an array.
            away: steps of numbers that stay elsewhere than they were, by their positions.
        """
        replayer = self._replayer
        starts = [replayer.start(case, node) for node in replayer.nodes_in(case)]
        way, against = replayer.direction(starts[at[0]]), replayer.direction(replayer.data_of(case.out), True)

        def value(step: float) -> float:
            data: list[Any] = [None] * len(starts)
            try:
                for position in at:
                    data[position] = starts[position] + step * way
                for position, moved in (away or {}).items():
                    data[position] = starts[position] + moved
                found = replay.dot(replayer.data_of(replayer.run(case, data).out), against)
            except Exception:
                return math.nan
            return found if isinstance(found, (int, float)) else math.nan

        return value

    def _slope(self, case: Case, at: list[int], given: float | None) -> Range:
        """Return the derivative by the input at these positions, and the ends of the range that is right."""
        replayer, data = self._replayer, self._replayer.data_of(case.out)
        start = replayer.start(case, replayer.nodes_in(case)[at[0]])
        size = abs(as_float(start)) if isinstance(start, (int, float)) else 0.0
        return slope(self._moving(case, at), replay.dot(data, replayer.direction(data, True)), size, given)

    def _look_at_kinks(self, case: Case, asked: Asked, rows: list[dict[str, Any]]) -> None:
        """Judge the gradients of inputs that share a kink, such as equal ones of `max`.

        Alone each may be given anything from 0 to 1 there, but together they have a derivative. A kink is shared where
        it is gone as soon as the others are elsewhere.
        """
        kinked = [row for row in rows if row["high"] - row["low"] > 1e-3 and row["data"] is not None]
        if len(kinked) < 2 or not all(map(replay.fits, kinked)):
            return
        for row in kinked:
            away = {
                place: 0.01 * (k + 1) for k, other in enumerate(kinked) if other is not row for place in other["at"]
            }
            value = self._moving(case, row["at"], away)
            _, low, high = slope(value, value(0.0), abs(row["data"]), None)
            if not high - low < 1e-3:
                return
        value = self._moving(case, [place for row in kinked for place in row["at"]])
        _, low, high = slope(value, value(0.0), max(abs(row["data"]) for row in kinked), None)
        total = sum(row["given"] for row in kinked)
        slack = 1e-4 * max(1.0, abs(low), abs(high))
        if not low - slack <= total <= high + slack:
            lines = asked.lines()
            for row in kinked:
                row["together"], row["line"] = (total, (low + high) / 2), lines.get(row["at"][0], 0)

    def _choice(self, case: Case, at: list[int], expected: float) -> str:
        """Return why a rule may differ from the derivative on purpose; "" where nothing speaks for it.

        "steps": the result is constant almost everywhere, as that of `sign` or `round`, and no gradient would pass.
        "same": the method only hands its input on, to stop, clip or reverse the gradient.
        """
        n_steps, others = len(FAR), [k for k in range(len(self._replayer.nodes_in(case))) if k not in at]
        known = []
        for k, step in enumerate(FAR):  # all inputs are elsewhere: alone each may be flat where it has no effect
            away = {place: FAR[(k + 3 * shift) % n_steps] for shift, place in enumerate(others, start=1)}
            here = self._moving(case, at, away)(step)
            aside = {place: moved + 1e-4 * (0.37 + shift) for shift, (place, moved) in enumerate(away.items(), start=1)}
            near = self._moving(case, at, aside)(step + 1e-4)
            if math.isfinite(here) and math.isfinite(near):
                known.append((here, near, step))
        if len(known) < n_steps // 2:
            return ""
        if all(here == near for here, near, _ in known):
            return "steps" if expected == 0.0 and len({here for here, _, _ in known}) > 1 else ""
        call, start = case.call, self._replayer.start(case, self._replayer.nodes_in(case)[at[0]])
        if others or call.code.co_name.startswith("__") or not isinstance(start, (int, float)):
            return ""
        is_same = all(one == start + step for one, _, step in known)
        return "same" if is_same and self._hands_on(case, start) else ""

    def _hands_on(self, case: Case, start: float) -> bool:
        """Return True where a call hands its input on whatever its options are: `x ** n` does it for n = 1 only."""
        names = {
            name: part * 1.37 + 0.19 if isinstance(part, float) or type(part) is int else part
            for name, part in case.call.names.items()
        }
        case = replace(case, call=replace(case.call, names=names), repeats=None)
        self._kept.append(case)
        try:
            found = self._replayer.data_of(self._replayer.run(case).out)
        except Exception:  # an option of another kind
            return False
        return bool(found == start)

    # Derivatives of nodes that the host may not know

    def _measure(
        self, by_method: dict[Any, list[Case]], known: dict[int, dict[int, float]], partials: dict[int, list[float]]
    ) -> None:
        """Measure the derivatives of nodes; `known`: for nodes whose rule was judged right what it gives each input."""
        replayer, left = self._replayer, MOST_MEASURED
        for cases in by_method.values():
            judged = [case for case in self._selected(cases) if replayer.repeats(case)]
            if judged and all(self._is_of_table(case) for case in judged):
                continue
            self._further |= {self._number(case.out) for case in cases}
            sure = all(self._number(case.out) in known for case in judged)
            for case in cases:
                number = self._number(case.out)
                if number < 0 or left <= 0 or not isinstance(replayer.data_of(case.out), (int, float)):
                    continue
                if not replayer.repeats(case):
                    continue
                left -= 1
                found = self._partials(case, known.get(number), sure)
                if all(isinstance(each, float) and math.isfinite(each) for each in found):
                    partials[number] = found

    def _partials(self, case: Case, known: dict[int, float] | None, sure: bool) -> list[float]:
        """Return the derivatives of a node: known ones, those that a right rule gives, or measured ones."""
        nodes = self._replayer.nodes_in(case)
        asked = Asked(self._replayer, case).ask(1.0, None) if sure and known is None else None
        found: dict[int, float] = {}
        inputs = self._inputs_of(case.out)
        for each in inputs:
            at = [index for index, node in enumerate(nodes) if node is each]
            given = (known or {}).get(self._number(each))
            if given is not None or not at:
                found[id(each)] = given or 0.0
            elif asked is not None:
                found[id(each)] = asked[at[0]]
            else:
                best, low, high = self._slope(case, at, None)
                found[id(each)] = float(f"{best:.9g}") if high - low <= 1e-3 * max(1.0, abs(best)) else math.nan
        return [found.pop(id(each), 0.0) for each in inputs]  # one that stands twice has its sum at the first place

    def _is_of_table(self, case: Case) -> bool:
        """Return True for a result that the table's operation of this name gives, too."""
        data = [self._replayer.start(case, node) for node in self._inputs_of(case.out)]
        name = self._op(case.out) or case.call.code.co_name
        return operators.is_of_table(name, data, self._replayer.data_of(case.out))
