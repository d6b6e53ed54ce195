"""Rules that stop training: progress of a run towards each of them, and the message of the one that ends it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, NamedTuple

from engine.autograd.notation import counted
from engine.network.errors import checked_integer, checked_number
from engine.network.snapshot import Snapshot

MOST = 10**15
"""Largest number of steps or epochs in a rule."""


class _Figures(NamedTuple):
    """Figures read by rules.

    Attributes:
        step, epoch: updates made, passes done.
        loss: of the last step; None when unknown.
        accuracy: of the training samples, 0 to 1; None when unknown.
        since: steps since the lowest loss.
        first_loss: of the run.
    """

    step: int
    epoch: int
    loss: float | None
    accuracy: float | None
    since: int
    first_loss: float | None


@dataclass(frozen=True)
class Rule:
    """One reason to stop; its limit is the field of its name in `StopRules`.

    Attributes:
        reached: message when training stops.
        set_aside: message when a new run ignores the rule, because it is already reached; "" for a rule that restarts.
        way: progress towards the limit, as text.
        is_reached: returns True when figures reach a limit.
        share: returns the progress towards a limit, 0 to 1.
    """

    reached: str
    set_aside: str
    way: str
    is_reached: Callable[[Any, _Figures], bool]
    share: Callable[[Any, _Figures], float]


def _share_of_loss(target: float, now: _Figures) -> float:
    """Return the progress towards a target loss on a logarithmic scale."""
    first, loss = now.first_loss, now.loss
    if loss is None or first is None or not math.isfinite(loss):
        return 0.0
    if loss <= target:
        return 1.0
    if first <= target or loss >= first:
        return 0.0
    if target <= 0.0:
        return (first - loss) / (first - target)
    return math.log(first / loss) / math.log(first / target)


def _counted_to(limit: float, done: float | None) -> float:
    return min(1.0, (done or 0.0) / limit) if limit else 1.0


RULES: Mapping[str, Rule] = MappingProxyType({
    "target_loss": Rule(
        "The loss at step {step:,} is {loss}: the target of {rule:g} is reached.",
        "The target loss {rule:g} is already reached: the run continues without it.",
        "loss {loss}, target {rule:g}",
        lambda target, now: now.loss is not None and now.loss <= target,
        _share_of_loss,
    ),
    "target_accuracy": Rule(
        "The accuracy after step {step:,} is {accuracy}: the target of {percent:g} % is reached.",
        "The target accuracy {percent:g} % is already reached: the run continues without it.",
        "accuracy {accuracy}, target {percent:g} %",
        lambda target, now: now.accuracy is not None and now.accuracy >= target,
        lambda target, now: _counted_to(target, now.accuracy),
    ),
    "plateau": Rule(
        "The loss has not improved for {steps}: the lowest was {best:.6g} at step {best_step:,}.",
        "",
        "{since:,} of {rule:,} steps without a lower loss",
        lambda n_steps, now: now.since >= n_steps,
        lambda n_steps, now: _counted_to(n_steps, now.since),
    ),
    "max_steps": Rule(
        "Stopped at the step limit: {step:,}.",
        "The step limit {rule:,} is already reached: the run continues without it.",
        "step {step:,} of {rule:,}",
        lambda last, now: now.step >= last,
        lambda last, now: _counted_to(last, now.step),
    ),
    "max_epochs": Rule(
        "Stopped at the epoch limit: {epoch:,}.",
        "The epoch limit {rule:,} is already reached: the run continues without it.",
        "epoch {epoch:,} of {rule:,}",
        lambda last, now: now.epoch >= last,
        lambda last, now: _counted_to(last, now.epoch),
    ),
})  # fmt: skip
"""Every reason to stop, by the name of its field."""


@dataclass(frozen=True)
class StopRules:
    """Reasons to stop; None means that rule is off.

    Attributes:
        target_loss: stop at this loss or less.
        target_accuracy: stop at this training accuracy, 0 to 1; checked every `every` steps.
        plateau: stop after this many steps without a loss lower than the lowest by `min_change`.
        min_change: least decrease that counts as lower, 0 or more.
        max_steps: stop after this many updates.
        max_epochs: stop after this many passes over the data.
        every: interval of the accuracy checks, in steps.
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
        return [item.name for item in fields(self) if item.name in RULES and getattr(self, item.name) is not None]


@dataclass(frozen=True)
class Way:
    """Progress of a run towards one rule.

    Attributes:
        rule: its name, an attribute of StopRules.
        share: progress, 0 to 1.
        text: progress as text, with both figures.
        is_set_aside: reached before this run began, and ignored by it.
    """

    rule: str
    share: float
    text: str
    is_set_aside: bool = False


class StopMonitor:
    """Checks a run after each step.

    Attributes:
        rules: the rules to check.
    """

    def __init__(self, rules: StopRules | None = None) -> None:
        self.rules = rules or StopRules()
        self._names = tuple(self.rules.names)
        self._set_aside: frozenset[str] = frozenset()
        self._best, self._best_step, self._since = math.inf, 0, 0
        self._first_loss: float | None = None

    def begin(self, snapshot: Snapshot) -> str:
        """Begin or continue a run: ignore rules that are already reached, restart the count of a plateau.

        Args:
            snapshot: the start of the run.

        Returns:
            Messages on ignored rules; "" for none.
        """
        self._since, self._best = 0, math.inf
        figures = self._figures(snapshot)
        reached = [name for name in self._names if RULES[name].set_aside and self._is_reached(name, figures)]
        self._set_aside = frozenset(reached)
        return " ".join(self._text(RULES[name].set_aside, name, figures) for name in reached)

    def look(self, step: int, epoch: int, loss: float, accuracy: Callable[[], float | None]) -> str:
        """Return the reason to stop now, one sentence; "" to continue.

        Args:
            step: updates made.
            epoch: passes over the data completed.
            loss: that the last step saw.
            accuracy: returns the share of training samples decided right, 0 to 1 (None for regression); called every
                `every` steps if there is a rule for it.
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
        known = accuracy() if is_due else None
        figures = _Figures(step, epoch, loss, known, self._since, self._first_loss)
        for name in self._names:
            if name not in self._set_aside and self._is_reached(name, figures):
                return self._text(RULES[name].reached, name, figures)
        return ""

    def _figures(self, snapshot: Snapshot) -> _Figures:
        figures = snapshot.step, snapshot.epoch, snapshot.seen_loss, snapshot.accuracy
        return _Figures(*figures, self._since, self._first_loss)

    def _is_reached(self, name: str, now: _Figures) -> bool:
        return RULES[name].is_reached(getattr(self.rules, name), now)

    def _text(self, text: str, name: str, now: _Figures) -> str:
        rule = getattr(self.rules, name)
        return text.format(
            rule=rule,
            percent=100 * rule,
            step=now.step,
            epoch=now.epoch,
            loss="?" if now.loss is None else f"{now.loss:.6g}",
            accuracy="?" if now.accuracy is None else f"{100 * now.accuracy:.6g} %",
            best=self._best,
            best_step=self._best_step,
            since=now.since,
            steps=counted(now.since, "step"),
        )

    def ways(self, snapshot: Snapshot) -> tuple[Way, ...]:
        """Return the progress of the run at a snapshot towards each rule."""
        now = self._figures(snapshot)
        shares = {name: RULES[name].share(getattr(self.rules, name), now) for name in self._names}
        return tuple(
            Way(name, share, self._text(RULES[name].way, name, now), name in self._set_aside)
            for name, share in shares.items()
        )
