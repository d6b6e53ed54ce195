"""A view above which something stands still: the small map, a note, a hint, a veil."""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from gui.canvas.graph_scene import GraphScene
from gui.canvas.minimap import Minimap
from gui.canvas.overlay import Overlay
from gui.canvas.zoom_view import ZoomView

PREPARING_SECONDS = 1.0
"""After which a frame is painted with what there is, and makes the rest itself."""


class OverlayView(ZoomView):
    """Shows a scene, and above it `overlay` and `minimap`, which do not move when the scene does.

    Attributes:
        waits: whether another picture is shown when its frame can be painted at once, and the one of before until then.
    """

    waits = False

    def __init__(self, scene: GraphScene, parent: QWidget | None = None) -> None:
        self._graph = scene
        self.overlay = Overlay()
        self.minimap = Minimap(scene.state.drawing, scene.state.style)
        self._was_painted = False
        self._deadline = 0.0
        self._ahead = QTimer(interval=0)
        self._ahead.timeout.connect(self._make_ahead)
        super().__init__(scene, parent)
        self._ahead.setParent(self)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # what is not painted stays as it was
        scene.transition.finished.connect(self.prepare_frame)
        scene.outdated.connect(self.prepare_frame)

    def looked_at(self) -> list[QRectF]:
        """Return the areas that the map must not cover, scene pixels."""
        return []

    def view_moved(self) -> None:
        self.place_minimap()

    def view_will_move(self, once: bool = False) -> None:
        """Stop deferring frames, except one that is being prepared when the view jumps."""
        if not once:
            self.end_preparing()

    def set_zoom(self, zoom: float, anchor: QPointF | None = None) -> None:
        if self.waits:
            self._graph.end_move()
        self.prepare_frame()
        super().set_zoom(zoom, anchor)

    # When it is painted

    @property
    def is_preparing(self) -> bool:
        """True while the view waits until the next frame can be painted at once."""
        return self._ahead.isActive()

    def prepare_frame(self) -> None:
        """Repaint everything; where `waits`, once the frame's parts have been made, one in each turn of the event loop.

        The first frame waits for nothing: there is none of before that could stay.
        """
        if not (self.waits and self._was_painted and self.isVisible()):
            self.viewport().update()
        elif not self.is_preparing:
            self.viewport().setUpdatesEnabled(False)
            self._deadline = time.monotonic() + PREPARING_SECONDS
            self._ahead.start()

    def _make_ahead(self) -> None:
        goes_on = False
        try:
            is_complete = self._graph.make_ahead(self.visible_region, self.zoom, self.devicePixelRatioF())
            goes_on = not is_complete and time.monotonic() < self._deadline
        finally:
            if not goes_on:
                self.end_preparing()

    def end_preparing(self) -> None:
        """The next frame is painted with what there is, and makes the rest itself."""
        if self.is_preparing:
            self._ahead.stop()
            self.viewport().setUpdatesEnabled(True)

    def grab(self, /, rectangle: QRect | None = None) -> QPixmap:
        """A picture of it as it is to be."""
        self.end_preparing()
        return super().grab(rectangle or self.rect())

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            if self.is_preparing:
                return True
            self._was_painted = True
        return super().viewportEvent(event)

    # What is written

    def set_hint(self, text: str, note: str = "") -> None:
        """Text in the middle of an empty canvas, and a note above a full one."""
        self.overlay.hint, self.overlay.note = text, note
        self.place_minimap()
        self.viewport().update()

    def set_veil(self, text: str) -> None:
        """Pales what is drawn, which is not what is meant any more, and says why; "" shows it as it is."""
        self.overlay.veil = text
        self.viewport().update()

    def set_pale(self, wanted: bool) -> None:
        """Pales what is drawn, which is older than what is meant, or not any more."""
        if wanted != self.overlay.is_pale:
            self.overlay.is_pale = wanted
            self.viewport().update()

    # The map

    @property
    def minimap_wanted(self) -> bool:
        """True when the minimap may be shown where a graph is not all in view."""
        return self.minimap.wanted

    def show_minimap(self, wanted: bool) -> None:
        """Shows the small map where a graph is not all in view, or never."""
        self.minimap.wanted = wanted
        self.place_minimap()

    def update_minimap(self) -> None:
        """Maps what the scene draws now."""
        self.minimap.set_drawing(self._graph.state.drawing, self._graph.state.style)
        self.place_minimap()

    def place_minimap(self) -> None:
        """Puts the map where it covers nothing that is looked at, and has it show what is in view."""
        keep_free = [QRectF(self.mapFromScene(area).boundingRect()) for area in self.looked_at()]
        keep_free.append(self.overlay.note_rect(QRectF(self.viewport().rect()), self._graph.state.style))
        self.viewport().update(self.minimap.rect)
        stays = self.mode == "free"
        self.minimap.arrange(self.visible_region, self.size(), keep_free, self._count_nodes_in, keep_corner=stays)
        self.viewport().update(self.minimap.rect)

    def _count_nodes_in(self, area: QRectF) -> int:
        """Return the number of nodes in a part of the viewport."""
        return self._graph.state.index.count_nodes_in(self.mapToScene(area.toRect()).boundingRect())

    def is_on_map(self, position: QPointF) -> bool:
        """Return True when a place of the viewport is on the minimap."""
        return self.minimap.rect.contains(position.toPoint())

    def hover_map(self, hovered: bool) -> None:
        """The pointer is on the map, or not any more."""
        if hovered != self.minimap.hovered:
            self.minimap.hovered = hovered
            self.viewport().update(self.minimap.rect)

    def look_at_map(self, position: QPointF) -> None:
        """Shows the part of the scene that the map shows at a place of the viewport, at the same zoom."""
        self.mode = "free"
        self.view_will_move()
        self.centerOn(self.minimap.scene_point(position))

    # Painting

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        painter.resetTransform()
        style, empty = self._graph.state.style, not self._graph.picture.boxes
        self.overlay.paint(painter, QRectF(self.viewport().rect()), style, empty)
        self.minimap.paint(painter, self.devicePixelRatioF())

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        before = self.minimap.rect
        super().scrollContentsBy(dx, dy)
        self.viewport().update(before.translated(dx, dy))
        if self.overlay.note or self.overlay.veil:
            self.viewport().update()
