"""The loss surface: a slice through the loss in the space of all weights, with the way that training has taken over it.

The slice is made on request at the viewed step, along the two directions in which the run has moved
most, along random ones, or over two parameters, where a point can be checked by hand. It is computed in a thread, piece
by piece; steps viewed afterwards are marked on it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, wait
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QStringListModel, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QHBoxLayout, QProgressBar, QVBoxLayout

from engine.csv_text import Column
from engine.document import Document
from engine.experiment.assemble import network_shape
from engine.experiment.loss_picture import LossPicture, PlaneChoice, loss_pictures
from engine.experiment.snapshot_network import SnapshotNetwork, snapshot_network
from engine.graph.drawn_scale import FLOORS
from engine.network import Penalty, SettingError
from engine.network.run.history import RunPath
from engine.network.run.progress import RunState
from gui.background import Job
from gui.number_texts import reading_text, tick_text
from gui.panels.panel import Panel
from gui.plots.color_scale import ColorScale, Entry, Scale
from gui.plots.plane import rect_of_cells
from gui.plots.plot import Plot, Pointer, brightness_table
from gui.session import Change, Session
from gui.theme import Colors, text_pixels
from gui.widgets.buttons import push_button
from gui.widgets.choices import NarrowCombo
from gui.widgets.labels import LinesLabel, muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.number_entry import NumberEntry

KINDS = {
    "path": "along the path",
    "random": "random directions",
    "parameters": "two parameters",
}
"""Names of the kinds of planes."""
SENTENCES = {
    "path": "The two directions in which the run has moved most (principal components of its path), in lengths of the "
    "vector of all parameters",
    "random": "Two random directions, each neuron's part as long as its own weights and bias (Li et al. 2018): "
    "1 is as far as they are from 0",
    "parameters": "Two parameters change, all others stay fixed: set the same two numbers in the network, and it has "
    "the loss that is drawn",
    "span": "Extent of the slice: for two parameters, to either side of their values; for random directions, in "
    "lengths of each neuron's weights; for the path, in sizes of the path",
    "parameter": "A weight or bias of the network, such as L1N2.w1 or L1N2.b",
    "again": "Compute the slice at the step that is viewed",
    "other": "Other random directions",
    "cancel": "Cancel, and keep the present slice",
    "no path": "Too little of the run is known for two directions, so these are random ones. Slice at step {step:,}: "
    "{what} {loss} there.",
    "loss": "loss",
    "with penalty": "loss plus penalty",
    "failed": "The slice could not be computed: {reason}.",
    "place": "{first} {a}, {second} {b}: loss {loss}",
    "centre": "Slice at step {step:,}: {what} {loss} there. Other steps of the run lie off the slice and are drawn at "
    "the nearest point on it.",
    "centre of parameters": "Slice at step {step:,}: {what} {loss} there. Other steps differ in the remaining "
    "parameters, too.",
    "scale": "The quantity that the optimizer minimises, training loss plus penalties, from {low} (dark) "
    "to {high} (bright){how}; the lines join "
    "places of equal loss: {levels}.",
    "low": "low",
    "logarithmic": ", by its logarithm",
    "linear": "",
    "caption": "at step {step:,}",
}
"""Texts of the panel."""
NARROW = 330
"""Pixels across in which the first row has no room."""
MOST_MOMENTS = 400
"""Largest number of moments of the run drawn as its path."""
PATH_SECONDS, PATIENCE_SECONDS, GLANCE_SECONDS = 1.5, 5.0, 0.02
"""Limits in seconds: for computing the path, for the training thread to provide it, and between two checks for it."""


class LossSurfacePanel(Panel):
    """Choices of the plane, and the plot of the loss on it.

    Attributes:
        picture: the drawn slice; None before the first one.
    """

    figure_tip = (
        "The loss along two directions in the space of all weights and biases, through the step at which it was "
        "computed. Dark is low. The white line is the path of the run, projected onto this slice: the square "
        "is its first kept step, the dot the viewed step."
    )
    rest_seconds = 0.1
    depends_on = frozenset({"model", "moment", "run", "training"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.picture: LossPicture | None = None
        self._computed_for: object = None
        self._seed = 0
        self._path_since = np.empty((0, 2))  # the picture was computed
        self._job = Job("loss surface", self)
        self._job.delivered.connect(lambda _token, picture: self._take(picture))
        self._job.failed.connect(lambda _token, error: self._say(SENTENCES["failed"].format(reason=error)))
        self._job.ended.connect(self._show_busy)
        self._make_plot()
        self._make_choices()
        self._lay_out()
        self._show_choices()

    def _make_plot(self) -> None:
        self.plot = Plot("loss surface")
        self.plot.setMinimumSize(120, 50)
        self.image = pg.ImageItem(axisOrder="row-major")
        self.image.setLookupTable(brightness_table())
        self.levels = pg.PlotCurveItem(connect="pairs")
        self.shadow, self.path = pg.PlotCurveItem(), pg.PlotCurveItem()
        self.start, self.here = pg.ScatterPlotItem(), pg.ScatterPlotItem()
        for item in (self.image, self.levels, self.shadow, self.path, self.start, self.here):
            self.plot.addItem(item)
        self.pointer = Pointer(self.plot)
        self.pointer.moved.connect(self._read)
        self.pointer.left.connect(self._say_centre)
        self.scale = self.figure_key = ColorScale()
        self.note = LinesLabel(2)
        self.note.setProperty("muted", True)

    def _make_choices(self) -> None:
        self.kind = NarrowCombo("slice of the loss", "", 5)
        for kind, title in KINDS.items():
            self.kind.addItem(title, kind)
            self.kind.setItemData(self.kind.count() - 1, SENTENCES[kind], Qt.ItemDataRole.ToolTipRole)
        self.kind.activated.connect(lambda _index: self._choose())
        self._names = QStringListModel(self)
        self.parameters = [self._make_parameter(place, name) for place, name in enumerate(("across", "up"))]
        self._pair = [0, 1]
        self.span = NumberEntry("span of the slice", 1.0, SENTENCES["span"], width=60)
        self.span.number_changed.connect(lambda _span: self.compute())
        self.other = push_button("Other directions", SENTENCES["other"], self._draw_other)
        self.button = push_button("Compute", do=self._compute_or_cancel)
        self.progress = QProgressBar(textVisible=False)
        self.progress.setFixedHeight(4)
        policy = self.progress.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # nothing moves when a job begins or ends
        self.progress.setSizePolicy(policy)
        self.progress.setAccessibleName("progress of the slice")

    def _make_parameter(self, place: int, name: str) -> QComboBox:
        box = NarrowCombo(f"parameter {name}", SENTENCES["parameter"], 5)
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.setModel(self._names)
        box.activated.connect(lambda _index: self._choose_parameter(place))
        return box

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < text_pixels(NARROW)
        self._first.setDirection(QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight)

    def _lay_out(self) -> None:
        how = add_widgets(QHBoxLayout(), muted_label("span"), self.span, self.button, spacing=6)
        self._first = add_widgets(QHBoxLayout(), self.kind, 1, how, spacing=6)
        second = add_widgets(QHBoxLayout(), self.parameters[0], 1, self.parameters[1], 1, self.other, 1, spacing=6)
        parts = (self._first, second, self.progress, self.plot, 1, self.scale, self.note)
        add_widgets(QVBoxLayout(self), *parts, margins=(8, 6, 8, 8), spacing=4)
        self.plot.lay_corner()

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.plot.set_colors(colors)
        self.levels.setPen(pg.mkPen(255, 255, 255, 90))
        self.shadow.setPen(pg.mkPen("#000000", width=4))
        self.path.setPen(pg.mkPen("#FFFFFF", width=2))
        self.outdate()

    # Choices

    @property
    def choice(self) -> PlaneChoice:
        """The plane that the controls ask for; raises SettingError for a span that is refused."""
        first, second = (max(0, box.currentIndex()) for box in self.parameters)
        return PlaneChoice(self.kind.currentData(), self._seed, (first, second), abs(self.span.number) or 1.0)

    def _choose(self) -> None:
        self._show_choices()
        self.compute()

    def _choose_parameter(self, place: int) -> None:
        """Swap the axes when the parameter of the other axis is chosen."""
        box, other = self.parameters[place], self.parameters[1 - place]
        if box.currentIndex() == other.currentIndex():
            other.setCurrentIndex(self._pair[place])
        self._pair = [each.currentIndex() for each in self.parameters]
        self.compute()

    def _compute_or_cancel(self) -> None:
        if self._job.busy:
            self._job.cancel()
            self._show_busy()
        else:
            self.compute()

    def _draw_other(self) -> None:
        self._seed += 1
        self.compute()

    def _show_choices(self) -> None:
        kind = self.kind.currentData()
        self.kind.setToolTip(SENTENCES[kind])
        self.other.setVisible(kind == "random")
        for box in self.parameters:
            box.setVisible(kind == "parameters")

    # Following the session

    def refresh(self, change: Change) -> None:
        if "model" in change or self._names.rowCount() == 0:
            self._forget()
        session = self.session
        if session.shown is None:
            return
        rests = session.run_state not in (RunState.RUNNING, RunState.STOPPING) and session.shown is session.newest
        if self._computed_for is None or (rests and self._computed_for != self._moment):
            self.compute()
        self._mark()

    @property
    def _moment(self) -> object:
        """Key of everything that the loss at the viewed step depends on."""
        shown = self.session.shown
        return None if shown is None else (shown.run, shown.snapshot.step, shown.snapshot.settings)

    def _forget(self) -> None:
        """Discard everything computed for another network or other data."""
        self._job.cancel()
        self._computed_for, self.picture = None, None
        chosen = [max(0, box.currentIndex()) for box in self.parameters]
        self._names.setStringList(list(network_shape(self.session.document.network).parameter_names()))
        for box, index, default in zip(self.parameters, chosen, (0, 1), strict=True):
            box.setCurrentIndex(index if index < self._names.rowCount() and any(chosen) else default)
        first, second = self.parameters
        if first.currentIndex() == second.currentIndex():
            second.setCurrentIndex(int(first.currentIndex() == 0))
        self._pair = [first.currentIndex(), second.currentIndex()]
        self.image.clear()
        for item in (self.levels, self.shadow, self.path, self.start, self.here):
            item.setData([], [])
        self.plot.fit()

    def compute(self) -> None:
        """Compute the slice at the viewed step with the present choices; drops a computation under way."""
        self.catch_up()  # the parameters to choose from are those of the present network
        if self._names.rowCount() == 0:
            self._forget()  # something was chosen before the first report
        session = self.session
        if session.shown is None:
            return
        try:
            choice = self.choice
        except SettingError as error:
            self._job.cancel()
            self._show_busy()
            self._say(SENTENCES["failed"].format(reason=error))
            return
        self._computed_for = self._moment
        document, snapshot = session.document, session.shown.snapshot
        network, penalty = snapshot_network(document, session.data, snapshot), snapshot.settings.penalty
        path = session.training.runner.path()
        self._job.start(choice, lambda cancelled: _pictures(document, network, penalty, path, choice, cancelled))
        self._show_busy()

    def _show_busy(self) -> None:
        busy = self._job.busy
        self.button.setText("Cancel" if busy else "Compute")
        self.button.setToolTip(SENTENCES["cancel" if busy else "again"])
        self.progress.setVisible(busy)
        if not busy:
            self.progress.setValue(0)

    # Drawing

    def _take(self, picture: LossPicture) -> None:
        is_other = self.picture is None or self.picture.choice != picture.choice
        self.picture, self._path_since = picture, np.empty((0, 2))
        self.progress.setValue(round(100 * picture.surface.share))
        self.set_caption(SENTENCES["caption"].format(step=picture.step))
        if is_other:
            self.plot.fit()
        self._draw(picture)
        self._mark()
        self._say_centre()

    def _say(self, sentence: str) -> None:
        self.note.setText(sentence)
        self.note.setToolTip(sentence)

    def _say_centre(self) -> None:
        if (picture := self.picture) is None:
            return
        kind = "centre of parameters" if picture.choice.kind == "parameters" else "centre"
        kind = "no path" if picture.choice.kind != self.kind.currentData() == "path" else kind
        snapshot = None if self.session.shown is None else self.session.shown.snapshot
        what = SENTENCES["with penalty" if snapshot is not None and snapshot.penalty else "loss"]
        self._say(SENTENCES[kind].format(step=picture.step, what=what, loss=reading_text(picture.centre_loss)))

    def _draw(self, picture: LossPicture) -> None:
        surface = picture.surface
        heights, low, high = _heights(picture)
        self.image.setImage(heights, levels=(low, high) if high - low > FLOORS["loss"] else (low - 1.0, low + 1.0))
        rect = rect_of_cells((*surface.a[[0, -1]], *surface.b[[0, -1]]), heights.shape)
        self.image.setRect(rect)
        self.levels.setData(*picture.lines)
        first, second = surface.plane.names
        self.plot.setLabels(bottom=first, left=second)
        self.plot.show_range((rect.left(), rect.right()), (rect.top(), rect.bottom()))
        self.scale.show_scale(self._scale_of(picture), self.colors)

    def _scale_of(self, picture: LossPicture) -> Scale:
        finite = picture.surface.losses[np.isfinite(picture.surface.losses)]
        if not len(finite):
            return Scale()
        low, high = reading_text(finite.min()), reading_text(finite.max())
        how = SENTENCES["logarithmic" if picture.logarithmic else "linear"]
        levels = ", ".join(tick_text(level, 3) for level in picture.levels)
        middle = picture.levels[len(picture.levels) // 2] if picture.levels else None
        tip = SENTENCES["scale"].format(low=low, high=high, how=how, levels=levels)
        ends = Entry(f"{low} {SENTENCES['low']}"), Entry(high)
        return Scale(ends, brightness_table(), "" if middle is None else tick_text(middle, 2), tip)

    def _mark(self) -> None:
        """Draw the path up to now, and the viewed step."""
        picture, shown = self.picture, self.session.shown
        if picture is None or shown is None:
            return
        plane = picture.surface.plane
        if len(shown.snapshot.parameters) != len(plane.centre):
            return
        place = plane.coordinates(shown.snapshot.parameters)
        if len(picture.path_steps) and shown.snapshot.step > picture.path_steps[-1] and shown is self.session.newest:
            self._path_since = np.concatenate([self._path_since[-MOST_MOMENTS:], place])
        path = np.concatenate([picture.path, self._path_since])
        for curve in (self.shadow, self.path):
            curve.setData(*path.T)
        self.start.setData(path[:1, 0], path[:1, 1], symbol="s", size=9, brush="#FFFFFF", pen=pg.mkPen("#000000"))
        self.here.setData(*place.T, symbol="o", size=13, brush=self.colors.accent, pen=pg.mkPen("#FFFFFF", width=2))

    def _read(self, place: QPointF) -> None:
        """Show the loss at the grid point nearest to the pointer."""
        if (picture := self.picture) is None:
            return
        surface = picture.surface
        column, row = (int(np.abs(axis - at).argmin()) for axis, at in ((surface.a, place.x()), (surface.b, place.y())))
        first, second = surface.plane.names
        a, b, loss = (
            reading_text(number) for number in (surface.a[column], surface.b[row], surface.losses[row, column])
        )
        self._say(SENTENCES["place"].format(first=first, second=second, a=a, b=b, loss=loss))

    def figure_data(self) -> Sequence[Column]:
        if (picture := self.picture) is None:
            return []
        surface, (first, second) = picture.surface, picture.surface.plane.names
        grid = [(first, np.tile(surface.a, len(surface.b))), (second, np.repeat(surface.b, len(surface.a)))]
        path = [
            ("step", picture.path_steps),
            (f"path {first}", picture.path[:, 0]),
            (f"path {second}", picture.path[:, 1]),
        ]
        return [*grid, ("loss", surface.losses.ravel()), *path]


def _pictures(
    document: Document,
    network: SnapshotNetwork,
    penalty: Penalty,
    asked: Future[RunPath | None],
    choice: PlaneChoice,
    cancelled: Callable[[], bool],
) -> Iterator[LossPicture]:
    """Compute the picture in a worker thread; without a path if the training thread is too busy to provide it."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not asked.done() and not cancelled() and time.monotonic() < deadline:
        wait([asked], GLANCE_SECONDS)
    path = asked.result() if asked.done() else None
    moments = [] if path is None else path.snapshots(MOST_MOMENTS, PATH_SECONDS, cancelled)
    yield from loss_pictures(document, network, penalty, moments, choice)


def _heights(picture: LossPicture) -> tuple[NDArray[Any], float, float]:
    """Return numbers to colour the grid by, their lowest and highest; nan and inf count as the highest."""
    losses = picture.surface.losses
    with np.errstate(all="ignore"):
        heights = np.log(losses) if picture.logarithmic else losses
    finite = heights[np.isfinite(heights)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    return np.where(np.isfinite(heights), heights, high), low, high
