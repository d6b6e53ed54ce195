"""The graph at low detail: where no text could be read, all nodes are drawn by one item in a few calls.

Boxes are rectangles grouped by colour, edges straight lines from bend to bend. One Python-painted item for each node
would cost about ten times as much with thousands of them in view. What is set apart is drawn above, from lists that are
made when a decoration changes and not while painting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from engine.graph.forms import FORMS
from engine.graph.picture import Box, BoxNumbers, Edge, Picture
from engine.quick_dataclass import dataclass
from gui.canvas.decorations import Activity, EdgeKey, Highlight
from gui.canvas.level_of_detail import level_of_detail
from gui.canvas.style import CanvasStyle, blend, line

BAR_HEIGHT = 8.0
MIN_SIDE = 9.0
"""Viewport pixels: what is set apart is drawn at least so large, however far away it is."""
MAX_ENLARGED = 300
"""Nodes set apart up to which each is drawn so large; more would cover one another."""
MARK_BOUNDS = 400.0
"""How far a decoration may stand out of the picture, scene pixels."""


class LowDetailDrawing:
    """Rectangles and lines of a whole picture, ready to be painted in the style of any theme."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self._edge_lines = {pair: straight_lines(edge) for pair, edge in picture.edges.items()}
        self._lines = [one for lines in self._edge_lines.values() for one in lines]
        self._rects: dict[str, list[QRectF]] = {}
        for key, box in picture.boxes.items():
            self._rects.setdefault(box.role, []).append(node_rect(picture, key))
        self._rects["circle"] = [node_rect(picture, key) for key in picture.circles]
        self._labels: dict[str, list[QRectF]] = {}
        for box in picture.boxes.values():
            self._labels.setdefault(box.role, []).append(label_rect(box))
        self._bars = [bar for box in picture.boxes.values() for bar in _bars(box)]
        self.bounds = QRectF()
        self.bounds.setCoords(*picture.bounds)
        self._flow: Mapping[EdgeKey, float] = {}
        self._flow_lines: Mapping[int, list[QLineF]] = {}

    def flow_lines(self, flow: Mapping[EdgeKey, float]) -> Mapping[int, list[QLineF]]:
        """Lines by level, the weakest first: they are drawn first. Those of the last flow are kept."""
        if flow is not self._flow:
            self._flow, self._flow_lines = flow, _flow_lines(self._edge_lines, flow)
        return self._flow_lines

    def paint_lines(self, painter: QPainter, style: CanvasStyle) -> None:
        """Draws the edges in scene coordinates, one pixel wide at every zoom."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(cosmetic(style.edge, 0))
        painter.drawLines(self._lines)

    def paint_nodes(self, painter: QPainter, style: CanvasStyle, zoom: float) -> None:
        """Draws the nodes in scene coordinates.

        Args:
            zoom: where cells can be seen boxes look as they do at full detail, with bars for numbers.
        """
        if not level_of_detail(zoom).cells:
            painter.setPen(Qt.PenStyle.NoPen)
            for role, rects in self._rects.items():
                painter.setBrush(plain_fill(role, style))
                painter.drawRects(rects)
            return
        painter.setPen(faded(style.border, style, zoom))
        painter.setBrush(style.panel)
        for rects in self._rects.values():
            painter.drawRects(rects)
        for role, rects in self._labels.items():
            painter.setBrush(style.tints[role])
            painter.drawRects(rects)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.bars["faint"])
        painter.drawRects(self._bars)


def label_rect(box: Box) -> QRectF:
    """The tinted part of a box."""
    if box.role == "constant":
        return QRectF(box.x - box.width / 2, box.y - box.height / 2, box.width, box.height)
    return QRectF(*FORMS[box.form].name_cell(box.width, box.height)).translated(box.x, box.y)


def _bars(box: Box) -> list[QRectF]:
    """What stands for the numbers of a box."""
    if box.role == "constant":
        return []
    cells = FORMS[box.form].number_cells(box.width, box.height, box.role)
    return [
        QRectF(box.x + left + 9, box.y + top + (height - BAR_HEIGHT) / 2, width - 18, BAR_HEIGHT)
        for left, top, width, height in cells
    ]


def faded(pen: QPen, style: CanvasStyle, zoom: float) -> QPen:
    """The thinnest pen, as pale as a line thinner than a pixel is at that zoom."""
    share = min(1.0, max(0.2, pen.widthF() * zoom))
    return cosmetic(QPen(blend(pen.color().name(), style.colors.canvas, share)), 0)


def straight_lines(edge: Edge) -> list[QLineF]:
    """An edge as straight lines from bend to bend."""
    return [QLineF(*curve[0], *curve[3]) for curve in edge.curves]


def plain_fill(role: str, style: CanvasStyle) -> QBrush:
    """The colour of a node at low detail: its tint, made stronger."""
    colors = style.colors
    strong = {"input": colors.positive, "parameter": colors.accent, "output": colors.positive}.get(role)
    tint = {"input": colors.input, "parameter": colors.parameter, "output": colors.output}.get(role, colors.panel)
    return QBrush(blend(strong, tint, 0.45) if strong else blend(colors.muted, colors.panel, 0.32))


def cosmetic(pen: QPen, width: float) -> QPen:
    """A pen of that colour whose width is in viewport pixels; 0 is the thinnest."""
    same = QPen(pen.color(), width)
    same.setCosmetic(True)
    return same


@dataclass(frozen=True)
class LowDetailDecorations:
    """What is set apart, at low detail.

    Attributes:
        flow: lines by level, as `CanvasStyle.flow_level` gives it.
        path, touched: lines of edges.
        path_nodes, touched_nodes, differing, bad: rectangles of nodes; bad ones have a problem or are not finite.
        selected: that of the selected node.
    """

    flow: Mapping[int, list[QLineF]] = field(default_factory=dict)
    path: tuple[QLineF, ...] = ()
    touched: tuple[QLineF, ...] = ()
    path_nodes: tuple[QRectF, ...] = ()
    touched_nodes: tuple[QRectF, ...] = ()
    differing: tuple[QRectF, ...] = ()
    bad: tuple[QRectF, ...] = ()
    selected: tuple[QRectF, ...] = ()


NO_DECORATIONS = LowDetailDecorations()


def low_detail_decorations(
    drawing: LowDetailDrawing, activity: Activity, highlight: Highlight, readings: Mapping[str, BoxNumbers]
) -> LowDetailDecorations:
    """The decorations of a moment; made when one of them changes."""
    picture = drawing.picture
    bad = [key for key, reading in readings.items() if is_bad(reading)]
    return LowDetailDecorations(
        flow=drawing.flow_lines(activity.flow),
        path=_lines(picture, highlight.edges),
        touched=_lines(picture, activity.edges),
        path_nodes=_rects(picture, highlight.nodes),
        touched_nodes=_rects(picture, activity.nodes),
        differing=_rects(picture, activity.differing),
        bad=_rects(picture, bad),
        selected=_rects(picture, [highlight.selected] if highlight.selected else []),
    )


def is_bad(reading: BoxNumbers) -> bool:
    """Whether the mark of a problem stands at a box with this reading."""
    return bool(reading.problem) or reading.data_state == "bad" or reading.grad_state == "bad"


def _lines(picture: Picture, pairs: Iterable[EdgeKey]) -> tuple[QLineF, ...]:
    edges = picture.edges
    return tuple(one for pair in pairs if pair in edges for one in straight_lines(edges[pair]))


def _flow_lines(edge_lines: Mapping[EdgeKey, list[QLineF]], flow: Mapping[EdgeKey, float]) -> dict[int, list[QLineF]]:
    lines: dict[int, list[QLineF]] = {}
    for pair, share in flow.items():
        level = CanvasStyle.flow_level(share)
        if level and pair in edge_lines:
            lines.setdefault(level, []).extend(edge_lines[pair])
    return {level: lines[level] for level in sorted(lines, key=abs)}


def _rects(picture: Picture, keys: Iterable[str]) -> tuple[QRectF, ...]:
    return tuple(node_rect(picture, key) for key in keys if key in picture.boxes or key in picture.circles)


class LowDetailItem(QGraphicsItem):
    """The low-detail drawing in the scene; hidden while nodes are drawn one by one."""

    def __init__(self) -> None:
        super().__init__()
        self._drawing: LowDetailDrawing | None = None
        self._style: CanvasStyle | None = None
        self._decorations = NO_DECORATIONS
        self._bounds = QRectF()

    def set_drawing(self, drawing: LowDetailDrawing | None, style: CanvasStyle) -> None:
        """Shows another drawing, or the same in another style; None for none. Its decorations are those of before."""
        self.prepareGeometryChange()
        self._drawing, self._style = drawing, style
        room = MARK_BOUNDS
        self._bounds = drawing.bounds.adjusted(-room, -room, room, room) if drawing else QRectF()
        self.update()

    def decorate(self, decorations: LowDetailDecorations) -> None:
        """Sets other nodes and edges apart."""
        if decorations != self._decorations:
            self._decorations = decorations
            self.update()

    def boundingRect(self) -> QRectF:
        """The whole picture."""
        return self._bounds

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draws the whole picture, and above it what is set apart."""
        if self._drawing is None or self._style is None:
            return
        zoom = painter.worldTransform().m11()
        self._drawing.paint_lines(painter, self._style)
        self._paint_edge_marks(painter, self._style)
        self._drawing.paint_nodes(painter, self._style, zoom)
        self._paint_node_marks(painter, self._style, zoom)

    def _paint_edge_marks(self, painter: QPainter, style: CanvasStyle) -> None:
        for level, lines in self._decorations.flow.items():
            pen = style.level_pen(level)
            painter.setPen(cosmetic(pen, round(pen.widthF())))
            painter.drawLines(lines)
        for apart, width in ((self._decorations.path, 2), (self._decorations.touched, 3)):
            painter.setPen(cosmetic(style.path_edge, width))
            painter.drawLines(apart)

    def _paint_node_marks(self, painter: QPainter, style: CanvasStyle, zoom: float) -> None:
        """In this order, so that the selection is never covered."""
        decorations = self._decorations
        outline = Qt.BrushStyle.NoBrush
        painter.setPen(QPen(Qt.PenStyle.NoPen))
        painter.setBrush(style.path_fill)
        painter.drawRects(decorations.path_nodes)
        _paint_rects(painter, decorations.bad, style.error_fill, zoom)
        painter.setPen(cosmetic(style.differing_border, 2))
        _paint_rects(painter, decorations.differing, outline, zoom)
        painter.setPen(cosmetic(style.selected_border, 2))
        _paint_rects(painter, decorations.touched_nodes, style.touched_fill, zoom)
        painter.setPen(cosmetic(line(style.canvas.color()), 5))
        _paint_rects(painter, decorations.selected, outline, zoom, grown=3)
        painter.setPen(cosmetic(style.selected_border, 3))
        _paint_rects(painter, decorations.selected, outline, zoom, grown=3)


def _paint_rects(
    painter: QPainter, rects: tuple[QRectF, ...], fill: QBrush | Qt.BrushStyle, zoom: float, grown: float = 0
) -> None:
    """Draws rectangles not smaller than can be seen.

    Args:
        grown: by how many viewport pixels each is larger on every side.
    """
    painter.setBrush(fill)
    if len(rects) > MAX_ENLARGED:
        painter.drawRects(rects)
        return
    painter.drawRects([_enlarged(rect, MIN_SIDE / zoom, grown / zoom) for rect in rects])


def _enlarged(rect: QRectF, least: float, grown: float) -> QRectF:
    across, down = max(0.0, (least - rect.width()) / 2) + grown, max(0.0, (least - rect.height()) / 2) + grown
    return rect.adjusted(-across, -down, across, down)


def node_rect(picture: Picture, key: str) -> QRectF:
    """The rectangle of a box or circle."""
    box = picture.boxes.get(key)
    if box is not None:
        return QRectF(box.x - box.width / 2, box.y - box.height / 2, box.width, box.height)
    circle = picture.circles[key]
    return QRectF(circle.x - circle.radius, circle.y - circle.radius, 2 * circle.radius, 2 * circle.radius)
