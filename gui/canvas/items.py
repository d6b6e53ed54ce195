"""The graphics items: each holds what it draws ready-made, so that nothing is worked out while painting.

What nothing sets apart is painted by the sheets (`sheet.py`) except for the numbers of boxes; items paint the rest.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPainterPath
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from engine.graph.picture import Box, Circle, Edge, Reading
from gui.canvas.edges import EdgeForm, edge_form, text_bounds
from gui.canvas.forms import BoxForm, CircleForm, Forms
from gui.canvas.ink import Ink
from gui.canvas.paint import (
    NOTHING_READ,
    PLAIN,
    Marks,
    paint_box,
    paint_circle,
    paint_edge,
    paint_edge_text,
    paint_numbers,
)

EDGE_LEVEL, MARKED_EDGE_LEVEL, GROUND_LEVEL, NODE_LEVEL, TEXT_LEVEL = 0.0, 1.0, 2.0, 3.0, 4.0


class Look:
    """What all items share: the ink of the theme, and whether small words can be read at this zoom."""

    __slots__ = ("distant", "forms", "ink")

    def __init__(self, ink: Ink) -> None:
        self.distant = False
        self.take(ink)

    def take(self, ink: Ink) -> None:
        """Changes to another theme."""
        self.ink = ink
        self.forms = Forms(ink)


class DrawnItem(QGraphicsItem):
    """One node or edge.

    Attributes:
        marks: what sets it apart now.
        lifted: whether the sheet leaves it out.
    """

    def __init__(self, look: Look, level: float) -> None:
        super().__init__()
        self._look = look
        self.marks = PLAIN
        self.lifted = False
        self._bounds = QRectF()
        self._shape = QPainterPath()
        self.setZValue(level)

    def boundingRect(self) -> QRectF:
        """What may be painted."""
        return self._bounds

    def shape(self) -> QPainterPath:
        """What the pointer hits."""
        return self._shape

    @property
    def on_sheet(self) -> bool:
        """Whether the sheet shows it as it is, numbers aside."""
        return self.marks is PLAIN and not self.lifted

    def set_marks(self, marks: Marks) -> None:
        """Draws it apart from others."""
        if marks != self.marks:
            self.marks = marks
            self.update()


class BoxItem(DrawnItem):
    """A value."""

    def __init__(self, box: Box, reading: Reading | None, look: Look) -> None:
        super().__init__(look, NODE_LEVEL)
        self._box: Box | None = None
        self._form: BoxForm
        self.reading = reading or NOTHING_READ
        self._changed = QRectF()
        self.take(box)

    def take(self, box: Box) -> None:
        """Becomes another box, or the same one elsewhere."""
        if self._box is None or not _same_form(self._box, box):
            self.remake(box)
        self._box = box
        self.setPos(box.x, box.y)

    def remake(self, box: Box | None = None) -> None:
        """Works the form out anew, after a change of size or theme."""
        box = box or self._box
        assert box is not None
        self.prepareGeometryChange()
        self._form = self._look.forms.box(box)
        self._bounds, self._shape = self._form.shell.bounds, self._form.shell.outline
        self.update()

    def show_reading(self, reading: Reading) -> bool:
        """Takes new numbers; tells whether they differ."""
        old = self.reading
        if reading is old or reading == old:
            return False
        self.reading = reading
        marked = _has_mark(old) or _has_mark(reading)
        self._changed = self._bounds if marked or not self.on_sheet else self._form.shell.numbers
        return True

    def update_numbers(self) -> None:
        """Has what the last reading changed painted again."""
        self.update(self._changed)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draws the box, or only its numbers."""
        if self.on_sheet and not self.reading.problem:
            paint_numbers(painter, self._form, self.reading, self._look.ink, self._look.distant)
        else:
            paint_box(painter, self._form, self.reading, self._look.ink, self.marks, self._look.distant)


def _has_mark(reading: Reading) -> bool:
    """Whether the mark of a problem stands at a box with this reading."""
    return bool(reading.problem) or "bad" in (reading.data_state, reading.grad_state)


def _same_form(one: Box, two: Box) -> bool:
    return (one.width, one.height, one.label, one.role, one.members, one.note) == (
        two.width, two.height, two.label, two.role, two.members, two.note,
    )  # fmt: skip


class CircleItem(DrawnItem):
    """An operation."""

    def __init__(self, circle: Circle, look: Look) -> None:
        super().__init__(look, NODE_LEVEL)
        self._circle: Circle | None = None
        self._form: CircleForm
        self.take(circle)

    def take(self, circle: Circle) -> None:
        """Becomes another circle, or the same one elsewhere."""
        if self._circle is None or (self._circle.text, self._circle.radius) != (circle.text, circle.radius):
            self.remake(circle)
        self._circle = circle
        self.setPos(circle.x, circle.y)

    def remake(self, circle: Circle | None = None) -> None:
        """Works the form out anew."""
        circle = circle or self._circle
        assert circle is not None
        self.prepareGeometryChange()
        self._form = self._look.forms.circle(circle)
        self._bounds, self._shape = self._form.bounds, self._form.outline
        self.update()

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draws the circle."""
        if not self.on_sheet:
            paint_circle(painter, self._form, self._look.ink, self.marks, self._look.distant)


class EdgeTextItem(QGraphicsItem):
    """What is written on an edge, above all nodes."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._form: EdgeForm | None = None
        self._text = ""
        self._bounds = QRectF()
        self.setZValue(TEXT_LEVEL)

    def take(self, form: EdgeForm, text: str) -> None:
        """Writes another text, or the same one elsewhere."""
        self.prepareGeometryChange()
        self._form, self._text, self._bounds = form, text, text_bounds(form, text)
        self.update()

    def boundingRect(self) -> QRectF:
        """What may be painted."""
        return self._bounds

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Writes the text."""
        if self._form is not None and self._text:
            paint_edge_text(painter, self._form, self._text, self._look.ink, self._look.distant)


class EdgeItem(DrawnItem):
    """An edge that is set apart, in scene coordinates.

    Attributes:
        words: the item of its text; None until it has one.
    """

    def __init__(self, edge: Edge, look: Look) -> None:
        super().__init__(look, MARKED_EDGE_LEVEL)
        self._edge: Edge | None = None
        self._form: EdgeForm
        self.words: EdgeTextItem | None = None
        self.take(edge)

    def take(self, edge: Edge) -> None:
        """Becomes another edge, or the same one on another way."""
        if edge == self._edge:
            return
        self.prepareGeometryChange()
        self._edge = edge
        self._form = edge_form(edge)
        self._bounds = self._form.bounds
        if self.words is not None:
            self.words.take(self._form, self.marks.text)
        self.update()

    def remake(self) -> None:
        """Draws itself in new colours."""
        self.update()

    def set_marks(self, marks: Marks) -> None:
        """Draws it apart from others."""
        if marks.text != self.marks.text:
            if self.words is None:
                self.words = EdgeTextItem(self._look)
                if self.scene() is not None:
                    self.scene().addItem(self.words)
            self.words.take(self._form, marks.text)
        super().set_marks(marks)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draws the lines."""
        paint_edge(painter, self._form, self._look.ink, self.marks, self._look.distant)
