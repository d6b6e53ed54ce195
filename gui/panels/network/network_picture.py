"""The picture of a network: curves as thick and coloured as their weights, marks for biases, maps in the squares.

It is painted in a thread, and the drawing has only to put the image on the screen. Maps of neurons are made in whole
arrays, colours by a table, all neurons of a layer in one image. Painting groups curves by pen, so that a thousand
curves are a dozen calls.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPainter, QPainterPath, QPen

from engine.experiment.prepared import STANDARDISED
from engine.graph.drawn_scale import full_scale
from engine.network.neuron_maps import NeuronMaps
from gui.background import Job, once
from gui.number_texts import reading_text, with_minus
from gui.painting import painting
from gui.panels.network.network_geometry import DrawnLayer, NetworkGeometry
from gui.scheduling import Throttle
from gui.theme import Colors

Floats = NDArray[Any]
MAP_SHADES = 128  # above 0, and as many below
LEAST_SCALE = 0.1
"""Smallest output drawn in full colour, as a fraction of the layer's largest: a nearly silent neuron stays pale."""
Mode = Literal["maps", "weights", "gradients", "biases"]
SHADES = 8
THINNEST, THICKEST = 0.7, 5.0  # pixels
MOST_NUMBERS = 9
"""Curves between two layers that have their numbers written upon them, at most."""
LEAST_NAMED = 34.0  # pixels: side of a square with the neuron's name in it
SHARE_OF_WORK = 0.2
"""Largest fraction of processor time for pictures of running training."""


@dataclass(frozen=True, eq=False)
class MapPictures:
    """Images and scales of `NeuronMaps` for the drawing.

    Attributes:
        images: for each layer, the network's inputs first, the maps of its first neurons one below the other, each
            `width` pixels high and wide.
        width: of a map in pixels.
        scales: for each layer (n_neurons,) the absolute output that has the full colour on a neuron's map.
        largest: for each layer the largest of its neurons' outputs, or the floor of what is drawn; nan where none is a
            finite number.
        levels: the outputs of the only output neuron that have the two full colours; None: as far below 0 as above.
        enlarged: a neuron, as layer and number, and a larger picture of its map; None for none.
    """

    images: tuple[QImage, ...]
    width: int
    scales: tuple[Floats, ...]
    largest: tuple[float, ...]
    levels: tuple[float, float] | None = None
    enlarged: tuple[tuple[int, int], QImage] | None = None

    def middle(self, layer: int) -> float:
        """Return the output that has the colour between the full ones on the maps of a layer."""
        return sum(self.levels) / 2 if self.levels is not None and layer == len(self.images) - 1 else 0.0


def map_table(colors: Colors) -> NDArray[np.uint32]:
    """Colour as 0xffRRGGBB from the most negative output over 0 to the most positive one, (2 * MAP_SHADES + 1,)."""
    names = (colors.negative_tint, colors.canvas, colors.positive_tint)
    ends = [np.array([color.red(), color.green(), color.blue()], dtype=np.float64) for color in map(QColor, names)]
    shares = np.linspace(0.0, 1.0, MAP_SHADES + 1)[:, None]
    lower, upper = (first + shares * (last - first) for first, last in pairwise(ends))
    red, green, blue = np.rint(np.concatenate([lower, upper[1:]])).astype(np.uint32).T
    return np.asarray(0xFF000000 | red << 16 | green << 8 | blue, dtype=np.uint32)


@np.errstate(all="ignore")  # of a diverged network
def map_pictures(
    maps: NeuronMaps, shown: Sequence[int], table: NDArray[np.uint32], levels: tuple[float, float] | None = None
) -> MapPictures:
    """The pictures of the first neurons of each layer.

    Args:
        maps: of the network.
        shown: how many neurons of each layer are drawn.
        table: see `map_table`.
        levels: see `MapPictures`.
    """
    width = maps.layers[0].shape[2]
    images = []
    largest = [
        full_scale(float(sizes.max())) if np.isfinite(layer).any() else np.nan
        for layer, sizes in zip(maps.layers, maps.scales, strict=True)
    ]
    scales = [np.fmax(sizes, LEAST_SCALE * most) for sizes, most in zip(maps.scales, largest, strict=True)]
    middles = [0.0] * len(scales)
    if levels is not None:
        scales[-1], middles[-1] = np.full_like(scales[-1], (levels[1] - levels[0]) / 2), sum(levels) / 2
    for layer, scale, middle, rows in zip(maps.layers, scales, middles, shown, strict=True):
        images.append(map_image(layer[:rows] - middle, scale[:rows], table))
    return MapPictures(tuple(images), width, tuple(scales), tuple(largest), levels)


def map_image(outputs: Floats, scales: Floats, table: NDArray[np.uint32]) -> QImage:
    """Maps one below the other.

    Args:
        outputs: (n, height, width) as of `NeuronMaps`.
        scales: (n,) number of the full colour of each.
        table: see `map_table`.
    """
    width = outputs.shape[2]
    shares = np.nan_to_num(outputs / scales[:, None, None], posinf=1.0, neginf=-1.0)
    if outputs.shape[1] > 1:
        shades = np.rint(np.clip(shares, -1.0, 1.0) * MAP_SHADES).astype(np.int64)
    else:
        shades = _curves(shares[:, 0], width)
    pixels = np.ascontiguousarray(table[shades + MAP_SHADES]).reshape(-1, width)
    return QImage(pixels.data, width, len(pixels), 4 * width, QImage.Format.Format_RGB32).copy()


def _curves(outputs: Floats, width: int) -> NDArray[np.int64]:
    """Curves (n, width) between -1 and 1 as areas between 0 and the curve, (n, width, width), full where it runs."""
    heights = np.linspace(1.0, -1.0, width)[None, :, None]
    curve = np.clip(outputs, -1.0, 1.0)[:, None, :]
    inside = (np.abs(heights) <= np.abs(curve)) & (heights * curve >= 0.0)
    near = np.abs(heights - curve) <= 1.6 / width
    sign = np.where(np.where(near, curve, heights) >= 0.0, 1, -1)
    return np.asarray(np.where(near, sign * MAP_SHADES, np.where(inside, sign * (MAP_SHADES // 3), 0)), dtype=np.int64)


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
            if column.size > len(column.ys):  # the number of all, below those that are drawn
                below = column.ys[-1] + self.geometry.side / 2 + 2
                painter.setPen(QColor(self.colors.muted))
                place = QRectF(QPointF(column.x - 40, below), QPointF(column.x + 40, below + 18))
                painter.drawText(place, Qt.AlignmentFlag.AlignCenter, f"… {column.size}")
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


@dataclass(frozen=True, eq=False)
class PictureRequest:
    """Everything that a picture is painted from.

    Attributes:
        picture: without maps.
        size: of the image, in pixels of the window.
        ratio: pixels of the screen for each of them.
        maps: computes the maps; None: the picture shows none.
        neuron: whose map is also wanted larger, as layer and number; None for none.
        enlarged: computes the larger map of a neuron, (1, height, width).
        levels: the outputs of the only output neuron that have the two full colours; None: as far below 0 as above.
    """

    picture: NetworkPicture
    size: QSize
    ratio: float
    maps: Callable[[], NeuronMaps] | None
    neuron: tuple[int, int] | None = None
    enlarged: Callable[[tuple[int, int]], NDArray[Any]] | None = None
    levels: tuple[float, float] | None = None


class PictureJob(QObject):
    """Paints one picture at a time; the newest request wins.

    Attributes:
        throttle: delays pictures of running training.

    Signals:
        painted(object, object): the NetworkPicture with its maps, and its QImage.
    """

    painted = Signal(object, object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._job = Job("network picture", self)
        self._job.delivered.connect(self._take)
        self._wanted: PictureRequest | None = None
        self._seconds = 0.0
        self.throttle = Throttle(self._start, lambda: self._seconds / SHARE_OF_WORK, self)

    def ask(self, request: PictureRequest, at_once: bool) -> None:
        """Request a picture, at once or throttled: reports of running training come often."""
        self._wanted = request
        if at_once:
            self.throttle.call()
        else:
            self.throttle.request()

    def _start(self) -> None:
        request, self._wanted = self._wanted, None
        if request is not None:
            self._job.start(request, once(lambda: paint(request)), patient=True)

    def _take(self, _request: object, result: tuple[NetworkPicture, QImage, float]) -> None:
        picture, image, self._seconds = result
        self.painted.emit(picture, image)


def paint(request: PictureRequest) -> tuple[NetworkPicture, QImage, float]:
    """The picture with its maps, its image, and the seconds of a processor that both took."""
    began, picture = time.thread_time(), request.picture
    if request.maps is not None:
        table = map_table(picture.colors)
        shown = [len(column.ys) for column in picture.geometry.layers]
        maps = map_pictures(request.maps(), shown, table, request.levels)
        if request.neuron is not None and request.enlarged is not None:
            layer, number = request.neuron
            scale, outputs = maps.scales[layer][number : number + 1], request.enlarged(request.neuron)
            maps = replace(maps, enlarged=(request.neuron, map_image(outputs - maps.middle(layer), scale, table)))
        picture = replace(picture, maps=maps)
    image = QImage(request.size * request.ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(request.ratio)
    image.fill(QColor(picture.colors.panel))
    with painting(image) as painter:
        picture.paint(painter)
    return picture, image, time.thread_time() - began
