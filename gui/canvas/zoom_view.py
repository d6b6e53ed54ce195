"""A view that is zoomed to the pointer, panned without scroll bars, and fitted to the content of its subclass."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QNativeGestureEvent, QPainter, QResizeEvent, QTransform, QWheelEvent
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView, QWidget

from engine.graph.legibility import LARGEST_ZOOM
from gui.theme import text_scale

MIN_ZOOM, MAX_ZOOM = 0.02, 6.0
FIT_MARGIN = 16.0
ENDLESS = QRectF(-1e6, -1e6, 2e6, 2e6)
ZOOM_PER_WHEEL_DEGREE = 1.012
MIN_READABLE_ZOOM = 0.5
"""Zoom under which a graph shown whole could not be read: digits are less than 5.5 pixels high."""
OPENING_ZOOM = 1.0
"""Zoom at which such a graph is opened, around its output."""
WRITTEN_ZOOM = 0.3
"""Zoom below which numbers are not written: a fitted graph that grows stays fitted down to it."""
Mode = Literal["fit", "open", "free"]


def united(areas: Iterable[QRectF]) -> QRectF:
    """The rectangle around all of them."""
    whole = QRectF()
    for area in areas:
        whole = whole.united(area)
    return whole


def _opened(start: float, first: float, last: float, seen: float) -> float:
    """Return the centre of the visible part along one axis: of all content, or near its start without leaving it."""
    if last - first <= seen:
        return (first + last) / 2
    return min(max(start, first + seen / 2), last - seen / 2)


class ZoomView(QGraphicsView):
    """A QGraphicsView with a clamped zoom.

    Signals:
        zoom_changed(float): scale, 1.0 is natural size.
        resized(): the view has another size.
    """

    zoom_changed = Signal(float)
    resized = Signal()

    def __init__(self, scene: QGraphicsScene, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.mode: Mode = "fit"
        self._covered = 0.0
        self.setScene(scene)
        self.setSceneRect(ENDLESS)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAcceptDrops(False)  # drops belong to the window
        self.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self.setOptimizationFlags(
            QGraphicsView.OptimizationFlag.DontSavePainterState
            | QGraphicsView.OptimizationFlag.DontAdjustForAntialiasing
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)

    def view_moved(self) -> None:
        """Called whenever another part of the scene may have come into view."""

    def view_will_move(self, once: bool = False) -> None:
        """Called before the view is zoomed or panned.

        Args:
            once: it jumps; otherwise the user moves it, and many small moves will follow one another.
        """

    def content_area(self) -> QRectF:
        """Return the area that `fit` shows, scene pixels."""
        return self.scene().itemsBoundingRect()

    @property
    def zoom(self) -> float:
        """The scale; 1.0 is natural size."""
        return self.transform().m11()

    @property
    def visible_region(self) -> QRectF:
        """The visible area, scene pixels."""
        inverse, _invertible = self.viewportTransform().inverted()
        return inverse.mapRect(QRectF(self.viewport().rect()))

    def set_zoom(self, zoom: float, anchor: QPointF | None = None) -> None:
        """Set the scale, clamped to between 2 % and 600 %.

        Args:
            anchor: the place of the viewport that keeps showing the same; its middle when None.
        """
        self.mode = "free"
        self.view_will_move(once=True)
        self._scale_to(zoom, anchor)

    def zoom_by(self, factor: float, anchor: QPointF | None = None) -> None:
        """Multiply the present zoom."""
        self.mode = "free"
        self.view_will_move()
        self._scale_to(self.zoom * factor, anchor)

    def _scale_to(self, zoom: float, anchor: QPointF | None = None) -> None:
        zoom = self.zoom if math.isnan(zoom) else max(MIN_ZOOM, min(MAX_ZOOM, zoom))
        if zoom == self.zoom:
            return
        at = anchor if anchor is not None else QRectF(self.viewport().rect()).center()
        inverse, _invertible = self.viewportTransform().inverted()
        point = inverse.map(at)
        self.setTransform(QTransform.fromScale(zoom, zoom))
        off = self.viewportTransform().map(point) - at
        self._scroll(off.x(), off.y())
        self.view_moved()
        self.zoom_changed.emit(zoom)

    def pan(self, dx: float, dy: float) -> None:
        """Pan by viewport pixels."""
        self.mode = "free"
        self.view_will_move()
        self._scroll(-dx, -dy)

    def _scroll(self, dx: float, dy: float) -> None:
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(across.value() + round(dx))
        down.setValue(down.value() + round(dy))

    def fit(self) -> None:
        """Shows everything; until the next zoom or pan, a change of size keeps it so."""
        self.show_area(self.content_area())
        self.mode = "fit"

    def leave_above(self, pixels: float) -> None:
        """Reserve pixels at the top of the view: a fitted graph stands below them; 0 for none."""
        if pixels != self._covered:
            self._covered = pixels
            if self.mode == "fit" or (self.mode == "open" and self.zoom != OPENING_ZOOM * text_scale()):
                self.restore_mode()

    def open_view(self) -> None:
        """Show everything where it can be read, otherwise the result at a readable zoom."""
        self.fit()
        if self.zoom < MIN_READABLE_ZOOM:
            self._scale_to(OPENING_ZOOM * text_scale())
            self.centerOn(self._opening())
            self.view_moved()
        self.mode = "open"

    def result(self) -> QPointF:
        """Return the place that is in view when only a part of the content is shown first, scene pixels."""
        return self.content_area().center()

    def _opening(self) -> QPointF:
        """Return the centre of a view around the result; sides of the content that fit are in the middle."""
        area, seen = self.content_area(), self.visible_region
        result, margin = self.result(), FIT_MARGIN / self.zoom
        return QPointF(
            _opened(result.x(), area.left() - margin, area.right() + margin, seen.width()),
            _opened(result.y(), area.top() - margin, area.bottom() + margin, seen.height()),
        )

    @property
    def shows_all(self) -> bool:
        """True when all of the content is in view."""
        return self.visible_region.contains(self.content_area())

    def keep_view(self, was_whole: bool, stood: QRectF, stands: Callable[[], QRectF]) -> None:
        """Show partly changed content at the same zoom, or fitted when it was fitted before.

        Args:
            was_whole: all of it was in view.
            stood: earlier place of the changed content, pixels of the viewport; empty for none.
            stands: where it stands now.
        """
        zoom = self.zoom
        if was_whole:
            self.fit()
            if self.zoom < min(zoom, WRITTEN_ZOOM):
                self._scale_to(zoom)
        now = stands()
        if not self.shows_all and not stood.isEmpty() and not now.isEmpty():
            self._scroll(now.center().x() - stood.center().x(), now.center().y() - stood.center().y())
        self.mode = "open"

    def show_area(self, area: QRectF) -> None:
        """Zooms and pans so that an area of the scene fills the view, at most at 150 %; more with larger text."""
        self.mode = "free"
        size = self.viewport().size()
        if area.isEmpty() or size.isEmpty():
            return
        width, height = self.room
        below = min(self._covered, height / 2)
        self._scale_to(min(width / area.width(), (height - below) / area.height(), LARGEST_ZOOM * text_scale()))
        above = (height - area.height() * self.zoom) / 2
        self.centerOn(area.center() - QPointF(0.0, max(0.0, below - above) / self.zoom))
        self.view_moved()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta().y() or event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.pan(turned / 2, 0)
        else:
            degrees = max(-60.0, min(60.0, turned / 8))
            self.zoom_by(ZOOM_PER_WHEEL_DEGREE**degrees, event.position())
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom_by(1 + event.value(), event.position())
            return True
        return super().viewportEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.restore_mode()
        self.view_moved()
        self.resized.emit()

    @property
    def room(self) -> tuple[float, float]:
        """Return width and height available for fitted content, pixels."""
        size = self.viewport().size()
        return max(40.0, size.width() - 2.0 * FIT_MARGIN), max(40.0, size.height() - 2.0 * FIT_MARGIN)

    def reveal_area(self, area: QRectF) -> None:
        """Moves the view just so far that an area of the scene is seen, and nearer where it could not be read."""
        seen = self.visible_region.contains(area)
        is_readable = self.zoom >= MIN_READABLE_ZOOM
        if seen and is_readable:
            return
        if not is_readable:
            self.set_zoom(OPENING_ZOOM * text_scale())
            self.centerOn(area.center())
        else:
            self.mode = "free"
            self.view_will_move(once=True)
        self.ensureVisible(area, 40, 40)
        self.view_moved()

    def restore_mode(self) -> None:
        """Fit or open again, unless the user has moved the view since."""
        if self.mode == "fit":
            self.fit()
        elif self.mode == "open":
            self.open_view()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self.view_moved()
