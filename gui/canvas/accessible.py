"""The canvas as a screen reader meets it: one list, with an item for every node, inputs before what is made of them.

Nothing here runs while no screen reader asks. An item is made when it is first asked for, and its text is that of its
node at the moment of asking. After another graph the items of nodes that went are deleted.

Qt asks from C++, and owns every interface from when it is registered; the Python objects are kept as long. An item must
never offer actions or a value (`interface_cast`): that ends the process in Qt 6.11 and 6.12. All it has is in its text.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from functools import partial

import shiboken6
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAccessibleInterface, QWindow
from PySide6.QtWidgets import QAccessibleWidget, QWidget

from engine.graph.moved import Links
from engine.graph.picture import BoxNumbers, Picture
from gui.canvas.descriptions import Notes, describe, details, no_notes, summary
from gui.canvas.gestures import GestureView

Text = QAccessible.Text


class ReadableView(GestureView):
    """A view that screen readers can read; its subclass draws the nodes.

    Attributes:
        notes: returns sentences on a node.
    """

    notes: Notes = staticmethod(no_notes)

    @property
    def picture(self) -> Picture:
        """The drawn picture."""
        raise NotImplementedError

    @property
    def links(self) -> Links:
        """The connections between the nodes of the picture."""
        raise NotImplementedError

    @property
    def readings(self) -> Mapping[str, BoxNumbers]:
        """The numbers that are drawn."""
        raise NotImplementedError

    @property
    def selected(self) -> str | None:
        """Key of the selected value."""
        raise NotImplementedError

    def node_area(self, key: str) -> QRectF:
        """Return the rectangle of a node, viewport pixels; empty for one that is not drawn."""
        raise NotImplementedError


class AccessibleNode(QAccessibleInterface):
    """A node of the graph, as an item of the list."""

    def __init__(self, canvas: ReadableView, key: str) -> None:
        super().__init__()
        self._canvas = weakref.ref(canvas)
        self.key = key

    @property
    def canvas(self) -> ReadableView | None:
        """The canvas while it draws the node."""
        canvas = self._canvas()
        return canvas if canvas is not None and shiboken6.isValid(canvas) and self.key in canvas.picture.boxes else None

    def isValid(self) -> bool:
        return self.canvas is not None

    def object(self) -> None:  # type: ignore[override]  # a node is no QObject
        return None

    def window(self) -> QWindow | None:  # type: ignore[override]  # the stub leaves out that there may be none
        canvas = self.canvas
        return None if canvas is None else canvas.window().windowHandle()

    def parent(self) -> QAccessibleInterface | None:  # type: ignore[override]
        canvas = self._canvas()
        valid = canvas is not None and shiboken6.isValid(canvas)
        return QAccessible.queryAccessibleInterface(canvas) if valid else None  # type: ignore[arg-type]

    def childCount(self) -> int:
        return 0

    def child(self, index: int) -> None:  # type: ignore[override]
        return None

    def childAt(self, x: int, y: int) -> None:  # type: ignore[override]
        return None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def text(self, kind: QAccessible.Text) -> str:
        canvas = self.canvas
        if canvas is None:
            return ""
        if kind == Text.Name:
            return describe(canvas.picture, canvas.links, canvas.readings, self.key)
        return details(canvas.readings, self.key, canvas.notes) if kind == Text.Description else ""

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Do nothing: the text of a node is computed."""

    def rect(self) -> QRect:
        canvas = self.canvas
        if canvas is None:
            return QRect()
        area = canvas.node_area(self.key).toAlignedRect()
        return area.translated(canvas.viewport().mapToGlobal(QPoint(0, 0)))

    def state(self) -> QAccessible.State:
        state, canvas = QAccessible.State(), self.canvas
        if canvas is None:
            state.invalid = True
            return state
        is_selected = self.key == canvas.selected
        state.focusable = state.selectable = True
        state.selected = is_selected
        state.focused = state.active = is_selected and canvas.hasFocus()
        state.offscreen = not canvas.node_area(self.key).intersects(canvas.viewport().rect())
        return state


class AccessibleCanvas(QAccessibleWidget):
    """The list: first its nodes, then the fields that lie on the canvas, such as that of a predicted gradient."""

    def __init__(self, canvas: ReadableView) -> None:
        super().__init__(canvas, QAccessible.Role.List)
        self._canvas = weakref.ref(canvas)
        self._picture: object = None
        self._keys: tuple[str, ...] = ()
        self._nodes: dict[str, tuple[int, AccessibleNode]] = {}

    # Asked by Qt

    def childCount(self) -> int:
        return len(self._drawn()) + len(self._fields())

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        keys, fields = self._drawn(), self._fields()
        if 0 <= index < len(keys):
            return self.node(keys[index])
        if len(keys) <= index < len(keys) + len(fields):
            return QAccessible.queryAccessibleInterface(fields[index - len(keys)])
        return None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        keys = self._drawn()
        if isinstance(child, AccessibleNode):
            return keys.index(child.key) if child.key in keys else -1
        field, fields = child.object(), self._fields()
        return len(keys) + fields.index(field) if field in fields else -1

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        canvas = self._drawing()
        if canvas is None:
            return None
        key = canvas.key_at(QPointF(canvas.viewport().mapFromGlobal(QPoint(x, y))))
        return None if key is None else self.node(key)

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]
        canvas = self._drawing()
        key = canvas.selected if canvas is not None and canvas.hasFocus() else None
        return None if key is None else self.node(key)

    def text(self, kind: QAccessible.Text) -> str:
        canvas = self._drawing()
        return summary(canvas.picture) if canvas is not None and kind == Text.Description else super().text(kind)

    # Asked by the canvas

    def node(self, key: str) -> AccessibleNode | None:
        """Return the item of a node that is drawn; made when it is first asked for."""
        canvas = self._drawing()
        if canvas is None:
            return None
        if key not in self._nodes:
            made = AccessibleNode(canvas, key)
            self._nodes[key] = 0, made  # Qt may ask for it while it is registered
            self._nodes[key] = QAccessible.registerAccessibleInterface(made), made
        return self._nodes[key][1]

    def follow_picture(self) -> None:
        """Delete the items of nodes that are no longer drawn, and tell screen readers that the list has changed."""
        canvas = self._drawing()
        if canvas is None:
            return
        for key in [key for key in self._nodes if key not in canvas.picture.boxes]:
            identity, _node = self._nodes.pop(key)
            QAccessible.deleteAccessibleInterface(identity)
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleEvent(canvas, QAccessible.Event.ObjectReorder))

    def follow_selection(self) -> None:
        """Tell a screen reader where the keyboard is."""
        canvas = self._drawing()
        if canvas is None or canvas.selected is None or not (QAccessible.isActive() and canvas.hasFocus()):
            return
        node = self.node(canvas.selected)
        if node is not None:
            QAccessible.updateAccessibility(QAccessibleEvent(node, QAccessible.Event.Focus))

    def delete_nodes(self, _canvas: object = None) -> None:
        """Delete the items, as the canvas goes."""
        while self._nodes:
            _key, (identity, _node) = self._nodes.popitem()
            QAccessible.deleteAccessibleInterface(identity)

    def _drawing(self) -> ReadableView | None:
        canvas = self._canvas()
        return canvas if canvas is not None and shiboken6.isValid(canvas) else None

    def _drawn(self) -> tuple[str, ...]:
        canvas = self._drawing()
        if canvas is not None and self._picture is not canvas.picture:
            self._picture, self._keys = canvas.picture, tuple(canvas.picture.boxes)
        return self._keys

    def _fields(self) -> list[QWidget]:
        canvas = self._drawing()
        parts = canvas.viewport().children() if canvas is not None else ()
        return [part for part in parts if isinstance(part, QWidget) and not part.isHidden()]


def make_accessible(canvas: ReadableView) -> AccessibleCanvas:
    """Show a canvas to screen readers, as long as it lives.

    Qt deletes the interface with the canvas. The connection keeps the Python object until then: were it freed first, Qt
    would delete what is gone.
    """
    made = AccessibleCanvas(canvas)
    QAccessible.registerAccessibleInterface(made)
    canvas.destroyed.connect(partial(AccessibleCanvas.delete_nodes, made))
    return made
