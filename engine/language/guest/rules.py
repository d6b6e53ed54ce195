"""Forms in which engines of learners keep their rules, and how each is called.

A rule is a function that the result holds, a method of an operation's object or class, local derivatives beside the
inputs, a record on a tape, a method of the result's class, or, as the last resort, the whole backward pass of a graph
of one operation.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from engine.language.guest import replay
from engine.language.guest.engines import attributes, copied, is_number
from engine.language.guest.program import PROGRAM
from engine.language.guest.replay import CannotJudgeError, Case, Replayer, Run

OFFSET, UPSTREAM = 0.8125, -2.65625
"""Each rule is called twice: for the upstream gradient 1, and for UPSTREAM with OFFSET already in the inputs.

It is below 0 for rules that look at the sign of what arrives, and has a fraction for those that round it.
"""
NO_RULE = "its rule was not found"
"""Reason that is given for a result that passes nothing on."""
_RULE_WORDS = (
    "back",
    "grad",
    "vjp",
    "pull",
    "chain",
    "rule",
    "prop",
    "adj",
    "deriv",
    "local",
    "slope",
    "partial",
    "jac",
)
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
_UPSTREAM_NAMES = ("g", "dout", "dy", "dz", "d_out", "up", "out_g", "output_g", "delta")
"""First letters of names that parameters for the gradient of the result have."""


class RuleRaisedError(Exception):
    """A rule that can be asked raised an exception; the message names it."""


_NOTHING = (lambda: None).__code__


class OtherCountError(CannotJudgeError):
    """A rule returned more or fewer gradients than there are inputs; only the pass knows which input gets which."""


class Asked:
    """The rule of one application, asked.

    Attributes:
        form: how it was asked.
        method: to name in messages; "" for the method that made the object.
        line: where it stands; 0 where it is the method's.
        all: several upstream gradients could be tried.
        adds_itself: the rule adds to the gradients of the inputs, and returns none.
    """

    def __init__(self, replayer: Replayer, case: Case) -> None:
        self._replayer, self._case = replayer, case
        self.form, self.method, self.line, self.all = "", "", 0, True
        self.adds_itself = False
        self._way: int | None = -1

    def ask(self, upstream: float, before: float | None) -> list[Any]:
        """Return what each input is handed for an upstream gradient, projected on a direction for arrays."""
        replayer, case = self._replayer, self._case
        run = replayer.run(case, grad=before if before is not None else None)
        wanted = upstream * replayer.direction(replayer.data_of(run.out), True)
        befores = [copied(replayer.grad_of(copy)) for copy in run.copies]
        returned = self._rule(run, wanted)
        self.adds_itself = returned is None and self.form != "pass"
        return self._handed(run, returned, befores, before)

    def _handed(self, run: Run, returned: Any, befores: list[Any], before: float | None) -> list[Any]:
        """Return what each input has been handed: what a rule returned for it, else how its gradient has changed."""
        replayer, found = self._replayer, []
        if returned is not None and (before is None or not self._changed(run, befores)):
            for copy in run.copies:
                parts = [part for node, part in returned if node is copy and part is not None]
                total = parts[0] if parts else 0.0
                for part in parts[1:]:
                    total = total + part
                found.append(self._seen(total, copy, before))
            return found
        for copy, was in zip(run.copies, befores, strict=True):
            now = replayer.grad_of(copy)
            if before is None:
                now = 0.0 if now is None or (now is was and not is_number(was)) else now
            found.append(self._along(now, copy))
        return found

    def forward(self, count: int, tangent: float) -> list[Any]:
        """Return the derivatives that the result carries when one input after the other carries a derivative."""
        replayer = self._replayer
        self.form = "forward"
        found = []
        for position in range(count):
            out = replayer.run(self._case, grad=[tangent if at == position else 0.0 for at in range(count)]).out
            found.append(replayer.grad_of(out))
        return found

    def _seen(self, total: Any, copy: Any, before: float | None) -> Any:
        """Return a returned gradient as if it had been added to the existing one."""
        along = self._along(total, copy)
        if before is None or not isinstance(along, (int, float)):
            return along
        return along + self._replayer.along_ones(self._replayer.data_of(copy), before)

    def _changed(self, run: Run, befores: list[Any]) -> bool:
        return any(
            not replay.same(self._replayer.grad_of(copy), was) for copy, was in zip(run.copies, befores, strict=True)
        )

    def _along(self, gradient: Any, copy: Any) -> Any:
        data = self._replayer.data_of(copy)
        if gradient is None:
            return 0.0
        if self._replayer.is_node(gradient):
            gradient = self._replayer.data_of(gradient)
        if isinstance(data, (int, float)):
            return float(gradient) if replay.size_of(gradient) == 1 else gradient
        if tuple(getattr(gradient, "shape", ())) not in ((), tuple(data.shape)):
            return gradient
        return replay.dot(gradient, self._replayer.direction(data))

    def lines(self) -> dict[int, int]:
        """Return for each input, by position, the line that handed it its gradient."""
        replayer = self._replayer
        try:
            run = replayer.run(self._case, grad=None)
            wanted = UPSTREAM * replayer.direction(replayer.data_of(run.out), True)
        except Exception:
            return {}
        before = [copied(replayer.grad_of(copy)) for copy in run.copies]
        found: dict[int, int] = {}
        run_lines: list[int] = []
        returned_at = [0]
        last = [0]

        def look(frame: types.FrameType, event: str, _argument: Any) -> Any:
            if frame.f_code.co_filename != PROGRAM or _is_placeholder(frame.f_code):
                return None
            if last[0]:
                for position, copy in enumerate(run.copies):
                    if position not in found and not replay.same(replayer.grad_of(copy), before[position]):
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
        if self.form == "function" and _held_function(run.out) is None:
            return {}  # of a placeholder no line says anything
        if returned is not None:
            return dict.fromkeys(range(len(run.copies)), returned_at[0])
        for position, copy in enumerate(run.copies):
            if position not in found and not replay.same(replayer.grad_of(copy), before[position]):
                found[position] = last[0]
        rule = [self.line] if self.form == "pass" and self.line else run_lines
        left = [line for line in rule if line not in found.values()]
        for position in range(len(run.copies)):
            if position not in found and left:
                found[position] = left[0]
        return found

    # Forms of rules

    def _rule(self, run: Run, upstream: Any) -> Any:
        """Ask the rule of a result; return (input, gradient) where it returns them, None where it has added them."""
        replayer, out = self._replayer, run.out
        replayer.set_grad(out, copied(upstream))
        problem = CannotJudgeError(NO_RULE)
        try:
            for form in (self._of_function, self._of_operation, self._of_local, self._of_tape, self._of_method):
                found = form(run, upstream)
                if found is not NotImplemented:
                    return found
        except OtherCountError as raised:
            problem = raised
        replayer.set_grad(out, replayer.initial.get(type(out), 0.0))
        found = self._of_pass(run)
        if found is not NotImplemented:
            return found
        if isinstance(problem, OtherCountError) or _held_function(out, placeholders=True) is None:
            raise problem
        self.form = "function"  # the constructor's `lambda: None`, which hands nothing on
        return None

    def _inputs(self, run: Run) -> list[Any]:
        """Return the copies in the order in which the result holds them, else in that of the call."""
        inputs = self._replayer.watch.found_by_pass(run.out)
        held = [each for each in inputs if any(each is copy for copy in run.copies)]
        return held or run.copies

    def _of_function(self, run: Run, upstream: Any) -> Any:
        """A function or a bound method that the result holds."""
        rule = _held_function(run.out)
        if rule is None:
            return NotImplemented
        self.form = "function"
        if replay.needed(rule) == 0:
            pairs = self._given_by(rule, run, upstream, sure=True)
            way = 0 if pairs is None else self._chosen(lambda run: _held_function(run.out))
            return pairs if not way else [(node, replay.times(local, upstream)) for node, local in pairs]
        way = self._chosen(lambda run: _held_function(run.out))
        return self._given_by(rule, run, upstream, sure=True) if way is None else self._by_way(rule, run, upstream, way)

    def _ways(self, rule: Any, run: Run, upstream: Any) -> list[tuple[tuple[Any, ...], bool]]:
        """Return with what a rule may be called, and whether it then returns local derivatives."""
        data_of, inputs, needed = self._replayer.data_of, self._inputs(run), replay.needed(rule)
        data = [copied(data_of(each)) for each in inputs]
        others: list[tuple[Any, ...]] = [(), (run.out,), (copied(data_of(run.out)),), (*data,), (*inputs,), (data,)]
        ways = [(way, False) for each in others for way in ((*each, upstream), (upstream, *each))]
        ways += [((), False), ((run.out,), False), *((each, True) for each in others)]
        return [(way, is_local) for way, is_local in ways if len(way) == needed]

    def _by_way(self, rule: Any, run: Run, upstream: Any, way: int) -> Any:
        arguments, is_local = self._ways(rule, run, upstream)[way]
        pairs = self._distributed(rule(*arguments), run)
        return [(node, replay.times(part, upstream)) for node, part in pairs] if is_local and pairs else pairs

    def _chosen(self, rule_of: Callable[[Run], Any]) -> int | None:
        """Return the number of the way in which the engine's own pass asks a rule; None where that is not known.

        It is the way that gives the inputs of this operation what the pass of a graph of it alone gives them.
        """
        if self._way != -1:
            return self._way
        self._way = None
        first, later = self._by_pass(1.0), self._by_pass(UPSTREAM)
        if not later or _alike(first, later):  # the pass does not use the gradient that is held
            return None
        replayer, ways = self._replayer, 1
        place = 0
        while place < ways and self._way is None:
            run = replayer.run(self._case, grad=None)
            wanted = UPSTREAM * replayer.direction(replayer.data_of(run.out), True)
            replayer.set_grad(run.out, copied(wanted))
            befores = [copied(replayer.grad_of(copy)) for copy in run.copies]
            with suppress(Exception):  # it is called in another way
                rule = rule_of(run)
                ways = len(self._ways(rule, run, wanted))
                handed = self._handed(run, self._by_way(rule, run, wanted, place), befores, None)
                self._way = place if _alike(handed, later) else None
            place += 1
        return self._way

    def _by_pass(self, upstream: float) -> list[Any]:
        """Return what the engine's own pass gives the inputs for a gradient of the result that stays; else []."""
        replayer, form, tried = self._replayer, self.form, self.all
        try:
            run = replayer.run(self._case, grad=None)
            befores = [copied(replayer.grad_of(copy)) for copy in run.copies]
            replayer.hold_grad(run.out, upstream * replayer.direction(replayer.data_of(run.out), True))
            return [] if self._of_pass(run) is NotImplemented else self._handed(run, None, befores, None)
        except Exception:  # a class that cannot be extended, or a pass of another kind
            return []
        finally:
            self.form, self.all = form, tried

    def _given_by(self, rule: Any, run: Run, upstream: Any, sure: bool = False) -> Any:
        needed = replay.needed(rule)
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
                if sure and needed == 0 and not isinstance(raised, OverflowError):  # the numbers, not the rule
                    raise RuleRaisedError(f"{type(raised).__name__}: {raised}") from None
                raise CannotJudgeError(f"its rule raised {type(raised).__name__}: {raised}") from None
            return self._distributed(returned, run)
        return NotImplemented

    def _distributed(self, returned: Any, run: Run) -> list[tuple[Any, Any]] | None:
        """Return which input gets which of the gradients that a rule has returned."""
        replayer = self._replayer
        if isinstance(returned, (list, tuple)) and all(part is None for part in returned):
            returned = None  # what calls have returned that add the gradients
        if returned is None:
            return None
        inputs = self._inputs(run)
        if isinstance(returned, dict):
            pairs = [(node, part) for node, part in returned.items() if any(node is copy for copy in run.copies)]
            if pairs:
                return pairs
            returned = list(returned.values())
        if is_number(returned) or replayer.is_node(returned) or isinstance(returned, bool):
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
            raise OtherCountError(f"its inputs need {len(inputs)} gradients, and its rule returned {len(returned)}")
        return list(zip(inputs, parts, strict=True))

    def _of_operation(self, run: Run, upstream: Any) -> Any:
        """An object or class of the operation with a method for the backward pass, such as `ctx` or `creator`."""
        found, contexts = self._operations(run)
        for part, kind, name in found[:1]:
            rule = replay.plain_function(getattr(part, name))
            self.form, self.method = "operation", f"{kind.__name__}.{name}"
            self.line = replay.line_of(rule)
            way = self._chosen(lambda run: _method(self._operations(run)[0]))
            if way is not None:
                return self._by_way(rule, run, upstream, way)
            others = [one for one in contexts if one is not part]
            return self._distributed(self._called(rule, run, upstream, others or contexts), run)
        return NotImplemented

    def _operations(self, run: Run) -> tuple[list[tuple[Any, type, str]], list[Any]]:
        """Return the operations of a result with their classes and their methods that are rules, and its contexts."""
        replayer = self._replayer
        parts = [part for _, part in attributes(run.out) if replayer.is_operation(part)]
        for part in [part for part in parts if not isinstance(part, type)]:  # a context may know its operation
            known = set(map(id, parts))
            parts += [each for _, each in attributes(part) if id(each) not in known and replayer.is_operation(each)]
        contexts = [part for part in parts if not isinstance(part, type)]
        found = [
            (part, kind, name)
            for part in parts
            for kind in [part if isinstance(part, type) else type(part)]
            for name in replay.methods(kind)
            if any(word in name for word in _RULE_WORDS[:4]) and not name.startswith("save")
        ]
        return sorted(found, key=lambda row: row[2] != "backward"), contexts

    def _called(self, rule: Any, run: Run, upstream: Any, contexts: list[Any]) -> Any:
        """Call the rule of an operation with the upstream gradient, a context or the inputs, as its parameters ask."""
        needed, inputs = replay.needed(rule), self._inputs(run)
        bound = isinstance(rule, types.MethodType)
        if needed < 2:
            return rule(upstream) if needed else rule()
        if needed != 1 + len(inputs) or (needed == 2 and not bound and contexts):
            return rule(contexts[0] if contexts else run.out, upstream)
        names = rule.__code__.co_varnames[bound : bound + needed]
        place = next((at for at, name in enumerate(names) if name.lower().startswith(_UPSTREAM_NAMES)), 0)
        data = [copied(self._replayer.data_of(each)) for each in inputs]
        try:
            return rule(*data[:place], upstream, *data[place:])
        except AttributeError:  # it takes the nodes themselves
            return rule(*inputs[:place], upstream, *inputs[place:])

    def _of_local(self, run: Run, upstream: Any) -> Any:
        """Local derivatives that the result holds: pairs with the inputs, or a parallel list."""
        replayer, inputs = self._replayer, self._inputs(run)
        shape = replayer.watch.shape(run.out)
        assert shape is not None
        for name, part in attributes(run.out):
            if isinstance(part, dict):
                part = list(part.items())
            if not isinstance(part, (list, tuple)) or not part:
                continue
            pairs = [replay.pair(each, run.copies) for each in part]
            if all(pair is not None for pair in pairs):
                self.form = "local"
                return [(node, replay.times(local, upstream)) for node, local in pairs]  # type: ignore[misc]
            if name in shape.inputs or len(part) != len(inputs):
                continue
            functions = [isinstance(each, types.FunctionType) for each in part]
            numbers = any(word in name for word in _LOCAL_WORDS) and all(
                is_number(each) or isinstance(each, bool) or is_function
                for each, is_function in zip(part, functions, strict=True)
            )
            if numbers or all(functions):
                self.form = "local"
                return [(node, replay.times(local, upstream)) for node, local in zip(inputs, part, strict=True)]
        return NotImplemented

    def _of_tape(self, run: Run, upstream: Any) -> Any:
        """Records that the call added to a list."""
        if not run.records:
            return NotImplemented
        self.form = "tape"
        for record in run.records:
            parts = [record, *(record if isinstance(record, (tuple, list)) else ()), *replay.values_of(record)]
            for part in parts:
                if isinstance(part, (types.FunctionType, types.MethodType)):
                    return self._given_by(part, run, upstream)
            for name in replay.methods(type(record)):
                if any(word in name for word in _RULE_WORDS):
                    return self._given_by(getattr(record, name), run, upstream)
            for part in parts:
                pairs = [replay.pair(each, run.copies) for each in part] if isinstance(part, (list, tuple)) else []
                if pairs and all(pair is not None for pair in pairs):
                    return [(node, replay.times(local, upstream)) for node, local in pairs]  # type: ignore[misc]
            numbers = [part for part in parts if isinstance(part, (list, tuple)) and part and all(map(is_number, part))]
            held = [
                part
                for part in parts
                if isinstance(part, (list, tuple))
                and part
                and all(any(each is copy for copy in run.copies) for each in part)
            ]
            if numbers and held and len(numbers[0]) == len(held[0]):
                return [(node, replay.times(local, upstream)) for node, local in zip(held[0], numbers[0], strict=True)]
        return NotImplemented

    def _of_method(self, run: Run, upstream: Any) -> Any:
        """A method of the result's class that passes its gradient on."""
        replayer, kind = self._replayer, type(run.out)
        known = [replayer.rule_methods.get(kind, ""), *replayer.rule_methods.values()]
        names = next((name for name in known if name and hasattr(kind, name)), None)
        candidates = [names] if names else [
            name for name in sorted(replay.methods(kind), key=_unlikely) if name != self._case.call.code.co_name
        ]  # fmt: skip
        for name in candidates:
            copy_run = run if names else replayer.run(self._case, grad=None)
            out = copy_run.out
            rule = replay.plain_function(getattr(out, name))
            needed, most = replay.needed(rule), replay.accepted(rule)
            if needed > 1:
                continue
            before = [copied(replayer.grad_of(copy)) for copy in copy_run.copies]
            takes = needed == 1 or most >= 1
            given = upstream if names else UPSTREAM * replayer.direction(replayer.data_of(out), True)
            replayer.set_grad(out, replayer.initial.get(kind, 0.0) if takes else copied(given))
            try:
                returned = rule(given) if takes else rule()
            except Exception:
                continue
            if not names:
                if not takes and not replay.same(replayer.grad_of(out), given):
                    continue  # a pass of its own, which seeds the output
                if not self._changed(copy_run, before) and not (isinstance(returned, (tuple, list)) and returned):
                    continue
                replayer.rule_methods[kind] = name
                return self._of_method(run, upstream)
            self.form = "method"
            self.method = f"{kind.__name__}.{name}" if self._case.call.code.co_name.startswith("__init") else name
            self.line = replay.line_of(rule)
            if not isinstance(returned, (tuple, list)):
                return None
            pairs = self._distributed(returned, run)
            if pairs is None or takes:
                return pairs
            replayer.set_grad(out, copied(given) * 2.0)
            if repr(rule()) != repr(returned):
                return pairs
            return [(node, replay.times(local, upstream)) for node, local in pairs]  # local derivatives
        return NotImplemented

    def _of_pass(self, run: Run) -> Any:
        """The whole backward pass of a graph of this one operation."""
        replayer, kind = self._replayer, type(run.out)
        rules = [replay.plain_function(getattr(run.out, name)) for name in replay.methods(kind) if "back" in name]
        rules = [rule for rule in rules if replay.needed(rule) == 0]
        for name, thing in list(replayer.space.items()):
            if "back" in name and isinstance(thing, types.FunctionType) and replay.needed(thing) == 1:
                rules.append(lambda thing=thing: thing(run.out))
        for rule in rules:
            before = [copied(replayer.grad_of(copy)) for copy in run.copies]
            try:
                rule()
            except Exception:
                continue
            if self._changed(run, before):
                self.form, self.all = "pass", False
                return None
        return NotImplemented


def _held_function(out: Any, placeholders: bool = False) -> Any:
    """Return the function or bound method that a result holds as its rule; None where it holds none."""
    rules = [
        (name, part)
        for name, part in attributes(out)
        if isinstance(part, (types.FunctionType, types.MethodType)) or type(part).__name__ == "partial"
        if placeholders or not (isinstance(part, types.FunctionType) and _is_placeholder(part.__code__))
    ]
    rules.sort(key=lambda rule: not any(word in rule[0] for word in _RULE_WORDS))
    return rules[0][1] if rules else None


def _is_placeholder(code: types.CodeType) -> bool:
    """Return True for the `lambda: None` that a constructor gives a value, so that it has some rule."""
    return (code.co_code, code.co_consts) == (_NOTHING.co_code, _NOTHING.co_consts)


def _method(found: list[tuple[Any, type, str]]) -> Any:
    """Return the rule of the first of some operations with their classes and the names of their rules."""
    part, _kind, name = found[0]
    return replay.plain_function(getattr(part, name))


def _alike(given: list[Any], others: list[Any]) -> bool:
    """Return True for lists of the same numbers."""
    return len(given) == len(others) and all(
        isinstance(one, (int, float)) and replay.close(one, other) for one, other in zip(given, others, strict=True)
    )


def _unlikely(name: str) -> tuple[bool, bool, str]:
    """Return the order in which methods are tried as rules: telling names first, hidden ones before others."""
    return not any(word in name for word in _RULE_WORDS), not name.startswith("_"), name
