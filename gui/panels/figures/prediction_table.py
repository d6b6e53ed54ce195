"""The table of predictions: a row for each sample, sorted by any column; only what is visible is turned into text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from datasets import Dataset
from engine.csv_text import Column
from engine.experiment.prepared import STANDARDISED
from engine.experiment.snapshot_network import SampleFigures
from engine.network import Loss, Targets
from engine.teaching.typeset import true_minus
from gui.number_texts import input_text, reading_text
from gui.panels.figures.sorted_table import SortedModel
from gui.plots.decision import class_texts, decision_level
from gui.widgets.tables import Index

WRONG, RIGHT = "✗", "✓"
SMALL_NUMBER = "+0.0000"
"""A prediction as it usually is; one of a network that diverges is longer."""
TEXTS = {
    "input tip": "{name}: input of the network, after features and scaling.",
    "target tip": "The target of the network. {trains_on}",
    "probability tip": "The probability of the second class: above {level:g} it means {second}.",
    "decided tip": "The output of the network: above {level:g} it means {second}.",
    "probabilities tip": "The class with the largest output, and its probability.",
    "largest tip": "The class with the largest output.",
    "number tip": "The output of the network.",
    "verdict tip": "✓: the predicted class is correct. ✗: it is wrong.",
    "residual tip": "Target minus prediction.",
    "input": "sample {n}: {name} = {numbers}",
    "target": "sample {n}: target {numbers}",
    "awaited": "sample {n}: not computed yet",
    "prediction": "sample {n}: prediction {numbers}",
    "wrong prediction": "sample {n}: prediction {numbers}, not the target's class",
    "residual": "sample {n}: target minus prediction = {numbers}",
}
"""Texts of the table."""


class PredictionTable(SortedModel):
    """A row for each sample: inputs, target, prediction, and a mark for right or wrong, or the residual.

    Attributes:
        on_canvas: the sample that the canvas shows; None for none of these.
    """

    def __init__(self, dataset: Dataset, targets: Targets, loss: Loss) -> None:
        super().__init__()
        self.on_canvas: int | None = None
        self.show_samples(dataset, targets, loss)

    def show_samples(self, dataset: Dataset, targets: Targets, loss: Loss) -> None:
        """Show other samples, or targets for another loss; there are no predictions yet."""
        self._dataset, self._targets, self._loss = dataset, targets, loss
        self._level = decision_level(loss, targets)
        self._classes = class_texts(dataset, targets) if dataset.n_classes else ()
        self._chosen: NDArray[np.int64] | None = None
        self._widest_number, self._largest = SMALL_NUMBER, 0.0
        self._outputs: NDArray[Any] = np.empty((0, targets.values.shape[1]))
        self._wrong: NDArray[Any] = np.empty(0, dtype=bool)
        inputs = [name.removesuffix(STANDARDISED) for name in dataset.feature_names]  # the panel shows this
        self.columns = [*inputs, "target", "prediction", "" if self._is_classes else "residual"]
        self.arrange(rebuild=True)

    def show_figures(self, figures: SampleFigures, chosen: NDArray[np.int64] | None = None) -> None:
        """Show the network's outputs for all samples.

        Args:
            figures: of the samples of the table.
            chosen: the samples to list; None: all.
        """
        self._outputs, self._wrong, self._chosen = figures.shown, figures.wrong, chosen
        self._measure()
        self.arrange()

    def listed(self) -> NDArray[np.int64]:
        return np.arange(self._dataset.n_samples) if self._chosen is None else self._chosen

    def sort_keys(self, column: int) -> NDArray[Any] | None:
        n_features = self._dataset.n_features
        if column < n_features:
            return np.asarray(self._dataset.X[:, column], dtype=np.float64)
        if column == n_features:
            return self._targets.numbers
        if not len(self._outputs):
            return None
        if column == n_features + 1:
            return np.nan_to_num(self._readings())
        return self._wrong.astype(np.float64) if self._is_classes else np.abs(np.nan_to_num(self._residuals()))

    def _readings(self) -> NDArray[Any]:
        """Return the number to sort predictions by: the output, or the class with its probability."""
        if self._outputs.shape[1] == 1 or not self._is_classes:
            return np.asarray(self._outputs[:, 0])
        best = self._outputs.max(axis=1)
        span = float(np.nanmax(np.abs(np.nan_to_num(best)), initial=1.0)) * 2 + 1
        return np.asarray(self._outputs.argmax(axis=1) * span + best)

    @np.errstate(all="ignore")  # of a diverged network
    def _residuals(self) -> NDArray[Any]:
        return np.asarray(self._targets.values[:, 0] - self._outputs[:, 0])

    @property
    def _is_classes(self) -> bool:
        return self._targets.classes is not None

    # Model interface

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return int(self.rows[section]) + 1 if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._header_tip(section)
        return super().headerData(section, orientation, role)

    def _header_tip(self, section: int) -> str:
        place = section - self._dataset.n_features
        if place < 0:
            return TEXTS["input tip"].format(name=self._dataset.feature_names[section])
        if place == 0:
            return TEXTS["target tip"].format(trains_on=self._loss.trains_on)
        return self._prediction_tip() if place == 1 else TEXTS["verdict tip" if self._is_classes else "residual tip"]

    def _prediction_tip(self) -> str:
        probable = bool(self._loss.probability)
        if self._level is not None:
            text = TEXTS["probability tip" if probable else "decided tip"]
            return text.format(level=self._level, second=self._classes[1])
        if self._is_classes:
            return TEXTS["probabilities tip" if probable else "largest tip"]
        return TEXTS["number tip"]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, alignment, colour and the full value of a cell."""
        sample, place = int(self.rows[index.row()]), index.column() - self._dataset.n_features
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._full_text(sample, index.column())
        if role == Qt.ItemDataRole.BackgroundRole and sample == self.on_canvas:
            return QColor(self.colors.warning)
        is_known = sample < len(self._outputs)
        if role == Qt.ItemDataRole.ForegroundRole and place >= 1 and is_known and self._wrong[sample]:
            return QColor(self.colors.error)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if place < 0:
            return input_text(self._dataset.X[sample, index.column()])
        if place == 0:
            return self.target_text(sample)
        return self._outcome(sample, place) if is_known else None

    def _outcome(self, sample: int, place: int) -> str:
        if place == 1:
            return self.prediction_text(sample)
        if self._is_classes:
            return WRONG if self._wrong[sample] else RIGHT
        return reading_text(self._residuals()[sample], signed=True)

    def _full_text(self, sample: int, column: int) -> str:
        """All digits of a cell's number, with the name of its column."""
        name, place, numbers = "", column - self._dataset.n_features, []
        if place < 0:
            kind, name, numbers = "input", self._dataset.feature_names[column], [float(self._dataset.X[sample, column])]
        elif place == 0:
            kind, numbers = "target", self._targets.values[sample].tolist()
        elif sample >= len(self._outputs):
            kind = "awaited"
        elif place == 2 and not self._is_classes:
            kind, numbers = "residual", [float(self._residuals()[sample])]
        else:
            kind, numbers = "wrong prediction" if self._wrong[sample] else "prediction", self._outputs[sample].tolist()
        return true_minus(TEXTS[kind].format(n=sample + 1, name=name, numbers=", ".join(map(repr, numbers))))

    def target_text(self, sample: int) -> str:
        """Return the target as text: a number, with the name of its class where it has one."""
        classes = self._targets.classes
        return reading_text(self._targets.numbers[sample]) if classes is None else self._classes[classes[sample]]

    def prediction_text(self, sample: int) -> str:
        """The output; of several the class with the largest one."""
        outputs = self._outputs[sample]
        if len(outputs) == 1 or not self._is_classes:
            return reading_text(outputs[0], signed=not self._loss.probability)
        best = int(np.argmax(outputs))
        size = f"{outputs[best]:.0%}" if self._loss.probability else f"({input_text(outputs[best])})"
        return f"{self._classes[best]} {size}"

    def is_wrong(self, sample: int) -> bool | None:
        """Return True for a wrongly classified sample; None where that is unknown, or for regression."""
        return bool(self._wrong[sample]) if self._is_classes and sample < len(self._wrong) else None

    def figure_data(self) -> Sequence[Column]:
        """The listed samples with all digits."""
        rows, dataset = self.rows, self._dataset
        columns: list[Column] = [("sample", rows + 1)]
        columns += [(name, dataset.X[rows, i]) for i, name in enumerate(dataset.feature_names)]
        classes, numbers = self._targets.classes, self._targets.numbers[rows]
        targets = numbers if classes is None else [dataset.class_names[class_] for class_ in classes[rows]]
        columns.append(("target", targets))
        if len(self._outputs):
            several = self._outputs.shape[1] > 1
            names = [f"output {i + 1}" if several else "output" for i in range(self._outputs.shape[1])]
            columns += [(name, self._outputs[rows, i]) for i, name in enumerate(names)]
            if self._is_classes:
                columns.append(("wrong", self._wrong[rows].astype(int)))
        return columns

    @property
    def widest_prediction(self) -> str:
        """A text as long as the longest prediction up to now, of a network that diverged, too."""
        if self._level is not None or not self._is_classes:
            return self._widest_number
        size = "100%" if self._loss.probability else f"({input_text(-self._largest)})" if self._largest else "(-0.00)"
        return f"{max(self._classes, key=len)} {size}"

    @property
    def widest_input(self) -> str:
        """A text as long as the longest number in the columns of inputs."""
        X = self._dataset.X
        ends = (float(end(X)) for end in (np.min, np.max)) if X.size else (0.0,)
        return max(map(input_text, ends), key=len)

    @property
    def widest_verdict(self) -> str:
        """A text as long as the longest up to now in the last column."""
        return WRONG if self._is_classes else self._widest_number

    def _measure(self) -> None:
        """Measure the largest and the smallest number; columns never get narrower."""
        sizes = np.abs(self._outputs[np.isfinite(self._outputs) & (self._outputs != 0.0)])
        if sizes.size:
            self._largest = max(self._largest, float(sizes.max()))
            texts = (self._widest_number, reading_text(-self._largest), reading_text(-float(sizes.min())))
            self._widest_number = max(texts, key=len)
