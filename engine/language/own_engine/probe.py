"""Objects of a class of the learner's, looked at inside the sandbox: the graph they form, and each rule by itself.

`prelude_text` makes a text that is fed before the learner's program (sandboxed/own_engine.txt), `hook_text` one that is
fed behind the class and lets the first backward passes be recorded. `Probe` then fetches, piece by piece, lists of
tuples: a call to the sandbox is dear, a walk inside it is not. The objects are never trusted: what is not a number is
None here, what raises is a text, and what never ends is ended by the sandbox's limits, which leaves what was fetched
before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import count
from pathlib import Path
from typing import Any

from engine.language.own_engine.classes import OwnEngine
from engine.messages import visible
from engine.quick_dataclass import dataclass

Feed = Callable[[str], Any]
"""Runs a text in the session in which the program ran and returns the value of its last line."""

NO_RULE = "no rule"
"""What is said of a value that has none: its class does not pass gradients on."""
OFFSET = 0.8125
UPSTREAM = (1.0, 3.0)
"""Each rule is asked twice: inputs' gradients 0 and upstream gradient 1; then gradients of OFFSET and upstream 3."""
LONGEST = 40
"""Characters of a label that a sentence may hold."""
PIECE = 2_000
MOST_PROBED = 5_000
"""Values whose rule is asked, those next to the root first."""
PASSES = 3
"""Backward passes that are recorded, the first ones of a run."""
LARGEST_RECORDED = 5_000
"""Values up to which a backward pass is recorded."""

_TEXT = Path(__file__).parents[1] / "sandboxed" / "own_engine.txt"
_PARTS = ("begin", "more", "keep", "restore", "probe", "hook", "names", "last_root", "passes",
          "rewind", "forward", "locals")  # fmt: skip
PREFIX = "_gs_own_"
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
        "NO_RULE": NO_RULE,
        "UPSTREAM": UPSTREAM,
        "OFFSET": OFFSET,
        "LARGEST": LARGEST_RECORDED,
        "PASSES": PASSES,
    }
    lines = "".join(f"    {name} = {value!r}\n" for name, value in constants.items())
    text = _TEXT.read_text(encoding="utf-8").replace("():\n", f"():\n{lines}", 1)
    return f"{text}\n{', '.join(PREFIX + part for part in _PARTS)} = {PREFIX}make()\n"


def hook_text(engine: OwnEngine) -> str:
    """The text that is fed once the class stands, so that its backward passes are recorded; may be empty."""
    if not engine.run:
        return ""
    return f"{PREFIX}hook({engine.classes[0]}, {engine.run!r})"


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
        earlier: data that leaves had when the rules were asked, by key: those of the pass, where the program has
            changed them since.
    """

    nodes: tuple[OwnNode, ...] = ()
    answers: dict[int, OwnAnswer] = field(default_factory=dict)
    passes: tuple[OwnPass, ...] = ()
    names: dict[int, str] = field(default_factory=dict)
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

    def of_program(self, names: Sequence[str], most: int) -> OwnRecords | None:
        """The records of the value that the last backward pass began at, else of the last name that stands for one.

        Args:
            names: the program's names outside of functions, in the order of the text.
            most: values to fetch at most.

        Returns:
            None where the program has no such value.

        Raises:
            What the feed raises while the graph itself is fetched.
        """
        if self._feed(f"{PREFIX}last_root() is not None"):
            return self.records(f"{PREFIX}last_root()", names, most)
        found = self._names(names)
        root = next((name for name in reversed(names) if name in found.values()), None)
        return None if root is None else self.records(root, names, most)

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
        return OwnRecords(nodes, answers, passes, named, earlier)

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
        try:
            return {key: name for name, key in self._feed(f"{PREFIX}names({PREFIX}locals(), {tuple(names)!r})")}
        except self._failures:
            return {}


def _nodes_of(rows: Iterable[Sequence[Any]]) -> Iterator[OwnNode]:
    """The objects that rows describe, and the numbers among their inputs as objects of their own."""
    constants = count(-1, -1)
    for key, kind, op, data, grad, inputs, label, function, in_set in rows:
        held = [one if one.__class__ is int else next(constants) for one in inputs]
        yield OwnNode(
            key,
            kind,
            visible(op.strip(), LONGEST),
            data,
            grad,
            tuple(held),
            visible(label, LONGEST),
            function,
            bool(in_set),
        )
        for own_key, one in zip(held, inputs, strict=True):
            if own_key < 0:
                yield OwnNode(own_key, "", "", one, None, (), "", "", False)


def _answer(row: Sequence[Any]) -> OwnAnswer:
    _, keys, found, words = row
    if len(found) != 2:
        return OwnAnswer(tuple(keys), words=visible(words, 200))
    return OwnAnswer(tuple(keys), tuple(found[0]), tuple(found[1]))
