"""The scene: one picture, its numbers and decorations, and the six items that paint them, whatever the graph.

Edges and the grounds of nodes are painted from tiles (`tiles.py`); numbers, highlighted nodes, and labels on edges
are items above (`items.py`). When too many nodes are in view to be read, one item draws them all
(`level_of_detail.py`). No node has an item of its own: clicks are found by the index, and a picture that goes leaves
nothing behind. While the view moves, a frame paints a part of the missing tiles and leaves the rest to the next frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import islice

from PySide6.QtCore import QObject, QRectF
from PySide6.QtWidgets import QGraphicsScene

from engine.graph.moved import Links, block_of, place_boxes, rerouted, touching, with_edges
from engine.graph.picture import BoxNumbers, Picture
from gui.canvas.decorations import Activity, EdgeKey, Highlight
from gui.canvas.items import (
    MAX_AREAS,
    DecoratedEdgeItem,
    DecoratedNodeItem,
    EdgeLabelItem,
    LowDetailItem,
    NumberItem,
)
from gui.canvas.level_of_detail import FULL_DETAIL, level_of_detail, node_rect
from gui.canvas.painters import NOTHING_READ
from gui.canvas.render_state import PreparedPicture, RenderState
from gui.canvas.style import CanvasStyle
from gui.canvas.tiles import FrameBudget, TileLayer
from gui.canvas.transition import Transition
from gui.theme import Colors

COMPLETE_UNTIL = 8_000
"""Nodes and curves of a picture up to which its first frame is complete."""
COMPLETE_IN_VIEW = 640
"""Nodes in view up to which a frame at rest paints all tiles at once; with more, the next frames share the work."""
LIMITED_FROM, LIMITED_FROM_EDGES = 150, 100
"""Nodes or edges in view from which a frame may leave something out while the view moves."""
MAX_FOLLOWING = 200
"""Edges of a node up to which they follow it while it is dragged."""
MAX_REFLOWED = 60
"""Limit of edges with a changed flow up to which only the tiles under them are repainted."""

Key = str | EdgeKey


class GraphScene(QGraphicsScene):
    """Holds the drawn graph; knows nothing of views, pointers and keys.

    Attributes:
        picture: the drawn picture, nodes moved by hand included.
        links: who feeds whom in it.
        transition: moves nodes from picture to picture.
        budget: work that a frame may do.
        state: numbers, highlights, the style of the theme, and the index of places.
        tile_layer: draws the edges, and the nodes without their numbers.
    """

    def __init__(self, colors: Colors, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.budget = FrameBudget(self)
        self.state = RenderState(CanvasStyle(colors))
        self.picture = self.state.picture
        self.links = Links()
        self._detail = FULL_DETAIL
        self.transition = Transition(self, self.show_moving, self.settle)
        self._seen = QRectF()
        self._low_detail_item = LowDetailItem(self.state)
        self.tile_layer = TileLayer(self.state, self.budget)
        self._numbers = NumberItem(self.state)
        self._decorated_edges, self._decorated_nodes = DecoratedEdgeItem(self.state), DecoratedNodeItem(self.state)
        self._labels = EdgeLabelItem(self.state)
        self._layers = (self.tile_layer, self._numbers, self._decorated_edges, self._decorated_nodes, self._labels)
        for item in (self._low_detail_item, *self._layers):
            self.addItem(item)
        self.budget.settling_started.connect(self._sharpen)
        self.budget.continued.connect(self._make_due)

    @property
    def low_detail(self) -> bool:
        """True when one item draws everything, in rectangles and lines."""
        return not self._detail.one_by_one

    # Content

    def show_picture(self, picture: Picture | PreparedPicture) -> None:
        """Show another picture; a large one begins as a draft and is completed over several frames."""
        ready = picture if isinstance(picture, PreparedPicture) else PreparedPicture(picture)
        self.picture, self.links = ready.picture, ready.links
        self.state.take(ready)
        drawn = self.picture.boxes
        self.state.readings = {key: reading for key, reading in self.state.readings.items() if key in drawn}
        self.end_move()
        self._update_bounds()
        self._decorate_low_detail()

    def show_moving(self, picture: Picture) -> None:
        """Draw an intermediate picture of a transition; it has the same keys."""
        self.state.set_moving_picture(picture)
        self._update_bounds()

    def settle(self) -> None:
        """Draw the picture itself, after a transition."""
        self.state.set_picture(self.picture)
        self._update_bounds()

    def _forget_tiles(self) -> None:
        """Drop all tiles; where very many nodes are in view, the next frames begin with a draft and complete it."""
        self.tile_layer.forget()
        crowded = not self.low_detail and self.state.index.count_nodes_in(self._seen) > COMPLETE_IN_VIEW
        if crowded and self.budget.mode == "still":
            self.budget.start_settling()

    def _update_bounds(self) -> None:
        self._forget_tiles()
        for layer in (self._low_detail_item, *self._layers):
            layer.update_bounds()

    def rect_of(self, key: str) -> QRectF:
        """Return the rectangle of a node, scene pixels."""
        return node_rect(self.picture, key)

    def move_node(self, key: str, x: float, y: float) -> None:
        """Move a value by hand; it stays there until another picture is shown.

        Its edges become one curve each; very many edges stay where they are.
        """
        nodes = block_of(self.picture, self.links, key)
        edges = touching(self.links, nodes)
        follow = len(edges) <= MAX_FOLLOWING
        picture = place_boxes(self.picture, self.links, {key: (x, y)}, around=False, edges_follow=follow)
        self._drag(picture, nodes, edges if follow else set())

    def drop_node(self, key: str) -> None:
        """Route the edges of a dropped node around boxes, unless they are very many."""
        nodes = block_of(self.picture, self.links, key)
        if len(touching(self.links, nodes)) > MAX_FOLLOWING:
            return
        edges = rerouted(self.picture, self.links, nodes)
        self._drag(with_edges(self.picture, edges), nodes, edges.keys())

    def _drag(self, picture: Picture, nodes: Set[str], edges: Set[EdgeKey]) -> None:
        """Remove nodes and edges from the tiles, and draw them as they are in the picture."""
        state = self.state
        left = [state.area_of(node) for node in nodes - state.dragged]
        left += [state.area_of(edge) for edge in edges - state.dragged]
        self.tile_layer.forget_in(left)
        self.picture = picture
        state.drag(picture, nodes, edges)
        for layer in self._layers:
            layer.update_bounds()

    def show_readings(self, readings: Mapping[str, BoxNumbers]) -> int:
        """Show new numbers; return the number of changed boxes in view. Unknown keys are ignored."""
        boxes = self.picture.boxes
        seen = [] if self.low_detail else [key for key in self.state.index.nodes_in(self._seen) if key in boxes]
        old = {key: self.state.reading(key) for key in seen}
        self.state.readings.update(readings)
        for key in readings.keys() - boxes.keys():
            del self.state.readings[key]
        self._decorate_low_detail()
        new = {key: self.state.readings.get(key, NOTHING_READ) for key in old}
        changed = [key for key, reading in new.items() if reading is not old[key] and reading != old[key]]
        areas = [self._numbers.changed_area(key, old[key], new[key]) for key in changed]
        self._numbers.update_areas(areas)
        return len(changed)

    def paint_again(self) -> None:
        """Paint everything again, tiles included."""
        self._update_bounds()

    def set_colors(self, colors: Colors) -> None:
        """Apply another theme."""
        self.state.set_style(CanvasStyle(colors))
        self._update_bounds()

    # Decorations

    def show_activity(self, activity: Activity) -> None:
        """Mark the nodes and edges of the last step."""
        old = self.state.activity
        if activity == old:
            return
        nodes = (old.nodes ^ activity.nodes) | (old.differing ^ activity.differing)
        nodes |= {key for key, _badge in old.badges.items() ^ activity.badges.items()}
        before = self._label_areas()
        self.state.activity = activity
        flow, new_flow = old.flow, activity.flow
        differing = (pair for pair in dict.fromkeys((*flow, *new_flow)) if flow.get(pair) != new_flow.get(pair))
        changed = list(islice(differing, MAX_REFLOWED + 1)) if flow is not new_flow else []
        if len(changed) > MAX_REFLOWED:
            self._forget_tiles()
        elif changed:
            self.tile_layer.forget_in([self.state.area_of(pair) for pair in changed])
        self._update_decorations(nodes, old.edges ^ activity.edges)
        self._labels.update_areas(before + self._label_areas())

    def _label_areas(self) -> list[QRectF]:
        """Return the rectangles of texts on edges that may be in view."""
        texts = {} if self.low_detail else self.state.activity.edge_labels
        pairs = self.state.index.within(texts, self._seen)
        return [self._labels.area_of(pair, texts[pair]) for pair in pairs] if len(pairs) <= MAX_AREAS else [self._seen]

    def show_highlight(self, highlight: Highlight) -> None:
        """Highlight the selection and its path to the output."""
        old, self.state.highlight = self.state.highlight, highlight
        if highlight != old:
            ends = {key for key in (old.selected, highlight.selected) if key is not None}
            self._update_decorations((old.nodes ^ highlight.nodes) | ends, old.edges ^ highlight.edges)

    def _update_decorations(self, nodes: Iterable[str], edges: Iterable[EdgeKey]) -> None:
        self._decorate_low_detail()
        if not self.low_detail:
            self._decorated_nodes.update_areas(self._areas(nodes))
            self._decorated_edges.update_areas(self._areas(edges))

    def _areas(self, keys: Iterable[Key]) -> list[QRectF]:
        """Return the painted rectangles of nodes or edges that may be in view; the whole view when there are many."""
        seen = self.state.index.within(keys, self._seen)
        return [self.state.area_of(key) for key in seen] if len(seen) <= MAX_AREAS else [self._seen]

    def _decorate_low_detail(self) -> None:
        if self.low_detail:
            self._low_detail_item.decorate()

    # View

    def set_view(self, view: QRectF, zoom: float) -> None:
        """Choose the level of detail for another part of the scene.

        Args:
            view: scene pixels.
        """
        self._seen = view
        before = self.low_detail
        self._detail = level_of_detail(zoom, self.state.index.count_nodes_in(view), previous=self._detail)
        if self.low_detail == before:
            return
        self._decorate_low_detail()
        self._low_detail_item.setVisible(self.low_detail)
        for layer in self._layers:
            layer.setVisible(not self.low_detail)

    def begin_move(self, view: QRectF, once: bool = False) -> None:
        """Limit the work of frames while the view moves, where much is in view.

        Args:
            view: scene pixels.
            once: the view jumps: edges alone are not much then.
        """
        index = self.state.index
        is_much = index.count_nodes_in(view) >= LIMITED_FROM
        if is_much or (not once and index.count_edges_in(view) >= LIMITED_FROM_EDGES):
            self.budget.start_moving()

    def end_move(self) -> None:
        """The view stands still: the next frame is complete; of a large picture it is a draft, completed later."""
        self.budget.stand_still()
        if self.state.index.n_shapes > COMPLETE_UNTIL:
            self.budget.start_settling()

    def begin_frame(self, areas: Iterable[QRectF]) -> None:
        """Note the areas of the scene that the view is about to paint."""
        self.state.exposed = tuple(areas)

    def end_frame(self) -> None:
        """A frame has been painted; schedule the parts that it left out."""
        self.state.exposed = ()
        self.budget.end_frame(self.low_detail or self.tile_layer.complete)

    def _sharpen(self) -> None:
        self.tile_layer.update()

    def _make_due(self) -> None:
        self.tile_layer.make_due(self._seen)
