"""The places of what a canvas shows: laid out once for each structure, kept while only numbers change, and moved by
hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from threading import Thread
from typing import Any

import networkx as nx
from PySide6.QtCore import QObject, Signal

from engine.document.graph_view import GraphView
from engine.graph import EMPTY_PICTURE, Layout, Picture, make_picture
from engine.graph.groups import came_from, taken_over
from engine.graph.moved import move_boxes
from engine.graph.picture import Point
from gui.canvas.prepared_picture import PreparedPicture
from gui.layout_job import LaidOutGraph, LayoutJob, LayoutRequest

Moved = Mapping[str, Point]


class Placement(QObject):
    """Gives the boxes of one graph view after the other their places.

    Attributes:
        prepared: the picture, ready to be drawn.
        laid_out: the same as the layout placed it, nothing moved by hand.
        subject: what the picture is of; while it is the same, a new picture is another state of the same thing.
        came_from: for the boxes that are new in the picture the key of the box they came out of, or that of one of
            those they took in, when groups were opened or closed.
        went_to: the same for the boxes that are gone: which box of the picture took them in.

    Signals:
        laid_out_anew(bool): another picture, and whether it is of the same subject.
        failed(str): a layout failed and a plainer one stands for it, in a sentence.
        ended(): nothing is being laid out any more.
    """

    laid_out_anew = Signal(bool)
    failed = Signal(str)
    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.prepared = PreparedPicture(EMPTY_PICTURE)
        self.laid_out: Picture = EMPTY_PICTURE
        self.subject: object = None
        self.came_from: dict[str, str] = {}
        self.went_to: dict[str, str] = {}
        self._graph_view = GraphView()
        self._wanted_subject: object = None
        self._moved: Moved = {}
        self._placed: Layout | None = None
        self._placed_graph: nx.DiGraph = nx.DiGraph()
        self._structure: Any = None
        self._placed_structure: Any = None
        self._job = LayoutJob(self)
        self._job.finished.connect(self._take)
        self._job.failed.connect(self.failed)
        self._job.ended.connect(self.ended)

    @property
    def quality(self) -> str:
        """Of the layout: "quick" for the first drawing of a large graph, "full" for the last one; "" for none."""
        return "" if self._placed is None else self._placed.quality

    @property
    def busy(self) -> bool:
        """Whether a layout is being computed in the background."""
        return self._job.busy

    @property
    def awaited(self) -> int:
        """How many nodes the graph has that is being laid out for the first time; 0 for none."""
        return len(self._graph_view.graph) if self.busy and self._structure != self._placed_structure else 0

    def forget(self) -> None:
        """The next picture has nothing to do with this one."""
        self._placed = self.subject = None

    def place(self, graph_view: GraphView, direction: str, moved: Moved, subject: object) -> bool:
        """Gives a graph view its places.

        Args:
            graph_view: what is placed.
            direction: "right" or "down".
            moved: by key, how far boxes were moved by hand, scene pixels.
            subject: what it is of.

        Returns:
            Whether it has them already, those of the picture before; if not, `laid_out_anew` comes: at once for small
            graphs, later for large ones.
        """
        self._graph_view, self._wanted_subject, self._moved = graph_view, subject, moved
        structure = (graph_view.structure, direction)
        if self._placed is not None and structure == self._placed_structure:
            self._structure = structure
            self._job.cancel()
            self.laid_out = make_picture(graph_view.graph, self._placed)
            self.move(moved)
            return True
        if not (self._job.busy and structure == self._structure):  # else its layout is on the way
            self._structure = structure
            wanted = LayoutRequest(graph_view.graph, direction, self._previous(graph_view), dict(moved))
            self._job.request((graph_view, structure, moved), wanted)
        return False

    def move(self, moved: Moved) -> None:
        """Puts what was moved by hand in its place; nothing is laid out anew."""
        self._moved = moved
        picture = move_boxes(self.laid_out, dict(moved))
        if picture != self.prepared.picture:
            self.prepared = PreparedPicture(picture)

    def _previous(self, graph_view: GraphView) -> Layout | None:
        """The picture to stay close to: the last one of the same subject, groups in the place of what they took in."""
        if self._placed is None or self.subject != self._wanted_subject:
            return None
        before = {str(key): place for key, place in self._placed.positions.items()}
        positions: dict[Any, Any] = dict(taken_over(before, self._placed_graph, graph_view.graph))
        shared = sum(key in positions for key in graph_view.graph)
        if 2 * shared < min(len(before), len(graph_view.graph)):
            return None  # another program
        return replace(self._placed, positions=positions)

    def _take(self, token: Any, laid: LaidOutGraph) -> None:
        graph_view, structure, moved = token
        if structure != self._structure:
            return
        before, self.subject = self.subject, self._wanted_subject
        same_subject = before == self.subject
        self._placed, self._placed_structure = laid.placed, structure
        self.came_from = came_from(self._placed_graph, graph_view.graph) if same_subject else {}
        self.went_to = came_from(graph_view.graph, self._placed_graph) if same_subject else {}
        self._placed_graph = graph_view.graph
        self.laid_out, self.prepared = laid.picture, laid.prepared
        if self._graph_view.structure == structure[0] and _words(self._graph_view.graph) != _words(graph_view.graph):
            self.laid_out = make_picture(self._graph_view.graph, laid.placed)
        if self.laid_out is not laid.picture or self._moved != moved:  # changed meanwhile
            self.prepared = PreparedPicture(move_boxes(self.laid_out, dict(self._moved)))
        self.laid_out_anew.emit(same_subject)

    def stop(self) -> list[Thread]:
        """Stops what is under way; the thread that is still to be waited for, if there is one."""
        return self._job.stop()


def _words(graph: nx.DiGraph) -> list[tuple[object, ...]]:
    """What is written into the nodes of a graph."""
    return [tuple(map(attributes.get, ("label", "role", "note", "text"))) for _, attributes in graph.nodes(data=True)]
