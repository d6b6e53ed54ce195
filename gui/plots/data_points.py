"""The samples of the data as markers in a plot: by class or by target, the wrong ones and the canvas's one ringed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF

from datasets import sample_rows
from engine.document import Document
from engine.experiment.prepared import PreparedData
from engine.experiment.snapshot_network import targets_of
from engine.network import LOSSES, Loss, Targets
from gui.plots.decision import decided, decision_level, strongest_levels
from gui.plots.plot import MARKERS, Plot, class_colors, drawable, target_colors
from gui.theme import LIGHT, Colors

Floats = NDArray[Any]
MOST_POINTS = 2000
"""Points that are drawn; of larger data a random sample with every class in it, see `sample_rows`."""
FEW_POINTS = "{drawn:,} of {n:,} points drawn: a random sample of every class."
FEW_NUMBERS = "{drawn:,} of {n:,} points drawn: a random sample."
FEW = 500
"""Points that are drawn large, with a rim."""
OUTLINE = 1.8  # pixels
SHADED_TEST = "s"
"""The mark of a point that only tests, where the colour inside is its height."""
RING, DENSE_RING, CHOSEN_RING, NEAR = 7, 3, 13, 9
"""Pixels that a ring is wider than its marker (fewer where points are small); reach of a click around a point."""


class Samples:
    """The drawn points, and their targets.

    Attributes:
        X: (n_drawn, n_columns) raw points; those that are trained on first.
        targets: of the drawn points.
        raw: all points.
        all_targets: of them.
        train_samples: (n_train,) numbers of the drawn training samples, from 0, ascending.
        n_train: how many of the drawn points are trained on.
        n_all: how many points there are, drawn or not.
        level: the shown output above which the second of two classes is meant; None: there is none.
        levels: the shown outputs that get the strongest colours.
    """

    def __init__(self, data: PreparedData, loss: Loss, n_outputs: int, most: int = MOST_POINTS) -> None:
        raw, n_train = data.raw, len(data.train_rows)
        rows = np.concatenate([data.train_rows, data.test_rows])
        self.n_all = len(rows)
        is_test = np.arange(self.n_all) >= n_train
        drawn = sample_rows(2 * raw.classes[rows] + is_test if raw.n_classes else is_test.astype(np.int64), most)
        self.n_train = int(np.searchsorted(drawn, n_train))
        self.train_samples = drawn[: self.n_train]
        rows = rows[drawn]
        both = targets_of(raw, loss, n_outputs)  # by one rule: either part may lack a class
        self.X: Floats = raw.X[rows]
        self.raw, self.all_targets = raw, both
        self.targets: Targets = both.part(rows)
        self.level = decision_level(loss, both)
        self.levels = strongest_levels(self.level, both)

    @property
    def is_shaded(self) -> bool:
        """True when the colours of the points on a map stand for heights."""
        return self.targets.classes is None

    @property
    def n_drawn(self) -> int:
        """Number of points drawn."""
        return len(self.X)

    @property
    def note(self) -> str:
        """Return a sentence with the number of drawn points; "" when all are drawn."""
        if self.n_drawn == self.n_all:
            return ""
        return (FEW_POINTS if self.raw.n_classes else FEW_NUMBERS).format(drawn=self.n_drawn, n=self.n_all)

    def index_of(self, sample: int) -> int:
        """Index of a training sample among the drawn points; -1 where it is not drawn."""
        index = int(np.searchsorted(self.train_samples, sample))
        return index if index < self.n_train and self.train_samples[index] == sample else -1

    def wrong(self, outputs: Floats) -> NDArray[np.bool_]:
        """Mark the points that the network decides wrong, at every step, as accuracy and predictions count them.

        Args:
            outputs: (n_drawn, n_outputs), as shown.

        Returns:
            (n_drawn,) True for a wrong class; no point where numbers are predicted.
        """
        if self.targets.classes is None:
            return np.zeros(len(outputs), dtype=bool)
        return np.asarray(decided(outputs, self.level) != self.targets.classes)


def samples_of(document: Document, data: PreparedData, most: int = MOST_POINTS) -> Samples:
    """The points of a document's data, prepared, for its network and its loss; at most so many of them."""
    return Samples(data, LOSSES[document.training.loss], document.network.layer_sizes[-1], most)


class DataPoints:
    """Four scatter plots, one upon the other.

    Attributes:
        samples: the drawn samples; None before `show_samples`.
        test: a hollow marker for each sample that only tests; a square one where colours are heights.
        train: a marker for each sample that is trained on.
        wrong: rings around those that are decided wrong.
        chosen: a ring around the sample that the canvas shows.
    """

    def __init__(self, plot: Plot) -> None:
        self.samples: Samples | None = None
        self.test, self.train, self.wrong, self.chosen = (pg.ScatterPlotItem() for _ in range(4))
        for item in (self.test, self.train, self.wrong, self.chosen):
            plot.addItem(item)
        self._across, self._up = np.empty(0), np.empty(0)
        self._size, self._looks = 0, (dict[str, Any](), dict[str, Any]())
        self._is_wrong, self._row = np.zeros(0, dtype=bool), -1
        self._is_test_visible = True
        self.colors = LIGHT

    def show_samples(self, samples: Samples, colors: Colors, extra_size: int = 0, by_target: bool = True) -> None:
        """Set other samples, or other colours; `place` positions them.

        Args:
            samples: to draw.
            colors: of the theme.
            extra_size: pixels that the markers are larger than usual.
            by_target: targets of a regression are colours, as on a map.
        """
        self.samples, self.colors = samples, colors
        self._size = _size(samples.n_drawn) + extra_size
        self._looks = _looks(samples, colors, by_target, self._size)
        self._is_wrong = np.zeros(samples.n_drawn, dtype=bool)

    def place(self, across: Floats, up: Floats) -> None:
        """Place every sample: (n_drawn,) each, or (n_train,) without the test samples."""
        n_train = 0 if self.samples is None else self.samples.n_train
        self._across, self._up = drawable(across), drawable(up)
        train, test = slice(n_train), slice(n_train, None)
        self.train.setData(x=self._across[train], y=self._up[train], **self._looks[0])
        if len(across) > n_train:
            self.test.setData(x=self._across[test], y=self._up[test], **self._looks[1])
        else:
            self.test.clear()
        self._draw_rings()

    def set_test_visible(self, visible: bool) -> None:
        """Show or hide the points that only test, with their rings."""
        self._is_test_visible = visible
        self.test.setVisible(visible)
        self._draw_rings()

    @property
    def _n_visible(self) -> int:
        """Number of placed points that are visible: test samples come last."""
        n_train = 0 if self.samples is None else self.samples.n_train
        return len(self._across) if self._is_test_visible else min(n_train, len(self._across))

    def clear(self) -> None:
        """Draw nothing."""
        self._across = self._up = np.empty(0)
        for item in (self.train, self.test, self.wrong, self.chosen):
            item.setData([], [])

    def mark(self, wrong: NDArray[np.bool_], chosen: int) -> None:
        """Ring the points that are wrong, (n_drawn,), and the training sample `chosen` where it is drawn."""
        chosen = -1 if self.samples is None else self.samples.index_of(chosen)
        if chosen != self._row or not np.array_equal(wrong, self._is_wrong):
            self._is_wrong, self._row = wrong, chosen
            self._draw_rings()

    def _draw_rings(self) -> None:
        wrong = np.flatnonzero(self._is_wrong)
        is_dense = len(self._is_wrong) > FEW
        for item, rows, color, ring in (
            (self.wrong, wrong[wrong < self._n_visible], self.colors.error, DENSE_RING if is_dense else RING),
            (self.chosen, [self._row] if 0 <= self._row < len(self._across) else [], self.colors.text, CHOSEN_RING),
        ):
            pen, size = pg.mkPen(color, width=1.0 if ring == DENSE_RING else 1.6), self._size + ring
            item.setData(x=self._across[rows], y=self._up[rows], symbol="o", size=size, brush=None, pen=pen)

    def row_at(self, place: QPointF) -> int | None:
        """The index of the drawn point nearest to a place of the plot, within a few pixels; None for none."""
        if not self._n_visible:
            return None
        pixel_width, pixel_height = self.train.getViewBox().viewPixelSize()
        across, up = self._across[: self._n_visible], self._up[: self._n_visible]
        away = np.hypot((across - place.x()) / pixel_width, (up - place.y()) / pixel_height)
        row = int(away.argmin())
        return row if away[row] <= NEAR else None


def _size(n_drawn: int) -> int:
    return 9 if n_drawn <= 20 else 8 if n_drawn <= FEW else 5


def _looks(samples: Samples, colors: Colors, by_target: bool, size: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the style of the markers for training samples and for test samples."""
    fills, markers = fills_and_markers(samples, colors, by_target)
    n = samples.n_train
    rim = colors.panel if samples.targets.classes is not None else colors.text
    brush_of = {fill: pg.mkBrush(fill) for fill in set(fills)}  # one each: pyqtgraph redraws for every new object
    pen_of = {fill: pg.mkPen(fill, width=OUTLINE) for fill in set(fills)}
    brushes, pens = [brush_of[fill] for fill in fills[:n]], [pen_of[fill] for fill in fills[n:]]
    edge = pg.mkPen(rim, width=0.8) if samples.n_drawn <= FEW else None  # of many small ones it would hide the colour
    filled = {"brush": brushes, "pen": edge, "symbol": markers[:n], "size": size}
    if samples.is_shaded and by_target:
        return filled, filled | {"brush": [brush_of[fill] for fill in fills[n:]], "symbol": SHADED_TEST}
    return filled, {"brush": pg.mkBrush(colors.panel), "pen": pens, "symbol": markers[n:], "size": size - 1}


def fills_and_markers(samples: Samples, colors: Colors, by_target: bool) -> tuple[list[str], list[str]]:
    """The colour and the marker of every sample; `by_target`: see `DataPoints.show_samples`."""
    classes = samples.targets.classes
    if classes is not None:
        palette = class_colors(colors)
        return [palette[each] for each in classes], [MARKERS[each] for each in classes]
    if not by_target:
        return [colors.positive] * samples.n_drawn, ["o"] * samples.n_drawn
    return target_colors(samples.targets.numbers, samples.levels, colors), ["o"] * samples.n_drawn
