"""The boundary panel: what the network gives everywhere in the plane, with the data's points upon it.

Two inputs are a map: of classes, or of heights for a regression. One input is a curve. For more inputs there is no such
picture; each sample's output stands beside its target instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, QTimer, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from datasets import Dataset
from engine.network import LOSSES, Targets, encode
from gui.panels.pace import Pace
from gui.panels.plots import MARKERS, Plot, blend, class_colors, class_tints, drawable
from gui.session import Session
from gui.theme import LIGHT, Colors
from gui.training_run import Bounds, Progress

MOST_POINTS = 2000
MARGIN = 0.15
FEWEST, MOST = 60, 200  # points along a side of the grid
PIXELS_A_POINT = 2.0
RESIZE_MILLISECONDS = 80
SHADES = 64  # of a class's colour
SECONDS_A_PICTURE = 0.045
AXIS_WIDTH = 46  # pixels


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


def levels_for(loss: str, dataset: Dataset, targets: Targets) -> tuple[float, float]:
    """The outputs that get the strongest colours, lower and upper; halfway lies the decision."""
    if dataset.n_classes == 0:
        low, high = float(dataset.y.min()), float(dataset.y.max())
        return (low, high) if high > low else (low - 1.0, high + 1.0)
    if LOSSES[loss].probability or targets.threshold > 0:
        return 0.0, 1.0
    return -1.0, 1.0


def class_map(shares: NDArray[Any], tints: NDArray[Any], paper: NDArray[Any]) -> NDArray[np.uint8]:
    """Colours (n, n, 3) of a grid of several outputs.

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


class BoundaryPanel(QWidget):
    """Decision boundary, regression surface or curve.

    Signals:
        caption_changed(str): accuracy, or the loss for a regression.
    """

    caption_changed = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._colors = LIGHT
        self._pace = Pace(SECONDS_A_PICTURE)
        self.caption = ""
        self.plot = Plot("decision boundary")
        self.plot.setMinimumSize(120, 120)
        self.plot.axes["left"].setWidth(AXIS_WIDTH)  # a width that follows the ticks would follow its own effect
        self.plot.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self.image = pg.ImageItem(axisOrder="row-major")
        self.curve = pg.PlotDataItem()
        self.points = pg.ScatterPlotItem()
        self.outputs = pg.ScatterPlotItem()
        for item in (self.image, self.curve, self.points, self.outputs):
            self.plot.addItem(item)
        self.plot.getPlotItem().disableAutoRange()
        self.note = QLabel()
        self.note.setProperty("muted", True)
        self.note.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(4)
        column.addWidget(self.plot, 1)
        column.addWidget(self.note)
        self._ask = QTimer(self)
        self._ask.setSingleShot(True)
        self._ask.setInterval(RESIZE_MILLISECONDS)
        self._ask.timeout.connect(self._ask_for_grid)
        self.plot.getPlotItem().getViewBox().sigResized.connect(self._fit)
        session.model_replaced.connect(self._show_data)
        session.progressed.connect(self._show_progress)
        self.set_colors(LIGHT)

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self._colors = colors
        self.plot.set_colors(colors)
        self.curve.setPen(pg.mkPen(colors.accent, width=2))
        self._table = blend(colors.negative_tint, colors.canvas, colors.positive_tint)
        self._show_data()
        if self._session.progress is not None:
            self._show_progress(self._session.progress)

    # The data

    @property
    def _dataset(self) -> Dataset:
        return self._session.dataset

    def _show_data(self) -> None:
        """Shows the points of the data, and clears what was computed for other ones."""
        loss, n_outputs = self._session.document.training.loss, self._session.model.n_outputs
        self._targets = encode(LOSSES[loss], self._dataset.y, n_outputs)
        self._levels = levels_for(loss, self._dataset, self._targets)
        plane, line = self._dataset.n_features == 2, self._dataset.n_features == 1
        self.image.clear()
        self.curve.setData([], [])
        self.outputs.setData([], [])
        names = self._dataset.feature_names
        self.plot.setLabel("bottom", names[0] if plane or line else "sample")
        self.plot.setLabel("left", names[1] if plane else self._dataset.target_name if line else "output and target")
        self.plot.getPlotItem().setAspectLocked(plane)
        self._show_points(plane, line)
        self._say_note()
        self._say("")
        self._fit()

    def _show_points(self, plane: bool, line: bool) -> None:
        rows = slice(None, MOST_POINTS)
        X, y = self._dataset.X[rows], self._targets.numbers[rows]
        across = X[:, 0] if plane or line else np.arange(1.0, len(y) + 1)
        up = X[:, 1] if plane else y
        self._across, self._up = across, np.asarray(up, dtype=float)
        pen = pg.mkPen(self._colors.panel if self._dataset.n_classes else self._colors.text, width=0.8)
        size = 9 if len(y) <= 20 else 8 if len(y) <= 500 else 5
        if self._dataset.n_classes:
            palette, kinds = class_colors(self._colors), self._dataset.classes[rows]
            brushes = [pg.mkBrush(palette[kind]) for kind in kinds]
            markers = [MARKERS[kind] for kind in kinds]
            self.points.setData(x=across, y=self._up, brush=brushes, symbol=markers, size=size, pen=pen)
        elif plane:
            low, high = self._levels
            shades = np.clip((y - low) / (high - low) * 255, 0, 255).astype(int)
            brushes = [pg.mkBrush(*self._strong_table()[shade]) for shade in shades]
            self.points.setData(x=across, y=self._up, brush=brushes, symbol="o", size=size, pen=pen)
        else:
            self.points.setData(
                x=across, y=self._up, brush=pg.mkBrush(self._colors.positive), symbol="o", size=size - 2, pen=pen
            )

    def _strong_table(self) -> NDArray[np.uint8]:
        return blend(self._colors.negative, self._colors.panel, self._colors.positive)

    def _say_note(self) -> None:
        n, words = self._dataset.n_features, []
        if n > 2:
            words.append(f"{n} inputs have no map: ● is each sample's target, + the network's output for it.")
        if self._dataset.n_samples > MOST_POINTS:
            words.append(f"{MOST_POINTS:,} of {self._dataset.n_samples:,} points are drawn.")
        self.note.setText(" ".join(words))
        self.note.setVisible(bool(words))

    # Where the grid is wanted

    def _fit(self, _box: Any = None) -> None:
        """Chooses the part of the plane that is shown, and asks for the grid there."""
        low = np.array([self._across.min(), self._up.min()])
        high = np.array([self._across.max(), self._up.max()])
        box = self.plot.getPlotItem().getViewBox()
        if self._dataset.n_features == 2:
            aspect = max(box.width(), 1.0) / max(box.height(), 1.0)
            self._bounds = fitted_bounds(low, high, aspect)
        else:
            margin = np.where(high > low, high - low, 2.0) * MARGIN
            self._bounds = (low[0] - margin[0], high[0] + margin[0], low[1] - margin[1], high[1] + margin[1])
        left, right, bottom, top = self._bounds
        box.setRange(xRange=(left, right), yRange=(bottom, top), padding=0)
        if self.isVisible() and not self._ask.isActive():
            self._ask.start()

    def _ask_for_grid(self) -> None:
        if not self.isVisible():
            return
        box = self.plot.getPlotItem().getViewBox()
        pixels = max(box.width(), box.height()) * self.devicePixelRatioF()
        self._session.set_grid(self._bounds, int(np.clip(pixels / PIXELS_A_POINT, FEWEST, MOST)))

    def showEvent(self, event: Any) -> None:
        """Wants the grid from now on."""
        super().showEvent(event)
        self._fit()

    def hideEvent(self, event: Any) -> None:
        """Does not want the grid any more."""
        super().hideEvent(event)
        self._ask.stop()
        self._session.set_grid(None)

    # Following training

    def _show_progress(self, progress: Progress) -> None:
        snapshot = progress.snapshot
        if progress.accuracy is not None:
            self._say(f"accuracy {100 * progress.accuracy:.4g} %")
        elif snapshot.loss is not None:
            self._say(f"loss {snapshot.loss:.4g}")
        if not self.isVisible() or not self._pace.allows(progress.state == "running"):
            return
        if progress.grid is not None and progress.grid_bounds is not None:
            self._show_grid(progress.grid, progress.grid_bounds)
        elif self._dataset.n_features > 2:
            self._show_outputs(progress.outputs)

    def _show_grid(self, grid: NDArray[Any], bounds: Bounds) -> None:
        if self._dataset.n_features == 1:
            outputs = drawable(grid if grid.ndim == 1 else grid[:, -1])
            self.curve.setData(np.linspace(bounds[0], bounds[1], len(outputs)), outputs)
            return
        if grid.ndim == 2:
            # cut to the levels here: pyqtgraph multiplies first, and overflows where a run has gone wild
            heights = np.clip(np.nan_to_num(grid), *self._levels)
            self.image.setImage(heights, levels=self._levels, lut=self._table)
        else:
            tints = np.array([pg.mkColor(tint).getRgb()[:3] for tint in class_tints(self._colors)], dtype=float)
            paper = np.array(pg.mkColor(self._colors.canvas).getRgb()[:3], dtype=float)
            self.image.setImage(class_map(grid, tints, paper), levels=None, lut=None)
        self._place_image(bounds, grid.shape[0])

    def _place_image(self, bounds: Bounds, resolution: int) -> None:
        """Puts the middle of the outermost cells onto the bounds."""
        left, right, bottom, top = bounds
        cell_x, cell_y = (right - left) / (resolution - 1), (top - bottom) / (resolution - 1)
        rect = QRectF(left - cell_x / 2, bottom - cell_y / 2, right - left + cell_x, top - bottom + cell_y)
        self.image.setRect(rect)

    def _show_outputs(self, outputs: NDArray[Any]) -> None:
        values = np.nan_to_num(outputs[:, 0] if outputs.shape[1] == 1 else outputs.argmax(axis=1).astype(float))
        shown = values[: len(self._across)]
        brush, pen = pg.mkBrush(self._colors.text), pg.mkPen(self._colors.text, width=1)
        self.outputs.setData(
            x=self._across[: len(shown)], y=np.clip(shown, *self._bounds[2:]), symbol="+", size=13, pen=pen, brush=brush
        )

    def _say(self, caption: str) -> None:
        if caption != self.caption:
            self.caption = caption
            self.caption_changed.emit(caption)
