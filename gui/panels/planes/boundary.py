"""The boundary panel: the network's outputs over the plane of the data, with the samples upon it.

Two inputs are a map: of classes, or of heights for a regression. One input is a curve. Of more inputs two can be chosen
to vary, the others staying at their means: at first the two that predict the target best. Else each sample's
output is drawn against its target. Where classes meet there is a line, and the scale below shows which colour is which
output. The pointer reads the network's output anywhere; a click on a point puts that sample on the canvas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from datasets import telling_inputs
from engine.autograd.notation import counted
from engine.csv_text import Column
from engine.experiment.hidden_picture import decision_line
from engine.experiment.prepared import PreparedData
from engine.experiment.snapshot_network import Neuron, SnapshotNetwork, snapshot_network
from engine.network import LOSSES
from engine.network.predictor import Bounds
from engine.network.run.outputs import GridRequest, RawPlane
from engine.network.run.progress import Progress
from gui.background import Job, once
from gui.number_texts import count_text, reading_text
from gui.panels.panel import Panel
from gui.panels.planes.drawing import Drawing
from gui.panels.planes.neuron_plane import NeuronPlane
from gui.panels.planes.output_map import OutputMap
from gui.panels.planes.place_reading import PlaceReading
from gui.plots.color_scale import ColorScale
from gui.plots.data_points import DataPoints, Samples, samples_of
from gui.plots.plane import MARGIN, are_alike, fitted_bounds
from gui.plots.plot import Plot, drawable, range_around
from gui.presenter.loss_texts import NO_CAPTION, Caption, readout
from gui.session import Change, Session
from gui.theme import Colors, text_pixels
from gui.widgets.buttons import tool_button
from gui.widgets.choices import NarrowCombo
from gui.widgets.labels import LinesLabel, literal_tip, muted_label
from gui.widgets.layouts import add_widgets

FEWEST, MOST, FINEST = 60, 200, 400  # points along a side of the grid: while it trains, and at rest
PIXELS_A_POINT = 2.0
RESIZE_MILLISECONDS = 80
AXIS_WIDTH = 46  # pixels
LOW, LOWEST = 280, 220
"""Heights of the panel, pixels in the designed size of text, below which the note, and then also the reading and the
names of the axes, give their room to the plot."""
CORNER_GAP = 6
"""Pixels between the buttons in the corner and the plot."""
TEXTS = {
    "no map": "{n} inputs have no map: each sample's target is a filled mark, the network's output a +.",
    "slice": "{across} and {up} vary, the other inputs stay at their means; the points differ in those, too.",
    "telling slice": "{across} and {up}, the most informative inputs, vary; the others stay at their "
    "means. The points differ in those, too.",
    "test points": "Hollow marks: the test data, {points}.",
    "shaded test points": "Square marks: the test data, {points}.",
    "hidden test points": "The test data, {points}, are hidden.",
    "tests": "Test",
    "tests tip": "Show the test points",
    "decided": "Classes",
    "decided tip": "Show the predicted class of each place alone, without its probability",
    "undefined": "The network's outputs are not finite numbers: there is nothing to draw.",
    "each sample": "each sample",
    "axes tip": "With more than two inputs there is no map of all of them: choose two that vary, the others stay at "
    "their means",
}
"""Texts of the panel."""
CAPTION_TEXTS = {
    "some undefined": "outputs are not all numbers",
    "accuracy": "accuracy {percent:.4g} %",
    "accuracies": "train {percent:.4g} % · test {test:.4g} %",
    "short accuracies": "{percent:.3g} % · test {test:.3g} %",
    "decided right": "{right:,.0f} of {samples} are classified correctly.",
    "test decided right": "Test data: {right:,.0f} of {samples} are classified correctly.",
    "loss": "loss {loss} of all {n}",
    "losses": "loss {loss} · test {test}",
}
"""Forms of the caption: accuracy, or the loss of a regression."""


class AxesChoice(QWidget):
    """Two lists of the inputs, seen where there are more than two.

    Signals:
        chosen(): `columns` is new.
    """

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._names: tuple[str, ...] = ()
        self._suggested: tuple[int, ...] = ()
        self.across, self.up = (NarrowCombo(f"input {name}", TEXTS["axes tip"]) for name in ("across", "up"))
        self.across.activated.connect(self._follow_across)
        self.up.activated.connect(lambda _index: self._keep_apart(self.up, self.across))
        parts = (muted_label("vary"), self.across, 1, self.up, 1)
        add_widgets(QHBoxLayout(self), *parts, margins=(0, 0, 0, 0), spacing=6)
        self.hide()

    @property
    def columns(self) -> tuple[int, ...]:
        """The inputs that vary, from 0: two of them or none."""
        first = self.across.currentIndex() - 1
        return () if first < 0 else (first, max(0, self.up.currentIndex()))

    @property
    def is_suggested(self) -> bool:
        """True when the inputs that vary are the suggested ones."""
        return bool(self.columns) and self.columns == self._suggested

    def offer(self, names: Sequence[str], suggested: tuple[int, ...]) -> None:
        """Offer the inputs of other data; with two of them or one there is nothing to choose.

        Args:
            names: of the inputs.
            suggested: the two inputs that vary until the user chooses others; none with fewer than three inputs.
        """
        if (tuple(names), suggested) == (self._names, self._suggested):
            return
        self._names, self._suggested = tuple(names), suggested
        self.across.clear()
        self.up.clear()
        self.across.addItems([TEXTS["each sample"], *names])
        self.up.addItems(list(names))
        if suggested:
            self.across.setCurrentIndex(suggested[0] + 1)
            self.up.setCurrentIndex(suggested[1])
        self.up.setVisible(bool(suggested))
        self.setVisible(len(names) > 2)

    def _follow_across(self) -> None:
        self.up.setVisible(self.across.currentIndex() > 0)
        self._keep_apart(self.across, self.up)

    def _keep_apart(self, changed: QComboBox, other: QComboBox) -> None:
        """Keep the axes different: the other list gets the next input."""
        first, second = self.columns or (-1, -2)
        if first == second:
            following = (first + 1) % len(self._names)
            other.setCurrentIndex(following + (1 if other is self.across else 0))
        self.chosen.emit()


class BoundaryPanel(Panel):
    """Decision boundary, regression surface or curve; the caption shows the accuracy, or the loss of a regression."""

    figure_tip = (
        "The output of the network around the data at the viewed step: colours over two inputs, with a line where the "
        "decision between classes changes, or a curve over one input. The points are the data: test points "
        "are hollow, or square for regression, and a red ring marks a wrong prediction."
    )
    rest_seconds = full_speed_rest_seconds = 0.025
    depends_on = frozenset({"model", "moment", "neuron", "view"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._data = session.document.data
        self._across: NDArray[Any] = np.empty(0)
        self._up: NDArray[Any] = np.empty(0)
        self._low = self._high = np.zeros(2)
        self._is_grid_wanted = False
        self._samples = samples_of(session.document, session.data)
        self._outputs: NDArray[Any] = np.empty((0, 1))  # of the drawn points
        self._is_blank = False
        self._make_plot()
        self.axes_choice = AxesChoice()
        self.axes_choice.chosen.connect(self._choose_axes)
        self.scale = self.figure_key = ColorScale()
        self.reading = PlaceReading(self.plot, self.data_points)
        self.reading.sample_clicked.connect(lambda row: session.set_view(sample=row, shows="network"))
        self.note = LinesLabel(2)  # a text that grows must not squeeze the plot
        self.note.setProperty("muted", True)
        parts = self.axes_choice, self.drawing.bar, self.plot, 1, self.scale, self.reading, self.note
        add_widgets(QVBoxLayout(self), *parts, margins=(8, 8, 8, 8), spacing=4)
        self.plot.lay_corner(self.decided, self.tests, self.drawing.button)
        self._leave_above()
        self._ask = QTimer(self, singleShot=True, interval=RESIZE_MILLISECONDS)
        self._ask.timeout.connect(self._ask_for_grid)
        self.plot.box.sigResized.connect(lambda _box: self._fit())
        self.plot.box.sigRangeChanged.connect(lambda *_: self._want_grid())
        self._neuron_shown = False
        self._neurons = Job("neuron's output", self)
        self._neurons.delivered.connect(self._show_neuron)
        self._outputs_job = Job("outputs of the drawn points", self)
        self._outputs_job.delivered.connect(self._show_outputs)

    def _make_plot(self) -> None:
        self.plot = Plot("decision boundary")
        self.plot.setMinimumSize(120, 100)
        self.plot.fix_left_width(AXIS_WIDTH)  # a width that follows the ticks would follow its own effect
        self.plot.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        self.image = OutputMap()
        self.curve = pg.PlotDataItem()
        self.boundary = pg.PlotCurveItem(connect="pairs")
        self.level = pg.InfiniteLine(angle=0, movable=False)
        for item in (self.image, self.curve, self.boundary, self.level):
            self.plot.addItem(item)
        self.data_points = DataPoints(self.plot)
        self.outputs = pg.ScatterPlotItem()
        self.plot.addItem(self.outputs)
        self.drawing = Drawing(self.plot, self.session)
        self.decided = tool_button(TEXTS["decided"], TEXTS["decided tip"], padding="1px 8px", checkable=True)
        self.decided.toggled.connect(self._show_decided)
        self.tests = tool_button(TEXTS["tests"], TEXTS["tests tip"], padding="1px 8px", checkable=True)
        self.tests.setChecked(True)
        self.tests.toggled.connect(self._show_tests)
        self.drawing.editing.switched.connect(self._follow_drawing)
        self.drawing.editing.changed.connect(self._follow_blank)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_texts()

    def _show_texts(self) -> None:
        """Show the texts around the plot that the height of the panel has room for."""
        is_lowest = self.height() < text_pixels(LOWEST)
        self.note.setVisible(bool(self.note.text()) and self.height() >= text_pixels(LOW) and not self._is_blank)
        self.reading.setVisible(not self.drawing.on and not is_lowest)
        self.plot.show_names(not is_lowest)

    def _leave_above(self) -> None:
        self.plot.leave_above(self.drawing.button.sizeHint().height() + CORNER_GAP)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.plot.set_colors(colors)
        self._leave_above()
        self._show_texts()
        self.drawing.set_colors(colors)
        self.curve.setPen(pg.mkPen(colors.accent, width=2))
        self.boundary.setPen(pg.mkPen(colors.text, width=1.5))
        self.level.setPen(pg.mkPen(colors.muted, style=Qt.PenStyle.DashLine))
        self.image.set_colors(colors)
        self.outdate()

    def refresh(self, change: Change) -> None:
        if "model" in change:
            self._show_data()
        self._show_moment()

    def figure_data(self) -> Sequence[Column]:
        """Return the places of the map with their outputs, and the points; without a map the outputs of each sample."""
        progress, samples = self.session.shown, self._samples
        if progress is None:
            return []
        if progress.grid is None or progress.grid_bounds is None:
            outputs = self._outputs[: samples.n_train]
            places: list[Column] = [("sample", (samples.train_samples + 1)[: len(outputs)])]
        else:
            left, right, bottom, top = progress.grid_bounds
            across = np.linspace(left, right, progress.grid.shape[0])
            up = np.linspace(bottom, top, progress.grid.shape[0])
            outputs = progress.grid.reshape(-1, samples.targets.values.shape[1])
            names = [samples.raw.feature_names[column] for column in self._columns]
            places = [(names[0], across)]
            if self._is_plane:
                places = [(names[0], np.tile(across, len(up))), (names[1], np.repeat(up, len(across)))]
        several = outputs.shape[1] > 1
        found = [(f"output {i}" if several else "output", column) for i, column in enumerate(outputs.T, start=1)]
        inputs = zip(samples.raw.feature_names, samples.X.T, strict=True)
        points = [(f"point {name}", column) for name, column in inputs]
        return [*places, *found, *points, ("target", samples.targets.numbers)]

    # Drawing

    def _follow_drawing(self) -> None:
        """Update the panel when drawing is switched on or off."""
        self._show_texts()
        self._follow_blank()

    def _follow_blank(self) -> None:
        """Hide the data's points while an empty plot is drawn on."""
        if self._is_blank != self.drawing.editing.is_blank:
            self._show_data()
            self._show_moment()

    def _show_blank(self) -> None:
        """Show the plane without points, to draw on; an empty one where the data have no plane."""
        self._across = self._up = np.empty(0)
        self.data_points.clear()
        if not self._is_plane:
            self.plot.setLabels(bottom="x1", left="x2")
            self.plot.axes["bottom"].whole_numbers = False
            self.plot.getPlotItem().setAspectLocked(True)
            self.plot.fit()
            left, right, bottom, top = fitted_bounds(np.array([-1.0, -1.0]), np.array([1.0, 1.0]), self.plot.aspect)
            self.plot.show_range((left, right), (bottom, top))
            self.plot.keep_view()
        self._show_texts()

    # The data

    @property
    def _n_columns(self) -> int:
        return self.session.data.raw.n_features

    @property
    def _columns(self) -> tuple[int, ...]:
        """Indices of the raw inputs on the axes; empty where each sample has a place of its own."""
        return tuple(range(self._n_columns)) if self._n_columns <= 2 else self.axes_choice.columns

    @property
    def _is_plane(self) -> bool:
        return len(self._columns) == 2

    @property
    def _is_line(self) -> bool:
        return len(self._columns) == 1

    @property
    def _plane(self) -> RawPlane | None:
        """Return the plane of two of many raw inputs, through the means of the training data."""
        if self._n_columns <= 2 or not self._is_plane:
            return None
        first, second = self._columns
        return RawPlane((first, second), tuple(self.session.data.raw_train.X.mean(axis=0).tolist()))

    def _show_data(self) -> None:
        """Show the points of the data, and clear everything computed for other data."""
        session = self.session
        if self.drawing.on and self._across.size:
            self.plot.keep_view()  # it must not move under the pointer
        if self._data != session.document.data:
            self._data = session.document.data
            if not self.drawing.on:
                self.plot.fit()
        self._samples = samples_of(session.document, session.data)
        self._outputs = np.empty((0, 1))
        self._outputs_job.cancel()
        self.reading.forget()
        raw = session.data.raw
        self.axes_choice.offer(raw.feature_names, telling_inputs(raw) if raw.n_features > 2 else ())
        self._show_axes()

    def _choose_axes(self) -> None:
        self.catch_up()  # the data may have changed while the panel could not be seen
        self.plot.fit()
        self._show_axes()
        self._show_moment()

    def _show_decided(self, decided: bool) -> None:
        self.catch_up()
        self.image.is_decided = decided
        self._show_moment()

    def _follow_columns(self) -> None:
        self.session.neurons.is_shown_large = self.is_seen and bool(self._columns)

    def _show_tests(self, shown: bool) -> None:
        self.data_points.set_test_visible(shown)
        self._say_note()

    def _show_axes(self) -> None:
        self._follow_columns()
        samples = self._samples
        self.tests.setVisible(bool(self._columns) and self.session.data.test is not None)
        self.decided.setVisible(self._is_plane and samples.targets.classes is not None)
        self.image.clear()
        self.image.set_samples(samples)
        for item in (self.curve, self.boundary, self.outputs):
            item.setData([], [])
        self.level.setVisible(samples.level is not None and not self._is_plane)
        self.level.setValue(samples.level or 0.0)
        self._is_blank = self.drawing.editing.is_blank
        if self._is_blank:
            self._show_blank()
            return
        names, columns = samples.raw.feature_names, self._columns
        up = names[columns[-1]] if self._is_plane else samples.raw.target_name if columns else "output and target"
        self.plot.setLabels(bottom=names[columns[0]] if columns else "sample", left=up)
        self.plot.axes["bottom"].whole_numbers = not columns
        self._show_points(samples)
        self._show_scale()
        self._say_note()
        self.set_caption(*NO_CAPTION)
        self._fit()

    def _show_scale(self) -> None:
        self.scale.show_scale(self.image.color_scale(self._samples, self.colors, self._is_plane), self.colors)

    def _show_points(self, samples: Samples) -> None:
        columns, numbers, everything = self._columns, samples.targets.numbers, samples.raw.X
        self._across = samples.X[:, columns[0]] if columns else samples.train_samples + 1.0
        up = samples.X[:, columns[1]] if self._is_plane else numbers[: None if columns else samples.n_train]
        self._up = np.asarray(up, dtype=float)
        all_across = everything[:, columns[0]] if columns else np.array([1.0, len(self.session.data.train_rows)])
        all_up = everything[:, columns[1]] if self._is_plane else samples.all_targets.numbers
        self._low = np.array([all_across.min(), all_up.min()])
        self._high = np.array([all_across.max(), all_up.max()])
        extra = 0 if self._is_plane else -2 if self._is_line else 4  # around the mark of the output
        self.data_points.show_samples(samples, self.colors, extra, by_target=self._is_plane)
        self.data_points.place(self._across, self._up)

    def _say_note(self, undefined: bool = False) -> None:
        """Show a note on parts missing in the picture; `undefined`: no output is a finite number."""
        samples = self._samples
        words = [samples.note] if samples.note else []
        if self._n_columns > 2:
            names = [samples.raw.feature_names[column] for column in self._columns]
            if names:
                kind = "telling slice" if self.axes_choice.is_suggested else "slice"
                words.append(TEXTS[kind].format(across=names[0], up=names[1]))
            else:
                words.append(TEXTS["no map"].format(n=self._n_columns))
        if self._columns and (n_test := samples.n_all - self.session.dataset.n_samples):
            kind = "shaded test points" if samples.is_shaded and self._is_plane else "test points"
            kind = kind if self.tests.isChecked() else "hidden test points"
            words.append(TEXTS[kind].format(points=counted(n_test, "point")))
        if undefined:
            words.append(TEXTS["undefined"])
        self.note.setText(" ".join(words))
        self.note.setToolTip(" ".join(words))
        self.plot.setToolTip(literal_tip("\n".join([self.figure_tip, *words])))
        self._show_texts()

    # Requesting the grid

    @property
    def bounds(self) -> Bounds:
        """Visible part of the plane: smallest and largest x, smallest and largest y."""
        (left, right), (bottom, top) = self.plot.box.viewRange()
        return left, right, bottom, top

    def _fit(self) -> None:
        """Set the part of the plane to be shown."""
        if not self._across.size:
            return
        low, high = self._low, self._high
        has_same_units = self._is_plane and are_alike(low, high)
        self.plot.getPlotItem().setAspectLocked(has_same_units)
        if has_same_units:
            left, right, bottom, top = fitted_bounds(low, high, self.plot.aspect)
            self.plot.show_range((left, right), (bottom, top))
        else:
            levels = [] if self._samples.level is None or self._is_plane else self._samples.levels
            across, heights = drawable(np.array([low[0], high[0]])), drawable(np.array([low[1], high[1], *levels]))
            self.plot.show_range(range_around(across, margin=MARGIN), range_around(heights, margin=MARGIN))
        self._want_grid()

    def _want_grid(self) -> None:
        if self._is_grid_wanted and not self._ask.isActive():
            self._ask.start()

    def _ask_for_grid(self) -> None:
        finest = int(np.clip(self._pixels, FEWEST, FINEST))
        self.session.training.runner.set_grid(GridRequest(self.bounds, self._resolution, finest, self._plane))

    @property
    def _pixels(self) -> float:
        """Device pixels along the longer side of the plot."""
        return float(max(self.plot.box.width(), self.plot.box.height()) * self.devicePixelRatioF())

    @property
    def _resolution(self) -> int:
        return int(np.clip(self._pixels / PIXELS_A_POINT, FEWEST, MOST))

    def follow_visibility(self) -> None:
        super().follow_visibility()
        self._follow_columns()
        if self.is_seen != self._is_grid_wanted:
            self._is_grid_wanted = self.is_seen
            if self._is_grid_wanted:
                self._fit()
            else:
                self._ask.stop()
                self.session.training.runner.set_grid(None)

    # Following training

    def update_caption(self) -> None:
        if self.session.shown is not None and not self._neuron_shown:
            self.set_caption(*caption_of(self.session.shown, self.session.data))

    def _show_moment(self) -> None:
        session, samples, progress = self.session, self._samples, self.session.shown
        if progress is None:
            return
        network = snapshot_network(session.document, session.data, progress.snapshot)
        neuron = self._neuron_wanted(network)
        if neuron is None:
            self._neurons.cancel()
            if self._neuron_shown:  # show the network's output again
                self._neuron_shown = False
                self._show_scale()
                self.level.setVisible(self._samples.level is not None and not self._is_plane)
            self.set_caption(*caption_of(progress, session.data))
        if self._is_blank and not self._is_plane:
            return
        self._say_note(not np.isfinite(progress.outputs).any())
        if neuron is not None:
            where = self.bounds, self._resolution, self._plane, self._is_line
            self._neurons.start(neuron, once(lambda: NeuronPlane.of(network, neuron, *where)), patient=True)
        elif progress.grid is not None and progress.grid_bounds is not None and self._columns:
            self._show_grid(progress.grid, progress.grid_bounds)
        if not self._is_blank:
            self.reading.show_moment(network, samples, self._columns, self._plane, neuron)
            self._outputs_job.start(samples, once(lambda: _outputs_and_wrong(network, samples)), patient=True)

    # The output of a neuron

    def _neuron_wanted(self, network: SnapshotNetwork) -> Neuron | None:
        """The neuron that the network drawing points at, where its output can be drawn."""
        neuron, sizes = self.session.neurons.pointed_at, network.shape.layer_sizes
        if neuron is None or not self._columns or self.drawing.on:
            return None
        return neuron if neuron[0] < len(sizes) and neuron[1] < sizes[neuron[0]] else None

    def _show_neuron(self, neuron: Neuron, plane: NeuronPlane) -> None:
        sizes = self.session.document.network.layer_sizes
        if neuron == (len(sizes) - 1, 0) and sizes[-1] == 1 and not self._has_probability:
            plane = replace(plane, levels=self._samples.levels, line_at=self._samples.level)
        if neuron != self.session.neurons.pointed_at or self._is_line != (plane.outputs.ndim == 1):
            return
        if not self._neuron_shown:
            self._neuron_shown = True
            self._ring(np.zeros(self._samples.n_drawn, dtype=bool))
        self.set_caption(*plane.caption(list(self.session.data.train.feature_names)))
        self.scale.show_scale(plane.color_scale(self.colors), self.colors)
        self.level.hide()
        if self._is_line:
            outputs = drawable(plane.outputs)
            self.curve.setData(np.linspace(*plane.bounds[:2], len(outputs)), outputs)
        else:
            self.image.show_numbers(plane.outputs, plane.bounds, plane.shown_levels)
            self.boundary.setData(*decision_line(plane.outputs[..., None], plane.bounds, plane.line_at))

    @property
    def _has_probability(self) -> bool:
        """True when the loss reads the network's output as log odds: the map then shows a probability."""
        return bool(LOSSES[self.session.document.training.loss].probability)

    def _show_grid(self, grid: NDArray[Any], bounds: Bounds) -> None:
        if self._is_line:
            outputs = drawable(grid if grid.ndim == 1 else grid[:, -1])
            self.curve.setData(np.linspace(bounds[0], bounds[1], len(outputs)), outputs)
        else:
            self.image.show_grid(grid, bounds)
            values = grid if grid.ndim == 3 else grid[..., None]
            self.boundary.setData(*decision_line(values, bounds, self._samples.level))

    def _ring(self, wrong: NDArray[np.bool_]) -> None:
        self.data_points.mark(wrong, self.session.document.view.sample)

    def _show_outputs(self, samples: Samples, found: tuple[NDArray[Any], NDArray[np.bool_]]) -> None:
        """Ring the points that are decided wrong; without a map, mark each sample's output."""
        if samples is not self._samples or self._is_blank:
            return
        outputs, wrong = found
        self._outputs = outputs
        self._ring(np.zeros_like(wrong) if self._neuron_shown else wrong)  # it is the network that decides
        if self._columns:
            return
        values = outputs[:, 0] if outputs.shape[1] == 1 else outputs.argmax(axis=1).astype(float)
        shown = drawable(values[: len(self._across)])
        brush = pg.mkBrush(self.colors.text)
        low, high = self.plot.whole[1]
        heights = np.clip(shown, low, high)  # an output beyond the targets stands at the edge
        self.outputs.setData(x=self._across[: len(shown)], y=heights, symbol="+", size=9, pen=None, brush=brush)


def _outputs_and_wrong(network: SnapshotNetwork, samples: Samples) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the network's output at the drawn points, and which of them it classifies wrong."""
    outputs = network.outputs(samples.X)
    return outputs, samples.wrong(outputs)


def caption_of(progress: Progress, data: PreparedData) -> Caption:
    """Return the caption of a moment, accuracy or the loss of a regression, and whole sentences for its tooltip."""
    n_samples, moment = data.train.n_samples, progress.snapshot
    _, tip = readout(progress, n_samples)
    if not np.isfinite(progress.outputs).all():
        return Caption(CAPTION_TEXTS["some undefined"], tip)
    if moment.accuracy is None:
        if moment.loss is None:
            return Caption("", tip)
        loss = reading_text(moment.loss)
        if moment.test_loss is None:
            return Caption(CAPTION_TEXTS["loss"].format(loss=loss, n=count_text(n_samples)), tip)
        test = reading_text(moment.test_loss)
        return Caption(CAPTION_TEXTS["losses"].format(loss=loss, test=test), tip, (f"{loss} · test {test}",))
    right, samples = moment.accuracy * n_samples, counted(n_samples, "sample")
    sentences = [CAPTION_TEXTS["decided right"].format(right=right, samples=samples)]
    percent = {"percent": 100 * moment.accuracy}
    if moment.test_accuracy is None or data.test is None:
        return Caption(CAPTION_TEXTS["accuracy"].format(**percent), "\n".join([*sentences, tip]))
    right, samples = moment.test_accuracy * data.test.n_samples, counted(data.test.n_samples, "sample")
    sentences.append(CAPTION_TEXTS["test decided right"].format(right=right, samples=samples))
    percent["test"] = 100 * moment.test_accuracy
    text, short = (CAPTION_TEXTS[name].format(**percent) for name in ("accuracies", "short accuracies"))
    return Caption(text, "\n".join([*sentences, tip]), (short,))
