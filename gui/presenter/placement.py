"""Places of the nodes on a canvas: laid out once for each structure, kept while only numbers change, and moved by hand.

A small graph is laid out at once, a large one in a worker thread. A layout that fails is logged and reported in one
sentence, and the graph is drawn in plain columns instead.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from types import MappingProxyType
from typing import Any, NamedTuple

import networkx as nx
from PySide6.QtCore import QObject, Signal

from engine.graph import EMPTY_PICTURE
from engine.graph.forms import sized
from engine.graph.groups import came_from, taken_over
from engine.graph.legibility import PAGE, PLAIN_CHOICE, FormChoice, Size
from engine.graph.moved import move_boxes
from engine.graph.picture import Picture, Point, make_picture
from engine.graph.placing import GraphStyle, choose_form, place
from engine.layout import LAYOUTS, Layout, LayoutCancelled, fallback_layout, why_not
from engine.layout.registry import LAYERED
from engine.views.graph_view import GraphView
from gui.background import Job
from gui.canvas.render_state import PreparedPicture

AT_ONCE, EDGES_AT_ONCE = 90, 120
"""Largest numbers of nodes and edges that are laid out in the GUI thread."""
ROUNDS_AT_ONCE = 60
"""Rounds of a layout, 0.1 to 0.2 ms each, allowed in the GUI thread; a longer layout restarts in a worker thread."""

_log = logging.getLogger(__name__)


class LaidOutGraph(NamedTuple):
    """Result of a layout.

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
    """Input of a layout.

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
    """Return the layout of a small graph; None for a larger one."""
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
    """Yield a quick layout, then a better one grown from it, until `cancelled`; for a worker thread."""
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


Moved = Mapping[str, Point]
MOST_RECONSIDERED = 300
"""Nodes up to which another form is looked for when the canvas changes its size: 3 ms."""
MOVED_EDGES_AT_ONCE = 300
"""Largest number of edges for which moved nodes are placed in the GUI thread."""
WORDS = ("label", "role", "note", "text", "members", "op")
"""Node attributes that a picture shows in addition to the structure of the graph."""


class Placement(QObject):
    """Layout of the graph views of one canvas, one after the other.

    Attributes:
        prepared: the picture, ready to be drawn.
        laid_out: the same as the layout placed it, nothing moved by hand.
        choice: form and direction in which it is drawn.
        room: width and height of the canvas, pixels: what is chosen automatically fits into it.
        came_from: for the boxes that are new in the picture the key of the box they came out of, or that of one of
            those they took in, when groups were opened or closed.
        went_to: the same for the boxes that are gone: which box of the picture took them in.

    Signals:
        layout_replaced(bool): another picture, and whether it is of the same subject.
        message_posted(str, str): that a layout failed and a plainer one stands for it ("error"), or that the one that
            was asked for cannot draw this graph ("note"), in a sentence.
        ended(): nothing is being laid out any more.
    """

    layout_replaced = Signal(bool)
    message_posted = Signal(str, str)
    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.prepared = PreparedPicture(EMPTY_PICTURE)
        self.laid_out: Picture = EMPTY_PICTURE
        self.choice: FormChoice | None = None
        self.room: Size = PAGE
        self._subject: object = None
        self.came_from: dict[str, str] = {}
        self.went_to: dict[str, str] = {}
        self._graph_view = GraphView()
        self._wanted_subject: object = None
        self._moved: Moved = {}
        self._placed: Layout | None = None
        self._placed_graph: nx.DiGraph = nx.DiGraph()
        self._style = GraphStyle()
        self._wanted: tuple[Any, GraphStyle] | None = None
        self._words: list[tuple[object, ...]] = []
        self._shown: tuple[Picture, Moved] = (EMPTY_PICTURE, {})
        self._placed_structure: Any = None
        self._job = Job("layout", self)
        self._job.delivered.connect(self._take)
        self._job.failed.connect(lambda _token, error: self.message_posted.emit(failure_text(error), "error"))
        self._job.ended.connect(self.ended)
        self._moving = Job("moving boxes", self)
        self._moving.delivered.connect(self._take_moved)
        self._moving.failed.connect(
            lambda _moved, error: self.message_posted.emit(f"The box could not be moved: {error}", "error")
        )
        self._moving.ended.connect(self.ended)

    def successor(self, key: str) -> str | None:
        """The box that stands for one of the picture before: itself, the output of the group that it was when it was
        opened, the group that took it in; None when there is none.
        """
        if key in self.prepared.picture.boxes:
            return key
        inside = [new for new, home in self.came_from.items() if home == key]
        return inside[-1] if inside else self.went_to.get(key)

    @property
    def subject(self) -> object:
        """Subject and style of the picture; as long as they are equal, a new picture is another state of the same
        subject.
        """
        return self._subject, self.choice, self._style.layout

    @property
    def quality(self) -> str:
        """Quality of the layout: "quick" for the first one of a large graph, "full" for the last; "" for none."""
        return "" if self._placed is None else self._placed.quality

    @property
    def busy(self) -> bool:
        """True while a layout, or the routes of moved nodes, are being computed in a worker thread."""
        return self._job.busy or self._moving.busy

    @property
    def awaited(self) -> int:
        """Number of nodes of the graph that is being laid out for the first time; 0 for none."""
        is_new = self._wanted is not None and self._wanted[0] != self._placed_structure
        return len(self._graph_view.graph) if self._job.busy and is_new else 0

    def forget(self) -> None:
        """The next picture has nothing to do with this one."""
        self._placed = self._subject = None

    def place(self, graph_view: GraphView, style: GraphStyle, moved: Moved, subject: object) -> bool:
        """Lay out a graph view.

        Args:
            graph_view: what is placed.
            style: how it is to be drawn.
            moved: by key, how far boxes were moved by hand, scene pixels.
            subject: what it is of.

        Returns:
            Whether it has them already, those of the picture before; if not, `layout_replaced` comes: at once for small
            graphs, later for large ones.
        """
        before = self._graph_view
        self._graph_view, self._wanted_subject, self._moved = graph_view, subject, moved
        if self._is_placed(graph_view.structure, style):
            self._wanted = (graph_view.structure, style)
            self._style = style
            self._job.cancel()
            assert self._placed is not None and self.choice is not None
            if graph_view is not before and (words := _words(graph_view.graph)) != self._words:
                self.laid_out = make_picture(graph_view.graph, self._placed, self.choice.form)
                self._words = words
            self.move(moved)
            return True
        if not (self._job.busy and (graph_view.structure, style) == self._wanted):  # else its layout is on the way
            self._request(style)
        return False

    def _is_placed(self, structure: Any, style: GraphStyle) -> bool:
        """Return True when the present layout can be reused; an automatic choice may now be requested by name."""
        if self._placed is None or self.choice is None or structure != self._placed_structure:
            return False
        if style.layout != self._style.layout:
            return False
        fixed = self._style._replace(form=self.choice.form, direction=self.choice.direction)
        return all(new in (old, now) for new, old, now in zip(style, self._style, fixed, strict=True))

    def _request(self, style: GraphStyle) -> None:
        view, moved, previous = self._graph_view, self._moved, self._previous(self._graph_view, style)
        self._wanted = (view.structure, style)
        current = self.choice if previous is not None else None
        wanted = LayoutRequest(view.graph, style, self.room, current, previous, dict(moved))
        self._job.cancel()
        token = view, style, moved
        laid = laid_out_at_once(wanted)
        if laid is None:
            self._job.start(token, lambda cancelled: layouts(wanted, cancelled))
        else:
            self._take(token, laid)

    def set_room(self, room: Size, reconsider: bool = True) -> None:
        """Take a new size of the canvas.

        Args:
            room: width and height, pixels.
            reconsider: automatic choices are made again where that is clearly better. A large graph, whose
                texts cannot be read whole in any form, keeps its form until it is laid out next.
        """
        self.room = room
        graph = self._graph_view.graph
        if not reconsider or self._placed is None or self.busy or self._moved or len(graph) > MOST_RECONSIDERED:
            return
        if choose_form(graph, self._style, room, self.choice) != self.choice:
            self._placed_structure = None
            self._request(self._style)

    def move(self, moved: Moved) -> None:
        """Apply moves made by hand, without a new layout: at once in a small picture; for a large one `layout_replaced`
        comes later.
        """
        self._moved = moved
        laid_out, wanted = self.laid_out, (self.laid_out, dict(moved))
        self._moving.cancel()
        if len(laid_out.edges) <= MOVED_EDGES_AT_ONCE:
            picture = move_boxes(*wanted)
            if picture != self.prepared.picture:
                self.prepared = PreparedPicture(picture)
        elif self._shown[0] is not laid_out or self._shown[1] != moved:
            self._moving.start(wanted, lambda _cancelled: iter([PreparedPicture(move_boxes(*wanted))]))

    def _take_moved(self, wanted: tuple[Picture, Moved], prepared: PreparedPicture) -> None:
        self.prepared, self._shown = prepared, wanted
        self.came_from, self.went_to = {}, {}
        self.layout_replaced.emit(True)

    def _previous(self, graph_view: GraphView, style: GraphStyle) -> Layout | None:
        """Return the last picture of the same subject, with groups at the place of their members."""
        if self._placed is None or self._subject != self._wanted_subject or style.layout != self._style.layout:
            return None
        before = {str(key): place for key, place in self._placed.positions.items()}
        positions: dict[Any, Any] = dict(taken_over(before, self._placed_graph, graph_view.graph))
        shared = sum(key in positions for key in graph_view.graph)
        if 2 * shared < min(len(before), len(graph_view.graph)):
            return None  # another program
        return replace(self._placed, positions=positions)

    def _take(self, token: Any, laid: LaidOutGraph) -> None:
        graph_view, style, moved = token
        if laid.failure:
            self.message_posted.emit(laid.failure, "error")
        if (graph_view.structure, style) != self._wanted:
            return
        before, self._subject, self._style = self.subject, self._wanted_subject, style
        self._placed, self._placed_structure, self.choice = laid.placed, graph_view.structure, laid.choice
        same_subject = before == self.subject
        self.came_from = came_from(self._placed_graph, graph_view.graph) if same_subject else {}
        self.went_to = came_from(graph_view.graph, self._placed_graph) if same_subject else {}
        self._placed_graph = graph_view.graph
        self.laid_out, self.prepared, self._shown = laid.picture, laid.prepared, (laid.picture, moved)
        self._words = _words(graph_view.graph)
        same_structure = self._graph_view.structure == graph_view.structure
        if same_structure and (words := _words(self._graph_view.graph)) != self._words:
            self.laid_out = make_picture(self._graph_view.graph, laid.placed, laid.choice.form)
            self._words = words
        self._moving.cancel()
        if self.laid_out is not laid.picture or self._moved != moved:  # changed meanwhile
            self.move(self._moved)
        self.layout_replaced.emit(same_subject)
        if laid.refused:
            self.message_posted.emit(laid.refused, "note")

    def stop(self) -> None:
        """Stop all work for good."""
        self._job.stop()
        self._moving.stop()


def _words(graph: nx.DiGraph) -> list[tuple[object, ...]]:
    """Return the texts in the nodes of a graph."""
    return [tuple(map(attributes.get, WORDS)) for _, attributes in graph.nodes(data=True)]
