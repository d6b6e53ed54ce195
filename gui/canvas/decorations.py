"""Marks of nodes and edges: touched by the last step, selected, on the path to the output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

EdgeKey = tuple[str, str]


@dataclass(frozen=True)
class Activity:
    """Nodes and edges touched by the last step, with texts to show. Keys that are not drawn are ignored.

    Attributes:
        nodes, edges: just changed; drawn thicker and in the accent colour.
        differing: nodes that differ from their counterpart in the other graph.
        flow: -1 to 1 for an edge: its width and colour show the gradient that runs along it.
        edge_labels: a short text on an edge, such as its local derivative.
        badges: one or two characters in the corner of a differing node that say how it differs.
    """

    nodes: frozenset[str] = frozenset()
    edges: frozenset[EdgeKey] = frozenset()
    differing: frozenset[str] = frozenset()
    flow: Mapping[EdgeKey, float] = field(default_factory=dict)
    edge_labels: Mapping[EdgeKey, str] = field(default_factory=dict)
    badges: Mapping[str, str] = field(default_factory=dict)


QUIET = Activity()


@dataclass(frozen=True, slots=True)
class Decoration:
    """Marks of one node or edge at this moment.

    Attributes:
        selected: chosen by the user.
        touched: the last step has just changed it.
        on_path: lies between the selected or hovered node and the output.
        focused: selected while the canvas has the keyboard.
        differing: marked as different from its counterpart in the other graph.
        flow: -1 to 1, how much gradient runs along an edge; None: not shown.
        text: written on an edge, such as its local derivative.
        badge: one or two characters in the corner of a node that say how it differs.
    """

    selected: bool = False
    touched: bool = False
    on_path: bool = False
    focused: bool = False
    differing: bool = False
    flow: float | None = None
    text: str = ""
    badge: str = ""


PLAIN = Decoration()


@dataclass(frozen=True)
class Highlight:
    """The user's selection, focus and highlighted path.

    Attributes:
        selected: key of the selected node.
        focused: the canvas has the keyboard focus.
        nodes, edges: the path from the hovered or selected node to the output.
    """

    selected: str | None = None
    focused: bool = False
    nodes: frozenset[str] = frozenset()
    edges: frozenset[EdgeKey] = frozenset()


def decoration_of(key: str | EdgeKey, activity: Activity, highlight: Highlight) -> Decoration:
    """The decoration of a node, or of an edge given as (source, target)."""
    if isinstance(key, tuple):
        decoration = Decoration(
            touched=key in activity.edges,
            on_path=key in highlight.edges,
            flow=activity.flow.get(key),
            text=activity.edge_labels.get(key, ""),
        )
    else:
        selected = key == highlight.selected
        decoration = Decoration(
            selected=selected,
            touched=key in activity.nodes,
            on_path=key in highlight.nodes,
            focused=selected and highlight.focused,
            differing=key in activity.differing,
            badge=activity.badges.get(key, ""),
        )
    return PLAIN if decoration == PLAIN else decoration


def all_decorations(activity: Activity, highlight: Highlight) -> dict[object, Decoration]:
    """Return the decorations of all nodes and edges that have any, for an export of the visible canvas."""
    edges = {*activity.edges, *activity.flow, *activity.edge_labels, *highlight.edges}
    nodes = {*activity.nodes, *activity.differing, *highlight.nodes}
    if highlight.selected is not None:
        nodes.add(highlight.selected)
    decorations: dict[object, Decoration] = {key: decoration_of(key, activity, highlight) for key in nodes}
    return decorations | {pair: decoration_of(pair, activity, highlight) for pair in edges}
