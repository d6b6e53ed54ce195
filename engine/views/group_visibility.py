"""Groups that can be expanded and collapsed at a node of the picture, and their state in the document.

Every group has a default state; `view.expanded` and `view.collapsed` name only the exceptions, so that a file stays
short. Composite operations (`op:o`) are collapsed by default, cones of values (`cone:n`) expanded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

from engine.autograd import Value, can_expand
from engine.graph import GraphNames, Group
from engine.graph.expanded import PREFIX
from engine.graph.groups import all_groups, prefixes

EVERYTHING = "*"
CONE = "cone:"
_NETWORK = re.compile(rf"{PREFIX}(s\d+\.)?L\d+N\d+\b")


@dataclass(frozen=True, slots=True)
class GroupChoice:
    """An entry of a node's context menu.

    Attributes:
        text: `Expand neuron L1N2`, `Collapse layer 1`.
        expands: names of the groups it expands.
        collapses: names of the groups it collapses.
    """

    text: str
    expands: tuple[str, ...] = ()
    collapses: tuple[str, ...] = ()


@dataclass(frozen=True)
class GroupVisibility:
    """Collapsed groups: the default, and the user's exceptions.

    Attributes:
        expanded, collapsed: names, as in the document's view; `collapsed` takes precedence.
        defaults: names of the groups that are collapsed by default.
    """

    expanded: frozenset[str] = frozenset()
    collapsed: frozenset[str] = frozenset()
    defaults: frozenset[str] = frozenset()

    def is_collapsed(self, name: str) -> bool:
        """Return True for a group that is drawn as one box."""
        if name.startswith(PREFIX):
            return name not in self.expanded
        if name in self.collapsed:
            return True
        return name in self.defaults and not {name, EVERYTHING} & self.expanded

    def collapsed_groups(self, paths: Iterable[Group]) -> frozenset[Group]:
        """Return the groups on these paths that are drawn as one box."""
        return frozenset(group for group in all_groups(paths) if self.is_collapsed(group[-1]))

    def changed(self, expands: Collection[str] = (), collapses: Collection[str] = ()) -> dict[str, tuple[str, ...]]:
        """Return the view's fields after groups were expanded and collapsed: `expanded` and `collapsed`."""
        expanded, collapsed = set(self.expanded) - set(collapses), set(self.collapsed) - set(expands)
        before = GroupVisibility(frozenset(expanded), frozenset(collapsed - set(collapses)), self.defaults)
        expanded.update(name for name in expands if before.is_collapsed(name))
        collapsed.update(name for name in collapses if not before.is_collapsed(name))
        return {"expanded": tuple(sorted(expanded)), "collapsed": tuple(sorted(collapsed))}


def view_of_new_program(expanded: Iterable[str], collapsed: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the view's fields for another program: all groups have their default state."""

    def kept(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if _NETWORK.match(name) or not name.startswith((PREFIX, CONE)))

    return {"expanded": kept(expanded), "collapsed": kept(collapsed), "moved": ()}


def groups_around(graph: nx.DiGraph, names: GraphNames, key: str) -> tuple[Group, ...]:
    """Return the expanded groups around a node, innermost first; () for an unknown node."""
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
    """Return what can be expanded and collapsed at a node, nearest first.

    Args:
        graph: the drawn graph.
        names: of its values.
        key: of a box or a circle.
        cones: group names by the keys of values whose inputs can be collapsed.
        alike: by a group's name, the names of all groups of its shape.
    """
    attributes = graph.nodes.get(key)
    if attributes is None:
        return ()
    if attributes["kind"] == "op":
        return choices_at(graph, names, key.removesuffix(":op"), cones, alike)
    found = _openings(attributes, names)
    for group in groups_around(graph, names, key):
        found.append(GroupChoice(f"Collapse {names.text(group).title}", collapses=group[-1:]))
        same_shape = alike.get(group[-1], ())
        if same_shape:
            found.append(GroupChoice(f"Collapse all {len(same_shape)} of this shape", collapses=same_shape))
    cone = cones.get(key, "")
    if cone and not any(cone in choice.collapses for choice in found):
        found.append(GroupChoice(f"Collapse all that {attributes['label']} was computed from", collapses=(cone,)))
    return tuple(found)


def _openings(attributes: Mapping[str, Any], names: GraphNames) -> list[GroupChoice]:
    value: Value = attributes["value"]
    if attributes["members"]:
        group = attributes["group"]
        return [GroupChoice(f"Expand {names.text(group).title}", expands=group[-1:])]
    if can_expand(value) and id(value) in names.keys:
        assert value.op is not None
        return [
            GroupChoice(f"Expand {value.op.text} into simpler operations", expands=(PREFIX + names.keys[id(value)],))
        ]
    return []
