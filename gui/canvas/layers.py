"""The layers above the sheet: numbers, what is set apart, and texts on edges; one item each.

A layer paints what lies in the exposed area and nothing else, so a frame costs what is in view, however large the graph
is. There is no item for a node: nothing has to be made when nodes come into view, and nothing is left when they go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from engine.graph.picture import EMPTY_PICTURE, Picture, Reading, State
from gui.canvas.activity import EdgeKey
from gui.canvas.edge_texts import placed_texts, text_bounds
from gui.canvas.far import is_bad
from gui.canvas.forms import BoxForm, Shell
from gui.canvas.index import area_of
from gui.canvas.ink import Tone
from gui.canvas.paint import Marks, paint_box, paint_circle, paint_edge, paint_edge_text, paint_numbers
from gui.canvas.stage import Stage

SHEET_LEVEL, MARKED_EDGE_LEVEL, NUMBER_LEVEL, MARKED_NODE_LEVEL, TEXT_LEVEL = map(float, range(5))
BARS_BELOW = 0.3
"""Zoom under which a digit is less than five pixels high: a bar in its colour stands for each number."""
BAR_HEIGHT, BAR_INSET = 8.0, 0.06
"""Scene pixels, and share of the cell that is left free on both sides."""
DATA_TONES: Mapping[State, Tone | None] = MappingProxyType(
    {"unknown": None, "zero": "quiet", "positive": "quiet", "negative": "quiet", "size": "quiet", "bad": "bad"}
)
GRAD_TONES: Mapping[State, Tone | None] = MappingProxyType(
    {"unknown": None, "zero": "faint", "positive": "positive", "negative": "negative", "size": "quiet", "bad": "bad"}
)
ON_PATH = Marks(on_path=True)
MOST_AREAS = 80
"""Changes up to which each has its own place painted again; with more it is the whole view."""


class Layer(QGraphicsItem):
    """Something painted over the whole picture."""

    def __init__(self, stage: Stage, level: float) -> None:
        super().__init__()
        self._stage = stage
        self._bounds = QRectF()
        self.setZValue(level)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def boundingRect(self) -> QRectF:
        """The whole picture."""
        return self._bounds

    def spread(self) -> None:
        """Follows the picture to its new bounds, and is painted again."""
        self.prepareGeometryChange()
        self._bounds = self._stage.bounds()
        self.update()

    def renew(self, areas: list[QRectF]) -> None:
        """Has some areas painted again."""
        if len(areas) > MOST_AREAS:
            self.update()
            return
        for area in areas:
            self.update(area)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Paints what lies in the exposed area."""
        self._paint(painter, option.exposedRect)  # type: ignore[attr-defined]  # the stub leaves it out

    def _paint(self, painter: QPainter, area: QRectF) -> None:
        raise NotImplementedError


class NumberLayer(Layer):
    """The numbers of all boxes, and the marks of problems."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage, NUMBER_LEVEL)

    def changed_area(self, key: str, old: Reading, new: Reading) -> QRectF:
        """What has to be painted again for a new reading of a box."""
        box = self._stage.picture.boxes[key]
        shell = self._stage.forms.shell(box)
        plain = not (is_bad(old) or is_bad(new) or self._stage.is_raised(key))
        return (shell.numbers if plain else shell.bounds).translated(box.x, box.y)

    def _paint(self, painter: QPainter, area: QRectF) -> None:
        stage = self._stage
        boxes = stage.picture.boxes
        keys = [key for key in stage.nodes_in(area_of(area)) if key in boxes and key not in stage.lifted]
        if painter.worldTransform().m11() < BARS_BELOW:
            self._paint_bars(painter, keys)
            return
        for key in keys:
            box, reading = boxes[key], stage.reading(key)
            painter.translate(box.x, box.y)
            if reading.problem:
                paint_box(painter, stage.forms.box(box), reading, stage.ink, distant=stage.distant)
            else:
                paint_numbers(painter, stage.forms.shell(box), reading, stage.ink, stage.distant)
            painter.translate(-box.x, -box.y)

    def _paint_bars(self, painter: QPainter, keys: Iterable[str]) -> None:
        stage = self._stage
        bars: dict[Tone, list[QRectF]] = {}
        for key in keys:
            box = stage.picture.boxes[key]
            for tone, bar in number_bars(stage.forms.shell(box), stage.reading(key)):
                bars.setdefault(tone, []).append(bar.translated(box.x, box.y))
        painter.setPen(Qt.PenStyle.NoPen)
        for tone, rects in bars.items():
            painter.setBrush(stage.ink.bars[tone])
            painter.drawRects(rects)


def number_bars(shell: Shell, reading: Reading) -> list[tuple[Tone, QRectF]]:
    """What stands for the numbers of a box where they could not be read, around its centre.

    What is not computed has no bar, what is not finite fills its cell.
    """
    states = (reading.data_state, reading.grad_state)
    bars: list[tuple[Tone, QRectF]] = []
    for cell, state, tones in zip(shell.cells, states, (DATA_TONES, GRAD_TONES), strict=False):
        tone = tones[state]
        if tone == "bad":
            bars.append((tone, cell.frame))
        elif tone is not None:
            half = min(BAR_HEIGHT, cell.frame.height()) / 2
            across = cell.frame.width() * BAR_INSET
            width = cell.frame.width() - 2 * across
            bars.append((tone, QRectF(cell.frame.left() + across, -half, width, 2 * half)))
    return bars


class EdgeMarkLayer(Layer):
    """The edges that are set apart or dragged, above all others."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage, MARKED_EDGE_LEVEL)

    def _paint(self, painter: QPainter, area: QRectF) -> None:
        stage = self._stage
        for pair in stage.raised_edges(area):
            paint_edge(painter, stage.edge_form(pair), stage.ink, stage.marks(pair), stage.distant)


class NodeMarkLayer(Layer):
    """The nodes that are set apart or dragged, above all others."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage, MARKED_NODE_LEVEL)

    def _paint(self, painter: QPainter, area: QRectF) -> None:
        stage = self._stage
        for key in stage.raised_nodes(area):
            node = stage.picture.boxes.get(key) or stage.picture.circles[key]
            painter.translate(node.x, node.y)
            self._paint_node(painter, key)
            painter.translate(-node.x, -node.y)

    def _paint_node(self, painter: QPainter, key: str) -> None:
        stage, marks = self._stage, self._stage.marks(key)
        box = stage.picture.boxes.get(key)
        form = stage.forms.circle(stage.picture.circles[key]) if box is None else stage.forms.box(box)
        if marks == ON_PATH and key not in stage.lifted and not stage.reading(key).problem:
            painter.strokePath(form.outline, stage.ink.path_border)  # the rest is there already
        elif isinstance(form, BoxForm):
            paint_box(painter, form, stage.reading(key), stage.ink, marks, stage.distant)
        else:
            paint_circle(painter, form, stage.ink, marks, stage.distant)


class EdgeTextLayer(Layer):
    """What is written on edges, above all nodes."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage, TEXT_LEVEL)
        self._asked: tuple[Picture, bool, dict[EdgeKey, str]] = (EMPTY_PICTURE, False, {})
        self._placed: dict[EdgeKey, QRectF] = {}

    def room_of(self, pair: EdgeKey, text: str) -> QRectF:
        """Where a text is painted; nowhere when the edge is not drawn."""
        return text_bounds(self._stage.edge_form(pair), text) if pair in self._stage.picture.edges else QRectF()

    def _paint(self, painter: QPainter, area: QRectF) -> None:
        stage = self._stage
        edges = stage.picture.edges
        texts = {pair: text for pair, text in stage.activity.edge_texts.items() if text and pair in edges}
        for pair, place in self._place(texts).items():
            if place.intersects(area):
                paint_edge_text(painter, place, texts[pair], stage.ink, stage.distant)

    def _place(self, texts: dict[EdgeKey, str]) -> dict[EdgeKey, QRectF]:
        """Where the texts stand; looked for once for a picture, not in every frame."""
        stage = self._stage
        asked = (stage.picture, stage.distant, texts)
        if asked[0] is not self._asked[0] or asked[1:] != self._asked[1:]:
            self._asked = asked
            self._placed = placed_texts(texts, stage.edge_form, stage.index.node_rects_in, stage.distant)
        return self._placed
