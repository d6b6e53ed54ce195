"""A view above which something stands still: the small map, a note, a hint, a veil."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from gui.canvas.graph_scene import GraphScene
from gui.canvas.minimap import Minimap
from gui.canvas.style import CanvasStyle
from gui.canvas.zoom_view import ZoomView

MARGIN = 24.0
NOTE_FLAGS = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


@dataclass
class Overlay:
    """A line or two in the middle of the canvas.

    Attributes:
        hint: what to do where nothing is drawn.
        veil: reason why the drawn graph is outdated; it is paled then.
        note: parts that are not drawn although requested; written above the graph.
        is_pale: the graph is paled without a text of the overlay.
    """

    hint: str = ""
    veil: str = ""
    note: str = ""
    is_pale: bool = False

    def paint(self, painter: QPainter, viewport: QRectF, style: CanvasStyle, empty: bool) -> None:
        """Paint the texts.

        Args:
            painter: in pixels of the view.
            viewport: pixels of the view.
            empty: nothing is drawn.
        """
        text = self.veil or (self.hint if empty else "")
        if self.note and not empty:
            self._paint_note(painter, viewport, style)
        if self.veil or (self.is_pale and not empty):
            painter.fillRect(viewport, style.veil)
        if not text:
            return
        painter.setPen(style.muted)
        painter.setFont(style.hint_font)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(viewport.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN), flags, text)

    def _paint_note(self, painter: QPainter, viewport: QRectF, style: CanvasStyle) -> None:
        painter.fillRect(self.note_rect(viewport, style).adjusted(-6, -3, 6, 3), style.veil)
        painter.setPen(style.muted)
        painter.setFont(style.hint_font)
        painter.drawText(viewport.adjusted(MARGIN, MARGIN / 2, -MARGIN, -MARGIN), NOTE_FLAGS, self.note)

    def note_rect(self, viewport: QRectF, style: CanvasStyle) -> QRectF:
        """Return the rectangle of the note; empty without one."""
        if not self.note:
            return QRectF()
        area = viewport.adjusted(MARGIN, MARGIN / 2, -MARGIN, -MARGIN)
        return QFontMetricsF(style.hint_font).boundingRect(area, NOTE_FLAGS, self.note)


class OverlayView(ZoomView):
    """Shows a scene, and above it `overlay` and `minimap`, which do not move when the scene does."""

    def __init__(self, scene: GraphScene, parent: QWidget | None = None) -> None:
        self._scene = scene
        self.overlay = Overlay()
        self.minimap = Minimap(scene.state.drawing, scene.state.style)
        super().__init__(scene, parent)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # unpainted pixels keep their content
        scene.transition.finished.connect(self.viewport().update)

    def looked_at(self) -> list[QRectF]:
        """Return the areas that the map must not cover, scene pixels."""
        return []

    def view_moved(self) -> None:
        self.place_minimap()

    @property
    def is_sharp(self) -> bool:
        """True when the last frame was complete: no tile is missing, and the view does not move."""
        return not self._scene.budget.is_time_limited

    # Texts

    def set_hint(self, text: str, note: str = "") -> None:
        """Set the text in the middle of an empty canvas, and the note above a full one."""
        self.overlay.hint, self.overlay.note = text, note
        self.place_minimap()
        self.viewport().update()

    def set_veil(self, text: str) -> None:
        """Pale the outdated graph and show the reason; "": neither."""
        self.overlay.veil = text
        self.viewport().update()

    def set_pale(self, wanted: bool) -> None:
        """Pale the graph, or stop paling it."""
        if wanted != self.overlay.is_pale:
            self.overlay.is_pale = wanted
            self.viewport().update()

    # The map

    @property
    def minimap_wanted(self) -> bool:
        """True when the minimap may be shown where a graph is not all in view."""
        return self.minimap.wanted

    def show_minimap(self, wanted: bool) -> None:
        """Show the map whenever a graph is not wholly in view, or never."""
        self.minimap.wanted = wanted
        self.place_minimap()

    def update_minimap(self) -> None:
        """Make the map of the present drawing."""
        self.minimap.set_drawing(self._scene.state.drawing, self._scene.state.style)
        self.place_minimap()

    def place_minimap(self) -> None:
        """Place the map where it covers nothing important, and update its frame."""
        keep_free = [QRectF(self.mapFromScene(area).boundingRect()) for area in self.looked_at()]
        keep_free.append(self.overlay.note_rect(QRectF(self.viewport().rect()), self._scene.state.style))
        self.viewport().update(self.minimap.rect)
        stays = self.mode == "free"
        self.minimap.arrange(self.visible_region, self.size(), keep_free, self._count_nodes_in, keep_corner=stays)
        self.viewport().update(self.minimap.rect)

    def _count_nodes_in(self, area: QRectF) -> int:
        """Return the number of nodes in a part of the viewport."""
        return self._scene.state.index.count_nodes_in(self.mapToScene(area.toRect()).boundingRect())

    def is_on_map(self, position: QPointF) -> bool:
        """Return True when a place of the viewport is on the minimap."""
        return self.minimap.rect.contains(position.toPoint())

    def hover_map(self, hovered: bool) -> None:
        """Set the hover state of the map."""
        if hovered != self.minimap.hovered:
            self.minimap.hovered = hovered
            self.viewport().update(self.minimap.rect)

    def look_at_map(self, position: QPointF) -> None:
        """Scroll to the part of the scene at a place of the map, at the same zoom."""
        self.mode = "free"
        self.view_will_move()
        self.centerOn(self.minimap.scene_point(position))

    # Painting

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        painter.resetTransform()
        style, empty = self._scene.state.style, not self._scene.picture.boxes
        self.overlay.paint(painter, QRectF(self.viewport().rect()), style, empty)
        self.minimap.paint(painter, self.devicePixelRatioF())

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        before = self.minimap.rect
        super().scrollContentsBy(dx, dy)
        self.viewport().update(before.translated(dx, dy))
        if self.overlay.note or self.overlay.veil:
            self.viewport().update()
