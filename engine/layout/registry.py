"""The layouts there are, by name: ours in layers, and those of networkx. One more is one more entry of `LAYOUTS`."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import networkx as nx

from engine.layout.blocks import BlockGraph, connected_components, contract
from engine.layout.networkx_layouts import Positions, Spreading, component_layout
from engine.layout.pipeline import expect_direction, finished, progressive_layout
from engine.layout.placement import pack
from engine.layout.result import CancelCheck, Layout, LayoutError, Point

LAYERED = "layered"
SEED = 1
"""Layouts that begin at random places begin at the same ones each time."""


def _always() -> str:
    return ""


@dataclass(frozen=True)
class LayoutEntry:
    """A way to lay out a graph.

    Attributes:
        title: for a menu.
        tip: what it does, in a sentence without full stop.
        positions: of networkx: where the blocks of a connected graph stand; None for the layered layout.
        most_nodes: operations with their results up to which it takes no longer than a few seconds; None: any number.
        missing: why it cannot be used on this machine, in a sentence; "" when it can.
        refuses: why it cannot draw a graph, in a sentence; "" when it can.
        spreading: how positions get room for boxes, as `component_layout` has it.
    """

    title: str
    tip: str
    positions: Callable[[BlockGraph], Positions] | None
    most_nodes: int | None = None
    missing: Callable[[], str] = _always
    refuses: Callable[[nx.DiGraph], str] = lambda _graph: ""
    spreading: Spreading = "pushed"


def _by_rank(graph: BlockGraph) -> Positions:
    """Columns by the longest way to an end."""
    ranks = [0] * len(graph)
    for number in reversed(range(len(graph))):
        ranks[number] = min((ranks[after] - 1 for after in graph.outputs[number]), default=0)

    def positions(plain: nx.Graph) -> Mapping[int, Iterable[float]]:
        nx.set_node_attributes(plain, dict(enumerate(ranks)), "rank")
        found: Mapping[int, Iterable[float]] = nx.multipartite_layout(plain, subset_key="rank")
        return found

    return positions


def _plain(
    function: Callable[..., Mapping[int, Iterable[float]]], **settings: object
) -> Callable[[BlockGraph], Positions]:
    return lambda _graph: partial(function, **settings)


def _without_scipy() -> str:
    if importlib.util.find_spec("scipy") is None:
        return "Needs SciPy, which is not installed"
    return ""


def _without_forceatlas2() -> str:
    return "" if hasattr(nx, "forceatlas2_layout") else "Needs networkx 3.4 or newer"


def _is_crossed(digraph: nx.DiGraph) -> str:
    if nx.check_planarity(nx.Graph(digraph))[0]:
        return ""
    return "This graph is not planar: some of its edges have to cross"


def _forceatlas2(plain: nx.Graph) -> Mapping[int, Iterable[float]]:
    found: Mapping[int, Iterable[float]] = nx.forceatlas2_layout(plain, seed=SEED)
    return found


LAYOUTS: Mapping[str, LayoutEntry] = {
    LAYERED: LayoutEntry("Layered", "In layers along the direction, with few crossings and edges around boxes", None),
    "multipartite": LayoutEntry(
        "Multipartite", "In columns by the longest way to the output, as networkx places them", _by_rank, 2_000,
        spreading="gridded",
    ),
    "kamada_kawai": LayoutEntry(
        "Kamada-Kawai", "Distances on the picture like those along the edges", _plain(nx.kamada_kawai_layout), 200,
        missing=_without_scipy,
    ),
    "spring": LayoutEntry(
        "Spring", "Edges pull and nodes push, Fruchterman and Reingold", _plain(nx.spring_layout, seed=SEED), 499
    ),
    "planar": LayoutEntry(
        "Planar", "From a drawing without crossings, where the graph allows one", _plain(nx.planar_layout), 300,
        refuses=_is_crossed, spreading="scaled",
    ),
    "forceatlas2": LayoutEntry(
        "ForceAtlas2", "Edges pull and nodes push, groups stand out", lambda _graph: _forceatlas2, 499,
        missing=_without_forceatlas2,
    ),
}  # fmt: skip
"""All layouts by name; menu, command line, session files and tests read it."""


def why_not(name: str, digraph: nx.DiGraph) -> str:
    """Why a layout cannot draw a graph, in a sentence without full stop; "" when it can."""
    entry = LAYOUTS[name]
    values = sum(kind != "op" for _, kind in digraph.nodes(data="kind"))
    if missing := entry.missing():
        return missing
    if entry.most_nodes is not None and values > entry.most_nodes:
        return f"Draws up to {entry.most_nodes:,} values, and this graph has {values:,}"
    return entry.refuses(digraph)


def drawings(
    name: str,
    digraph: nx.DiGraph,
    *,
    direction: str = "right",
    previous: Layout | Mapping[Hashable, Point] | None = None,
    fold: bool = False,
    cancelled: CancelCheck | None = None,
) -> Iterator[Layout]:
    """Lay out a graph by a named layout.

    Args:
        name: one of `LAYOUTS`.
        digraph, direction, previous, fold, cancelled: as for `progressive_layout`; layouts of networkx know no previous
            drawing, are never folded, and are cancelled between their steps only.

    Yields:
        one drawing or two: a picture soon, and a better one.

    Raises:
        LayoutError: there is no such layout, or it cannot draw this graph; besides what `layout` raises.
        LayoutCancelled: `cancelled` returned True.
    """
    if name not in LAYOUTS:
        raise LayoutError(f"the layout is one of {', '.join(LAYOUTS)}, not {name!r}")
    entry = LAYOUTS[name]
    if entry.positions is None:
        yield from progressive_layout(digraph, direction=direction, previous=previous, fold=fold, cancelled=cancelled)
        return
    if reason := why_not(name, digraph):
        raise LayoutError(f"the layout {name} cannot draw this graph: {reason[0].lower()}{reason[1:]}")
    expect_direction(direction)
    components = connected_components(contract(digraph, direction))
    parts = [
        component_layout(digraph, part, entry.positions(part), direction, cancelled, entry.spreading)
        for part in components
    ]
    yield finished(pack(parts), direction, "full")
