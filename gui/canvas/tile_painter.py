"""Content of a tile: the edges of one area and the grounds of its nodes, without marks."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.canvas.decorations import PLAIN, Decoration, EdgeKey
from gui.canvas.level_of_detail import LevelOfDetail
from gui.canvas.low_detail import faded
from gui.canvas.painters import paint_circle, paint_edge, paint_ground
from gui.canvas.render_state import RenderState


def paint_area(painter: QPainter, state: RenderState, area: QRectF, detail: LevelOfDetail) -> None:
    """Paints what lies in an area, in scene coordinates; what is dragged is left out."""
    edges = [pair for pair in state.edges_in(area) if pair not in state.dragged]
    if detail.curves:
        _paint_curves(painter, state, edges, detail)
    else:
        _paint_lines(painter, state, edges)
    _paint_nodes(painter, state, [key for key in state.nodes_in(area) if key not in state.dragged], detail)


def _paint_curves(painter: QPainter, state: RenderState, edges: Iterable[EdgeKey], detail: LevelOfDetail) -> None:
    flows = state.activity.flow
    for pair in edges:
        flow = flows.get(pair)
        decoration = PLAIN if flow is None else Decoration(flow=flow)
        paint_edge(painter, state.edge_geometry(pair), state.style, decoration, detail)


def _paint_lines(painter: QPainter, state: RenderState, edges: Iterable[EdgeKey]) -> None:
    """All in one call, straight from bend to bend."""
    hints = painter.renderHints()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setPen(faded(state.style.edge, state.style, painter.worldTransform().m11()))
    painter.drawLines(state.drawing.lines(edges))
    painter.setRenderHints(hints)


def _paint_nodes(painter: QPainter, state: RenderState, keys: Iterable[str], detail: LevelOfDetail) -> None:
    picture, geometries = state.picture, state.geometries
    for key in keys:
        box = picture.boxes.get(key)
        node = box or picture.circles[key]
        painter.translate(node.x, node.y)
        if box is not None:
            paint_ground(painter, geometries.box(box), state.style, detail=detail)
        else:
            paint_circle(painter, geometries.circle(picture.circles[key]), state.style, detail=detail)
        painter.translate(-node.x, -node.y)
