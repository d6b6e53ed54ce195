"""Curves of a run: the loss of every step, the accuracy, and the gradient norms, in bounded memory.

A figure of all data costs a forward pass over them, so it is not computed at every step. It is recorded with every
report of the run, which has it anyway, and in between as often as takes `SHARE` of the training's time.

A curve is thinned so that it stays true at every zoom, however long the run. The first steps are kept exactly. From
there on each doubling of the steps since the first is cut into equally many buckets, and the lowest and the highest
loss of each bucket are kept. So the fast beginning of a long run is not lost, a spike of one step in a million stays
visible, and neighbouring points are about a hundredth of the steps before them apart. A bucket depends on the step
alone: what was thinned once never has to be thinned again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.network.shape import NetworkShape
from engine.network.snapshot import Snapshot
from engine.network.trainer import Trainer

EXACT = 1024
BUCKETS_SHARE = 8
"""Exact steps for each bucket of a doubling."""
FEWEST_EXACT = 8

Points = NDArray[Any]
StepsAndLosses = tuple[ArrayLike, ArrayLike]
"""Steps, ascending, and as many losses, as `LossCurve.points()` gives them."""
NO_LOSSES: StepsAndLosses = ((), ())


class LossCurve:
    """Losses by step, or another figure: a million steps take about 3,600 points.

    Attributes:
        length: one more than the last step; the step of the next loss that `extend` appends.
    """

    def __init__(self, first_step: int = 0, steps: ArrayLike = (), losses: ArrayLike = (), exact: int = EXACT) -> None:
        """Create a curve from another curve's `points()`, or an empty one.

        Args:
            first_step: step of the next loss to append, 0 or more.
            steps: (n,) steps of another curve, ascending; those from `first_step` on are left out.
            losses: (n,) their losses.
            exact: number of first steps to keep without thinning, a power of 2 from 8 on; each later doubling of the
                step has an eighth as many buckets.
        """
        self.length, self._exact = 0, exact
        self._points: Points = np.empty((0, 2))
        self.add(steps, losses)
        self.forget_from(first_step)
        self.length = first_step

    def extend(self, losses: ArrayLike) -> None:
        """Append the losses (n,) of the next n steps."""
        self.add(np.arange(self.length, self.length + np.size(losses)), losses)

    def add(self, steps: ArrayLike, losses: ArrayLike) -> None:
        """Append losses (n,) of any steps (n,), ascending and later than those before."""
        points = np.column_stack([np.asarray(steps, dtype=np.float64), np.asarray(losses, dtype=np.float64)])
        if not len(points):
            return
        start = max(0, len(self._points) - 3)  # a bucket that is not full yet has three points at most
        kept, rest = self._points[:start], np.concatenate([self._points[start:], points])
        self.length = int(points[-1, 0]) + 1
        since = rest[:, 0] - (kept if start else rest)[0, 0]
        if since[-1] >= self._exact:
            rest = _extremes(rest, self._buckets(since))
        self._points = np.concatenate([kept, rest])

    def _buckets(self, since: Points) -> Points:
        """Return the number of each step's bucket, ascending; `since`: steps since the first one of the curve."""
        per_doubling = self._exact // BUCKETS_SHARE
        mantissas, doublings = np.frexp(since / self._exact)  # from 0.5 to 1; 1 for the first doubling
        later = self._exact + (doublings - 1) * per_doubling + np.floor((2 * mantissas - 1) * per_doubling)
        return np.where(since < self._exact, since, later)

    def forget_from(self, step: int) -> None:
        """Remove the losses of this step and later ones: training went back."""
        self._points = self._points[self._points[:, 0] < step]
        self.length = min(step, self.length)

    def points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return steps and losses, (n_points,) each, ascending in the step; copies."""
        return self._points[:, 0].copy(), self._points[:, 1].copy()


def thinned(steps: ArrayLike, losses: ArrayLike, most: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a curve with at most about `most` points: fewer exact first steps and wider buckets, extremes kept."""
    points = np.asarray(steps, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    exact = EXACT
    while len(points[0]) > most and exact >= FEWEST_EXACT:
        curve = LossCurve(exact=exact)
        curve.add(*points)
        points, exact = curve.points(), exact // 2
    return points


def _extremes(points: Points, buckets: Points) -> Points:
    """Return the points (n, 2) with the first smallest and the last largest loss of each bucket (n,), and the last
    point.
    """
    order = np.lexsort((points[:, 1], buckets))
    starts = np.flatnonzero(np.diff(buckets[order], prepend=-1.0))
    ends = np.append(starts[1:], len(points)) - 1
    places = np.sort(np.concatenate([order[starts], order[ends], [len(points) - 1]]))
    kept: Points = points[places[np.diff(places, prepend=-1) > 0]]  # np.unique would load numpy.ma: 0.1 s
    return kept


StepsAndNumbers = tuple[NDArray[Any], NDArray[Any]]
Curves = Mapping[str, StepsAndLosses]
"""Steps and numbers by the curve's name."""
NO_CURVES: Curves = MappingProxyType({})

SCORES = ("accuracy", "test_accuracy", "r_squared", "test_r_squared")
"""Curves that are attributes of a `Snapshot`, each at the step of its parameters."""
PENALTY = "penalty"
"""Curve of the L1 and L2 penalty at each step's parameters; it has points only where a penalty is set."""
EXACT_OF_OTHERS = 256
"""Fewer points than the loss has: a curve is some hundred pixels wide, and files hold it."""
SHARE = 0.02
"""Share of the training time that computing figures between two reports may take."""
GROWTH, EARLY_SHARE = 1.1, 0.2
"""Whenever the steps have grown by the first factor, a look may take the second share: a run's beginning is short,
and most happens in it."""


def gradient_norm_name(layer: int) -> str:
    """Return the name of a layer's curve, from 1: at step k the norm of its part of the gradient that the k-th update
    used: of its batch, penalties included, clipped.
    """
    return f"gradient_norm_{layer}"


@np.errstate(over="ignore")
def gradient_norms(shape: NetworkShape, gradients: NDArray[Any]) -> list[float]:
    """Return the norm of each layer's part of a gradient (n_parameters,)."""
    return [float(np.sqrt(np.vdot(part, part))) for part in shape.layer_matrices(gradients)]


class RunCurves:
    """The curves of one run, whose trainer it only looks at; figures that are not finite are left out.

    Attributes:
        loss: data loss of each step's batch.
        test_loss: data loss of the test data, where the run has looked at them.
    """

    def __init__(
        self,
        trainer: Trainer,
        clock: Callable[[], float],
        loss: StepsAndLosses = NO_LOSSES,
        test_loss: StepsAndLosses = NO_LOSSES,
        others: Curves = NO_CURVES,
    ) -> None:
        """Start at the trainer's step.

        Args:
            trainer: the run's.
            clock: seconds, never backwards.
            loss: steps and losses before the trainer's step, as `LossCurve.points` gave them.
            test_loss: the same for the loss of the test data.
            others: `others` of the run before.
        """
        self._trainer, self._clock = trainer, clock
        self.loss = LossCurve(trainer.step_count - len(trainer.losses), *loss)
        self.test_loss = LossCurve()
        self.test_loss.add(*test_loss)
        self._others: dict[str, LossCurve] = {}
        self._last_step, self._look_next, self._early_look_next = -1, clock(), clock()
        for name, points in others.items():
            self._add(name, *points)
        self._forget_others()

    @np.errstate(all="ignore")  # of a network that is about to diverge
    def look(self) -> None:
        """Record the present figures, when it is time."""
        began = self._clock()
        is_early = began >= self._early_look_next and self._trainer.step_count >= GROWTH * self._last_step
        if began >= self._look_next or is_early:
            self.record_figures(self._trainer.snapshot())
            now = self._clock()
            self._look_next, self._early_look_next = now + (now - began) / SHARE, now + (now - began) / EARLY_SHARE

    def record(self, snapshot: Snapshot) -> None:
        """Append the losses of the steps since the last call, and the figures of the present step."""
        new = self._trainer.step_count - self.loss.length
        if new > 0:
            self.loss.extend(self._trainer.losses[-new:])
        self.record_figures(snapshot)

    def record_figures(self, snapshot: Snapshot) -> None:
        """Append the figures of a snapshot later than all before; ignore any other one."""
        if snapshot.test_loss is not None and snapshot.step >= self.test_loss.length:
            self.test_loss.add([snapshot.step], [snapshot.test_loss])
        if snapshot.step <= self._last_step:
            return
        for name in SCORES:
            self._add_finite(name, snapshot.step, getattr(snapshot, name))
        if snapshot.penalty:
            self._add_finite(PENALTY, snapshot.step, snapshot.penalty)
        if snapshot.step:
            for layer, norm in enumerate(gradient_norms(self._trainer.model.shape, snapshot.gradients), 1):
                self._add_finite(gradient_norm_name(layer), snapshot.step, norm)
        self._last_step = snapshot.step

    def _add_finite(self, name: str, step: int, number: float | None) -> None:
        if number is not None and np.isfinite(number):
            self._add(name, [step], [number])

    def _add(self, name: str, steps: Any, numbers: Any) -> None:
        curve = self._others.setdefault(name, LossCurve(exact=EXACT_OF_OTHERS))
        curve.add(steps, numbers)
        self._last_step = max(self._last_step, curve.length - 1)

    def forget_later(self) -> None:
        """Drop everything after the trainer's step: it went back."""
        self.loss.forget_from(self._trainer.step_count)
        self.test_loss.forget_from(self._trainer.step_count + 1)
        self._forget_others()

    def _forget_others(self) -> None:
        for curve in self._others.values():
            curve.forget_from(self._trainer.step_count + 1)
        self._last_step = min(self._last_step, self._trainer.step_count)

    @property
    def others(self) -> Mapping[str, StepsAndNumbers]:
        """Steps and numbers, (n,) each, of every figure that has any, by name; copies."""
        found = {name: curve.points() for name, curve in self._others.items()}
        return MappingProxyType({name: points for name, points in found.items() if len(points[0])})
