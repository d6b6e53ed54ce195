"""Composite operations expanded in place: the graph with some of them in primitives, names carried over.

The graph is rebuilt (`engine.autograd.expand`), so everything that looks at it sees plain values: stepping, explaining
and checking an expanded tanh needs nothing of its own. What an operation became forms a group, `op:` and the key of its
value, in the innermost group around it.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from engine.autograd import Expansion, Value, can_expand, expand, name_of, topological_order
from engine.graph.build import GraphNames
from engine.graph.groups import GroupText

PREFIX = "op:"
MOST_VALUES = 70_000
"""Values a graph may have with its operations expanded (150 MB); those there is no room for stay as they are."""
PARTS_OF_AN_INPUT, PARTS = 3, 12
"""An operation becomes at most so many values for each of its inputs, and so many besides."""
T = TypeVar("T")


@dataclass(frozen=True)
class ExpandedGraph:
    """A graph with some operations in primitives.

    Attributes:
        roots: of the new graph.
        names: names of its values.
        now: for every value of the original its counterpart.
        parts: for every expanded value of the original its new values, its counterpart last.
    """

    roots: tuple[Value, ...]
    names: GraphNames
    now: Mapping[Value, Value]
    parts: Mapping[Value, tuple[Value, ...]]


def expand_operations(
    roots: Sequence[Value], names: GraphNames, expanded: Collection[str], done: ExpandedGraph | None = None
) -> ExpandedGraph | None:
    """Expand the named operations, and operations inside their expansions.

    An operation whose primitives overflow where it does not itself is kept.

    Args:
        roots: one value or more; left untouched.
        names: keys of their past; a value without one cannot be expanded.
        expanded: such as `op:o`; what names no composite operation is ignored.
        done: a copy of that graph, to be expanded in its place.

    Returns:
        None when there is nothing to expand.
    """
    wanted = {name[len(PREFIX) :] for name in expanded if name.startswith(PREFIX)}
    while wanted:
        now = done or ExpandedGraph(tuple(roots), names, {}, {})
        chosen = _chosen(now, wanted)
        expansion = _sound_expansion(now.roots, chosen)
        wanted -= {now.names.keys[id(value)] for value in chosen}
        if expansion is None:
            break
        done = _joined(now, expansion)
    return done


def copied_graph(graph: ExpandedGraph) -> ExpandedGraph:
    """The same with values of its own, their data and gradients included."""
    order = topological_order(*graph.roots)
    mapping = dict(zip(order, copy.deepcopy(order), strict=True))
    return _joined(graph, Expansion(mapping[graph.roots[0]], mapping, {}))


def _chosen(now: ExpandedGraph, wanted: set[str]) -> set[Value]:
    """The operations to expand next: those that are there, in the order of computation, as far as there is room."""
    past = list(dict.fromkeys(value for root in now.roots for value in topological_order(root)))
    room, chosen = MOST_VALUES - len(past), set()
    for value in past:
        if can_expand(value) and now.names.keys.get(id(value)) in wanted:
            room -= PARTS_OF_AN_INPUT * len(value.inputs) + PARTS
            if room < 0:
                break
            chosen.add(value)
    return chosen


def _sound_expansion(roots: Sequence[Value], chosen: set[Value]) -> Expansion | None:
    """The expansion of those values whose primitive forms hold; None when that is none of them."""
    while chosen:
        expansion = expand(roots[0], only=chosen, extra_roots=roots[1:])
        broken = {value for value, parts in expansion.parts.items() if _overflows(value, parts)}
        if not broken:
            return expansion if expansion.parts else None
        chosen = chosen - broken
    return None


def _overflows(value: Value, parts: Sequence[Value]) -> bool:
    return math.isfinite(value.data) and not all(math.isfinite(part.data) for part in parts)


def _joined(before: ExpandedGraph, expansion: Expansion) -> ExpandedGraph:
    mapping = expansion.mapping
    now = {value: mapping[last] for value, last in before.now.items()} if before.now else mapping
    parts = {value: tuple(mapping[part] for part in old) for value, old in before.parts.items()}
    if before.now:
        originals = {last: value for value, last in before.now.items()}
        fresh = {originals[value]: new for value, new in expansion.parts.items() if value in originals}
    else:
        fresh = dict(expansion.parts)
    names = _carried(before.names, expansion)
    return ExpandedGraph(tuple(mapping[root] for root in before.roots), names, now, parts | fresh)


def _carried(names: GraphNames, expansion: Expansion) -> GraphNames:
    """Return names of the new values: the old names, and for parts the key of their value with a number."""
    new = {id(old): id(now) for old, now in expansion.mapping.items()}
    keys, groups = _moved(names.keys, new), _moved(names.groups, new)
    texts = dict(names.texts)
    for value, parts in expansion.parts.items():
        assert value.op is not None
        key = names.keys[id(value)]
        texts[PREFIX + key] = GroupText(name_of(value), f"{name_of(value)}: {value.op.text}")
        for index, part in enumerate(parts):
            keys.setdefault(id(part), f"{key}:{index}")
            groups[id(part)] = (*names.groups.get(id(value), ()), PREFIX + key)
    return GraphNames(keys, _moved(names.roles, new), groups, texts)


def _moved(table: Mapping[int, T], new: Mapping[int, int]) -> dict[int, T]:
    return {new[identity]: entry for identity, entry in table.items() if identity in new}
