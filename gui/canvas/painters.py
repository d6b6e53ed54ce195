"""Painting of nodes and edges, shared by the canvas and every export.

Everything here takes a painter whose origin is the node's centre (edges: the scene's origin), the geometry,
the reading with the numbers, and the style of a theme. Nothing is measured and nothing is clipped, so that a window, a
PNG, an SVG and a PDF come out alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from engine.graph.picture import BoxNumbers, Picture
from gui.canvas.decorations import PLAIN, Decoration
from gui.canvas.edge_labels import place_labels
from gui.canvas.geometry import BoxGeometry, BoxShape, CircleGeometry, EdgeGeometry, GeometryCache, edge_geometry
from gui.canvas.level_of_detail import FULL_DETAIL, LevelOfDetail
from gui.canvas.spatial_index import SpatialIndex
from gui.canvas.style import CanvasStyle

PIECE = 1000
"""Things of a picture that are drawn together: an SVG of a thousand values takes 15 MB until it is written."""
NOTHING_READ = BoxNumbers("–", "–", "unknown", "unknown")


def paint_box(
    painter: QPainter,
    geometry: BoxGeometry,
    reading: BoxNumbers,
    style: CanvasStyle,
    decoration: Decoration = PLAIN,
    detail: LevelOfDetail = FULL_DETAIL,
) -> None:
    """Draws one value: label, data and grad."""
    paint_ground(painter, geometry, style, decoration, bool(reading.problem), detail)
    paint_numbers(painter, geometry.shape, reading, style, detail)


def paint_ground(
    painter: QPainter,
    geometry: BoxGeometry,
    style: CanvasStyle,
    decoration: Decoration = PLAIN,
    has_problem: bool = False,
    detail: LevelOfDetail = FULL_DETAIL,
) -> None:
    """Draws what numbers do not change: shape, label and captions; arguments as for `paint_box`."""
    shape = geometry.shape
    if decoration.touched:
        painter.strokePath(shape.outline, style.halo)
    for card in shape.cards:
        painter.fillPath(card, style.panel)
        painter.strokePath(card, style.border)
    painter.fillPath(shape.outline, style.panel)
    painter.fillPath(shape.label_cell, style.tints[shape.role])
    if shape.separators:
        painter.setPen(style.faint)
        painter.drawLines(shape.separators)
    painter.strokePath(shape.outline, _border(shape, style, decoration, has_problem))
    if decoration.focused:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(style.focus)
        painter.drawRoundedRect(shape.bounds.adjusted(5, 5, -5, -5), 8, 8)
    if shape.role != "constant":
        _paint_label(painter, geometry, style, detail)
    if decoration.badge:
        _paint_badge(painter, shape, decoration.badge, style)


def paint_numbers(
    painter: QPainter, shape: BoxShape, reading: BoxNumbers, style: CanvasStyle, detail: LevelOfDetail = FULL_DETAIL
) -> None:
    """Draws what changes: the numbers, and the mark of a problem; arguments as for `paint_box`."""
    if shape.role == "constant":
        painter.setFont(style.constant_font(reading.data))
        painter.setPen(style.data_pens["bad"] if reading.data_state == "bad" else style.muted)
        painter.drawText(shape.cells[0].frame, Qt.AlignmentFlag.AlignCenter, reading.data)
    else:
        font, digit = style.number_font(shape.form, reading.data, reading.grad)
        painter.setFont(font)
        for cell, text, state, pens in (
            (shape.cells[0], reading.data, reading.data_state, style.data_pens),
            (shape.cells[1], reading.grad, reading.grad_state, style.grad_pens),
        ):
            if state == "unknown":  # a hatched, dashed cell: nothing has been computed here
                painter.setPen(style.hatch)
                painter.drawLines(cell.hatch)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(style.dashed)
                painter.drawRect(cell.frame)
                painter.setPen(style.muted)
                painter.drawText(cell.frame, Qt.AlignmentFlag.AlignCenter, text)
            else:
                painter.setPen(pens[state])
                at = cell.number_at if detail.captions else cell.bare_at
                painter.drawText(QPointF(at.x() - digit * len(text), at.y()) if cell.to_the_right else at, text)
    if reading.problem or reading.data_state == "bad" or reading.grad_state == "bad":
        _paint_mark(painter, shape.mark, style)


def _border(shape: BoxShape, style: CanvasStyle, decoration: Decoration, has_problem: bool) -> QPen:
    if decoration.selected or decoration.touched:
        return style.selected_border
    if has_problem:
        return style.error_border
    if decoration.differing:
        return style.differing_border
    if decoration.on_path:
        return style.path_border
    return style.thick_border if shape.role == "output" else style.border


def _paint_label(painter: QPainter, geometry: BoxGeometry, style: CanvasStyle, detail: LevelOfDetail) -> None:
    label = geometry.label if detail.captions else geometry.bare_label
    painter.setPen(style.text)
    painter.setFont(geometry.font)
    painter.drawText(label.at, label.text)
    if not detail.captions:
        return
    painter.setPen(style.muted)
    painter.setFont(style.caption_font)
    if geometry.note.text:
        painter.drawText(geometry.note.at, geometry.note.text)
    for cell in geometry.shape.cells if geometry.has_captions else ():
        if cell.caption.text:
            painter.drawText(cell.caption.at, cell.caption.text)


def _paint_mark(painter: QPainter, area: QRectF, style: CanvasStyle) -> None:
    """An exclamation mark in a filled circle."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.error_fill)
    painter.drawEllipse(area)
    painter.setPen(style.on_error)
    painter.setFont(style.mark_font)
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, "!")


def _paint_badge(painter: QPainter, shape: BoxShape, text: str, style: CanvasStyle) -> None:
    """One or two characters on a pill across the upper edge, at the left: marks of problems stand at the right."""
    frame = shape.outline.boundingRect()
    area = QRectF(frame.left() + 3, frame.top() - 8, 10 + 6 * len(text), 15)
    painter.setPen(style.badge_border)
    painter.setBrush(style.error_fill)
    painter.drawRoundedRect(area, 7, 7)
    painter.setPen(style.on_error)
    painter.setFont(style.mark_font)
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)


def paint_circle(
    painter: QPainter,
    geometry: CircleGeometry,
    style: CanvasStyle,
    decoration: Decoration = PLAIN,
    detail: LevelOfDetail = FULL_DETAIL,
) -> None:
    """Draws one operation."""
    if decoration.touched:
        painter.strokePath(geometry.outline, style.halo)
    painter.fillPath(geometry.outline, style.touched_circle if decoration.touched else style.panel)
    border = style.selected_border if decoration.touched else style.path_border if decoration.on_path else style.border
    painter.strokePath(geometry.outline, border)
    painter.setPen(style.text)
    symbol, font = (geometry.symbol, geometry.font) if detail.captions else (geometry.large_symbol, geometry.large_font)
    painter.setFont(font)
    painter.drawText(symbol.at, symbol.text)


def paint_edge(
    painter: QPainter,
    geometry: EdgeGeometry,
    style: CanvasStyle,
    decoration: Decoration = PLAIN,
    detail: LevelOfDetail = FULL_DETAIL,
) -> None:
    """Draws one edge: as many lines as operands, each with its head."""
    pen = edge_pen(style, decoration, detail)
    painter.strokePath(geometry.lines, pen)
    painter.fillPath(geometry.arrows, pen.brush())


def edge_pen(style: CanvasStyle, decoration: Decoration, detail: LevelOfDetail) -> QPen:
    """Return the pen of an edge."""
    if decoration.touched:
        return style.touched_edge
    if decoration.on_path:
        return style.path_edge
    if decoration.flow is not None:
        return style.flow_pen(decoration.flow)
    return style.edge if detail.captions else style.wide_edge


def paint_edge_label(
    painter: QPainter, area: QRectF, text: str, style: CanvasStyle, detail: LevelOfDetail = FULL_DETAIL
) -> None:
    """Writes a text on an edge into the area that `place_labels` found for it."""
    painter.setPen(style.border)
    painter.setBrush(style.canvas)
    painter.drawRoundedRect(area, 4, 4)
    painter.setPen(style.text)
    painter.setFont(style.edge_font if detail.captions else style.large_edge_font)
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)


def paint_picture(
    painter: QPainter,
    picture: Picture,
    readings: Mapping[str, BoxNumbers],
    style: CanvasStyle,
    decorations: Mapping[object, Decoration] | None = None,
    region: QRectF | None = None,
) -> Iterator[None]:
    """Draws a whole graph in scene coordinates: edges first, then nodes, then the texts on edges.

    Yields after every `PIECE` things: the caller may continue with the painter on another device.

    Args:
        readings: by key; boxes without one are drawn as not computed.
        decorations: by node key, and for edges by (source, target).
        region: only what lies inside is drawn; None: everything.
    """
    decorations = decorations or {}
    geometries, drawn = GeometryCache(style), count(1)
    for pair, edge in picture.edges.items():
        geometry = edge_geometry(edge)
        if region is None or geometry.bounds.intersects(region):
            paint_edge(painter, geometry, style, decorations.get(pair, PLAIN))
            yield from _end_of_piece(drawn)
    for key, circle in picture.circles.items():
        dot = geometries.circle(circle)
        if region is None or dot.bounds.translated(circle.x, circle.y).intersects(region):
            painter.translate(circle.x, circle.y)
            paint_circle(painter, dot, style, decorations.get(key, PLAIN))
            painter.translate(-circle.x, -circle.y)
            yield from _end_of_piece(drawn)
    for key, box in picture.boxes.items():
        shape = geometries.box(box)
        if region is None or shape.shape.bounds.translated(box.x, box.y).intersects(region):
            painter.translate(box.x, box.y)
            paint_box(painter, shape, readings.get(key, NOTHING_READ), style, decorations.get(key, PLAIN))
            painter.translate(-box.x, -box.y)
            yield from _end_of_piece(drawn)
    texts = {pair: decorations[pair].text for pair in picture.edges if pair in decorations and decorations[pair].text}
    page = QRectF()
    page.setCoords(*picture.bounds)
    nodes_in = SpatialIndex(picture).node_rects_in
    areas = place_labels(texts, lambda pair: edge_geometry(picture.edges[pair]), nodes_in, page=page)
    for pair, area in areas.items():
        if region is None or area.intersects(region):
            paint_edge_label(painter, area, texts[pair], style)


def _end_of_piece(drawn: Iterator[int]) -> Iterator[None]:
    if next(drawn) % PIECE == 0:
        yield
