"""Pictures of the plane: which part of it is shown around some points, and a map of several classes in colours."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from engine.network.predictor import Bounds
from gui.plots.plot import color_table
from gui.theme import Colors

MARGIN = 0.15
SHADES = 64  # of a class's colour
ALIKE = 5.0
"""Longest ratio between the spans of both axes for which they have equal units on the screen."""


def fitted_bounds(low: NDArray[Any], high: NDArray[Any], aspect: float) -> Bounds:
    """A rectangle of the given shape around data.

    Args:
        low: smallest x and y, (2,).
        high: largest x and y.
        aspect: width over height, above 0.
    """
    middle, size = (low + high) / 2, (high - low) * (1 + 2 * MARGIN)
    size = np.where(size > 0, size, size.max() if size.max() > 0 else 2.0)
    width = max(size[0], size[1] * aspect)
    half = np.array([width, width / aspect]) / 2
    (left, bottom), (right, top) = middle - half, middle + half
    return float(left), float(right), float(bottom), float(top)


def are_alike(low: NDArray[Any], high: NDArray[Any]) -> bool:
    """Return True when the spans of the data from (2,) to (2,) are similar, so that both axes have equal units."""
    sizes = high - low
    return bool(sizes.max() <= ALIKE * sizes.min() or sizes.min() <= 0.0)


@lru_cache(4)
def surface_table(colors: Colors) -> NDArray[np.uint8]:
    """The colours (256, 3) of a single output, from the lowest to the highest."""
    return color_table(colors.negative_tint, colors.canvas, colors.positive_tint)


def rect_of_cells(bounds: Bounds, shape: tuple[int, ...]) -> QRectF:
    """Return the rectangle of a grid's picture: half a cell larger than the bounds, as corner cells are centred on
    them.

    Args:
        bounds: x of the first and last column, y of the first and last row.
        shape: rows and columns of the grid, 2 or more each.
    """
    left, right, bottom, top = bounds
    across, up = (right - left) / (shape[1] - 1), (top - bottom) / (shape[0] - 1)
    return QRectF(left - across / 2, bottom - up / 2, right - left + across, top - bottom + up)


def class_map(shares: NDArray[Any], tints: NDArray[Any], paper: NDArray[Any]) -> NDArray[np.uint8]:
    """Colour (n, n, 3) of a grid of several outputs.

    Args:
        shares: (n, n, n_classes) probabilities, or scores that are cut to 0 .. 1.
        tints: (n_classes, 3) colour of each class.
        paper: (3,) colour where the classes are equally likely.
    """
    n_classes = shares.shape[-1]
    shares = np.nan_to_num(shares)
    winner = shares.argmax(axis=-1)
    best = np.clip(shares.max(axis=-1), 1 / n_classes, 1.0)
    shade = (np.sqrt((best - 1 / n_classes) / (1 - 1 / n_classes)) * (SHADES - 1)).astype(np.int64)
    strength = np.linspace(0.0, 1.0, SHADES)[:, None]
    table = np.concatenate([paper + strength * (tint - paper) for tint in tints[:n_classes]]).astype(np.uint8)
    return table[winner * SHADES + shade]
