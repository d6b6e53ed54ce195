"""The predictions panel: every sample, its target and prediction; a click shows it on the canvas."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QVBoxLayout

from datasets import Dataset
from engine.autograd.notation import counted
from engine.csv_text import Column
from engine.experiment.prepared import STANDARDISED
from engine.experiment.snapshot_network import SampleFigures, encoded_targets
from engine.network import LOSSES, Loss, Targets
from engine.teaching.typeset import true_minus
from gui.number_texts import input_text, reading_text
from gui.panels.figures.kind_choice import KindChoice
from gui.panels.figures.sorted_table import SortedModel, SortedView
from gui.panels.moment_panel import SampleFiguresPanel
from gui.plots.decision import class_texts, class_titles, decision_level
from gui.session import Change, Session
from gui.theme import Colors
from gui.widgets.buttons import tool_button
from gui.widgets.labels import ElidedLabel, literal_tip
from gui.widgets.layouts import add_widgets
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
    "tip": "Click a sample to show the network on it in the canvas. Click a column's name to sort by it.",
    "only wrong": "Wrong only",
    "only wrong tip": "List only the wrongly classified samples",
    "cell": "{actual} → {decided} ×",
    "cell tip": "Only samples of {actual} that are predicted to be {decided} are listed. Click to list all samples.",
    "some": "{listed} of {samples}",
    "wrong": "Sample {n} is on the canvas: {prediction}, but its target is {target}.",
    "right": "Sample {n} is on the canvas: {prediction}, its target is {target}.",
    "untold": "Sample {n} is on the canvas.",
    "wrong link": "Why is it wrong?",
    "link": "Why?",
    "link tip": "Show the graph of this sample and explain its loss, step by step from the inputs",
    "test sample": "Sample {n} is a test sample. The canvas shows training samples only.",
    "standardised": "standardised",
    "none listed": "No such sample at this step.",
}
"""Texts of the table and of the panel."""
LAST_COLUMN, VERDICT_COLUMN, WIDEST_COLUMN, INPUT_COLUMN, ROOM_BESIDE = 64, 20, 160, 60, 8  # pixels
FEW_INPUTS = 2
"""Inputs that always share the width; more are scrolled where they would not be readable."""
WIDE = 300
"""Panels of so many pixels and more number the samples at the left."""


class PredictionTable(SortedModel):
    """A row for each sample: inputs, target, prediction, and a mark for right or wrong, or the residual.

    Attributes:
        on_canvas: the sample on the canvas when figures were last shown; None where it is not in the table.
    """

    def __init__(self, dataset: Dataset, targets: Targets, loss: Loss) -> None:
        super().__init__()
        self.show_samples(dataset, targets, loss)

    def show_samples(self, dataset: Dataset, targets: Targets, loss: Loss) -> None:
        """Show other samples, or targets for another loss; there are no predictions yet."""
        self._dataset, self._targets, self._loss = dataset, targets, loss
        self.on_canvas: int | None = None
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
        sizes = np.abs(self._outputs[np.isfinite(self._outputs) & (self._outputs != 0.0)])
        if sizes.size:
            self._largest = max(self._largest, float(sizes.max()))
            # columns never get narrower
            texts = (self._widest_number, reading_text(-self._largest), reading_text(-float(sizes.min())))
            self._widest_number = max(texts, key=len)
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
            place = section - self._dataset.n_features
            if place < 0:
                return literal_tip(TEXTS["input tip"].format(name=self._dataset.feature_names[section]))
            if place == 0:
                return TEXTS["target tip"].format(trains_on=self._loss.trains_on)
            if place == 2:
                return TEXTS["verdict tip" if self._is_classes else "residual tip"]
            probable = bool(self._loss.probability)
            if self._level is not None:
                text = TEXTS["probability tip" if probable else "decided tip"]
                return literal_tip(text.format(level=self._level, second=self._classes[1]))
            if self._is_classes:
                return TEXTS["probabilities tip" if probable else "largest tip"]
            return TEXTS["number tip"]
        return super().headerData(section, orientation, role)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, alignment, colour and the full value of a cell."""
        sample, place = int(self.rows[index.row()]), index.column() - self._dataset.n_features
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.ToolTipRole:
            return literal_tip(self._full_text(sample, index.column()))
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
        if not is_known:
            return None
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


class PredictionsPanel(SampleFiguresPanel):
    """The live table; the caption has the number of listed samples.

    Attributes:
        table, view: the samples and what shows them; `plot` is the view, for an export.
        kinds: those that are trained on or those that only test.
        only_wrong: the button that leaves out those that are decided right.
        cell: the button with the listed cell of the confusion matrix; visible while one is listed.
        line: which sample is on the canvas.
    """

    rest_seconds = 0.1
    full_speed_rest_seconds = 0.5
    depends_on = SampleFiguresPanel.depends_on | {"samples", "view"}

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.kinds = KindChoice()
        self.kinds.clicked.connect(lambda _kind: self._choose_kind())
        self.only_wrong = tool_button(TEXTS["only wrong"], TEXTS["only wrong tip"], padding="1px 6px", checkable=True)
        self.only_wrong.toggled.connect(lambda _on: self.show_figures())
        self.cell = tool_button("", "", padding="1px 6px")
        self.cell.clicked.connect(lambda: session.samples.choose(None))
        self.table = PredictionTable(*self._samples())
        self.view = self.plot = view = SortedView(self.table, "predictions", 24, beside=2)
        view.setToolTip(TEXTS["tip"])
        view.horizontalHeader().setMinimumSectionSize(22)
        view.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        view.setMinimumHeight(72)
        view.clicked.connect(self.show_on_canvas)
        view.activated.connect(self.show_on_canvas)
        self.line = self.note = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.line.setToolTip(TEXTS["link tip"])
        self.line.setProperty("muted", True)
        self.line.linkActivated.connect(lambda _link: self.explain())
        self.scaled = ElidedLabel(TEXTS["standardised"])
        self.scaled.setProperty("muted", True)
        top = add_widgets(QHBoxLayout(), self.kinds, self.only_wrong, self.cell, self.scaled, 1, spacing=6)
        parts = (top, self.view, 1, self.line)
        add_widgets(QVBoxLayout(self), *parts, margins=(4, 4, 4, 4), spacing=2)

    def set_colors(self, colors: Colors) -> None:
        super().set_colors(colors)
        self.table.colors = colors
        self.view.viewport().update()
        self._say_line()

    # Following the session

    def refresh(self, change: Change) -> None:
        cell = self.session.samples.cell
        if "samples" in change and cell is not None and cell.is_test != self.kinds.is_test:
            self.kinds.choose(cell.is_test)
            self._show_samples()
        super().refresh(change)
        if change & {"model", "samples", "view"}:
            self.show_figures()

    def reset(self) -> None:
        """List the samples; nothing is known of them."""
        super().reset()
        self.kinds.show_kinds(self.session.data.test is not None)
        self.scaled.setText(TEXTS["standardised"] if self.session.data.scaling is not None else "")
        self.only_wrong.setVisible(bool(self.session.dataset.n_classes))
        if not self.session.dataset.n_classes:
            self.only_wrong.setChecked(False)
        self._show_samples()

    @property
    def step(self) -> int | None:
        """The step whose outputs are shown; None for none yet."""
        return None if self.figures is None else self.figures[0].step

    # Rows

    def _samples(self) -> tuple[Any, Any, Any]:
        """Samples of the chosen kind, their targets, and the loss."""
        session = self.session
        data, loss = session.data, LOSSES[session.document.training.loss]
        targets, test_targets = encoded_targets(data, loss, session.document.network.layer_sizes[-1])
        if self.kinds.is_test and data.test is not None:
            return data.test, test_targets, loss
        return data.train, targets, loss

    def _choose_kind(self) -> None:
        self.session.samples.choose(None)
        self._show_samples()
        self.show_figures()

    def _show_samples(self) -> None:
        self.table.show_samples(*self._samples())
        self._fit_columns()

    @property
    def _is_wide(self) -> bool:
        """True when there is room for the samples' numbers and for whole column titles."""
        more = 0 if self.session.dataset.n_classes else INPUT_COLUMN * (self.session.dataset.n_features - 1)
        return self.width() >= WIDE + more

    def _fit_columns(self) -> None:
        """Fit the last columns to their content; the others share the rest; three or more are scrolled."""
        self.view.verticalHeader().setVisible(self._is_wide)
        header, last = self.view.horizontalHeader(), self.table.columnCount() - 1
        is_regression = not self.session.dataset.n_classes
        title = header.fontMetrics().horizontalAdvance("prediction") if self._is_wide else 0
        metrics, n_inputs = self.view.fontMetrics(), self.session.dataset.n_features
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        columns = [
            (last - 1, self.table.widest_prediction, max(LAST_COLUMN, title + ROOM_BESIDE)),
            (last, self.table.widest_verdict, LAST_COLUMN if is_regression else VERDICT_COLUMN),
        ]
        if is_regression:  # a target is as long as its prediction
            columns.append((last - 2, self.table.widest_verdict, 0))
        for column, text, width in columns:
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            wanted = metrics.horizontalAdvance(text) + ROOM_BESIDE
            header.resizeSection(column, min(max(width, wanted), WIDEST_COLUMN))
        least = min(metrics.horizontalAdvance(self.table.widest_input) + ROOM_BESIDE, WIDEST_COLUMN)
        last_columns = sum(header.sectionSize(column) for column in range(n_inputs, last + 1))
        if n_inputs > FEW_INPUTS and self.view.viewport().width() - last_columns < n_inputs * least:
            for column in range(n_inputs):
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
                header.resizeSection(column, least)

    def show_figures(self) -> None:
        figures = None if self.figures is None else self.figures[self.kinds.is_test]
        cell = self.session.samples.cell_of(self.kinds.is_test)
        self.table.on_canvas = self._on_canvas
        if figures is not None and len(figures.outputs) == self._n_samples:
            before = self.table.widest_prediction, self.table.widest_verdict
            listed = np.flatnonzero(figures.wrong) if self.only_wrong.isChecked() else None  # None: all
            if cell is not None:
                listed = figures.rows_decided(cell.actual, cell.decided)
            self.table.show_figures(figures, listed)
            if (self.table.widest_prediction, self.table.widest_verdict) != before:
                self._fit_columns()
        self.cell.setVisible(cell is not None)
        if cell is not None:
            names = class_titles(self.session.dataset)
            texts = {"actual": names[cell.actual], "decided": names[cell.decided]}
            self.cell.setText(TEXTS["cell"].format(**texts))
            self.cell.setToolTip(TEXTS["cell tip"].format(**texts))
        n_listed, samples = self.table.rowCount(), counted(self._n_samples, "sample")
        is_some = n_listed < self._n_samples
        self.set_caption(TEXTS["some"].format(listed=f"{n_listed:,}", samples=samples) if is_some else samples)
        self._say_line()

    @property
    def _n_samples(self) -> int:
        data = self.session.data
        kind = data.test if self.kinds.is_test and data.test is not None else data.train
        return kind.n_samples

    # The sample on the canvas

    @property
    def _on_canvas(self) -> int | None:
        view = self.session.document.view
        if view.shows != "network" or self.kinds.is_test:
            return None
        return min(view.sample, self.session.dataset.n_samples - 1)

    def show_on_canvas(self, index: QModelIndex) -> None:
        """Show the network on the sample of a row in the canvas."""
        sample = int(self.table.rows[index.row()])
        if self.kinds.is_test:
            self.session.message_posted.emit(TEXTS["test sample"].format(n=sample + 1), "note")
        else:
            self.session.set_view(shows="network", sample=sample)

    def explain(self) -> None:
        """Show why the sample on the canvas has its loss."""
        self.session.action_requested.emit("explain sample")

    def _say_line(self) -> None:
        sample = self.table.on_canvas
        if sample is None:
            self.line.setText(TEXTS["none listed"] if not self.table.rowCount() else "")
            self.line.setVisible(bool(self.line.text()))
            return
        wrong = self.table.is_wrong(sample)
        name = "untold" if wrong is None else "wrong" if wrong else "right"
        texts = {"n": str(sample + 1), "target": escape(self.table.target_text(sample))}
        if wrong is not None:
            texts["prediction"] = escape(self.table.prediction_text(sample))
        link = TEXTS["wrong link" if wrong else "link"]
        words = TEXTS[name].format(**texts)
        self.line.setText(f'{words} <a href="why" style="color:{self.colors.accent}">{link}</a>')
        self.line.show()

    def figure_data(self) -> Sequence[Column]:
        return self.table.figure_data()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()
