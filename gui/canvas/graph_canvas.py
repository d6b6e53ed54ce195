"""The graph canvas: shows a picture with its numbers, and lets people look around and point at things in it.

It draws the given picture and emits signals for actions of the user; it knows no session, no document and no Values.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from engine.graph.forms import FORMS
from engine.graph.moved import Links
from engine.graph.picture import BoxNumbers, Picture
from gui.canvas.accessible import ReadableView, make_accessible
from gui.canvas.decorations import Activity, Decoration, Highlight, all_decorations
from gui.canvas.descriptions import tool_tip
from gui.canvas.graph_scene import GraphScene
from gui.canvas.navigation import STEPS, Direction, find, neighbour, path_to_output, place, stays_mostly, value_of
from gui.canvas.overlay import TOOL_TIP as MAP_TOOL_TIP
from gui.canvas.render_state import PreparedPicture
from gui.canvas.transition import emerging
from gui.canvas.zoom_view import united
from gui.system_theme import system_theme
from gui.theme import LIGHT, Colors
from gui.widgets.action_set import Action, ActionSet

MAX_EXPOSED = 12
"""Rectangles of a frame up to which each is looked at by itself: a pan exposes two, the map one or two more."""
ZOOM_STEP = 1.25
NOT_DRAWN, NOT_SELECTED = "There is no graph yet", "Select a value in the graph first"
MAX_LOOKED_AT = 20
"""Nodes that the map makes way for, when they are selected or were just touched; more cannot be in one place."""


class GraphCanvas(ReadableView):
    """The view of a computation graph; `overlay` holds the texts over it, `notes` returns sentences for tooltips.

    Signals:
        node_selected(object): key of the value the user selected, None for nothing. Not emitted by `select`.
        node_compared(object): key of a second value, chosen with Shift and a click; None when one is selected without.
        node_hovered(object): key of the value under the pointer, None when it has left.
        node_activated(object): key of a value that was double-clicked or entered.
        gradient_clicked(object): key of a value whose gradient was clicked on.
        node_moved(str, float, float): key and new centre of a value dragged by hand, when the drag ends.
        group_toggled(object): key of a collapsed group that was double-clicked or entered.
        zoom_changed(float): scale, 1.0 is natural size.
        view_changed(): boxes may stand elsewhere in the viewport.
        context_requested(object, QPoint): key of the value under the pointer or None, and the place on the screen.
    """

    node_selected = Signal(object)
    node_compared = Signal(object)
    node_hovered = Signal(object)
    node_activated = Signal(object)
    gradient_clicked = Signal(object)
    node_moved = Signal(str, float, float)
    group_toggled = Signal(object)
    view_changed = Signal()
    context_requested = Signal(object, QPoint)

    def __init__(self, colors: Colors = LIGHT, parent: QWidget | None = None) -> None:
        scene = GraphScene(colors)
        self._selected: str | None = None
        self._hovered: str | None = None
        super().__init__(scene, parent)
        scene.setParent(self)
        self.action_set = ActionSet(self, CANVAS_ACTIONS)
        self.setAccessibleName("computation graph")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(160, 48)
        self.setBackgroundBrush(scene.state.style.canvas)
        self._accessible = make_accessible(self)

    # Content

    @property
    def picture(self) -> Picture:
        """The drawn picture, nodes moved by hand included."""
        return self._scene.picture

    @property
    def links(self) -> Links:
        """The connections between the nodes of the picture."""
        return self._scene.links

    @property
    def readings(self) -> Mapping[str, BoxNumbers]:
        """The numbers that are drawn."""
        return self._scene.state.readings

    @property
    def decorations(self) -> dict[object, Decoration]:
        """Current marks of all nodes and edges, for an export of the visible canvas."""
        return all_decorations(self._scene.state.activity, self._scene.state.highlight)

    @property
    def selected(self) -> str | None:
        """Key of the selected value."""
        return self._selected

    def show_picture(
        self,
        picture: Picture | PreparedPicture,
        *,
        keep_view: bool = True,
        animate: bool = False,
        same_values: bool = False,
        came_from: Mapping[str, str] | None = None,
    ) -> None:
        """Show another graph, or the same one with another layout.

        Args:
            keep_view: leave zoom and position alone once the user has chosen them. Until then, and always when False,
                after an empty graph or where nothing would be in view, the graph is shown whole, or its output where
                that could not be read.
            animate: let nodes that stay move to their new places, where motion is allowed.
            same_values: only groups or operations were opened or closed: the zoom and the selected value stay.
            came_from: for new boxes the box of the picture before that they come out of (a group that was opened).
        """
        before, was_whole, stood = self.picture, self.shows_all, self.node_area(str(self._selected))
        self._scene.transition.finish()
        self.viewport().update()
        self._scene.show_picture(picture)
        self.update_minimap()
        self.let_go_of_missing()
        self._accessible.follow_picture()
        self._hovered = None
        self.select(self._selected)
        if not (keep_view and before.boxes and self.visible_region.intersects(self.content_area())):
            self.open_view()
        elif same_values and self.mode == "open" and stays_mostly(before, self.picture):
            self.keep_view(was_whole, stood, lambda: self.node_area(str(self._selected)))
        else:
            self.restore_mode()
        self.view_moved()
        if animate and self.motion_allowed():
            self._scene.transition.begin(emerging(before, self.picture, came_from or {}), self.picture)

    def show_readings(self, readings: Mapping[str, BoxNumbers]) -> None:
        """Show new numbers; only boxes with changed numbers are repainted. Unknown keys are ignored."""
        self._scene.show_readings(readings)

    def show_activity(self, activity: Activity, *, follow: bool = False) -> None:
        """Mark the nodes and edges of the last step.

        Args:
            follow: move the view where the touched nodes would not be seen, and nearer where they could not be read.
        """
        before = self._scene.state.activity.nodes
        self._scene.show_activity(activity)
        touched = [self._scene.rect_of(key) for key in activity.nodes if key in self._scene.links.after]
        if follow and touched:
            self.reveal_area(united(touched))
        if activity.nodes != before:
            self.place_minimap()

    def paint_again(self) -> None:
        """Repaint everything without cached tiles."""
        self.viewport().update()
        self._scene.paint_again()
        self.update_minimap()

    def set_colors(self, colors: Colors) -> None:
        """Apply another theme."""
        self.viewport().update()
        self._scene.set_colors(colors)
        self.setBackgroundBrush(self._scene.state.style.canvas)
        self.update_minimap()

    def motion_allowed(self) -> bool:
        """Return True when the settings, or else the system, allow animations."""
        return system_theme().has_motion

    # Selection and path

    def select(self, key: str | None) -> None:
        """Select a value without a signal; a key that is not drawn selects nothing."""
        self._selected = key if key in self.picture.boxes else None
        self._highlight_path()
        self.place_minimap()
        self._accessible.follow_selection()

    def choose(self, key: str | None) -> None:
        """Select a value as the user does, with a signal."""
        if key != self._selected:
            self.select(key)
            self.node_selected.emit(self._selected)

    def click(self, key: str | None, position: QPointF) -> None:
        self.choose(key)
        if key is not None and self.gradient_area(key).contains(position):
            self.gradient_clicked.emit(key)

    def compare(self, key: str | None) -> None:
        self.node_compared.emit(key)

    def activate(self, key: str) -> None:
        """Open a group or ask for an explanation, as a double click does."""
        (self.group_toggled if self.picture.boxes[key].members else self.node_activated).emit(key)

    def hover(self, key: str | None) -> None:
        """Highlight the path from a value to the output; None: the path of the selection."""
        if key != self._hovered:
            self._hovered = key
            self._highlight_path()
            self.node_hovered.emit(key)

    def _highlight_path(self) -> None:
        start = self._hovered or self._selected or ""
        nodes, edges = path_to_output(self.picture, self._scene.links, start)
        self._scene.show_highlight(Highlight(self._selected, self.hasFocus(), nodes, edges))

    @property
    def is_low_detail(self) -> bool:
        """True when nodes are drawn at low detail, without texts."""
        return self._scene.low_detail

    def search(self, text: str) -> list[str]:
        """Keys of the values whose label contains the text, best matches first."""
        return find(self.picture, text)

    def key_at(self, position: QPointF) -> str | None:
        """Return the value at a place of the viewport; over an operation the value it computes; none on the map."""
        if self.is_on_map(position):
            return None
        point = self.mapToScene(position.toPoint())
        key = self._scene.state.index.node_at(point.x(), point.y())
        return None if key is None else value_of(self.picture, self._scene.links, key)

    def centre_of(self, key: str) -> QPointF:
        node = place(self.picture, key)
        return QPointF(node.x, node.y)

    def gradient_area(self, key: str) -> QRectF:
        """Return the rectangle of a value's gradient, viewport pixels; empty for one that is not drawn."""
        box = self.picture.boxes.get(key)
        if box is None:
            return QRectF()
        _data, cell = FORMS[box.form].number_cells(box.width, box.height, box.role)
        return QRectF(self.mapFromScene(QRectF(*cell).translated(box.x, box.y)).boundingRect())

    def node_area(self, key: str) -> QRectF:
        """Return the rectangle of a node, viewport pixels; empty for one that is not drawn."""
        drawn = key in self._scene.links.after
        return QRectF(self.mapFromScene(self._scene.rect_of(key)).boundingRect()) if drawn else QRectF()

    # Looking around

    def view_moved(self) -> None:
        self._scene.set_view(self.visible_region, self.zoom)
        super().view_moved()
        self.view_changed.emit()

    def looked_at(self) -> list[QRectF]:
        keys = {self._selected, *self._scene.state.activity.nodes} & self._scene.links.after.keys()
        return [self._scene.rect_of(str(key)) for key in keys] if len(keys) <= MAX_LOOKED_AT else []

    def view_will_move(self, once: bool = False) -> None:
        """Limit the work of frames where much is in view."""
        super().view_will_move(once)
        self._scene.begin_move(self.visible_region, once)

    def show_area(self, area: QRectF) -> None:
        """Zoom and pan so that an area of the scene fills the view."""
        self._scene.end_move()
        super().show_area(area)

    def paintEvent(self, event: QPaintEvent) -> None:
        exposed = event.region()
        few = exposed.rectCount() <= MAX_EXPOSED
        rects: list[QRect] = list(exposed) if few else [exposed.boundingRect()]  # type: ignore[call-overload]  # it is one
        inverse, _invertible = self.viewportTransform().inverted()
        self._scene.begin_frame([inverse.mapRect(QRectF(rect).adjusted(-1, -1, 1, 1)) for rect in rects])
        try:
            super().paintEvent(event)
        finally:
            self._scene.end_frame()

    def content_area(self) -> QRectF:
        left, top, right, bottom = self.picture.bounds
        return QRectF(left, top, right - left, bottom - top)

    def result(self) -> QPointF:
        """Return the centre of the output, scene pixels."""
        key = neighbour(self.picture, self._scene.links, None, "left")
        return super().result() if key is None else self.centre_of(key)

    def fit_selection(self) -> None:
        """Show the selected value with its path to the output; the whole graph when nothing is selected."""
        if nodes := self._scene.state.highlight.nodes:
            self.show_area(united([self._scene.rect_of(key) for key in nodes]))
        else:
            self.fit()

    def center_on(self, key: str) -> None:
        """Scroll a value into the middle; a key that is not drawn does nothing."""
        if key in self._scene.links.after:
            self.mode = "free"
            self.centerOn(self.centre_of(key))

    def reveal(self, key: str) -> None:
        """Scroll just far enough to show a value; a key that is not drawn does nothing."""
        if key in self._scene.links.after:
            self.reveal_area(self._scene.rect_of(key))

    def bring_into_view(self, key: str | None) -> None:
        """Scroll just far enough to show a value of which nothing is seen; otherwise the view stays."""
        if key in self._scene.links.after and not self.visible_region.intersects(self._scene.rect_of(str(key))):
            self.reveal(str(key))

    # Pointer

    def drag_node(self, key: str, x: float, y: float) -> None:
        self._scene.transition.finish()
        self.mode = "free"
        self._scene.move_node(key, x, y)
        self.view_moved()

    def finish_drag(self, key: str) -> None:
        """Route the edges of a dragged value around boxes, and emit its final place.

        The map follows with the next picture, which the receiver of the signal shows.
        """
        self._scene.drop_node(key)
        centre = self.centre_of(key)
        self.node_moved.emit(key, centre.x(), centre.y())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        key = self.key_at(event.position())
        if event.button() != Qt.MouseButton.LeftButton:
            super().mouseDoubleClickEvent(event)
        elif key is None:
            if not self.is_on_map(event.position()):
                self.fit()
        else:
            self.activate(key)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard and self._selected is not None:
            at = self.mapFromScene(self.centre_of(self._selected))
            self.context_requested.emit(self._selected, self.viewport().mapToGlobal(at))
        else:
            self.context_requested.emit(self.key_at(QPointF(event.pos())), event.globalPos())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self.hover(None)
        self.hover_map(False)
        super().leaveEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            key = self.key_at(QPointF(event.pos()))
            on_map = self.is_on_map(QPointF(event.pos()))
            text = MAP_TOOL_TIP if on_map else tool_tip(self.picture, self.readings, key, self.notes)
            QToolTip.showText(event.globalPos(), text, self.viewport())
            return True
        return super().viewportEvent(event)

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            self.hold_space(True)
        elif not self.action_set.press(event):
            super().keyPressEvent(event)

    def navigate(self, direction: Direction) -> None:
        """Select the next value in a direction, or the output when none is selected."""
        key = neighbour(self.picture, self._scene.links, self._selected, direction)
        if key is not None:
            self.choose(key)
            self.reveal(key)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self.hold_space(False)
        else:
            super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._highlight_path()
        self._accessible.follow_selection()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.hold_space(False)
        self._highlight_path()


def _is_drawn(canvas: GraphCanvas) -> bool:
    return bool(canvas.picture.boxes)


def _is_selected(canvas: GraphCanvas) -> bool:
    return canvas.selected is not None


def _navigation(direction: Direction, words: str) -> Action[GraphCanvas]:
    return Action(
        f"navigate {direction}", f"Go {direction}", lambda canvas: canvas.navigate(direction),
        f"Select the next value {words}", keys=(direction.capitalize(),), enabled=_is_drawn, needs=NOT_DRAWN,
    )  # fmt: skip


def _activate(canvas: GraphCanvas) -> None:
    if canvas.selected is not None:
        canvas.activate(canvas.selected)


CANVAS_ACTIONS: tuple[Action[GraphCanvas], ...] = (
    Action(
        "fit", "&Fit graph", lambda canvas: canvas.fit(), "Show the whole graph", keys=("Home",), button="Fit",
        places=(("Graph", 20), ("header", 31), ("background", 10)), enabled=_is_drawn, needs=NOT_DRAWN,
    ),
    Action(
        "fit selection", "Fit &selection", lambda canvas: canvas.fit_selection(),
        "Show the selected value with its way to the output", places=(("header", 32), ("node", 40)), enabled=_is_drawn,
        needs=NOT_DRAWN,
    ),
    Action(
        "natural size", "&100 %", lambda canvas: canvas.set_zoom(1.0), "Show the graph in its natural size",
        places=(("header", 33),), enabled=_is_drawn, needs=NOT_DRAWN,
    ),
    Action(
        "zoom in", "Zoom in", lambda canvas: canvas.zoom_by(ZOOM_STEP), "Show the graph larger", keys=("+", "="),
        enabled=_is_drawn, needs=NOT_DRAWN,
    ),
    Action(
        "zoom out", "Zoom out", lambda canvas: canvas.zoom_by(1 / ZOOM_STEP), "Show the graph smaller", keys=("-",),
        enabled=_is_drawn, needs=NOT_DRAWN,
    ),
    *map(_navigation, STEPS, ("to the left", "to the right", "above", "below")),
    Action(
        "activate", "Open or explain", _activate, "Open the selected group, or explain the selected value",
        keys=("Return", "Enter"), enabled=_is_selected, needs=NOT_SELECTED,
    ),
    Action(
        "paths from", "Paths from &here", lambda canvas: canvas.compare(canvas.selected),
        "Remember the selected value: Why? then shows every path between it and the value selected next",
        keys=("Shift+Return", "Shift+Enter"), places=(("node", 12),), enabled=_is_selected, needs=NOT_SELECTED,
    ),
    Action(
        "deselect", "Deselect", lambda canvas: canvas.choose(None), "Select nothing", keys=("Esc",),
        enabled=_is_selected, needs=NOT_SELECTED,
    ),
    Action(
        "minimap", "&Overview map", lambda canvas: canvas.show_minimap(not canvas.minimap_wanted),
        "A small map in a corner, where the graph is not all in view", places=(("header", 22),),
        checked=lambda canvas: canvas.minimap_wanted,
    ),
)  # fmt: skip
