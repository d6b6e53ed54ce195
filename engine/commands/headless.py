"""Training without a window: in pieces, with a growing log, and with an orderly stop."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from engine.commands.outputs import write_result
from engine.document.document import Document
from engine.experiment.assemble import curve_of, curves_of, make_model, make_trainer, trained_at
from engine.experiment.consistency import check_consistent
from engine.file_access import open_stream, reason_of
from engine.network import Snapshot, Trainer, TrainingDiverged
from engine.network.run.curves import LossCurve
from engine.session_file.saved_runs import session_text

PIECE_STEPS, PIECE_SECONDS = 1000, 1.0
"""Most losses in one call of a listener, and most seconds between two calls when steps are slow."""

Listener = Callable[[Sequence[float], Sequence[float]], object]
"""Receives the data losses and the penalties of the next steps."""


@dataclass(frozen=True)
class Ending:
    """Result of training.

    Attributes:
        summary: the step with its loss and accuracy, or the reason for which training could not continue.
        failures: outputs that could not be written, a phrase each.
        has_diverged: training could not continue.
        snapshot: after the last step.
    """

    summary: str
    failures: tuple[str, ...]
    has_diverged: bool
    snapshot: Snapshot


def train_document(
    document: Document,
    steps: int,
    log: Path | None,
    output: Path | None,
    wants_to_stop: Callable[[], bool],
    report: Callable[[int], object] = lambda done: None,
    has_output: bool = False,
) -> Ending:
    """Train a session's network from its present step; write log and session independently of each other.

    Args:
        document: the session; not changed.
        steps: number of updates, 1 or more.
        log: CSV with the loss of every step; None for none.
        output: path of the trained session; not written when training failed.
        wants_to_stop: called before every step.
        report: called before every step with the number of steps done.
        has_output: see `write_result`.

    Raises:
        ValueError: when something in the session does not fit together; nothing is written then.
    """
    before = document.trained
    trainer = make_trainer(document, make_model(document), check_consistent(document))
    has_penalty = bool(trainer.settings.l1 or trainer.settings.l2)
    losses, curve = LossLog(log, trainer.step_count, has_penalty), LossCurve(before.step, *curve_of(before.curve))
    try:
        first = trainer.step_count

        def stop() -> bool:
            report(trainer.step_count - first)
            return wants_to_stop()

        trouble = run(trainer, steps, [losses.extend, lambda seen, _: curve.extend(seen)], stop)
    finally:
        losses.close()
    snapshot = trainer.snapshot()
    if not trouble and snapshot.objective is not None and not math.isfinite(snapshot.objective):
        trouble = f"the loss became {snapshot.objective} at step {snapshot.step}; a smaller learning rate may help"
    failures = [f"--log {log} is not complete: {losses.problem}"] if losses.problem else []
    if output is not None and not trouble:
        test_steps, test_losses = curve_of(before.test_curve)
        if snapshot.test_loss is not None and not (len(test_steps) and test_steps[-1] >= snapshot.step):
            test_steps, test_losses = np.append(test_steps, snapshot.step), np.append(test_losses, snapshot.test_loss)
        trained = trained_at(snapshot, curve.points(), (test_steps, test_losses), curves_of(before))
        try:
            content = session_text(dataclasses.replace(document, trained=trained)).encode()
        except ValueError as error:
            failures.append(f"-o {output} was not written: {error}")
        else:
            failures += filter(None, [write_result("-o", output, content, has_output)])
    return Ending(trouble or _summary(snapshot), tuple(failures), bool(trouble), snapshot)


def _summary(snapshot: Snapshot) -> str:
    line = f"step {snapshot.step}: {_figures(snapshot.loss, snapshot.accuracy)}"
    if snapshot.penalty and snapshot.objective is not None:
        line = f"{line}; penalty {snapshot.penalty:.6g}, loss plus penalty {snapshot.objective:.6g}"
    if snapshot.test_loss is None:
        return line
    return f"{line}; test data: {_figures(snapshot.test_loss, snapshot.test_accuracy)}"


def _figures(loss: float | None, accuracy: float | None) -> str:
    share = "" if accuracy is None else f", accuracy {accuracy:.1%}"
    return f"loss {loss:.6g}{share}"


def run(trainer: Trainer, steps: int, listeners: Sequence[Listener], wants_to_stop: Callable[[], bool]) -> str:
    """Train; report every completed step to the listeners, also when training ends early or fails.

    The trainer keeps the last few losses only, so that memory does not grow with the steps.

    Args:
        trainer: with or without completed steps.
        steps: number of updates, 1 or more.
        listeners: each receives all losses and penalties in order, in pieces.
        wants_to_stop: called before every step.

    Returns:
        The reason for which training could not continue, one sentence; "" when it could.
    """
    seen: list[tuple[float, float]] = []  # a loss never without its penalty
    due = time.monotonic() + PIECE_SECONDS
    try:
        for _ in range(steps):
            if wants_to_stop():
                break
            seen.append((trainer.step(), trainer.seen_penalty))
            if len(seen) == PIECE_STEPS or time.monotonic() > due:
                _hand_on(trainer, seen, listeners)
                due = time.monotonic() + PIECE_SECONDS
    except TrainingDiverged as error:
        return str(error)
    finally:
        _hand_on(trainer, seen, listeners)
    return ""


def _hand_on(trainer: Trainer, seen: list[tuple[float, float]], listeners: Sequence[Listener]) -> None:
    losses, penalties = [loss for loss, _ in seen], [penalty for _, penalty in seen]
    for listener in listeners:
        listener(losses, penalties)
    seen.clear()
    del trainer.losses[:-2]


class LossLog:
    """CSV log of every step's data loss; grows during training, so that it can be followed.

    With L1 or L2 there are two more columns: the penalty, and the sum that the optimizer minimises.

    Unlike all other files it is written in place: after a run is killed, the log remains.
    When the log can no longer be written, it stops and training continues.

    Attributes:
        problem: the reason for which the log is incomplete; "" when it is complete.
    """

    def __init__(self, path: Path | None, first_step: int, has_penalty: bool = False) -> None:
        """Open the file.

        Args:
            path: None for no log.
            first_step: step of the first loss.
            has_penalty: write the columns of the penalty.
        """
        self.problem = ""
        self._step, self._has_penalty = first_step, has_penalty
        self._file: BinaryIO | None = None
        if path is not None:
            self._try(lambda: self._begin(path))

    def _begin(self, path: Path) -> None:
        self._file = open_stream(path)
        self._write("step,loss,penalty,loss_plus_penalty\n" if self._has_penalty else "step,loss\n")

    def extend(self, losses: Sequence[float], penalties: Sequence[float] = ()) -> None:
        """Append the losses of the next steps, with their penalties where these are written."""
        if self._has_penalty:
            numbers = [f"{a!r},{b!r},{a + b!r}" for a, b in zip(losses, penalties, strict=True)]
        else:
            numbers = [repr(loss) for loss in losses]
        rows = "".join(f"{step},{text}\n" for step, text in enumerate(numbers, start=self._step))
        self._step += len(losses)
        self._try(lambda: self._write(rows))

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            self._try(file.close)

    def _write(self, text: str) -> None:
        if self._file is not None:
            self._file.write(text.encode())
            self._file.flush()

    def _try(self, action: Callable[[], object]) -> None:
        try:
            action()
        except OSError as error:
            self.problem = reason_of(error)
            file, self._file = self._file, None
            with suppress(OSError):  # closing retries the write and fails in the same way
                if file is not None:
                    file.close()
