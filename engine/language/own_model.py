"""Plots of the outputs of a learner's own model around its data, computed in the sandbox by a run of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from engine.language.decoding import UNREADABLE
from engine.language.limited_runs import grace, report_of_run, request_limits
from engine.language.limits import Limits
from engine.language.results import Plot, Series
from engine.language.runtime import RunInterrupted, RunTrapped
from engine.language.source import Source
from engine.messages import visible

FIGURE = 2_000
"""Number of the first of these figures, behind those of the program."""
MOST_PLACES = 300
SIGNS = "signs"
"""Map of colours from the negative to the positive class."""


def own_model_plots(
    text: str, moment: int = 0, cancelled: Callable[[], bool] | None = None, limits: Limits | None = None
) -> tuple[Plot, ...]:
    """Run a program; return plots of its model over the plane of its data, and of predictions with targets.

    Args:
        text: the program.
        moment: number of the call of `backward()` right after which the model is looked at, from 1; 0: at the end.
        cancelled: is asked about every 10 ms in another thread; True ends the run.
        limits: of the program and the questions to its model together.

    Returns:
        Nothing where there is no model, or it does not answer.
    """
    limits = limits or Limits()
    request = {"text": Source(text).text, "model": True, "moment": moment, **request_limits(limits)}
    try:
        seconds = limits.seconds + grace(limits.seconds)
        report = report_of_run(request, lambda _line, _text: None, limits, seconds, cancelled)
    except (RunInterrupted, RunTrapped):
        return ()
    try:
        reported = report.get("own_model")
        return _plots(reported) if reported else ()
    except UNREADABLE:
        return ()


def _plots(reported: Mapping[str, Any]) -> tuple[Plot, ...]:
    model, x, y = (visible(str(reported[name]), 40) for name in ("model", "x", "y"))
    rows = [tuple(map(float, row)) for row in reported["rows"]]
    targets, predictions = (tuple(map(float, reported[name])) for name in ("targets", "predictions"))
    if not len(rows) == len(targets) == len(predictions):
        raise ValueError("predictions that do not belong to the data")
    grid = reported.get("grid")
    predicted = _predictions_plot(model, y, targets, predictions)
    if grid is None:
        return (predicted,)
    if len(rows[0]) == 1:
        places = [row[0] for row in rows]
        x_places, outputs = (tuple(map(float, grid[name][:MOST_PLACES])) for name in "xz")
        curve = Series("line", x_places, outputs, model)
        title = f"{model}({x}) and {y}"
        return Plot(title, x, y, (curve, Series("points", tuple(places), targets, y)), FIGURE), replace(
            predicted, figure=FIGURE + 1
        )
    return _boundary(model, x, y, rows, targets, grid), replace(predicted, figure=FIGURE + 1)


def _boundary(
    model: str, x: str, y: str, rows: Sequence[tuple[float, ...]], targets: tuple[float, ...], grid: Mapping[str, Any]
) -> Plot:
    across, up = (tuple(map(float, grid[name][:MOST_PLACES])) for name in "xy")
    heights = tuple(tuple(map(float, row[:MOST_PLACES])) for row in grid["z"][:MOST_PLACES])
    if len(heights) != len(up) or any(len(row) != len(across) for row in heights):
        raise ValueError("a grid whose rows have different lengths")
    low, high = min(targets), max(targets)
    if low == high:
        low, high = low - 1.0, high + 1.0
    kinds = len(set(targets))
    shown: dict[str, Any] = {"map": SIGNS if kinds <= 2 else "viridis", "ends": (low, high)}
    clipped = tuple(
        tuple(min(max(each, low), high) if math.isfinite(each) else each for each in row) for row in heights
    )
    levels = tuple(low + (high - low) * step / 20 for step in range(21))
    field = Series("filled contour", across, up, z=clipped, levels=levels, **shown)
    middle = (low + high) / 2
    line = Series("contour", across, up, z=heights, levels=(middle,), color="black")
    points = Series(
        "points", tuple(row[0] for row in rows), tuple(row[1] for row in rows), z=targets, sizes=(6.0,), **shown
    )
    title = f"{model}({x})" + (f", border at {middle:g}" if kinds <= 2 else f" in the colours of {y}")
    return Plot(title, "", "", (field, line, points) if kinds <= 2 else (field, points), FIGURE)


def _predictions_plot(model: str, y: str, targets: tuple[float, ...], predictions: tuple[float, ...]) -> Plot:
    samples = tuple(map(float, range(len(targets))))
    series = Series("points", samples, targets, y), Series("points", samples, predictions, model, marker="x")
    return Plot(f"{y} and what {model} gives", "sample", y, series, FIGURE, legend=True)
