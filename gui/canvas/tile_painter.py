"""What a tile shows: the edges of one area, and above them the grounds of its nodes, as nothing sets them apart."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.canvas.decorations import PLAIN, Decoration, EdgeKey
from gui.canvas.level_of_detail import LevelOfDetail
from gui.canvas.low_detail import faded, label_rect, node_rect, straight_lines
from gui.canvas.painters import paint_circle, paint_edge, paint_ground
from gui.canvas.render_state import RenderState

MAX_DRAFT = 400
"""Edges of a draft, which stands for some frames of a move: of more, some are left out; of more nodes, their cells."""


def paint_area(painter: QPainter, state: RenderState, area: QRectF, detail: LevelOfDetail) -> None:
    """Paints what lies in an area, in scene coordinates; what is dragged is left out."""
    edges = [pair for pair in state.edges_in(area) if pair not in state.dragged]
    if detail.curves:
        _paint_curves(painter, state, edges, detail)
    else:
        _paint_lines(painter, state, edges if detail.one_by_one else edges[:: 1 + len(edges) // MAX_DRAFT])
    nodes = [key for key in state.nodes_in(area) if key not in state.dragged]
    if detail.one_by_one:
        _paint_nodes(painter, state, nodes, detail)
    else:
        _paint_rectangles(painter, state, nodes)


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
    painter.drawLines([one for pair in edges for one in straight_lines(state.picture.edges[pair])])
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


def _paint_rectangles(painter: QPainter, state: RenderState, keys: list[str]) -> None:
    """All in a few calls, without texts."""
    picture, style = state.picture, state.style
    cells: dict[str, list[QRectF]] = {}
    for box in (picture.boxes[key] for key in keys if len(keys) <= MAX_DRAFT and key in picture.boxes):
        cells.setdefault(box.role, []).append(label_rect(box))
    painter.setPen(faded(style.border, style, painter.worldTransform().m11()))
    painter.setBrush(style.panel)
    painter.drawRects([node_rect(picture, key) for key in keys])
    for role, rects in cells.items():
        painter.setBrush(style.tints[role])
        painter.drawRects(rects)
