"""A line below a map with the network's output under the pointer, or the clicked sample."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QToolTip

from engine.experiment.snapshot_network import Neuron, SnapshotNetwork
from engine.network import Loss
from engine.network.run.outputs import RawPlane
from gui.number_texts import reading_text
from gui.panels.figure_tip import VALUE
from gui.panels.planes.neuron_plane import neuron_name
from gui.plots.data_points import DataPoints, Samples
from gui.plots.decision import class_texts, decided
from gui.plots.plot import Plot, Pointer
from gui.widgets.labels import ElidedLabel, literal_tip

TEXTS = {
    "hint": "Point to read the output; click a sample to see its graph.",
    "neuron hint": "Shown: {neuron}, pointed at in Network.",
    "tip": "Point at a place to read the output there. Click a point to show its sample on the canvas; a large "
    "ring marks it here. A red ring marks a wrong prediction. Hollow points are test points.",
    "test point": "This is a test point. The canvas shows training points only.",
    "place": "{across} {x}, {up} {y}: {output}",
    "place on line": "{across} {x}: {output}",
    "neuron": "{neuron} {output}",
}
"""Texts of the line, besides the meanings of an output."""
OUTPUT_TEXTS = {
    "undefined": "the output is not a finite number",
    "number": "output {output}",
    "probability": "output {output}, the probability of {second}: class {name}",
    "decided": "output {output}: class {name}",
    "largest probability": "class {name} with probability {output}, of {outputs}",
    "largest": "class {name} with the largest output {output}, of {outputs}",
}
"""Meanings of an output."""


class PlaceReading(ElidedLabel):
    """Label with the reading.

    Attributes:
        pointer: over the plot.

    Signals:
        sample_clicked(int): a sample that is trained on, from 0.
    """

    sample_clicked = Signal(int)

    def __init__(self, plot: Plot, points: DataPoints) -> None:
        """Watch a plot and the points in it."""
        super().__init__(TEXTS["hint"])
        self.setProperty("muted", True)
        self.setToolTip(TEXTS["tip"])
        self._plot, self._points = plot, points
        self._shown: tuple[SnapshotNetwork, Samples, tuple[int, ...], RawPlane | None] | None = None
        self._neuron: Neuron | None = None
        self._place: QPointF | None = None
        self.pointer = Pointer(plot)
        self.pointer.moved.connect(self._read)
        self.pointer.left.connect(self._leave)
        self.pointer.clicked.connect(self._click)

    def show_moment(
        self,
        network: SnapshotNetwork,
        samples: Samples,
        columns: tuple[int, ...],
        plane: RawPlane | None,
        neuron: Neuron | None = None,
    ) -> None:
        """Read another moment; the place under the pointer is read again.

        Args:
            network: at the moment.
            samples: the drawn samples.
            columns: the raw inputs that are the axes, from 0; none: places mean nothing.
            plane: of these axes, where there are more raw inputs.
            neuron: whose output is read; None: the network's.
        """
        self._shown, self._neuron = (network, samples, columns, plane), neuron
        self._read(self._place) if self._place is not None else self._say_hint()

    def forget(self) -> None:
        """Read nothing until the next `show_moment`."""
        self._shown = None
        self._leave()

    def _leave(self) -> None:
        self._place = None
        self._plot.setProperty(VALUE, "")
        self._say_hint()

    def _say_hint(self) -> None:
        """Show a hint on the readout, or the neuron that is shown instead of the network's output."""
        if self._shown is None or self._neuron is None:
            self.setText(TEXTS["hint"])
            return
        name = neuron_name(self._neuron, list(self._shown[0].data.train.feature_names))
        self.setText(TEXTS["neuron hint"].format(neuron=name))

    def _read(self, place: QPointF) -> None:
        self._place = place
        if self._shown is None or not self._shown[2]:
            return
        network, samples, columns, plane = self._shown
        places = np.array([[place.x(), place.y()][: len(columns)]])
        raw = places if plane is None else plane.points(places)
        names = [samples.raw.feature_names[column] for column in columns]
        x, y = reading_text(place.x()), reading_text(place.y())
        if self._neuron is None:
            reading = output_text(network.outputs(raw)[0], network.loss, samples)
        else:
            name = neuron_name(self._neuron, list(network.data.train.feature_names))
            output = reading_text(network.neuron_outputs(raw, self._neuron)[0], signed=True)
            reading = TEXTS["neuron"].format(neuron=name, output=output)
        text = TEXTS["place" if len(columns) == 2 else "place on line"]
        self.setText(text.format(across=names[0], up=names[-1], x=x, y=y, output=reading))
        has_room = not self.isHidden() and not self.is_cut
        self._plot.setProperty(VALUE, "" if has_room else self.text())
        if not self._plot.underMouse():
            return
        if has_room:
            QToolTip.hideText()
        else:
            QToolTip.showText(QCursor.pos(), literal_tip(self.text()), self._plot)

    def _click(self, place: QPointF) -> None:
        row, shown = self._points.row_at(place), self._shown
        if row is None or shown is None:
            return
        if row < shown[1].n_train:
            self.sample_clicked.emit(int(shown[1].train_samples[row]))
        else:
            self.setText(TEXTS["test point"])


def output_text(outputs: NDArray[Any], loss: Loss, samples: Samples) -> str:
    """Shown outputs (n_outputs,) of one place: the number, the class that it means, the probability where it is one.

    Args:
        outputs: as they are shown.
        loss: defines the meaning of the outputs.
        samples: have the classes and the level between them.
    """
    if not np.isfinite(outputs).all():
        return OUTPUT_TEXTS["undefined"]
    if samples.targets.classes is None:
        return OUTPUT_TEXTS["number"].format(output=reading_text(outputs[0]))
    names = class_texts(samples.raw, samples.all_targets)
    best = int(decided(outputs[None], samples.level)[0])
    if len(outputs) == 1:
        text = OUTPUT_TEXTS["probability" if loss.probability else "decided"]
        return text.format(output=reading_text(outputs[0]), second=names[1], name=names[best])
    text = OUTPUT_TEXTS["largest probability" if loss.probability else "largest"]
    others = ", ".join(map(reading_text, outputs))
    return text.format(name=names[best], output=reading_text(outputs[best]), outputs=others)
