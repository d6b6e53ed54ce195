"""A training step beside the peers, the time to trace a network, and a decision grid."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.network import Trainer
from engine.network.run_group import RunGroup
from tests.benchmarks.cases import Case, cases
from tests.benchmarks.measure import Row, compared, interleaved
from tests.benchmarks.peers import installed, jax_step, numpy_step, torch_step

NUMPY_REACH, GRID_POINTS = 0.9, 200


def rows() -> list[Row]:
    """All training cases in both precisions, trace times, decision grids."""
    table = [row for case in cases() for dtype in ("float64", "float32") for row in _training(case, dtype)]
    return [*table, *_runs_together(), *_tracing(), *_grids()]


def _trainer(case: Case, dtype: str) -> Trainer:
    return Trainer(
        case.model(), case.loss, X=case.X, y=case.labels[:, 0], l2=case.l2, batch_size=case.batch_size,
        learning_rate=case.learning_rate, dtype=dtype,
    )  # fmt: skip


def _training(case: Case, dtype: str) -> list[Row]:
    double = dtype == "float64"
    trainer = _trainer(case, dtype)
    works: dict[str, Callable[[], Any]] = {"Gradstep": lambda: trainer.step() + trainer.seen_penalty}
    works["numpy by hand"] = numpy_step(case, case.model(), dtype)
    if installed("torch"):
        works["PyTorch, 1 thread"] = torch_step(case, case.model(), dtype)
    if installed("jax") and not double:
        works["JAX jit"] = jax_step(case, case.model(), dtype)
    _agree(works, case, 1e-9 if double else 1e-4)
    reach = {"numpy by hand": NUMPY_REACH, "PyTorch, 1 thread": case.reach[not double], "JAX jit": case.reach[2]}
    return compared(f"{case.name}, {dtype}", interleaved(works, 15), reach)


def _agree(works: dict[str, Callable[[], Any]], case: Case, tolerance: float) -> None:
    """Check that the first losses agree, penalties included; batches differ, so only full ones are compared."""
    losses = {name: work() for name, work in works.items()}
    if case.batch_size is None and not np.allclose(list(losses.values()), losses["Gradstep"], atol=tolerance):
        raise AssertionError(f"{case.name}: the systems do not compute the same loss: {losses}")


def _runs_together() -> list[Row]:
    """A step of one run of a sweep: in a group of runs, and alone, on one core."""
    table = []
    for case, count, reach in ((cases()[0], 1024, 15.0), (cases()[1], 16, 1.4)):
        settings = _trainer(case, "float64").settings
        model = case.model()
        weights = [model.weights * (1 + 0.01 * run) for run in range(count)]
        group = RunGroup(model, weights, [settings] * count, X=case.X, y=case.labels[:, 0])
        works = {"Gradstep": group.step, "one after another": _trainer(case, "float64").step}
        seconds = interleaved(works, 15)
        seconds["Gradstep"] /= count
        table += compared(f"{case.name}, {count} runs", seconds, {"one after another": reach})
    return table


def _tracing() -> list[Row]:
    case = cases()[1]
    seconds = interleaved({"Gradstep": lambda: _trainer(case, "float64")}, 9)["Gradstep"]
    return [Row("trace and recognise 2-[16,16]-1", "Gradstep", seconds * 1e3, "ms")]


def _grids() -> list[Row]:
    table = []
    for case in (cases()[1], cases()[5]):
        trainer = _trainer(case, "float64")
        works = {
            f"Gradstep {dtype}": lambda trainer=trainer, dtype=dtype: trainer.predictor.decision_grid(
                (-2, 2), (-2, 2), GRID_POINTS, dtype=dtype
            )
            for dtype in ("float32", "float64")
        }
        seconds = interleaved(works, 7)
        name = f"decision grid 200x200, {case.name.split(', ')[1]}"
        table += [Row(name, system, value * 1e3, "ms") for system, value in seconds.items()]
    return table
