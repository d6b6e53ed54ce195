"""State shared by all items of the scene: the picture, the style of the theme, and the current marks.

A `PreparedPicture` holds plain data and values of Qt (rectangles, lines), no item, pixmap or font: it may be made in
another thread, and the window only takes it over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from PySide6.QtCore import QRectF

from engine.graph.moved import links_of
from engine.graph.picture import EMPTY_PICTURE, BoxNumbers, Picture
from gui.canvas.decorations import QUIET, Activity, Decoration, EdgeKey, Highlight, decoration_of
from gui.canvas.geometry import MARGIN, EdgeGeometry, GeometryCache, edge_geometry
from gui.canvas.level_of_detail import FULL_DETAIL, LowDetailDrawing, node_rect
from gui.canvas.painters import NOTHING_READ
from gui.canvas.spatial_index import SpatialIndex
from gui.canvas.style import CanvasStyle


class PreparedPicture:
    """A picture with what the canvas needs to draw it.

    Attributes:
        picture: the picture to draw.
        links: who feeds whom in it.
        index: where everything is.
        low_detail_drawing: the picture at low detail.
    """

    def __init__(self, picture: Picture) -> None:
        """Takes a picture; linear in its size."""
        self.picture = picture
        self.links = links_of(picture)
        self.index = SpatialIndex(picture)
        self.low_detail_drawing = LowDetailDrawing(picture, self.index)


class RenderState:
    """The painted state; a caller that changes it repaints the items.

    Attributes:
        picture: the drawn picture; during a transition the picture of this frame.
        index: where everything in it is.
        drawing: the same at low detail.
        readings: numbers by key.
        activity, highlight: marks of nodes and edges.
        dragged: nodes and edges that are dragged: the tiles leave them out.
        exposed: the parts of the scene that this frame paints; empty outside of a frame of the view.
        written: the parts of them where numbers are written: there are none on a draft.
        in_transition: the picture changes with every frame.
        detail: level of detail at this zoom.
        style, geometries: of the theme.
    """

    def __init__(self, style: CanvasStyle) -> None:
        self.readings: dict[str, BoxNumbers] = {}
        self.activity: Activity = QUIET
        self.highlight = Highlight()
        self.dragged: set[str | EdgeKey] = set()
        self.exposed: Sequence[QRectF] = ()
        self.written: Sequence[QRectF] = ()
        self.detail = FULL_DETAIL
        self._edge_geometries: dict[EdgeKey, EdgeGeometry] = {}
        self.set_style(style)
        self.take(PreparedPicture(EMPTY_PICTURE))

    def set_style(self, style: CanvasStyle) -> None:
        """Set another theme."""
        self.style = style
        self.geometries = GeometryCache(style)

    def take(self, prepared: PreparedPicture) -> None:
        """Set another picture with its index."""
        self.index, self.drawing = prepared.index, prepared.low_detail_drawing
        self.set_picture(prepared.picture)

    def set_picture(self, picture: Picture) -> None:
        """Set a picture whose index and low-detail drawing are already set."""
        self.picture, self.in_transition = picture, False
        self.dragged.clear()
        self._edge_geometries.clear()

    def set_moving_picture(self, picture: Picture) -> None:
        """Set an intermediate picture of a transition, with the same keys."""
        self.picture, self.in_transition = picture, True
        self._edge_geometries.clear()

    def drag(self, picture: Picture, nodes: Set[str], edges: Set[EdgeKey]) -> None:
        """Set a picture in which some nodes and their edges are dragged."""
        self.picture = picture
        self.index.follow(picture, nodes, edges)
        self.drawing.follow(picture, nodes, edges)
        self.dragged |= {*nodes, *edges}
        for pair in edges:
            self._edge_geometries.pop(pair, None)

    # Where things are

    @property
    def bounds(self) -> QRectF:
        """Bounds of the picture, scene pixels."""
        bounds = QRectF()
        bounds.setCoords(*self.picture.bounds)
        return bounds

    def nodes_in(self, *areas: QRectF) -> Iterable[str]:
        """Nodes that may be seen in some areas, operations first; all of them while they move."""
        if self.in_transition:
            return (*self.picture.circles, *self.picture.boxes)
        return self.index.nodes_in(*areas)

    def edges_in(self, *areas: QRectF) -> Iterable[EdgeKey]:
        """Edges that may be seen in some areas; all of them while they move."""
        return self.picture.edges if self.in_transition else self.index.edges_in(*areas)

    def edge_geometry(self, pair: EdgeKey) -> EdgeGeometry:
        """Return the geometry of an edge, computed when it is first seen."""
        geometry = self._edge_geometries.get(pair)
        if geometry is None:
            geometry = self._edge_geometries[pair] = edge_geometry(self.picture.edges[pair])
        return geometry

    def area_of(self, key: str | EdgeKey) -> QRectF:
        """Return the painted area of a node or an edge, halo included; empty for one that is not drawn."""
        if isinstance(key, tuple):
            return self.edge_geometry(key).bounds if key in self.picture.edges else QRectF()
        if key not in self.picture.boxes and key not in self.picture.circles:
            return QRectF()
        return node_rect(self.picture, key).adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN)

    # Highlights

    def decoration(self, key: str | EdgeKey) -> Decoration:
        """Return the marks of a node or an edge."""
        return decoration_of(key, self.activity, self.highlight)

    def is_decorated(self, key: str | EdgeKey) -> bool:
        """Return True when a node or an edge is marked or dragged."""
        if key in self.dragged:
            return True
        if isinstance(key, tuple):
            return key in self.highlight.edges or key in self.activity.edges
        activity, highlight = self.activity, self.highlight
        marked = key in highlight.nodes or key in activity.nodes or key in activity.differing
        return marked or key == highlight.selected

    def decorated_nodes(self, *areas: QRectF) -> list[str]:
        """Return the highlighted and dragged nodes of some areas, operations first."""
        activity, highlight = self.activity, self.highlight
        if not (highlight.nodes or highlight.selected or activity.nodes or activity.differing or self.dragged):
            return []
        return [key for key in self.nodes_in(*areas) if self.is_decorated(key)]

    def decorated_edges(self, *areas: QRectF) -> list[EdgeKey]:
        """Return the highlighted and dragged edges of some areas."""
        if not (self.highlight.edges or self.activity.edges or self.dragged):
            return []
        return [pair for pair in self.edges_in(*areas) if self.is_decorated(pair)]

    def reading(self, key: str) -> BoxNumbers:
        """Return the numbers of a box."""
        return self.readings.get(key, NOTHING_READ)
