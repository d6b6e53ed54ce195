"""The loss panel: the loss seen by every step, and the loss of the test data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QWidget

from engine.csv_text import Column
from engine.document.document import Document
from engine.experiment.setting_words import run_words
from engine.network.run.curves import PENALTY
from engine.network.run.progress import Progress
from gui.panels.curves.curves_panel import HEADER_HEIGHT, CurvesPanel
from gui.plots.loss_scale import AxisChoice, cut_above, worth_seeing
from gui.plots.plot import Range, range_around
from gui.plots.step_plot import FEW_POINTS, Curve, finite_curve, run_color, run_line
from gui.presenter.loss_texts import (
    NO_CAPTION,
    NO_STEP,
    curve_caption,
    cut_note,
    logarithmic_note,
    newest_caption,
    point_caption,
    train_points,
    viewed_caption,
)
from gui.session import Session
from gui.widgets.buttons import tool_button

__all__ = ["FEW_POINTS", "HEADER_HEIGHT", "TrainingPanel"]

TIP = "Logarithmic loss axis"
RUN, RUN_TITLE = "run {number}", "{words} · run {number}"
OWN_TITLE = "train, {title}"
COLUMN_NAMES = {"test": "test loss", PENALTY: "L1 and L2 penalty"}
"""Columns of the exported table, by the name of the curve."""


class TrainingPanel(CurvesPanel):
    """Loss against steps; the caption shows the loss of the viewed step, or of the step under the pointer.

    Attributes:
        logarithmic: the button for the upright axis.
    """

    rest_seconds = 0.1
    name, ordinate = "loss against steps", "loss"

    depends_on = CurvesPanel.depends_on | {"recorded"}

    def __init__(self, session: Session) -> None:
        self._choice = AxisChoice()
        self._titled: list[tuple[int, str, Document]] = []
        self._titles: dict[int, str] = {}
        self.logarithmic = tool_button("log", TIP, name="logarithmic loss axis", padding="1px 4px", checkable=True)
        super().__init__(session)
        self.note.setCursor(Qt.CursorShape.PointingHandCursor)
        self.note.installEventFilter(self)

    def extra_buttons(self) -> Sequence[QWidget]:
        self.logarithmic.clicked.connect(self._choose_axis)
        return (self.logarithmic,)

    # The curves

    def reset(self) -> None:
        self._choice = AxisChoice()
        super().reset()

    def curves_of(self, progress: Progress) -> Sequence[Curve]:
        colors, has_test = self.colors, len(progress.test_steps) > 0
        train = curve_caption(progress, self.session.dataset.n_samples)
        points = train_points(progress, self.session.dataset.n_samples)
        name, title, current = "train" if has_test else train.text, "", self.session.runs.current
        if any(run.number != current and self.session.runs.is_drawn(run) for run in self.session.runs.all):
            title = self._run_titles().get(current or 0, "")
        title = OWN_TITLE.format(title=title) if title and has_test else title
        curves = [replace(finite_curve(name, *points, colors.positive), title=title)]
        if has_test:
            points = progress.test_steps, progress.test_losses
            curves.append(finite_curve("test", *points, colors.negative, dashed=True))
        if PENALTY in progress.curves:
            curves.append(finite_curve(PENALTY, *progress.curves[PENALTY], colors.muted, dashed=True))
        if not self.plot.zoomed:
            self._choice.follow(curves[0].numbers)
        return curves

    def earlier_curves(self) -> Sequence[Curve]:
        """The training loss of every run that is kept besides the present one, in its colour of the list of runs."""
        runs, titles = self.session.runs, self._run_titles()
        found = []
        for run in runs.all:
            if run.number != runs.current and runs.is_drawn(run):
                name, color = RUN.format(number=run.number), run_color(self.colors, run.number, None)
                curve = finite_curve(name, run.steps, run.losses, color)
                found.append(replace(curve, title=titles[run.number], line=run_line(run.number)))
        return found

    def _run_titles(self) -> dict[int, str]:
        """Return the legend's name of each drawn run: the settings in which it differs from others come first."""
        runs = self.session.runs
        drawn = [run for run in runs.all if runs.is_drawn(run)]
        key = [(run.number, run.name, run.document) for run in drawn]
        if key != self._titled:
            documents = [run.document for run in drawn]
            words = {run.number: run.name or run_words(run.document, documents, documents) for run in drawn}
            self._titles = {number: RUN_TITLE.format(words=text, number=number) for number, text in words.items()}
            self._titled = key
        return self._titles

    def figure_data(self) -> Sequence[Column]:
        columns: list[Column] = []
        for number, curve in enumerate(self.curves):
            name = "train loss" if number == 0 else COLUMN_NAMES[curve.name]
            columns += [("step" if number == 0 else f"step of {name}", curve.steps.astype(int)), (name, curve.numbers)]
        for curve in self.earlier:
            columns += [(f"step of {curve.name}", curve.steps.astype(int)), (f"loss of {curve.name}", curve.numbers)]
        return columns

    def legend_tip(self) -> str:
        progress = self.session.newest
        return "" if progress is None else curve_caption(progress, self.session.dataset.n_samples).tip

    # The axis

    def _choose_axis(self) -> None:
        self._choice.choose(not self._choice.logarithmic)
        self.plot.fit()
        self.draw()

    def draw(self) -> None:
        self.logarithmic.setChecked(self._choice.logarithmic)
        self.plot.set_logarithmic(self._choice.logarithmic)
        losses = np.concatenate([curve.numbers for curve in self.curves]) if self.curves else np.empty(0)
        note = NO_CAPTION
        if self._choice.logarithmic:
            ratio = None if self._choice.by_user else self._choice.ratio
            note = logarithmic_note(ratio, reaches_floor=bool((losses <= 0.0).any()))
        elif (cut := cut_above(losses, self._has_diverged)) is not None:
            note = cut_note(cut)
        self.show_note(note.text, note.tip)
        super().draw()

    def heights_of(self, curves: Sequence[Curve]) -> Range:
        """Return the range of all losses; of a run that diverged, or of an earlier one, of those worth seeing."""
        losses = np.concatenate([curve.numbers for curve in curves]) if curves else np.empty(0)
        is_earlier = curves is not self.curves
        if self._choice.logarithmic and not is_earlier:
            return range_around(self.plot.heights(losses), least=1.0)
        seen = worth_seeing(losses, self._has_diverged or is_earlier)
        return range_around(self.plot.heights(seen), least=1.0 if self._choice.logarithmic else 0.0)

    @property
    def _has_diverged(self) -> bool:
        return self.session.newest is not None and self.session.newest.diverged_at is not None

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """A click on the note changes the axis."""
        if watched is self.note and event.type() == QEvent.Type.MouseButtonRelease:
            self._choose_axis()
        return False

    # Texts

    def update_caption(self) -> None:
        self.say()

    def say(self) -> None:
        """The loss at the step nearest to the pointer; without one the loss of the step that is viewed."""
        progress, n_samples = self.session.newest, self.session.dataset.n_samples
        if progress is None:
            self.set_caption(*NO_STEP)
        elif values := self.plot.pointed_values():
            _, step, loss = values[0]
            self.set_caption(*point_caption(step, loss, progress.settings_at(step), n_samples))
        else:
            shown = self.session.shown or progress
            caption = newest_caption if shown is progress else viewed_caption
            self.set_caption(*caption(shown, n_samples))
