"""Graphs as text for other programs: DOT, GraphML, JSON, a text tree, a LaTeX table.

`FORMATS` is the one list; a new format is one entry with a function from a numbered graph to text. All of them write
the same: each node with its label, role, operation, data and grad, and an edge for each operand. Names may hold
anything, so every format escapes them in its own way.

Formats for programs write numbers with all digits; values that are not computed, and a collapsed group with
several outputs, are left out there (JSON: null); people read the norm of such a group's outputs. Those for people
(text tree, LaTeX, the labels of DOT) round like the canvas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import networkx as nx

from engine.graph.formats.dot import dot
from engine.graph.formats.latex import latex
from engine.graph.formats.node_link import graphml, node_link_json
from engine.graph.formats.numbered import Numbered
from engine.graph.formats.tree import tree
from engine.graph.legibility import PLAIN_CHOICE, FormChoice
from engine.graph.picture import read_numbers, stored_numbers
from engine.messages import unknown_name
from engine.teaching.walk import LookUp

__all__ = ["FORMATS", "Format", "FormatError", "LookUp", "write_graph"]


class FormatError(ValueError):
    """A format that does not exist, or a graph that holds nothing."""


@dataclass(frozen=True)
class Format:
    """A text format: its name for a menu, its extension without a dot, and what writes it."""

    name: str
    extension: str
    write: Callable[[Numbered], str]


def write_graph(
    graph: nx.DiGraph,
    name: str,
    look_up: LookUp = stored_numbers,
    problems: Mapping[int, str] | None = None,
    choice: FormChoice = PLAIN_CHOICE,
) -> str:
    """A graph as text.

    Args:
        graph: as `build_graph` makes it.
        name: a key of FORMATS.
        look_up: returns the present (data, grad) of a value, None where not computed.
        problems: words about values that went wrong, by `id(value)`.
        choice: form of the boxes and direction, where the format has them.

    Raises:
        FormatError: for an unknown name or an empty graph.
    """
    if name not in FORMATS:
        raise FormatError(unknown_name("graph format", name, FORMATS))
    if not len(graph):
        raise FormatError("nothing to export: the graph is empty")
    return FORMATS[name].write(Numbered(graph, look_up, read_numbers(graph, look_up, problems), choice))


FORMATS: Mapping[str, Format] = {
    entry.extension: entry
    for entry in (
        Format("DOT, for Graphviz", "dot", dot),
        Format("GraphML", "graphml", graphml),
        Format("JSON, node-link", "json", node_link_json),
        Format("text tree", "txt", tree),
        Format("LaTeX table of derivatives", "tex", latex),
    )
}
"""Formats by extension."""
