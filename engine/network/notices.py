"""Advice on a network that trains badly: the fault, its place, and remedies.

A notice is a function of a `Look` that returns nothing when all is well. Each rests on a fact about the network that is
shown: on slopes and gradients of all samples, or on trial runs (`engine/network/trials.py`). A network that
has learnt its data gets no advice but on overfitting and on a loss that is about to diverge. To add a notice, write
the function and put it into `NOTICES`; its test trains networks in a known state and counts right and wrong advice.

Sources: debugging by state needs figures per layer and the curvature along the
step (Schneider et al. 2021, "Cockpit", arXiv:2102.06604); the learning rate is found by trying many (Smith 2017);
dead and saturated units, ratio of update to weights, train against test loss (Karpathy, CS231n, "Babysitting the
learning process").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.network.layer import ACTIVATIONS
from engine.network.layer_figures import LayerFigures, same_neurons
from engine.network.losses import LOSSES
from engine.network.snapshot import Snapshot
from engine.network.trials import LONG_STEPS, LOWER, STEPS, Trials

Floats = NDArray[Any]
LEARNT = 0.97
"""Accuracy, or R², of training data from which a network counts as good."""
SMALL_SLOPE, MOST_SAMPLES, SATURATED_SHARE = 0.02, 0.95, 0.25
"""A neuron is saturated where its slope is below the first for the second share of the samples; a layer, where the
third share of its neurons is."""
VANISHED, EXPLODED = 1e-3, 300.0
"""Bounds of the ratio of the first layer's gradient to the last layer's."""
STEPS_BEFORE_RATE = 30
LITTLE, SLOW, MUCH, MUCH_FASTER = 0.05, 0.15, 0.15, 3.0
"""Shares of the present loss that are gained in a trial: hardly any; by a low rate at most; by a higher one more than
by the low one at least, and how many times as much."""
LITTLE_LONG = 0.4
"""Share of the loss that a low rate gains in a long trial at most; a run that gains more is under way."""
STILL = 0.005
"""Share of the present loss that no trial gains at an optimum."""
BLOWN_UP = 100.0
"""Factor over the first loss from which a run has blown up."""
FEWEST_TESTED = 10
"""Minimum number of test samples for a notice on overfitting; fewer could differ by chance."""


@dataclass(frozen=True, eq=False)
class Look:
    """A network at one snapshot.

    Attributes:
        layers: its figures, layer by layer.
        snapshot: with the figures of training and test data.
        n_train, n_test: samples.
        first_loss: data loss that the first step of the run saw; None when it is not known.
        test_curve: (n,) steps and (n,) data losses of the test data up to the snapshot's step.
        trials: experiments from this step; None where they would take too long.
    """

    layers: Sequence[LayerFigures]
    snapshot: Snapshot
    n_train: int
    n_test: int = 0
    first_loss: float | None = None
    test_curve: tuple[Floats, Floats] = field(default_factory=lambda: (np.empty(0), np.empty(0)))
    trials: Trials | None = None

    @property
    def is_good(self) -> bool:
        """True when the training data are learnt."""
        scores = (self.snapshot.accuracy, self.snapshot.r_squared)
        return any(score is not None and score >= LEARNT for score in scores)

    @property
    def has_blown_up(self) -> bool:
        """True when the data loss is many times that of the first step: every other figure follows from that."""
        now, first = self.snapshot.loss, self.first_loss
        return bool(self.snapshot.step) and now is not None and first is not None and not now <= BLOWN_UP * first

    @property
    def gain(self) -> float:
        """Share of the loss that the run gains in the next steps with its own learning rate; nan when not known."""
        if self.trials is None or not self.trials.objective > 0.0:
            return math.nan
        return 1.0 - self.trials.at_rate(1.0).end / self.trials.objective


@dataclass(frozen=True)
class Notice:
    """One piece of advice.

    Attributes:
        name: of NOTICES.
        text: the observation, a whole sentence with its numbers, short enough for a line.
        why: evidence and meaning, whole sentences.
        advice: remedies, whole sentences.
        layer: where, from 1; None for the whole network.
    """

    name: str
    text: str
    why: str
    advice: str
    layer: int | None = None


@np.errstate(all="ignore")
def notices(look: Look) -> list[Notice]:
    """Return all notices on a network, causes before effects."""
    found: list[Notice] = []
    if look.has_blown_up:
        return _high_rate(look)
    for name, find in NOTICES.items():
        if (look.is_good and name not in ALSO_WHEN_GOOD) or (found and name in ALONE):
            continue
        if (seen := find(look)) and not (name in BY_PENALTY and _rests_by_penalty(look)):
            found += seen
    return found


def _dead(look: Look) -> list[Notice]:
    found = []
    for layer in look.layers[:-1]:
        if not can_die(layer.activation):
            continue
        dead = int(np.count_nonzero((layer.slopes == 0.0).all(axis=0)))
        if dead:
            found.append(
                Notice(
                    "dead neurons",
                    f"{_neurons(dead, layer)} dead.",
                    f"The slope of {layer.activation} is 0 for every sample examined, so their weights get no "
                    "gradient.",
                    "Try a smaller learning rate, other starting weights, or an activation that is not flat below 0.",
                    layer.layer,
                )
            )
    return found


def can_die(activation: str) -> bool:
    """Return True for an activation that is exactly flat below 0: its slope at -3 is 0."""
    op, x = ACTIVATIONS[activation], np.array([[-3.0]])
    return op is not None and float(op.array_vjps[0](x, np.asarray(op.array(x)), np.ones_like(x))[0, 0]) == 0.0


def _saturated(look: Look) -> list[Notice]:
    found = []
    for layer in look.layers:
        flat = (np.abs(layer.slopes) < SMALL_SLOPE).mean(axis=0) >= MOST_SAMPLES
        count = int(np.count_nonzero(flat))
        if count and count >= SATURATED_SHARE * len(flat) and layer.activation in BOUNDED:
            found.append(
                Notice(
                    "saturation",
                    f"{_neurons(count, layer)} saturated.",
                    f"The slope of {layer.activation} is below {SMALL_SLOPE:g} for at least {MOST_SAMPLES:.0%} of the "
                    "samples, so their weights hardly change.",
                    "Try smaller starting weights, a smaller learning rate, or standardised inputs.",
                    layer.layer,
                )
            )
    return found


def _bounded_output(look: Look) -> list[Notice]:
    last, loss = look.layers[-1], LOSSES[look.snapshot.settings.loss]
    if not loss.probability or last.activation == "linear":
        return []
    op = ACTIVATIONS[last.activation]
    assert op is not None
    low, high = (float(op.scalar(x)) for x in (-700.0, 700.0))
    if any(abs(float(op.scalar(x)) - end) >= 1e-6 for x, end in ((-350.0, low), (350.0, high))):
        return []  # unbounded
    low, high = min(low, high), max(low, high)
    others = max(last.outputs.shape[1] - 1, 1)
    surest = 1.0 / (1.0 + others * math.exp(low - high)) if last.outputs.shape[1] > 1 else 1.0 / (1.0 + math.exp(-high))
    return [
        Notice(
            "bounded output",
            f"The {last.activation} of the output layer keeps the loss well above 0.",
            f"It limits the outputs to the range from {_written(low)} to {_written(high)}. The loss turns them into "
            f"probabilities, which are never above {surest:.0%}.",
            "Use a linear output: the loss applies its own sigmoid or softmax.",
            last.layer,
        )
    ]


def gradient_flow(layers: Sequence[LayerFigures]) -> Floats:
    """Return how strongly the outputs depend on each layer's sums: (n_layers,) root mean squares of the derivatives.

    It does not depend on the loss, so it is right at an optimum, too, where every gradient is 0.
    """
    flow = []
    n_outputs = layers[-1].outputs.shape[1]
    jacobian = layers[-1].slopes[:, None, :] * np.eye(n_outputs)[None]  # (n_samples, n_outputs, n_neurons)
    flow.append(float(np.sqrt(np.mean(np.sum(jacobian**2, axis=1)))))
    for layer, following in zip(reversed(layers[:-1]), reversed(layers[1:]), strict=True):
        jacobian = (jacobian @ following.weights[:, :-1]) * layer.slopes[:, None, :]
        flow.append(float(np.sqrt(np.mean(np.sum(jacobian**2, axis=1)))))
    return np.array(flow[::-1])


def _vanishing(look: Look) -> list[Notice]:
    return _by_flow(look, "vanishing gradient", lambda ratio: 0.0 < ratio < VANISHED)


def _exploding(look: Look) -> list[Notice]:
    return _by_flow(look, "exploding gradient", lambda ratio: ratio > EXPLODED)


def _by_flow(look: Look, name: str, is_so: Callable[[float], bool]) -> list[Notice]:
    if len(look.layers) < 3 or (name == "vanishing gradient" and look.gain > 2 * LITTLE):
        return []
    flow = gradient_flow(look.layers)
    ratio = float(flow[0] / flow[-1])
    if not (math.isfinite(ratio) and is_so(ratio)):
        return []
    times, word = (1.0 / ratio, "smaller") if ratio < 1.0 else (ratio, "larger")
    advice = {
        "vanishing gradient": "Try relu, starting weights that suit the activation, or fewer layers.",
        "exploding gradient": "Try smaller starting weights (those that suit the activation), or clip the gradient.",
    }
    return [
        Notice(
            name,
            f"Gradients are {times:,.0f} times {word} in layer 1 than in layer {len(look.layers)}.",
            "This compares root mean squares of the outputs' derivatives. In the backward pass every layer multiplies "
            "the gradient by its weights and slopes.",
            advice[name],
            1,
        )
    ]


def _symmetry(look: Look) -> list[Notice]:
    found = []
    for layer, following in zip(look.layers, look.layers[1:], strict=False):
        pairs = same_neurons(layer.weights, following.weights)
        if pairs:
            a, b = pairs[0]
            found.append(
                Notice(
                    "equal neurons",
                    f"Neurons {a} and {b} of layer {layer.layer} have the same incoming and outgoing weights.",
                    "They get the same gradients and stay equal, like a single neuron.",
                    "Draw new random weights (Train > New weights). The initialiser zeros would draw zeros again.",
                    layer.layer,
                )
            )
    return found


def _high_rate(look: Look) -> list[Notice]:
    trials = look.trials
    if trials is None or not look.snapshot.step or not 0.0 < trials.objective < math.inf:
        return []
    if look.has_blown_up:
        return [_blown_up(look, trials.rate)]
    own = trials.at_rate(1.0)
    grows = not own.end <= GROWS * max(trials.objective, SMALL * (look.first_loss or 0.0))
    if look.is_good and not grows:
        return []
    lower = {factor: trials.at_rate(factor).end for factor in LOWER}
    best = min(lower, key=lambda factor: lower[factor])
    stays = look.gain <= LITTLE and lower[best] <= (1.0 - HIGH_GAIN) * min(own.end, trials.objective)
    bounces = own.end > NO_PROGRESS * (look.first_loss or math.inf) and lower[best] <= 0.5 * own.end
    if not ((grows and lower[best] < own.end) or stays or bounces):
        return []
    rate, lower_rate = f"{trials.rate:.3g}", f"{best * trials.rate:.1g}"
    what = "grows" if grows else "does not fall"
    came = "is no longer finite" if math.isinf(own.end) else f"reaches {own.end:.3g}"
    return [
        Notice(
            "high learning rate",
            f"With a learning rate of {rate} the loss {what}: the steps are too long.",
            f"In a trial of {STEPS} steps the loss {came} with it, and reaches {lower[best]:.3g} with {lower_rate}. "
            f"It is {trials.objective:.3g} now.",
            f"Try a learning rate of {lower_rate}.",
        )
    ]


def _blown_up(look: Look, rate: float) -> Notice:
    first, now = _figure(look.first_loss), _figure(look.snapshot.loss)
    return Notice(
        "high learning rate",
        f"With a learning rate of {rate:.3g} the loss grew from {first} to {now} by step {look.snapshot.step:,}.",
        "Steps that are too long lead to larger gradients, and these to even longer steps.",
        f"Go back to an earlier step, or start again, with a learning rate of {rate / 10:.1g}.",
    )


def _low_rate(look: Look) -> list[Notice]:
    trials = look.trials
    if trials is None or look.snapshot.step < STEPS_BEFORE_RATE or not trials.rate > 0.0 or not look.gain <= SLOW:
        return []
    now, own = trials.objective, trials.at_rate(1.0).end
    tried = [(trial.end, factor) for factor, trial in trials.higher() if factor >= 10.0]
    least = max(MUCH, MUCH_FASTER * look.gain) * now
    gains = [(end, factor) for end, factor in tried if own - end >= least]
    if not gains:
        return []
    end, factor = min(gains)
    long_own, long_end = trials.at_rate(1.0, LONG_STEPS).end, trials.at_rate(factor, LONG_STEPS).end
    if not long_end < long_own or long_own < (1.0 - LITTLE_LONG) * now:
        return []
    own_rate, rate = f"{trials.rate:.3g}", f"{factor * trials.rate:.3g}"
    since = "" if look.first_loss is None else f" It was {look.first_loss:.3g} at the first step."
    return [
        Notice(
            "low learning rate",
            f"The learning rate {own_rate} is low: in {STEPS} steps {rate} lowers the loss far more.",
            f"In a trial of {STEPS} steps the loss goes from {now:.3g} to {end:.3g} with {rate}, and to {own:.3g} "
            f"with {own_rate}.{since}",
            f"Try a learning rate of {rate}.",
        )
    ]


def _rests_by_penalty(look: Look) -> bool:
    """Return True when L1 and L2 keep the training loss from falling."""
    trials = look.trials
    if trials is None or not look.snapshot.penalty or look.snapshot.step < STEPS_BEFORE_RATE or not look.gain <= LITTLE:
        return False
    return trials.with_adam() >= (1.0 - LITTLE) * trials.objective and trials.is_held_up_by_penalty()


def _strong_penalty(look: Look) -> list[Notice]:
    trials = look.trials
    if trials is None or not _rests_by_penalty(look) or not trials.hurts_by_penalty():
        return []
    names, without = _penalty_names(look), trials.without_penalty()
    came = f"In a trial without it, a new network reached a loss of {_figure(without.loss)} on the training data"
    if without.test_loss is None:
        came += ". With few or noisy data this may be overfitting"
    else:
        now = _figure(look.snapshot.test_loss)
        came += f", and of {_figure(without.test_loss)} on the test data, where it is {now} now"
    penalties = " with ".join(f"{name} {number:g}" for name, number in names.items())
    return [
        Notice(
            PENALTY,
            f"{penalties} keeps the loss at {_figure(look.snapshot.loss)}.",
            "Training minimises the loss plus the penalty, and this sum is almost at its minimum: weights large enough "
            "for a lower loss would have a larger penalty.",
            f"Try a smaller {' or '.join(names)}. {came}.",
        )
    ]


def _penalty_names(look: Look) -> dict[str, float]:
    """Return the penalties that are not 0, by the names that the window has for them."""
    settings = look.snapshot.settings
    return {name: number for name, number in (("L2", settings.l2), ("L1", settings.l1)) if number}


def _optimum(look: Look) -> list[Notice]:
    trials = look.trials
    if trials is None or look.snapshot.step < STEPS_BEFORE_RATE or not 0.0 < trials.objective < math.inf:
        return []
    least = (1.0 - STILL) * trials.objective
    if not look.gain <= STILL or min(trials.at_rate(0.1).end, trials.at_rate(0.03).end) < least:
        return []
    if (
        any(trial.end < least for _, trial in trials.higher())
        or trials.with_adam() < (1.0 - 4 * STILL) * trials.objective
        or _rests_by_penalty(look)  # to the good of the test data: else there is the notice on the penalty
    ):
        return []
    better = trials.better_networks()
    loss = look.snapshot.loss
    if better:
        tried = "; ".join(f"{what} reached {_figure(number)}" for what, number in better[:2])
        names = "".join(f" and {name}" for name in _penalty_names(look))
        advice = f"Trials on the same data{names and f' with the same{names[4:]}'}: {tried}."
    else:
        advice = "Larger networks did little better in trials: the data may be noisy."
    hidden = len(look.layers) > 1
    where = "rests at an optimum" if hidden else "cannot do better on these data"
    local = " Other starting weights may lead to another optimum." if hidden else ""
    return [
        Notice(
            "optimum reached",
            f"The loss stays at {_figure(loss)}: this network {where}.",
            f"In trials neither Adam nor any learning rate from {0.03 * trials.rate:.2g} up lowers the loss: the "
            f"gradient is almost 0.{local}",
            advice,
        )
    ]


def _overfitting(look: Look) -> list[Notice]:
    snapshot = look.snapshot
    if look.n_test < FEWEST_TESTED or snapshot.test_loss is None or snapshot.loss is None:
        return []
    if snapshot.step < STEPS_BEFORE_RATE or not math.isfinite(snapshot.test_loss):
        return []
    steps, losses = look.test_curve
    known = steps <= snapshot.step
    steps, losses = steps[known], losses[known]
    lowest = int(np.argmin(losses)) if len(losses) else -1
    rose = lowest >= 0 and losses[lowest] < 0.8 * snapshot.test_loss
    if snapshot.accuracy is not None and snapshot.test_accuracy is not None:
        n, m = look.n_train, look.n_test
        pooled = (n * snapshot.accuracy + m * snapshot.test_accuracy + 1.0) / (n + m + 2.0)
        chance = 2.0 * math.sqrt(pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m))
        gap = snapshot.accuracy - snapshot.test_accuracy
        is_clear = gap > max(chance, 0.04) or (gap > 0.04 and rose and losses[lowest] < 0.5 * snapshot.test_loss)
        if not (is_clear and snapshot.test_loss > 1.3 * snapshot.loss):
            return []
        train, test = 100.0 * snapshot.accuracy, 100.0 * snapshot.test_accuracy
        text = f"Overfitting: accuracy {train:.4g} % on training data, {test:.4g} % on test data."
    else:
        spread = 3.0 * math.sqrt(2.0 / look.n_test + 2.0 / look.n_train)
        known_scores = snapshot.r_squared is not None and snapshot.test_r_squared is not None
        gap = (snapshot.r_squared or 0.0) - (snapshot.test_r_squared or 0.0) if known_scores else 0.0
        if not (snapshot.test_loss > (1.0 + spread) * snapshot.loss and gap > 0.03):
            return []
        text = (
            f"Overfitting: loss {_figure(snapshot.loss)} on training data, {_figure(snapshot.test_loss)} on test data."
        )
    why = "The network fits noise in the training data, and not only the rule behind them."
    if rose:
        why += f" The test loss was lowest at step {steps[lowest]:,.0f}, {_figure(float(losses[lowest]))}."
    penalties = [f"more {name} than {number:g}" for name, number in _penalty_names(look).items()]
    penalty = penalties[0] if penalties else "some L2"
    early = f" stop near step {steps[lowest]:,.0f}," if rose and steps[lowest] >= STEPS_BEFORE_RATE else ""
    return [
        Notice(
            "overfitting",
            text,
            why,
            f"Try {penalty},{early} fewer neurons, or more training data.",
        )
    ]


def _figure(number: float | None) -> str:
    assert number is not None
    return "less than 0.0001" if 0.0 <= number < 1e-4 else f"{number:.3g}"


def _written(number: float) -> str:
    return f"{number:g}".replace("-", "−")


def _neurons(count: int, layer: LayerFigures) -> str:
    verb = "is" if count == 1 else "are"
    return f"{count} of {layer.outputs.shape[1]} neurons of layer {layer.layer} {verb}"


GROWS, SMALL, HIGH_GAIN, NO_PROGRESS = 3.0, 0.05, 0.2, 0.7
"""A loss grows if a trial multiplies it by GROWS and leaves it above the share SMALL of the first one; a lower rate is
much better if it gains the share HIGH_GAIN; a loss above the share NO_PROGRESS of the first one is no progress.
"""
BOUNDED = frozenset({"tanh", "sigmoid"})
"""Activations that saturate."""
PENALTY = "strong penalty"
NOTICES: MappingProxyType[str, Callable[[Look], list[Notice]]] = MappingProxyType(
    {
        "high learning rate": _high_rate,
        "overfitting": _overfitting,
        PENALTY: _strong_penalty,
        "equal neurons": _symmetry,
        "dead neurons": _dead,
        "saturation": _saturated,
        "bounded output": _bounded_output,
        "vanishing gradient": _vanishing,
        "exploding gradient": _exploding,
        "low learning rate": _low_rate,
        "optimum reached": _optimum,
    }
)
"""Checks by the name of their notice; causes stand before their possible consequences."""
ALSO_WHEN_GOOD = frozenset({"high learning rate", "overfitting"})
"""Notices that also apply to a network that has learnt its training data."""
ALONE = frozenset({PENALTY, "optimum reached"})
"""Notices that are shown only where none before them explains the state."""
BY_PENALTY = frozenset({"equal neurons", "vanishing gradient"})
"""Notices on weights near 0 that are not given where a penalty has pulled them there."""
