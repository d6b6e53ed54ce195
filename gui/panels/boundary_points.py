"""The points of the data on the boundary plot: those that train are filled marks, those that only test hollow ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from datasets import Dataset
from engine.document.prepared import PreparedData
from engine.network import Targets
from gui.panels.plots import MARKERS, Plot, class_colors, color_table
from gui.theme import Colors

MOST_POINTS = 2000
"""Drawn of each kind, the first ones."""
OUTLINE = 1.8  # pixels
AROUND_OUTPUT = 4  # pixels by which a mark is larger that has the mark of the output in it


SHADED_TEST = "s"
"""The mark of a point that only tests, where the colour inside is its height."""


def has_shades(raw: Dataset) -> bool:
    """Whether the colours of its points are heights."""
    return raw.n_features == 2 and not raw.n_classes


class DataPoints:
    """What is drawn of the data.

    Attributes:
        train: the points that are trained on.
        test: the points that only test.
        across: (n,) horizontal places of the points that train.
        up: (n,) vertical ones.
    """

    def __init__(self, plot: Plot) -> None:
        self.train, self.test = pg.ScatterPlotItem(), pg.ScatterPlotItem()
        for item in (self.test, self.train):
            plot.addItem(item)
        self.across = self.up = self._test_across = self._test_up = np.empty(0)

    @property
    def whole(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Places of all points, those that only test as well."""
        return np.concatenate([self.across, self._test_across]), np.concatenate([self.up, self._test_up])

    def show(self, data: PreparedData, targets: Targets, levels: tuple[float, float], colors: Colors) -> None:
        """Draws the points of other data.

        Points with two numbers stand in the plane, those with one at their target; of more numbers only the targets
        of what is trained on are drawn, one beside the other.

        Args:
            data: of the document.
            targets: of all its points, in the order of `data.raw`.
            levels: targets with the strongest colours, lower and upper.
            colors: of the theme.
        """
        numbers = targets.numbers
        self.across, self.up = _places(data.raw_train, numbers[data.train_rows])
        looks = _Looks(data.raw_train, numbers[data.train_rows][:MOST_POINTS], levels, colors)
        pen = pg.mkPen(colors.panel if data.raw.n_classes else colors.text, width=0.8)
        self.train.setData(
            x=self.across, y=self.up, brush=looks.brushes, symbol=looks.markers, size=looks.size, pen=pen
        )
        self._show_test(data, numbers, levels, colors, looks.size)

    def _show_test(
        self, data: PreparedData, numbers: NDArray[Any], levels: tuple[float, float], colors: Colors, size: int
    ) -> None:
        raw = data.raw_test
        self._test_across = self._test_up = np.empty(0)
        if raw is None or raw.n_features > 2:
            self.test.clear()
            return
        mine = numbers[data.test_rows]
        self._test_across, self._test_up = _places(raw, mine)
        looks = _Looks(raw, mine[:MOST_POINTS], levels, colors)
        places = {"x": self._test_across, "y": self._test_up}
        if has_shades(raw):
            pen = pg.mkPen(colors.text, width=0.8)
            self.test.setData(**places, brush=looks.brushes, symbol=SHADED_TEST, size=size, pen=pen)
            return
        pen_of = {id(brush): pg.mkPen(brush.color(), width=OUTLINE) for brush in looks.brushes}
        pens = [pen_of[id(brush)] for brush in looks.brushes]
        inside = pg.mkBrush(colors.panel)
        self.test.setData(**places, brush=inside, symbol=looks.markers, size=size - 1, pen=pens)

    def clear(self) -> None:
        """Draws nothing."""
        self.across = self.up = self._test_across = self._test_up = np.empty(0)
        for item in (self.train, self.test):
            item.clear()


def _places(raw: Dataset, numbers: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    X, y = raw.X[:MOST_POINTS], numbers[:MOST_POINTS]
    across = X[:, 0] if raw.n_features <= 2 else np.arange(1.0, len(y) + 1)
    return across, np.asarray(X[:, 1] if raw.n_features == 2 else y, dtype=float)


class _Looks:
    """Colour, shape and size of points; `numbers`: their targets, (n,)."""

    def __init__(self, raw: Dataset, numbers: NDArray[Any], levels: tuple[float, float], colors: Colors) -> None:
        n = len(numbers)
        self.size = 9 if n <= 20 else 8 if n <= 500 else 5
        self.markers: list[str] = ["o"] * n
        if raw.n_features > 2:
            self.size += AROUND_OUTPUT
        if raw.n_classes:
            looks = [pg.mkBrush(color) for color in class_colors(colors)]  # one for each: pyqtgraph draws each anew
            kinds = raw.classes[:n]
            self.brushes = [looks[kind] for kind in kinds]
            self.markers = [MARKERS[kind] for kind in kinds]
        elif has_shades(raw):
            low, high = levels
            shades = np.clip((numbers - low) / (high - low) * 255, 0, 255).astype(int)
            table = color_table(colors.negative, colors.panel, colors.positive)
            looks = [pg.mkBrush(*color) for color in table]
            self.brushes = [looks[shade] for shade in shades]
        else:
            self.size -= 2
            self.brushes = [pg.mkBrush(colors.positive)] * n
