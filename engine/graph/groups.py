"""Groups: which values are drawn as one box, and that no choice of closed groups can put a cycle into the picture.

A value lies in a path of groups, outermost first (`("L1", "L1N2")`: a neuron in its layer); the name of a group, the
last part of its path, is its own. A closed group becomes one box. Contracting sets of values can make a cycle although
the graph has none (a value outside that lies between two inside); such a group stays open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import networkx as nx

from engine.autograd import Value

Group = tuple[str, ...]

MOST_BOXES = 5_000
"""Values and closed groups that are drawn at most, as long as there are groups to close."""
MOST_EDGES = 10_000
"""Lines between them that are drawn at most, likewise."""


@dataclass(frozen=True, slots=True)
class GroupText:
    """Display name of a group.

    Attributes:
        label: in its box when it is closed; short.
        title: in a menu or a sentence, such as `neuron L1N2`.
        parts: plural name of the groups in it (`neurons`); "" when there are none.
    """

    label: str
    title: str
    parts: str = ""


def group_key(group: Group) -> str:
    """The node name of a closed group."""
    return "group:" + group[-1]


def prefixes(path: Group) -> list[Group]:
    """The groups on the way to a value, outermost first."""
    return [path[:depth] for depth in range(1, len(path) + 1)]


def all_groups(paths: Iterable[Group]) -> dict[Group, int]:
    """Every group with the number of values in it, outer ones before those in them."""
    counts: dict[Group, int] = {}
    for path, count in Counter(paths).items():
        for group in prefixes(path):
            counts[group] = counts.get(group, 0) + count
    return dict(sorted(counts.items(), key=lambda entry: len(entry[0])))


def homes_of(values: Sequence[Value], paths: Mapping[int, Group], closed: Set[Group]) -> dict[int, Group]:
    """The box in which each value of a closed group lies, by `id(value)`; values that are drawn themselves are left
    out.

    A group whose contraction would make a cycle stays open.

    Args:
        values: inputs before their consumers.
        paths: where each value lies, by `id(value)`; may be partial.
        closed: groups to draw as one box; the outermost counts.
    """
    left = set(closed)
    while True:
        home_of = {path: _home(path, left) for path in set(paths.values())}
        grouped = ((id(value), home_of.get(paths.get(id(value), ()))) for value in values)
        homes = {identity: home for identity, home in grouped if home is not None}
        tangled = _tangled(values, homes) if homes else {}
        if not tangled:
            return homes
        left.remove(max(tangled, key=lambda group: (tangled[group], group)))


def closed_for_drawing(
    values: Sequence[Value], paths: Mapping[int, Group], closed: Set[Group]
) -> tuple[frozenset[Group], frozenset[Group]]:
    """The groups to close so that no more is drawn than can be: the innermost first, all of one depth together.

    Args:
        values: the whole graph.
        paths: where each value lies, by `id(value)`; may be partial.
        closed: the groups that are closed in any case.

    Returns:
        The groups to close, and those among them that stay closed only because there would be too much to draw.
    """
    now = frozenset(closed)
    if len(values) <= MOST_BOXES and sum(len(value.inputs) for value in values) <= MOST_EDGES:
        return now, frozenset()
    for depth in range(max(map(len, paths.values()), default=0), 0, -1):
        if _can_be_drawn(values, paths, now):
            break
        now |= {path[:depth] for path in paths.values() if len(path) >= depth}
    seen = {home for path in set(paths.values()) if (home := _home(path, now)) is not None}
    return now, frozenset(seen - closed)


def _can_be_drawn(values: Sequence[Value], paths: Mapping[int, Group], closed: Set[Group]) -> bool:
    home_of = {path: _home(path, closed) for path in set(paths.values())}
    homes: dict[int, int | Group] = {id(v): home_of.get(paths.get(id(v), ())) or id(v) for v in values}
    if len(set(homes.values())) > MOST_BOXES:
        return False
    edges = {(homes[id(source)], homes[id(value)]) for value in values for source in value.inputs}
    return len(edges) <= MOST_EDGES


def _home(path: Group, closed: Set[Group]) -> Group | None:
    return next((path[:depth] for depth in range(1, len(path) + 1) if path[:depth] in closed), None)


def _tangled(values: Sequence[Value], homes: Mapping[int, Group]) -> dict[Group, int]:
    """The groups on cycles of the contracted graph, with the number of their values."""
    edges: dict[int | Group, set[int | Group]] = {}
    for value in values:
        target = homes.get(id(value), id(value))
        sources = {homes.get(id(source), id(source)) for source in value.inputs}
        edges.setdefault(target, set()).update(sources)
    graph: nx.DiGraph = nx.DiGraph()
    for target, sources in edges.items():
        graph.add_edges_from((source, target) for source in sources if source != target)
    if nx.is_directed_acyclic_graph(graph):
        return {}
    sizes = all_groups(homes.values())
    knots = (knot for knot in nx.strongly_connected_components(graph) if len(knot) > 1)
    return {node: sizes[node] for knot in knots for node in knot if isinstance(node, tuple)}


def crowded(paths: Mapping[int, Group], n_values: int, most_boxes: int) -> list[Group]:
    """Groups to close in addition to the innermost ones, for at most about `most_boxes` boxes.

    Args:
        paths: where each value lies; groups in groups are counted as closed.
        n_values: all values of the graph.
        most_boxes: 1 or more.

    Returns:
        Outermost groups, those with most boxes first, all of one size together; none when there are few boxes anyway.
    """
    inside: dict[Group, set[Group]] = {}
    for path in paths.values():
        inside.setdefault(path[:1], set()).add(path[:2])
    boxes = n_values - len(paths) + sum(len(parts) for parts in inside.values())
    closed: list[Group] = []
    for size in sorted({len(parts) for parts in inside.values()}, reverse=True):
        if boxes <= most_boxes:
            break
        equal = [group for group, parts in inside.items() if len(parts) == size]
        closed += equal
        boxes -= (size - 1) * len(equal)
    return closed


def main_key(graph: nx.DiGraph, node: str) -> str:
    """Return the key of the value of a box: its own, or the key of a closed group's only output; "" for several."""
    return str(graph.nodes[node].get("main", node))


def taken_over(
    positions: Mapping[str, tuple[float, float]], before: nx.DiGraph, after: nx.DiGraph
) -> dict[str, tuple[float, float]]:
    """Return places for the next drawing, when groups were opened or closed.

    A closed group takes the place of its output, and the output of an opened group that of its box.

    Args:
        positions: places in `before`, by node.
        before, after: graphs as `build_graph` makes them.
    """
    places = dict(positions)
    boxes = before.graph.get("boxes", {})
    for node in after:
        if node in places or after.nodes[node]["kind"] != "value":
            continue
        main = main_key(after, node)
        box = boxes.get(main)
        if box in positions and main_key(before, box) == main:
            places[node] = positions[box]
    return places


def came_from(before: nx.DiGraph, after: nx.DiGraph) -> dict[str, str]:
    """For every box that is new in `after` the box of `before` that held one of its values, or the operation that was
    opened: where it comes out of, when the change is animated. Boxes of values that are new themselves are left out.
    """
    old, new = before.graph.get("boxes", {}), after.graph.get("boxes", {})
    fresh = ((box, key if key in old else key.rpartition(":")[0]) for key, box in new.items() if box not in before)
    return {box: old[key] for box, key in fresh if key in old}
