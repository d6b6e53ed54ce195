"""How nodes and edges look: the one painting code of the canvas and of every export.

Everything here takes a painter whose origin is the node's centre (edges: the scene's origin), a form with the geometry,
the reading with the numbers, and the ink of a theme. Nothing is measured and nothing is clipped, so that a window, a
PNG, an SVG and a PDF come out alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from engine.graph.picture import Picture, Reading
from gui.canvas.forms import BoxForm, CircleForm, EdgeForm, box_form, circle_form, edge_form
from gui.canvas.ink import LONGEST_NUMBER, Ink

DISTANT_BELOW = 0.62
"""Zoom under which captions could not be read: they are left out and the rest is written larger."""

NOTHING_READ = Reading("–", "–", "unknown", "unknown")


@dataclass(frozen=True, slots=True)
class Marks:
    """What sets one node or edge apart at this moment.

    Attributes:
        selected: chosen by the user.
        touched: the last step has just changed it.
        on_path: lies between the selected or hovered node and the output.
        focused: selected while the canvas has the keyboard.
        differing: marked as different from what it is compared with.
        flow: -1 to 1, how much gradient runs along an edge; None: not shown.
        text: written on an edge, such as its local derivative.
    """

    selected: bool = False
    touched: bool = False
    on_path: bool = False
    focused: bool = False
    differing: bool = False
    flow: float | None = None
    text: str = ""


PLAIN = Marks()


def paint_box(
    painter: QPainter, form: BoxForm, reading: Reading, ink: Ink, marks: Marks = PLAIN, distant: bool = False
) -> None:
    """Draws one value: label | data | grad.

    Args:
        distant: leave out the small words, which could not be read, and write the rest larger.
    """
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if marks.touched:
        painter.setPen(ink.halo)
        painter.drawPath(form.outline)
    _paint_ground(painter, form, ink, marks, bool(reading.problem))
    if form.label_cell is None:
        painter.setFont(ink.large_constant_font if distant and len(reading.data) < 7 else ink.constant_font)
        painter.setPen(ink.numbers["bad"] if reading.data_state == "bad" else ink.muted)
        painter.drawText(form.cells[0].frame, Qt.AlignmentFlag.AlignCenter, reading.data)
    else:
        _paint_label(painter, form, ink, distant)
        _paint_number(painter, form, 0, reading.data, reading.data_state, ink, distant)
        _paint_number(painter, form, 1, reading.grad, reading.grad_state, ink, distant)
    if reading.problem or reading.data_state == "bad" or reading.grad_state == "bad":
        _paint_mark(painter, form.mark, ink)


def _paint_ground(painter: QPainter, form: BoxForm, ink: Ink, marks: Marks, has_problem: bool) -> None:
    painter.setPen(ink.border)
    painter.setBrush(ink.panel)
    for card in form.cards:
        painter.drawPath(card)
    if form.label_cell is None:
        painter.setBrush(ink.tints["constant"])
        painter.setPen(_border(form, ink, marks, has_problem))
        painter.drawPath(form.outline)
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawPath(form.outline)
    painter.setBrush(ink.tints[form.role])
    painter.drawPath(form.label_cell)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(ink.faint)
    painter.drawLines(form.separators)
    painter.setPen(_border(form, ink, marks, has_problem))
    painter.drawPath(form.outline)
    if marks.focused:
        painter.setPen(ink.focus)
        painter.drawRoundedRect(form.bounds.adjusted(5, 5, -5, -5), 8, 8)


def _border(form: BoxForm, ink: Ink, marks: Marks, has_problem: bool) -> QPen:
    if marks.selected or marks.touched:
        return ink.selected_border
    if has_problem:
        return ink.error_border
    if marks.differing:
        return ink.differing_border
    if marks.on_path:
        return ink.path_border
    return ink.thick_border if form.role == "output" else ink.border


def _paint_label(painter: QPainter, form: BoxForm, ink: Ink, distant: bool) -> None:
    painter.setPen(ink.text)
    if distant:
        painter.setFont(ink.large_label_font)
        painter.drawText(form.large_label.at, form.large_label.text)
        return
    painter.setFont(ink.label_font)
    painter.drawText(form.label.at, form.label.text)
    painter.setPen(ink.muted)
    painter.setFont(ink.caption_font)
    if form.note.text:
        painter.drawText(form.note.at, form.note.text)
    for cell in form.cells:
        painter.drawText(cell.caption.at, cell.caption.text)


def _paint_number(painter: QPainter, form: BoxForm, index: int, text: str, state: str, ink: Ink, distant: bool) -> None:
    cell = form.cells[index]
    if state == "unknown":
        painter.setPen(ink.hatch)
        painter.drawLines(cell.hatch)
        painter.setPen(ink.dashed)
        painter.drawRect(cell.frame)
    painter.setFont(ink.large_number_fonts[min(len(text), LONGEST_NUMBER)] if distant else ink.number_font)
    painter.setPen(ink.text if index == 0 and state not in ("unknown", "bad") else ink.numbers[state])
    if state == "unknown":
        painter.drawText(cell.frame, Qt.AlignmentFlag.AlignCenter, text)
    else:
        painter.drawText(cell.large_at if distant else cell.number_at, text)


def _paint_mark(painter: QPainter, area: QRectF, ink: Ink) -> None:
    """An exclamation mark in a filled circle."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink.error_fill)
    painter.drawEllipse(area)
    painter.setPen(ink.on_error)
    painter.setFont(ink.mark_font)
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, "!")


def paint_circle(painter: QPainter, form: CircleForm, ink: Ink, marks: Marks = PLAIN, distant: bool = False) -> None:
    """Draws one operation; `distant` writes its symbol larger."""
    if marks.touched:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(ink.halo)
        painter.drawPath(form.outline)
    painter.setBrush(ink.touched_circle if marks.touched else ink.panel)
    painter.setPen(ink.selected_border if marks.touched else ink.path_border if marks.on_path else ink.border)
    painter.drawPath(form.outline)
    painter.setPen(ink.text)
    symbol, font = (form.large_symbol, form.large_font) if distant else (form.symbol, form.font)
    painter.setFont(font)
    painter.drawText(symbol.at, symbol.text)


def paint_edge(painter: QPainter, form: EdgeForm, ink: Ink, marks: Marks = PLAIN, distant: bool = False) -> None:
    """Draws one edge: as many lines as operands, each with its head, and its text.

    Args:
        distant: draw a wider line, which would otherwise be too thin to be seen.
    """
    pen = _edge_pen(ink, marks, distant)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(pen)
    painter.drawPath(form.lines)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(pen.color())
    painter.drawPath(form.arrows)
    if marks.text:
        _paint_edge_text(painter, form.middle, marks.text, ink)


def _edge_pen(ink: Ink, marks: Marks, distant: bool) -> QPen:
    if marks.touched:
        return ink.touched_edge
    if marks.on_path:
        return ink.path_edge
    if marks.flow is not None:
        return ink.flow_edge(marks.flow)
    return ink.distant_edge if distant else ink.edge


def _paint_edge_text(painter: QPainter, middle: QPointF, text: str, ink: Ink) -> None:
    width = 8.0 + 5.6 * len(text)
    area = QRectF(middle.x() - width / 2, middle.y() - 8, width, 15)
    painter.setPen(ink.faint)
    painter.setBrush(ink.canvas)
    painter.drawRoundedRect(area, 4, 4)
    painter.setPen(ink.text)
    painter.setFont(ink.note_font)
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)


def paint_picture(
    painter: QPainter,
    picture: Picture,
    readings: Mapping[str, Reading],
    ink: Ink,
    marks: Mapping[object, Marks] | None = None,
    region: QRectF | None = None,
) -> None:
    """Draws a whole graph in scene coordinates: edges first, then nodes.

    Args:
        readings: by key; boxes without one are drawn as not computed.
        marks: by node key, and for edges by (source, target).
        region: what lies outside is left out; None draws everything.
    """
    marks = marks or {}
    for pair, edge in picture.edges.items():
        form = edge_form(edge)
        if region is None or form.bounds.intersects(region):
            paint_edge(painter, form, ink, marks.get(pair, PLAIN))
    for key, circle in picture.circles.items():
        dot = circle_form(circle, ink)
        if region is None or dot.bounds.translated(circle.x, circle.y).intersects(region):
            painter.translate(circle.x, circle.y)
            paint_circle(painter, dot, ink, marks.get(key, PLAIN))
            painter.translate(-circle.x, -circle.y)
    for key, box in picture.boxes.items():
        shape = box_form(box, ink)
        if region is None or shape.bounds.translated(box.x, box.y).intersects(region):
            painter.translate(box.x, box.y)
            paint_box(painter, shape, readings.get(key, NOTHING_READ), ink, marks.get(key, PLAIN))
            painter.translate(-box.x, -box.y)
