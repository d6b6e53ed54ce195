"""The rules for when training stops: how far a run is from each of them, and which one ends it with which figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from typing import NamedTuple

from engine.autograd.notation import counted
from engine.network.errors import checked_integer, checked_number
from engine.network.snapshot import Snapshot
from engine.quick_dataclass import dataclass

MOST = 10**15
"""Largest number of steps or epochs in a rule."""

REASONS = {
    "target_loss": "Step {step:,} saw the loss {loss}, which reaches the target of {rule:g}.",
    "target_accuracy": "After step {step:,} the accuracy is {accuracy}, which reaches the target of {percent:g} %.",
    "plateau": "No loss has been lower than {best:.6g} for {steps}: that of step {best_step:,} was the lowest.",
    "max_steps": "Step {step:,} is made, where the training is to stop.",
    "max_epochs": "Epoch {epoch:,} is done, where the training is to stop.",
}
"""Why training has stopped, by the rule's name."""
SET_ASIDE = {
    "target_loss": "The target loss {rule:g} is reached already: the run goes on without it.",
    "target_accuracy": "The target accuracy {percent:g} % is reached already: the run goes on without it.",
    "max_steps": "Step {rule:,} is made already: the run goes on without this limit.",
    "max_epochs": "Epoch {rule:,} is done already: the run goes on without this limit.",
}
"""Which rule a run that is begun again does not look at."""
WAYS = {
    "target_loss": "loss {loss}, target {rule:g}",
    "target_accuracy": "accuracy {accuracy}, target {percent:g} %",
    "plateau": "{since:,} of {rule:,} steps without a lower loss",
    "max_steps": "step {step:,} of {rule:,}",
    "max_epochs": "epoch {epoch:,} of {rule:,}",
}
"""How far it is to a rule."""


@dataclass(frozen=True)
class StopRules:
    """Reasons to stop; None means that rule is off.

    Attributes:
        target_loss: stop when a step saw this loss or less.
        target_accuracy: stop at this share of training samples decided right, 0 to 1; looked at every `every` steps.
        plateau: stop when so many steps in a row saw no loss lower than the lowest before them by `min_change`.
        min_change: what counts as lower, 0 or more.
        max_steps: stop after this many updates.
        max_epochs: stop after this many passes over the data.
        every: how often, in steps, the accuracy is looked at.
    """

    target_loss: float | None = None
    target_accuracy: float | None = None
    plateau: int | None = None
    min_change: float = 1e-6
    max_steps: int | None = None
    max_epochs: int | None = None
    every: int = 10

    def __post_init__(self) -> None:
        if self.target_loss is not None:
            checked_number("target loss", self.target_loss)
        if self.target_accuracy is not None:
            checked_number("target accuracy", self.target_accuracy, 0.0, 1.0)
        checked_number("smallest change", self.min_change, 0.0)
        for thing in ("plateau", "max_steps", "max_epochs", "every"):
            if getattr(self, thing) is not None:
                checked_integer(thing.replace("_", " "), getattr(self, thing), 1, MOST)

    @property
    def names(self) -> list[str]:
        """The rules that are on."""
        return [item.name for item in fields(self) if item.name in WAYS and getattr(self, item.name) is not None]


@dataclass(frozen=True)
class Way:
    """How far a run is on its way to one rule.

    Attributes:
        rule: its name, an attribute of StopRules.
        share: of the way, 0 to 1.
        text: the same in words, with both figures.
        is_set_aside: whether it was reached before this run began, which goes on without it.
    """

    rule: str
    share: float
    text: str
    is_set_aside: bool = False


class _Figures(NamedTuple):
    """What rules look at: updates made, epochs done, the loss that the last step saw, the accuracy if it is known."""

    step: int
    epoch: int
    loss: float | None
    accuracy: float | None


def _of(moment: Snapshot) -> _Figures:
    return _Figures(moment.step, moment.epoch, moment.seen_loss, moment.accuracy)


class StopMonitor:
    """Looks at a run after each of its steps.

    Attributes:
        rules: that it looks at.
    """

    def __init__(self, rules: StopRules | None = None) -> None:
        self.rules = rules or StopRules()
        self._names = tuple(self.rules.names)
        self._set_aside: frozenset[str] = frozenset()
        self._best, self._best_step, self._since = math.inf, 0, 0
        self._first_loss: float | None = None

    def begin(self, moment: Snapshot) -> str:
        """The run begins, or goes on: rules that are reached already are set aside, a plateau is counted anew.

        Args:
            moment: from which it goes on.

        Returns:
            What is set aside, whole sentences; "" for nothing.
        """
        self._since, self._best = 0, math.inf
        figures = _of(moment)
        reached = [name for name in self._names if name in SET_ASIDE and self._is_reached(name, figures)]
        self._set_aside = frozenset(reached)
        return " ".join(self._text(SET_ASIDE, name, figures) for name in reached)

    def look(self, step: int, epoch: int, loss: float, accuracy: Callable[[], float | None]) -> str:
        """Why training should stop now, one sentence; empty when it should go on.

        Args:
            step: updates made.
            epoch: passes over the data completed.
            loss: that the last step saw.
            accuracy: gives the share of training samples decided right, 0 to 1 (None where nothing is decided); asked
                for only where there is a rule for it, and then every so many steps.
        """
        if not self._names:
            return ""
        rules = self.rules
        if self._first_loss is None:
            self._first_loss = loss
        self._since += 1
        if loss < self._best - rules.min_change or self._best == math.inf:
            self._best, self._best_step, self._since = loss, step, 0
        is_due = rules.target_accuracy is not None and step % rules.every == 0
        figures = _Figures(step, epoch, loss, accuracy() if is_due else None)
        for name in self._names:
            if name not in self._set_aside and self._is_reached(name, figures):
                return self._text(REASONS, name, figures)
        return ""

    def _is_reached(self, name: str, now: _Figures) -> bool:
        rule = getattr(self.rules, name)
        if name == "target_loss":
            return now.loss is not None and now.loss <= rule
        if name == "target_accuracy":
            return now.accuracy is not None and now.accuracy >= rule
        return bool({"plateau": self._since, "max_steps": now.step, "max_epochs": now.epoch}[name] >= rule)

    def _text(self, texts: dict[str, str], name: str, now: _Figures) -> str:
        rule = getattr(self.rules, name)
        return texts[name].format(
            rule=rule,
            percent=100 * rule,
            step=now.step,
            epoch=now.epoch,
            loss="?" if now.loss is None else f"{now.loss:.6g}",
            accuracy="?" if now.accuracy is None else f"{100 * now.accuracy:.6g} %",
            best=self._best,
            best_step=self._best_step,
            since=self._since,
            steps=counted(self._since, "step"),
        )

    def ways(self, moment: Snapshot) -> tuple[Way, ...]:
        """How far a moment of the run is on its way to each rule."""
        now, aside = _of(moment), self._set_aside
        return tuple(
            Way(name, self._share(name, now), self._text(WAYS, name, now), name in aside) for name in self._names
        )

    def _share(self, name: str, now: _Figures) -> float:
        rule = getattr(self.rules, name)
        if name == "target_loss":
            return self._share_of_loss(rule, now.loss)
        done = {"plateau": self._since, "max_steps": now.step, "max_epochs": now.epoch}.get(name, now.accuracy)
        return min(1.0, (done or 0.0) / rule) if rule else 1.0

    def _share_of_loss(self, target: float, loss: float | None) -> float:
        """On a logarithmic scale, where each tenth of the loss is as far as the one before."""
        first = self._first_loss
        if loss is None or first is None or not math.isfinite(loss):
            return 0.0
        if loss <= target:
            return 1.0
        if first <= target or loss >= first:
            return 0.0
        if target <= 0.0:
            return (first - loss) / (first - target)
        return math.log(first / loss) / math.log(first / target)
