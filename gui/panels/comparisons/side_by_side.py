"""Two runs side by side: the same start, one setting apart, trained together step by step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from PySide6.QtCore import QSignalBlocker, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLineEdit, QVBoxLayout

from engine.csv_text import Column
from engine.document.errors import sentence_of
from engine.experiment.assemble import trained_at
from engine.experiment.setting_words import setting_title
from engine.network.run.lockstep import Lockstep
from engine.sweeps.comparison import (
    PRESETS,
    ZERO_GRAD,
    Side,
    comparable_settings,
    have_same_start,
    side,
    trainers_of,
)
from gui.background import Job
from gui.panels.comparisons.pair_picture import PairPicture, Shown
from gui.panels.panel import Panel
from gui.plots.boundary_figure import BoundaryFigure
from gui.session import Change, Session
from gui.session.training_edits import open_moment
from gui.theme import Colors, mono_font, set_style_property, set_text_sized, text_pixels
from gui.widgets.buttons import push_button, set_words, tool_button
from gui.widgets.choices import NarrowCombo
from gui.widgets.labels import ElidedLabel, muted_label
from gui.widgets.layouts import add_widgets
from gui.widgets.scrubber import Scrubber

TEXTS = {
    "preset tip": "Suggested comparisons; the setting and both values can be changed",
    "setting tip": "The only setting in which the two runs differ; all others are the present ones",
    "value tip": "The setting of run {name}",
    "same start": "Same first weights, same samples in the same order; only {setting} differs.",
    "same seed": "Networks of two shapes, their weights drawn with the same seed; only {setting} differs.",
    "run": "▶ Train both",
    "pause": "❚❚ Pause",
    "run tip": "Train both runs step by step, at the speed set in the tool bar",
    "step": "Step",
    "step tip": "Make one step in both runs",
    "reset": "Reset",
    "reset tip": "Reset both runs to their first weights",
    "history": "Drag to view an earlier step of both runs",
    "caption": "step {step:,} of {last:,}",
    "open": "Open {name}",
    "open tip": "Load the settings and weights of run {name}; undo restores the present ones",
    "no document": "This run leaves out zero_grad, which is a mistake: it cannot be opened as a session",
    "both diverged": "Both runs diverged.",
    "label": "open {words} of two runs",
}
"""Texts of the panel."""
RESOLUTION = 90
LEAST_VALUE = 58  # pixels of a field, 0.001 fits in
LEAST_WIDTH, NARROW = 290, 400
"""Pixels across, in the designed size of text: of the panel, and below which the values stand below what differs."""
ASPECT = 1.35
"""Width over height of each boundary, about."""
BETWEEN_PICTURES = 0.05  # seconds
SLICE_SECONDS = 0.02


@dataclass
class _Pair:
    """Two runs and their worker thread; pieces of work are done in order."""

    sides: Sequence[Side]
    figures: list[BoundaryFigure] = field(default_factory=list)
    lockstep: Lockstep | None = None

    def made(self) -> Lockstep:
        """The runs, made when they are first asked for."""
        if self.lockstep is None:
            self.figures = [BoundaryFigure(each.document, ASPECT) for each in self.sides]
            self.lockstep = Lockstep(trainers_of(self.sides))
        return self.lockstep

    def shown(self) -> tuple[Shown, ...]:
        """Return both runs as they are to be drawn."""
        pairs = zip(self.sides, self.figures, self.made().describe(), strict=True)
        return tuple(
            Shown(
                one.words,
                figure,
                figure.outputs(progress.snapshot.parameters, RESOLUTION) if figure.is_drawn else None,
                progress,
            )
            for one, figure, progress in pairs
        )


class SideBySidePanel(Panel):
    """Controls for the setting that differs, both runs, and one history slider for both.

    Attributes:
        preset, setting: choices.
        values: the two fields.
        plot: both boundaries and curves.
        history: the slider through the steps.
        running: whether steps are being made.
    """

    figure_tip = (
        "Two trainings that differ in one setting, at the same step: the output of each network around the data, and "
        "both losses over the steps, A as a solid line, B dashed."
    )

    depends_on = frozenset({"data", "network", "training"})

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.running = False
        self._pair: _Pair | None = None
        self._job = Job("two runs", self)
        self._job.delivered.connect(self._take)
        self._job.failed.connect(lambda _token, error: self._stop(str(error)))
        self.preset = NarrowCombo("comparison", TEXTS["preset tip"])
        self.setting = NarrowCombo("setting that differs", TEXTS["setting tip"])
        self.values = [self._make_value(name) for name in "AB"]
        self.words = ElidedLabel()
        self.plot = PairPicture()
        self.history = Scrubber()
        self.run_button = push_button(TEXTS["run"], TEXTS["run tip"], self.toggle_run)
        self.step_button = tool_button(TEXTS["step"], TEXTS["step tip"], self.step)
        self.reset_button = tool_button(TEXTS["reset"], TEXTS["reset tip"], self.restart)
        names = [TEXTS["open"].format(name=name) for name in "AB"]
        self.open_buttons = [tool_button(text, "", partial(self.open, n)) for n, text in enumerate(names)]
        self._fill_choices()
        self._lay_out()
        session.changed.connect(self._follow_unseen)

    def _make_value(self, name: str) -> QLineEdit:
        entry = QLineEdit()
        entry.setAccessibleName(f"value of run {name}")
        entry.setToolTip(TEXTS["value tip"].format(name=name))
        entry.setFont(mono_font(12))
        entry.setMaxLength(60)
        set_text_sized(entry, setMinimumWidth=LEAST_VALUE)
        entry.editingFinished.connect(self._check)
        return entry

    def _fill_choices(self) -> None:
        for preset in PRESETS:
            self.preset.addItem(preset.title)
        for name in comparable_settings():
            self.setting.addItem(name if name == ZERO_GRAD else setting_title(name), name)
        self.preset.activated.connect(self.choose_preset)
        self.setting.activated.connect(lambda _index: self._check())
        self._show_preset(0)

    def _lay_out(self) -> None:
        self.words.setProperty("muted", True)
        self.history.setAccessibleName("steps of both runs")
        self.history.setToolTip(TEXTS["history"])
        self.history.setRange(0, 0)
        self.history.valueChanged.connect(self.view_step)
        first, second = self.values
        differing = add_widgets(QHBoxLayout(), self.preset, 3, self.setting, 2, spacing=5)
        values = add_widgets(QHBoxLayout(), muted_label("A"), first, 1, muted_label("B"), second, 1, spacing=5)
        self._choices = choices = add_widgets(QHBoxLayout(), differing, 5, values, 2, spacing=5)
        controls = add_widgets(
            QHBoxLayout(), self.run_button, self.step_button, self.reset_button, self.history, 1, spacing=5
        )
        starts = add_widgets(QHBoxLayout(), self.words, 1, *self.open_buttons, spacing=5)
        add_widgets(QVBoxLayout(self), choices, starts, self.plot, 1, controls, margins=(10, 8, 10, 8), spacing=5)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(min(least.width(), text_pixels(LEAST_WIDTH)), least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        is_narrow = self.width() < text_pixels(NARROW)
        self._choices.setDirection(QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight)
        super().resizeEvent(event)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.plot.set_colors(colors)

    def refresh(self, change: Change) -> None:
        self._check()

    def _follow_unseen(self, change: Change) -> None:
        """Go on training behind another tab only as long as the settings are still the present ones."""
        if self.running and self.depends_on & change and not self.has_failed:
            self.catch_up()

    # Comparison

    def choose_preset(self, index: int) -> None:
        """Apply a preset, by its index."""
        self._show_preset(index)
        self._check()

    def compare(self, setting: str) -> None:
        """Train two runs that differ in a setting: as the first preset for it says."""
        places = [place for place, preset in enumerate(PRESETS) if preset.setting == setting]
        if places:
            self.choose_preset(places[0])
            if not self.running:
                self.toggle_run()

    def _show_preset(self, index: int) -> None:
        preset = PRESETS[index]
        self.preset.setCurrentIndex(index)
        self.setting.setCurrentIndex(self.setting.findData(preset.setting))
        for entry, text in zip(self.values, (preset.first, preset.second), strict=True):
            entry.setText(text)

    @property
    def sides(self) -> Sequence[Side]:
        """Initial states of both runs; empty if one of them is impossible."""
        return () if self._pair is None else self._pair.sides

    def _check(self) -> None:
        """Check the entries, each in its field, show how the runs differ, and restart them if that has changed."""
        setting, document, sides = str(self.setting.currentData()), self.session.document, []
        problem = ""
        for entry in self.values:
            try:
                sides.append(side(document, setting, entry.text()))
                set_style_property(entry, "invalid", False)
            except ValueError as error:
                problem = sentence_of(error)
                set_style_property(entry, "invalid", True)
        if problem or len(sides) < 2:
            self._stop(problem)
            return
        same = "same start" if have_same_start(sides) else "same seed"
        self._say(TEXTS[same].format(setting=self.setting.currentText()))
        if list(self.sides) != sides:
            self._pair = _Pair(sides)
            self.restart()

    def _say(self, words: str, is_problem: bool = False) -> None:
        self.words.setText(words)
        self.words.setToolTip(words)
        set_style_property(self.words, "error", is_problem)

    def _stop(self, problem: str) -> None:
        self._job.cancel()
        self._pair, self.running = None, False
        self.plot.show_runs(())
        self._say(problem, is_problem=True)
        self._show_controls()

    # Running

    def _work(self, do: Callable[[Lockstep], object]) -> None:
        """Do something with the runs in the worker thread, and show the result."""
        pair = self._pair
        if pair is None:
            return

        def work(cancelled: Callable[[], bool]) -> Iterator[tuple[Shown, ...]]:
            do(pair.made())
            yield pair.shown()

        self._job.start(pair, work)

    def restart(self) -> None:
        """Reset both runs to their first weights."""
        if self._pair is not None:
            self._pair, self.running = _Pair(self._pair.sides), False
            self._work(lambda lockstep: None)
        self._show_controls()

    def toggle_run(self) -> None:
        """Run or pause both."""
        self.running = not self.running and self._pair is not None
        if not self.running:
            self._work(lambda lockstep: lockstep.view_step(None))
        elif (pair := self._pair) is not None:
            training = self.session.training

            def work(cancelled: Callable[[], bool]) -> Iterator[tuple[Shown, ...]]:
                lockstep = pair.made()
                lockstep.view_step(None)
                lockstep.set_speed(speed := training.speed)
                due = time.monotonic()
                while not cancelled() and not lockstep.is_over:
                    if training.speed != speed:
                        lockstep.set_speed(speed := training.speed)
                    lockstep.advance(SLICE_SECONDS)
                    if time.monotonic() >= due:
                        yield pair.shown()
                        due = time.monotonic() + BETWEEN_PICTURES
                    if lockstep.seconds_to_next:
                        time.sleep(min(lockstep.seconds_to_next, SLICE_SECONDS))
                yield pair.shown()

            self._job.start(pair, work)
        self._show_controls()

    def step(self) -> None:
        """Make one step in both runs."""
        self.running = False

        def step(lockstep: Lockstep) -> None:
            lockstep.view_step(None)
            lockstep.step()

        self._work(step)
        self._show_controls()

    def view_step(self, step: int) -> None:
        """Show a past step of both; a run is paused."""
        self.running = False
        self._work(lambda lockstep: lockstep.view_step(step))
        self._show_controls()

    def _take(self, pair: _Pair, shown: tuple[Shown, ...]) -> None:
        if pair is not self._pair:
            return
        self.plot.show_runs(shown)
        last = max(one.progress.steps[-1] for one in shown)
        step = max(one.progress.snapshot.step for one in shown)
        with QSignalBlocker(self.history):
            self.history.setRange(0, last)
            self.history.setValue(step)
        self.set_caption(TEXTS["caption"].format(step=step, last=last))
        if last > 0:
            self.session.runs_compared.emit(str(self.setting.currentData()))
        if self.running and all(one.progress.diverged_at is not None for one in shown):
            self.running = False
            self._say(TEXTS["both diverged"])
        self._show_controls()

    def _show_controls(self) -> None:
        there = self._pair is not None
        set_words(self.run_button, TEXTS["pause" if self.running else "run"])
        for button in (self.run_button, self.step_button, self.reset_button, self.history):
            button.setEnabled(there)
        for number, button in enumerate(self.open_buttons):
            holds = number >= len(self.sides) or self.sides[number].zero_grad
            button.setEnabled(there and holds and bool(self.plot.shown))
            name = "AB"[number]
            button.setToolTip(TEXTS["open tip"].format(name=name) if holds else TEXTS["no document"])

    # Opening a run

    def open(self, number: int) -> None:
        """Open the first (0) or the second run where it stands."""
        if self.running:
            self.toggle_run()
        one = self.plot.shown[number]
        progress = one.progress
        moment = progress.snapshot if progress.diverged_at is None else progress.savable
        trained = trained_at(moment, (progress.curve_steps, progress.curve_losses))
        document = replace(self.sides[number].document, trained=trained)
        open_moment(self.session, document, TEXTS["label"].format(words=one.words))

    @property
    def has_figure(self) -> bool:
        return bool(self.plot.shown)

    def figure_data(self) -> Sequence[Column]:
        columns: list[Column] = []
        for name, one in zip("AB", self.plot.shown, strict=False):
            steps, losses = one.curve
            columns += [(f"step of {name}", steps.astype(int)), (f"loss of {name}: {one.words}", losses)]
        return columns
