"""The output of one neuron in the boundary panel, while the network drawing points at that neuron."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.document.moments.moment_network import MomentNetwork, Neuron
from engine.graph.drawn_scale import full_scale
from engine.network.predictor import Bounds, grid_points
from engine.network.run.progress import RawPlane
from engine.quick_dataclass import dataclass
from gui.number_texts import reading_text
from gui.panels.color_scale import Entry, Scale
from gui.panels.planes.plane import surface_table
from gui.theme import Colors

TEXTS = {
    "input": "input {name}",
    "neuron": "L{layer}N{neuron}",
    "map caption": "output of {neuron}, colours −{scale} to +{scale}",
    "line caption": "output of {neuron}, at most {scale} from 0",
    "undefined caption": "output of {neuron}: not a finite number",
    "tip": "The output of the neuron that the network drawing points at, at this step. Blue is above 0, orange below, "
    "{scale} from 0 has the full colour, and the line is where it is 0. The points are the data.",
    "line tip": "The output of the neuron that the network drawing points at, at this step. The points are the data.",
}
"""Every text about a neuron's output."""


def neuron_name(neuron: Neuron, inputs: list[str]) -> str:
    """Return `L1N2` for a neuron, `input x1` for an input, which is layer 0."""
    layer, number = neuron
    if layer == 0:
        return TEXTS["input"].format(name=inputs[number])
    return TEXTS["neuron"].format(layer=layer, neuron=number + 1)


@dataclass(frozen=True, eq=False)
class NeuronPlane:
    """A neuron's output over what the boundary panel shows.

    Attributes:
        neuron: which one.
        outputs: (n, n), rows by ascending y; (n,) over a line.
        bounds: x of the first and last column, y of the first and last row.
    """

    neuron: Neuron
    outputs: NDArray[Any]
    bounds: Bounds

    @classmethod
    def of(
        cls,
        network: MomentNetwork,
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
            is_line: whether there is one raw input.
        """
        if is_line:
            outputs = network.neuron_outputs(np.linspace(*bounds[:2], resolution)[:, None], neuron)
            return cls(neuron, outputs, bounds)
        places = grid_points(bounds, resolution)
        outputs = network.neuron_outputs(places if plane is None else plane.points(places), neuron)
        return cls(neuron, outputs.reshape(resolution, resolution), bounds)

    @property
    def scale(self) -> float:
        """The distance from 0 that has the full colour: the largest finite output, or the floor."""
        sizes = np.abs(self.outputs[np.isfinite(self.outputs)])
        return full_scale(float(sizes.max()) if sizes.size else 0.0)

    def caption(self, inputs: list[str]) -> tuple[str, str]:
        """The words for the title bar, and whole sentences for their tooltip."""
        name, scale = neuron_name(self.neuron, inputs), reading_text(self.scale)
        if not np.isfinite(self.outputs).any():
            return TEXTS["undefined caption"].format(neuron=name), ""
        kind, tip = ("map", "tip") if self.outputs.ndim == 2 else ("line", "line tip")
        return TEXTS[f"{kind} caption"].format(neuron=name, scale=scale), TEXTS[tip].format(scale=scale)

    def color_scale(self, colors: Colors) -> Scale:
        """The key of the colours; nothing for a curve."""
        if self.outputs.ndim == 1:
            return Scale()
        scale = reading_text(self.scale)
        return Scale(
            (Entry(f"−{scale}"), Entry(f"+{scale}")), surface_table(colors), "0", TEXTS["tip"].format(scale=scale)
        )
