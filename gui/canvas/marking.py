"""Which marks a node or edge gets, from the activity and the highlight of the moment."""

from __future__ import annotations

from dataclasses import dataclass

from gui.canvas.activity import Activity, EdgeKey
from gui.canvas.paint import PLAIN, Marks


@dataclass(frozen=True)
class Highlight:
    """What the user looks at.

    Attributes:
        selected: key of the selected node.
        focused: whether the canvas has the keyboard.
        nodes, edges: the path from the hovered or selected node to the output.
    """

    selected: str | None = None
    focused: bool = False
    nodes: frozenset[str] = frozenset()
    edges: frozenset[EdgeKey] = frozenset()


def marks_of(key: str | EdgeKey, activity: Activity, highlight: Highlight) -> Marks:
    """The marks of a node, or of an edge given as (source, target)."""
    if isinstance(key, tuple):
        marks = Marks(
            touched=key in activity.edges,
            on_path=key in highlight.edges,
            flow=activity.flow.get(key),
            text=activity.edge_texts.get(key, ""),
        )
    else:
        selected = key == highlight.selected
        marks = Marks(
            selected=selected,
            touched=key in activity.nodes,
            on_path=key in highlight.nodes,
            focused=selected and highlight.focused,
            differing=key in activity.differing,
        )
    return PLAIN if marks == PLAIN else marks


def marks_of_all(activity: Activity, highlight: Highlight) -> dict[object, Marks]:
    """The marks of everything that has any, for an export of what is on the screen."""
    edges = {*activity.edges, *activity.flow, *activity.edge_texts, *highlight.edges}
    nodes = {*activity.nodes, *activity.differing, *highlight.nodes}
    if highlight.selected is not None:
        nodes.add(highlight.selected)
    marks: dict[object, Marks] = {key: marks_of(key, activity, highlight) for key in nodes}
    return marks | {pair: marks_of(pair, activity, highlight) for pair in edges}
