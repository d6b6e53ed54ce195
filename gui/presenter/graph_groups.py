"""The groups of the graph that is shown: which are around a value, and asking for them to be opened or closed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.views.graph_view import GraphView
from engine.views.group_visibility import GroupChoice


class GraphGroups:
    """Opens and closes groups by asking for another view; whoever owns the graph shows it with them."""

    def __init__(self, graph_view: Callable[[], GraphView], request: Callable[[Mapping[str, Any]], object]) -> None:
        """Args: getter of the shown graph view, and a callback with the fields of the requested view."""
        self._graph_view, self._request = graph_view, request

    def toggle(self, key: str) -> None:
        """Expand a group one level, or collapse the innermost expanded group that a node belongs to, if any."""
        attributes = self._graph_view().graph.nodes.get(key, {})
        if attributes.get("members"):
            self.expand(attributes["group"][-1])
        elif around := self.around(key):
            self.collapse(around[0])

    def expand(self, name: str) -> None:
        """Open a group ("L1N2"), or a composite operation in place ("op:o")."""
        self._change(expands=[name])

    def collapse(self, name: str) -> None:
        """Collapse a group, an expanded operation ("op:o"), or all that a value was computed from ("cone:n")."""
        self._change(collapses=[name])

    def around(self, key: str) -> tuple[str, ...]:
        """Names of the expanded groups in which a node lies, innermost first."""
        return tuple(group[-1] for group in self._graph_view().groups_around(key))

    def choices(self, key: str) -> tuple[GroupChoice, ...]:
        """Return the groups that can be expanded or collapsed at a node, with menu texts; `choose` applies one."""
        return self._graph_view().choices(key)

    def choose(self, choice: GroupChoice) -> None:
        """Expand and collapse what a choice says."""
        self._change(choice.expands, choice.collapses)

    def _change(self, expands: Sequence[str] = (), collapses: Sequence[str] = ()) -> None:
        self._request(self._graph_view().visibility.changed(expands, collapses))
