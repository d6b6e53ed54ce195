"""Graphs as drawings for a file or the clipboard, by the very code that draws them on the screen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontInfo, QPainter

from engine.autograd.notation import counted
from engine.graph.picture import BoxNumbers, Picture
from gui.canvas.decorations import PLAIN, Decoration
from gui.canvas.edge_labels import label_bounds
from gui.canvas.geometry import edge_geometry
from gui.canvas.painters import paint_picture
from gui.canvas.style import CanvasStyle
from gui.export.drawing import Drawing, ExportError
from gui.theme import LIGHT, Colors

PAPER_MARGIN = 24.0


def graph_drawing(
    picture: Picture,
    readings: Mapping[str, BoxNumbers],
    *,
    colors: Colors = LIGHT,
    scale: float = 2.0,
    transparent: bool = False,
    region: QRectF | None = None,
    decorations: Mapping[object, Decoration] | None = None,
) -> Drawing:
    """A graph, ready to be drawn into a file.

    Args:
        picture: what to draw.
        readings: its numbers by key; boxes without one are drawn as not computed.
        colors: theme.
        scale: pixels for a scene pixel (PNG only), > 0.
        transparent: leaves the background out.
        region: part of the scene, such as `GraphCanvas.visible_region`; None for everything with a margin.
        decorations: marks, such as `GraphCanvas.decorations`.

    Raises:
        ExportError: for an empty graph or region.
    """
    if not picture.boxes:
        raise ExportError("nothing to export: the graph is empty")
    region = whole_region(picture, decorations or {}) if region is None else region
    if region.isEmpty():
        raise ExportError("nothing to export: the region is empty")
    style = CanvasStyle(colors)

    def paint(painter: QPainter) -> Iterator[None]:
        if not transparent:
            painter.fillRect(QRectF(0, 0, region.width(), region.height()), style.canvas)
        painter.translate(-region.topLeft())
        yield from paint_picture(painter, picture, readings, style, decorations, region)

    return Drawing(region.size(), paint, _title(picture), scale, _families(style))


def whole_region(picture: Picture, decorations: Mapping[object, Decoration]) -> QRectF:
    """Return the area of everything drawn, with a margin; a dragged value takes its operation and edges with it."""
    left, top, right, bottom = picture.bounds
    area = QRectF(left, top, right - left, bottom - top)
    for pair, edge in picture.edges.items():
        form = edge_geometry(edge)
        area |= form.lines.boundingRect()
        if pair in decorations:
            area |= label_bounds(form, decorations[pair].text)
    for circle in picture.circles.values():
        area |= QRectF(circle.x - circle.radius, circle.y - circle.radius, 2 * circle.radius, 2 * circle.radius)
    width, height = math.ceil(area.width() + 2 * PAPER_MARGIN), math.ceil(area.height() + 2 * PAPER_MARGIN)
    return QRectF(area.left() - PAPER_MARGIN, area.top() - PAPER_MARGIN, width, height)


def _title(picture: Picture) -> str:
    output = next((box.label for box in picture.boxes.values() if box.role == "output" and box.label), "")
    about = f" of {output}" if output.isprintable() and output else ""
    return f"Computation graph{about}, {counted(len(picture.boxes), 'value')}"


def _families(style: CanvasStyle) -> dict[str, str]:
    """Return the fallback fonts for readers of the file without ours."""
    return other_fonts(style.label_fonts[0], "sans-serif") | other_fonts(style.edge_font, "monospace")


def other_fonts(font: QFont, generic: str) -> dict[str, str]:
    """The font that stands behind a name such as "Sans Serif", and its kind."""
    found = QFontInfo(font).family()
    return dict.fromkeys((font.family(), found), f"'{found}', {generic}")


def lasting(decorations: Mapping[object, Decoration]) -> dict[object, Decoration]:
    """Return the marks that belong to the graph (flow, step, difference), without those of selection and hovering."""
    kept = {
        key: replace(
            decoration, selected=False, focused=False, on_path=False, text=decoration.text if decoration.touched else ""
        )
        for key, decoration in decorations.items()
    }
    return {key: decoration for key, decoration in kept.items() if decoration != PLAIN}
