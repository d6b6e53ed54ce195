"""A run of training as a moving picture: the network's outputs around its data, and the loss up to each step.

The frames are steps of the run's history, computed once more from the moments that were kept, as the scrubber does;
early steps, in which most happens, are closer together. Everything is painted without a widget, in any thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from datasets import Dataset
from engine.commands.headless import run as run_trainer
from engine.document import Document, Trained
from engine.experiment.assemble import make_model, make_trainer
from engine.experiment.consistency import check_consistent
from engine.experiment.snapshot_network import targets_of
from engine.network import LOSSES, Snapshot
from engine.network.run.curves import LossCurve
from engine.network.run.history import History, Rewind
from engine.network.run.progress import Progress
from engine.network.shape import NetworkShape
from gui.export.animation import Film, Report, Work, Written, write_animation
from gui.export.drawing import Drawing, ExportError, draw_image
from gui.number_texts import reading_text
from gui.plots.boundary_figure import BoundaryFigure
from gui.plots.loss_scale import PaintedAxis
from gui.plots.painted_plot import Frame, paint_words
from gui.session import Session
from gui.theme import Colors

MOST_FRAMES = 80
FRAME_MILLISECONDS, LAST_MILLISECONDS = 120, 3_000
WIDTH, HEIGHT, CAPTION = 760.0, 380.0, 40.0  # pixels
RESOLUTION = 120
STEPS_BETWEEN_REPORTS = 500
PATIENCE_SECONDS, GLANCE_SECONDS = 10.0, 0.05
"""For which the training thread is waited for to hand over its history."""
DEFAULT_STEPS = 1_000
"""Number of steps for a session without trained steps."""
TITLE = "Training"
"""Stands in every frame."""
TEXTS = {
    "caption": "step {step:,} of {last:,}   loss {loss} of all {samples:,} samples{accuracy}",
    "accuracy": "   accuracy {percent:.4g} %",
    "nothing": "there is no training to show yet: let it make a step first",
    "with test": "step {step:,} of {last:,}   train loss {loss}{accuracy}   test loss {test}{test_accuracy}",
    "share": ", {percent:.4g} %",
    "again": "exported {name}; the steps before the session was opened were trained again",
    "partly": "exported {name} from step {first:,} on: settings or data were changed before, so that the steps before "
    "the session was opened cannot be made again",
}

Floats = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Filmed:
    """Source of the frames.

    Attributes:
        moments: of the run, ascending.
        steps, losses: (n,) what its steps saw.
        test_steps, test_losses: (m,) data loss of the test data.
        note: a key of TEXTS, for a film that differs from the original run; "" otherwise.
    """

    moments: Sequence[Snapshot]
    steps: Floats
    losses: Floats
    test_steps: Floats
    test_losses: Floats
    note: str = ""


def frame_steps(first: int, last: int, most: int = MOST_FRAMES) -> list[int]:
    """Return the steps of a run to show, both ends included; later ones are farther apart."""
    if last - first < most:
        return list(range(first, last + 1))
    shares = np.linspace(0.0, 1.0, most) ** 2
    return sorted({first + round(share * (last - first)) for share in shares.tolist()})


def filmed_history(document: Document, history: History, progress: Progress, report: Report) -> Filmed:
    """Compute the moments of a run from its history, to the last bit as they were.

    A session that was opened has no history before that: the steps before are trained again from the first weights. If
    that does not lead to the weights of the file, the film begins there.

    Args:
        document: its data, network and training.
        history: of the run; nobody else may use it.
        progress: of the run, with its curves.
        report: called with the share that is done.

    Raises:
        ExportError: for a run without a step.
    """
    steps, losses = progress.curve_steps, progress.curve_losses
    first, last = history.first_step, int(steps[-1]) + 1 if len(steps) else 0
    if last <= 0:
        raise ExportError(TEXTS["nothing"])
    trainer = make_trainer(document, make_model(document), check_consistent(document))
    rewind, moments, note = Rewind(trainer.copy, history, time.monotonic), list[Snapshot](), ""
    if first > 0:
        wanted = [step for step in frame_steps(0, last) if step < first]
        earlier = _trained_again(document, [*wanted, first], lambda share: report(share * first / last))
        start = history.kept_snapshots(2)[0]
        if len(earlier) == len(wanted) + 1 and np.array_equal(earlier[-1].parameters, start.parameters):
            moments, note = earlier[:-1], "again"
        else:
            note = "partly"
    begin = 0 if note == "again" else first
    for step in frame_steps(begin, last):
        if step < first:
            continue
        report(step / max(last, 1))
        rewind.go_to(step)
        while rewind.busy:
            rewind.advance(0.1)
            report(step / max(last, 1))
        moments.append(rewind.snapshot())
    return Filmed(moments, steps, losses, progress.test_steps, progress.test_losses, note)


def _trained_again(document: Document, steps: Sequence[int], report: Report) -> list[Snapshot]:
    """The moments at these steps of a training from the first weights; fewer where it diverges."""
    fresh = replace(document, trained=Trained())
    trainer = make_trainer(fresh, make_model(fresh), check_consistent(fresh))
    moments = list[Snapshot]()
    for step in steps:
        while trainer.step_count < step:
            report(trainer.step_count / max(steps[-1], 1))
            if run_trainer(trainer, min(step - trainer.step_count, STEPS_BETWEEN_REPORTS), [], lambda: False):
                return moments
        moments.append(trainer.snapshot(figures=False))
    return moments


def film_of_session(session: Session, colors: Colors) -> Callable[[Report], TrainingFilm]:
    """Return the work that makes the film of a session's run, in a thread; its frames are those up to now.

    Raises:
        ExportError: for a run without a step.
    """
    progress, document = session.newest, session.document
    if progress is None or progress.snapshot.step == 0:
        raise ExportError(TEXTS["nothing"])
    saved = session.save_history()

    def make(report: Report) -> TrainingFilm:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not saved.came.wait(GLANCE_SECONDS) and time.monotonic() < deadline:
            report(0.0)  # ends the work where it was cancelled
        if saved.history is None:
            raise ExportError(TEXTS["nothing"])
        return TrainingFilm(document, filmed_history(document, saved.history, progress, report), colors)

    return make


def film_work(session: Session, colors: Colors, path: Path) -> Work:
    """Return the work that writes that film as a GIF.

    Raises:
        ExportError: for a run without a step.
    """
    make = film_of_session(session, colors)

    def work(report: Report) -> Written:
        film = make(lambda share: report(share / 2))
        written = write_animation(film, path, lambda share: report((1 + share) / 2))
        if written.note or not film.note:
            return written
        return Written(written.path, film.note.format(name=written.path.name))

    return work


def filmed_new_run(document: Document, steps: int, report: Report) -> Filmed:
    """The moments of a training that begins at the document's first weights, made now.

    Args:
        document: its trained state is ignored.
        steps: updates; fewer are made where the run diverges.
        report: receives the completed share.
    """
    trainer, curve = make_trainer(document, make_model(document), check_consistent(document)), LossCurve()
    moments = [first := trainer.snapshot()]
    tested = [(first.step, first.test_loss)]
    for step in frame_steps(0, steps)[1:]:
        report(step / steps)
        listeners = [lambda losses, _: curve.extend(losses)]
        trouble = run_trainer(trainer, step - trainer.step_count, listeners, lambda: False)
        if trouble:
            break
        moments.append(moment := trainer.snapshot())
        tested.append((moment.step, moment.test_loss))
    known = np.array([pair for pair in tested if pair[1] is not None], dtype=np.float64).reshape(-1, 2)
    return Filmed(moments, *curve.points(), known[:, 0], known[:, 1])


class TrainingFilm(Film):
    """The frames of a run.

    Attributes:
        note: message for a film that differs from the run, with "{name}" for its file; "" for none.
    """

    title = TITLE

    def __init__(self, document: Document, filmed: Filmed, colors: Colors, scale: float | None = None) -> None:
        """Prepare the frames; nothing is painted yet.

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
        losses = np.concatenate([filmed.losses, filmed.test_losses])
        self._axis = PaintedAxis(losses[np.isfinite(losses)])
        self.note = TEXTS[filmed.note].format(name="{name}", first=filmed.moments[0].step) if filmed.note else ""

    @property
    def times(self) -> list[int]:
        return [FRAME_MILLISECONDS] * (self.frame_count - 1) + [LAST_MILLISECONDS]

    def frame(self, number: int) -> QImage:
        """Return one frame, from 0."""
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
        """Return the line under a frame."""
        moment, data = self._filmed.moments[number], self._data
        step, last = moment.step, self._filmed.moments[-1].step
        loss, share = self._figures_of(moment, data.train)
        if data.test is None:
            accuracy = "" if share is None else TEXTS["accuracy"].format(percent=100 * share)
            samples = data.train.n_samples
            return TEXTS["caption"].format(step=step, last=last, loss=loss, samples=samples, accuracy=accuracy)
        test, test_share = self._figures_of(moment, data.test)
        accuracies = ["" if each is None else TEXTS["share"].format(percent=100 * each) for each in (share, test_share)]
        figures = {"loss": loss, "test": test, "accuracy": accuracies[0], "test_accuracy": accuracies[1]}
        return TEXTS["with test"].format(step=step, last=last, **figures)

    def _figures_of(self, moment: Snapshot, data: Dataset) -> tuple[str, float | None]:
        """Return data loss, as text, and accuracy of the training or the test data."""
        loss = LOSSES[moment.settings.loss]
        outputs = self._shape.outputs(moment.parameters, data.X)
        targets = targets_of(data, loss, outputs.shape[1])
        return reading_text(loss.of_arrays(outputs, targets.values)), targets.accuracy(outputs)

    def _paint_boundary(self, painter: QPainter, moment: Snapshot) -> None:
        figure = self._figure
        frame = Frame.within(QRectF(0, 0, HEIGHT, HEIGHT), figure.x, figure.y)
        if figure.is_drawn:
            figure.paint(painter, frame, figure.outputs(moment.parameters, RESOLUTION), self._colors)
        frame.paint_axes(painter, self._colors, *figure.names)

    def _paint_curve(self, painter: QPainter, moment: Snapshot) -> None:
        filmed = self._filmed
        curves = ((filmed.steps, filmed.losses), (filmed.test_steps, filmed.test_losses))
        first = min([filmed.moments[0].step, *(float(steps[0]) for steps, _ in curves if len(steps))])
        room = QRectF(HEIGHT, 0, WIDTH - HEIGHT, HEIGHT)
        span = first, max(filmed.moments[-1].step, first + 1)
        frame = Frame.within(room, span, self._axis.span, self._axis.logarithmic)
        names = [("— train", self._colors.positive), ("   ╌ test", self._colors.negative)]
        styles = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine
        frame.paint_axes(painter, self._colors, "step", "loss")
        for (steps, losses), (_, color), style in zip(curves, names, styles, strict=True):
            known = np.isfinite(losses)
            heights, shown = self._axis.heights(losses[known]), steps[known] <= moment.step
            frame.paint_curve(painter, steps[known], heights, QPen(QColor(self._colors.line), 1.2, style))
            frame.paint_curve(painter, steps[known][shown], heights[shown], QPen(QColor(color), 1.8, style))
        if len(filmed.test_steps):
            paint_words(painter, frame.inside.topRight() + QPointF(-120, 14), names, 12)
        frame.paint_step(painter, min(float(moment.step), frame.x[1]), self._colors.accent)
