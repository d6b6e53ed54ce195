"""From a graph to its layout: the form of its boxes and the direction are chosen, then a named layout places them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import networkx as nx

from engine.graph.forms import sized
from engine.graph.legibility import AUTO, PAGE, FormChoice, Size, most_readable
from engine.layout import Layout, drawings
from engine.layout.registry import LAYERED
from engine.layout.result import CancelCheck


class GraphStyle(NamedTuple):
    """Settings for drawing a graph.

    Attributes:
        form: of its boxes, a name of `FORMS`, or "auto".
        direction: "right", "down" or "auto".
        layout: a name of `LAYOUTS`.
    """

    form: str = AUTO
    direction: str = AUTO
    layout: str = LAYERED


def choose_form(
    graph: nx.DiGraph, style: GraphStyle, room: Size = PAGE, current: FormChoice | None = None
) -> FormChoice:
    """Form and direction in which a graph is drawn; arguments as for `most_readable`."""
    return most_readable(graph, room, style.form, style.direction, current, layered=style.layout == LAYERED)


def place(
    graph: nx.DiGraph,
    choice: FormChoice,
    layout: str = LAYERED,
    previous: Layout | None = None,
    cancelled: CancelCheck | None = None,
) -> Iterator[Layout]:
    """The layout of a graph as `drawings` gives it, chains far too long wrapped into rows.

    Args:
        graph: as `build_graph` makes it.
        choice: the form of its boxes, and the direction.
        layout: a name of `LAYOUTS`.
        previous: a layout of the same choice to stay close to.
        cancelled: asked now and then; True stops the work.

    Raises:
        LayoutError: the layout cannot draw this graph.
        LayoutCancelled: `cancelled` returned True.
    """
    return drawings(
        layout, sized(graph, choice.form), direction=choice.direction, previous=previous, fold=True, cancelled=cancelled
    )
