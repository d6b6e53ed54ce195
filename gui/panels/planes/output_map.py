"""The map of the network's outputs in a plane, in colours of classes or of heights, and its scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from engine.network.predictor import Bounds
from gui.number_texts import tick_text
from gui.plots.color_scale import Entry, Scale
from gui.plots.data_points import Samples
from gui.plots.decision import class_texts
from gui.plots.plane import class_map, rect_of_cells, surface_table
from gui.plots.plot import MARKERS, class_colors, class_tints, rgb
from gui.theme import LIGHT, Colors

TEXTS = {
    "surface": "The colour of a place is the output there, from {low} to {high}; points: targets.",
    "classes": "Classes: {names}. A place has the colour of its largest output.",
    "two classes": "Points: {first} and {second}, the numbers that are trained on. Colours: left an output of {low} "
    "or less, right {high} or more. Above {level}, beyond the line, the output means {second}.",
}
"""Tooltips of the scale."""


class OutputMap(pg.ImageItem):
    """The picture of a grid of shown outputs.

    Attributes:
        is_decided: places have the full colour of their class, instead of one by probability.
    """

    def __init__(self) -> None:
        super().__init__(axisOrder="row-major")
        self.is_decided = False
        self._level: float | None = None
        self._levels = -1.0, 1.0
        self.set_colors(LIGHT)

    def set_colors(self, colors: Colors) -> None:
        """Set the theme's colours; the present picture keeps its own until it is drawn again."""
        self._table = surface_table(colors)
        self._tints, self._paper = np.array([rgb(tint) for tint in class_tints(colors)]), rgb(colors.canvas)

    def set_samples(self, samples: Samples) -> None:
        """Set the samples whose targets the colours stand for."""
        self._levels, self._level = samples.levels, samples.level

    def show_grid(self, grid: NDArray[Any], bounds: Bounds) -> None:
        """Draw shown outputs.

        Args:
            grid: (n, n), or (n, n, n_outputs), rows by ascending y.
            bounds: x of the first and last column, y of the first and last row.
        """
        if grid.ndim == 2:
            # cut to the levels here: pyqtgraph multiplies first, and overflows where a run has diverged
            heights = np.clip(np.nan_to_num(grid), *self._levels)
            if self.is_decided and self._level is not None:
                heights = np.where(heights > self._level, self._levels[1], self._levels[0])
            self.setImage(heights, levels=self._levels, lut=self._table)
        else:
            shares = np.eye(grid.shape[2])[np.nan_to_num(grid).argmax(axis=2)] if self.is_decided else grid
            self.setImage(class_map(shares, self._tints, self._paper), levels=None, lut=None)
        self.setRect(rect_of_cells(bounds, grid.shape))

    def show_numbers(self, grid: NDArray[Any], bounds: Bounds, levels: tuple[float, float]) -> None:
        """Draw numbers (n, n), rows by ascending y; `levels` have the full colours."""
        self.setImage(np.clip(np.nan_to_num(grid), *levels), levels=levels, lut=self._table)
        self.setRect(rect_of_cells(bounds, grid.shape))

    def color_scale(self, samples: Samples, colors: Colors, has_map: bool) -> Scale:
        """Return the colours and markers with their meanings.

        Args:
            samples: the drawn samples.
            colors: of the theme.
            has_map: places are coloured, not only the points.
        """
        if samples.targets.classes is None:
            if not has_map:
                return Scale()
            ends = tuple(Entry(tick_text(level, 3)) for level in samples.levels)
            return Scale(ends, self._table, "", TEXTS["surface"].format(low=ends[0].text, high=ends[1].text))
        texts = class_texts(samples.raw, samples.all_targets)
        looks = zip(texts, class_colors(colors), MARKERS, strict=False)
        entries = tuple(Entry(text, color, marker) for text, color, marker in looks)
        if samples.level is None:
            return Scale(entries, None, "", TEXTS["classes"].format(names=", ".join(texts)))
        low, high = samples.levels
        numbers = {"low": tick_text(low), "high": tick_text(high), "level": tick_text(samples.level)}
        tip = TEXTS["two classes"].format(first=texts[0], second=texts[1], **numbers)
        return Scale(entries, self._table if has_map else None, f"{samples.level:g}", tip)
