"""The loss panel: what every step saw, from the first to the newest, and the loss of the test data beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from gui.panels.pace import Pace
from gui.panels.plots import Plot, drawable
from gui.session import Session
from gui.theme import LIGHT, Colors, mono_font
from gui.training_run import Progress

SECONDS_A_PICTURE = 0.06

Points = tuple[NDArray[Any], NDArray[Any]]


def logarithms(losses: NDArray[Any]) -> NDArray[Any]:
    """Exponents of ten of losses (n,); what is not above 0 gets a place one decade below the smallest that is."""
    positive = losses[losses > 0.0]
    floor = max(float(positive.min()) / 10.0, 1e-300) if positive.size else 1e-12
    return np.asarray(np.log10(np.where(losses > 0.0, losses, floor)))


class TrainingPanel(QWidget):
    """Loss against steps.

    Signals:
        caption_changed(str): the newest loss, or the one under the pointer.
    """

    caption_changed = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._colors = LIGHT
        self._train: Points = (np.empty(0), np.empty(0))
        self._test: Points = (np.empty(0), np.empty(0))
        self._pace = Pace(SECONDS_A_PICTURE)
        self.caption = ""
        self.plot = Plot("loss against steps")
        self.plot.setLabel("bottom", "step")
        self.plot.setLabel("left", "loss")
        self.plot.setMinimumHeight(110)
        self.train_curve = pg.PlotDataItem(antialias=False)
        self.test_curve = pg.PlotDataItem(antialias=False)
        self._line = pg.InfiniteLine(angle=90, movable=False)
        self._spot = pg.ScatterPlotItem(size=7)
        for item in (self.test_curve, self.train_curve, self._line, self._spot):
            self.plot.addItem(item, ignoreBounds=item in (self._line, self._spot))
        self.logarithmic = QToolButton()
        self._legend = QLabel()
        self._lay_out()
        self._follow_session()
        self.set_colors(LIGHT)

    def _lay_out(self) -> None:
        self.logarithmic.setText("log")
        self.logarithmic.setCheckable(True)
        self.logarithmic.setAccessibleName("logarithmic loss axis")
        self.logarithmic.setToolTip("Each tenth of the loss gets as much room as the one before")
        self.logarithmic.setStyleSheet("padding: 1px 8px;")
        self.logarithmic.toggled.connect(self._switch_axis)
        self._legend.setFont(mono_font(11))
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        corner = QHBoxLayout(self.plot)  # over the upper right corner, which a falling loss leaves free
        corner.setContentsMargins(0, 2, 4, 0)
        corner.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight)
        corner.addWidget(self._legend)
        corner.addWidget(self.logarithmic)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 4)
        column.addWidget(self.plot)

    def _follow_session(self) -> None:
        self.plot.scene().sigMouseMoved.connect(self._point_at)
        self.plot.viewport().installEventFilter(self)
        self._session.progressed.connect(self._show_progress)
        self._session.model_replaced.connect(self._start_afresh)
        self._point(None)
        self._say_newest()
        if self._session.progress is not None:
            self._show_progress(self._session.progress)

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        self._colors = colors
        self.plot.set_colors(colors)
        self.train_curve.setPen(pg.mkPen(colors.positive, width=1.5))
        self.test_curve.setPen(pg.mkPen(colors.negative, width=1.5, style=Qt.PenStyle.DashLine))
        self._line.setPen(pg.mkPen(colors.muted, style=Qt.PenStyle.DotLine))
        self._spot.setBrush(pg.mkBrush(colors.accent))
        self._spot.setPen(pg.mkPen(colors.panel))
        self._show_legend()

    def _show_legend(self) -> None:
        train = f'<span style="color:{self._colors.positive}">— train</span>'
        test = f'&nbsp; <span style="color:{self._colors.negative}">╌ test</span>'
        self._legend.setText(train + (test if len(self._test[0]) else ""))

    # Following training

    def _start_afresh(self) -> None:
        self._train = self._test = (np.empty(0), np.empty(0))
        self._draw()
        self._show_legend()
        self._point(None)
        self._say_newest()

    def _show_progress(self, progress: Progress) -> None:
        self._train = (progress.curve_steps, progress.curve_losses)
        if len(progress.test_steps) and not len(self._test[0]):
            self._test = (progress.test_steps, progress.test_losses)
            self._show_legend()
        self._test = (progress.test_steps, progress.test_losses)
        if self.isVisible() and self._pace.allows(progress.state == "running"):
            self._draw()
        if not self._line.isVisible():
            self._say_newest()

    def showEvent(self, event: Any) -> None:
        """Draws what came while it was hidden."""
        super().showEvent(event)
        self._draw()

    def _draw(self) -> None:
        for curve, (steps, losses) in ((self.train_curve, self._train), (self.test_curve, self._test)):
            curve.setData(steps, logarithms(losses) if self.logarithmic.isChecked() else drawable(losses))

    def _switch_axis(self, logarithmic: bool) -> None:
        self.plot.axes["left"].set_logarithmic(logarithmic)
        self._point(None)
        self._draw()

    # The value under the pointer

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """Takes the mark away when the pointer leaves the plot."""
        if event.type() == QEvent.Type.Leave:
            self._point(None)
            self._say_newest()
        return False

    def _point_at(self, position: QPointF) -> None:
        steps = self._train[0]
        view = self.plot.getPlotItem().getViewBox()
        if not len(steps) or not view.sceneBoundingRect().contains(position):
            self._point(None)
            self._say_newest()
            return
        x = view.mapSceneToView(position).x()
        self._point(int(np.abs(steps - x).argmin()))

    def _point(self, index: int | None) -> None:
        """Marks one step of the curve and says its loss; None: marks nothing."""
        for item in (self._line, self._spot):
            item.setVisible(index is not None)
        if index is None:
            return
        step, loss = float(self._train[0][index]), float(self._train[1][index])
        _, drawn = self.train_curve.getOriginalDataset()
        self._line.setValue(step)
        self._spot.setData([step], [float(drawn[index])])
        self._say(f"step {step:,.0f}: {loss:.6g}")

    def _say_newest(self) -> None:
        losses = self._train[1]
        self._say(f"{losses[-1]:.4f}" if len(losses) else "no step yet")

    def _say(self, caption: str) -> None:
        if caption != self.caption:
            self.caption = caption
            self.caption_changed.emit(caption)
