"""The map of a sweep: a cell for each pair of settings, its colour the median loss, or accuracy, of its seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from engine.sweeps.table import Cell
from gui.number_texts import reading_text
from gui.plots.cell_map import CellMap, Place
from gui.plots.color_scale import Entry, Scale
from gui.plots.plot import brightness_table
from gui.theme import mono_font

RATIO_FOR_LOGARITHMS = 20.0
FAR_OFF = 1e6
"""Times the median: a loss above that is of a run on its way to diverge, and does not stretch the colours."""
LEAST_ROOM = 46.0, 14.0
"""Pixels across and up that a cell needs to have its number upon it."""
TEXTS = {
    "loss scale": "The colour of a cell is the median {name} of its seeds, from {low} (dark, the best) to "
    "{high}{scale}.",
    "accuracy scale": "The colour of a cell is the median {name} of its seeds, from {low} (dark) to {high} (bright, "
    "the best).",
    "logarithmic": ", on a logarithmic scale",
    "best": "{number} best",
    "log": " (log)",
    "more": " and more",
    "diverged": "diverged",
}


class SweepMap(CellMap):
    """Draws the cells that are there.

    Attributes:
        scale: what the colours stand for.
    """

    def __init__(self) -> None:
        super().__init__("map of the sweep")
        self.scale = Scale()
        self.hold_left(78)
        self.setMinimumHeight(60)

    def show_sweep(
        self,
        names: tuple[str, str],
        values: tuple[Sequence[str], Sequence[str]],
        cells: Mapping[Place, Cell],
        figure: str,
    ) -> None:
        """Draw a map.

        Args:
            names: of the setting across and of the one up.
            values: of both, in words.
            cells: those that have come in; the others stay empty.
            figure: the attribute of a Cell that colours and numbers show, such as "test_loss".
        """
        accuracy = figure.endswith("accuracy")
        self.setLabels(bottom=names[0], left=names[1])
        heights = np.full((len(values[1]), len(values[0])), math.nan)
        for (column, row), cell in cells.items():
            number = getattr(cell, figure)
            heights[row, column] = math.nan if number is None or not math.isfinite(number) else number
        shares = self._shares(heights, figure)
        pixels = np.zeros((*heights.shape, 4), dtype=np.ubyte)
        known = np.isfinite(shares)
        pixels[known, :3] = brightness_table()[(shares[known] * 255).astype(int)]
        pixels[known, 3] = 255
        for (column, row), cell in cells.items():
            if not cell.is_finite:
                pixels[row, column] = pg.mkColor(self._colors.line).getRgb()
        self.show_cells(pixels, values, cells)
        self._write_numbers(cells, heights, shares, accuracy)

    def _shares(self, heights: NDArray[Any], figure: str) -> NDArray[Any]:
        """Return the position of each cell on the colour scale, 0 to 1, brighter for larger numbers; nan for none."""
        known, accuracy = heights[np.isfinite(heights)], figure.endswith("accuracy")
        if not known.size:
            self.scale = Scale()
            return heights
        low, most = float(known.min()), float(known.max())
        high = most if accuracy else float(known[known <= FAR_OFF * np.median(known)].max(initial=low))
        logarithmic = not accuracy and low > 0.0 and high / low > RATIO_FOR_LOGARITHMS
        numbers = np.log10(heights) if logarithmic else heights
        first, last = (math.log10(low), math.log10(high)) if logarithmic else (low, high)
        shares = (numbers - first) / (last - first) if last > first else np.where(np.isfinite(heights), 1.0, math.nan)
        self.scale = self._make_scale(low, high, logarithmic, figure, is_cut=most > high)
        return np.clip(shares, 0.0, 1.0)

    @staticmethod
    def _make_scale(low: float, high: float, logarithmic: bool, figure: str, is_cut: bool) -> Scale:
        accuracy = figure.endswith("accuracy")
        texts = [f"{100 * low:.3g} %", f"{100 * high:.3g} %"] if accuracy else [reading_text(low), reading_text(high)]
        texts[1] += TEXTS["more"] if is_cut else ""
        words = TEXTS["accuracy scale" if accuracy else "loss scale"]
        scale = TEXTS["logarithmic"] if logarithmic else ""
        tip = words.format(name=figure.replace("_", " "), low=texts[0], high=texts[1], scale=scale)
        texts[1] += TEXTS["log"] if logarithmic else ""
        texts[int(accuracy)] = TEXTS["best"].format(number=texts[int(accuracy)])
        return Scale(tuple(map(Entry, texts)), brightness_table(), "", tip)

    def _write_numbers(
        self, cells: Mapping[Place, Cell], heights: NDArray[Any], shares: NDArray[Any], accuracy: bool
    ) -> None:
        """The number of each cell upon it, where there is room."""
        (width, height), texts = self.room(), dict[Place, tuple[str, str]]()
        for (column, row), cell in cells.items() if width >= LEAST_ROOM[0] and height >= LEAST_ROOM[1] else ():
            figure = heights[row, column]
            if math.isfinite(figure):
                words = f"{100 * figure:.3g} %" if accuracy else reading_text(figure)
                texts[column, row] = words, "#111111" if shares[row, column] > 0.55 else "#FFFFFF"
            elif not cell.is_finite:
                texts[column, row] = TEXTS["diverged"] if width > 70 else "×", self._colors.text
        self.write(texts, mono_font(11))
