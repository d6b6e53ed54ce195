"""A run of training as a moving picture: what the network gives around its data, and the loss up to that step.

The frames are steps of the run's history, computed once more from the moments that were kept, as the scrubber does;
early steps, in which most happens, are closer together. Everything is painted without a widget, in any thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from engine.document import Document
from engine.document.assemble import make_model, make_trainer
from engine.document.consistency import check_consistent
from engine.document.headless import run as run_trainer
from engine.network import LOSSES, Snapshot, encode
from engine.network.run.history import History
from engine.network.run.loss_curve import LossCurve
from engine.network.run.rewind import Rewind
from engine.network.shape import NetworkShape
from engine.quick_dataclass import dataclass
from gui.boundary_figure import BoundaryFigure
from gui.export.animation import Film, Report, Work, Written, write_animation
from gui.export.drawing import Drawing, ExportError, draw_image
from gui.number_texts import reading_text
from gui.painted_plot import Frame, paint_words
from gui.panels.curves.loss_scale import PaintedAxis
from gui.session import Session
from gui.theme import Colors

MOST_FRAMES = 80
FRAME_MILLISECONDS, LAST_MILLISECONDS = 120, 3_000
WIDTH, HEIGHT, CAPTION = 760.0, 380.0, 40.0  # pixels
RESOLUTION = 120
PATIENCE_SECONDS = 10.0
"""For which the training thread is waited for to hand over its history."""
DEFAULT_STEPS = 1_000
"""Of a session without trained steps."""
TITLE = "Training"
"""Stands in every frame."""
TEXTS = {
    "caption": "step {step:,} of {last:,}   loss {loss} of all {samples:,} samples{accuracy}",
    "accuracy": "   accuracy {percent:.4g} %",
    "nothing": "there is no training to show yet: let it make a step first",
}

Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Filmed:
    """What the frames are made of.

    Attributes:
        moments: of the run, ascending.
        steps, losses: (n,) what its steps saw.
    """

    moments: Sequence[Snapshot]
    steps: Floats
    losses: Floats


def frame_steps(first: int, last: int, most: int = MOST_FRAMES) -> list[int]:
    """Which steps of a run are shown, both ends included: the later, the farther apart."""
    if last - first < most:
        return list(range(first, last + 1))
    shares = np.linspace(0.0, 1.0, most) ** 2
    return sorted({first + round(share * (last - first)) for share in shares.tolist()})


def filmed_history(document: Document, history: History, steps: Floats, losses: Floats, report: Report) -> Filmed:
    """The moments of a run out of its history, computed to the last bit as they were.

    Args:
        document: its data, network and training.
        history: of the run; nobody else may use it.
        steps, losses: (n,) the curve, up to the last step.
        report: is told which share is done.

    Raises:
        ExportError: for a run without a step.
    """
    trainer = make_trainer(document, make_model(document), check_consistent(document))
    last = int(steps[-1]) + 1 if len(steps) else 0
    if last <= history.first_step:
        raise ExportError(TEXTS["nothing"])
    rewind, moments, wanted = Rewind(trainer.copy, history, time.monotonic), [], frame_steps(history.first_step, last)
    for done, step in enumerate(wanted):
        report(done / len(wanted))
        rewind.go_to(step)
        while rewind.busy:
            rewind.advance(0.1)
            report(done / len(wanted))
        moments.append(rewind.snapshot())
    return Filmed(moments, steps, losses)


def film_of_session(session: Session, colors: Colors) -> Callable[[Report], TrainingFilm]:
    """What makes the film of the run that a session is at, in a thread; its frames are those up to now.

    Raises:
        ExportError: for a run without a step.
    """
    progress, document = session.newest, session.document
    if progress is None or progress.snapshot.step == 0:
        raise ExportError(TEXTS["nothing"])
    past = session.keep_past()

    def make(report: Report) -> TrainingFilm:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while past.history is None and time.monotonic() < deadline:
            report(0.0)
            time.sleep(0.005)  # the training thread comes to it between two steps
        if past.history is None:
            raise ExportError(TEXTS["nothing"])
        curve = progress.curve_steps, progress.curve_losses
        return TrainingFilm(document, filmed_history(document, past.history, *curve, report), colors)

    return make


def film_work(session: Session, colors: Colors, path: Path) -> Work:
    """What writes that film as a GIF.

    Raises:
        ExportError: for a run without a step.
    """
    make = film_of_session(session, colors)

    def work(report: Report) -> Written:
        film = make(lambda share: report(share / 2))
        return write_animation(film, path, lambda share: report((1 + share) / 2))

    return work


def filmed_anew(document: Document, steps: int, report: Report) -> Filmed:
    """The moments of a training that begins at the document's first weights, made now.

    Args:
        document: what it has trained plays no part.
        steps: updates; fewer are made where the run diverges.
        report: is told which share is done.
    """
    trainer, curve = make_trainer(document, make_model(document), check_consistent(document)), LossCurve()
    moments = [trainer.snapshot(figures=False)]
    for step in frame_steps(0, steps)[1:]:
        report(step / steps)
        listeners = [lambda losses, _: curve.extend(losses)]
        trouble = run_trainer(trainer, step - trainer.step_count, listeners, lambda: False)
        if trouble:
            break
        moments.append(trainer.snapshot(figures=False))
    return Filmed(moments, *curve.points())


class TrainingFilm(Film):
    """The frames of a run."""

    title = TITLE

    def __init__(self, document: Document, filmed: Filmed, colors: Colors, scale: float | None = None) -> None:
        """Takes what is shown; nothing is painted yet.

        Args:
            document: data and network of the run.
            filmed: its moments and its curve.
            colors: the theme.
            scale: pixels of a frame for a pixel of its layout (760 x 420), above 0; None for 1.
        """
        self.frame_count = len(filmed.moments)
        self._figure, self._filmed, self._colors, self._scale = BoundaryFigure(document), filmed, colors, scale or 1.0
        self._data = check_consistent(document)
        network = document.network
        self._shape = NetworkShape(network.layer_sizes, (*network.activations, network.output_activation))
        self._axis = PaintedAxis(filmed.losses[np.isfinite(filmed.losses)])

    @property
    def times(self) -> list[int]:
        """How long each frame is shown, milliseconds in tens."""
        return [FRAME_MILLISECONDS] * (self.frame_count - 1) + [LAST_MILLISECONDS]

    def frame(self, number: int) -> QImage:
        """One frame, from 0."""
        moment = self._filmed.moments[number]
        size = QSizeF(WIDTH, HEIGHT + CAPTION)

        def paint(painter: QPainter) -> None:
            painter.fillRect(QRectF(QPointF(), size), QColor(self._colors.panel))
            self._paint_boundary(painter, moment)
            self._paint_curve(painter, moment)
            words = [(self.words(number), self._colors.text)]
            paint_words(painter, QPointF(16, HEIGHT + CAPTION - 14), words, 13)

        return draw_image(Drawing(size, paint, TITLE, self._scale))

    def words(self, number: int) -> str:
        """The line under a frame."""
        moment, data = self._filmed.moments[number], self._data.train
        loss = LOSSES[moment.settings.loss]
        outputs = self._shape.outputs(moment.parameters, data.X)
        targets = encode(loss, data.y, outputs.shape[1])
        data_loss = loss.of_arrays(outputs, targets.values)
        share = targets.accuracy(outputs)
        accuracy = "" if share is None else TEXTS["accuracy"].format(percent=100 * share)
        last = self._filmed.moments[-1].step
        figures = {"loss": reading_text(data_loss), "samples": data.n_samples, "accuracy": accuracy}
        return TEXTS["caption"].format(step=moment.step, last=last, **figures)

    def _paint_boundary(self, painter: QPainter, moment: Snapshot) -> None:
        figure = self._figure
        frame = Frame.within(QRectF(0, 0, HEIGHT, HEIGHT), figure.x, figure.y)
        if figure.is_drawn:
            figure.paint(painter, frame, figure.outputs(moment.parameters, RESOLUTION), self._colors)
        frame.paint_axes(painter, self._colors, *figure.names)

    def _paint_curve(self, painter: QPainter, moment: Snapshot) -> None:
        steps, losses, last = self._filmed.steps, self._filmed.losses, self._filmed.moments[-1].step
        first = min(self._filmed.moments[0].step, float(steps[0]) if len(steps) else 0.0)
        room = QRectF(HEIGHT, 0, WIDTH - HEIGHT, HEIGHT)
        frame = Frame.within(room, (first, max(last, first + 1)), self._axis.span, self._axis.logarithmic)
        known = np.isfinite(losses)
        heights = self._axis.heights(losses[known])
        shown = steps[known] <= moment.step
        frame.paint_axes(painter, self._colors, "step", "loss")
        line, rest = QPen(QColor(self._colors.positive), 1.8), QPen(QColor(self._colors.line), 1.2)
        frame.paint_curve(painter, steps[known], heights, rest)
        frame.paint_curve(painter, steps[known][shown], heights[shown], line)
        frame.paint_step(painter, min(float(moment.step), frame.x[1]), self._colors.accent)
