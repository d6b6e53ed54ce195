"""The boundary panel: what the network gives everywhere in the plane, with the data's points upon it.

Two inputs are a map: of classes, or of heights for a regression. One input is a curve. For more inputs there is no such
picture; each sample's output stands beside its target instead. Where a single output decides between two classes, a
line shows where, and the scale below tells which colour is which output.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from datasets import Dataset
from engine.autograd.notation import counted
from engine.document.csv_text import Column
from engine.network import LOSSES, encode
from engine.network.level_line import level_line
from engine.network.progress import Bounds, GridRequest, Progress
from gui.number_texts import count_text, reading_text, tick_text
from gui.panels.boundary_points import MOST_POINTS, DataPoints, has_shades
from gui.panels.color_scale import ColorScale, Entry, Scale
from gui.panels.decision import class_texts, decision_level, strongest_levels
from gui.panels.drawing import Drawing
from gui.panels.loss_texts import NO_CAPTION, Caption, readout
from gui.panels.panel import Panel
from gui.panels.plane import MARGIN, class_map, fitted_bounds
from gui.panels.plots import (
    MARKERS,
    Plot,
    class_colors,
    class_tints,
    color_table,
    drawable,
    range_around,
)
from gui.session import Change, Session
from gui.theme import LIGHT, Colors
from gui.widgets.labels import muted_label
from gui.widgets.layouts import filled

FEWEST, MOST = 60, 200  # points along a side of the grid
PIXELS_A_POINT = 2.0
RESIZE_MILLISECONDS = 80
AXIS_WIDTH = 46  # pixels
TEXTS = {
    "surface": "The colour of a place is the output there, from {low} to {high}; points: targets.",
    "classes": "Classes: {names}. A place has the colour of its largest output.",
    "two classes": "Points: {first} and {second}, the numbers that are trained on. Colours: left an output of {low:g} "
    "or less, right {high:g} or more. Above {level:g}, beyond the line, the output means {second}.",
    "no map": "{n} inputs have no map: each sample's target is a filled mark, the network's output a +.",
    "few points": "{drawn:,} of {n:,} points are drawn.",
    "test points": "Hollow marks: the {n:,} points that only test.",
    "shaded test points": "Square marks: the {n:,} points that only test.",
    "undefined": "The network's outputs are not finite numbers: there is nothing to draw.",
    "some undefined": "outputs are not all numbers",
    "accuracy": "accuracy {percent:.4g} %",
    "accuracies": "train {percent:.4g} % · test {test:.4g} %",
    "decided right": "{right:,.0f} of {samples} are decided right.",
    "test decided right": "Of {samples} that only test, {right:,.0f} are decided right.",
    "loss": "loss {loss} of all {n}",
    "losses": "loss {loss} · test {test}",
}
"""Every sentence and caption of the panel."""


class BoundaryPanel(Panel):
    """Decision boundary, regression surface or curve; the caption says the accuracy, or the loss for a regression."""

    rest_seconds = 0.045

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._dataset: Dataset = session.data.raw_train
        self._data = session.document.data
        self._is_grid_wanted = False
        self.plot = Plot("decision boundary")
        self.plot.setMinimumSize(120, 120)
        self.plot.axes["left"].setWidth(AXIS_WIDTH)  # a width that follows the ticks would follow its own effect
        self.plot.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self.image = pg.ImageItem(axisOrder="row-major")
        self.curve = pg.PlotDataItem()
        self.boundary = pg.PlotCurveItem(connect="pairs")
        self.level = pg.InfiniteLine(angle=0, movable=False)
        self.outputs = pg.ScatterPlotItem()
        for item in (self.image, self.curve, self.boundary, self.level):
            self.plot.addItem(item)
        self.data_points = DataPoints(self.plot)
        self.points = self.data_points.train
        self.plot.addItem(self.outputs)
        self.drawing = Drawing(self.plot, session)
        self.drawing.editing.switched.connect(self._follow_blank)
        self.drawing.editing.changed.connect(self._follow_blank)
        self._is_blank = False
        self.scale = ColorScale()
        self.note = muted_label(wrap=True)
        self._lay_out()
        self._ask = QTimer(self, singleShot=True, interval=RESIZE_MILLISECONDS)
        self._ask.timeout.connect(self._ask_for_grid)
        self.plot.box.sigResized.connect(lambda _box: self._fit())
        self.plot.box.sigRangeChanged.connect(lambda *_: self._want_grid())
        self.set_colors(LIGHT)

    def _lay_out(self) -> None:
        parts = self.drawing.bar, self.plot, 1, self.scale, self.note
        filled(QVBoxLayout(self), *parts, margins=(8, 8, 8, 8), spacing=4)
        corner = filled(QHBoxLayout(self.plot), self.plot.fit_button, *self.drawing.buttons, margins=(0, 4, 6, 0))
        corner.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        super().set_colors(colors)
        self.plot.set_colors(colors)
        self.drawing.set_colors(colors)
        self.curve.setPen(pg.mkPen(colors.accent, width=2))
        self.boundary.setPen(pg.mkPen(colors.text, width=1.5))
        self.level.setPen(pg.mkPen(colors.muted, style=Qt.PenStyle.DashLine))
        self._table = color_table(colors.negative_tint, colors.canvas, colors.positive_tint)
        self.outdate()

    def follows(self, change: Change) -> bool:
        """Other data or another network, and every report of training."""
        return change.model or change.moment

    def refresh(self, change: Change) -> None:
        """Shows the data where they are new, and what the network makes of them."""
        if change.model:
            self._show_data()
        if self.session.shown is not None:
            self._show_progress(self.session.shown)

    def figure_data(self) -> Sequence[Column]:
        """Every place of the grid with the outputs there; for more inputs than two each sample's outputs."""
        progress, names = self.session.shown, self._dataset.feature_names
        if progress is None:
            return []
        if progress.grid is None or progress.grid_bounds is None:
            outputs = progress.outputs
            places: list[Column] = [("sample", range(1, len(outputs) + 1))]
        else:
            left, right, bottom, top = progress.grid_bounds
            across = np.linspace(left, right, progress.grid.shape[0])
            up = np.linspace(bottom, top, progress.grid.shape[0])
            n_outputs = self._targets.values.shape[1]
            outputs = progress.grid.reshape(-1, n_outputs)
            if self._is_plane:
                places = [(names[0], np.tile(across, len(up))), (names[1], np.repeat(up, len(across)))]
            else:
                places = [(names[0], across)]
        several = outputs.shape[1] > 1
        found = [(f"output {i}" if several else "output", column) for i, column in enumerate(outputs.T, start=1)]
        return [*places, *found]

    # Drawing

    def _follow_blank(self) -> None:
        """The data's points come and go with the drawing; nothing else does."""
        if self._is_blank != self.drawing.editing.is_blank:
            self._show_data()
            if self.session.shown is not None:
                self._show_progress(self.session.shown)

    def _show_blank(self) -> None:
        """The plane as it was without its points; of data that are none, an empty one."""
        self.data_points.clear()
        if not self._is_plane:
            for name, side in (("x1", "bottom"), ("x2", "left")):
                self.plot.setLabel(side, name)
            self.plot.axes["bottom"].whole = False
            self.plot.getPlotItem().setAspectLocked(True)
            self.plot.fit()
            box = self.plot.box
            aspect = max(box.width(), 1.0) / max(box.height(), 1.0)
            left, right, bottom, top = fitted_bounds(np.array([-1.0, -1.0]), np.array([1.0, 1.0]), aspect)
            self.plot.show_range((left, right), (bottom, top))
            self.plot.hold()
        self.note.hide()

    # The data

    @property
    def _is_plane(self) -> bool:
        return self._dataset.n_features == 2

    @property
    def _is_line(self) -> bool:
        return self._dataset.n_features == 1

    def _show_data(self) -> None:
        """Shows the points of the data, and clears what was computed for other ones."""
        if self.drawing.on and self.data_points.across.size:
            self.plot.hold()  # it must not move under the pointer
        self._dataset = self.session.data.raw_train
        if self._data != self.session.document.data:
            self._data = self.session.document.data
            if not self.drawing.on:
                self.plot.fit()
        loss = LOSSES[self.session.document.training.loss]
        self._targets = encode(loss, self.session.data.raw.y, self.session.document.network.layer_sizes[-1])
        self._level = decision_level(loss, self._targets)
        self._levels = strongest_levels(self._level, self._targets)
        self.image.clear()
        for item in (self.curve, self.boundary, self.outputs):
            item.setData([], [])
        self.level.setVisible(self._level is not None and not self._is_plane)
        self.level.setValue(self._level or 0.0)
        self._is_blank = self.drawing.editing.is_blank
        if self._is_blank:
            self._show_blank()
            return
        self._name_axes()
        self.data_points.show(self.session.data, self._targets, self._levels, self.colors)
        self.scale.show_scale(self._make_scale(), self.colors)
        self._say_note()
        self.set_caption(*NO_CAPTION)
        self._fit()

    def _name_axes(self) -> None:
        names, plane, line = self._dataset.feature_names, self._is_plane, self._is_line
        self.plot.setLabel("bottom", names[0] if plane or line else "sample")
        self.plot.setLabel("left", names[1] if plane else self._dataset.target_name if line else "output and target")
        self.plot.axes["bottom"].whole = not (plane or line)
        self.plot.getPlotItem().setAspectLocked(plane)

    def _make_scale(self) -> Scale:
        """What the colours and the markers stand for."""
        if not self._dataset.n_classes:
            if not self._is_plane:
                return Scale()
            ends = tuple(Entry(tick_text(level, 3)) for level in self._levels)
            tip = TEXTS["surface"].format(low=ends[0].text, high=ends[1].text)
            return Scale(ends, self._table, "", tip)
        texts = class_texts(self.session.data.raw, self._targets)
        looks = zip(texts, class_colors(self.colors), MARKERS, strict=False)
        entries = tuple(Entry(text, color, marker) for text, color, marker in looks)
        if self._level is None:
            return Scale(entries, None, "", TEXTS["classes"].format(names=", ".join(texts)))
        low, high = self._levels
        tip = TEXTS["two classes"].format(first=texts[0], second=texts[1], low=low, high=high, level=self._level)
        return Scale(entries, self._table if self._is_plane else None, f"{self._level:g}", tip)

    def _say_note(self, undefined: bool = False) -> None:
        """What the picture leaves out; `undefined`: no output is a finite number."""
        n, words = self._dataset.n_features, []
        if n > 2:
            words.append(TEXTS["no map"].format(n=n))
        if self._dataset.n_samples > MOST_POINTS:
            words.append(TEXTS["few points"].format(drawn=MOST_POINTS, n=self._dataset.n_samples))
        if (test := self.session.data.test) is not None and n <= 2:
            kind = "shaded test points" if has_shades(self.session.data.raw) else "test points"
            words.append(TEXTS[kind].format(n=test.n_samples))
        if undefined:
            words.append(TEXTS["undefined"])
        self.note.setText(" ".join(words))
        self.note.setVisible(bool(words))

    # Where the grid is wanted

    @property
    def bounds(self) -> Bounds:
        """What is seen: smallest and largest x, smallest and largest y."""
        (left, right), (bottom, top) = self.plot.box.viewRange()
        return left, right, bottom, top

    def _fit(self) -> None:
        """Says which part of the plane there is to see."""
        across, up = self.data_points.whole
        if not across.size:
            return
        box = self.plot.box
        if self._is_plane:
            points = np.stack([across, up])
            aspect = max(box.width(), 1.0) / max(box.height(), 1.0)
            left, right, bottom, top = fitted_bounds(points.min(axis=1), points.max(axis=1), aspect)
            self.plot.show_range((left, right), (bottom, top))
        else:
            levels = [] if self._level is None else self._levels
            heights = drawable(np.concatenate([up, levels]))
            self.plot.show_range(range_around(across, margin=MARGIN), range_around(heights, margin=MARGIN))
        self._want_grid()

    def _want_grid(self) -> None:
        if self._is_grid_wanted and not self._ask.isActive():
            self._ask.start()

    def _ask_for_grid(self) -> None:
        box = self.plot.box
        pixels = max(box.width(), box.height()) * self.devicePixelRatioF()
        self.session.set_grid(GridRequest(self.bounds, int(np.clip(pixels / PIXELS_A_POINT, FEWEST, MOST))))

    def follow_visibility(self) -> None:
        """Wants the grid while it is seen."""
        super().follow_visibility()
        if self.is_seen != self._is_grid_wanted:
            self._is_grid_wanted = self.is_seen
            if self._is_grid_wanted:
                self._fit()
            else:
                self._ask.stop()
                self.session.set_grid(None)

    # Following training

    def _show_progress(self, progress: Progress) -> None:
        self.set_caption(*self._caption_of(progress))
        if self._is_blank and not self._is_plane:
            return
        self._say_note(not np.isfinite(progress.outputs).any())
        if progress.grid is not None and progress.grid_bounds is not None:
            self._show_grid(progress.grid, progress.grid_bounds)
        elif self._dataset.n_features > 2:
            self._show_outputs(progress.outputs)

    def _caption_of(self, progress: Progress) -> Caption:
        n_samples = self._dataset.n_samples
        _, tip = readout(progress, n_samples)
        if not np.isfinite(progress.outputs).all():
            return Caption(TEXTS["some undefined"], tip)
        if progress.accuracy is not None:
            samples, right = counted(n_samples, "sample"), progress.accuracy * n_samples
            decided = TEXTS["decided right"].format(right=right, samples=samples)
            return self._accuracy_caption(progress, progress.accuracy, decided, tip)
        moment = progress.snapshot
        if moment.loss is None:
            return Caption("", tip)
        if moment.test_loss is not None:
            texts = {"loss": reading_text(moment.loss), "test": reading_text(moment.test_loss)}
            return Caption(TEXTS["losses"].format(**texts), tip)
        return Caption(TEXTS["loss"].format(loss=reading_text(moment.loss), n=count_text(n_samples)), tip)

    def _accuracy_caption(self, progress: Progress, accuracy: float, decided: str, tip: str) -> Caption:
        """The accuracy, and that of the points that only test beside it."""
        of_test, test = progress.snapshot.test_accuracy, self.session.data.test
        if of_test is None or test is None:
            return Caption(TEXTS["accuracy"].format(percent=100 * accuracy), f"{decided}\n{tip}")
        samples = counted(test.n_samples, "sample")
        of_these = TEXTS["test decided right"].format(samples=samples, right=of_test * test.n_samples)
        text = TEXTS["accuracies"].format(percent=100 * accuracy, test=100 * of_test)
        return Caption(text, f"{decided}\n{of_these}\n{tip}")

    def _show_grid(self, grid: NDArray[Any], bounds: Bounds) -> None:
        if self._dataset.n_features == 1:
            outputs = drawable(grid if grid.ndim == 1 else grid[:, -1])
            self.curve.setData(np.linspace(bounds[0], bounds[1], len(outputs)), outputs)
            return
        if grid.ndim == 2:
            # cut to the levels here: pyqtgraph multiplies first, and overflows where a run has diverged
            heights = np.clip(np.nan_to_num(grid), *self._levels)
            self.image.setImage(heights, levels=self._levels, lut=self._table)
            if self._level is not None:
                self.boundary.setData(*level_line(grid, bounds, self._level), connect="pairs")
        else:
            tints = np.array([pg.mkColor(tint).getRgb()[:3] for tint in class_tints(self.colors)], dtype=float)
            paper = np.array(pg.mkColor(self.colors.canvas).getRgb()[:3], dtype=float)
            self.image.setImage(class_map(grid, tints, paper), levels=None, lut=None)
        (left, right, bottom, top), cells = bounds, grid.shape[0] - 1
        across, up = (right - left) / cells, (top - bottom) / cells  # the outermost cells stand over the bounds by half
        self.image.setRect(QRectF(left - across / 2, bottom - up / 2, right - left + across, top - bottom + up))

    def _show_outputs(self, outputs: NDArray[Any]) -> None:
        values = outputs[:, 0] if outputs.shape[1] == 1 else outputs.argmax(axis=1).astype(float)
        shown = drawable(values[: len(self.data_points.across)])
        brush = pg.mkBrush(self.colors.text)
        low, high = self.plot.whole[1]
        heights = np.clip(shown, low, high)  # an output beyond the targets stands at the edge
        self.outputs.setData(
            x=self.data_points.across[: len(shown)], y=heights, symbol="+", size=9, pen=None, brush=brush
        )
