"""The history of a long run: what it takes of memory, and how long a past step is waited for while one scrubs."""

from __future__ import annotations

import random
import statistics
import time
import tracemalloc
from typing import Any

from datasets import make_dataset
from engine.network import MLP, Trainer
from engine.network.run.training_run import TrainingRun

STEPS = 100_000
SCRUBS = 60
CASES = {"moons 100, 2-[16,16]-1": ([16, 16, 1], 100), "moons 1,000, 2-[64,64]-1": ([64, 64, 1], 1000)}
MOST_SECONDS = 30.0
"""Of training for one case; a slower machine or a larger network makes fewer steps."""


def _trained(sizes: list[int], n_samples: int) -> TrainingRun:
    dataset = make_dataset("moons", n_samples=n_samples, seed=1)
    model = MLP(dataset.n_features, sizes, rng=random.Random(1))
    run = TrainingRun(1, Trainer(model, optimizer="adam", X=dataset.X, y=dataset.y, learning_rate=0.01))
    run.run(STEPS)
    end = time.monotonic() + MOST_SECONDS
    while run.busy and time.monotonic() < end:
        run.advance(0.005)
    run.pause()
    return run


def _seconds_to(run: TrainingRun, step: int) -> float:
    began = time.perf_counter()
    run.view_step(step)
    while run.busy:
        run.advance(0.005)
    run.describe(None)
    return time.perf_counter() - began


def rows() -> list[dict[str, Any]]:
    """For each case the memory of the history, and the seconds until a step picked at random is there."""
    found = []
    for case, (sizes, n_samples) in CASES.items():
        tracemalloc.start()
        run = _trained(sizes, n_samples)
        memory = tracemalloc.get_traced_memory()[0] / 1e6
        tracemalloc.stop()
        steps, luck = run.steps, random.Random(3)
        waits = sorted(_seconds_to(run, luck.randrange(len(steps))) for _ in range(SCRUBS))
        figures = {"steps": steps[-1], "megabytes": memory, "reach_megabytes": 200.0}
        waited = {"median_ms": 1e3 * statistics.median(waits), "longest_ms": 1e3 * waits[-1]}
        found.append({"case": f"history of {case}", **figures, **waited})
    return found
