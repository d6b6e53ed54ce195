"""The sweep panel: the network trained many times with two settings that vary, and a map of the results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout

from engine.autograd.notation import counted
from engine.csv_text import Column
from engine.document import Document
from engine.experiment.setting_words import differences, setting_title, value_text
from engine.sweeps.sweep import FIGURES as SWEEP_FIGURES
from engine.sweeps.sweep import Row, seconds_for, sweep, trained_alone
from engine.sweeps.table import Cell, cells_of, in_order
from engine.sweeps.workers import SweepWorkers, default_count
from gui.background import Job
from gui.number_texts import reading_text
from gui.panels.comparisons.sweep_settings import SweepPlan, SweepSettings
from gui.panels.panel import Panel
from gui.plots.cell_map import CellMap, Place
from gui.plots.color_scale import ColorScale, Entry, Scale
from gui.plots.plot import brightness_table
from gui.session import Change, Session
from gui.session.training_edits import open_moment
from gui.theme import Colors, mono_font, text_on
from gui.widgets.buttons import push_button, set_words
from gui.widgets.choices import Segments
from gui.widgets.labels import ElidedLabel, LinesLabel
from gui.widgets.layouts import add_widgets

TEXTS = {
    "start": "▶ Sweep",
    "cancel": "❚❚ Cancel",
    "start tip": "Train every pair of settings from its first weights, in separate processes: the window stays usable",
    "figure tip": "Colours and numbers show the median {name} over the seeds after the last step",
    "first": "Two settings vary; all others are the present ones. Each cell will show the final loss of all training "
    "data, without penalties. Click a cell to open its run.",
    "reading": "{first}, {second}: train loss {loss}, median of {seeds} ({low} to {high}){others}. "
    "Click to open this run.",
    "all of it diverged": "{first}, {second}: {diverged} of {seeds} diverged. Click to open one of them.",
    "some of it diverged": "{first}, {second}: train loss {loss}, median of {seeds}, of which {diverged} diverged"
    "{others}. Click to open this run.",
    "accuracy": ", train accuracy {percent:.4g} %",
    "test loss": ", test loss {loss}",
    "test accuracy": ", test accuracy {percent:.4g} %",
    "best test": " The lowest median test loss is {loss}, with {first} and {second}.",
    "no test": "There are no test data: set a share of them in the Data panel",
    "running": "{done} of {runs}",
    "done": "The lowest median training loss is {loss}, with {first} and {second}.",
    "cancelled": "Cancelled: {done} of {runs} are shown.",
    "all diverged": "Every run diverged: try smaller learning rates.",
    "failed": "The sweep ended: {reason}",
    "opening": "{first}, {second}: training this run again to open it …",
    "not opened": "The run was not opened: {reason}",
    "diverged at": "This run diverged at step {step:,}: its last good weights are opened.",
    "label": "open {first}, {second} of the sweep",
    "old": "of earlier settings",
    "old tip": "The map is of a sweep with other settings: {list}. Sweep again to compare with the present ones.",
    "difference": "{name} {first} instead of {second}",
}
"""Texts of the panel, except those on typed entries."""
VARIED_BY = {"width": ("layer_sizes",), "depth": ("layer_sizes", "activations"), "activation": ("activations",)}
"""Fields of a document that other names of a sweep vary."""
WEIGHTS_SEED = "network.seed"
FIGURE_TITLES = {
    "train_loss": "Train loss",
    "test_loss": "Test loss",
    "train_accuracy": "Train acc.",
    "test_accuracy": "Test acc.",
}
FIGURES = tuple(FIGURE_TITLES)
"""Figures that the map can show, attributes of a Cell."""
ESTIMATE_MILLISECONDS, PROGRESS_MILLISECONDS = 300, 100
START_SECONDS = 1.5
"""Estimated time until the processes of a sweep have started."""
RATIO_FOR_LOGARITHMS = 20.0
FAR_OFF = 1e6
"""Times the median: a loss above that is of a run on its way to diverge, and does not stretch the colours."""
LEAST_ROOM = 46.0, 14.0
"""Pixels across and up that a cell needs to have its number upon it."""
MAP_TEXTS = {
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
"""Texts of the map and of its colour scale."""


class Sweeping(QObject):
    """Run one sweep at a time in separate processes, while the window and its training go on.

    Attributes:
        rows: those of the sweep that was started last, in the order in which they came.

    Signals:
        changed(): there are more rows, or the sweep has ended.
        failed(str): why it could not be done.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: tuple[Row, ...] = ()
        self._workers: SweepWorkers | None = None
        self._wanted_steps = 1
        self._job = Job("sweep", self)
        self._job.delivered.connect(self._take)
        self._job.failed.connect(lambda _token, error: self.failed.emit(str(error)))
        self._job.ended.connect(self.changed)

    @property
    def busy(self) -> bool:
        """True while rows are still to come."""
        return self._job.busy

    @property
    def share(self) -> float:
        """Fraction of the training done, 0 to 1."""
        return 0.0 if self._workers is None else min(1.0, self._workers.steps / self._wanted_steps)

    def start(self, document: Document, vary: Mapping[str, Sequence[Any]], seeds: int, steps: int, n_runs: int) -> None:
        """Start a sweep, see `engine.sweeps.sweep`; a running one is cancelled."""
        self.cancel()
        self.rows, self._wanted_steps = (), max(1, n_runs * steps)
        self._workers = workers = SweepWorkers()

        def work(cancelled: Callable[[], bool]) -> Iterator[tuple[Row, ...]]:
            rows: list[Row] = []
            try:
                for row in sweep(document, vary, seeds, steps, workers.executor, cancelled, 2 * workers.count):
                    rows.append(row)
                    yield tuple(rows)
            finally:
                workers.close()

        self._job.start(None, work)
        self.changed.emit()

    def _take(self, _token: object, rows: tuple[Row, ...]) -> None:
        self.rows = rows
        self.changed.emit()

    def cancel(self) -> None:
        """Cancel the running sweep; the rows that have arrived stay."""
        if self._workers is not None:
            self._job.cancel()
            self._workers.stop()
            self._workers = None

    def stop(self) -> None:
        """Cancel for good."""
        self.cancel()
        self._job.stop()


class SweepMap(CellMap):
    """Map of a sweep: a cell for each pair of settings, coloured by the median loss or accuracy of its seeds.

    Attributes:
        scale: the meaning of the colours.
    """

    def __init__(self) -> None:
        super().__init__("map of the sweep")
        self.scale = Scale()
        self.fix_left_width(78)
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
            cells: the finished ones; the others stay empty.
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
        self._write_numbers(cells, heights, pixels, accuracy)

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
        texts[1] += MAP_TEXTS["more"] if is_cut else ""
        words = MAP_TEXTS["accuracy scale" if accuracy else "loss scale"]
        scale = MAP_TEXTS["logarithmic"] if logarithmic else ""
        tip = words.format(name=figure.replace("_", " "), low=texts[0], high=texts[1], scale=scale)
        texts[1] += MAP_TEXTS["log"] if logarithmic else ""
        texts[int(accuracy)] = MAP_TEXTS["best"].format(number=texts[int(accuracy)])
        return Scale(tuple(map(Entry, texts)), brightness_table(), "", tip)

    def _write_numbers(
        self, cells: Mapping[Place, Cell], heights: NDArray[Any], pixels: NDArray[np.ubyte], accuracy: bool
    ) -> None:
        """Write the number of each cell on it, where there is room."""
        (width, height), texts = self.room(), dict[Place, tuple[str, str]]()
        for (column, row), cell in cells.items() if width >= LEAST_ROOM[0] and height >= LEAST_ROOM[1] else ():
            figure, words = heights[row, column], ""
            if math.isfinite(figure):
                words = f"{100 * figure:.3g} %" if accuracy else reading_text(figure)
            elif not cell.is_finite:
                words = MAP_TEXTS["diverged"] if width > 70 else "×"
            if words:
                texts[column, row] = words, text_on(QColor(*pixels[row, column]))
        self.write(texts, mono_font(11))


class SweepPanel(Panel):
    """Two settings with their values, the map, and a line that reads the cell under the pointer.

    Attributes:
        settings: the two settings with their values.
        plot: the map.
        sweeping: runs the sweep in processes.
        drawn: the sweep that the map shows; None before the first.
        cells: its finished cells.
    """

    figure_tip = (
        "Each cell is the network trained with its two settings, from several seeds. Look for low losses, and for "
        "wide regions of them: a single good cell may be luck. Click a cell to open one of its runs."
    )

    depends_on = frozenset({"data", "network", "training"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.drawn: SweepPlan | None = None
        self.cells: dict[Place, Cell] = {}
        self.settings, self.sweeping = SweepSettings(), Sweeping(self)
        self._estimate, self._opening = Job("time of a sweep", self), Job("run of a sweep", self)
        self.plot = SweepMap()
        self.scale = self.figure_key = ColorScale()
        self.words, self.reading = ElidedLabel(whole=True), LinesLabel(2)
        self.button = push_button(TEXTS["start"], TEXTS["start tip"], self.start_or_cancel)
        self.figure = Segments(
            (title, TEXTS["figure tip"].format(name=name.replace("_", " "))) for name, title in FIGURE_TITLES.items()
        )
        self.progress = QProgressBar(textVisible=False)
        self._later = QTimer(self, singleShot=True, interval=ESTIMATE_MILLISECONDS)
        self._poll = QTimer(self, interval=PROGRESS_MILLISECONDS)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.reading.setText(TEXTS["first"])
        self.words.setProperty("muted", True)
        self.progress.setRange(0, 1000)
        self.progress.setFixedHeight(6)
        self.progress.hide()
        add_widgets(self.settings.numbers, self.words, 1, self.button, spacing=6)
        self.figure.setStyleSheet("QToolButton { padding: 3px 1px; }")
        figures = add_widgets(QHBoxLayout(), self.figure, spacing=8)
        parts = (self.settings, self.progress, self.plot, 1, self.scale, figures, self.reading)
        add_widgets(QVBoxLayout(self), *parts, margins=(10, 8, 10, 8), spacing=5)

    def _connect(self) -> None:
        self.settings.changed.connect(self._check)
        self.figure.clicked.connect(lambda _index: self._draw())
        self.plot.hovered.connect(self._read)
        self.plot.clicked.connect(self.open_cell)
        self._later.timeout.connect(self._ask_for_time)
        self._poll.timeout.connect(lambda: self.progress.setValue(round(1000 * self.sweeping.share)))
        self._estimate.delivered.connect(self._say_time)
        self._opening.delivered.connect(self._open)
        self._opening.failed.connect(lambda _asked, error: self._say("not opened", reason=error))
        self.sweeping.changed.connect(self._show)
        self.sweeping.failed.connect(lambda reason: self._say("failed", reason=reason))

    def _say(self, name: str, **words: object) -> None:
        self.reading.setText(TEXTS[name].format(**words))

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.plot.set_colors(colors)
        self._draw()

    def refresh(self, change: Change) -> None:
        self._check()

    # The plan

    def _check(self) -> None:
        """Check the entries, and show the plan; the estimated duration follows."""
        self._estimate.cancel()
        self.settings.check(self.session.document)
        plan = self.settings.plan
        self._show_plan(plan, None)
        if self.drawn is None:
            self._draw()
        self._say_age()
        self.button.setEnabled(plan is not None or self.sweeping.busy)
        self._later.start()

    def _ask_for_time(self) -> None:
        plan, workers = self.settings.plan, default_count()
        if plan is None or self.sweeping.busy or not self.is_seen:
            return
        self._estimate.start(plan, lambda cancelled: iter([seconds_for(plan.runs, plan.steps, workers, cancelled)]))

    def _say_time(self, plan: SweepPlan, seconds: float) -> None:
        if plan is self.settings.plan:
            self._show_plan(plan, START_SECONDS + seconds)

    def _show_plan(self, plan: SweepPlan | None, seconds: float | None) -> None:
        texts = ("",) if plan is None else plan.texts(seconds)
        self.words.set_texts(*texts)
        self.words.setToolTip(texts[0])
        self.button.setToolTip(f"{TEXTS['start tip']}\n{texts[0]}".strip())

    # Running

    def start_or_cancel(self) -> None:
        """Start the planned sweep, or cancel the running one."""
        if self.sweeping.busy:
            self.sweeping.cancel()
            done, runs = len(self.sweeping.rows), counted(len(self.drawn.runs) if self.drawn else 0, "run")
            self._say("cancelled", done=done, runs=runs)
            self._show()
        elif (plan := self.settings.plan) is not None:
            self._estimate.cancel()
            self.drawn = plan
            self.plot.mark(None)
            self._say("first")
            self.sweeping.start(plan.document, plan.vary, plan.seeds, plan.steps, len(plan.runs))
            self._poll.start()

    def _show(self) -> None:
        """Draw the finished cells, and show the progress."""
        busy, rows, plan = self.sweeping.busy, self.sweeping.rows, self.drawn
        set_words(self.button, TEXTS["cancel" if busy else "start"])
        self.button.setEnabled(busy or self.settings.plan is not None)
        self.progress.setVisible(busy)
        self.cells = {} if plan is None else cells_of(rows, plan.vary)
        self._draw()
        if plan is not None and busy:
            self.set_caption(TEXTS["running"].format(done=len(rows), runs=counted(len(plan.runs), "run")))
            return
        self._poll.stop()
        self._say_age()
        if plan is not None and len(rows) == len(plan.runs):
            self._say_best()

    def _say_age(self) -> None:
        """Show in the caption when the map belongs to other settings than the present ones, apart from the varied."""
        plan = self.drawn
        if plan is None or self.sweeping.busy:
            return
        varied = {*plan.vary, *(name for shape in plan.vary for name in VARIED_BY.get(shape, ()))}
        others = differences(plan.document, self.session.document)
        old = [each for each in others if each.path.rpartition(".")[2] not in varied and each.path != WEIGHTS_SEED]
        if old:
            parts = [TEXTS["difference"].format(name=each.name, first=each.first, second=each.second) for each in old]
            self.set_caption(TEXTS["old"], TEXTS["old tip"].format(list="; ".join(parts)))
        else:
            self.set_caption("")

    def _say_best(self) -> None:
        place = min(self.cells, key=lambda each: self.cells[each].train_loss)
        first, second = self._settings_at(place)
        name = "done" if self.cells[place].is_finite else "all diverged"
        text = TEXTS[name].format(loss=reading_text(self.cells[place].train_loss), first=first, second=second)
        tested = {place: cell.test_loss for place, cell in self.cells.items() if cell.test_loss is not None}
        if tested:
            best, loss = min(tested.items(), key=lambda item: item[1])
            first, second = self._settings_at(best)
            text += TEXTS["best test"].format(loss=reading_text(loss), first=first, second=second)
        self.reading.setText(text)

    def _draw(self) -> None:
        """Draw the finished cells, or the planned ones, empty."""
        plan = self.drawn or self.settings.plan
        if plan is None:
            return
        (across, columns), (up, rows) = plan.vary.items()
        names = setting_title(across), setting_title(up)
        texts = [value_text(across, value) for value in columns], [value_text(up, value) for value in rows]
        has_test = any(cell.test_loss is not None for cell in self.cells.values()) or not self.cells
        for name, button in zip(FIGURES, self.figure.buttons, strict=True):
            is_possible = has_test or not name.startswith("test")
            button.setEnabled(is_possible)
            described = TEXTS["figure tip"].format(name=name.replace("_", " "))
            button.setToolTip(described if is_possible else TEXTS["no test"])
        if not self.figure.buttons[self.figure.chosen].isEnabled():
            self.figure.choose(0)
        self.plot.show_sweep(names, texts, self.cells, FIGURES[self.figure.chosen])
        self.scale.show_scale(self.plot.scale, self.colors)

    def choose_figure(self, name: str) -> None:
        """Draw one of FIGURES."""
        self.figure.choose(FIGURES.index(name))
        self._draw()

    # Readout

    def _settings_at(self, place: Place) -> tuple[str, str]:
        """Return both settings of a cell with their values."""
        assert self.drawn is not None
        first, second = (
            f"{setting_title(name)} {value_text(name, values[index])}"
            for (name, values), index in zip(self.drawn.vary.items(), place, strict=True)
        )
        return first, second

    def _read(self, place: Place | None) -> None:
        if place is None or place not in self.cells:
            return
        cell, (first, second) = self.cells[place], self._settings_at(place)
        others = ""
        if cell.train_accuracy is not None:
            others += TEXTS["accuracy"].format(percent=100 * cell.train_accuracy)
        if cell.test_loss is not None:
            others += TEXTS["test loss"].format(loss=reading_text(cell.test_loss))
        if cell.test_accuracy is not None:
            others += TEXTS["test accuracy"].format(percent=100 * cell.test_accuracy)
        low, high, loss = (reading_text(number) for number in (cell.low, cell.high, cell.train_loss))
        name = "some of it diverged" if cell.diverged else "reading"
        name = name if cell.is_finite else "all of it diverged"
        figures = {"loss": loss, "low": low, "high": high, "diverged": cell.diverged, "others": others}
        self._say(name, first=first, second=second, seeds=counted(cell.count, "seed"), **figures)

    def figure_data(self) -> Sequence[Column]:
        if self.drawn is None:
            return []
        names = [*self.drawn.vary, "seed", *SWEEP_FIGURES, "diverged_at"]
        rows = in_order(self.sweeping.rows, self.drawn.vary)
        return [(name, [row[name] for row in rows]) for name in names]

    @property
    def has_figure(self) -> bool:
        return bool(self.cells)

    # Opening a run

    def open_cell(self, place: Place) -> None:
        """Open the run whose loss a cell shows: trained to its end once more, in a thread, with its curve."""
        plan, cell = self.drawn, self.cells[place]
        assert plan is not None
        wanted = {name: values[index] for (name, values), index in zip(plan.vary.items(), place, strict=True)}
        wanted["seed"] = cell.seed
        run = next(run for run in plan.runs if run.settings == wanted)
        first, second = self._settings_at(place)
        self.plot.mark(place)
        self._say("opening", first=first, second=second)
        asked = plan, place, TEXTS["label"].format(first=first, second=second)
        self._opening.start(asked, lambda cancelled: iter([trained_alone(run, plan.steps, cancelled)]))

    def _open(self, asked: tuple[SweepPlan, Place, str], trained: tuple[Document, int | None]) -> None:
        (plan, place, label), (document, diverged_at) = asked, trained
        if open_moment(self.session, document, label):
            if plan is self.drawn:  # else another sweep has begun meanwhile
                self._read(place)
            if diverged_at is not None:
                self.session.message_posted.emit(TEXTS["diverged at"].format(step=diverged_at), "note")

    def stop(self) -> None:
        """End the sweep and its processes."""
        self.sweeping.stop()
        super().stop()
