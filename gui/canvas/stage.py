"""What all items of the scene share: the picture, the ink of the theme, the marks of the moment, the pace."""

from __future__ import annotations

from collections.abc import Iterable, Set

from PySide6.QtCore import QRectF

from engine.graph.picture import EMPTY_PICTURE, Picture, Reading
from gui.canvas.activity import QUIET, Activity, EdgeKey
from gui.canvas.edges import EdgeForm, edge_form
from gui.canvas.forms import MARGIN, Forms
from gui.canvas.index import Area, Index, area_of, node_area
from gui.canvas.ink import Ink
from gui.canvas.marking import Highlight, marks_of
from gui.canvas.pace import Pace
from gui.canvas.paint import NOTHING_READ, Marks

BOUNDS_MARGIN = 40.0


class Stage:
    """The state that is painted; whoever changes it has the items painted again.

    Attributes:
        picture: what is drawn; while nodes move to new places, the one of this frame.
        index: where everything in it is.
        readings: numbers by key.
        activity, highlight: what is set apart.
        lifted: nodes and edges that are dragged: the sheet leaves them out.
        in_motion: whether the picture is another one in the next frame.
        distant: whether small words could not be read at this zoom.
        ink, forms: of the theme.
        pace: whether the view is being moved.
    """

    def __init__(self, ink: Ink, pace: Pace) -> None:
        self.pace = pace
        self.picture: Picture = EMPTY_PICTURE
        self.index = Index(EMPTY_PICTURE)
        self.readings: dict[str, Reading] = {}
        self.activity: Activity = QUIET
        self.highlight = Highlight()
        self.lifted: set[str | EdgeKey] = set()
        self.in_motion = False
        self.distant = False
        self._edge_forms: dict[EdgeKey, EdgeForm] = {}
        self.take_ink(ink)

    def take_ink(self, ink: Ink) -> None:
        """Changes to another theme."""
        self.ink = ink
        self.forms = Forms(ink)

    def take(self, picture: Picture, index: Index) -> None:
        """Draws another picture."""
        self.picture, self.index, self.in_motion = picture, index, False
        self.lifted.clear()
        self._edge_forms.clear()

    def move(self, picture: Picture) -> None:
        """Draws a picture on the way to another one, with the same keys."""
        self.picture, self.in_motion = picture, True
        self._edge_forms.clear()

    def lift(self, picture: Picture, nodes: Set[str], edges: Set[EdgeKey]) -> None:
        """Takes a picture in which some nodes and their edges are elsewhere."""
        self.picture = picture
        self.index.follow(picture, nodes, edges)
        self.lifted |= {*nodes, *edges}
        for pair in edges:
            self._edge_forms.pop(pair, None)

    # Where things are

    def bounds(self) -> QRectF:
        """Everything that may be painted, scene pixels."""
        bounds = QRectF()
        bounds.setCoords(*self.picture.bounds)
        return bounds.adjusted(-BOUNDS_MARGIN, -BOUNDS_MARGIN, BOUNDS_MARGIN, BOUNDS_MARGIN)

    def nodes_in(self, area: Area) -> Iterable[str]:
        """Nodes that may be seen in an area, operations first; all of them while they move."""
        if self.in_motion:
            return (*self.picture.circles, *self.picture.boxes)
        return self.index.nodes_in(area)

    def edges_in(self, area: Area) -> Iterable[EdgeKey]:
        """Edges that may be seen in an area; all of them while they move."""
        return self.picture.edges if self.in_motion else self.index.edges_in(area)

    def edge_form(self, pair: EdgeKey) -> EdgeForm:
        """How an edge is drawn; made when it is first seen."""
        form = self._edge_forms.get(pair)
        if form is None:
            form = self._edge_forms[pair] = edge_form(self.picture.edges[pair])
        return form

    def room_of(self, key: str | EdgeKey) -> QRectF:
        """Where a node or an edge is painted, halo included; nowhere for what is not drawn."""
        if isinstance(key, tuple):
            return self.edge_form(key).bounds if key in self.picture.edges else QRectF()
        node = self.picture.boxes.get(key) or self.picture.circles.get(key)
        if node is None:
            return QRectF()
        left, top, right, bottom = node_area(node)
        return QRectF(left, top, right - left, bottom - top).adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)

    # What is set apart

    def marks(self, key: str | EdgeKey) -> Marks:
        """What sets a node or an edge apart."""
        return marks_of(key, self.activity, self.highlight)

    def is_raised(self, key: str | EdgeKey) -> bool:
        """Whether a node or an edge is set apart or dragged."""
        if key in self.lifted:
            return True
        if isinstance(key, tuple):
            return key in self.highlight.edges or key in self.activity.edges
        activity, highlight = self.activity, self.highlight
        marked = key in highlight.nodes or key in activity.nodes or key in activity.differing
        return marked or key == highlight.selected

    def raised_nodes(self, area: QRectF) -> list[str]:
        """The nodes of an area that are set apart or dragged, operations first."""
        return [key for key in self.nodes_in(area_of(area)) if self.is_raised(key)] if self._any_node() else []

    def raised_edges(self, area: QRectF) -> list[EdgeKey]:
        """The edges of an area that are set apart or dragged."""
        if not (self.highlight.edges or self.activity.edges or self.lifted):
            return []
        return [pair for pair in self.edges_in(area_of(area)) if self.is_raised(pair)]

    def _any_node(self) -> bool:
        activity, highlight = self.activity, self.highlight
        return bool(highlight.nodes or highlight.selected or activity.nodes or activity.differing or self.lifted)

    def reading(self, key: str) -> Reading:
        """The numbers of a box."""
        return self.readings.get(key, NOTHING_READ)
