"""What a pressed mouse button means: select, drag a node, or pan."""

from __future__ import annotations

from typing import Literal, Protocol

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from engine.graph.picture import Picture
from engine.quick_dataclass import dataclass


class GestureTarget(Protocol):
    """What the gestures need of the canvas that they act on."""

    @property
    def picture(self) -> Picture:
        """What is drawn."""

    @property
    def is_low_detail(self) -> bool:
        """Whether nodes are too tiny to be dragged."""

    def is_on_map(self, position: QPointF) -> bool:
        """Whether a place of the viewport is on the small map."""

    def hover_map(self, hovered: bool) -> None:
        """The pointer is on the map, or not."""

    def look_at_map(self, position: QPointF) -> None:
        """Shows the part of the scene that the map shows at a place of the viewport."""

    def key_at(self, position: QPointF) -> str | None:
        """The node at a place of the viewport."""

    def centre_of(self, key: str) -> QPointF:
        """Where a node is, in the scene."""

    def mapToScene(self, point: QPoint, /) -> QPointF:
        """A place of the viewport, in the scene."""

    def viewport(self) -> QWidget:
        """What shows the cursor."""

    def hover(self, key: str | None) -> None:
        """The pointer is over a node, or over none."""

    def click(self, key: str | None, position: QPointF) -> None:
        """Selects the node at a place of the viewport, or none."""

    def compare(self, key: str | None) -> None:
        """Chooses a second node beside the selected one, or none."""

    def pan(self, dx: float, dy: float) -> None:
        """Moves what is seen by so many pixels."""

    def drag_node(self, key: str, x: float, y: float) -> None:
        """Moves a node's centre."""

    def finish_drag(self, key: str) -> None:
        """The node stays where it is."""


@dataclass
class MouseGesture:
    """A button that is down: where it went down, on what, and what it has become."""

    start: QPointF
    last: QPointF
    key: str | None
    button: Qt.MouseButton
    grip: QPointF
    kind: Literal["press", "pan", "drag", "map"] = "press"


class MouseGestures:
    """Turns presses, moves and releases over a canvas into selecting, dragging and panning.

    Left on a node: a click selects, with Shift it chooses a second node, a drag moves the node (at low detail, where
    nodes are tiny, it pans). Left on the background: a click deselects, a drag pans. The middle button, or Space with
    the left one, pans anywhere. On the small map: looks at the place that is clicked.
    """

    def __init__(self, canvas: GestureTarget) -> None:
        self._canvas = canvas
        self._gesture: MouseGesture | None = None
        self._space = False
        self._on_map = False

    def hold_space(self, held: bool) -> None:
        """Space is down, or up again."""
        self._space = held
        self._show_cursor()

    def press(self, event: QMouseEvent) -> bool:
        """A button goes down; tells whether that means something."""
        button = event.button()
        if button not in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            return False
        at = event.position()
        if self._canvas.is_on_map(at):
            self._gesture = MouseGesture(at, at, None, button, QPointF(), "map")
            self._canvas.look_at_map(at)
            return True
        free = button == Qt.MouseButton.MiddleButton or self._space
        key = None if free else self._canvas.key_at(at)
        grip = self._canvas.centre_of(key) - self._canvas.mapToScene(at.toPoint()) if key else QPointF()
        self._gesture = MouseGesture(at, at, key, button, grip, "pan" if free else "press")
        self._show_cursor()
        return True

    def move(self, event: QMouseEvent) -> None:
        """The pointer moves, with or without a button down."""
        gesture = self._gesture
        if gesture is None:
            self._hover(event.position())
            return
        if gesture.kind == "map":
            self._canvas.look_at_map(event.position())
        if gesture.kind == "press" and self._is_far(event.position() - gesture.start):
            gesture.kind = "drag" if gesture.key and not self._canvas.is_low_detail else "pan"
            self._show_cursor()
        if gesture.kind == "pan":
            step = event.position() - gesture.last
            self._canvas.pan(step.x(), step.y())
        elif gesture.kind == "drag" and gesture.key is not None:
            place = self._canvas.mapToScene(event.position().toPoint()) + gesture.grip
            self._canvas.drag_node(gesture.key, place.x(), place.y())
        gesture.last = event.position()

    def _hover(self, position: QPointF) -> None:
        self._on_map = self._canvas.is_on_map(position)
        self._canvas.hover_map(self._on_map)
        self._canvas.hover(self._canvas.key_at(position))
        self._show_cursor()

    def _is_far(self, way: QPointF) -> bool:
        return way.manhattanLength() >= QApplication.startDragDistance()

    def release(self, event: QMouseEvent) -> bool:
        """A button goes up; tells whether that meant something."""
        gesture = self._gesture
        if gesture is None or event.button() != gesture.button:
            return False
        self._gesture = None
        self._show_cursor()
        if gesture.kind == "press" and event.modifiers() & Qt.KeyboardModifier.ShiftModifier and gesture.key:
            self._canvas.compare(gesture.key)
        elif gesture.kind == "press":
            self._canvas.compare(None)
            self._canvas.click(gesture.key, event.position())
        elif gesture.kind == "drag" and gesture.key is not None:
            self._canvas.finish_drag(gesture.key)
        return True

    def forget_missing(self) -> None:
        """Lets go of a node that is not drawn any more."""
        if self._gesture is not None and self._gesture.key not in self._canvas.picture.boxes:
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
        self._canvas.viewport().setCursor(shape)
