"""The predictions panel: every sample, its target and prediction; a click shows it on the canvas."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QLabel, QVBoxLayout

from engine.autograd.notation import counted
from engine.csv_text import Column
from engine.experiment.snapshot_network import SampleFigures, encoded_targets
from engine.network import LOSSES
from gui.panels.figures.kind_choice import KindChoice
from gui.panels.figures.prediction_table import RIGHT, WRONG, PredictionTable
from gui.panels.figures.sorted_table import SortedView
from gui.panels.moment_panel import SampleFiguresPanel
from gui.plots.decision import class_titles
from gui.session import Change, Session
from gui.session.choices import ConfusionCell
from gui.theme import Colors
from gui.widgets.buttons import tool_button
from gui.widgets.labels import ElidedLabel
from gui.widgets.layouts import add_widgets

__all__ = ["RIGHT", "WRONG", "PredictionTable", "PredictionsPanel"]

LAST_COLUMN, VERDICT_COLUMN, WIDEST_COLUMN, INPUT_COLUMN, ROOM_BESIDE = 64, 20, 160, 60, 8  # pixels
FEW_INPUTS = 2
"""Inputs that always share the width; more are scrolled where they would not be readable."""
TEXTS = {
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
"""Texts of the panel."""
WIDE = 300
"""Panels of so many pixels and more number the samples at the left."""


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
        self.view = self.plot = self._make_view()
        self.line = self.note = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.line.setToolTip(TEXTS["link tip"])
        self.line.setProperty("muted", True)
        self.line.linkActivated.connect(lambda _link: self.explain())
        self.scaled = ElidedLabel(TEXTS["standardised"])
        self.scaled.setProperty("muted", True)
        top = add_widgets(QHBoxLayout(), self.kinds, self.only_wrong, self.cell, self.scaled, 1, spacing=6)
        parts = (top, self.view, 1, self.line)
        add_widgets(QVBoxLayout(self), *parts, margins=(4, 4, 4, 4), spacing=2)

    def _make_view(self) -> SortedView:
        view = SortedView(self.table, "predictions", 24, beside=2)
        view.setToolTip(TEXTS["tip"])
        view.horizontalHeader().setMinimumSectionSize(22)
        view.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        view.setMinimumHeight(72)
        view.clicked.connect(self.show_on_canvas)
        view.activated.connect(self.show_on_canvas)
        return view

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
            self.table.show_figures(figures, self._listed(figures, cell))
            if (self.table.widest_prediction, self.table.widest_verdict) != before:
                self._fit_columns()
        self.cell.setVisible(cell is not None)
        if cell is not None:
            names = class_titles(self.session.dataset)
            texts = {"actual": names[cell.actual], "decided": names[cell.decided]}
            self.cell.setText(TEXTS["cell"].format(**texts))
            self.cell.setToolTip(TEXTS["cell tip"].format(**texts))
        listed, samples = self.table.rowCount(), counted(self._n_samples, "sample")
        is_some = listed < self._n_samples
        self.set_caption(TEXTS["some"].format(listed=f"{listed:,}", samples=samples) if is_some else samples)
        self._say_line()

    @property
    def _n_samples(self) -> int:
        data = self.session.data
        kind = data.test if self.kinds.is_test and data.test is not None else data.train
        return kind.n_samples

    def _listed(self, figures: SampleFigures, cell: ConfusionCell | None) -> NDArray[np.int64] | None:
        """The samples that are listed; None for all."""
        if cell is not None:
            return figures.rows_decided(cell.actual, cell.decided)
        return np.flatnonzero(figures.wrong) if self.only_wrong.isChecked() else None

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
        sample = self._on_canvas
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
