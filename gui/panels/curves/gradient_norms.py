"""The gradients panel: norm of each layer's gradient, over the steps and at the viewed step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg

from engine.experiment.assemble import network_shape
from engine.network.run.curves import gradient_norm_name, gradient_norms
from engine.network.run.progress import Progress
from gui.number_texts import reading_text, tick_text
from gui.panels.curves.curves_panel import CurvesPanel
from gui.plots.plot import Range, range_around
from gui.plots.step_plot import Curve, finite_curve
from gui.session import Session
from gui.theme import Colors

VANISHING = 1e-3
"""A norm of the first layer below this fraction of the last layer's is called a vanishing gradient in the caption."""
EXPLODING = 1e3
TEXTS = {
    "layer": "L{layer}",
    "no step": "no step yet",
    "empty": "The curves begin with the first step.",
    "no gradient": "no gradient yet",
    "other": "These curves are from before the network was changed. The next step computes new gradients.",
    "tip": "The norm of each layer's gradient: the root of the sum of its squares. It is the "
    "gradient that the update leading to this step used: of its batch, with penalties, clipped. If the curves of "
    "the first layers lie decades below the last one, the gradient vanishes on its way back, and they hardly learn. "
    "If a curve climbs by decades, the gradient explodes.",
    "vanishing": "The gradient vanishes on its way back: in L1 it is 1/{ratio} of that in L{last}.",
    "exploding": "The gradient explodes on its way back: in L1 it is {ratio} times that in L{last}.",
    "zero": "A gradient of 0 has no logarithm: it is drawn a decade below the smallest other one.",
    "pointed": "step {step:,.0f}: {norms}",
}
"""Texts of the panel."""


def layer_colors(colors: Colors, n_layers: int) -> list[str]:
    """A colour for each layer in order, from dark to bright, of a map that colour-blind people can read."""
    low, high = (0.0, 0.72) if not colors.is_dark else (0.38, 1.0)
    places = np.linspace(low, high, n_layers) if n_layers > 1 else np.array([0.4])
    return [color.name() for color in pg.colormap.get("viridis").map(places, mode="qcolor")]


class GradientsPanel(CurvesPanel):
    """A curve for each layer on a logarithmic axis; the caption has the norms of the viewed step."""

    name, ordinate, tip = "gradient norms against steps", "gradient norm", TEXTS["tip"]

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.plot.set_logarithmic(True)

    def curves_of(self, progress: Progress) -> Sequence[Curve]:
        n_layers = len(self.session.document.network.layer_sizes) - 1
        colors = layer_colors(self.colors, n_layers)
        found = []
        for layer, color in enumerate(colors, start=1):
            if points := progress.curves.get(gradient_norm_name(layer)):
                found.append(finite_curve(TEXTS["layer"].format(layer=layer), *points, color))
        return found

    def heights_of(self, curves: Sequence[Curve]) -> Range:
        heights = [self.plot.heights(curve.numbers) for curve in curves]
        return range_around(np.concatenate(heights) if heights else np.empty(0), least=1.0)

    def draw(self) -> None:
        norms, note = self.norms, ""
        first, last = (norms[0], norms[-1]) if norms else (0.0, 0.0)
        if any((curve.numbers == 0.0).any() for curve in self.curves):
            note = TEXTS["zero"]
        elif 0.0 < first < VANISHING * last:
            note = TEXTS["vanishing"].format(ratio=tick_text(last / first, 2), last=len(norms))
        elif first > EXPLODING * last > 0.0:
            note = TEXTS["exploding"].format(ratio=tick_text(first / last, 2), last=len(norms))
        self.show_note(note)
        super().draw()

    @property
    def norms(self) -> Sequence[float]:
        """Gradient norm of each layer in the step before the viewed moment; empty where it is not known."""
        shown = self.session.shown
        if shown is None or not shown.snapshot.has_gradients:
            return ()
        return gradient_norms(network_shape(self.session.document.network), shown.snapshot.gradients)

    def say(self) -> None:
        values = self.plot.pointed_values()
        if values:
            text = " · ".join(f"{curve.name} {reading_text(number)}" for curve, _, number in values)
            self.set_caption(TEXTS["pointed"].format(step=values[0][1], norms=text), TEXTS["tip"])
        elif norms := self.norms:
            texts = [f"{TEXTS['layer'].format(layer=n)} {reading_text(norm)}" for n, norm in enumerate(norms, start=1)]
            self.set_caption(" · ".join(texts), TEXTS["tip"])
        elif self.curves:
            self.set_caption(TEXTS["no gradient"], TEXTS["other"])
        else:
            self.set_caption(TEXTS["no step"], TEXTS["empty"])
