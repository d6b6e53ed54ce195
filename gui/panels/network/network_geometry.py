"""Geometry of a drawn network: columns of neurons, and the curves of the weights between them.

Pure functions of the layer sizes and the room there is, in pixels; nothing here paints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

LARGEST, SMALLEST = 56.0, 11.0  # pixels: side of a neuron's square
GAP = 3.0  # least pixels between two neurons of a column
SHARE = 0.74  # of a neuron's room in its column that its square takes
MARGIN, UPPER_MARGIN = 10.0, 4.0
LEAST_COLUMN = 58.0
"""Pixels across that a column takes at least: its buttons need them."""
NAME_GAP, MOST_FOR_NAMES = 6.0, 0.22
"""Pixels between an input's square and its name, and the share of the width that names have at most."""
REST_HEIGHT = 18.0
"""Pixels below a column that does not show all of its neurons, for their number."""
BIAS_REACH = 7.0
LINK_REACH = 5.0
_PARAMETERS = np.linspace(0.0, 1.0, 65)
_ACROSS = 1.5 * _PARAMETERS * (1 - _PARAMETERS) + _PARAMETERS**3  # of a curve whose middle points are halfway
_UP = 3 * _PARAMETERS**2 - 2 * _PARAMETERS**3


@dataclass(frozen=True)
class DrawnLayer:
    """A layer of the drawing.

    Attributes:
        x: middle of its neurons, in pixels.
        ys: middles of those that are drawn, the first ones of the layer.
        size: how many there are; more than are drawn: the rest is a number below.
    """

    x: float
    ys: tuple[float, ...]
    size: int


@dataclass(frozen=True)
class ParameterPlace:
    """A weight or a bias of the network.

    Attributes:
        layer, neuron: whose, from 1 (layer 0 has none).
        weight: from 1; 0 for the bias.
    """

    layer: int
    neuron: int
    weight: int

    @property
    def name(self) -> str:
        """Name as on the canvas and in the file: `L1N2.w3`, `L1N2.b`."""
        return f"L{self.layer}N{self.neuron}.{f'w{self.weight}' if self.weight else 'b'}"

    def is_in(self, layer_sizes: Sequence[int]) -> bool:
        """Return True when a network of these sizes has this parameter."""
        if not 0 < self.layer < len(layer_sizes):
            return False
        return self.neuron <= layer_sizes[self.layer] and self.weight <= layer_sizes[self.layer - 1]

    def index(self, layer_sizes: Sequence[int]) -> int:
        """Return the parameter's index in the flat array of all parameters."""
        before = sum((n_in + 1) * n_out for n_in, n_out in list(pairwise(layer_sizes))[: self.layer - 1])
        n_in = layer_sizes[self.layer - 1]
        return before + (self.neuron - 1) * (n_in + 1) + (self.weight - 1 if self.weight else n_in)


@dataclass(frozen=True)
class NetworkGeometry:
    """Geometry of a drawing: the layers from input to output and the side of a neuron's square in pixels."""

    layers: tuple[DrawnLayer, ...]
    side: float

    def neuron_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return (layer, neuron) at a point, both from 0, inputs being layer 0; None outside of all."""
        reach = self.side / 2 + 1.0
        for layer, column in enumerate(self.layers):
            for neuron, middle in enumerate(column.ys):
                if abs(column.x - x) <= reach and abs(middle - y) <= reach:
                    return layer, neuron
        return None

    def bias_place(self, layer: int, neuron: int) -> tuple[float, float]:
        """Middle of the mark of a neuron's bias: the lower left corner of its square."""
        column = self.layers[layer]
        return column.x - self.side / 2, column.ys[neuron] + self.side / 2 - min(5.0, self.side / 4)

    def parameter_at(self, x: float, y: float) -> ParameterPlace | None:
        """The bias or the weight whose mark or curve is at a point."""
        for layer in range(1, len(self.layers)):
            for neuron in range(len(self.layers[layer].ys)):
                bias_x, bias_y = self.bias_place(layer, neuron)
                if abs(bias_x - x) <= BIAS_REACH and abs(bias_y - y) <= BIAS_REACH:
                    return ParameterPlace(layer, neuron + 1, 0)
        for layer, (left, right) in enumerate(pairwise(self.layers), start=1):
            first, last = left.x + self.side / 2, right.x - self.side / 2
            if first < x < last:
                heights = self.curve_heights(layer, (x - first) / (last - first))
                distances = np.abs(heights - y)
                row, weight = np.unravel_index(int(distances.argmin()), distances.shape)
                if distances[row, weight] <= LINK_REACH:
                    return ParameterPlace(layer, int(row) + 1, int(weight) + 1)
        return None

    def curve_heights(self, layer: int, share: float) -> NDArray[np.float64]:
        """Return the heights of the curves into a layer, (neurons drawn, inputs drawn), at a fraction of the way."""
        up = np.interp(np.interp(share, _ACROSS, _PARAMETERS), _PARAMETERS, _UP)
        starts, ends = (np.array(self.layers[index].ys) for index in (layer - 1, layer))
        return np.asarray(starts[None, :] + up * (ends[:, None] - starts[None, :]))


def least_width(layer_sizes: Sequence[int]) -> float:
    """Pixels across that a network takes at least."""
    return 2 * MARGIN + LEAST_COLUMN * len(layer_sizes)


def place_network(layer_sizes: Sequence[int], width: float, height: float, names: float = 0.0) -> NetworkGeometry:
    """Place a network in a rectangle; a column shows as many neurons as it has room for, the first ones.

    Args:
        layer_sizes: neurons of every layer, inputs first, 2 entries or more.
        width: of the rectangle in pixels.
        height: likewise.
        names: pixels across that the names of the inputs need, on the left of their column; they get at most
            `MOST_FOR_NAMES` of the width, and what leaves the columns the room that they need.
    """
    n_columns, left = len(layer_sizes), MARGIN
    between = (width - 2 * MARGIN) / n_columns
    room = height - 2 * UPPER_MARGIN
    most = max(1, int(room // (SMALLEST + GAP)))
    if max(layer_sizes) > most:
        most = max(1, int((room - REST_HEIGHT) // (SMALLEST + GAP)))
        room -= REST_HEIGHT
    shown = [min(size, most) for size in layer_sizes]
    pitch = min(room / max(shown), LARGEST / SHARE)
    side = max(SMALLEST / 2, min(max(pitch * SHARE, SMALLEST), between * 0.6, LARGEST))
    needed = min(names, MOST_FOR_NAMES * width) + NAME_GAP + side / 2  # of the middle of the first column
    if needed > left + between / 2:
        wanted = (needed - (width - MARGIN) / (2 * n_columns)) / (1 - 1 / (2 * n_columns))
        left = max(left, min(wanted, width - MARGIN - LEAST_COLUMN * n_columns))
        between = (width - MARGIN - left) / n_columns
        side = min(side, max(SMALLEST / 2, between * 0.6))
    layers = []
    for layer, (size, rows) in enumerate(zip(layer_sizes, shown, strict=True)):
        first = UPPER_MARGIN + room / 2 - (rows - 1) / 2 * pitch
        ys = tuple(first + row * pitch for row in range(rows))
        layers.append(DrawnLayer(left + (layer + 0.5) * between, ys, size))
    return NetworkGeometry(tuple(layers), side)
