"""Mouse gestures: select, drag a node, or pan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from gui.canvas.graph_scene import GraphScene
from gui.canvas.overlay import OverlayView


@dataclass
class MouseGesture:
    """A pressed mouse button: where and on what it was pressed, and the gesture it has become."""

    start: QPointF
    last: QPointF
    key: str | None
    button: Qt.MouseButton
    grip: QPointF
    kind: Literal["press", "pan", "drag", "map"] = "press"


class GestureView(OverlayView):
    """Turns presses, moves and releases into selecting, dragging and panning; what those are, its subclass knows.

    Left on a node: a click selects, with Shift it chooses a second node, a drag moves the node (at low detail, where
    nodes are tiny, it pans). Left on the background: a click deselects, a drag pans. The middle button, or Space with
    the left one, pans anywhere. On the small map: looks at the place that is clicked.
    """

    def __init__(self, scene: GraphScene, parent: QWidget | None = None) -> None:
        self._gesture: MouseGesture | None = None
        self._space = False
        self._on_map = False
        super().__init__(scene, parent)

    # Events of gestures, for the subclass

    def key_at(self, position: QPointF) -> str | None:
        """The value at a place of the viewport."""
        raise NotImplementedError

    def centre_of(self, key: str) -> QPointF:
        """Return the centre of a value, scene pixels."""
        raise NotImplementedError

    def hover(self, key: str | None) -> None:
        """The pointer is over a value, or over none."""

    def click(self, key: str | None, position: QPointF) -> None:
        """A value was clicked at a place of the viewport, or none."""

    def compare(self, key: str | None) -> None:
        """A second value was chosen in addition to the selected one, or none."""

    def drag_node(self, key: str, x: float, y: float) -> None:
        """The centre of a value is dragged to a place of the scene."""

    def finish_drag(self, key: str) -> None:
        """It stays there."""

    # Buttons

    def hold_space(self, held: bool) -> None:
        """Space is down, or up again."""
        self._space = held
        self._show_cursor()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        button, at = event.button(), event.position()
        if button not in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            super().mousePressEvent(event)
            return
        if self.is_on_map(at):
            self._gesture = MouseGesture(at, at, None, button, QPointF(), "map")
            self.look_at_map(at)
            return
        free = button == Qt.MouseButton.MiddleButton or self._space
        key = None if free else self.key_at(at)
        grip = self.centre_of(key) - self.mapToScene(at.toPoint()) if key else QPointF()
        self._gesture = MouseGesture(at, at, key, button, grip, "pan" if free else "press")
        self._show_cursor()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        gesture = self._gesture
        if gesture is None:
            self._hover(event.position())
            return
        if gesture.kind == "map":
            self.look_at_map(event.position())
        moved = (event.position() - gesture.start).manhattanLength()
        if gesture.kind == "press" and moved >= QApplication.startDragDistance():
            gesture.kind = "drag" if gesture.key and not self._scene.low_detail else "pan"
            self._show_cursor()
        if gesture.kind == "pan":
            step = event.position() - gesture.last
            self.pan(step.x(), step.y())
        elif gesture.kind == "drag" and gesture.key is not None:
            place = self.mapToScene(event.position().toPoint()) + gesture.grip
            self.drag_node(gesture.key, place.x(), place.y())
        gesture.last = event.position()

    def _hover(self, position: QPointF) -> None:
        self._on_map = self.is_on_map(position)
        self.hover_map(self._on_map)
        self.hover(self.key_at(position))
        self._show_cursor()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        gesture = self._gesture
        if gesture is None or event.button() != gesture.button:
            super().mouseReleaseEvent(event)
            return
        self._gesture = None
        self._show_cursor()
        if gesture.kind == "press" and event.modifiers() & Qt.KeyboardModifier.ShiftModifier and gesture.key:
            self.compare(gesture.key)
        elif gesture.kind == "press":
            self.compare(None)
            self.click(gesture.key, event.position())
        elif gesture.kind == "drag" and gesture.key is not None:
            self.finish_drag(gesture.key)

    def let_go_of_missing(self) -> None:
        """End the drag of a node that is no longer drawn."""
        if self._gesture is not None and self._gesture.key not in self._scene.picture.boxes:
            self._gesture.key = None
            if self._gesture.kind == "drag":
                self._gesture = None
        self._show_cursor()

    def _show_cursor(self) -> None:
        shape = Qt.CursorShape.ArrowCursor
        if self._gesture is not None and self._gesture.kind == "pan":
            shape = Qt.CursorShape.ClosedHandCursor
        elif self._space:
            shape = Qt.CursorShape.OpenHandCursor
        elif self._on_map:
            shape = Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(shape)
