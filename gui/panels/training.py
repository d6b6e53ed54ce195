"""The loss panel: what every step saw, from the first to the newest, and the loss of the test data beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from engine.document.csv_text import Column
from engine.network.progress import RunState
from gui.panels.history_bar import HistoryBar
from gui.panels.loss_scale import AxisChoice, cut_above, logarithms, worth_seeing
from gui.panels.loss_texts import (
    NO_CAPTION,
    NO_STEP,
    Caption,
    curve_caption,
    cut_note,
    logarithmic_note,
    newest_caption,
    point_caption,
    train_points,
    viewed_caption,
)
from gui.panels.panel import Panel
from gui.panels.plots import GESTURES, Plot, drawable, range_around, steady_range
from gui.session import Change, Session
from gui.theme import LIGHT, Colors, mono_font
from gui.widgets.labels import LinesLabel
from gui.widgets.layouts import filled

FEW_POINTS = 40
"""A curve of so many points or fewer has a mark at each."""

FEWEST_STEPS = 4.0
"""What the step axis spans at least."""

HEADER_HEIGHT = 32  # pixels

Points = tuple[NDArray[Any], NDArray[Any]]
NO_POINTS: Points = (np.empty(0), np.empty(0))


def finite(steps: NDArray[Any], losses: NDArray[Any]) -> Points:
    """The points of a curve whose loss is a finite number."""
    kept = np.isfinite(losses)
    return steps[kept], losses[kept]


class TrainingPanel(Panel):
    """Loss against steps; the caption says the loss of the step that is viewed, or of the one under the pointer."""

    rest_seconds = 0.06

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._train, self._test = NO_POINTS, NO_POINTS
        self._choice = AxisChoice()
        self._pointer: QPointF | None = None
        self.plot = Plot("loss against steps")
        self.plot.setLabel("bottom", "step")
        self.plot.setLabel("left", "loss")
        self.plot.axes["bottom"].whole = True
        self.plot.setMinimumHeight(76)
        self.train_curve = pg.PlotDataItem(antialias=False)
        self.test_curve = pg.PlotDataItem(antialias=False)
        self._line = pg.InfiniteLine(angle=90, movable=False)
        self._spot = pg.ScatterPlotItem(size=7)
        self.divergence = pg.InfiniteLine(angle=90, movable=False)
        self.viewed = pg.InfiniteLine(angle=90, movable=False)
        for item in (self.test_curve, self.train_curve, self.divergence, self.viewed, self._line, self._spot):
            self.plot.addItem(item)
        self.logarithmic = QToolButton()
        self.legend = QLabel()
        self.note = LinesLabel(2)
        self.history = HistoryBar(session)
        self._lay_out()
        self._follow_pointer_over(self.plot)
        self.set_colors(LIGHT)

    def _lay_out(self) -> None:
        self.logarithmic.setText("log")
        self.logarithmic.setCheckable(True)
        self.logarithmic.setAccessibleName("logarithmic loss axis")
        self.logarithmic.setToolTip("Each tenth of the loss gets as much room as the one before")
        self.logarithmic.setStyleSheet("padding: 1px 8px;")
        self.logarithmic.clicked.connect(self._choose_axis)
        self.legend.setFont(mono_font(11))
        self.legend.setStyleSheet("font-size: 11px;")
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setMinimumWidth(1)
        self.legend.setWordWrap(True)
        self.note.setFont(mono_font(10))
        self.note.setStyleSheet("font-size: 10px;")
        self.note.setProperty("muted", True)
        self.note.setCursor(Qt.CursorShape.PointingHandCursor)
        self.note.installEventFilter(self)
        header = QWidget()
        header.setFixedHeight(HEADER_HEIGHT)
        filled(QHBoxLayout(header), self.legend, 1, self.plot.fit_button, self.logarithmic, margins=(4, 0, 2, 0))
        filled(QVBoxLayout(self), header, self.note, self.plot, 1, self.history, margins=(6, 4, 6, 4), spacing=0)

    def _follow_pointer_over(self, plot: Plot) -> None:
        plot.scene().sigMouseMoved.connect(self._point_at)
        plot.viewport().installEventFilter(self)
        plot.box.sigRangeChanged.connect(lambda *_: self._point())

    def set_colors(self, colors: Colors) -> None:
        """Takes the theme's colours."""
        super().set_colors(colors)
        self.plot.set_colors(colors)
        for curve, color, style in (
            (self.train_curve, colors.positive, Qt.PenStyle.SolidLine),
            (self.test_curve, colors.negative, Qt.PenStyle.DashLine),
        ):
            curve.setPen(pg.mkPen(color, width=1.5, style=style))
            curve.setSymbolBrush(pg.mkBrush(color))
            curve.setSymbolPen(pg.mkPen(color))
        self._line.setPen(pg.mkPen(colors.muted, style=Qt.PenStyle.DotLine))
        self._spot.setBrush(pg.mkBrush(colors.accent))
        self.viewed.setPen(pg.mkPen(colors.accent, width=1.5))
        self._spot.setPen(pg.mkPen(colors.panel))
        self.divergence.setPen(pg.mkPen(colors.error, width=1.5, style=Qt.PenStyle.DashLine))
        self._show_legend()

    def _show_legend(self) -> None:
        progress, n_samples = self.session.newest, self.session.dataset.n_samples
        train = NO_CAPTION if progress is None else curve_caption(progress.snapshot, n_samples)
        tested = len(self._test[0]) > 0
        name = "train" if tested or progress is None else train.text
        texts = [f'<span style="color:{self.colors.positive}">— {name}</span>']
        if tested:
            texts.append(f'<span style="color:{self.colors.negative}">╌ test</span>')
        if progress is not None and progress.diverged_at is not None:
            where = f"diverged at step {progress.diverged_at:,}"
            texts.append(f'<span style="color:{self.colors.error}">╎ {where}</span>')
        self.legend.setText("&nbsp; ".join(texts))
        self.legend.setToolTip(train.tip)
        self.plot.setToolTip(f"{train.tip}\n{GESTURES}".strip())

    # Following training

    def follows(self, change: Change) -> bool:
        """Another run, and every report of the present one."""
        return change.model or change.moment

    def refresh(self, change: Change) -> None:
        """Shows the curves as they are now; for another run nothing that was chosen for the one before stays."""
        progress = self.session.newest
        if change.model:
            self._train = self._test = NO_POINTS
            self._choice = AxisChoice()
            self._pointer = None
            self.plot.fit()
        if progress is not None:
            self._train = finite(*train_points(progress, self.session.dataset.n_samples))
            self._test = finite(progress.test_steps, progress.test_losses)
            if not self.plot.zoomed:
                self._choice.follow(self._train[1])
        self._draw()

    def figure_data(self) -> Sequence[Column]:
        """Both curves, each with its steps."""
        (steps, losses), (test_steps, test_losses) = self._train, self._test
        train: list[Column] = [("step", steps.astype(int)), ("train loss", losses)]
        return [*train, ("step of test loss", test_steps.astype(int)), ("test loss", test_losses)]

    def _draw(self) -> None:
        """Shows the curves as they are now, the axis that suits them, and where the run diverged."""
        self._show_axis()
        for curve, (steps, losses) in ((self.train_curve, self._train), (self.test_curve, self._test)):
            few = len(steps) <= FEW_POINTS
            curve.setData(steps, self._heights(losses), symbol="o" if few else None, symbolSize=5)
        progress = self.session.newest
        diverged_at = None if progress is None else progress.diverged_at
        self.divergence.setVisible(diverged_at is not None)
        if diverged_at is not None:
            self.divergence.setValue(diverged_at)
        step = self.session.viewed.step
        self.viewed.setVisible(step is not None)
        if step is not None:
            self.viewed.setValue(step)
        self._show_range(diverged_at)
        self._show_legend()
        self._point()

    def _heights(self, losses: NDArray[Any]) -> NDArray[Any]:
        return logarithms(losses) if self._choice.logarithmic else drawable(losses)

    def _show_range(self, diverged_at: int | None) -> None:
        steps = np.concatenate([self._train[0], self._test[0], [] if diverged_at is None else [float(diverged_at)]])
        losses = np.concatenate([self._train[1], self._test[1]])
        if self._choice.logarithmic:
            heights = range_around(logarithms(losses), least=1.0)
        else:
            heights = range_around(worth_seeing(losses, diverged_at is not None))
        first = float(steps.min()) if steps.size else 0.0
        last = max(float(steps.max()), first + FEWEST_STEPS) if steps.size else FEWEST_STEPS
        across = range_around(np.array([first, last]), margin=0.03)
        if self.session.run_state is RunState.RUNNING:
            across, heights = (
                steady_range(across, self.plot.whole[0], (False, True)),
                steady_range(heights, self.plot.whole[1]),
            )
        self.plot.show_range(across, heights)

    # The axis

    def _choose_axis(self) -> None:
        self._choice.choose(not self._choice.logarithmic)
        self.plot.fit()
        self._draw()

    def _show_axis(self) -> None:
        choice = self._choice
        self.logarithmic.setChecked(choice.logarithmic)
        if self.plot.axes["left"].logarithmic != choice.logarithmic:
            self.plot.axes["left"].set_logarithmic(choice.logarithmic)
        note = self._scale_note()
        self.note.setVisible(bool(note.text))
        self.note.setText(note.text)
        self.note.setToolTip(note.tip)

    def _scale_note(self) -> Caption:
        """Why the axis is as it is, where the user has not chosen it, and what it leaves out."""
        progress, losses = self.session.newest, np.concatenate([self._train[1], self._test[1]])
        if self._choice.logarithmic:
            ratio = None if self._choice.by_user else self._choice.ratio
            return logarithmic_note(ratio, reaches_floor=bool((losses <= 0.0).any()))
        cut = cut_above(losses, progress is not None and progress.diverged_at is not None)
        return NO_CAPTION if cut is None else cut_note(cut)

    # The value under the pointer

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        """Takes the mark away when the pointer leaves the plot; a click on the note changes the axis."""
        if watched is self.note:
            if event.type() == QEvent.Type.MouseButtonRelease:
                self._choose_axis()
        elif event.type() == QEvent.Type.Leave:
            self._point_at(None)
        return False

    def _point_at(self, position: QPointF | None) -> None:
        self._pointer = position
        self._point()

    def _point(self) -> None:
        """Marks the step nearest to the pointer and says its loss; without one the loss of the step that is viewed."""
        box, steps = self.plot.box, self._train[0]
        inside = self._pointer is not None and box.sceneBoundingRect().contains(self._pointer) and len(steps) > 0
        for item in (self._line, self._spot):
            item.setVisible(inside)
        progress, n_samples = self.session.newest, self.session.dataset.n_samples
        if progress is None:
            self.set_caption(*NO_STEP)
        elif not inside or self._pointer is None:
            shown = self.session.shown or progress
            caption = newest_caption if shown is progress else viewed_caption
            self.set_caption(*caption(shown, n_samples))
        else:
            index = int(np.abs(steps - box.mapSceneToView(self._pointer).x()).argmin())
            step, loss = float(steps[index]), float(self._train[1][index])
            self._line.setValue(step)
            self._spot.setData([step], [float(self._heights(self._train[1])[index])])
            self.set_caption(*point_caption(step, loss, progress.settings_at(step), n_samples))
