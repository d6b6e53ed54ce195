"""What can be opened and closed at a node of the picture, and how the document says what is.

A group is open or closed by default; `view.expanded` and `view.collapsed` name those that the user wants otherwise, and
nothing else, so that a file stays short. Composite operations (`op:o`) are closed by default, cones of values
(`cone:n`) open.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

from engine.autograd import Value, can_expand
from engine.graph import GraphNames, Group
from engine.graph.expanded import PREFIX
from engine.graph.groups import all_groups, prefixes

EVERYTHING = "*"


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """An entry of a node's context menu.

    Attributes:
        text: `Expand neuron L1N2`, `Collapse layer 1`.
        opens: names of the groups it opens.
        closes: names of the groups it closes.
    """

    text: str
    opens: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()


@dataclass(frozen=True)
class GroupVisibility:
    """Which groups are closed: the default, and what the user wants otherwise.

    Attributes:
        expanded, collapsed: names, as in the document's view; what is collapsed by name is closed in any case.
        defaults: names of the groups that are closed by default.
    """

    expanded: frozenset[str] = frozenset()
    collapsed: frozenset[str] = frozenset()
    defaults: frozenset[str] = frozenset()

    def is_closed(self, name: str) -> bool:
        """Whether a group is drawn as one box."""
        if name.startswith(PREFIX):
            return name not in self.expanded
        if name in self.collapsed:
            return True
        return name in self.defaults and not {name, EVERYTHING} & self.expanded

    def closed(self, paths: Iterable[Group]) -> frozenset[Group]:
        """Those of the groups on these paths that are drawn as one box."""
        return frozenset(group for group in all_groups(paths) if self.is_closed(group[-1]))

    def changed(self, opens: Collection[str] = (), closes: Collection[str] = ()) -> dict[str, tuple[str, ...]]:
        """The view's fields after groups were opened and closed: `expanded` and `collapsed`."""
        expanded, collapsed = set(self.expanded) - set(closes), set(self.collapsed) - set(opens)
        before = GroupVisibility(frozenset(expanded), frozenset(collapsed - set(closes)), self.defaults)
        expanded.update(name for name in opens if before.is_closed(name))
        collapsed.update(name for name in closes if not before.is_closed(name))
        return {"expanded": tuple(sorted(expanded)), "collapsed": tuple(sorted(collapsed))}


def groups_around(graph: nx.DiGraph, names: GraphNames, key: str) -> tuple[Group, ...]:
    """The open groups in which a node lies, innermost first; () for a node that is not there."""
    attributes = graph.nodes.get(key)
    if attributes is None:
        return ()
    if attributes["kind"] == "op":
        return groups_around(graph, names, key.removesuffix(":op"))
    own = attributes.get("group")
    path = own[:-1] if own else names.groups.get(id(attributes["value"]), ())
    return tuple(reversed(prefixes(path)))


def choices_at(
    graph: nx.DiGraph, names: GraphNames, key: str, cones: Mapping[str, str], alike: Mapping[str, tuple[str, ...]]
) -> tuple[GroupChoice, ...]:
    """What can be opened and closed at a node, what lies nearest first.

    Args:
        graph: as it is drawn.
        names: of its values.
        key: of a box or a circle.
        cones: names of groups by the keys of the values whose past may be collapsed.
        alike: for a group's name those of all groups of its shape.
    """
    attributes = graph.nodes.get(key)
    if attributes is None:
        return ()
    if attributes["kind"] == "op":
        return choices_at(graph, names, key.removesuffix(":op"), cones, alike)
    found = _openings(attributes, names)
    for group in groups_around(graph, names, key):
        found.append(GroupChoice(f"Collapse {names.text(group).title}", closes=group[-1:]))
        same_shape = alike.get(group[-1], ())
        if same_shape:
            found.append(GroupChoice(f"Collapse all {len(same_shape)} of this shape", closes=same_shape))
    cone = cones.get(key, "")
    if cone and not any(cone in choice.closes for choice in found):
        found.append(GroupChoice(f"Collapse all that {attributes['label']} was computed from", closes=(cone,)))
    return tuple(found)


def _openings(attributes: Mapping[str, Any], names: GraphNames) -> list[GroupChoice]:
    value: Value = attributes["value"]
    if attributes["members"]:
        group = attributes["group"]
        return [GroupChoice(f"Expand {names.text(group).title}", opens=group[-1:])]
    if can_expand(value) and id(value) in names.keys:
        assert value.op is not None
        return [GroupChoice(f"Expand {value.op.text} into simpler operations", opens=(PREFIX + names.keys[id(value)],))]
    return []
