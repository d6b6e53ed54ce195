"""What happens in the graph at this moment, as the canvas is told it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

EdgeKey = tuple[str, str]


@dataclass(frozen=True)
class Activity:
    """What a step has just touched, and what to show beside the numbers. Keys that are not drawn are ignored.

    Attributes:
        nodes, edges: just changed; drawn thicker and in the accent colour.
        differing: nodes that differ from what they are compared with.
        flow: -1 to 1 for an edge: its width and colour show the gradient that runs along it.
        edge_texts: a short text on an edge, such as its local derivative.
    """

    nodes: frozenset[str] = frozenset()
    edges: frozenset[EdgeKey] = frozenset()
    differing: frozenset[str] = frozenset()
    flow: Mapping[EdgeKey, float] = field(default_factory=dict)
    edge_texts: Mapping[EdgeKey, str] = field(default_factory=dict)


QUIET = Activity()
