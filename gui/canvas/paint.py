"""How nodes and edges look: the one painting code of the canvas and of every export.

Everything here takes a painter whose origin is the node's centre (edges: the scene's origin), a form with the geometry,
the reading with the numbers, and the ink of a theme. Nothing is measured and nothing is clipped, so that a window, a
PNG, an SVG and a PDF come out alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from engine.graph.picture import Picture, Reading, State
from gui.canvas.edge_texts import placed_texts
from gui.canvas.edges import EdgeForm, edge_form
from gui.canvas.forms import BoxForm, Cell, CircleForm, Forms, Shell
from gui.canvas.index import Index
from gui.canvas.ink import Ink

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
    paint_ground(painter, form, ink, marks, bool(reading.problem), distant)
    paint_numbers(painter, form.shell, reading, ink, distant)


def paint_ground(
    painter: QPainter,
    form: BoxForm,
    ink: Ink,
    marks: Marks = PLAIN,
    has_problem: bool = False,
    distant: bool = False,
) -> None:
    """Draws what numbers do not change: shape, label and captions; arguments as for `paint_box`."""
    if marks.touched:
        painter.strokePath(form.shell.outline, ink.halo)
    _paint_shape(painter, form.shell, ink, marks, has_problem)
    if form.shell.role != "constant":
        _paint_label(painter, form, ink, distant)


def paint_numbers(painter: QPainter, shell: Shell, reading: Reading, ink: Ink, distant: bool = False) -> None:
    """Draws what changes: the numbers, and the mark of a problem; arguments as for `paint_box`."""
    if shell.role == "constant":
        painter.setFont(ink.large_constant_font if distant and len(reading.data) < 7 else ink.constant_font)
        painter.setPen(ink.data_pens["bad"] if reading.data_state == "bad" else ink.muted)
        painter.drawText(shell.cells[0].frame, Qt.AlignmentFlag.AlignCenter, reading.data)
    else:
        painter.setFont(ink.large_number_font(reading.data, reading.grad) if distant else ink.number_font)
        _paint_number(painter, shell.cells[0], reading.data, reading.data_state, ink.data_pens, ink, distant)
        _paint_number(painter, shell.cells[1], reading.grad, reading.grad_state, ink.grad_pens, ink, distant)
    if reading.problem or reading.data_state == "bad" or reading.grad_state == "bad":
        _paint_mark(painter, shell.mark, ink)


def _paint_shape(painter: QPainter, shell: Shell, ink: Ink, marks: Marks, has_problem: bool) -> None:
    for card in shell.cards:
        painter.fillPath(card, ink.panel)
        painter.strokePath(card, ink.border)
    painter.fillPath(shell.outline, ink.panel)
    painter.fillPath(shell.label_cell, ink.tints[shell.role])
    if shell.separators:
        painter.setPen(ink.faint)
        painter.drawLines(shell.separators)
    painter.strokePath(shell.outline, _border(shell, ink, marks, has_problem))
    if marks.focused:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(ink.focus)
        painter.drawRoundedRect(shell.bounds.adjusted(5, 5, -5, -5), 8, 8)


def _border(shell: Shell, ink: Ink, marks: Marks, has_problem: bool) -> QPen:
    if marks.selected or marks.touched:
        return ink.selected_border
    if has_problem:
        return ink.error_border
    if marks.differing:
        return ink.differing_border
    if marks.on_path:
        return ink.path_border
    return ink.thick_border if shell.role == "output" else ink.border


def _paint_label(painter: QPainter, form: BoxForm, ink: Ink, distant: bool) -> None:
    painter.setPen(ink.text)
    if distant:
        painter.setFont(form.large_font)
        painter.drawText(form.large_label.at, form.large_label.text)
        return
    painter.setFont(ink.label_font)
    painter.drawText(form.label.at, form.label.text)
    painter.setPen(ink.muted)
    painter.setFont(ink.caption_font)
    if form.note.text:
        painter.drawText(form.note.at, form.note.text)
    for cell in form.shell.cells:
        painter.drawText(cell.caption.at, cell.caption.text)


def _paint_number(
    painter: QPainter, cell: Cell, text: str, state: State, pens: Mapping[State, QPen], ink: Ink, distant: bool
) -> None:
    if state == "unknown":
        _paint_unknown(painter, cell, ink)
        painter.drawText(cell.frame, Qt.AlignmentFlag.AlignCenter, text)
    else:
        painter.setPen(pens[state])
        painter.drawText(cell.large_at if distant else cell.number_at, text)


def _paint_unknown(painter: QPainter, cell: Cell, ink: Ink) -> None:
    """A hatched, dashed cell: nothing has been computed here."""
    painter.setPen(ink.hatch)
    painter.drawLines(cell.hatch)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(ink.dashed)
    painter.drawRect(cell.frame)
    painter.setPen(ink.muted)


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
        painter.strokePath(form.outline, ink.halo)
    painter.fillPath(form.outline, ink.touched_circle if marks.touched else ink.panel)
    border = ink.selected_border if marks.touched else ink.path_border if marks.on_path else ink.border
    painter.strokePath(form.outline, border)
    painter.setPen(ink.text)
    symbol, font = (form.large_symbol, form.large_font) if distant else (form.symbol, form.font)
    painter.setFont(font)
    painter.drawText(symbol.at, symbol.text)


def paint_edge(painter: QPainter, form: EdgeForm, ink: Ink, marks: Marks = PLAIN, distant: bool = False) -> None:
    """Draws one edge: as many lines as operands, each with its head.

    Args:
        distant: draw a wider line, which would otherwise be too thin to be seen.
    """
    pen = _edge_pen(ink, marks, distant)
    painter.strokePath(form.lines, pen)
    painter.fillPath(form.arrows, pen.brush())


def _edge_pen(ink: Ink, marks: Marks, distant: bool) -> QPen:
    if marks.touched:
        return ink.touched_edge
    if marks.on_path:
        return ink.path_edge
    if marks.flow is not None:
        return ink.flow_pen(marks.flow)
    return ink.distant_edge if distant else ink.edge


def paint_edge_text(painter: QPainter, area: QRectF, text: str, ink: Ink, distant: bool = False) -> None:
    """Writes a text on an edge into the area that `placed_texts` found for it; `distant` writes it larger."""
    painter.setPen(ink.border)
    painter.setBrush(ink.canvas)
    painter.drawRoundedRect(area, 4, 4)
    painter.setPen(ink.text)
    painter.setFont(ink.large_edge_font if distant else ink.edge_font)
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)


def paint_picture(
    painter: QPainter,
    picture: Picture,
    readings: Mapping[str, Reading],
    ink: Ink,
    marks: Mapping[object, Marks] | None = None,
    region: QRectF | None = None,
) -> None:
    """Draws a whole graph in scene coordinates: edges first, then nodes, then the texts on edges.

    Args:
        readings: by key; boxes without one are drawn as not computed.
        marks: by node key, and for edges by (source, target).
        region: what lies outside is left out; None draws everything.
    """
    marks = marks or {}
    forms = Forms(ink)
    for pair, edge in picture.edges.items():
        form = edge_form(edge)
        if region is None or form.bounds.intersects(region):
            paint_edge(painter, form, ink, marks.get(pair, PLAIN))
    for key, circle in picture.circles.items():
        dot = forms.circle(circle)
        if region is None or dot.bounds.translated(circle.x, circle.y).intersects(region):
            painter.translate(circle.x, circle.y)
            paint_circle(painter, dot, ink, marks.get(key, PLAIN))
            painter.translate(-circle.x, -circle.y)
    for key, box in picture.boxes.items():
        shape = forms.box(box)
        if region is None or shape.shell.bounds.translated(box.x, box.y).intersects(region):
            painter.translate(box.x, box.y)
            paint_box(painter, shape, readings.get(key, NOTHING_READ), ink, marks.get(key, PLAIN))
            painter.translate(-box.x, -box.y)
    texts = {pair: marks[pair].text for pair in picture.edges if pair in marks and marks[pair].text}
    areas = placed_texts(texts, lambda pair: edge_form(picture.edges[pair]), Index(picture).node_rects_in)
    for pair, area in areas.items():
        if region is None or area.intersects(region):
            paint_edge_text(painter, area, texts[pair], ink)
