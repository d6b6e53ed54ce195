"""The scene: one picture, its numbers and marks, and the items that are needed to show what is in view.

Edges and the grounds of nodes are one item each (`sheet.py`); above them boxes have an item for their numbers when they
come into view, and so has what is set apart, re-used by key from picture to picture. A graph of up to `ALL_AT_ONCE`
nodes and edges has all its items all the time; from a larger one items far outside the view are let go. When too many
nodes are in view to be read, one item draws them all (`far.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from PySide6.QtCore import QObject, QRectF, QTimer
from PySide6.QtWidgets import QGraphicsScene

from engine.graph.moved import Links, block_of, links_of, place_boxes, touching
from engine.graph.picture import EMPTY_PICTURE, Picture, Reading
from gui.canvas.activity import QUIET, Activity, EdgeKey
from gui.canvas.far import FarDrawing, FarItem, node_rect
from gui.canvas.index import Area, Index, area_of
from gui.canvas.ink import Ink
from gui.canvas.items import BoxItem, CircleItem, DrawnItem, EdgeItem, Look
from gui.canvas.marking import Highlight, marks_of
from gui.canvas.motion import Motion
from gui.canvas.paint import DISTANT_BELOW
from gui.canvas.sheet import EdgeSheet, NodeSheet
from gui.theme import Colors

ALL_AT_ONCE = 900
SPARE_ITEMS = 300
"""How many items may be kept that are out of view, and as many again as are in view."""
FAR_FROM, NEAR_UNTIL = 640, 480
"""Nodes in view from which they are drawn from far, and until which they are drawn one by one again."""
READABLE_ZOOM = 0.5
MOST_IN_VIEW = 2_000
"""Above this number of nodes in view even readable ones are drawn from far."""

HURRY_FROM = 150
"""Nodes in view from which tiles are stretched while the zoom changes."""
HURRY_MILLISECONDS = 120
EVERYWHERE: Area = (-1e9, -1e9, 1e9, 1e9)

Key = str | EdgeKey


class GraphScene(QGraphicsScene):
    """Holds the drawn graph; knows nothing of views, pointers and keys.

    Attributes:
        picture: what is drawn, nodes moved by hand included.
        links: who feeds whom in it.
        index: where everything is.
        readings: numbers by key.
        highlight: selection and path.
        far: whether one item draws everything.
        motion: moves items from picture to picture.
        sheets: draw the edges, and the nodes without their numbers.
    """

    def __init__(self, colors: Colors, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.picture: Picture = EMPTY_PICTURE
        self.links = Links()
        self.index = Index(EMPTY_PICTURE)
        self.readings: dict[str, Reading] = {}
        self.activity: Activity = QUIET
        self.highlight = Highlight()
        self.far = False
        self.motion = Motion(self)
        self._lifted: set[Key] = set()
        self._look = Look(Ink(colors))
        self._items: dict[Key, DrawnItem] = {}
        self._far_item = FarItem()
        self._far_item.setVisible(False)
        self.addItem(self._far_item)
        self.sheets = (EdgeSheet(self._look), NodeSheet(self._look))
        for sheet in self.sheets:
            self.addItem(sheet)
        self._covered: Area = EVERYWHERE
        self._hurried = False
        self._seen = (QRectF(), 1.0)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(HURRY_MILLISECONDS)
        self._rest.timeout.connect(lambda: self._hurry(False))

    @property
    def ink(self) -> Ink:
        """The ink everything is drawn with."""
        return self._look.ink

    @property
    def item_count(self) -> int:
        """Number of nodes and edges that have an item of their own now."""
        return len(self._items)

    # What is drawn

    def show_picture(self, picture: Picture) -> None:
        """Draws another picture."""
        self.links = links_of(picture)
        self._take(picture)
        self.readings = {key: reading for key, reading in self.readings.items() if key in picture.boxes}

    def _take(self, picture: Picture) -> None:
        self.picture = picture
        self.index = Index(picture)
        self._lifted = set()
        for item in self._items.values():
            item.lifted = False
        self._far_item.take(FarDrawing(picture, self.ink) if self.far else None)
        for key in [key for key in self._items if not self._is_drawn(key)]:
            self._drop(key)
        self._settle_on(picture)

    def show_moving(self, picture: Picture) -> None:
        """Draws a picture with the same keys on its way to the one that is shown."""
        for sheet in self.sheets:
            sheet.show_moving(picture)
        self._place_items(picture)

    def settle(self) -> None:
        """Draws the picture that is shown, after a move."""
        self._settle_on(self.picture)

    def _settle_on(self, picture: Picture) -> None:
        for sheet in self.sheets:
            sheet.take(picture, self.index)
        self._place_items(picture)

    def _place_items(self, picture: Picture) -> None:
        for key, item in self._items.items():
            self._place(key, item, picture)

    def _place(self, key: Key, item: DrawnItem, picture: Picture) -> None:
        if isinstance(item, BoxItem):
            item.take(picture.boxes[key])  # type: ignore[index]
        elif isinstance(item, CircleItem):
            item.take(picture.circles[key])  # type: ignore[index]
        elif isinstance(item, EdgeItem):
            item.take(picture.edges[key])  # type: ignore[index]

    def _is_drawn(self, key: Key) -> bool:
        item = self._items[key]
        if isinstance(item, BoxItem):
            return key in self.picture.boxes
        return key in (self.picture.circles if isinstance(item, CircleItem) else self.picture.edges)

    def rect_of(self, key: str) -> QRectF:
        """The rectangle of a node, scene pixels."""
        return node_rect(self.picture, key)

    def move_node(self, key: str, x: float, y: float) -> None:
        """Moves a value by hand; it stays there until another picture is shown."""
        self.picture = place_boxes(self.picture, self.links, {key: (x, y)})
        nodes = block_of(self.picture, self.links, key)
        edges = touching(self.links, nodes)
        self._lift(nodes, edges)
        self.index.follow(self.picture, nodes, edges)
        self._far_item.take(FarDrawing(self.picture, self.ink) if self.far else None)
        for name in _keys(nodes, edges):
            if name in self._items:
                self._place(name, self._items[name], self.picture)

    def _lift(self, nodes: set[str], edges: set[EdgeKey]) -> None:
        """Takes what is dragged off the sheets; it is put back with the next picture."""
        self.sheets[0].follow(self.picture, edges)
        self.sheets[1].follow(self.picture, nodes)
        self._lifted |= {*nodes, *edges}
        for key in nodes & self._items.keys():
            self._items[key].lifted = True
        self._raise(edges)

    def show_readings(self, readings: Mapping[str, Reading]) -> int:
        """Takes new numbers; returns how many drawn boxes changed. Unknown keys are ignored."""
        changed = 0
        many = len(self._items) > ALL_AT_ONCE
        for key, reading in readings.items():
            if key not in self.picture.boxes:
                continue
            self.readings[key] = reading
            item = self._items.get(key)
            if isinstance(item, BoxItem) and item.show_reading(reading):
                changed += 1
                if not many:
                    item.update_numbers()
        if many and changed:
            self.update()
        return changed

    def set_colors(self, colors: Colors) -> None:
        """Draws everything in another theme."""
        self._look.take(Ink(colors))
        for sheet in self.sheets:
            sheet.forget()
        for item in self._items.values():
            item.remake()  # type: ignore[attr-defined]
        if self.far:
            self._far_item.take(FarDrawing(self.picture, self.ink))
        self._mark_far()

    # Marks

    def show_activity(self, activity: Activity) -> None:
        """Marks what was just touched."""
        old, self.activity = self.activity, activity
        differing = old.differing ^ activity.differing
        self.sheets[0].show_flow(activity.flow)
        self._mark((old.nodes ^ activity.nodes) | differing, (old.edges ^ activity.edges) | _spoken(old, activity))

    def show_highlight(self, highlight: Highlight) -> None:
        """Marks the selection and the path to the output."""
        old, self.highlight = self.highlight, highlight
        ends = {key for key in (old.selected, highlight.selected) if key is not None}
        self._mark((old.nodes ^ highlight.nodes) | ends, old.edges ^ highlight.edges)

    def _mark(self, nodes: Iterable[str], edges: Iterable[EdgeKey]) -> None:
        edges = set(edges)
        for key in _keys(nodes, edges):
            item = self._items.get(key)
            if item is not None:
                item.set_marks(marks_of(key, self.activity, self.highlight))
        self._raise(edges)
        self._mark_far()

    def _raise(self, edges: Iterable[EdgeKey]) -> None:
        """Gives edges an item when they are set apart and near, and takes it from those that are not any more."""
        raised = {pair for pair in edges if self._is_raised(pair)}
        for pair in set(edges) - raised:
            if pair in self._items:
                self._drop(pair)
        missing = [pair for pair in raised if pair not in self._items]
        if missing and not self.far:
            near = None if self._covered == EVERYWHERE else set(self.index.edges_in(self._covered))
            for pair in missing:
                if near is None or pair in near:
                    self._make(pair)

    def _is_raised(self, pair: EdgeKey) -> bool:
        """Whether an edge is drawn above the sheet."""
        apart = pair in self.highlight.edges or pair in self.activity.edges or pair in self.activity.edge_texts
        return (apart or pair in self._lifted) and pair in self.picture.edges

    def _mark_far(self) -> None:
        if self.far:
            marked = {*self.highlight.nodes, *self.activity.nodes, self.highlight.selected}
            drawn = [key for key in marked if key in self.links.after]
            self._far_item.mark(self.picture, drawn, self.ink.selected_border)  # type: ignore[arg-type]

    # Items for what is in view

    def cover(self, view: QRectF, zoom: float) -> None:
        """Makes sure that everything in `view` (scene pixels) can be painted at this zoom."""
        self._seen = (view, zoom)
        self._look.distant = zoom < DISTANT_BELOW
        area = area_of(view)
        in_view = self.index.count_nodes_in(area)
        limit = MOST_IN_VIEW if zoom >= READABLE_ZOOM else NEAR_UNTIL if self.far else FAR_FROM
        if self.far and self._hurried:
            limit = min(limit, HURRY_FROM)  # making everything near takes a while: not in the middle of a zoom
        self._set_far(in_view > limit)
        if self.far:
            return
        area = EVERYWHERE if len(self.index) <= ALL_AT_ONCE else _with_margin(area)
        self._covered = area
        raised = filter(self._is_raised, self.index.edges_in(area)) if self._has_raised() else ()
        wanted: list[Key] = [*raised, *self.index.nodes_in(area)]
        if len(self._items) > 2 * len(wanted) + SPARE_ITEMS:
            self._keep_only(set(wanted))
        for key in wanted:
            if key not in self._items:
                self._make(key)

    def follow_zoom(self, view: QRectF) -> None:
        """The zoom is changing, and will go on to: where much is in view, it is made sharp when that is over."""
        if self.index.count_nodes_in(area_of(view)) >= HURRY_FROM:
            self._hurry(True)
            self._rest.start()

    def _hurry(self, hurried: bool) -> None:
        self._hurried = hurried
        for sheet in self.sheets:
            sheet.hurry(hurried)
        if not hurried:
            self.cover(*self._seen)

    def _has_raised(self) -> bool:
        return bool(self.highlight.edges or self.activity.edges or self.activity.edge_texts or self._lifted)

    def _set_far(self, far: bool) -> None:
        if far == self.far:
            return
        self.far = far
        if far:
            self._keep_only(set())
        self._far_item.take(FarDrawing(self.picture, self.ink) if far else None)
        self._far_item.setVisible(far)
        for sheet in self.sheets:
            sheet.setVisible(not far)
        self._mark_far()

    def _keep_only(self, wanted: set[Key]) -> None:
        for key in [key for key in self._items if key not in wanted]:
            self._drop(key)

    def _make(self, key: Key) -> None:
        item: DrawnItem
        if isinstance(key, tuple):
            item = EdgeItem(self.picture.edges[key], self._look)
        elif key in self.picture.boxes:
            item = BoxItem(self.picture.boxes[key], self.readings.get(key), self._look)
        else:
            item = CircleItem(self.picture.circles[key], self._look)
        item.set_marks(marks_of(key, self.activity, self.highlight))
        item.lifted = key in self._lifted
        self._items[key] = item
        self.addItem(item)
        if isinstance(item, EdgeItem) and item.words is not None:
            self.addItem(item.words)

    def _drop(self, key: Key) -> None:
        item = self._items.pop(key)
        if isinstance(item, EdgeItem) and item.words is not None:
            self.removeItem(item.words)
        self.removeItem(item)


def _keys(nodes: Iterable[str], edges: Iterable[EdgeKey]) -> Iterator[Key]:
    yield from nodes
    yield from edges


def _spoken(one: Activity, two: Activity) -> set[EdgeKey]:
    """Edges whose flow or text differs."""
    flows = {pair for pair in {*one.flow, *two.flow} if one.flow.get(pair) != two.flow.get(pair)}
    texts = {*one.edge_texts, *two.edge_texts}
    return flows | {pair for pair in texts if one.edge_texts.get(pair) != two.edge_texts.get(pair)}


def _with_margin(area: Area) -> Area:
    left, top, right, bottom = area
    across, down = 0.05 * (right - left), 0.05 * (bottom - top)
    return left - across, top - down, right + across, bottom + down
