"""The base of panels with curves over the steps of a run: legend, smoothing, the view, the line of the viewed step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.document.csv_text import Column
from engine.network.run.progress import Progress, RunState
from gui.panels.curves.step_plot import Curve, StepPlot
from gui.panels.panel import Panel
from gui.panels.plots import GESTURES, Range, range_around, steady_range
from gui.session import Change, Session
from gui.theme import Colors
from gui.widgets.labels import Legend, LinesLabel, small_letters
from gui.widgets.layouts import filled
from gui.widgets.smoothing_button import SmoothingButton

FEWEST_STEPS = 4.0
"""What the step axis spans at least."""
MOST_LONGER = 4.0
"""How many times as long as the present run earlier ones are seen at most: it must not vanish at the edge of theirs."""
MOST_NAMED = 3
"""Earlier runs that the legend names, the newest ones."""
HEADER_HEIGHT, NARROW = 32, 360  # pixels
TEXTS = {
    "smoothed": "Smoothed: an exponential moving average of weight {weight:g}; the recorded curve is faint behind it.",
    "empty": "The curves begin with the first step: Run (F5).",
    "diverged": "diverged at step {step:,}",
}
"""What every such panel says."""


class CurvesPanel(Panel):
    """A subclass says which curves there are, how high the plot reaches, and what the caption is.

    Attributes:
        curves: of the present run.
        earlier: of the runs before it.
        plot: the plot.
        legend: above it.
        note: sentences below the legend; seen while there are any.
        smoothing: the button.
    """

    rest_seconds = 0.1
    name, ordinate, tip = "", "", ""
    """What screen readers call the plot, the name of its upright axis, and what the curves are in whole sentences."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.curves: Sequence[Curve] = ()
        self.earlier: Sequence[Curve] = ()
        self.plot = StepPlot(self.name, self.ordinate)
        self.legend = self.figure_key = Legend()
        self.note = small_letters(LinesLabel(2), 10, muted=True)
        self.smoothing = SmoothingButton()
        self._lay_out()
        self.plot.pointed.connect(self.say)
        self.smoothing.weight_chosen.connect(lambda _weight: self.draw())

    def _lay_out(self) -> None:
        self.note.hide()
        header = QWidget()
        header.setFixedHeight(HEADER_HEIGHT)
        buttons = (self.plot.fit_button, self.smoothing, *self.extra_buttons())
        filled(QHBoxLayout(header), self.legend, 1, *buttons, margins=(4, 0, 2, 0), spacing=4)
        filled(QVBoxLayout(self), header, self.note, self.plot, 1, margins=(6, 4, 6, 4), spacing=0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leaves the legend its room in a narrow panel."""
        super().resizeEvent(event)
        self.smoothing.shorten(self.width() < NARROW)

    # What a subclass says

    def extra_buttons(self) -> Sequence[QWidget]:
        """Buttons at the right end of the legend's row."""
        return ()

    def curves_of(self, progress: Progress) -> Sequence[Curve]:
        """What is drawn of a run."""
        raise NotImplementedError

    def earlier_curves(self) -> Sequence[Curve]:
        """What is drawn of earlier runs."""
        return ()

    def heights_of(self, curves: Sequence[Curve]) -> Range:
        """The part of the upright axis that shows these curves of the present run, in the units of the plot."""
        raise NotImplementedError

    def say(self) -> None:
        """Says in the caption what the step has that is pointed at, or viewed, or the newest."""
        raise NotImplementedError

    # Following training

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        super().set_colors(colors)
        self.plot.set_colors(colors)
        self._show()

    def follows(self, change: Change) -> bool:
        """Another run, every report of the present one, and another step of it that is viewed."""
        return change.model or change.moment

    def refresh(self, change: Change) -> None:
        """Shows the curves as they are now; for another run the view that was chosen for the one before is left."""
        if change.model:
            self.start_anew()
        self._show()

    def start_anew(self) -> None:
        """Forgets what was chosen for the run before."""
        self.plot.forget_pointer()
        self.plot.fit()

    def _show(self) -> None:
        progress = self.session.newest
        self.curves = () if progress is None else self.curves_of(progress)
        self.earlier = self.earlier_curves()
        self.draw()

    def draw(self) -> None:
        """Draws the curves, and everything that is said of them."""
        progress = self.session.newest
        diverged_at = None if progress is None else progress.diverged_at
        self.plot.set_floor([*self.curves, *self.earlier])
        self.plot.show_curves(self.curves, self.smoothing.weight)
        self.plot.show_earlier(self.earlier)
        self.plot.show_marks(self.session.training.viewed_step, diverged_at)
        self._show_range(diverged_at)
        self._show_legend(diverged_at)
        if not self.curves and not self.earlier:
            self.show_note(TEXTS["empty"])
        self.say()

    def _show_range(self, diverged_at: int | None) -> None:
        own = np.concatenate([*(each.steps for each in self.curves), [] if diverged_at is None else [diverged_at]])
        earlier = np.concatenate([*(each.steps for each in self.earlier), []])
        if (newest := float(own.max(initial=0.0))) > 0.0:
            earlier = earlier[earlier <= MOST_LONGER * max(newest, FEWEST_STEPS)]
        steps = np.concatenate([own, earlier])
        first = float(steps.min()) if steps.size else 0.0
        last = max(float(steps.max()), first + FEWEST_STEPS) if steps.size else FEWEST_STEPS
        across, heights = range_around(np.array([first, last]), margin=0.03), self.heights_of(self.curves)
        if self.session.run_state is RunState.RUNNING:
            across, heights = (
                steady_range(across, self.plot.whole[0], (0.0, 1.0)),
                steady_range(heights, self.plot.whole[1]),
            )
        self.plot.show_range(across, heights)

    def _show_legend(self, diverged_at: int | None) -> None:
        entries = [(curve.color, f"{'╌' if curve.dashed else '—'} {curve.name}") for curve in self.curves]
        entries += [(curve.color, f"— {curve.name}") for curve in reversed(self.earlier[-MOST_NAMED:])]
        if len(self.earlier) > MOST_NAMED:
            entries.append((self.colors.muted, "…"))
        if diverged_at is not None:
            entries.append((self.colors.error, f"╎ {TEXTS['diverged'].format(step=diverged_at)}"))
        self.legend.show_entries(entries)
        smooth = TEXTS["smoothed"].format(weight=self.smoothing.weight) if self.smoothing.weight else ""
        tip = self.legend_tip()
        self.legend.setToolTip(tip)
        self.plot.setToolTip("\n".join(text for text in (tip, smooth, GESTURES) if text))

    def legend_tip(self) -> str:
        """What the curves are, in whole sentences."""
        return self.tip

    def show_note(self, text: str, tip: str = "") -> None:
        """Sentences below the legend; "" for none."""
        self.note.setVisible(bool(text))
        self.note.setText(text)
        self.note.setToolTip(tip)

    def figure_data(self) -> Sequence[Column]:
        """Every curve with its steps."""
        columns: list[Column] = []
        for curve in self.curves:
            columns.append((f"step of {curve.name}", curve.steps.astype(int)))
            columns.append((f"{curve.name}, {self.ordinate}", curve.numbers))
        return columns
