"""The output of one neuron in the boundary panel, while the network drawing points at that neuron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.experiment.snapshot_network import Neuron, SnapshotNetwork
from engine.graph.drawn_scale import full_scale
from engine.network.predictor import Bounds, grid_points
from engine.network.run.outputs import RawPlane
from gui.number_texts import reading_text
from gui.plots.color_scale import Entry, Scale
from gui.plots.plane import surface_table
from gui.theme import Colors

TEXTS = {
    "input": "input {name}",
    "neuron": "output of L{layer}N{neuron}",
    "short neuron": "L{layer}N{neuron}",
    "map caption": "{neuron}: {low} to {high}",
    "line caption": "{neuron}: −{scale} to {scale}",
    "undefined caption": "{neuron}: not a finite number",
    "tip": "The output of the neuron that the network drawing points at, at this step. The colour of "
    "negative numbers is {low} or less, that of positive ones {high} or more.{line} The points are the data.",
    "line": " On the line it is {level}.",
    "line tip": "The output of the neuron that the network drawing points at, at this step. The points are the data.",
}
"""Texts on a neuron's output."""


def neuron_name(neuron: Neuron, inputs: list[str]) -> str:
    """Return `output of L1N2` for a neuron, `input x1` for an input, which is layer 0."""
    layer, number = neuron
    if layer == 0:
        return TEXTS["input"].format(name=inputs[number])
    return TEXTS["neuron"].format(layer=layer, neuron=number + 1)


@dataclass(frozen=True, eq=False)
class NeuronPlane:
    """A neuron's output over the plane of the boundary panel.

    Attributes:
        neuron: which one.
        outputs: (n, n), rows by ascending y; (n,) over a line.
        bounds: x of the first and last column, y of the first and last row.
        levels: the outputs that have the full colours, where it is the network's output; None: as far below 0 as above.
        line_at: the output along the line that is drawn; None for no line.
    """

    neuron: Neuron
    outputs: NDArray[Any]
    bounds: Bounds
    levels: tuple[float, float] | None = None
    line_at: float | None = 0.0

    @classmethod
    def of(
        cls,
        network: SnapshotNetwork,
        neuron: Neuron,
        bounds: Bounds,
        resolution: int,
        plane: RawPlane | None,
        is_line: bool,
    ) -> NeuronPlane:
        """Compute it; any thread may call.

        Args:
            network: at the viewed moment.
            neuron: which one.
            bounds: smallest and largest x, smallest and largest y, in the units of the data.
            resolution: points along each side.
            plane: which of the raw inputs vary, where there are three or more.
            is_line: there is one raw input.
        """
        if is_line:
            outputs = network.neuron_outputs(np.linspace(*bounds[:2], resolution)[:, None], neuron)
            return cls(neuron, outputs, bounds)
        places = grid_points(bounds, resolution)
        outputs = network.neuron_outputs(places if plane is None else plane.points(places), neuron)
        return cls(neuron, outputs.reshape(resolution, resolution), bounds)

    @property
    def _signed_levels(self) -> tuple[float, float]:
        sizes = np.abs(self.outputs[np.isfinite(self.outputs)])
        largest = full_scale(float(sizes.max()) if sizes.size else 0.0)
        return -largest, largest

    @property
    def shown_levels(self) -> tuple[float, float]:
        """Return the outputs of the two full colours: symmetric around 0, or those of the network's output."""
        return self.levels or self._signed_levels

    def caption(self, inputs: list[str]) -> tuple[str, str]:
        """Return the caption in the title bar, and its tooltip."""
        layer, number = self.neuron  # short: a narrow title bar has room for the scale, too
        name = inputs[number] if layer == 0 else TEXTS["short neuron"].format(layer=layer, neuron=number + 1)
        if not np.isfinite(self.outputs).any():
            return TEXTS["undefined caption"].format(neuron=name), ""
        if self.outputs.ndim == 1:
            most = reading_text(self._signed_levels[1])
            return TEXTS["line caption"].format(neuron=name, scale=most), TEXTS["line tip"]
        low, high = (reading_text(level, signed=not self.levels) for level in self.shown_levels)
        return TEXTS["map caption"].format(neuron=name, low=low, high=high), self._tip

    @property
    def _tip(self) -> str:
        low, high = map(reading_text, self.shown_levels)
        line = "" if self.line_at is None else TEXTS["line"].format(level=reading_text(self.line_at))
        return TEXTS["tip"].format(low=low, high=high, line=line)

    def color_scale(self, colors: Colors) -> Scale:
        """Return the scale of the colours; an empty one for a curve."""
        if self.outputs.ndim == 1:
            return Scale()
        low, high = (Entry(reading_text(level, signed=not self.levels)) for level in self.shown_levels)
        middle = "" if self.line_at is None else f"{self.line_at:g}"
        return Scale((low, high), surface_table(colors), middle, self._tip)
