"""Laying out a graph: a small one at once, a large one by a function for a thread, in several steps.

A layout that fails is logged and told in one sentence, and the graph is drawn in plain columns instead.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from types import MappingProxyType
from typing import NamedTuple

import networkx as nx

from engine.graph.forms import sized
from engine.graph.legibility import PAGE, PLAIN_CHOICE, FormChoice, Size
from engine.graph.moved import move_boxes
from engine.graph.picture import Picture, Point, make_picture
from engine.graph.placing import GraphStyle, choose_form, place
from engine.layout import LAYOUTS, Layout, LayoutCancelled, fallback_layout, why_not
from engine.layout.registry import LAYERED
from gui.canvas.prepared_picture import PreparedPicture

AT_ONCE, EDGES_AT_ONCE = 90, 120
"""Graphs of up to so many nodes and edges are laid out in the GUI thread: it takes less than a blink."""
ROUNDS_AT_ONCE = 60
"""Rounds of a layout, 0.1 to 0.2 ms each, allowed in the GUI thread; a longer layout restarts in a worker thread."""

_log = logging.getLogger(__name__)


class LaidOutGraph(NamedTuple):
    """A graph that was laid out.

    Attributes:
        choice: form and direction in which it is drawn.
        placed: its layout.
        picture: the picture, nothing moved by hand.
        prepared: the picture that is shown, ready to be drawn.
        refused: why it is not in the layout that was asked for, in a sentence; "" when it is.
        failure: that the layout failed and plain columns stand for it, in a sentence; "" for nothing.
    """

    choice: FormChoice
    placed: Layout
    picture: Picture
    prepared: PreparedPicture
    refused: str = ""
    failure: str = ""


class LayoutRequest(NamedTuple):
    """Everything that a layout is computed from.

    Attributes:
        graph: must not be changed meanwhile.
        style: form, direction and layout; what is "auto" is chosen here.
        room: width and height of the canvas, pixels.
        current: how the graph, or what it was before an edit, is drawn now; None for another subject.
        previous: the layout of it, to stay close to.
        moved: by key, how far values were moved by hand, scene pixels.
    """

    graph: nx.DiGraph
    style: GraphStyle = GraphStyle()
    room: Size = PAGE
    current: FormChoice | None = None
    previous: Layout | None = None
    moved: Mapping[str, Point] = MappingProxyType({})


def laid_out_at_once(wanted: LayoutRequest) -> LaidOutGraph | None:
    """A small graph; None for one that takes longer than a blink."""
    graph = wanted.graph
    if len(graph) > AT_ONCE or graph.number_of_edges() > EDGES_AT_ONCE or wanted.style.layout != LAYERED:
        return None
    rounds = count()
    try:
        *_, laid = layouts(wanted, lambda: next(rounds) > ROUNDS_AT_ONCE)
    except ValueError:  # cancelled: there is none
        return None
    return laid


def layouts(wanted: LayoutRequest, cancelled: Callable[[], bool]) -> Iterator[LaidOutGraph]:
    """A layout soon and a better one that grows out of it; for a thread. After `cancelled` no more come."""
    choice, refused = PLAIN_CHOICE, ""
    if wanted.style.layout != LAYERED and (reason := why_not(wanted.style.layout, wanted.graph)):
        refused = f"{LAYOUTS[wanted.style.layout].title}: {reason}; the graph is laid out in layers instead."
        wanted = wanted._replace(style=wanted.style._replace(layout=LAYERED))
    try:
        choice = choose_form(wanted.graph, wanted.style, wanted.room, wanted.current)
        previous = wanted.previous if choice == wanted.current else None
        for placed in place(wanted.graph, choice, wanted.style.layout, previous, cancelled):
            yield _laid(wanted, choice, placed, refused)
    except LayoutCancelled:
        return
    except Exception as error:
        _log.exception("the layout of %d nodes failed", len(wanted.graph))
        placed = fallback_layout(sized(wanted.graph, choice.form), choice.direction)
        yield _laid(wanted, choice, placed)._replace(failure=failure_text(error))


def _laid(wanted: LayoutRequest, choice: FormChoice, placed: Layout, refused: str = "") -> LaidOutGraph:
    picture = make_picture(wanted.graph, placed, choice.form)
    return LaidOutGraph(choice, placed, picture, PreparedPicture(move_boxes(picture, wanted.moved)), refused)


def failure_text(error: Exception) -> str:
    """Return the message for a failed layout."""
    reason = str(error) or type(error).__name__
    return f"The graph could not be laid out well ({reason}) and is drawn in plain columns; change it, or close groups."
