"""The network drawn small: a column of neurons for each layer, links coloured by sign and as thick as the weight.

Where things are is worked out by pure functions; the widget only paints and follows training.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gui.number_texts import reading_text
from gui.theme import LIGHT, Colors, mono_font

MOST_NEURONS = 8
LARGEST, SMALLEST, GAP = 20.0, 4.0, 8.0  # pixels: side of a neuron, room between two
MARGIN = 12.0
THICKEST = 4.0
SHADES = 6
Floats = NDArray[Any]


@dataclass(frozen=True)
class DrawnLayer:
    """One layer of the drawing.

    Attributes:
        x: middle of its neurons, in pixels.
        ys: middles of those that are drawn, the first ones of the layer.
        size: how many there are; more than are drawn: the rest is a number below.
    """

    x: float
    ys: tuple[float, ...]
    size: int


@dataclass(frozen=True)
class NetworkGeometry:
    """Where everything is: the layers from input to output and the side of a neuron's square in pixels."""

    layers: tuple[DrawnLayer, ...]
    side: float

    def neuron_at(self, x: float, y: float) -> tuple[int, int] | None:
        """(layer, neuron), both from 0 and the inputs being layer 0, at a point; None beside all of them."""
        reach = max(self.side / 2, 4.0) + 2.0
        for layer, column in enumerate(self.layers):
            for neuron, middle in enumerate(column.ys):
                if abs(column.x - x) <= reach and abs(middle - y) <= reach:
                    return layer, neuron
        return None


def place_network(layer_sizes: Sequence[int], width: float, height: float) -> NetworkGeometry:
    """Places a network in a rectangle.

    Args:
        layer_sizes: neurons of every layer, inputs first, 2 entries or more.
        width: of the rectangle in pixels.
        height: likewise.
    """
    most = max(min(size, MOST_NEURONS) for size in layer_sizes)
    between = (width - 2 * MARGIN) / len(layer_sizes)
    pitch = min((height - 2 * MARGIN) / most, LARGEST + GAP)
    side = max(SMALLEST, min(LARGEST, pitch * 0.72, between * 0.6))
    layers = []
    for layer, size in enumerate(layer_sizes):
        drawn = min(size, MOST_NEURONS)
        if size > MOST_NEURONS:
            drawn -= 1  # its place is taken by the number of all
        top = height / 2 - (min(size, MOST_NEURONS) - 1) / 2 * pitch
        ys = tuple(top + row * pitch for row in range(drawn))
        layers.append(DrawnLayer(MARGIN + (layer + 0.5) * between, ys, size))
    return NetworkGeometry(tuple(layers), side)


def weight_matrices(layer_sizes: Sequence[int], parameters: Floats) -> list[Floats]:
    """Views of flat parameters (n_parameters,): for each layer (n_out, n_in + 1), the bias last."""
    matrices, start = [], 0
    for n_in, n_out in pairwise(layer_sizes):
        stop = start + n_out * (n_in + 1)
        matrices.append(parameters[start:stop].reshape(n_out, n_in + 1))
        start = stop
    return matrices


def link_shades(matrices: Sequence[Floats]) -> list[NDArray[np.int64]]:
    """How the links between the neurons that are drawn look.

    Args:
        matrices: for each layer (n_out, n_in + 1), finite, the bias last.

    Returns:
        for each layer (8 at most, 8 at most): twice the shade, 0 to `SHADES`, and one more for a weight that is not
        negative. Nothing where all weights are 0.
    """
    largest = max((float(np.abs(matrix[:, :-1]).max()) for matrix in matrices), default=0.0)
    if largest == 0.0:
        return []
    shown = [matrix[:MOST_NEURONS, :-1][:, :MOST_NEURONS] / largest for matrix in matrices]
    return [2 * np.rint(np.abs(shares) * SHADES).astype(np.int64) + (shares >= 0.0) for shares in shown]


class NetworkDrawing(QWidget):
    """Paints the network; hovering a neuron names its bias and weights."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colors = LIGHT
        self._sizes: tuple[int, ...] = (1, 1)
        self._matrices: list[Floats] = []
        self._shades: list[NDArray[np.int64]] = []
        self.network_geometry = place_network(self._sizes, 100, 100)
        self.setMinimumHeight(96)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("the network, drawn")

    def sizeHint(self) -> QSize:
        """Wide and not too high."""
        return QSize(240, 170)

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self._colors = colors
        self.update()

    def show_network(self, layer_sizes: Sequence[int], parameters: Floats) -> None:
        """Shows a network.

        Args:
            layer_sizes: neurons of every layer, inputs first.
            parameters: (n_parameters,) in the order of `MLP.weights`; anything not finite is drawn as 0.
        """
        numbers = np.nan_to_num(np.asarray(parameters, dtype=float), posinf=0.0, neginf=0.0)
        sizes, shades = tuple(layer_sizes), self._shades
        self._matrices = weight_matrices(sizes, numbers)
        self._shades = link_shades(self._matrices)
        if sizes != self._sizes:
            self._sizes = sizes
            self._arrange()
        elif len(shades) == len(self._shades) and all(map(np.array_equal, shades, self._shades)):
            return  # it would be painted as it is, in 4 ms
        self.update()

    def _arrange(self) -> None:
        self.network_geometry = place_network(self._sizes, self.width(), self.height())

    def resizeEvent(self, event: Any) -> None:
        """Places everything anew."""
        self._arrange()
        super().resizeEvent(event)

    def event(self, event: QEvent) -> bool:
        """Names the neuron under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.describe(event.pos().x(), event.pos().y()), self)
            return True
        return super().event(event)

    def describe(self, x: float, y: float) -> str:
        """The neuron at a point in words: its bias and weights; empty beside all of them."""
        found = self.network_geometry.neuron_at(x, y)
        if found is None:
            return ""
        layer, neuron = found
        if layer == 0:
            return f"input x{neuron + 1}"
        *weights, bias = self._matrices[layer - 1][neuron].tolist()
        shown = ", ".join(reading_text(weight, signed=True) for weight in weights[:MOST_NEURONS])
        more = ", …" if len(weights) > MOST_NEURONS else ""
        return f"layer {layer}, neuron {neuron + 1}\nbias {reading_text(bias, signed=True)}\nweights {shown}{more}"

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints links, then neurons."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for pen, lines in self._links():
            painter.setPen(pen)
            painter.drawLines(lines)
        self._paint_neurons(painter)
        painter.end()

    def _links(self) -> Iterator[tuple[QPen, list[QLineF]]]:
        """Lines by pen, thin ones first; as many pens as shades and signs, however many links."""
        groups: dict[int, list[QLineF]] = {}
        for shades, (left, right) in zip(self._shades, pairwise(self.network_geometry.layers), strict=False):
            for row, y in enumerate(right.ys):
                for column, shade in enumerate(shades[row, : len(left.ys)].tolist()):
                    groups.setdefault(shade, []).append(QLineF(left.x, left.ys[column], right.x, y))
        for shade in sorted(groups):
            yield self._pen(shade // 2, bool(shade % 2)), groups[shade]

    def _pen(self, shade: int, positive: bool) -> QPen:
        color = QColor(self._colors.positive if positive else self._colors.negative)
        color.setAlphaF(0.35 + 0.5 * shade / SHADES)
        return QPen(color, max(0.6, THICKEST * shade / SHADES))

    def _paint_neurons(self, painter: QPainter) -> None:
        colors, side, last = self._colors, self.network_geometry.side, len(self._sizes) - 1
        painter.setFont(mono_font(11))
        for layer, column in enumerate(self.network_geometry.layers):
            tint = colors.input if layer == 0 else colors.output if layer == last else colors.parameter
            painter.setPen(QPen(QColor(colors.muted), 1.0))
            painter.setBrush(QColor(tint))
            for y in column.ys:
                square = QRectF(column.x - side / 2, y - side / 2, side, side)
                painter.drawRoundedRect(square, side / 5, side / 5)
            if column.size > len(column.ys):
                self._paint_rest(painter, column)

    def _paint_rest(self, painter: QPainter, column: DrawnLayer) -> None:
        below = column.ys[-1] + self.network_geometry.side / 2 + 2
        painter.setPen(QColor(self._colors.muted))
        place = QRectF(QPointF(column.x - 30, below), QPointF(column.x + 30, below + 18))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, f"…{column.size}")
