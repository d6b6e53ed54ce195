"""Objects of a class of the learner's, looked at inside the sandbox: the graph they form, and each rule by itself.

`prelude_text` makes a text that is fed before the learner's program: it keeps Python's own functions for itself, so
that a program which gives `len` or `id` another meaning changes nothing here. `hook_text` is fed behind the class and
lets the first backward passes be recorded. `Probe` then fetches, piece by piece, lists of tuples: a call to the sandbox
is dear, a walk inside it is not. The objects are never trusted: what is not a number is None here, what raises is a
text, and what never ends is ended by the sandbox's limits, which leaves what was fetched before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from engine.language.own_engine_reading import OwnEngine

Feed = Callable[[str], Any]
"""Runs a text in the session in which the program ran and returns the value of its last line."""

OFFSET = 0.8125
UPSTREAM = (1.0, 3.0)
"""Each rule is asked twice: inputs' gradients 0 and upstream gradient 1; then gradients of OFFSET and upstream 3."""
PIECE = 2_000
MOST_PROBED = 5_000
"""Values whose rule is asked, those next to the root first."""
PASSES = 3
"""Backward passes that are recorded, the first ones of a run."""
LARGEST_RECORDED = 5_000
"""Values up to which a backward pass is recorded."""

_TEXT = '''
def gradstep_own_make():
    Id, Get, Set, Is, Type, Len, Float, List, Str = id, getattr, setattr, isinstance, type, len, float, list, str
    Int, Bool, Tuple, SetType, Frozen, Dict, Range, zip_ = int, bool, tuple, set, frozenset, dict, range, zip
    Problem, WrongType = Exception, TypeError
    missing = ["missing"]
    state = {"order": [], "index": {}, "stack": [], "kept": [], "passes": [], "depth": 0,
             "root": None, "leaves": [], "known": {}, "then": [], "now": []}

    def first(value, names):
        for name in names:
            found = Get(value, name, missing)
            if found is not missing and found is not None:
                return found
        return missing

    def has(value, names):
        for name in names:
            if Get(value, name, missing) is not missing:
                return True
        return False

    def name_of(value, names):
        for name in names:
            if Get(value, name, missing) is not missing:
                return name
        return names[0]

    def number(value):
        if Type(value) is Float:
            return value
        if Is(value, (Int, Float, Bool)):
            try:
                return Float(value)
            except Problem:
                return None
        return None

    def text(value):
        if Type(value) is Str:
            return value[:40]
        found = Get(value, "__name__", "")
        return found[:40] if Type(found) is Str else ""

    def plain(value):
        return value is None or Is(value, (Int, Float, Bool, Str, List, Tuple, SetType, Frozen, Dict))

    def is_node(value):
        return not plain(value) and has(value, DATA) and has(value, GRAD)

    def function_of(value):
        for name in FUNCTION:
            found = Get(value, name, missing)
            if found is missing or plain(found) or is_node(found):
                continue
            if Get(found, "backward", missing) is not missing:
                return found
        return missing

    def listed(value):
        """The inputs as they are held, the local derivatives beside them, and whether it is in a set."""
        for holder in (value, function_of(value)):
            if holder is missing:
                continue
            for name in INPUTS:
                found = Get(holder, name, missing)
                if found is missing or found is None:
                    continue
                if is_node(found):
                    return [found], [], False
                if Is(found, (List, Tuple, SetType, Frozen)) and Len(found):
                    nodes, local = [], []
                    for entry in found:
                        if Is(entry, Tuple) and Len(entry) == 2:
                            one, other = entry
                            if is_node(one):
                                nodes.append(one)
                                local.append(number(other))
                            elif is_node(other):
                                nodes.append(other)
                                local.append(number(one))
                        elif is_node(entry) or number(entry) is not None:
                            nodes.append(entry)
                        if Len(nodes) > 1000:
                            break
                    if nodes:
                        return nodes, local, Is(found, (SetType, Frozen))
            nodes = []
            for name in PAIRS:
                found = Get(holder, name, missing)
                if is_node(found) or number(found) is not None:
                    nodes.append(found)
            if nodes:
                return nodes, [], False
        return [], [], False

    def inputs_of(value):
        try:
            return listed(value)
        except Problem:
            return [], [], False

    def grad_of(value):
        return number(Get(value, name_of(value, GRAD), None))

    def row(value):
        try:
            nodes, local, in_set = inputs_of(value)
            inputs = [Id(one) if is_node(one) else number(one) for one in nodes]
            function = function_of(value)
            kind = "" if function is missing else text(Type(function))
            label = first(value, LABEL) if LABEL else ""
            operation = first(value, OP) if OP else ""
            return (Id(value), text(Type(value)), text(operation), number(first(value, DATA)), grad_of(value),
                    inputs, label[:40] if Type(label) is Str else "", kind, in_set)
        except Problem:
            return (Id(value), "", "", None, None, [], "", "", False)

    def begin(root):
        state["order"], state["index"], state["stack"] = [], {}, [root] if is_node(root) else []
        return Len(state["stack"])

    def more(count):
        rows, order, index, stack = [], state["order"], state["index"], state["stack"]
        while stack and Len(rows) < count:
            value = stack.pop()
            key = Id(value)
            if key in index:
                continue
            index[key] = Len(order)
            order.append(value)
            rows.append(row(value))
            for one in inputs_of(value)[0]:
                if is_node(one) and Id(one) not in index:
                    stack.append(one)
        return rows

    def keep():
        kept = []
        for value in state["order"]:
            name = name_of(value, GRAD)
            kept.append((name, Get(value, name, None)))
        state["kept"] = kept
        return Len(kept)

    def restore():
        order, kept = state["order"], state["kept"]
        for at in Range(Len(kept)):
            try:
                Set(order[at], kept[at][0], kept[at][1])
            except Problem:
                pass
        return Len(kept)

    def call(value, upstream, nodes, local):
        """Runs the rule of one value; what it returns, None where it adds to gradients itself."""
        if local:
            return [None if one is None else one * upstream for one in local]
        given = first(value, LOCAL) if LOCAL else missing
        if given is not missing and Is(given, (List, Tuple)) and Len(given) == Len(nodes):
            return [None if number(one) is None else number(one) * upstream for one in given]
        for name in RULE:
            rule = Get(value, name, missing)
            if rule is missing or rule is None or plain(rule) or Get(rule, "backward", missing) is not missing:
                continue
            if WANTS_GRADIENT:
                return rule(upstream)
            try:
                return rule()
            except WrongType as problem:
                if "argument" not in Str(problem):
                    raise
                return rule(upstream)
        function = function_of(value)
        if function is not missing:
            try:
                return function.backward(upstream)
            except WrongType as problem:
                if "argument" not in Str(problem):
                    raise
                try:
                    return function.backward(function, upstream)
                except WrongType:
                    return function.backward()
        return "no rule"

    def recurse(value, upstream, nodes):
        """Runs a rule that calls itself on the inputs, each of which notes what it is given instead."""
        noted, old = [], []
        for one in nodes:
            old.append((one, Get(one, RECURSIVE)))
            def note(*given, at=Id(one)):
                noted.append((at, given[0] if given else None))
            Set(one, RECURSIVE, note)
        try:
            try:
                Get(value, RECURSIVE)(upstream)
            except WrongType as problem:
                if "argument" not in Str(problem):
                    raise
                Get(value, RECURSIVE)()
        finally:
            for one, method in old:
                Set(one, RECURSIVE, method)
        return [number(given) for at, given in noted], [at for at, given in noted]

    def ask(value, nodes, local, own, upstream, offset):
        """What each of its inputs has when a rule has run; a text where there is no rule."""
        for one in own:
            Set(one, name_of(one, GRAD), offset)
        Set(value, name_of(value, GRAD), 0.0 if RECURSIVE else upstream)
        if RECURSIVE:
            given, keys = recurse(value, upstream, own)
            if None not in given:
                sums = {}
                for at in Range(Len(keys)):
                    sums[keys[at]] = sums.get(keys[at], 0.0) + given[at]
                return [sums.get(Id(one), 0.0) + offset for one in own]
            return [grad_of(one) for one in own]
        returned = call(value, upstream, nodes, local)
        if Is(returned, Str):
            return returned
        if number(returned) is not None:
            returned = [returned]
        if Is(returned, (List, Tuple)) and Len(returned) == Len(nodes):
            sums = {}
            for at in Range(Len(nodes)):
                amount = returned[at]
                if Is(amount, Tuple) and Len(amount) == 2:
                    amount = amount[1]
                amount = number(amount)
                key = Id(nodes[at])
                sums[key] = None if amount is None else sums.get(key, 0.0) + amount
            return [None if sums.get(Id(one)) is None else sums[Id(one)] + offset for one in own]
        return [grad_of(one) for one in own]

    def probe(start, count):
        rows = []
        order = state["order"]
        for value in order[start:start + count]:
            nodes, local, in_set = inputs_of(value)
            own, keys = [], []
            for one in nodes:
                if is_node(one) and Id(one) not in keys:
                    own.append(one)
                    keys.append(Id(one))
            if not own:
                continue
            kept = [(one, name_of(one, GRAD)) for one in own + [value]]
            kept = [(one, name, Get(one, name, None)) for one, name in kept]
            found, words = [], ""
            try:
                found.append(ask(value, nodes, local, own, UPSTREAM[0], 0.0))
                found.append(ask(value, nodes, local, own, UPSTREAM[1], OFFSET))
                if Is(found[0], Str) or Is(found[1], Str):
                    found, words = [], found[0]
            except Problem as problem:
                found, words = [], text(Type(problem)) + ": " + Str(problem)[:200]
            for one, name, grad in kept:
                Set(one, name, grad)
            rows.append((Id(value), keys, found, words))
        return rows

    def recorded(root):
        """The graph below a root, gradients included; nothing where it is too large."""
        rows = more(LARGEST + 1) if begin(root) else []
        for value, entry in zip_(state["order"], rows):
            if not entry[5] and entry[0] not in state["known"] and Len(state["leaves"]) < LARGEST:
                state["known"][entry[0]] = True
                state["leaves"].append(value)
        return rows if Len(rows) <= LARGEST else []

    def rewind():
        """Gives the leaves the data that they had at the last pass: (id, data) of those that have others since."""
        state["now"] = [first(one, DATA) for one in state["leaves"]]
        return put(state["then"])

    def put(datas):
        changed = []
        for one, data in zip_(state["leaves"], datas):
            if first(one, DATA) is not data:
                Set(one, name_of(one, DATA), data)
                changed.append((Id(one), number(data)))
        return changed

    def forward():
        return Len(put(state["now"]))

    def hook(owner, name):
        """Lets the first passes of a class be recorded, before and after."""
        old = Get(owner, name)
        def run(self, *given, **named):
            if state["depth"] == 0:
                state["root"] = self
                state["then"] = [first(one, DATA) for one in state["leaves"]]
            if state["depth"] or Len(state["passes"]) >= PASSES:
                return old(self, *given, **named)
            state["depth"] = 1
            before = [(entry[0], entry[3], entry[4]) for entry in recorded(self)]
            state["then"] = [first(one, DATA) for one in state["leaves"]]
            try:
                result = old(self, *given, **named)
            finally:
                state["depth"] = 0
            state["passes"].append((Id(self), before, recorded(self)))
            return result
        Set(owner, name, run)

    def names(found):
        return [(name, Id(value)) for name, value in found if is_node(value)]

    def last_root():
        return state["root"]

    def passes(at):
        return state["passes"][at:at + 1]

    return begin, more, keep, restore, probe, hook, names, last_root, passes, is_node, rewind, forward
'''
_PARTS = ("begin", "more", "keep", "restore", "probe", "hook", "names", "last_root", "passes", "is_node",
          "rewind", "forward")  # fmt: skip
PREFIX = "gradstep_own_"
"""What the names begin with that this module gives the program's space."""


def prelude_text(engine: OwnEngine) -> str:
    """The text that is fed before the program: one function that makes all others, out of reach of the program."""
    constants = {
        "DATA": engine.data,
        "GRAD": engine.grad,
        "INPUTS": engine.inputs,
        "PAIRS": engine.pairs,
        "OP": engine.op,
        "LABEL": engine.label,
        "LOCAL": engine.local,
        "RULE": engine.rule,
        "FUNCTION": engine.function,
        "RECURSIVE": engine.recursive,
        "WANTS_GRADIENT": engine.wants_gradient,
        "UPSTREAM": UPSTREAM,
        "OFFSET": OFFSET,
        "LARGEST": LARGEST_RECORDED,
        "PASSES": PASSES,
    }
    lines = "".join(f"    {name} = {value!r}\n" for name, value in constants.items())
    text = _TEXT.replace("():\n", f"():\n{lines}", 1)
    return f"{text}\n{', '.join(PREFIX + part for part in _PARTS)} = {PREFIX}make()\n"


def hook_text(engine: OwnEngine) -> str:
    """The text that is fed once the class stands, so that its backward passes are recorded; may be empty."""
    if not engine.run:
        return ""
    return f"{PREFIX}hook({engine.classes[0]}, {engine.run!r})\n"


@dataclass(frozen=True, slots=True)
class OwnNode:
    """One object of the learner's, as it was found.

    Attributes:
        key: the same for the same object.
        kind: name of its class.
        op: the text that names its operation; may be empty.
        data: None where it is not a number.
        grad: None where it is not a number.
        inputs: keys of other objects, in the order in which they are held; a plain number among them is an object
            with a negative key.
        label: the learner's own; may be empty.
        function: name of the class of the object whose `backward` is its rule; empty where there is none.
        in_set: whether the inputs are held in a set, which knows no order and holds nothing twice.
    """

    key: int
    kind: str
    op: str
    data: float | None
    grad: float | None
    inputs: tuple[int, ...]
    label: str
    function: str
    in_set: bool


@dataclass(frozen=True, slots=True)
class OwnAnswer:
    """What the rule of one value gave its inputs.

    Attributes:
        inputs: keys of the inputs, each once.
        plain: what each received for the upstream gradient 1, starting at 0; None where it is not a number.
        offset: what each had afterwards for the upstream gradient 3, starting at OFFSET.
        words: what was raised instead; may be empty.
    """

    inputs: tuple[int, ...]
    plain: tuple[float | None, ...] = ()
    offset: tuple[float | None, ...] = ()
    words: str = ""


@dataclass(frozen=True, slots=True)
class OwnPass:
    """One backward pass of a run.

    Attributes:
        root: key of the value it began at.
        before: data and gradient of every value before it.
        after: the values after it.
    """

    root: int
    before: dict[int, tuple[float | None, float | None]]
    after: tuple[OwnNode, ...]


@dataclass(frozen=True)
class OwnRecords:
    """Everything that was fetched of the objects of the learner's own class.

    Attributes:
        nodes: the graph, the root first.
        answers: of the rules that were asked, by key.
        passes: the first backward passes of the run.
        names: what the program calls them, by key.
        complete: whether all of the graph is here.
        earlier: data that leaves had when the rules were asked, by key: those of the pass, where the program has
            changed them since.
    """

    nodes: tuple[OwnNode, ...] = ()
    answers: dict[int, OwnAnswer] = field(default_factory=dict)
    passes: tuple[OwnPass, ...] = ()
    names: dict[int, str] = field(default_factory=dict)
    complete: bool = True
    earlier: dict[int, float | None] = field(default_factory=dict)


class Probe:
    """Fetches the records of one program from the session in which it ran.

    Args:
        feed: runs a text in that session; may raise what `failures` names when a limit is reached.
        failures: the exceptions of the sandbox.
        seconds: how long the rules are asked at most.
    """

    def __init__(self, feed: Feed, failures: tuple[type[Exception], ...], seconds: float = 2.0) -> None:
        self._feed = feed
        self._failures = failures
        self._seconds = seconds

    def last_root(self) -> bool:
        """Whether a backward pass was recorded, whose value `gradstep_own_last_root()` then gives."""
        return bool(self._feed(f"{PREFIX}last_root() is not None"))

    def is_node(self, expression: str) -> bool:
        """Whether an expression stands for an object of the learner's engine."""
        return bool(self._feed(f"{PREFIX}is_node({expression})"))

    def records(self, root: str, names: Iterable[str], most: int) -> OwnRecords:
        """The graph below a root and the answers of its rules.

        Args:
            root: an expression that stands for it in the session.
            names: the program's names, those that came last in the text last.
            most: values to fetch at most.

        Raises:
            What the feed raises while the graph itself is fetched.
        """
        self._feed(f"{PREFIX}begin({root})")
        nodes, passes = self._nodes(most), self._passes()
        named, earlier = self._names(names), dict[int, float | None]()
        try:
            if self._feed(f"{PREFIX}last_root() is ({root})"):
                earlier.update(self._feed(f"{PREFIX}rewind()"))
            answers = self._answers(len(nodes))
            self._feed(f"{PREFIX}forward()")
        except self._failures:
            answers = {}
        return OwnRecords(nodes, answers, passes, named, len(nodes) < most, earlier)

    def _nodes(self, most: int) -> tuple[OwnNode, ...]:
        rows: list[Any] = []
        while len(rows) < most:
            more = self._feed(f"{PREFIX}more({min(PIECE, most - len(rows))})")
            if not more:
                break
            rows += more
        return tuple(_nodes_of(rows))

    def _answers(self, size: int) -> dict[int, OwnAnswer]:
        answers: dict[int, OwnAnswer] = {}
        end = time.monotonic() + self._seconds
        try:
            self._feed(f"{PREFIX}keep()")
            for start in range(0, min(size, MOST_PROBED), PIECE // 10):
                if time.monotonic() > end:
                    break
                for row in self._feed(f"{PREFIX}probe({start}, {PIECE // 10})"):
                    answers[row[0]] = _answer(row)
            self._feed(f"{PREFIX}restore()")
        except self._failures:
            pass  # a rule that never ends: what was asked before it is known
        return answers

    def _passes(self) -> tuple[OwnPass, ...]:
        found: list[OwnPass] = []
        try:
            for at in range(PASSES):
                for root, before, after in self._feed(f"{PREFIX}passes({at})"):
                    earlier = {key: (data, grad) for key, data, grad in before}
                    found.append(OwnPass(root, earlier, tuple(_nodes_of(after))))
        except self._failures:
            pass
        return tuple(one for one in found if one.after)

    def _names(self, names: Iterable[str]) -> dict[int, str]:
        pairs = "".join(f"({name!r}, {name}), " for name in names)
        try:
            return {key: name for name, key in self._feed(f"{PREFIX}names([{pairs}])")}
        except self._failures:
            return {}


def _nodes_of(rows: Iterable[Sequence[Any]]) -> Iterator[OwnNode]:
    """The objects that rows describe, and the numbers among their inputs as objects of their own."""
    constants = count(-1, -1)
    for key, kind, op, data, grad, inputs, label, function, in_set in rows:
        held = [one if one.__class__ is int else next(constants) for one in inputs]
        yield OwnNode(key, kind, op.strip(), data, grad, tuple(held), label, function, bool(in_set))
        for own_key, one in zip(held, inputs, strict=True):
            if own_key < 0:
                yield OwnNode(own_key, "", "", one, None, (), "", "", False)


def _answer(row: Sequence[Any]) -> OwnAnswer:
    _, keys, found, words = row
    if len(found) != 2:
        return OwnAnswer(tuple(keys), words=words)
    return OwnAnswer(tuple(keys), tuple(found[0]), tuple(found[1]))
