"""Painting of a network: curves as thick and coloured as their weights, marks for biases, squares for neurons.

Painting groups curves by pen, so that a thousand curves are a dozen calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPainterPath, QPen

from engine.experiment.prepared import STANDARDISED
from engine.graph.drawn_scale import full_scale
from gui.number_texts import reading_text, with_minus
from gui.panels.network.map_pictures import MapPictures
from gui.panels.network.network_geometry import DrawnLayer, NetworkGeometry
from gui.theme import Colors

Mode = Literal["maps", "weights", "gradients", "biases"]
SHADES = 8
THINNEST, THICKEST = 0.7, 5.0  # pixels
MOST_NUMBERS = 9
"""Curves between two layers that have their numbers written upon them, at most."""
LEAST_NAMED = 34.0  # pixels: side of a square with the neuron's name in it
Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class DrawnNumbers:
    """Numbers that curves and marks show: weights and biases, or their gradients.

    Attributes:
        matrices: for each layer (n_out, n_in + 1), the bias last; anything that is not finite is drawn as 0.
        known: numbers exist; gradients do after the first step.
        kind: a name of `engine.graph.drawn_scale.FLOORS`.
    """

    matrices: tuple[Floats, ...]
    known: bool = True
    kind: str = "value"

    @property
    def weight_scale(self) -> float:
        """Weight that a curve of full width stands for."""
        return full_scale(max(_largest(matrix[:, :-1]) for matrix in self.matrices), self.kind)

    @property
    def largest_bias(self) -> float:
        """Largest absolute bias; 0.0 where all are 0."""
        return max(_largest(matrix[:, -1]) for matrix in self.matrices)

    @property
    def bias_scale(self) -> float:
        """Bias that a mark of full size stands for."""
        return full_scale(self.largest_bias, self.kind)


def _largest(numbers: Floats) -> float:
    return float(np.abs(np.nan_to_num(numbers, posinf=0.0, neginf=0.0)).max())


def shades_of(numbers: Floats, scale: float) -> NDArray[np.int64]:
    """Return -SHADES to SHADES for numbers of any shape, by size and sign; 0 where the number is 0 or next to it."""
    shares = np.nan_to_num(numbers, posinf=0.0, neginf=0.0) / scale
    return np.asarray(np.sign(shares) * np.ceil(np.abs(shares) * SHADES - 0.5), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class NetworkPicture:
    """Everything that is painted.

    Attributes:
        geometry: where.
        numbers: of the curves and marks.
        mode: content of the squares, and the written numbers.
        maps: of the neurons; None for none yet.
        colors: of the theme.
        font: of numbers and names.
        names: of the inputs.
    """

    geometry: NetworkGeometry
    numbers: DrawnNumbers
    mode: Mode
    maps: MapPictures | None
    colors: Colors
    font: QFont
    names: tuple[str, ...] = ()

    def paint(self, painter: QPainter) -> None:
        """Paint curves, squares and marks."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setFont(self.font)
        for pen, path in self._curves():
            painter.strokePath(path, pen)
        for layer, column in enumerate(self.geometry.layers):
            self._paint_squares(painter, layer, column)
            if column.size > len(column.ys):
                self._paint_rest(painter, column)
        self._paint_names(painter)
        self._paint_biases(painter)
        if self.mode in ("weights", "gradients") and self.numbers.known:
            self._paint_numbers(painter)

    @property
    def drawn_names(self) -> tuple[str, ...]:
        """Return the names of the inputs next to the squares: they name columns, not numbers."""
        return tuple(name.removesuffix(STANDARDISED) for name in self.names)

    @cached_property
    def _weight_shades(self) -> list[NDArray[np.int64]]:
        """Return the drawn weights of each layer, (neurons drawn, inputs drawn)."""
        widest, shown = self.numbers.weight_scale, [len(column.ys) for column in self.geometry.layers]
        return [
            shades_of(matrix[:n_out, :-1][:, :n_in], widest)
            for matrix, (n_in, n_out) in zip(self.numbers.matrices, pairwise(shown), strict=True)
        ]

    @cached_property
    def _bias_shades(self) -> list[NDArray[np.int64]]:
        """Return the drawn biases of each layer, (neurons drawn,)."""
        largest, columns = self.numbers.bias_scale, self.geometry.layers[1:]
        pairs = zip(self.numbers.matrices, columns, strict=True)
        return [shades_of(matrix[: len(column.ys), -1], largest) for matrix, column in pairs]

    # Curves

    def _curves(self) -> Iterator[tuple[QPen, QPainterPath]]:
        """Curves by pen, thin ones first."""
        paths: dict[int, QPainterPath] = {}
        half = self.geometry.side / 2
        for shades, (left, right) in zip(self._weight_shades, pairwise(self.geometry.layers), strict=True):
            first, last = left.x + half, right.x - half
            middle = (first + last) / 2
            for y, row in zip(right.ys, shades.tolist(), strict=True):
                for start, shade in zip(left.ys, row, strict=True):
                    path = paths.setdefault(shade, QPainterPath())
                    path.moveTo(first, start)
                    path.cubicTo(middle, start, middle, y, last, y)
        for shade in sorted(paths, key=abs):
            yield self._pen(shade), paths[shade]

    def _pen(self, shade: int) -> QPen:
        if not self.numbers.known:
            return QPen(QColor(self.colors.line), 1.0, Qt.PenStyle.DashLine)
        if shade == 0:
            return QPen(QColor(self.colors.line), THINNEST)
        color = QColor(self.colors.positive if shade > 0 else self.colors.negative)
        share = abs(shade) / SHADES * (0.4 if self.mode == "biases" else 1.0)
        color.setAlphaF(0.3 + 0.6 * share)
        thickest = min(max(self.geometry.side / 8, 2 * THINNEST), THICKEST)
        return QPen(color, THINNEST + (thickest - THINNEST) * share)

    # Neurons

    def _paint_squares(self, painter: QPainter, layer: int, column: DrawnLayer) -> None:
        side, last = self.geometry.side, len(self.geometry.layers) - 1
        image = self.maps.images[layer] if self.mode == "maps" and self.maps is not None else None
        tint = self.colors.input if layer == 0 else self.colors.output if layer == last else self.colors.parameter
        for neuron, y in enumerate(column.ys):
            square = QRectF(column.x - side / 2, y - side / 2, side, side)
            painter.setPen(QPen(QColor(self.colors.muted), 1.0))
            painter.setBrush(QColor(tint))
            if image is not None and self.maps is not None and (neuron + 1) * self.maps.width <= image.height():
                width = self.maps.width
                painter.drawImage(square, image.copy(0, neuron * width, width, width))  # an SVG gets whole images only
                painter.setBrush(Qt.BrushStyle.NoBrush)
            elif self.mode == "biases" and layer and self.numbers.known:
                painter.setBrush(self._bias_brush(int(self._bias_shades[layer - 1][neuron])))
            painter.drawRoundedRect(square, 3, 3)
            if layer and image is None and side >= LEAST_NAMED:
                self._write_in_square(painter, square, layer, neuron)

    def _write_in_square(self, painter: QPainter, square: QRectF, layer: int, neuron: int) -> None:
        text = f"L{layer}N{neuron + 1}"
        if self.mode == "biases" and self.numbers.known:
            text = short_number(self.numbers.matrices[layer - 1][neuron, -1])
        painter.setPen(QColor(self.colors.text))
        painter.drawText(square, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_names(self, painter: QPainter) -> None:
        """The names of the inputs on their left."""
        column, half = self.geometry.layers[0], self.geometry.side / 2
        painter.setPen(QColor(self.colors.muted))
        room = column.x - half - 4
        for name, y in zip(self.drawn_names, column.ys, strict=False):
            text = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, int(room))
            painter.drawText(
                QRectF(0, y - 8, room, 16), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text
            )

    def _bias_brush(self, shade: int) -> QBrush:
        if shade == 0:
            return QBrush(QColor(self.colors.canvas))
        color = QColor(self.colors.positive_tint if shade > 0 else self.colors.negative_tint)
        color.setAlphaF(0.25 + 0.75 * abs(shade) / SHADES)
        return QBrush(color)

    def _paint_rest(self, painter: QPainter, column: DrawnLayer) -> None:
        below = column.ys[-1] + self.geometry.side / 2 + 2
        painter.setPen(QColor(self.colors.muted))
        place = QRectF(QPointF(column.x - 40, below), QPointF(column.x + 40, below + 18))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, f"… {column.size}")

    def _paint_biases(self, painter: QPainter) -> None:
        """A mark at each neuron: its colour is the bias's sign, its size the bias's; a ring is 0."""
        if self.mode == "biases" or not self.numbers.known:
            return
        largest = min(5.0, self.geometry.side / 5)
        for layer, shades in enumerate(self._bias_shades, start=1):
            for neuron, shade in enumerate(shades.tolist()):
                radius = largest * (0.5 + 0.5 * abs(shade) / SHADES)
                color = self.colors.muted if shade == 0 else self.colors.positive if shade > 0 else self.colors.negative
                painter.setPen(QPen(QColor(color if shade == 0 else self.colors.canvas), 1.0))
                painter.setBrush(QColor(color) if shade else QColor(self.colors.canvas))
                painter.drawEllipse(QPointF(*self.geometry.bias_place(layer, neuron)), radius, radius)

    # Numbers on the curves

    def _paint_numbers(self, painter: QPainter) -> None:
        for layer, (left, right) in enumerate(pairwise(self.geometry.layers), start=1):
            n_in, n_out = len(left.ys), len(right.ys)
            if n_in * n_out > MOST_NUMBERS or right.x - left.x - self.geometry.side < 60:
                continue
            for weight in range(n_in):
                share = (weight + 1) / (n_in + 1)
                heights = self.geometry.curve_heights(layer, share)[:, weight]
                first, last = left.x + self.geometry.side / 2, right.x - self.geometry.side / 2
                for neuron in range(n_out):
                    place = QPointF(first + share * (last - first), heights[neuron])
                    self._write(painter, place, self.numbers.matrices[layer - 1][neuron, weight])

    def _write(self, painter: QPainter, middle: QPointF, number: float) -> None:
        text = short_number(number)
        place = QRectF(0, 0, 6.2 * len(text) + 4, 13)
        place.moveCenter(middle)
        background = QColor(self.colors.panel)
        background.setAlphaF(0.85)
        painter.fillRect(place, background)
        signs = {True: self.colors.positive, False: self.colors.negative}
        painter.setPen(QColor(signs[bool(number > 0)] if number else self.colors.muted))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)


def short_number(number: float) -> str:
    """A number in a square or on a curve: its sign and two decimals, or a power of ten."""
    if not np.isfinite(number) or number == 0.0 or 0.005 <= abs(number) < 1000.0:
        return with_minus(f"{number:+.2f}")
    return with_minus(f"{number:+.0e}")


def describe(numbers: DrawnNumbers, layer: int, neuron: int, most: int) -> str:
    """A neuron's numbers on one line, `w1 −0.6949   w2 +1.2040   b +0.0312`; `…` for what is more than `most`."""
    *weights, bias = numbers.matrices[layer - 1][neuron].tolist()
    shown = [f"w{index} {signed(weight)}" for index, weight in enumerate(weights[:most], start=1)]
    more = ["…"] if len(weights) > most else []
    return "   ".join([*shown, *more, f"b {signed(bias)}"])


def signed(number: float) -> str:
    """A number that is read off, with its sign."""
    return reading_text(number, signed=True)


def all_matrices(layer_sizes: Sequence[int], flat: Floats) -> tuple[Floats, ...]:
    """Views of a flat array (n_parameters,): for each layer (n_out, n_in + 1), the bias last."""
    matrices, start = [], 0
    for n_in, n_out in pairwise(layer_sizes):
        stop = start + n_out * (n_in + 1)
        matrices.append(flat[start:stop].reshape(n_out, n_in + 1))
        start = stop
    return tuple(matrices)
