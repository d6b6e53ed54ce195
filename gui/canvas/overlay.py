"""A view above which something stands still: the small map, a note, a hint, a veil.

The view paints the map itself, above everything else. A widget of its own over the viewport would keep Qt from
scrolling what is painted already: then every frame of a pan paints the whole view (DESIGN.md has the figures).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from gui.canvas.graph_scene import GraphScene
from gui.canvas.level_of_detail import LowDetailDrawing, cosmetic
from gui.canvas.style import CanvasStyle
from gui.canvas.zoom_view import ZoomView
from gui.painting import painting, saved

TOOL_TIP = "The whole graph: click or drag to look elsewhere"
LARGEST = QSize(190, 120)
LARGEST_SHARE = 0.28
"""Largest share of the canvas's width and height for the map."""
MIN_SIDE = 30
FROM_CORNER = 12
"""Pixels between the map and the borders of the canvas."""
EDGE = 6
"""Pixels between the map's border and the graph."""
MIN_CANVAS = QSize(420, 300)
"""A smaller canvas has no room for a map."""
UPPER_LEFT = 3
"""Index of the upper left corner."""
OVER_NODES_OPACITY = 0.6
"""While nodes are under the map, and the pointer is elsewhere: they can be seen through it."""
MARGIN = 24.0
NOTE_FLAGS = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


class Minimap:
    """A small map in a corner of the canvas: the whole graph, and what of it is in view.

    It stands in the lower right corner of the canvas, or in another corner when it would cover what the user looks at;
    for another graph in the corner where it covers the fewest nodes, the upper left one last.

    Attributes:
        wanted: the user wants the map.
        rect: where it stands, pixels of the canvas; empty while it is not shown.
        hovered: the pointer is on it.
    """

    def __init__(self, drawing: LowDetailDrawing, style: CanvasStyle) -> None:
        self.wanted = True
        self.rect = QRect()
        self.hovered = False
        self.set_drawing(drawing, style)
        self._seen = QRectF()
        self._corner = 0
        self._over_nodes = False

    def set_drawing(self, drawing: LowDetailDrawing, style: CanvasStyle) -> None:
        """Maps another picture, or the same one in another theme."""
        self._drawing, self._style = drawing, style
        self._pixmap: QPixmap | None = None

    def arrange(
        self,
        seen: QRectF,
        canvas: QSize,
        keep_free: Sequence[QRectF] = (),
        nodes_in: Callable[[QRectF], int] = lambda _rect: 0,
        keep_corner: bool = True,
    ) -> None:
        """Mark the visible part, and choose a place; the map of a graph that is wholly in view is hidden.

        Args:
            seen: scene pixels.
            canvas: size of the canvas, in one of whose corners the map stands.
            keep_free: areas that it must not cover, pixels of the canvas.
            nodes_in: how many nodes there are in a part of the canvas.
            keep_corner: it stays where it is when it covers nothing of that, so that it does not jump about in a pan.
        """
        area = self._drawing.bounds
        roomy = canvas.width() >= MIN_CANVAS.width() and canvas.height() >= MIN_CANVAS.height()
        self._seen = seen
        finite = math.isfinite(area.width()) and math.isfinite(area.height())  # a node can be dragged very far away
        if not (self.wanted and roomy and finite) or area.isEmpty() or seen.contains(area):
            self.rect = QRect()
            return
        largest = LARGEST.boundedTo(canvas * LARGEST_SHARE)
        room_x, room_y = largest.width() - 2 * EDGE, largest.height() - 2 * EDGE
        scale = min(room_x / area.width(), room_y / area.height())
        size = QSize(*(max(MIN_SIDE, round(side * scale) + 2 * EDGE) for side in (area.width(), area.height())))
        right, down = canvas.width() - size.width() - FROM_CORNER, canvas.height() - size.height() - FROM_CORNER
        corners = [QRect(x, y, size.width(), size.height()) for y in (down, FROM_CORNER) for x in (right, FROM_CORNER)]
        free = [row for row, corner in enumerate(corners) if not any(map(QRectF(corner).intersects, keep_free))] or [0]
        if not keep_corner or self._corner not in free:
            self._corner = min(free, key=lambda row: _cost(row, nodes_in(QRectF(corners[row]))))
        self.rect = corners[self._corner]
        self._over_nodes = nodes_in(QRectF(self.rect)) > 0

    def scene_point(self, position: QPointF) -> QPointF:
        """The place of the scene that stands at one of the canvas; outside of the graph its border."""
        area = self._drawing.bounds
        place = (position - self._origin()) / self._scale() + area.topLeft()
        x = min(max(place.x(), area.left()), area.right())
        return QPointF(x, min(max(place.y(), area.top()), area.bottom()))

    # Where the graph is on it

    def _scale(self) -> float:
        area = self._drawing.bounds
        return min((self.rect.width() - 2 * EDGE) / area.width(), (self.rect.height() - 2 * EDGE) / area.height())

    def _origin(self) -> QPointF:
        """Return the position of the graph's top left corner on the canvas."""
        return QRectF(self.rect).center() - QPointF(
            self._drawing.bounds.width() * self._scale() / 2, self._drawing.bounds.height() * self._scale() / 2
        )

    # Painting

    def paint(self, painter: QPainter, ratio: float) -> None:
        """Draw the map and the frame of the visible part.

        Args:
            painter: in pixels of the canvas.
            ratio: device pixels for one of them.
        """
        if self.rect.isEmpty():
            return
        if self._pixmap is None or self._pixmap.size() != self.rect.size() * ratio:
            self._pixmap = self._drawn(ratio)
        with saved(painter):
            painter.setOpacity(OVER_NODES_OPACITY if self._over_nodes and not self.hovered else 1.0)
            painter.drawPixmap(self.rect.topLeft(), self._pixmap)
            painter.setPen(self._style.path_border)
            painter.setBrush(self._style.seen_fill)
            painter.drawRoundedRect(self._frame(), 2, 2)

    def _frame(self) -> QRectF:
        """Return the visible area on the map; never outside it, never too small to be seen."""
        corner = self._origin() + (self._seen.topLeft() - self._drawing.bounds.topLeft()) * self._scale()
        inside = QRectF(self.rect).adjusted(1, 1, -1, -1)
        frame = QRectF(corner, self._seen.size() * self._scale()).intersected(inside)
        return frame.adjusted(-1, -1, 1, 1).intersected(inside) if frame.width() > 0 else QRectF()

    def _drawn(self, ratio: float) -> QPixmap:
        pixmap = QPixmap(self.rect.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(self._style.panel.color())
        with painting(pixmap) as painter:
            painter.translate(-self.rect.topLeft())
            painter.setPen(self._style.border)
            painter.drawRect(QRectF(self.rect).adjusted(0.5, 0.5, -0.5, -0.5))
            painter.translate(self._origin())
            painter.scale(self._scale(), self._scale())
            painter.translate(-self._drawing.bounds.topLeft())
            shapes = self._drawing.shapes(self._scale())
            shapes.paint_lines(painter, cosmetic(self._style.edge, 0))
            shapes.paint_nodes(painter, self._style, zoom=0.0)
        return pixmap


def _cost(corner: int, n_nodes: int) -> tuple[bool, int]:
    """Return the cost of a corner: covered nodes, which count most in the upper left one."""
    return corner == UPPER_LEFT and n_nodes > 0, n_nodes


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
            painter.fillRect(self.note_rect(viewport, style).adjusted(-6, -3, 6, 3), style.veil)
            painter.setPen(style.muted)
            painter.setFont(style.hint_font)
            painter.drawText(viewport.adjusted(MARGIN, MARGIN / 2, -MARGIN, -MARGIN), NOTE_FLAGS, self.note)
        if self.veil or (self.is_pale and not empty):
            painter.fillRect(viewport, style.veil)
        if not text:
            return
        painter.setPen(style.muted)
        painter.setFont(style.hint_font)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(viewport.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN), flags, text)

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
