"""Training on arrays beside the same training on single Values, for every loss, optimizer and schedule.

    python -m tests.reliability.training_paths

The scalar path is the loop of a tutorial: objective of Values, backward, and the rules of optimizer and schedule in
plain Python.
"""

from __future__ import annotations

import itertools
import math
import random
import sys

import numpy as np

from engine.network import LOSSES, MLP, OPTIMIZERS, Penalty, Trainer, scalar_objective
from engine.network.schedules import SCHEDULES
from tests.engine.network.plain_optimizers import PLAIN

STEPS, LIMIT = 50, 1e-12
L1, L2, RATE = 1e-4, 1e-3, 0.02
SETTING = 20.0
"""Steps that a schedule takes, or from one drop to the next."""
FACTORS = {
    "constant": lambda step: 1.0,
    "linear": lambda step: 1.0 - 0.9 * min(step / SETTING, 1.0),
    "step": lambda step: 0.5 ** int(step / SETTING),
    "exponential": lambda step: 0.999**step,
    "cosine": lambda step: (1.0 + math.cos(math.pi * min(step / SETTING, 1.0))) / 2.0,
    "warmup": lambda step: min((step + 1) / SETTING, 1.0),
    "inverse": lambda step: SETTING / (SETTING + step),
}
"""Schedules by their names in SCHEDULES, with their first settings otherwise."""
Combination = tuple[str, str, str]


def combinations() -> list[Combination]:
    """Return every loss with every optimizer and every schedule."""
    return list(itertools.product(LOSSES, OPTIMIZERS, SCHEDULES))


def largest_difference(loss: str, optimizer: str, schedule: str, seed: int = 0) -> float:
    """Return the largest difference of a parameter in any step, relative to it where it is above 1."""
    rng = np.random.RandomState(seed)
    X = rng.uniform(-1.0, 1.0, (6, 2))
    n_outputs = 3 if LOSSES[loss].normalised else 1
    y = rng.uniform(-1.0, 1.0, 6) if LOSSES[loss].encoding == "raw" else np.arange(6) % max(2, n_outputs)
    model = MLP(2, [3, n_outputs], activation="tanh", rng=random.Random(seed))
    settings = {name: SETTING for name in ("steps", "every") if name in SCHEDULES[schedule].settings_table}
    trainer = Trainer(
        model, loss=loss, optimizer=optimizer, X=X, y=y, learning_rate=RATE, l1=L1, l2=L2, schedule=schedule,
        schedule_settings=settings,
    )  # fmt: skip
    twin, memory, factor = model.copy(), [{} for _ in model.weights], FACTORS[schedule]
    worst = 0.0
    for step in range(STEPS):
        twin.zero_grad()
        scalar_objective(twin, LOSSES[loss], X, trainer.data.targets.values, Penalty(L1, L2)).backward()
        rate = RATE * factor(step)
        for p, own in zip(twin.parameters(), memory, strict=True):
            p.data = PLAIN[optimizer](p.data, p.grad, own, step + 1, rate)
        trainer.step()
        difference = np.abs(trainer.model.weights - twin.weights) / np.maximum(1.0, np.abs(twin.weights))
        worst = max(worst, float(difference.max()))
    return worst


def main() -> int:
    """Compare all combinations; return 1 when one differs."""
    found = {each: largest_difference(*each) for each in combinations()}
    for names, difference in found.items():
        if difference > LIMIT:
            print(f"{' '.join(names)}: {difference:.1e}")
    print(f"{len(found)} combinations, {STEPS} steps each: largest difference {max(found.values()):.1e}")
    return 1 if max(found.values()) > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
