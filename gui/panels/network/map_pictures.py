"""The maps of the neurons as pictures: colours by a table, all neurons of a layer in one image.

Everything is done in whole arrays, in a worker thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from engine.graph.drawn_scale import full_scale
from engine.network.neuron_maps import NeuronMaps
from gui.theme import Colors

Floats = NDArray[Any]
SHADES = 128  # above 0, and as many below
LEAST_SCALE = 0.1
"""Smallest output drawn in full colour, as a fraction of the layer's largest: a nearly silent neuron stays pale."""


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
    """Colour as 0xffRRGGBB from the most negative output over 0 to the most positive one, (2 * SHADES + 1,)."""
    ends = [_channels(name) for name in (colors.negative_tint, colors.canvas, colors.positive_tint)]
    shares = np.linspace(0.0, 1.0, SHADES + 1)[:, None]
    lower, upper = (first + shares * (last - first) for first, last in pairwise(ends))
    red, green, blue = np.rint(np.concatenate([lower, upper[1:]])).astype(np.uint32).T
    return np.asarray(0xFF000000 | red << 16 | green << 8 | blue, dtype=np.uint32)


def _channels(name: str) -> Floats:
    color = QColor(name)
    return np.array([color.red(), color.green(), color.blue()], dtype=np.float64)


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
    shades = _shades(shares) if outputs.shape[1] > 1 else _curves(shares[:, 0], width)
    pixels = np.ascontiguousarray(table[shades + SHADES]).reshape(-1, width)
    return QImage(pixels.data, width, len(pixels), 4 * width, QImage.Format.Format_RGB32).copy()


def _shades(outputs: Floats) -> NDArray[np.int64]:
    return np.rint(np.clip(outputs, -1.0, 1.0) * SHADES).astype(np.int64)


def _curves(outputs: Floats, width: int) -> NDArray[np.int64]:
    """Curves (n, width) between -1 and 1 as areas between 0 and the curve, (n, width, width), full where it runs."""
    heights = np.linspace(1.0, -1.0, width)[None, :, None]
    curve = np.clip(outputs, -1.0, 1.0)[:, None, :]
    inside = (np.abs(heights) <= np.abs(curve)) & (heights * curve >= 0.0)
    near = np.abs(heights - curve) <= 1.6 / width
    sign = np.where(np.where(near, curve, heights) >= 0.0, 1, -1)
    return np.asarray(np.where(near, sign * SHADES, np.where(inside, sign * (SHADES // 3), 0)), dtype=np.int64)
