"""The networkx graph of values, without a reference to itself, so that it is freed with its last reference."""

from __future__ import annotations

from typing import Any

import networkx as nx
from networkx.classes import reportviews


class ValueGraph(nx.DiGraph):  # type: ignore[misc]  # networkx has no types
    """A DiGraph that keeps no views of itself.

    networkx caches `edges`, `degree` and their like in the graph, and each of them holds the graph: such a cycle lives
    until the cyclic collector comes by, with every Value in it, and the window keeps that collector off. Made anew each
    time a view costs about a microsecond.
    """

    @property
    def edges(self) -> Any:
        """The edges, as networkx gives them."""
        return reportviews.OutEdgeView(self)

    out_edges = edges

    @property
    def in_edges(self) -> Any:
        """The edges by their targets."""
        return reportviews.InEdgeView(self)

    @property
    def degree(self) -> Any:
        """Number of edges of each node."""
        return reportviews.DiDegreeView(self)

    @property
    def in_degree(self) -> Any:
        """Number of incoming edges of each node."""
        return reportviews.InDegreeView(self)

    @property
    def out_degree(self) -> Any:
        """Number of outgoing edges of each node."""
        return reportviews.OutDegreeView(self)
