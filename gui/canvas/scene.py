"""The scene: one picture, its numbers and marks, and the six items that paint them, whatever the graph.

Edges and the grounds of nodes are a sheet made of tiles (`sheet.py`); numbers, what is set apart, and texts on edges
are layers above (`layers.py`). When too many nodes are in view to be read, one item draws them all (`far.py`). No node
has an item of its own: clicks are found by the index, and a picture that goes leaves nothing behind. While the view
moves, a frame does a part of what is missing and leaves the rest to the next ones (`pace.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from PySide6.QtCore import QObject, QRectF
from PySide6.QtWidgets import QGraphicsScene

from engine.graph.moved import Links, block_of, place_boxes, rerouted, touching, with_edges
from engine.graph.picture import Picture, Reading
from gui.canvas.activity import Activity, EdgeKey
from gui.canvas.far import FarDrawing, FarItem, far_marks, node_rect
from gui.canvas.index import area_of
from gui.canvas.ink import Ink
from gui.canvas.layers import EdgeMarkLayer, EdgeTextLayer, NodeMarkLayer, NumberLayer
from gui.canvas.marking import Highlight
from gui.canvas.motion import Motion
from gui.canvas.pace import Pace
from gui.canvas.paint import NOTHING_READ
from gui.canvas.prepared import FAR_FROM, Prepared
from gui.canvas.sheet import Sheet
from gui.canvas.stage import Stage
from gui.theme import Colors

NEAR_UNTIL = 400
"""Nodes in view until which they are drawn one by one again, after they were drawn from far."""
READABLE_ZOOM = 0.5
MOST_IN_VIEW = 2_000
"""Above this number of nodes in view even readable ones are drawn from far."""
UNHURRIED_UNTIL = 8_000
"""Nodes and curves of a picture up to which its first frame is complete."""
HURRY_FROM = 150
"""Nodes in view from which a frame may leave something out while the view moves."""
MOST_REFLOWED = 60
"""Edges whose flow changes up to which only the tiles under them are made anew."""

Key = str | EdgeKey


class GraphScene(QGraphicsScene):
    """Holds the drawn graph; knows nothing of views, pointers and keys.

    Attributes:
        picture: what is drawn, nodes moved by hand included.
        links: who feeds whom in it.
        index: where everything is.
        far: whether one item draws everything.
        motion: moves nodes from picture to picture.
        pace: whether the view is being moved.
        sheet: draws the edges, and the nodes without their numbers.
    """

    def __init__(self, colors: Colors, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.pace = Pace(self)
        self._stage = Stage(Ink(colors), self.pace)
        self.picture = self._stage.picture
        self.links = Links()
        self.index = self._stage.index
        self.far = False
        self.motion = Motion(self, self.show_moving, self.settle)
        self._seen = QRectF()
        self._far_drawing: FarDrawing | None = None
        self._far_item = FarItem()
        self._far_item.setVisible(False)
        self.sheet = Sheet(self._stage)
        self._numbers = NumberLayer(self._stage)
        self._edge_marks, self._node_marks = EdgeMarkLayer(self._stage), NodeMarkLayer(self._stage)
        self._texts = EdgeTextLayer(self._stage)
        self._layers = (self.sheet, self._numbers, self._edge_marks, self._node_marks, self._texts)
        for item in (self._far_item, *self._layers):
            self.addItem(item)
        self.pace.settling_began.connect(self._sharpen)
        self.pace.continued.connect(self._go_on)

    @property
    def ink(self) -> Ink:
        """The ink everything is drawn with."""
        return self._stage.ink

    @property
    def readings(self) -> dict[str, Reading]:
        """Numbers by key."""
        return self._stage.readings

    @property
    def activity(self) -> Activity:
        """What was just touched."""
        return self._stage.activity

    @property
    def highlight(self) -> Highlight:
        """Selection and path."""
        return self._stage.highlight

    @property
    def far_drawing(self) -> FarDrawing:
        """The picture as it is drawn from far; made when it is first asked for."""
        if self._far_drawing is None:
            self._far_drawing = FarDrawing(self.picture)
        return self._far_drawing

    # What is drawn

    def show_picture(self, picture: Picture | Prepared) -> None:
        """Draws another picture; a large one is painted bit by bit, from a draft on."""
        ready = picture if isinstance(picture, Prepared) else Prepared(picture)
        self.picture, self.links, self.index = ready.picture, ready.links, ready.index
        self._far_drawing = ready.far_drawing
        self._stage.readings = {key: reading for key, reading in self.readings.items() if key in self.picture.boxes}
        self.settle()
        self.rest()
        if self.far or len(self.index) > FAR_FROM:
            self._far_item.take(self.far_drawing, self.ink)
            self._mark_far()

    def show_moving(self, picture: Picture) -> None:
        """Draws a picture with the same keys on its way to the one that is shown."""
        self._stage.move(picture)
        self._spread()

    def settle(self) -> None:
        """Draws the picture that is shown, after a move."""
        self._stage.take(self.picture, self.index)
        self._spread()

    def _spread(self) -> None:
        self.sheet.forget()
        for layer in self._layers:
            layer.spread()

    def rect_of(self, key: str) -> QRectF:
        """The rectangle of a node, scene pixels."""
        return node_rect(self.picture, key)

    def move_node(self, key: str, x: float, y: float) -> None:
        """Moves a value by hand; it stays there until another picture is shown. Its edges are one curve each."""
        nodes = block_of(self.picture, self.links, key)
        picture = place_boxes(self.picture, self.links, {key: (x, y)}, around=False)
        self._lift(picture, nodes, touching(self.links, nodes))

    def drop_node(self, key: str) -> None:
        """The hand lets go: edges are led around boxes."""
        nodes = block_of(self.picture, self.links, key)
        edges = rerouted(self.picture, self.links, nodes)
        self._lift(with_edges(self.picture, edges), nodes, edges.keys())

    def _lift(self, picture: Picture, nodes: Set[str], edges: Set[EdgeKey]) -> None:
        """Takes nodes and edges off the sheet, and draws them as they are in the picture."""
        stage = self._stage
        left = [stage.room_of(node) for node in nodes - stage.lifted]
        left += [stage.room_of(edge) for edge in edges - stage.lifted]
        self.sheet.forget_in(left)
        self.picture = picture
        self._far_drawing = None
        stage.lift(picture, nodes, edges)
        for layer in self._layers:
            layer.spread()

    def show_readings(self, readings: Mapping[str, Reading]) -> int:
        """Takes new numbers; returns how many boxes in view changed. Unknown keys are ignored."""
        old = {} if self.far else {key: self._stage.reading(key) for key in self._seen_boxes()}
        self.readings.update(readings)
        for key in readings.keys() - self.picture.boxes.keys():
            del self.readings[key]
        if self.far:
            self._mark_far()
        new = {key: self.readings.get(key, NOTHING_READ) for key in old}
        changed = [key for key, reading in new.items() if reading is not old[key] and reading != old[key]]
        areas = [self._numbers.changed_area(key, old[key], new[key]) for key in changed]
        self._numbers.renew(areas)
        return len(changed)

    def _seen_boxes(self) -> list[str]:
        boxes = self.picture.boxes
        return [key for key in self.index.nodes_in(area_of(self._seen)) if key in boxes]

    def set_colors(self, colors: Colors) -> None:
        """Draws everything in another theme."""
        self._stage.take_ink(Ink(colors))
        self._spread()
        if self._far_drawing is not None:
            self._far_item.take(self._far_drawing, self.ink)

    # Marks

    def show_activity(self, activity: Activity) -> None:
        """Marks what was just touched."""
        old = self.activity
        if activity == old:
            return
        nodes = (old.nodes ^ activity.nodes) | (old.differing ^ activity.differing)
        before = self._text_rooms()
        self._stage.activity = activity
        self._renew_flow(old.flow, activity.flow)
        self._renew(nodes, old.edges ^ activity.edges)
        self._texts.renew(before + self._text_rooms())

    def _text_rooms(self) -> list[QRectF]:
        return [self._texts.room_of(pair, text) for pair, text in self.activity.edge_texts.items()]

    def _renew_flow(self, old: Mapping[EdgeKey, float], new: Mapping[EdgeKey, float]) -> None:
        changed = {pair for pair, _share in old.items() ^ new.items()} if old is not new else set()
        if len(changed) > MOST_REFLOWED:
            self.sheet.forget()
        elif changed:
            self.sheet.forget_in([self._stage.room_of(pair) for pair in changed])

    def show_highlight(self, highlight: Highlight) -> None:
        """Marks the selection and the path to the output."""
        old, self._stage.highlight = self.highlight, highlight
        if highlight != old:
            ends = {key for key in (old.selected, highlight.selected) if key is not None}
            self._renew((old.nodes ^ highlight.nodes) | ends, old.edges ^ highlight.edges)

    def _renew(self, nodes: Iterable[str], edges: Iterable[EdgeKey]) -> None:
        self._mark_far()
        if not self.far:
            self._node_marks.renew(self._rooms(nodes))
            self._edge_marks.renew(self._rooms(edges))

    def _rooms(self, keys: Iterable[Key]) -> list[QRectF]:
        """Where nodes or edges are painted that may be in view."""
        return [self._stage.room_of(key) for key in self.index.within(keys, area_of(self._seen))]

    def _mark_far(self) -> None:
        if self.far:
            self._far_item.mark(far_marks(self.far_drawing, self.activity, self.highlight, self.readings))

    # What is in view

    def cover(self, view: QRectF, zoom: float) -> None:
        """Another part of the scene is in view: decides how it is drawn.

        Args:
            view: scene pixels.
        """
        self._seen = view
        limit = MOST_IN_VIEW if zoom >= READABLE_ZOOM else NEAR_UNTIL if self.far else FAR_FROM
        self._set_far(self.index.count_nodes_in(area_of(view)) > limit)

    def _set_far(self, far: bool) -> None:
        if far == self.far:
            return
        self.far = far
        if far:
            self._far_item.take(self.far_drawing, self.ink)
            self._mark_far()
        self._far_item.setVisible(far)
        for layer in self._layers:
            layer.setVisible(not far)

    def hurry(self, view: QRectF, moving: bool = True) -> None:
        """The view begins to move, or another picture is shown: where much is in view, frames leave out what would take
        too long.
        """
        if self.index.count_nodes_in(area_of(view)) >= HURRY_FROM:
            self.pace.move() if moving else self.pace.settle()

    def rest(self) -> None:
        """The view stands still: the next frame is complete; of a large picture it is a draft that gets better."""
        self.pace.be_calm()
        if self.index.n_shapes > UNHURRIED_UNTIL:
            self.hurry(self._stage.bounds(), False)

    def end_frame(self) -> None:
        """A frame has been painted; what it left out is made soon."""
        self.pace.end_frame(self.far or self.sheet.complete)

    def _sharpen(self) -> None:
        self.sheet.update()

    def _go_on(self) -> None:
        self.sheet.finish(self._seen)
