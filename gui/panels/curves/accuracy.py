"""The accuracy panel: the share of samples that is decided right over the steps; R² where numbers are predicted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.network.run.progress import Progress
from gui.panels.curves.curves_panel import CurvesPanel
from gui.plots.plot import Range, range_around
from gui.plots.step_plot import Curve, finite_curve

PERCENT = 100.0
WHOLE_RANGE = (-4.0, 108.0)  # per cent
LOWEST_R_SQUARED = -1.0
"""A linear axis shows R² from there: first weights may give -1,000."""
TEXTS = {
    "no step": "no step yet",
    "empty": "The curve begins with the first step.",
    "cut": "R² below −1 is cut off: zoom out to see it.",
    "test": "{train} · test {test}",
    "pointed": "step {step:,.0f}: {numbers}",
}
"""Texts of the panel."""
ORDINATES = {"accuracy": "accuracy (%)", "r_squared": "R²"}
TIPS = {
    "accuracy": "The share of correctly classified samples after each update. The gradients come from the training "
    "samples only; the test samples are just evaluated.",
    "r_squared": "R² = 1 - the sum of (target - output)² over the sum of (target - mean target)²: 1 is a perfect "
    "fit, 0 is no better than always predicting the mean, below 0 is worse.",
}
"""Name of the upright axis, and its explanation, by the figure that is shown."""


class AccuracyPanel(CurvesPanel):
    """Accuracy of training and test data over the steps; the caption shows the numbers of the viewed step."""

    name, ordinate = "accuracy against steps", ORDINATES["accuracy"]

    @property
    def figure(self) -> str:
        """ "accuracy", or "r_squared" where numbers are predicted."""
        return "accuracy" if self.session.dataset.n_classes else "r_squared"

    def curves_of(self, progress: Progress) -> Sequence[Curve]:
        found = []
        for name, key, dashed in (("train", self.figure, False), ("test", f"test_{self.figure}", True)):
            if key in progress.curves:
                steps, numbers = progress.curves[key]
                color = self.colors.negative if dashed else self.colors.positive
                scale = PERCENT if self.figure == "accuracy" else 1.0
                found.append(finite_curve(name, steps, scale * numbers, color, dashed))
        return found

    def heights_of(self, curves: Sequence[Curve]) -> Range:
        """0 to 100 %; for R² up to 1, and not below -1 unless nothing is above."""
        if self.figure == "accuracy":
            return WHOLE_RANGE
        numbers = np.concatenate([[1.0], *(curve.numbers for curve in curves)])
        return range_around(numbers[numbers >= LOWEST_R_SQUARED])

    def draw(self) -> None:
        self.ordinate = ORDINATES[self.figure]
        self.plot.setLabel("left", self.ordinate)
        is_cut = self.figure == "r_squared" and any((curve.numbers < LOWEST_R_SQUARED).any() for curve in self.curves)
        self.show_note(TEXTS["cut"] if is_cut else "")
        super().draw()

    def legend_tip(self) -> str:
        return TIPS[self.figure]

    # Texts

    def update_caption(self) -> None:
        self.say()

    def say(self) -> None:
        moment = None if self.session.shown is None else self.session.shown.snapshot
        if values := self.plot.pointed_values():
            numbers = [number / PERCENT if self.figure == "accuracy" else number for *_, number in values]
            numbers_text = self._text(*numbers, *[None] * (2 - len(numbers)))
            self.set_caption(TEXTS["pointed"].format(step=values[0][1], numbers=numbers_text), self.legend_tip())
        elif moment is None or not self.curves:
            self.set_caption(TEXTS["no step"], TEXTS["empty"])
        elif self.figure == "accuracy":
            self.set_caption(self._text(moment.accuracy, moment.test_accuracy), self.legend_tip())
        else:
            self.set_caption(self._text(moment.r_squared, moment.test_r_squared), self.legend_tip())

    def _text(self, train: float | None, test: float | None) -> str:
        texts = []
        for number in (train, test):
            if number is None:
                texts.append("–")
            elif self.figure == "accuracy":
                texts.append(f"{PERCENT * number:.1f} %")
            else:
                texts.append(f"R² {number:.4f}".replace("-", "−"))
        return texts[0] if test is None else TEXTS["test"].format(train=texts[0], test=texts[1])
