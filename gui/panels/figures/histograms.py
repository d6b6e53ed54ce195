"""The weights and the activations panel: how each layer's numbers are spread, one lane above the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from engine.autograd.notation import counted
from engine.csv_text import Column
from engine.experiment.snapshot_network import (
    MOST_SAMPLES,
    Kind,
    LayerHistogram,
    first_snapshot,
    layer_histograms,
    snapshot_network,
)
from engine.network.notices import SMALL_SLOPE
from gui.number_texts import reading_text
from gui.panels.curves.gradient_norms import layer_colors
from gui.panels.moment_panel import MomentPanel
from gui.plots.plot import GESTURES, Plot, Pointer, drawable, range_around, steady_range
from gui.session import Session
from gui.theme import Colors, mono_font
from gui.widgets.choices import Segments
from gui.widgets.labels import ElidedLabel, small_letters
from gui.widgets.layouts import add_widgets

LANE = 0.86
"""Height of a lane's tallest bin, as a fraction of the lane."""
AXIS_WIDTH = 46  # pixels
AXIS_LABELS: dict[Kind, str] = {
    "weights": "weight or bias",
    "gradients": "gradient of a weight or bias",
    "activations": "output of a neuron",
}
TIPS: dict[Kind, str] = {
    "weights": "The distribution of each layer's weights and biases. Initial weights that are far too large saturate "
    "their neurons; neurons with equal weights learn the same.",
    "gradients": "The distribution of the gradients of each layer's weights and biases, as the last update "
    "used them. A layer whose gradients are all 0 does not learn.",
    "activations": "The distribution of the outputs of each layer's neurons over the training samples (at most the "
    f"first {MOST_SAMPLES:,}). Flat: the share of outputs at which the slope of the activation is below "
    f"{SMALL_SLOPE:g}, so that hardly any gradient gets through.",
}
TEXTS = {
    "flat note": f"flat: slope below {SMALL_SLOPE:g}",
    "lane tip": "Each layer has a lane, scaled to its own tallest bin.",
    "no step": "There are no gradients yet: the next step computes them.",
    "lane": "L{layer}",
    "layer": "L{layer}: mean {mean}, deviation {deviation}",
    "flat": "flat {share:.0%}",
    "bin": "L{layer}: {count:,} of {numbers:,} from {low} to {high}",
    "left out": "{numbers} of L{layer} not finite",
    "caption": "step {step:,}",
}
"""Texts of both panels."""


class HistogramPanel(MomentPanel):
    """A lane for each layer, the first one on top; the line below reads the bin under the pointer.

    Attributes:
        plot: the plot.
        flat_axis: on the right of the plot, the share of each layer's outputs that are flat.
        layers: the drawn figures.
        kinds: what can be counted.
        choice: the buttons for these.
        note: the line.
    """

    kinds: tuple[Kind, ...]
    rest_seconds = 0.15
    full_speed_rest_seconds = 0.5

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.layers: Sequence[LayerHistogram] = ()
        self._lanes: list[pg.PlotCurveItem] = []
        self.plot = Plot(f"histograms of {' and '.join(self.kinds)}", ("bottom", "left", "right"))
        self.plot.fix_left_width(AXIS_WIDTH)
        self.plot.setLabel("left", "layer")
        self.flat_axis = self.plot.axes["right"]
        self.plot.setMinimumHeight(90)
        self.zero = pg.InfiniteLine(pos=0.0, angle=90, movable=False)
        self.plot.addItem(self.zero)
        self.note = small_letters(ElidedLabel(), 11, muted=True)
        self.pointer = Pointer(self.plot)
        self.pointer.moved.connect(self._point)
        self.pointer.left.connect(self._say)
        self.choice = Segments((kind, TIPS[kind]) for kind in self.kinds)
        self.choice.setVisible(len(self.kinds) > 1)
        self.choice.clicked.connect(lambda _kind: self._show_other())
        header = add_widgets(QHBoxLayout(), self.choice, self.note, 1, self.plot.fit_button, margins=(0, 0, 0, 0))
        add_widgets(QVBoxLayout(self), header, self.plot, 1, margins=(8, 6, 8, 6), spacing=4)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.plot.set_colors(colors)
        self.zero.setPen(pg.mkPen(colors.line))
        self._draw()

    @property
    def kind(self) -> Kind:
        """Kind of number that is counted."""
        return self.kinds[self.choice.chosen]

    def choose(self, kind: Kind) -> None:
        """Count something else."""
        self.choice.choose(self.kinds.index(kind))
        self._show_other()

    def _show_other(self) -> None:
        self.drop_answers()
        self.reset()
        self.ask()

    # Following the session

    def reset(self) -> None:
        self.layers = ()
        self.plot.fit()
        self._draw()

    def question(self) -> Callable[[], Any]:
        session = self.session
        moment = first_snapshot(session.document) if session.shown is None else session.shown.snapshot
        if self.kind == "gradients" and not moment.has_gradients:
            return lambda: (moment.step, [])
        network = snapshot_network(session.document, session.data, moment)
        return partial(layer_histograms, network, moment.gradients, self.kind)

    def show_answer(self, answer: Any) -> None:
        step, layers = answer
        self.set_caption(TEXTS["caption"].format(step=step))
        self.layers = layers
        self._draw()

    # Drawing

    def _draw(self) -> None:
        layers, n = self.layers, len(self.layers)
        self.plot.setLabel("bottom", AXIS_LABELS[self.kind])
        self.plot.setToolTip("\n".join((TIPS[self.kind], TEXTS["lane tip"], GESTURES)))
        lanes = [n - 1.0 - index + LANE / 2 for index in range(n)]
        self.plot.axes["left"].setTicks(
            [[(y, TEXTS["lane"].format(layer=each.layer)) for y, each in zip(lanes, layers, strict=True)]]
        )
        shares = [  # of flat outputs, next to the lanes and clear of the bars
            (y, TEXTS["flat"].format(share=layer.flat).replace("%", " %"))
            for y, layer in zip(lanes, layers, strict=True)
            if self.kind == "activations" and layer.activation != "linear"
        ]
        self.flat_axis.setVisible(bool(shares))
        self.flat_axis.setTicks([shares])
        room = QFontMetricsF(mono_font(10)).horizontalAdvance(TEXTS["flat"].format(share=1.0)) + 14
        self.flat_axis.setWidth(room if shares else 0)
        for index in range(max(n, len(self._lanes))):
            self._draw_lane(index, layer_colors(self.colors, n) if n else [])
        if n:
            edges = drawable(layers[0].histogram.edges)
            across = range_around(edges, margin=0.03)
            self.plot.show_range(steady_range(across, self.plot.whole[0]), (-0.1, n - 0.05))
        self._say()

    def _draw_lane(self, index: int, colors: Sequence[str]) -> None:
        while len(self._lanes) <= index:
            self._lanes.append(pg.PlotCurveItem())
            self.plot.addItem(self._lanes[-1])
        lane = self._lanes[index]
        if index >= len(self.layers):
            lane.hide()
            return
        layer, base = self.layers[index], len(self.layers) - 1.0 - index
        counts = layer.histogram.counts
        heights = base + LANE * counts / max(int(counts.max()), 1)
        color = pg.mkColor(colors[index])
        pen = pg.mkPen(color, width=1)
        color.setAlpha(110)
        edges = drawable(layer.histogram.edges)
        lane.setData(edges, heights, stepMode="center", fillLevel=base, brush=pg.mkBrush(color), pen=pen)
        lane.show()

    # Texts

    def _say(self) -> None:
        left_out = [each for each in self.layers if each.histogram.left_out]
        if self.kind == "gradients" and not self.layers:
            self.note.setText(TEXTS["no step"])
        elif left_out:
            numbers = counted(left_out[0].histogram.left_out, "number")
            self.note.setText(TEXTS["left out"].format(numbers=numbers, layer=left_out[0].layer))
        else:
            self.note.setText(TEXTS["flat note"] if self.kind == "activations" and self.layers else "")
        self.note.setToolTip(TIPS[self.kind])

    def _point(self, place: QPointF) -> None:
        """Show the bin under the pointer, or mean and deviation of the layer outside its bins."""
        index = len(self.layers) - 1 - int(np.floor(place.y()))
        if not 0 <= index < len(self.layers):
            self._say()
            return
        layer = self.layers[index]
        edges = layer.histogram.edges
        bin_ = int(np.searchsorted(edges, place.x(), side="right")) - 1
        if 0 <= bin_ < len(layer.histogram.counts):
            low, high = reading_text(edges[bin_]), reading_text(edges[bin_ + 1])
            count, numbers = int(layer.histogram.counts[bin_]), layer.numbers.size
            self.note.setText(TEXTS["bin"].format(layer=layer.layer, count=count, numbers=numbers, low=low, high=high))
        else:
            mean, deviation = reading_text(layer.mean), reading_text(layer.deviation)
            self.note.setText(TEXTS["layer"].format(layer=layer.layer, mean=mean, deviation=deviation))

    def figure_data(self) -> Sequence[Column]:
        if not self.layers:
            return []
        edges = self.layers[0].histogram.edges
        columns: list[Column] = [("from", edges[:-1]), ("to", edges[1:])]
        return [*columns, *((f"L{each.layer} {self.kind}", each.histogram.counts) for each in self.layers)]


class WeightsPanel(HistogramPanel):
    """Histograms of each layer's weights, or of their gradients."""

    kinds = ("weights", "gradients")


class ActivationsPanel(HistogramPanel):
    """Histograms of each layer's outputs."""

    kinds = ("activations",)
