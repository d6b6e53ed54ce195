"""The learner's objects as a graph whose operations are those of the table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from engine.language.own_engine.classes import OwnEngine, Place
from engine.language.own_engine.operations import Recognised, close, named_by, names, recognise
from engine.language.own_engine.probe import OwnNode


class OwnGraph:
    """The learner's objects as a graph whose operations are those of the table.

    Attributes:
        nodes: by key.
        ordered: inputs before what they feed.
        cycle: a key that leads back to itself; 0 where there is none.
        engine: what the text says of it.
        chosen: of the operations that a value may be, the one that its rule was found to be for.
    """

    def __init__(
        self, nodes: Sequence[OwnNode], engine: OwnEngine, earlier: Mapping[int, float | None] | None = None
    ) -> None:
        earlier = earlier or {}
        self.nodes = {
            node.key: replace(node, data=earlier[node.key]) if node.key in earlier else node for node in nodes
        }
        self.engine = engine
        self.chosen: dict[int, Recognised] = {}
        self.root = nodes[0].key if nodes else 0
        self.ordered, self.cycle = self._sorted()

    def _sorted(self) -> tuple[list[OwnNode], int]:
        ordered: list[OwnNode] = []
        done: dict[int, bool] = {}
        stack = [(self.root, False)] if self.root in self.nodes else []
        while stack:
            key, ready = stack.pop()
            if ready:
                done[key] = True
                ordered.append(self.nodes[key])
            elif key not in done:
                done[key] = False
                stack.append((key, True))
                stack += [(one, False) for one in self.keys_of(key) if not done.get(one, False)]
            elif not done[key]:
                return [], key
        return ordered, 0

    def keys_of(self, key: int) -> list[int]:
        """The keys of a node's inputs that are here, in its order."""
        return [one for one in self.nodes[key].inputs if one.__class__ is int and one in self.nodes]

    def datas(self, node: OwnNode) -> list[float]:
        """The data of a node's inputs, nan for what has none."""
        found = [self.nodes[one].data if one in self.nodes else None for one in node.inputs]
        return [math.nan if data is None else data for data in found]

    def hints(self, node: OwnNode) -> list[str]:
        """What names the operation of a node."""
        kind = node.kind if node.kind not in self.engine.classes[:1] else ""
        op = "" if node.op in self.engine.shared_texts else node.op
        return [hint for hint in (op, node.function, kind) if hint]

    @cached_property
    def operations(self) -> dict[int, list[Recognised]]:
        """What each computed value may be, the likeliest first; missing where nothing is known."""
        return {
            node.key: found
            for node in self.ordered
            if node.inputs and (found := recognise(node, self.datas(node), self.hints(node), self.engine.of_one_input))
        }

    def are_ambiguous(self, node: OwnNode) -> bool:
        """Whether several operations give the value of a node, and nothing but a rule could say which it is."""
        fitting = [one for one in self.operations.get(node.key, []) if one.fits]
        if len(fitting) < 2 or node.data is None or fitting[0].op in named_by(tuple(self.hints(node))):
            return False
        first, *others = (one.partials(self.datas(node), node.data) for one in fitting)
        return any(not close(a, b) for other in others for a, b in zip(first, other, strict=True))

    @cached_property
    def gradients(self) -> dict[int, float]:
        """The gradient of the root with respect to each value, by the table's rules; nan where it cannot be known."""
        found = dict.fromkeys(self.nodes, 0.0)
        found[self.root] = 1.0
        for node in reversed(self.ordered):
            if not node.inputs:
                continue
            for key, partial in zip(node.inputs, self.partials(node), strict=True):
                if key in found:
                    found[key] += 0.0 if partial == 0.0 else partial * found[node.key]
        return found

    def partials(self, node: OwnNode) -> list[float]:
        """The derivatives of a node by its inputs, nan where the operation is not known."""
        chosen = self.chosen.get(node.key)
        if chosen is None and not self.are_ambiguous(node) and node.key in self.operations:
            chosen = self.operations[node.key][0]
        if chosen is None or node.data is None:
            return [math.nan] * len(node.inputs)
        return chosen.partials(self.datas(node), node.data)

    def place(self, node: OwnNode) -> Place:
        """Where the rule of a node stands."""
        by_method, by_operation = self.engine.by_method, self.engine.by_operation
        for name in (node.function, node.kind):
            if name in by_method:
                return by_method[name]
        operations = self.operations.get(node.key)
        if node.op:
            if node.op in by_operation:
                return by_operation[node.op]
            begun = [text for text in by_operation if node.op.startswith(text)]
            if begun:
                return by_operation[max(begun, key=len)]
        if operations:
            for name, place in by_method.items():
                if names(operations[0].op, name):
                    return place
        rules = [by_method[name] for name in self.engine.rule if name in by_method]
        line = self.engine.run_line or min(self.engine.definitions.values(), default=1)
        return rules[0] if rules else Place(node.op or node.kind, line)
