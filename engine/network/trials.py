"""Trial runs: results of other learning rates, another optimizer, or another network from the present step.

A rule of thumb on gradients cannot distinguish a low learning rate from an optimum: both look flat. So notices run an
experiment. A copy of the trainer makes a few steps with several multiples of the learning rate, and with Adam; a
network at an optimum does not improve with any of them. (The search over rates is that of the learning rate range test,
Smith 2017, arXiv:1506.01186, made from the present weights.)
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.network.mlp import MLP
from engine.network.settings import MAX_LEARNING_RATE
from engine.network.stopping import TrainingDiverged
from engine.network.trainer import Trainer

Floats = NDArray[Any]
Result = TypeVar("Result")
STEPS, LONG_STEPS, ALTERNATIVE_STEPS = 60, 300, 300
"""Steps of a trial, of one that confirms it, and of another network."""
HIGHER, LOWER = (3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4, 3e4, 1e5), (0.3, 0.1, 0.03)
"""Multiples of the learning rate that are tried."""
WORSE = 1.2
"""A trial that ends so many times as high as it began has failed; higher rates are not tried then."""
MOST_PRODUCTS = 300_000
"""Parameters times samples of a network that trials are made with: all trials of a look take some seconds then."""
ADAM: Mapping[str, Any] = MappingProxyType(
    {"optimizer": "adam", "optimizer_settings": {}, "batch_size": None, "clip_norm": None, "clip_value": None}
)
ADAM_RATES = (0.003, 0.03)
MUCH_BETTER = 0.7
"""Another network is recommended when its loss is at most this share of the present one."""
WIDTH = 8
"""Neurons of a hidden layer that is tried where there is none."""


class TrialsCancelled(Exception):
    """Raised during a trial when its result is not needed any more."""


def can_be_tried(n_parameters: int, n_samples: int) -> bool:
    """Return True when trials with such a network are cheap enough."""
    return n_parameters * n_samples <= MOST_PRODUCTS


@dataclass(frozen=True)
class Trial:
    """Outcome of some steps of a trial run.

    Attributes:
        end: mean of loss plus penalty of all training data over the last third of the steps; inf where it diverged.
        highest: largest of them on the way; inf where it diverged.
    """

    end: float
    highest: float


class Outcome(NamedTuple):
    """Result of another network.

    Attributes:
        objective: loss plus penalty, by which results are ordered.
        loss: data loss of the training data.
        test_loss: data loss of the test data; None without test data.
    """

    objective: float
    loss: float
    test_loss: float | None = None


class Trials:
    """Experiments from one step of a run; for one thread at a time.

    Attributes:
        objective: loss plus penalty of all training data at that step.
        rate: learning rate of the next step.
    """

    def __init__(self, trainer: Trainer, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Take over a trainer.

        Args:
            trainer: at the step that is tried from.
            cancelled: asked before every step; when it returns True, the trial raises TrialsCancelled.
        """
        self._trainer, self._cancelled = trainer, cancelled
        self._moment = trainer.snapshot()
        self.objective = math.inf if self._moment.objective is None else self._moment.objective
        self.rate = trainer.learning_rate
        kept = ("optimizer", "optimizer_settings", "batch_size", "clip_norm", "clip_value", "l1", "l2")
        self._settings = {name: getattr(trainer.settings, name) for name in kept}
        self._known: dict[tuple[float, int], Trial] = {}
        self._outcomes: dict[str, Any] = {}

    def at_rate(self, factor: float, steps: int = STEPS) -> Trial:
        """Train with so many times the learning rate and everything else as it is."""
        key = factor, steps
        if key not in self._known:
            self._known[key] = self._train(steps, learning_rate=factor * self.rate)
        return self._known[key]

    def higher(self) -> Iterator[tuple[float, Trial]]:
        """Yield higher multiples of the learning rate and their trials, up to one that fails or is not allowed."""
        for factor in HIGHER:
            if factor * self.rate > MAX_LEARNING_RATE:
                return
            trial = self.at_rate(factor)
            if not trial.highest <= WORSE * self.objective:
                return
            yield factor, trial

    def with_adam(self) -> float:
        """Return the lowest objective that Adam reaches with all samples in a step and nothing clipped."""
        return self._once("adam", lambda: min(self._train(LONG_STEPS, **ADAM, learning_rate=r).end for r in ADAM_RATES))

    def _once(self, name: str, experiment: Callable[[], Result]) -> Result:
        if name not in self._outcomes:
            self._outcomes[name] = experiment()
        result: Result = self._outcomes[name]
        return result

    def is_held_up_by_penalty(self) -> bool:
        """Return True when the training loss is much lower without L1 and L2, and not with them from other weights.

        Weights that the penalty has pulled to 0 get no gradient, so that new ones are tried, too.
        """
        now = self._moment.loss
        if now is None or not self._moment.penalty:
            return False
        return self.without_penalty().loss <= MUCH_BETTER * now < self._once("new weights", self._new_weights).loss

    def hurts_by_penalty(self) -> bool:
        """Return True when the L1 and L2 penalties raise the relevant loss: the test loss if there are test data.

        A penalty that makes the network fit its training data less well and other data better is doing its work.
        """
        now, test_loss = self._moment.test_loss, self.without_penalty().test_loss
        return now is None or test_loss is None or test_loss <= MUCH_BETTER * now

    def without_penalty(self) -> Outcome:
        """Return the objective that Adam reaches with neither L1 nor L2, from here or from new weights."""
        return self._once("no penalty", self._train_without_penalty)

    def _train_without_penalty(self) -> Outcome:
        trial = self._train(LONG_STEPS, **ADAM, learning_rate=ADAM_RATES[-1], l1=0.0, l2=0.0)
        from_here = Outcome(trial.end, trial.end, self._trainer.snapshot().test_loss)
        return min(from_here, self._new_weights(l1=0.0, l2=0.0), key=lambda each: each.loss)

    def _new_weights(self, **settings: Any) -> Outcome:
        model = self._trainer.model
        return self._outcome(self._trainer.data.X, model.n_neurons, model.activations, **settings)

    def _train(self, steps: int, **settings: Any) -> Trial:
        trainer = self._trainer
        trainer.change(**{**self._settings, "schedule": "constant", **settings})
        trainer.restore(self._moment)
        seen = []
        try:
            for step in range(1, steps + 1):
                self._step(trainer)
                if step % max(1, steps // 15) == 0:
                    seen.append(trainer.snapshot().objective)
        except TrainingDiverged:
            return Trial(math.inf, math.inf)
        numbers = [math.inf if number is None or not math.isfinite(number) else number for number in seen]
        return Trial(float(np.mean(numbers[-max(1, len(numbers) // 3) :])), max(numbers))

    def _step(self, trainer: Trainer) -> None:
        if self._cancelled():
            raise TrialsCancelled
        trainer.step()

    # Other networks

    def better_networks(self) -> list[tuple[str, float]]:
        """Train other networks on the same data and return those that reach a much lower data loss.

        They have the same L1 and L2 as the run; their data loss and the objective are compared with those of the run.

        Returns:
            A description of each network, such as `a hidden layer of 8 tanh neurons`, and the data loss it came
            to; the best first.
        """
        now, found = self._moment.loss, []
        assert now is not None
        for words, make in self._alternatives():
            other = self._outcome(*make())
            if other.loss <= MUCH_BETTER * now and other.objective < self.objective:
                found.append((words, other.loss))
        return sorted(found, key=lambda each: each[1])

    def _alternatives(self) -> Iterator[tuple[str, Callable[[], tuple[Floats, list[int], list[str]]]]]:
        """Yield descriptions, and functions that return inputs, layer sizes and activations of networks to try."""
        model, X = self._trainer.model, self._trainer.data.X
        *hidden, n_outputs = model.n_neurons
        *activations, last = model.activations
        if not hidden:
            if X.shape[1] <= 4:
                yield "inputs such as x1² and x1·x2", lambda: (_with_products(X), [n_outputs], [last])
            new = f"a hidden layer of {WIDTH} tanh neurons"
            yield new, lambda: (X, [WIDTH, n_outputs], ["tanh", last])
            return
        if set(activations) == {"linear"}:
            yield "tanh in the hidden layers instead of linear", lambda: (
                X, [*hidden, n_outputs], ["tanh"] * len(hidden) + [last]
            )  # fmt: skip
        else:
            yield "new starting weights", lambda: (X, [*hidden, n_outputs], [*activations, last])
        wider = [max(2 * width, WIDTH) for width in hidden]
        most = "linear" if not activations else activations[0]
        chosen = "tanh" if most == "linear" else most
        yield f"hidden layers of {', '.join(map(str, wider))} {chosen} neurons", lambda: (
            X, [*wider, n_outputs], [chosen] * len(wider) + [last]
        )  # fmt: skip

    def _outcome(self, X: Floats, sizes: Sequence[int], activations: Sequence[str], **settings: Any) -> Outcome:
        """Train two such networks with Adam and the run's L1 and L2; return the better outcome.

        Args:
            X: (n_samples, n_inputs).
            sizes: neurons of each layer.
            activations: of each layer.
            settings: of TrainingSettings that are others than the run's.
        """
        outcomes = []
        penalties = {name: self._settings[name] for name in ("l1", "l2")}
        for seed in (1, 2):
            hidden, last = list(activations[:-1]), activations[-1]
            model = MLP(X.shape[1], list(sizes), hidden, last, random.Random(seed), "by_activation")
            data = self._trainer.data
            own = {"learning_rate": 0.03, "regression": data.regression, **penalties, **settings}
            if X is data.X and data.X_test is not None:
                own |= {"X_test": data.X_test, "y_test": data.y_test}
            trainer = Trainer(model, self._trainer.settings.loss, "adam", X=X, y=data.y, **own)
            try:
                for _ in range(ALTERNATIVE_STEPS):
                    self._step(trainer)
            except TrainingDiverged:
                continue
            end = trainer.snapshot()
            assert end.loss is not None and end.objective is not None
            outcomes.append(Outcome(end.objective, end.loss, end.test_loss))
        return min(outcomes, key=lambda each: each.objective, default=Outcome(math.inf, math.inf))


def _with_products(X: Floats) -> Floats:
    """Append the squares and products of the columns (n_samples, n_inputs)."""
    pairs = [X[:, i] * X[:, j] for i in range(X.shape[1]) for j in range(i, X.shape[1])]
    return np.column_stack([X, *pairs])
